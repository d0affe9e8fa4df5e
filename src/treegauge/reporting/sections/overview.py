"""The overview: systems by treebanks, with intervals, averages, tie groups and significance."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.result import sign
from treegauge.measures.intervals import text_units_of
from treegauge.reporting.inputs import ScoredTreebank
from treegauge.reporting.methods import make_method, treebank_of
from treegauge.reporting.packing import floats, numbers
from treegauge.reporting.page import Section
from treegauge.scoring.paired_tests import Comparisons, compare_suite, compare_systems
from treegauge.scoring.scores import Scores
from treegauge.scoring.suite import Suite
from treegauge.scoring.verdicts import ALPHA, PairVerdict, errors_sentence, margin_sentence
from treegauge.statistics.multiple import tie_letters

#: Metrics in the overview; the first is shown initially.
METRICS = ("LAS", "UAS", "CLAS", "MLAS", "BLEX", "UPOS")
#: With more systems than this, only the first metric is tested.
MANY = 8
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
    pairs = {name: compare_suite(suite, metric=name) for name in tested if several}
    known_metrics = [_metric(results, systems, name, name in tested) for name in known]
    board = {
        "systems": systems,
        "treebanks": [
            {"treebank": treebank_of(one.gold.name), "name": one.gold.name,
             "sentences": len(one.gold), "words": one.gold.n_words, "units": text_units_of(one.gold)[0].text}
            for one in scored
        ],
        "common": len(suite.treebanks),
        "metrics": [
            {**metric, "macro": _macro(suite, name, pairs.get(name))}
            for name, metric in zip(known, known_metrics, strict=True)
        ],
    }  # fmt: skip
    notes = suite.fallbacks if len(results) > 1 else results[0].notes
    text = "\n".join(["The score of every system on every treebank.", *notes])
    convention = results[0].convention
    commands = "\n".join(one.command(convention) for one in scored)
    signatures = "\n".join(scores.signature for scores in results)
    method = make_method("macro", signatures, commands)
    compared = pairs.get(METRICS[0])
    data = {"board": board, "pairs": pair_rows(compared)}
    short = _short(suite, compared, results) if compared else []
    return Section("overview", "Overview", text, data, methods=[method], short=short)


def shown_verdict(one: PairVerdict) -> dict[str, Any]:
    """Return a verdict as views show it; `better` names the system that is significantly better."""
    better = {"a_better": one.a, "b_better": one.b}.get(one.state)
    return {"state": one.state, "sign": one.sign, "p": one.p, "better": better, "sentence": one.sentence}


def pair_rows(tests: Comparisons | None) -> list[dict[str, Any]]:
    """Return the rows of paired tests with what views say about them: verdicts, errors, equivalence."""
    if tests is None:
        return []
    rows = []
    for row in tests.pairs:
        a, b = row["a"], row["b"]
        verdicts = tests.verdicts_of(row["metric"], a, b)
        rows.append(
            row
            | {
                "verdicts": [shown_verdict(one) for one in verdicts],
                "errors": errors_sentence(a, b, row["f1_a"], row["f1_b"]),
                "equivalence": margin_sentence(a, b, row.get("low"), row.get("high")),
            }
        )
    return rows


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
    tests = compare_systems(scores, metric=name)
    marks = {"untested": UNTESTED, "a_better": BELOW, "b_better": BELOW}

    def mark(system: str) -> int:
        verdicts = tests.verdicts_of(scores.label(name), best, system)
        return BEST if system == best else marks.get(verdicts[0].state, TIED) if verdicts else UNTESTED

    return [mark(system) for system in systems]


def _macro(suite: Suite, name: str, tests: Comparisons | None) -> list[dict[str, Any]] | None:
    """Return each system's mean over the common treebanks, its interval and its tie groups.

    Two systems share a letter if and only if their macro averages do not differ significantly.
    """
    if len(suite.treebanks) < 2:
        return None
    means = [float(np.mean([suite.f1(t, s, name) for t in suite.treebanks])) for s in suite.names]
    letters = [""] * len(means)
    if tests:
        places = {system: i for i, system in enumerate(suite.names)}
        differ = np.zeros((len(means), len(means)), bool)
        answers = [one for one in tests.verdicts if one.question == "new text"]
        for one in answers:
            a, b = places[one.a], places[one.b]
            differ[a, b] = differ[b, a] = one.significant
        if all(one.state != "untested" for one in answers):
            order = np.argsort([-mean for mean in means], kind="stable")
            letters = tie_letters(differ, order)
    rows = zip(suite.names, means, letters, strict=True)
    return [{"mean": mean, "interval": suite.intervals[system, name], "group": letter} for system, mean, letter in rows]


def _short(suite: Suite, tests: Comparisons, results: Sequence[Scores]) -> list[str]:
    """Return the system with the highest macro average, the two verdicts, and the treebanks on which it leads."""
    means = {s: float(np.mean([suite.f1(t, s) for t in suite.treebanks])) for s in suite.names}
    best, second = sorted(means, key=lambda one: -means[one])[:2]
    label = suite.label("LAS")
    text = f"{best} has the highest mean {label}, {means[best]:.2f}"
    if interval := suite.intervals[best, "LAS"]:
        text += f" ({interval[0]:.2f} to {interval[1]:.2f})"
    answers = [one.sentence for one in tests.verdicts_of(label, best, second)]
    whole = [scores for scores in results if len(scores.systems) == len(suite.names)]
    above = [each for each in whole if each[best]["LAS"].f1 > each[second]["LAS"].f1]
    alone = [compare_systems(each).verdicts_of(label, best, second)[0] for each in above]
    sure = sum(one.significant for one in alone)
    row = next(row for row in suite.claims(metric="LAS", alpha=ALPHA).pairs if {row["a"], row["b"]} == {best, second})
    least = row["a_better" if row["a"] == best else "b_better"]
    return [
        " ".join([f"{text}.", *answers]),
        f"{best} is above {second} on {len(above)} of {len(whole)} treebanks, significantly on {sure} "
        f"(each tested alone; all tests together: on at least {least}).",
    ]


def all_pairs(systems: Sequence[str]) -> list[tuple[int, int]]:
    """Return all pairs of systems by number, in the order of the page's data.

    Examples
    --------
    >>> all_pairs(["a", "b", "c"])
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(len(systems)), 2))
