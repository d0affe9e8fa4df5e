"""Beam search over arc-eager derivations, and learning from where it fails.

As long as some item of the beam is correct (all of its actions had the least cost), nothing is
learned. When the last one falls out, the weights of the best correct action and of the derivation
before it are raised by 1, those of the best item are lowered by 1, and the search continues from
that item, from which the cheapest actions now are the correct ones (Aufrant et al. 2017).

The search gives incorrect actions a `margin` for each head that they put out of reach and for an
incorrect label, so that correct items stay only if they are ahead by as much. Without it, learning
would stop as soon as all training sentences are correct, which takes few steps if there are few.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t

from treegauge.kernels.beam_scores cimport (
    ATOMS,
    CROSS,
    PARTS,
    Sentence,
    Templates,
    keys_of,
    look_at,
    signature,
)
from treegauge.kernels.beam_states cimport (
    ARCS,
    NONE,
    ROOT,
    Arena,
    Gold,
    Item,
    States,
    act,
    begin,
    costs,
    is_left,
    mislabels,
    valid,
)
from treegauge.kernels.beam_weights cimport BeamWeights, Slot, accumulate

cdef enum:
    REMEMBERED = 4096
    MOST_FEATURES = 128

cdef struct Candidate:
    double score
    int32_t item, action
    bint correct


cdef class Search:
    """A search through the sentences of a treebank, one after the other."""

    cdef States states
    cdef BeamWeights weights
    cdef Templates templates
    cdef Sentence sentence
    cdef object kept
    cdef const int32_t[::1] form, tag, ending, offsets, labels
    cdef const int32_t[:, :, :, ::1] label_bounds
    # sums of parts by signature; `clock` voids old ones
    cdef uint64_t[::1] signatures
    cdef float[:, ::1] remembered
    cdef uint64_t clock
    cdef uint64_t atoms[ATOMS]
    cdef uint64_t keys[MOST_FEATURES]
    cdef Slot* slots[MOST_FEATURES]
    cdef float[::1] sums
    # the items of the beam, the best actions of them, and the best correct one of all
    cdef Py_ssize_t first, stop, size
    cdef unsigned char[::1] room
    cdef Candidate* found
    cdef Candidate right
    # arcs that were tried in a step, (dependent, head) each, and their scores, if they are watched
    cdef bint watching
    cdef Py_ssize_t n_tried
    cdef int32_t[:, ::1] tried
    cdef double[::1] tried_scores

    def __init__(self, words, templates, labels, BeamWeights weights, Py_ssize_t beam):
        cdef const int32_t[:, ::1] rows = templates.rows
        cdef const int32_t[::1] bounds = templates.bounds
        cdef Py_ssize_t longest = np.diff(words.offsets).max(initial=0)
        cdef uint64_t[:, ::1] seen = np.zeros((4, longest + 4), np.uint64)
        self.form, self.tag, self.ending, self.offsets = words
        self.label_bounds, self.labels = labels
        self.templates = Templates(&rows[0, 0], &bounds[0])
        self.sentence = Sentence(&seen[0, 0], &seen[1, 0], &seen[2, 0], &seen[3, 0], 0)
        self.kept = templates, seen
        self.states, self.weights, self.size = States(longest, beam), weights, beam
        self.states.arena.words = &seen[3, 0]
        self.signatures = np.zeros(REMEMBERED, np.uint64)
        self.remembered = np.zeros((REMEMBERED, weights.actions), np.float32)
        self.sums = np.zeros(weights.actions, np.float32)
        self.room = np.zeros(beam * sizeof(Candidate), np.uint8)
        self.found = <Candidate*> &self.room[0]
        self.watching = False
        self.tried = np.zeros((2 * beam, 2), np.int32)
        self.tried_scores = np.zeros(2 * beam)

    cdef void start(self, Py_ssize_t number, bint correct) noexcept nogil:
        """Set a sentence up with its root and with places for no word, and its first state."""
        cdef Sentence* seen = &self.sentence
        cdef Py_ssize_t begins = self.offsets[number], word
        seen.length = self.offsets[number + 1] - begins
        for word in range(seen.length + 4):
            seen.form[word] = seen.tag[word] = seen.ending[word] = NONE
        word = seen.length + 1
        seen.form[word] = seen.tag[word] = seen.ending[word] = ROOT
        for word in range(1, seen.length + 1):
            seen.form[word] = <uint64_t> self.form[begins + word - 1]
            seen.tag[word] = <uint64_t> self.tag[begins + word - 1]
            seen.ending[word] = <uint64_t> self.ending[begins + word - 1]
        for word in range(seen.length + 4):
            seen.word[word] = seen.form[word] << 32 | seen.tag[word]
        begin(&self.states.arena, correct)
        self.first, self.stop = 0, 1

    cdef void score(self, Py_ssize_t number) noexcept nogil:
        """Sum up the score of every action in a state, be it valid or not."""
        cdef Item* item = &self.states.arena.items[number]
        cdef Py_ssize_t place, action, count
        cdef uint64_t known
        cdef float* row
        cdef float* sums = &self.sums[0]
        cdef int turn, part
        for turn in range(PARTS):
            part = (turn + CROSS) % PARTS  # it comes first
            known = signature(
                &self.states.arena, item, &self.sentence, part,
                (PARTS * self.clock + part) * <uint64_t> 0xBF58476D1CE4E5B9U,
            )
            place = <Py_ssize_t> (known >> 40) % REMEMBERED
            row = &self.remembered[place, 0]
            if self.signatures[place] != known:
                self.signatures[place] = known
                look_at(&self.states.arena, item, &self.sentence, part, self.atoms)
                count = keys_of(&self.templates, part, self.atoms, self.keys)
                accumulate(self.weights, self.keys, count, self.slots, row)
            if turn == 0:
                for action in range(self.weights.actions):
                    sums[action] = row[action]
            else:
                for action in range(self.weights.actions):
                    sums[action] += row[action]

    cdef void step(self, bint learning, double margin) noexcept nogil:
        """Replace the beam by the best states that follow.

        Of each item, LEFT and RIGHT are tried with their best labels alone, for a beam full of
        labels would see few trees. Items marked as correct pass that on along actions of the least
        cost. Where there is a gold tree, actions score `margin` more for each unit that they cost
        above the least.
        """
        cdef Arena* arena = &self.states.arena
        cdef Gold* gold = &self.states.gold
        cdef Sentence* seen = &self.sentence
        cdef const float* sums = &self.sums[0]
        cdef const int32_t* bounds
        cdef Item* item
        cdef bint may[4]
        cdef int32_t cost[4]
        cdef int32_t least, lost, top, dependent, head, action, other, after
        cdef Py_ssize_t number, kind, side, place, count = 0, rights = 0
        cdef Py_ssize_t tied = self.weights.actions - 2
        cdef bint correct, mislabelled
        cdef double score
        cost[0] = cost[1] = cost[2] = cost[3] = 0
        self.n_tried = 0
        for number in range(self.first, self.stop):
            self.score(number)
            item = &arena.items[number]
            valid(arena, number, seen.length, may)
            least = 0
            if learning:
                costs(arena, number, gold, cost)
                least = <int32_t> (2 * seen.length)
                for kind in range(4):
                    if may[kind]:
                        least = min(least, cost[kind])
            top = arena.nodes[item.top].word
            for kind in range(4):
                if not may[kind]:
                    continue
                lost = cost[kind] - least
                correct = item.correct != 0 and lost == 0
                action, score, side = <int32_t> kind, item.score, kind - ARCS
                dependent = top if kind == ARCS else item.front
                if kind >= ARCS:
                    head = item.front if kind == ARCS else top
                    bounds = &self.label_bounds[seen.tag[dependent], seen.tag[head], side, 0]
                    action = ARCS + 2 * self.labels[bounds[0]] + <int32_t> side
                    for place in range(bounds[0] + 1, bounds[1]):
                        other = ARCS + 2 * self.labels[place] + <int32_t> side
                        if sums[other] > sums[action]:
                            action = other
                    score += sums[tied + side]
                    if self.watching:
                        self.tried[self.n_tried, 0] = dependent
                        self.tried[self.n_tried, 1] = head
                        self.tried_scores[self.n_tried] = score + sums[action]
                        self.n_tried += 1
                mislabelled = learning and mislabels(arena, number, gold, action)
                count = _offer(
                    self.found, self.size, count,
                    Candidate(
                        score + sums[action] + margin * (lost + mislabelled), <int32_t> number,
                        action, correct and not mislabelled,
                    ),
                )
                if correct:
                    if mislabelled:
                        action = ARCS + 2 * gold.label[dependent] + <int32_t> side
                    rights = _offer(
                        &self.right, 1, rights,
                        Candidate(score + sums[action], <int32_t> number, action, True),
                    )
        self.first = arena.n_items
        for place in range(count):
            after = act(arena, self.found[place].item, self.found[place].action)
            arena.items[after].score = self.found[place].score
            arena.items[after].correct = self.found[place].correct
        self.stop = arena.n_items

    cdef int update(self, double clock) except -1 nogil:
        """Raise the weights of the right derivation, lower those of the found one.

        They go back to where the two part.
        """
        cdef Item* items = self.states.arena.items
        cdef Candidate good = self.right, bad = self.found[0], one
        cdef Py_ssize_t place, count, tied = self.weights.actions - 2
        cdef int way, part
        cdef double change
        self.clock += 1
        while True:
            for way in range(2):
                one = good if way == 0 else bad
                count = 0
                for part in range(PARTS):
                    look_at(
                        &self.states.arena, &items[one.item], &self.sentence, part, self.atoms
                    )
                    count += keys_of(&self.templates, part, self.atoms, self.keys + count)
                self.weights.make_room(self.keys, count)
                change = 1.0 - 2.0 * way
                for place in range(count):
                    self.weights.add(self.keys[place], one.action, change, clock)
                    if one.action >= ARCS and tied > ARCS + 2:
                        self.weights.add(
                            self.keys[place], <int32_t> tied + (one.action - ARCS) % 2, change,
                            clock,
                        )
            if good.item == bad.item:
                return 0
            good.action, good.item = items[good.item].action, items[good.item].previous
            bad.action, bad.item = items[bad.item].action, items[bad.item].previous

    def parse(self):
        """Parse every sentence; give heads (0 is the root) and labels."""
        made = np.zeros((2, len(self.form)), np.int32)
        cdef int32_t[:, ::1] found = made
        cdef Py_ssize_t number, turn, before, at
        cdef int32_t action, top, front
        cdef Item* items = self.states.arena.items
        with nogil:
            for number in range(self.offsets.shape[0] - 1):
                self.start(number, False)
                for turn in range(2 * self.sentence.length):
                    self.step(False, 0.0)
                before = self.offsets[number] - 1
                at = self.first
                while items[at].previous >= 0:
                    action = items[at].action
                    at = items[at].previous
                    if action >= ARCS:
                        top = self.states.arena.nodes[items[at].top].word
                        front = items[at].front
                        if is_left(action):
                            top, front = front, top
                        found[0, before + front] = top if top <= self.sentence.length else 0
                        found[1, before + front] = (action - ARCS) >> 1
        return made[0], made[1]

    def analyses(self, Py_ssize_t most):
        """Give all analyses at the end of the beam, best first.

        Returns their scores (sentences, beam), minus infinity where the beam has fewer; their heads
        and labels (beam, words); and for the `most` best the scores of all labels of each arc, in
        the state in which it was made, (most, words, labels): minus infinity for a label that was
        not tried.
        """
        cdef Py_ssize_t n_labels = (self.weights.actions - ARCS - 2) // 2
        totals = np.full((self.offsets.shape[0] - 1, self.size), -np.inf)
        made = np.zeros((2, self.size, len(self.form)), np.int32)
        seen = np.full((most, len(self.form), n_labels), -np.inf, np.float32)
        cdef double[:, ::1] scores = totals
        cdef int32_t[:, :, ::1] found = made
        cdef float[:, :, ::1] tried = seen
        cdef Py_ssize_t number, turn, before, at, rank, place
        cdef int32_t action, dependent, head, side
        cdef Item* items = self.states.arena.items
        cdef const int32_t* bounds
        with nogil:
            for number in range(self.offsets.shape[0] - 1):
                self.start(number, False)
                for turn in range(2 * self.sentence.length):
                    self.step(False, 0.0)
                before = self.offsets[number] - 1
                for rank in range(self.stop - self.first):
                    at = self.first + rank
                    scores[number, rank] = items[at].score
                    while items[at].previous >= 0:
                        action = items[at].action
                        at = items[at].previous
                        if action < ARCS:
                            continue
                        head = self.states.arena.nodes[items[at].top].word
                        dependent = items[at].front
                        if is_left(action):
                            head, dependent = dependent, head
                        found[0, rank, before + dependent] = (
                            head if head <= self.sentence.length else 0
                        )
                        found[1, rank, before + dependent] = (action - ARCS) >> 1
                        if rank >= most:
                            continue
                        self.score(at)
                        side = (action - ARCS) & 1
                        bounds = &self.label_bounds[
                            self.sentence.tag[dependent], self.sentence.tag[head], side, 0
                        ]
                        for place in range(bounds[0], bounds[1]):
                            tried[rank, before + dependent, self.labels[place]] = self.sums[
                                ARCS + 2 * self.labels[place] + side
                            ]
        return totals, made[0], made[1], seen

    def arc_leads(self, const int64_t[::1] starts, double[::1] leads):
        """Write by how much each arc fell short of the best state when the search tried it.

        That is, for the arc from head h to word d, the largest score of a state that has just got
        the arc, less the best score after the same number of actions; at most 0. Word d of a
        sentence of n words fills n + 1 places; arcs that were not tried are left as they are.
        """
        cdef Py_ssize_t number, turn, place, at
        cdef int32_t head
        cdef double lead
        self.watching = True
        with nogil:
            for number in range(self.offsets.shape[0] - 1):
                self.start(number, False)
                for turn in range(2 * self.sentence.length):
                    self.step(False, 0.0)
                    for place in range(self.n_tried):
                        head = self.tried[place, 1]
                        if head > self.sentence.length:
                            head = 0
                        at = starts[number] + (
                            (self.tried[place, 0] - 1) * (self.sentence.length + 1) + head
                        )
                        lead = self.tried_scores[place] - self.found[0].score
                        leads[at] = max(leads[at], lead)
        self.watching = False

    def learn(
        self, const int32_t[::1] heads, const int32_t[::1] labels, const int64_t[::1] order,
        Py_ssize_t seen, double margin,
    ):
        """Learn from sentences in the order given, after `seen` ones."""
        cdef Py_ssize_t turn, number, item, begins, survives
        cdef Item* items = self.states.arena.items
        with nogil:
            for turn in range(order.shape[0]):
                begins = self.offsets[order[turn]]
                self.start(order[turn], True)
                if self.sentence.length == 0:
                    continue
                self.states.index(&heads[begins], &labels[begins], self.sentence.length)
                for number in range(2 * self.sentence.length):
                    self.step(True, margin)
                    survives = -1
                    for item in range(self.stop - 1, self.first - 1, -1):
                        if items[item].correct:
                            survives = item
                    if survives == self.first or (
                        survives > 0 and number < 2 * self.sentence.length - 1
                    ):
                        continue
                    self.update(<double> (seen + turn))
                    self.stop = self.first + 1
                    items[self.first].correct = True
                    items[self.first].score = 0.0

    def begin(self, Py_ssize_t number):
        """Turn to the first state of a sentence, which is number 0."""
        self.start(number, False)

    def act(self, int32_t number, int32_t action):
        """Give the number of the state that an action leads to from another one."""
        return act(&self.states.arena, number, action)

    def scores(self, Py_ssize_t number):
        """Give the score of every action in a state, be it valid or not."""
        self.score(number)
        return np.array(self.sums)


cdef inline Py_ssize_t _offer(
    Candidate* found, Py_ssize_t size, Py_ssize_t count, Candidate one
) noexcept nogil:
    """Put a candidate in its place if it is among the best; ties keep their order."""
    cdef Py_ssize_t place
    if count == size:
        if one.score <= found[count - 1].score:
            return count
        count -= 1
    place = count
    while place > 0 and found[place - 1].score < one.score:
        found[place] = found[place - 1]
        place -= 1
    found[place] = one
    return count + 1
