"""Sums and maxima over all projective trees of a sentence, by arc."""

import numpy as np

from libc.math cimport INFINITY, exp, log


def projective_sums(const double[:, ::1] scores, double[:, ::1] shares):
    """Write the probability of each arc; give the log of the sum over all trees of exp(score).

    Trees are projective and have one root; ``scores[h, d]`` is that of the arc from head h to word
    d, 0 is the root. The sums are those of Eisner's spans (inside), and the probabilities are their
    derivatives (outside), taken backwards through the same sums.
    """
    cdef Py_ssize_t size = len(scores), n = size - 1, length, i, j, k, r
    # [i, j]: arcs from i to j; [j, i]: from j to i; full spans headed by i, to the right or left
    cdef double[:, ::1] inner = np.zeros((size, size)), open_ = np.zeros((size, size))
    cdef double[:, ::1] full = np.zeros((size, size))
    cdef double[:, ::1] d_inner = np.zeros((size, size)), d_open = np.zeros((size, size))
    cdef double[:, ::1] d_full = np.zeros((size, size))
    cdef double top, total, part
    with nogil:
        for i in range(size):
            for j in range(size):
                shares[i, j] = 0.0
        for length in range(1, n):
            for i in range(1, size - length):
                j = i + length
                top, total = -INFINITY, 0.0
                for k in range(i, j):
                    top = max(top, full[i, k] + full[j, k + 1])
                for k in range(i, j):
                    total += exp(full[i, k] + full[j, k + 1] - top)
                inner[i, j] = top + log(total)
                open_[i, j] = inner[i, j] + scores[i, j]
                open_[j, i] = inner[i, j] + scores[j, i]
                top, total = -INFINITY, 0.0
                for k in range(i, j):
                    top = max(top, full[k, i] + open_[j, k])
                for k in range(i, j):
                    total += exp(full[k, i] + open_[j, k] - top)
                full[j, i] = top + log(total)
                top, total = -INFINITY, 0.0
                for k in range(i + 1, j + 1):
                    top = max(top, open_[i, k] + full[k, j])
                for k in range(i + 1, j + 1):
                    total += exp(open_[i, k] + full[k, j] - top)
                full[i, j] = top + log(total)
        top, total = -INFINITY, 0.0
        for r in range(1, size):
            top = max(top, full[r, 1] + full[r, n] + scores[0, r])
        for r in range(1, size):
            total += exp(full[r, 1] + full[r, n] + scores[0, r] - top)
        total = top + log(total)
        for r in range(1, size):
            part = exp(full[r, 1] + full[r, n] + scores[0, r] - total)
            shares[0, r] = part
            d_full[r, 1] += part
            d_full[r, n] += part
        for length in range(n - 1, 0, -1):
            for i in range(1, size - length):
                j = i + length
                for k in range(i, j):
                    part = d_full[j, i] * exp(full[k, i] + open_[j, k] - full[j, i])
                    d_full[k, i] += part
                    d_open[j, k] += part
                for k in range(i + 1, j + 1):
                    part = d_full[i, j] * exp(open_[i, k] + full[k, j] - full[i, j])
                    d_open[i, k] += part
                    d_full[k, j] += part
                shares[i, j], shares[j, i] = d_open[i, j], d_open[j, i]
                d_inner[i, j] = d_open[i, j] + d_open[j, i]
                for k in range(i, j):
                    part = d_inner[i, j] * exp(full[i, k] + full[j, k + 1] - inner[i, j])
                    d_full[i, k] += part
                    d_full[j, k + 1] += part
    return total
