"""Scores for others: tables for papers with significance marks, and records of Every Eval Ever."""

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from treegauge import __version__
from treegauge.core.paper_tables import PaperCell, PaperRow, PaperTable, paper_cells
from treegauge.core.result import Result
from treegauge.core.text_formats import json_text
from treegauge.scoring.certainty import estimate
from treegauge.scoring.comparisons import Comparisons, known, unit_counts
from treegauge.scoring.hierarchies import Claims
from treegauge.scoring.metrics.registry import Metric, metric_label
from treegauge.treebanks.sources.languages import human_names

if TYPE_CHECKING:
    from treegauge.scoring.scores import Scores, SystemScore
    from treegauge.scoring.suite import Suite

_TESTS = {"student": "paired t test", "permutation": "paired permutation test", "bootstrap": "paired bootstrap test"}
EVERY_EVAL_EVER = "0.3.0"
_UNKNOWN = "unknown"
"""Version of its schema."""
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


def every_eval_ever_records(scores: "Scores") -> list[dict[str, Any]]:
    """Return a record per system: scores with standard errors, intervals and the number of units.

    What scores cannot say (who ran the model, its weights) is ``unknown``; fill it in. The time is
    that of the environment variable ``SOURCE_DATE_EPOCH``, or now.

    Examples
    --------
    >>> import treegauge as tg
    >>> gold = tg.synthetic(20, seed=1)
    >>> (record,) = every_eval_ever_records(tg.score(gold, {"model": gold}, metric="LAS"))
    >>> record["evaluation_results"][0]["score_details"]["score"]
    100.0
    """
    now = os.environ.get("SOURCE_DATE_EPOCH") or str(int(time.time()))
    return [
        {
            "schema_version": EVERY_EVAL_EVER,
            "evaluation_id": f"dependency-parsing/{name}/{now}",
            "retrieved_timestamp": now,
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_organization_name": _UNKNOWN,
                "evaluator_relationship": "other",
            },
            "eval_library": {
                "name": "treegauge", "version": __version__, "additional_details": {"signature": scores.signature}
            },
            "model_info": {
                "name": name, "id": name,
                "additional_details": {"deployment_type": _UNKNOWN, "model_availability": _UNKNOWN},
            },
            "evaluation_results": list(_all_results(scores, name)),
        }
        for name in scores.names
    ]  # fmt: skip


def every_eval_ever_text(scores: "Scores") -> str:
    """Return the record of one system, or those of several as JSON lines."""
    several = every_eval_ever_records(scores)
    if len(several) == 1:
        return json_text(several[0], indent=2)
    return "\n".join(json_text(record) for record in several)


def _all_results(scores: "Scores", name: str) -> Iterator[dict[str, Any]]:
    several = len(scores.treebanks) > 1
    for treebank, part in scores.treebanks.items():
        for one in (one for one in part.systems if one.system == name):
            for metric in scores.shown_metrics:
                if metric in one.metrics:
                    yield _one_result(scores, part, one, treebank, one[metric])
    if several:
        for metric in scores.shown_metrics:
            yield _one_result(scores, scores, scores[name], f"macro average of {len(scores.treebanks)} treebanks",
                          scores[name][metric])  # fmt: skip


def _one_result(scores: "Scores", part: "Scores", one: "SystemScore", treebank: str, metric: Metric) -> dict[str, Any]:
    details = {
        "correct": metric.correct,
        "gold": metric.gold,
        "predicted": metric.system,
        "runs": len(one.runs) or None,
    }
    if one.failures:
        details["read"] = round(sum(run.read for run in one.failures) / len(one.failures), 2)
    name = metric_label(metric.name, scores.convention)
    score: dict[str, Any] = {
        "score": metric.f1,
        "details": {key: str(value) for key, value in details.items() if value is not None},
    }
    if uncertainty := _uncertainty(scores, part, one, metric):
        score["uncertainty"] = uncertainty
    return {
        "evaluation_result_id": f"{treebank}/{name}",
        "evaluation_name": f"dependency parsing: {treebank}",
        "source_data": {"dataset_name": treebank, "source_type": "other"},
        "metric_config": {
            "metric_id": f"treegauge.{metric.name.lower()}", "metric_name": name, "metric_kind": "f1",
            "metric_unit": "percent", "lower_is_better": False, "score_type": "continuous",
            "min_score": 0, "max_score": 100, "metric_parameters": dict(scores.convention.signed),
        },
        "score_details": score,
    }  # fmt: skip


def _uncertainty(scores: "Scores", part: "Scores", one: "SystemScore", metric: Metric) -> dict[str, Any]:
    """Return standard error, interval and number of units, as far as they are defined."""
    choices = dict(choice.partition(":")[::2] for choice in part.signature.split("|"))
    draws, _, method = choices.get("ci", "").partition("@")[0].rpartition("x")
    found: dict[str, Any] = {}
    if one.runs and one.kept and method:
        counts = unit_counts(one, [metric.name], part.units)
        error = known(100 * estimate(counts).standard_error[0])
        if error is not None:
            found["standard_error"] = {"value": error, "method": "jackknife"}
        found["num_samples"] = counts.number
    if metric.interval is not None:
        low, high = metric.interval
        found["confidence_interval"] = {
            "lower": low, "upper": high, "confidence_level": scores.level, "method": method or "student",
        }  # fmt: skip
        if draws:
            found["num_bootstrap_samples"] = int(draws)
    return found
