"""The overview: systems by treebanks, with intervals, averages, tie groups and significance."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.result import sign
from treegauge.core.tables import p_value_text
from treegauge.reporting.inputs import ScoredTreebank
from treegauge.reporting.methods import make_method
from treegauge.reporting.packing import floats, numbers
from treegauge.reporting.page import Section
from treegauge.reporting.sections.summary import treebank_of
from treegauge.scoring.paired_tests import compare_suite, compare_systems
from treegauge.scoring.scores import Scores
from treegauge.scoring.suite import Suite
from treegauge.statistics.multiple import tie_letters

#: Metrics in the overview; the first is shown initially.
METRICS = ("LAS", "UAS", "CLAS", "MLAS", "BLEX", "UPOS")
#: With more systems than this, only the first metric is tested.
MANY = 8
#: Differences with a corrected p-value of at most this are called significant.
SIGNIFICANT = 0.05
#: Marks of a score in its treebank: not tested, highest, not significantly lower, lower.
UNTESTED, BEST, TIED, BELOW = range(4)

Floats = npt.NDArray[np.float64]


def overview_section(scored: Sequence[ScoredTreebank], results: Sequence[Scores]) -> Section:
    """Return the table of systems by treebanks from the results of `score_all`."""
    suite = scored_suite(scored, results)
    systems = list(dict.fromkeys(one.system for scores in results for one in scores.systems))
    known = [name for name in METRICS if all(name in r.systems[0].metrics for r in results)]
    tested = known if len(systems) <= MANY else known[:1]
    several = len(suite.treebanks) > 1 and len(systems) > 1
    pairs = {name: compare_suite(suite, metric=name).pairs for name in tested if several}
    board = {
        "systems": systems,
        "treebanks": [
            {"treebank": treebank_of(one.gold.name), "name": one.gold.name,
             "sentences": len(one.gold), "words": one.gold.n_words}
            for one in scored
        ],
        "common": len(suite.treebanks),
        "metrics": [
            {**_metric(results, systems, name, name in tested),
             "macro": _macro(suite, name, pairs.get(name, ()))}
            for name in known
        ],
    }  # fmt: skip
    text = "The score of every system on every treebank."
    convention = results[0].convention
    commands = "\n".join(one.command(convention) for one in scored)
    signatures = "\n".join(scores.signature for scores in results)
    method = make_method("macro", signatures, commands)
    compared = pairs.get(METRICS[0], ())
    data = {"board": board, "pairs": list(compared)}
    short = _short(suite, compared) if compared else []
    return Section("overview", "Overview", text, data, methods=[method], short=short)


def scored_suite(scored: Sequence[ScoredTreebank], results: Sequence[Scores]) -> Suite:
    """Return one result of the treebanks for which all systems have output."""
    systems = list(dict.fromkeys(one.system for scores in results for one in scores.systems))
    whole = {
        one.gold.name: scores
        for one, scores in zip(scored, results, strict=True)
        if len(scores.systems) == len(systems)
    }
    convention, level = results[0].convention, results[0].level
    signature = sign(page="overview", units="auto")  # the units of each treebank are in its own scores
    return Suite.of(whole, systems, {}, signature, convention, chosen=METRICS, level=level, units="auto")


def _metric(results: Sequence[Scores], systems: Sequence[str], name: str, tested: bool) -> dict[str, Any]:
    """Return scores, interval limits and marks, one row per treebank."""
    shape = len(results), len(systems)
    values, low, high = np.full((3, *shape), np.nan)
    marks = np.full(shape, UNTESTED)
    for i, scores in enumerate(results):
        for one in scores.systems:
            j = systems.index(one.system)
            metric = one[name]
            values[i, j] = metric.f1
            low[i, j], high[i, j] = metric.interval or (np.nan, np.nan)
        if tested and len(scores.systems) > 1:
            marks[i] = _marks(scores, systems, values[i], name)
    return {
        "name": results[0].label(name),
        "scores": floats(values), "low": floats(low), "high": floats(high), "marks": numbers(marks),
    }  # fmt: skip


def _marks(scores: Scores, systems: Sequence[str], values: Floats, name: str) -> Any:
    """Return the marks of systems on a treebank: the best, and those not significantly below it."""
    best = systems[int(np.nanargmax(values))]
    p_values = {
        row["b"] if row["a"] == best else row["a"]: row["p_corrected"]
        for row in compare_systems(scores, metric=name).pairs
        if best in (row["a"], row["b"])
    }

    def mark(system: str) -> int:
        if system == best:
            return BEST
        p = p_values.get(system)
        return UNTESTED if p is None else BELOW if p <= SIGNIFICANT else TIED

    return [mark(system) for system in systems]


def _macro(suite: Suite, name: str, pairs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]] | None:
    """Return each system's mean over the common treebanks, its interval and its tie groups.

    Two systems share a letter if and only if their macro averages do not differ significantly.
    """
    if len(suite.treebanks) < 2:
        return None
    means = [float(np.mean([suite.f1(t, s, name) for t in suite.treebanks])) for s in suite.names]
    letters = [""] * len(means)
    if pairs:
        places = {system: i for i, system in enumerate(suite.names)}
        differ = np.zeros((len(means), len(means)), bool)
        for row in pairs:
            a, b = places[row["a"]], places[row["b"]]
            p = row.get("p_corrected")
            differ[a, b] = differ[b, a] = p is not None and p <= SIGNIFICANT
        if all(row.get("p_corrected") is not None for row in pairs):
            order = np.argsort([-mean for mean in means], kind="stable")
            letters = tie_letters(differ, order)
    rows = zip(suite.names, means, letters, strict=True)
    return [{"mean": mean, "interval": suite.intervals[system, name], "group": letter} for system, mean, letter in rows]


def _short(suite: Suite, pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence on the system with the highest macro average and its significance."""
    means = {s: float(np.mean([suite.f1(t, s) for t in suite.treebanks])) for s in suite.names}
    best, second = sorted(means, key=lambda one: -means[one])[:2]
    label = suite.label("LAS")
    text = f"{best} has the highest mean {label}, {means[best]:.2f}"
    if interval := suite.intervals[best, "LAS"]:
        text += f" ({interval[0]:.2f} to {interval[1]:.2f})"
    text += f", {means[best] - means[second]:.2f} above {second}"
    p = next(row.get("p_corrected") for row in pairs if {row["a"], row["b"]} == {best, second})
    if p is None:
        judged = "too little text for a test on some treebank"
    else:
        verdict = "statistically significant" if p <= SIGNIFICANT else "not significant"
        judged = f"{verdict}, {p_value_text(p)} corrected"
    ahead = sum(
        all(suite.f1(t, best) > suite.f1(t, other) for other in suite.names if other != best) for t in suite.treebanks
    )
    claims = suite.claims(metric="LAS", alpha=SIGNIFICANT).pairs
    row = next(row for row in claims if {row["a"], row["b"]} == {best, second})
    least = row["a_better" if row["a"] == best else "b_better"]
    better = f"at least {least}" if least else "none"
    return [
        f"{text} ({judged}). It has the highest score on {ahead} of {len(suite.treebanks)} "
        f"treebanks and is significantly better than {second} on {better} of them."
    ]


def all_pairs(systems: Sequence[str]) -> list[tuple[int, int]]:
    """Return all pairs of systems by number, in the order of the page's data.

    Examples
    --------
    >>> all_pairs(["a", "b", "c"])
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(len(systems)), 2))
