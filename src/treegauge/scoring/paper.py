"""Tables for papers: scores with the best in bold, significance marks and intervals."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from treegauge.core.paper_tables import PaperCell, PaperRow, PaperTable, paper_cells
from treegauge.core.result import Result
from treegauge.scoring.comparisons import Comparisons
from treegauge.scoring.hierarchies import Claims
from treegauge.treebanks.sources.languages import human_names

if TYPE_CHECKING:
    from treegauge.scoring.scores import Scores
    from treegauge.scoring.suite import Suite

_TESTS = {"student": "paired t test", "permutation": "paired permutation test", "bootstrap": "paired bootstrap test"}
_TESTED = frozenset({"comparisons", "claims"})
Pairs = set[tuple[str, str]]


def scores_table(scores: "Scores") -> PaperTable:
    """Return the table of systems by metrics on one treebank, with the best in bold."""
    names = scores.shown_metrics
    tests = scores.attached.get("comparisons")
    comparisons = tests if isinstance(tests, Comparisons) else None
    alpha = round(1 - scores.level, 10)
    columns = []
    for name in names:
        metrics = {system.system: system.metrics[name] for system in scores.systems}
        better = _better(comparisons.pairs, scores.label(name), alpha) if comparisons else set()
        values = {system: metric.f1 for system, metric in metrics.items()}
        limits = {system: metric.interval for system, metric in metrics.items()}
        columns.append(paper_cells(values, better, limits))
    rows = [
        PaperRow(system.system, cells) for system, cells in zip(scores.systems, zip(*columns, strict=True), strict=True)
    ]
    (treebank,) = human_names([scores.treebank.rpartition("#")[0]])
    caption = [f"Scores (F1 in percent) on {treebank}"]
    caption += _runs([(system.system, len(system.runs)) for system in scores.systems])
    labels = [scores.label(name) for name in names]
    lines = [", ".join(caption) + ".", *_legend(rows, scores.level, scores.units, comparisons, labels)]
    signature = comparisons.signature if comparisons else scores.signature
    return PaperTable("system", labels, rows, " ".join(lines), signature)


def suite_table(suite: "Suite") -> PaperTable:
    """Return the table of treebanks by systems, for one or more metrics, with macro averages."""
    names, alpha = list(suite.chosen) or ["LAS"], round(1 - suite.level, 10)
    tests, claims = suite.attached.get("comparisons"), suite.attached.get("claims")
    comparisons = tests if isinstance(tests, Comparisons) else None
    rows: dict[str, list[PaperCell]] = {treebank: [] for treebank in [*suite.treebanks, ""]}
    for name in names:
        label = suite.label(name)
        won = _won(claims.pairs, label) if isinstance(claims, Claims) else {}
        for treebank in suite.treebanks:
            values = {
                one: None if (treebank, one) in suite.failures else suite.f1(treebank, one, name) for one in suite.names
            }
            rows[treebank] += paper_cells(values, won.get(treebank, set()))
        number = len(suite.treebanks)
        means: dict[str, float | None] = {
            one: sum(suite.f1(treebank, one, name) for treebank in suite.treebanks) / number for one in suite.names
        }
        better = _better(comparisons.pairs, label, alpha) if comparisons else set()
        limits = {one: suite.intervals[one, name] for one in suite.names}
        rows[""] += paper_cells(means, better, limits)
    human = human_names(suite.treebanks)
    body = [PaperRow(title, rows[one]) for title, one in zip(human, suite.treebanks, strict=True)]
    body.append(PaperRow("macro average", rows[""], summary=True))
    labels = [suite.label(name) for name in names]
    caption = [f"{' and '.join(labels)} (F1 in percent) of {len(suite.systems)} systems on {number} treebanks"]
    caption += _runs({(one.system, len(one.runs)): 0 for each in suite.treebanks.values() for one in each.systems})
    lines = [", ".join(caption) + "."]
    lines += _legend(body, suite.level, "", comparisons, labels)
    if suite.failures:
        lines.append("–: no score; counts as 0 in the average.")
    if not any(suite.intervals.values()):
        lines.append("No interval and no test of the averages: a treebank has too few units.")
    groups = [(label, len(suite.systems)) for label in labels] if len(labels) > 1 else []
    columns = list(suite.names) * len(labels)
    signature = comparisons.signature if comparisons else suite.signature
    return PaperTable("treebank", columns, body, " ".join(lines), signature, groups)


def other_parts(result: Result, kind: str) -> list[str]:
    """Return the attached results in a format, without the tests that the marks already show."""
    parts = [part for name, part in result.attached.items() if name not in _TESTED]
    flat = [result for part in parts for result in ([part] if isinstance(part, Result) else part)]
    return [str(getattr(result, f"to_{kind}")()) for result in flat]


def _better(pairs: Iterable[Mapping[str, Any]], label: str, alpha: float) -> Pairs:
    """Return pairs of systems whose first is significantly better, by the corrected p-value."""
    better = set()
    for row in pairs:
        p = row.get("p_corrected")
        if row["metric"] == label and p is not None and p <= alpha:
            ahead = row["difference"] > 0
            better.add((row["a"], row["b"]) if ahead else (row["b"], row["a"]))
    return better


def _won(pairs: Iterable[Mapping[str, Any]], label: str) -> dict[str, Pairs]:
    """Return these pairs by treebank, from the treebanks listed in claims."""
    won: dict[str, Pairs] = {}
    for row in pairs:
        for one, other in ("ab", "ba"):
            for treebank in row[f"{one}_better_on"] if row["metric"] == label else ():
                won.setdefault(treebank, set()).add((row[one], row[other]))
    return won


def _runs(counts: Iterable[tuple[str, int]]) -> list[str]:
    """Return a note on the systems with several runs."""
    several = {f"{number} runs of {name}" for name, number in counts if number > 1}
    return [f"mean over {' and '.join(sorted(several))}"] if several else []


def _legend(
    rows: Iterable[PaperRow], level: float, units: str, tests: Comparisons | None, labels: list[str]
) -> list[str]:
    """Return the legend: the marks in the table and the test behind them."""
    cells = [cell for row in rows for cell in row.cells]
    legend = ["Bold: best system."] if any(cell.best for cell in cells) else []
    marked = any(cell.significant for cell in cells)
    if tests is not None and not marked and all(row.get("p_value") is None for row in tests.pairs):
        legend.append("No test: too few units.")
    elif tests is not None:
        tested = {row["metric"] for row in tests.pairs}
        only = f" of {' and '.join(sorted(tested))}" if tested < set(labels) else ""
        mark = "†: significantly better than every other system"
        if not marked:
            mark = "No system is significantly better than every other one"
        legend.append(
            f"{mark} ({_TESTS[tests.test]}{only}{f' over {units}' if units else ''}, "
            f"p ≤ {1 - level:.2g}, corrected for the number of comparisons)."
        )
    if any(cell.interval for cell in cells):
        legend.append(f"Below scores: {100 * level:g} % confidence intervals.")
    return legend
