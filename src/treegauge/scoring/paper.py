"""Scores for others: tables for papers with significance marks, and records of Every Eval Ever."""

import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import stdev
from typing import TYPE_CHECKING, Any

from treegauge import __version__
from treegauge.core.paper_tables import PaperCell, PaperRow, PaperTable, paper_cells
from treegauge.core.text_formats import json_text
from treegauge.scoring.certainty import estimate
from treegauge.scoring.classes.class_tests import LEAST_DIFFERENT
from treegauge.scoring.metrics.registry import Metric, f1, metric_label
from treegauge.scoring.paired_tests import Claims, Comparisons, known, unit_counts
from treegauge.scoring.verdicts import BETTER, pair_state
from treegauge.statistics.units import LEAST_UNITS, forcing_treebanks, units_of_text
from treegauge.treebanks.sources.languages import code_column, human_names

if TYPE_CHECKING:
    from treegauge.scoring.classes.class_scores import Breakdowns
    from treegauge.scoring.scores import Scores, SystemScore
    from treegauge.scoring.suite import Suite

_TESTS = {"student": "paired t test", "permutation": "paired permutation test", "bootstrap": "paired bootstrap test"}
EVERY_EVAL_EVER = "0.3.0"
"""Version of its schema."""
_UNKNOWN = "unknown"
Pairs = set[tuple[str, str]]


def scores_table(scores: "Scores") -> PaperTable:
    """Return the table of systems by metrics on one treebank, with the best in bold."""
    names, tests = scores.shown_metrics, scores.attached.get("comparisons")
    comparisons = tests if isinstance(tests, Comparisons) else None
    columns = []
    for name in names:
        metrics = {system.system: system.metrics[name] for system in scores.systems}
        better, tested = _tested(comparisons, scores.label(name), scores.level)
        values = {system: metric.f1 for system, metric in metrics.items()}
        limits = {system: metric.interval for system, metric in metrics.items()}
        spreads = {system.system: _spread(_run_scores(system, name)) for system in scores.systems}
        columns.append(paper_cells(values, better, limits, tested=tested, spreads=spreads))
    rows = [
        PaperRow(system.system, cells) for system, cells in zip(scores.systems, zip(*columns, strict=True), strict=True)
    ]
    (treebank,) = human_names([scores.treebank.rpartition("#")[0]])
    kept = [system.runs[0].starts for system in scores.systems if system.kept and system.runs]
    size = f"{scores.sentences:,} sentences"
    if scores.units == "documents" and kept:
        size += f" in {units_of_text(kept[0], scores.units).number} documents"
    caption = [f"Scores (F1 in percent) on {treebank}, n = {size}"]
    caption += _runs([(system.system, len(system.runs)) for system in scores.systems])
    labels = [scores.label(name) for name in names]
    lines = [", ".join(caption) + "."]
    if comparisons is not None:
        said = _shared(comparisons, labels, scores.level)
        what = f"{_TESTS[comparisons.test]}{said[0]} over {scores.units}, {said[1]}"
        lines += _marks(rows, what, all(row.get("p_value") is None for row in comparisons.pairs))
    lines += _legend(rows, scores.level, scores.units)
    lines += _answers(comparisons, {one.system: one[names[0]].f1 for one in scores.systems}, labels[0])
    signature = comparisons.signature if comparisons else scores.signature
    return PaperTable("system", labels, rows, " ".join(lines), signature)


