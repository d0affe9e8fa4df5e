"""A second implementation of the arc-eager beam parser in plain Python, slow and short."""

from dataclasses import dataclass, replace
from functools import cache

from treegauge.kernels.features import GROUPS

SHIFT, REDUCE, LEFT, RIGHT = range(4)
NONE, ROOT = ("NONE",) * 3, ("ROOT",) * 3


@dataclass(frozen=True)
class State:
    """A stack of words, the next word, and the arcs so far as (dependent, head, label)."""

    stack: tuple[int, ...] = ()
    front: int = 1
    arcs: tuple[tuple[int, int, object], ...] = ()

    def head(self, word):
        return next(((h, label) for d, h, label in self.arcs if d == word), (0, None))

    def valid(self, length):
        """Say what may be done so that one word without a head is left for the root."""
        headless = [word for word in self.stack if not self.head(word)[0]]
        found = []
        if self.front < length or (self.front == length and not self.stack):
            found.append(SHIFT)
        if self.stack and self.head(self.stack[-1])[0]:
            found.append(REDUCE)
        if self.stack and not self.head(self.stack[-1])[0]:
            found.append(LEFT)
        if self.stack and (self.front < length or (self.front == length and len(headless) == 1)):
            found.append(RIGHT)
        return found

    def after(self, kind, label=None):
        stack, front = self.stack, self.front
        if kind == SHIFT:
            return replace(self, stack=(*stack, front), front=front + 1)
        if kind == REDUCE:
            return replace(self, stack=stack[:-1])
        if kind == LEFT:
            return replace(self, stack=stack[:-1], arcs=(*self.arcs, (stack[-1], front, label)))
        arcs = (*self.arcs, (front, stack[-1], label))
        return State((*stack, front), front + 1, arcs)


def least_losses(heads):
    """Give a function from states to the least number of wrong heads they still lead to."""
    length = len(heads)
    gold = {d: h or length + 1 for d, h in enumerate(heads, 1)}

    @cache
    def loss(stack, headed, front):
        state = State(stack, front, tuple((word, -1, None) for word in stack if word in headed))
        if front == length + 1 and not stack:
            return 0
        found = []
        for kind in state.valid(length):
            after = state.after(kind)
            wrong = 0
            if kind >= LEFT:
                dependent, head, _ = after.arcs[-1]
                wrong = gold[dependent] != head
            now = frozenset(word for word in after.stack if after.head(word)[0])
            found.append(wrong + loss(after.stack, now, after.front))
        return min(found)

    def least(state):
        headed = frozenset(word for word in state.stack if state.head(word)[0])
        done = sum(gold[d] != h for d, h, _ in state.arcs)
        return done + loss(state.stack, headed, state.front)

    return least


def features(state, words):
    """List the features of a state as text; `words` are (form, tag, ending), from 1."""
    seen = {0: NONE, len(words) + 1: ROOT, **dict(enumerate(words, 1))}

    def atoms(name, word, label=None):
        form, tag, ending = seen.get(word, NONE)
        return {f"{name}w": form, f"{name}p": tag, f"{name}x": ending, f"{name}l": label}

    def side(word, sign):
        """Dependents on one side from the outermost inwards, with labels."""
        found = [(d, label) for d, h, label in state.arcs if h == word and (d - word) * sign > 0]
        return sorted(found, key=lambda one: -one[0] * sign)

    top = state.stack[-1] if state.stack else 0
    head, label = state.head(top) if top else (0, None)
    above, above_label = state.head(head) if head else (0, None)
    base = {
        **atoms("S0", top, label), **atoms("N0", state.front), **atoms("N1", state.front + 1),
        **atoms("N2", state.front + 2), **atoms("h", head, above_label), **atoms("h2", above),
        "d": min(state.front - top, 10) if top else 0,
    }  # fmt: skip
    sides = [(state.front, side(state.front, -1)), (top, side(top, -1)), (top, side(top, 1))]
    outermost = [(found[:1] or [(0, None)])[0][0] for _, found in sides]
    names = ("n1", "l1", "r1")
    for name, word in zip(names, outermost, strict=True):
        base |= atoms(name, word)
    described = []
    for word, found in sides:
        first, second = (*found[:2], (0, None), (0, None))[:2]
        about = {**atoms("X", word), **atoms("1", *first), **atoms("2", *second)}
        described.append({**about, "v": len(found), "s": frozenset(one for _, one in found)})
    result = []
    for group, text in GROUPS.items():
        for use, values in enumerate(described if group == "side" else [base]):
            for template in text.split():
                parts = tuple(values[name] for name in template.split("."))
                result.append((group, use, template, parts))
    return result
