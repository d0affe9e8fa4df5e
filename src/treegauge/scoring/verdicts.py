"""Verdicts: the answers to two questions about a pair of systems, in the words of all verbs and of the page.

Would the difference hold on new text from these treebanks? Would it hold on new treebanks? Each
question has one test. Its state, sign, p-value and sentence come from :func:`pair_verdict` wherever
they are shown: in terminals, tables for papers, JSON, certificates and the page.
"""

from collections.abc import Mapping
from math import isnan
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.tables import p_value_text
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.student_intervals import SignedRank, signed_rank
from treegauge.statistics.units import GENUS, LEAST_GROUPED, TreebankUnits

Question = Literal["new text", "new treebanks"]
State = Literal["a_better", "b_better", "equivalent", "a_not_worse", "b_not_worse", "undecided", "untested"]
#: The sign of a state between the names of the systems, and its words in tables ({a} and {b} are the names).
SIGNS: Mapping[State, tuple[str, str]] = {
    "a_better": (">", "{a} better"), "b_better": ("<", "{b} better"), "equivalent": ("=", "equivalent"),
    "a_not_worse": ("≥", "{a} not worse"), "b_not_worse": ("≤", "{b} not worse"), "undecided": ("≈", "undecided"),
    "untested": ("?", "too few to say"),
}  # fmt: skip
#: The states of a significant difference.
BETTER: tuple[State, ...] = ("a_better", "b_better")
ALPHA = 0.05
"""The largest p-value of a significant difference, unless a confidence level was chosen."""


class PairVerdict(NamedTuple):
    """The answer to one question about systems A and B.

    `sign` stands between their names (``>``: A is better); `p` is text, empty without a test;
    `state` is what colours and marks are made from.
    """

    question: Question
    metric: str
    a: str
    b: str
    state: State
    sign: str
    p: str
    sentence: str

    @property
    def words(self) -> str:
        """The state in words: ``A better``, ``undecided``."""
        return state_words(self.state, self.a, self.b)

    @property
    def significant(self) -> bool:
        """Whether one of the two is significantly better."""
        return self.state in BETTER


def state_words(state: State, a: str, b: str) -> str:
    """Return a state in the words of tables.

    Examples
    --------
    >>> state_words("a_better", "A", "B"), state_words("b_not_worse", "A", "B")
    ('A better', 'B not worse')
    """
    return SIGNS[state][1].format(a=a, b=b)


def pair_state(
    difference: float, p_value: float | None, alpha: float = ALPHA, claims: Mapping[str, Any] | None = None
) -> State:
    """Return the strongest claim about two systems that tests support.

    Parameters
    ----------
    difference, p_value
        A - B, and its p-value; None if it was not tested.
    alpha
        The largest p-value at which a claim holds.
    claims
        p-values of :func:`~treegauge.statistics.planning.margin_claims`, perhaps corrected.

    Examples
    --------
    >>> pair_state(0.4, 0.01), pair_state(-0.4, 0.01), pair_state(0.4, 0.2), pair_state(0.4, None)
    ('a_better', 'b_better', 'undecided', 'untested')
    >>> pair_state(0.1, 0.5, 0.05, {"p_equivalent": 0.011, "p_a_not_worse": 0.0, "p_b_not_worse": 0.011})
    'equivalent'
    """
    shown = {name: p is not None and p <= alpha for name, p in (claims or {}).items()}
    sides: tuple[Literal["a", "b"], ...] = ("a", "b") if difference > 0 else ("b", "a")
    if shown.get("p_equivalent"):
        return "equivalent"
    if p_value is not None and not isnan(p_value) and p_value <= alpha:
        return "a_better" if sides[0] == "a" else "b_better"
    for side in sides:
        if shown.get(f"p_{side}_not_worse"):
            return "a_not_worse" if side == "a" else "b_not_worse"
    return "untested" if p_value is None or isnan(p_value) else "undecided"