def suite_table(suite: "Suite") -> PaperTable:
    """Return the table of treebanks by systems, for one or more metrics, with macro averages."""
    names, claims = list(suite.chosen) or ["LAS"], suite.attached.get("claims")
    tests = suite.attached.get("comparisons")
    comparisons = tests if isinstance(tests, Comparisons) else None
    rows: dict[str, list[PaperCell]] = {treebank: [] for treebank in [*suite.treebanks, ""]}
    for name in names:
        label = suite.label(name)
        won, tested = _won(claims, label) if isinstance(claims, Claims) else ({}, {})
        runs: list[dict[str, list[float]]] = []
        for treebank, scores in suite.treebanks.items():
            scored = {one.system: one for one in scores.systems if (treebank, one.system) not in suite.failures}
            runs.append({one: _run_scores(scored[one], name) if one in scored else [] for one in suite.names})
            rows[treebank] += paper_cells(
                {one: suite.f1(treebank, one, name) if one in scored else None for one in suite.names},
                won.get(treebank, set()),
                {one: system[name].interval for one, system in scored.items()},
                tested=tested.get(treebank, set()),
                spreads={one: _spread(values) for one, values in runs[-1].items()},
            )
        number = len(suite.treebanks)
        means = {one: sum(suite.f1(each, one, name) for each in suite.treebanks) / number for one in suite.names}
        better, all_tested = _tested(comparisons, label, suite.level)
        limits = {one: suite.intervals[one, name] for one in suite.names}
        spreads = {one: _spread(_averages([each[one] for each in runs])) for one in suite.names}
        rows[""] += paper_cells(means, better, limits, tested=all_tested, spreads=spreads)
    human = dict(zip(suite.treebanks, human_names(suite.treebanks), strict=True))
    codes = code_column(human)
    body = [PaperRow(title, rows[one], code=code) for (one, title), code in zip(human.items(), codes, strict=True)]
    body.append(PaperRow("macro average", rows[""], summary=True))
    labels = [suite.label(name) for name in names]
    caption = [f"{' and '.join(labels)} (F1 in percent) of {len(suite.systems)} systems on {number} treebanks"]
    caption += [f"n = {suite.sentences:,} sentences"]
    caption += _runs({(one.system, len(one.runs)) for each in suite.treebanks.values() for one in each.systems})
    lines = [", ".join(caption) + "."]
    kinds = Counter(scores.units for scores in suite.treebanks.values())
    units = next(iter(kinds)) if len(kinds) == 1 else " or ".join(f"{kind} ({kinds[kind]} treebanks)" for kind in kinds)
    if comparisons is not None:
        only, corrected = _shared(comparisons, labels, suite.level)
        what = f"on average: {_TESTS[comparisons.test]}{only} on these treebanks over {units}, {corrected}"
        if isinstance(claims, Claims):
            test = claims.signature.partition("|test:paired-")[2].partition("|")[0]
            what += f"; on each treebank: one-sided {_TESTS[test]}s, corrected so that the probability of any false one"
            what += f" in this table is at most {claims.alpha:.2g}"
        lines += _marks(body, what, all(row.get("p_value") is None for row in comparisons.pairs))
    lines += _legend(body, suite.level, units)
    lines += _answers(comparisons, {one: suite[one][names[0]].f1 for one in suite.names}, labels[0])
    if suite.failures:
        lines.append("failed: no score; counts as 0 in the average.")
    if not any(suite.intervals.values()):
        few = forcing_treebanks({human[one]: found for one, found in suite.text_units.items()}).partition(";")[0]
        lines.append(f"No interval and no test of the averages: {few or 'a treebank has too few units'}.")
    groups = [(label, len(suite.systems)) for label in labels] if len(labels) > 1 else []
    columns = list(suite.names) * len(labels)
    signature = comparisons.signature if comparisons else suite.signature
    return PaperTable("treebank", columns, body, " ".join(lines), signature, groups)


def classes_table(found: "Breakdowns") -> PaperTable:
    """Return the table of classes: gold words, precision, recall and F1, and the difference of two systems.

    Classes in fewer than ten units (or of fewer than ten words, without a test) are named in the caption.
    """
    frames = {name: {row["class"]: row for row in one.table.to_dicts()} for name, one in found.systems.items()}
    classes = {name: row["gold"] for rows in frames.values() for name, row in rows.items()}
    tests = {row["class"]: row for row in found.differences}
    signed = dict(part.partition(":")[::2] for part in found.signature.split("|"))
    sizes = {name: tests[name]["units"] if name in tests else count for name, count in classes.items()}
    small = [name for name, count in classes.items() if not count or sizes[name] < LEAST_UNITS]
    alpha, macro = round(1 - found.level, 10), "average:macro" in found.signature

    def cells(name: str) -> Iterator[PaperCell]:
        yield PaperCell(None, text=str(classes[name]))
        if macro:
            yield PaperCell(None, text=str(next(rows[name]["treebanks"] for rows in frames.values() if name in rows)))
        for rows in frames.values():
            yield from (PaperCell(rows[name][key] if name in rows else None) for key in ("precision", "recall", "f1"))
        if tests:
            row = tests.get(name, {})
            p, low = row.get("p_corrected"), row.get("low")
            better = bool(row) and pair_state(row["difference"], p, alpha) in BETTER
            yield PaperCell(None, text=f"{row['difference']:+.2f}" if row else "–", significant=better)
            yield PaperCell(None, text="–" if low is None else f"{low:+.1f} to {row['high']:+.1f}")

    body = [PaperRow(name, list(cells(name))) for name in classes if name not in small]
    (where,) = human_names([re.sub("(?<=[0-9])treebanks$", " treebanks", signed["tb"].rpartition("#")[0])])
    kind, level = signed.get("units", "words") if tests else "words", f"{100 * found.level:g} %"
    lines = [
        f"{signed['m']} by {signed['by']} on {where}, n = {sum(classes.values()):,} words: precision (P), recall (R)"
    ]
    lines.append("and F1 in percent; gold: number of words in gold.")
    if macro:
        lines.append("All three are means over the treebanks where gold has the class (tb: their number).")
    if tests:
        lines.append(f"Difference: F1 of {' minus '.join(frames)} in points, with its {level} interval.")
        number = sum(row["p_value"] is not None for row in found.differences)
        if any(row.cells[-2].significant for row in body):
            lines.append(
                f"†: significant (paired t test over {kind}, p ≤ {alpha:.2g}, corrected for {number} classes)."
            )
        if any(row.cells[-1].text == "–" for row in body):
            where = " of some treebank" * macro
            lines.append(
                f"–: no test, as the systems differ in fewer than {LEAST_DIFFERENT} {kind} with the class{where}."
            )
    if small:
        named = ", ".join(f"{name} ({classes[name]})" for name in small)
        lines.append(f"Not shown, as they are in fewer than {LEAST_UNITS} {kind} (gold words): {named}.")
    columns = ["gold", *["tb"] * macro, *["P", "R", "F1"] * len(frames)]
    groups = [("", 1 + macro), *((name, 3) for name in frames)]
    if tests:
        columns, groups = [*columns, "F1", level], [*groups, ("difference", 2)]
    label = f"tab:{re.sub('[^A-Za-z0-9]+', '-', signed['by'])}"
    return PaperTable("class", columns, body, " ".join(lines), found.signature, groups, label)


