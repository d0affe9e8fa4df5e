"""Edit distances between ordered, labelled trees: the algorithm of Zhang and Shasha (1989)."""

import numpy as np

from libc.stdint cimport int32_t

ctypedef const int32_t[::1] Ints


def postorder(Ints head, Ints label, Ints offsets):
    """Return trees with their nodes in postorder: labels, and the first leaf below each node.

    ``head`` has positions in the sentence, 0 for the root, and ``offsets`` the first word of each
    sentence. Dependents are ordered as words are. Each tree gets a root above all, with label -1:
    tree ``t`` has the nodes from ``offsets[t] + t`` on. First leaves count from the tree's first
    node. Every word must lead to the root.
    """
    cdef Py_ssize_t sentences = offsets.shape[0] - 1, words = head.shape[0]
    labels = np.full(words + sentences, -1, np.int32)
    leaves = np.zeros(words + sentences, np.int32)
    cdef int32_t[::1] label_of = labels, first_leaf = leaves
    cdef int32_t[::1] child = np.zeros(words + sentences + 1, np.int32)
    cdef int32_t[::1] sibling = np.zeros(words + sentences + 1, np.int32)
    cdef int32_t[::1] first = np.zeros(words + sentences + 1, np.int32)
    cdef Py_ssize_t t, base, n, start, word, made
    cdef int32_t node
    with nogil:
        for t in range(sentences):
            start = offsets[t]
            n = offsets[t + 1] - start
            base = start + t
            for word in range(n + 1):
                child[word] = -1
                first[word] = -1
            for word in range(n, 0, -1):  # from the end, so that lists of dependents begin in front
                sibling[word] = child[head[start + word - 1]]
                child[head[start + word - 1]] = word
            made = 0
            node = 0
            while True:
                if child[node] >= 0:  # go down to the next dependent, and take it off the list
                    word = child[node]
                    child[node] = sibling[word]
                    sibling[word] = node  # from now on, the way back up
                    node = word
                    continue
                if first[node] < 0:
                    first[node] = made
                first_leaf[base + made] = first[node]
                if node == 0:
                    break
                label_of[base + made] = label[start + node - 1]
                word = sibling[node]
                if first[word] < 0:
                    first[word] = first[node]
                node = word
                made += 1
    return labels, leaves


cdef int32_t _distance(
    const int32_t* label1, const int32_t* leaf1, Py_ssize_t n1,
    const int32_t* label2, const int32_t* leaf2, Py_ssize_t n2,
    char* last1, char* last2, int32_t* trees, int32_t* forests,
) noexcept nogil:
    cdef Py_ssize_t i, j, x, y, a, b, width = n2 + 1
    cdef int32_t best, other
    if n1 == n2:
        i = 0
        while i < n1 and label1[i] == label2[i] and leaf1[i] == leaf2[i]:
            i += 1
        if i == n1:
            return 0
    # A node is a key if no later node has the same first leaf.
    for i in range(n1):
        last1[i] = 1
    for j in range(n2):
        last2[j] = 1
    for i in range(n1 - 1, -1, -1):
        if last1[leaf1[i]] & 2:
            last1[i] &= 2
        last1[leaf1[i]] |= 2
    for j in range(n2 - 1, -1, -1):
        if last2[leaf2[j]] & 2:
            last2[j] &= 2
        last2[leaf2[j]] |= 2
    for i in range(n1):
        if not last1[i] & 1:
            continue
        a = leaf1[i]
        for j in range(n2):
            if not last2[j] & 1:
                continue
            b = leaf2[j]
            forests[0] = 0
            for x in range(1, i - a + 2):
                forests[x * width] = x
            for y in range(1, j - b + 2):
                forests[y] = y
            for x in range(1, i - a + 2):
                for y in range(1, j - b + 2):
                    best = forests[(x - 1) * width + y]
                    other = forests[x * width + y - 1]
                    best = (other if other < best else best) + 1
                    if leaf1[a + x - 1] == a and leaf2[b + y - 1] == b:
                        other = forests[(x - 1) * width + y - 1]
                        other += label1[a + x - 1] != label2[b + y - 1]
                        best = other if other < best else best
                        trees[(a + x - 1) * n2 + b + y - 1] = best
                    else:
                        other = forests[(leaf1[a + x - 1] - a) * width + leaf2[b + y - 1] - b]
                        other += trees[(a + x - 1) * n2 + b + y - 1]
                        best = other if other < best else best
                    forests[x * width + y] = best
    return trees[n1 * n2 - 1]


def distances(
    Ints labels1, Ints leaves1, Ints offsets1, Ints first,
    Ints labels2, Ints leaves2, Ints offsets2, Ints second,
):
    """Return the edit distance of pairs of trees from two sets of :func:`postorder`.

    Inserting, deleting and relabelling a node cost 1 each. ``offsets`` have the first word of each
    sentence, ``first`` and ``second`` the numbers of the trees of each pair.
    """
    cdef Py_ssize_t most1 = 1, most2 = 1, t
    for t in range(offsets1.shape[0] - 1):
        most1 = max(most1, offsets1[t + 1] - offsets1[t] + 1)
    for t in range(offsets2.shape[0] - 1):
        most2 = max(most2, offsets2[t + 1] - offsets2[t] + 1)
    made = np.zeros(first.shape[0], np.int32)
    cdef int32_t[::1] result = made
    cdef int32_t[::1] trees = np.zeros(most1 * most2, np.int32)
    cdef int32_t[::1] forests = np.zeros((most1 + 1) * (most2 + 1), np.int32)
    cdef char[::1] last1 = np.zeros(most1, np.int8), last2 = np.zeros(most2, np.int8)
    cdef Py_ssize_t pair, i, j, start1, start2
    with nogil:
        for pair in range(first.shape[0]):
            i = first[pair]
            j = second[pair]
            start1 = offsets1[i] + i
            start2 = offsets2[j] + j
            result[pair] = _distance(
                &labels1[start1], &leaves1[start1], offsets1[i + 1] - offsets1[i] + 1,
                &labels2[start2], &leaves2[start2], offsets2[j + 1] - offsets2[j] + 1,
                &last1[0], &last2[0], &trees[0], &forests[0],
            )
    return made