def pair_verdict(
    question: Question, a: str, b: str, difference: float, metric: str = "", p_value: float | None = None, *,
    interval: tuple[float, float] | None = None, level: float = 0.95, where: str = "these treebanks", over: str = "",
    why_not: str = "", claims: Mapping[str, Any] | None = None, margin: float | None = None, opposed: bool = False,
    silent: str = "",
) -> PairVerdict:  # fmt: skip
    """Return the answer to a question about two systems: the one place where verdicts are made.

    A difference is significant if its p-value is at most 1 - `level` and the interval, where there
    is one, excludes 0.

    Parameters
    ----------
    question, a, b, difference, metric
        What is asked, and the difference A - B in points.
    p_value, interval
        Of the test of this question, and the limits at `level`; None without a test or interval.
    where
        The text of the first question: ``these treebanks``.
    over
        What the p-value is corrected for, or what it rests on: ``corrected for 3 pairs``.
    why_not
        Why there is no test, as a clause.
    claims, margin
        The p-values of :func:`~treegauge.statistics.planning.margin_claims`, and their margin.
    opposed
        Whether the test points to the other system than the mean.
    silent
        What is said instead where the question cannot be asked.

    Examples
    --------
    >>> print(pair_verdict("new text", "A", "B", 3.31, "LAS", 0.00001, interval=(2.1, 4.52)).sentence)
    On new text from these treebanks: A is better than B by 3.31 LAS points (95 % interval 2.10 to 4.52; p < 0.0001).
    >>> few = "5 treebanks of 3 genera; a test needs 6"
    >>> print(pair_verdict("new treebanks", "A", "B", 3.31, "LAS", why_not=few).sentence)
    On new treebanks: too few to say (5 treebanks of 3 genera; a test needs 6).
    """
    alpha = round(1 - level, 10)
    p = None if p_value is None or isnan(p_value) else p_value
    state = pair_state(difference, p, alpha, claims)
    straddles = interval is not None and interval[0] <= 0 <= interval[1]
    if state in BETTER and (straddles or opposed):
        state = pair_state(difference, 1.0, alpha, claims)
    said = "" if p is None else p_value_text(p)
    if state == "untested":
        answer = silent or f"too few to say ({why_not or 'no test'})"
    else:
        tested = f"{said}, {over}" if said and over else said
        alone = " of this test alone" if state not in BETTER and not straddles and "corrected" in over else ""
        details = [*_interval_text(difference, interval, level, alone), *([tested] if tested else [])]
        answer = _answer(question, a, b, difference, metric, state, margin, f"({'; '.join(details)})")
    asked = f"On new text from {where}" if question == "new text" else "On new treebanks"
    return PairVerdict(question, metric, a, b, state, SIGNS[state][0], said, f"{asked}: {answer}.")


def _answer(
    question: Question, a: str, b: str, difference: float, metric: str, state: State, margin: float | None, details: str
) -> str:
    """Return the clause after the question, of a difference that was tested."""
    first, second = (a, b) if difference >= 0 else (b, a)
    gap = f"by {abs(difference):.2f} {metric} points".replace("  ", " ")
    new = question == "new treebanks"
    if state in BETTER:
        return f"{'yes, ' * new}{first} is better than {second} {gap} {details}"
    within = f"{margin:g} point{'' if margin == 1 else 's'}" if margin else ""
    said = f"no significant difference between {first} and {second}"
    if state == "equivalent":
        said = f"{a} and {b} are equivalent within {within}"
    elif state.endswith("not_worse"):
        sides = (a, b) if state == "a_not_worse" else (b, a)
        said = f"{sides[0]} is at most {within} worse than {sides[1]}"
    elif new:
        said = f"not shown that {first} is better than {second}"
    if round(abs(difference), 2) == 0:
        return f"{said}; their {metric} is the same {details}"
    return f"{said}; {first} is ahead {gap} {details}"