def _run_scores(system: "SystemScore", metric: str) -> list[float]:
    """Return the F1 of each run of a system, in percent."""
    return [100 * float(f1(run.totals, [metric])[0]) for run in system.runs]


def _spread(values: Sequence[float]) -> float | None:
    """Return the standard deviation of several runs."""
    return stdev(values) if len(values) > 1 else None


def _averages(runs: Sequence[Sequence[float]]) -> list[float]:
    """Return the average of each run over treebanks, if all have the same number of runs."""
    return [sum(each) / len(each) for each in zip(*runs, strict=True)] if len(set(map(len, runs))) == 1 else []


def _tested(tests: Comparisons | None, label: str, level: float) -> tuple[Pairs, Pairs]:
    """Return pairs whose first is significantly better, by the corrected p-value, and all tested pairs."""
    better, tested = set(), set()
    for row in tests.pairs if tests else ():
        p = row.get("p_corrected")
        if row["metric"] == label and p is not None:
            state = pair_state(row["difference"], p, round(1 - level, 10))
            pair = (row["b"], row["a"]) if state == "b_better" else (row["a"], row["b"])
            tested.add(pair)
            if state in BETTER:
                better.add(pair)
    return better, tested


def _answers(tests: Comparisons | None, scores: dict[str, float], label: str) -> list[str]:
    """Return the two verdicts on the systems with the highest scores."""
    first = sorted(scores, key=lambda name: -scores[name])[:2]
    return [one.sentence for one in tests.verdicts_of(label, *first)] if tests and len(first) > 1 else []


def _won(claims: Claims, label: str) -> tuple[dict[str, Pairs], dict[str, Pairs]]:
    """Return these pairs by treebank, from the treebanks listed in claims."""
    won: dict[str, Pairs] = {}
    tested: dict[str, Pairs] = {}
    for row in claims.pairs:
        for one, other in ("ab", "ba"):
            for treebank in row[f"{one}_better_on"] if row["metric"] == label else ():
                won.setdefault(treebank, set()).add((row[one], row[other]))
    for row in claims.tests:
        if row["metric"] == label and known(row["p_a_better"]) is not None:
            tested.setdefault(row["treebank"], set()).add((row["a"], row["b"]))
    return won, tested


def _runs(counts: Iterable[tuple[str, int]]) -> list[str]:
    """Return a note on the systems with several runs."""
    every = set(counts)
    numbers = {number for _, number in every}
    if len(numbers) == 1 and max(numbers) > 1:
        return [f"mean over {numbers.pop()} runs" + " of each" * (len(every) > 1)]
    several = {f"{number} runs of {name}" for name, number in every if number > 1}
    return [f"mean over {' and '.join(sorted(several))}"] if several else []


def _shared(tests: Comparisons, labels: list[str], level: float) -> tuple[str, str]:
    """Return which of several metrics were tested, and at which level."""
    tested, number = {row["metric"] for row in tests.pairs}, len(tests.pairs)
    only = f" of {' and '.join(sorted(tested))}" if tested < set(labels) else ""
    several = f", corrected for {number} comparisons" if number > 1 else ""
    return only, f"p ≤ {1 - level:.2g}{several}"


def _marks(rows: Iterable[PaperRow], what: str, untested: bool) -> list[str]:
    """Return what the marks say, and the tests behind them."""
    marks = {cell.mark for row in rows for cell in row.cells}
    if marks == {""} and untested:
        return ["No test: too few units."]
    said = ["†: significantly better than every other system"] if "†" in marks else []
    said += ["‡: the best system and those not significantly different from it"] if "‡" in marks else []
    return [f"{'; '.join(said) or 'No system is significantly better than every other one'} ({what})."]


def _legend(rows: Iterable[PaperRow], level: float, units: str) -> list[str]:
    """Return what else is in the table besides scores and marks."""
    every = list(rows)
    cells = [cell for row in every for cell in row.cells]
    legend = ["Bold: best system."] if any(cell.best for cell in cells) else []
    if any(cell.spread is not None for cell in cells):
        average = " (in averages, of the averages of each run)" if any(row.summary for row in every) else ""
        legend.append(f"±: standard deviation over runs{average}.")
    if any(cell.interval for cell in cells):
        legend.append(f"Below scores: {100 * level:g} % confidence intervals over {units}.")
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
