"""The verb ``breakdown``: errors by class of words, with examples, confusions, overlap and calibration."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.core.verbs import verb
from treegauge.scoring.metrics.convention import Convention, metric_and_convention
from treegauge.scoring.settings import Reading, ScoreOptions

if TYPE_CHECKING:
    from treegauge.core.result import Part
    from treegauge.scoring.alignment.align import Alignment
    from treegauge.scoring.classes.class_scores import Breakdown, Breakdowns
    from treegauge.scoring.scores import Scores
    from treegauge.treebanks.data.columns import Treebank

    Output = Treebank | str | PathLike[str]


@verb
def breakdown(
    gold: "Output",
    *systems: "Output | Mapping[str, Any]",
    by: str | Sequence[str] = ("relation",),
    examples: str | None = None,
    confusion: str | None = None,
    overlap: int = 0,
    calibration: bool = False,
    metric: str = "LAS",
    convention: str | Convention = "official",
    correction: Literal["holm", "bonferroni", "benjamini-hochberg"] = "holm",
    units: Literal["auto", "documents", "sentences"] = "auto",
    level: float = 0.95,
    reading: Reading = Reading(),
) -> "Breakdowns":
    """Show where systems go wrong: scores by class of words, confusion matrix, overlap, calibration.

    Parameters
    ----------
    gold
        The gold file.
    *systems
        System files, as PATH or NAME=PATH. In Python also treebanks, and mappings from names to
        outputs. The differences of two systems are tested in each class.
    by
        Classes: relation, upos, direction, distance, depth, length, projectivity, head-upos,
        position, feats:NAME, doc, comment:KEY or sent_id:REGEX; upos,direction crosses two.
        Repeatable.
    examples
        Draw sentences with incorrect words of this class.
    confusion
        Confusion matrix of relation, head-upos, upos or another class.
    overlap
        List the errors that the best N systems share, and those that only one of them makes.
    calibration
        Show how well the systems' probabilities (HeadProb and DeprelProb in MISC, tree_prob) are
        calibrated, and the scores without the least certain sentences.
    metric
        What counts as correct: LAS, UAS, Label, UPOS, XPOS, UFeats, Lemmas, Words, or a registered
        metric.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    correction
        Correction of p-values for the number of classes.
    units
        Units of the tests: documents, sentences, or auto (documents if gold has "# newdoc"
        comments, else sentences).
    level
        Confidence level of intervals; tests use alpha = 1 - level.

    Returns
    -------
    Breakdowns
        The scores of each class; what else was requested is attached.

    Examples
    --------
    >>> import treegauge as tg
    >>> gold = tg.synthetic(20, seed=1)
    >>> cells = tg.breakdown(gold, {"mine": gold}, by="upos")
    >>> cells["mine"].table.columns[:3], cells["mine"].errors("NOUN")
    (['class', 'gold', 'system'], [])
    """
    from treegauge.scoring.classes.class_scores import class_scores
    from treegauge.scoring.classes.class_scores import examples as draw_examples
    from treegauge.scoring.classes.confusion import confusion as confusion_matrix
    from treegauge.scoring.classes.confusion import error_overlap
    from treegauge.scoring.evaluation import evaluate
    from treegauge.scoring.systems import single_outputs

    name, counting = metric_and_convention(metric, convention)
    source, outputs = single_outputs(gold, systems, "a breakdown")
    alignments = align_outputs(source, outputs, reading)
    read = next(iter(alignments.values())).gold.treebank
    options = ScoreOptions(**vars(reading), convention=counting, units=units, level=level)
    scores = evaluate(read, {system: one.system.treebank for system, one in alignments.items()}, options)
    for problem in dict.fromkeys(problem for system in scores.systems for problem in system.problems):
        if problem.action:
            note(str(problem))
    tables = [
        {s: class_scores(one, by=classes, metric=name, convention=counting) for s, one in alignments.items()}
        for classes in ([by] if isinstance(by, str) else by)
    ]
    if not tables:
        raise TreegaugeError("by: name at least one kind of class, such as relation")
    first, *others = (_side_by_side(cells, scores, correction) for cells in tables)
    parts: dict[str, Part] = {"breakdowns": others} if others else {}
    if examples is not None:
        drawn = [[cells[s] for cells in tables] for s in alignments]
        having = [next((one for one in own if examples in one.gold.names), own[0]) for own in drawn]
        parts["examples"] = [draw_examples(one, examples) for one in having]
    if confusion is not None:
        parts["confusions"] = [confusion_matrix(one, of=confusion) for one in alignments.values()]
    if overlap:
        parts["overlap"] = error_overlap(alignments, best=overlap, metric=name, convention=counting)
    if calibration:
        from treegauge.scoring.calibration import calibrate

        files = {s: str(output) for s, output in outputs.items() if isinstance(output, str | PathLike)}
        parts["calibration"] = calibrate(alignments, scores, files=files)
    featured = next((part for part in ("overlap", "confusions", "calibration") if part in parts), "")
    return first.with_attached(parts, featured=featured)


def align_outputs(gold: Any, outputs: Mapping[str, Any], reading: Reading) -> "dict[str, Alignment]":
    """Read gold and the output of each system, and align them."""
    from treegauge.scoring.alignment.paired_reading import align_by, read_output
    from treegauge.treebanks.sources.resolver import read_treebank

    how: dict[str, Any] = {"errors": reading.errors, "allow": reading.allow}
    ours = read_treebank(gold, **how)

    def read(name: str, output: Any) -> "Treebank":
        if reading.align == "loose" and isinstance(output, str | PathLike):
            return replace(read_output(output, reading)[0], name=name)
        return read_treebank(output, name=name, **how)

    return {name: align_by(reading, ours, read(name, output)) for name, output in outputs.items()}


def _side_by_side(cells: "Mapping[str, Breakdown]", scores: "Scores", correction: str) -> "Breakdowns":
    """Combine the breakdowns of systems in one table, and test two per class."""
    from treegauge.core.result import countersign
    from treegauge.scoring.classes.class_scores import Breakdowns
    from treegauge.scoring.classes.class_tests import LEAST_DIFFERENT, compare_classes
    from treegauge.statistics.units import LEAST_UNITS, units_of_text

    first = next(iter(cells.values()))
    if len(cells) == 1:
        return Breakdowns(dict(cells), first.signature)
    shared = re.sub(r"\|system:[^|]*", "", first.signature)
    signature = countersign(shared, systems="+".join(cells))
    if len(cells) > 2:
        why = f"differences by class are tested between two systems; there are {len(cells)}"
        return Breakdowns(dict(cells), signature, notes=(why,))
    a, b = cells.values()
    rows = compare_classes(a, b, scores.units, level=scores.level, correction=correction)
    tested = sum(row["p_value"] is not None for row in rows)
    notes = [f"primary test by class: Student's t of the difference over {scores.units}; p_corrected: {tested} classes"]
    notes.append(units_of_text(scores.systems[0].runs[0].starts, scores.units).note(scores.level))
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
    return Breakdowns(dict(cells), signature, tuple(rows), tuple(notes), scores.level)