def _interval_text(difference: float, interval: tuple[float, float] | None, level: float, alone: str) -> list[str]:
    """Return the interval in favour of the system ahead, which is not corrected, if there is one."""
    if interval is None:
        return []
    ends = interval if difference >= 0 else (-interval[1], -interval[0])
    low, high = (round(end, 2) + 0.0 for end in ends)
    return [f"{100 * level:g} % interval{alone} {low:.2f} to {high:.2f}"]


class UnitTest(NamedTuple):
    """The test of new treebanks: signed ranks of one mean per unit; `p_value` is None with fewer than six units.

    `rows` have the units by their mean difference, the lowest first; there are none if no treebank
    could be placed, which leaves treebanks as units.
    """

    p_value: float | None
    correlation: float
    units: int
    rows: tuple[dict[str, Any], ...]


def families_ahead(units: TreebankUnits, differences: npt.NDArray[Any], by: str = "unit") -> tuple[dict[str, Any], ...]:
    """Return one row per unit of treebanks: size, mean difference, treebanks A leads on.

    There are none if no treebank could be placed.

    Examples
    --------
    >>> families_ahead(TreebankUnits(("x", "y", "x"), ()), np.array([1.0, 5.0, -2.0]))[0]
    {'unit': 'x', 'treebanks': 2, 'difference': -0.5, 'ahead': 1}
    """
    rows = []
    for name in sorted(set(units.names)) if units.placed else ():
        inside = differences[[unit == name for unit in units.names]]
        mean, ahead = round(float(inside.mean()), 12), int((inside > 0).sum())
        rows.append({by: name, "treebanks": len(inside), "difference": mean, "ahead": ahead})
    return tuple(sorted(rows, key=lambda row: (row["difference"], row[by])))


def unit_test(units: TreebankUnits, differences: npt.NDArray[Any], by: str = "unit") -> UnitTest:
    """Test whether differences hold on new treebanks, by the signed ranks of one mean per unit.

    Examples
    --------
    >>> names = TreebankUnits(("Greek", "Czech", "Latin", "Polish", "Welsh", "Wolof"), ())
    >>> unit_test(names, np.array([1.0, 2, 3, 4, 5, 6])).p_value
    0.03125
    """
    rows = families_ahead(units, differences, by)
    means = np.array([row["difference"] for row in rows]) if rows else np.round(differences, 12)
    enough = len(means) >= LEAST_GROUPED
    test = signed_rank(means) if enough else SignedRank(1.0, 0.0)
    return UnitTest(test.p_value if enough else None, test.correlation, len(means), rows)


def treebank_verdict(
    a: str, b: str, differences: npt.NDArray[Any], units: TreebankUnits, metric: str = "", *, by: str = GENUS,
    level: float = 0.95, claims: Mapping[str, Any] | None = None, margin: float | None = None,
    test: UnitTest | None = None, interval: tuple[float, float] | None = None,
) -> PairVerdict:  # fmt: skip
    """Return the answer on new treebanks, from differences A - B in points on these.

    The p-value is of this pair alone. `test` and `interval` (NaN where unknown) spare their computation again.

    Examples
    --------
    >>> few = TreebankUnits(("Greek", "Greek", "Wolof"), ())
    >>> print(treebank_verdict("A", "B", np.array([1.0, 2.0, 4.0]), few, "LAS").sentence)
    On new treebanks: too few to say (3 treebanks of 2 genera; a test needs 6 genera).
    """
    tested = test or unit_test(units, differences)
    low, high = interval or (float(end) for end in hierarchy(differences, units.names).alike.interval(level))
    known = not isnan(low)
    number, alone = len(units.names), len(units.unplaced)
    groups, few = over_units(number, tested.units - alone if units.placed else 0, alone, by)
    mean = float(np.mean(differences))
    return pair_verdict(
        "new treebanks", a, b, mean, metric, tested.p_value, interval=(low, high) if known else None, level=level,
        over=f"over {groups}", why_not=few, claims=claims, margin=margin, opposed=tested.correlation * mean < 0,
    )  # fmt: skip


