"""What ``score`` adds to the scores: breakdowns, confusions, overlap, combinations."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from treegauge.core.result import Result, countersign
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.alignment.paired_reading import align_by
from treegauge.scoring.breakdown import Breakdown, Breakdowns, breakdown
from treegauge.scoring.breakdown import examples as find_examples
from treegauge.scoring.classes.class_tests import LEAST_DIFFERENT, compare_classes
from treegauge.scoring.classes.confusion import confusion
from treegauge.scoring.classes.overlap import error_overlap
from treegauge.scoring.scores import Scores
from treegauge.scoring.settings import Reading, RequestedDetails
from treegauge.scoring.systems.combining import VOTED, combination
from treegauge.statistics.units import LEAST_UNITS
from treegauge.treebanks.sources.resolver import read_treebank


def align_outputs(gold: Any, named: Mapping[str, Sequence[Any]], reading: Reading) -> dict[str, Alignment]:
    """Read and align the output of each system."""
    how: dict[str, Any] = {"errors": reading.errors, "allow": reading.allow}
    ours = read_treebank(gold, **how)
    return {name: align_by(reading, ours, read_treebank(output, name=name, **how)) for name, (output,) in named.items()}


def details(
    alignments: Mapping[str, Alignment],
    scores: Scores,
    requested: RequestedDetails,
    *,
    metric: str,
    correction: str | None,
    all_pairs: bool,
) -> dict[str, Result | list[Result]]:
    """Return the requested details by name; classes are tested unless `correction` is None."""
    parts: dict[str, list[Result]] = {"breakdowns": [], "examples": [], "confusions": []}
    convention = scores.convention
    tables = [
        {
            name: breakdown(alignment, by=by, metric=metric, convention=convention)
            for name, alignment in alignments.items()
        }
        for by in requested.by
    ]
    parts["breakdowns"] += [_side_by_side(cells, scores, correction) for cells in tables]
    for name, alignment in alignments.items():
        if requested.examples is not None:
            breakdowns = [cells[name] for cells in tables]
            having = [table for table in breakdowns if requested.examples in table.gold.names]
            parts["examples"].append(find_examples((having or breakdowns)[0], requested.examples))
        if requested.confusion is not None:
            matrix = confusion(alignment, of=requested.confusion)
            parts["confusions"].append(replace(matrix, all=all_pairs))
    by_name: dict[str, Result | list[Result]] = {k: results for k, results in parts.items() if results}
    if requested.overlap:
        singles = {name: aligned for name, aligned in alignments.items() if name != VOTED}
        by_name["overlap"] = error_overlap(
            singles if requested.combine else alignments, best=requested.overlap, metric=metric, convention=convention
        )
    if requested.combine:
        by_name["combination"] = combination(alignments, convention)
    return by_name


def _side_by_side(cells: Mapping[str, Breakdown], scores: Scores, correction: str | None) -> Breakdown | Breakdowns:
    """Combine the breakdowns of several systems in one table, and test two per class."""
    first = next(iter(cells.values()))
    if len(cells) == 1:
        return first
    shared = re.sub(r"\|system:[^|]*", "", first.signature)
    signature = countersign(shared, systems="+".join(cells))
    if correction is None or len(cells) > 2:
        notes = [] if correction is None else [
            f"differences by class are tested between two systems; there are {len(cells)}"
        ]  # fmt: skip
        return Breakdowns(dict(cells), signature, notes=tuple(notes))
    a, b = cells.values()
    rows = compare_classes(a, b, scores.units, level=scores.level, correction=correction)
    tested = sum(row["p_value"] is not None for row in rows)
    notes = [f"primary test by class: Student's t of the difference over {scores.units}; p_corrected: {tested} classes"]
    without = [str(row["class"]) for row in rows if not row["gold"]]
    if without:
        notes.append(f"no test of classes without a gold word: {', '.join(without)}")
    if untested := len(rows) - tested - len(without):
        classes = "1 class: words of it" if untested == 1 else f"{untested} classes: words of them"
        notes.append(
            f"no test of {classes} in fewer than {LEAST_UNITS} "
            f"{scores.units}, or a difference in fewer than {LEAST_DIFFERENT}"
        )
    signature = countersign(signature, units=scores.units, test="paired-student", correction=correction)
    return Breakdowns(dict(cells), signature, tuple(rows), tuple(notes))