#: Groups of treebanks by column of metadata: one, several.
KINDS = {
    "genus": ("genus", "genera"), "stock": ("stock", "stocks"), "family": ("family", "families"),
    "language": ("language", "languages"), "resource": ("resource class", "resource classes"),
}  # fmt: skip


def over_units(treebanks: int, groups: int, alone: int = 0, by: str = GENUS) -> tuple[str, str]:
    """Return the units of a test of new treebanks in words, and why there is no test if they are too few.

    `alone` treebanks have no known group; without any `groups`, treebanks are the units.

    Examples
    --------
    >>> over_units(9, 5, 1)[0]
    '5 genera and 1 treebank of unknown genus'
    >>> over_units(1, 1)[1], over_units(1, 0)[1]
    ('1 treebank of 1 genus; a test needs 6 genera', '1 treebank; a test needs 6')
    """
    held = f"{treebanks} treebank{'' if treebanks == 1 else 's'}"
    if not groups:
        return held, f"{held}; a test needs {LEAST_GROUPED}"
    said = units_in_words(by, groups)
    said += f" and {alone} treebank{'' if alone == 1 else 's'} of unknown {KINDS[by][0]}" if alone else ""
    return said, f"{held} of {said}; a test needs {units_in_words(by, LEAST_GROUPED)}"


def units_in_words(by: str, number: int) -> str:
    """Return a number of groups of treebanks in words.

    Examples
    --------
    >>> units_in_words("genus", 26), units_in_words("family", 1)
    ('26 genera', '1 family')
    """
    return f"{number} {KINDS[by][number != 1]}"


def table_verdict(a: str, b: str, difference: float, metric: str = "") -> PairVerdict:
    """Return the answer on new text from a table of scores, which has no text to test on.

    Examples
    --------
    >>> print(table_verdict("A", "B", 1.5, "LAS").sentence)
    On new text from these treebanks: a table of scores cannot say, as it has no text to test on.
    """
    why = "a table of scores cannot say, as it has no text to test on"
    return pair_verdict("new text", a, b, difference, metric, silent=why)


def margin_sentence(a: str, b: str, low: float | None, high: float | None, level: float = 0.95) -> str:
    """Return the smallest margin within which a pair alone is equivalent, as ``score --margin`` tests it.

    Examples
    --------
    >>> margin_sentence("A", "B", -0.4, 1.25)
    'A and B are equivalent within a margin of 1.25 points or more, not within a smaller one (95 % interval).'
    >>> margin_sentence("A", "B", None, None)
    'There is no interval, so equivalence cannot be tested.'
    """
    if low is None or high is None:
        return "There is no interval, so equivalence cannot be tested."
    least = f"{max(abs(low), abs(high)):.2f}"
    said = f"{a} and {b} are equivalent within a margin of {least} points or more"
    return f"{said}, not within a smaller one ({100 * level:g} % interval)."


def errors_sentence(a: str, b: str, f1_a: float, f1_b: float) -> str:
    """Return the error reduction of the system ahead; nothing where scores are equal or the other makes no errors.

    Examples
    --------
    >>> errors_sentence("A", "B", 75.0, 80.0)
    'B makes 20.0 % fewer errors than A.'
    """
    first, second, best, least = (a, b, f1_a, f1_b) if f1_a >= f1_b else (b, a, f1_b, f1_a)
    share = error_reduction(best, least)
    return f"{first} makes {share:.1f} % fewer errors than {second}." if share else ""


def error_reduction(a: float, b: float) -> float | None:
    r"""Error reduction of A over B in percent; None if B makes no errors.

    .. math:: 100 \, \frac{(100 - b) - (100 - a)}{100 - b}

    Examples
    --------
    >>> round(error_reduction(85, 80), 2)
    25.0
    """
    return None if b >= 100 else 100 * (a - b) / (100 - b)
