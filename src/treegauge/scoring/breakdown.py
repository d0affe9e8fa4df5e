"""The verb ``breakdown``: errors by class of words, with examples, confusions, overlap and calibration."""

import re
from collections.abc import Mapping, Sequence
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
    from treegauge.scoring.systems import SystemRuns
    from treegauge.treebanks.data.columns import Treebank

    Output = Treebank | str | PathLike[str]


@verb
def breakdown(
    gold: "Output",
    *systems: "Output | Mapping[str, Any]",
    by: str | Sequence[str] = ("relation",),
    where: Sequence[str] = (),
    skip: int = 0,
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

    The errors of two systems by relation, over seeds and treebanks as in score; as a table for a paper; the sentences
    with the errors of one::

        treegauge breakdown gold runs/careful runs/hasty
        treegauge breakdown gold runs/careful runs/hasty -o errors.tex
        treegauge breakdown gold runs/careful runs/hasty --where hasty=wrong

    Parameters
    ----------
    gold
        The gold file, or a folder of gold files; treebanks that lack output of a system are left
        out. In Python also a mapping from names to treebanks.
    *systems
        System files or folders, as PATH or NAME=PATH, or stores; repeat a NAME for several runs. In
        Python also treebanks, and mappings from names to outputs. Scores are means over runs and
        treebanks, other counts are added. The differences of two systems are tested in each class.
    by
        Classes: relation, upos, direction, distance, depth, length, projectivity, head-upos,
        position, feats:NAME, doc, comment:KEY or sent_id:REGEX; upos,direction crosses two.
        Repeatable.
    where
        Draw the sentences with words that meet all conditions: NAME=wrong, right or missing for a
        system, 'NAME relation=obj', 'NAME head=3'; right=0 (no system is right), wrong>=2; of gold
        relation, upos, form, lemma, any class of --by (direction, depth, doc, feats:Case ...), arc
        (words to the head) and words (of the sentence), such as 'arc>=7'.
    skip
        With where: the number of sentences to skip; ten are drawn at a time, files have all.
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
    correction
        Correction of p-values for the number of classes.
    units
        Units of the tests: documents, sentences, or auto (documents if gold has "# newdoc"
        comments, else sentences).

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
    from treegauge.scoring.classes.class_scores import class_scores, mean_breakdown
    from treegauge.scoring.classes.confusion import confusion as confusion_matrix
    from treegauge.scoring.classes.confusion import error_overlap
    from treegauge.scoring.systems import answers

    name, counting = metric_and_convention(metric, convention)
    given = answers(gold, systems, loose=reading.align == "loose")
    aligned = align_answers(given, reading)
    every = [one for row in aligned.values() for runs in row.values() for one in runs]
    problems = (problem for one in every for side in (one.gold, one.system) for problem in side.treebank.problems)
    for problem in dict.fromkeys(problems):
        if problem.action:
            note(str(problem))
    kinds = [by] if isinstance(by, str) else list(by)
    if not kinds:
        raise TreegaugeError("by: name at least one kind of class, such as relation")

    def broken(kind: str, system: str) -> "Breakdown":
        return mean_breakdown(
            {code: [class_scores(one, by=kind, metric=name, convention=counting) for one in row[system]]
             for code, row in aligned.items()}
        )  # fmt: skip

    tables = [{system: broken(kind, system) for system in given.systems} for kind in kinds]
    first, *others = (_side_by_side(cells, units, level, correction) for cells in tables)
    parts: dict[str, Part] = {"breakdowns": others} if others else {}
    by_system = {system: [row[system] for row in aligned.values()] for system in given.systems}
    if where:
        from treegauge.scoring.classes.found import find_words

        parts["found"] = find_words(by_system, where, metric=name, convention=counting, skip=skip)
    if confusion is not None:
        parts["confusions"] = [
            confusion_matrix([one for runs in own for one in runs], of=confusion) for own in by_system.values()
        ]
    if overlap:
        parts["overlap"] = error_overlap(by_system, best=overlap, metric=name, convention=counting)
    if calibration:
        from treegauge.scoring.calibration import calibrate
        from treegauge.scoring.evaluation import evaluate

        if any(len(own) > 1 or len(own[0]) > 1 for own in by_system.values()):
            raise TreegaugeError("--calibration is of one gold file, and one run of each system")
        alone = {system: own[0][0] for system, own in by_system.items()}
        options = ScoreOptions(**vars(reading), convention=counting, units=units, level=level)
        read = next(iter(alone.values())).gold.treebank
        scores = evaluate(read, {system: one.system.treebank for system, one in alone.items()}, options)
        outputs = {system: output for system, (output,) in given.single[1].items()}
        files = {s: str(output) for s, output in outputs.items() if isinstance(output, str | PathLike)}
        parts["calibration"] = calibrate(alone, scores, files=files)
    featured = next((part for part in ("found", "overlap", "confusions", "calibration") if part in parts), "")
    return first.with_attached(parts, featured=featured)


def align_answers(given: "SystemRuns", reading: Reading) -> "dict[str, dict[str, list[Alignment]]]":
    """Align the runs of every system on each treebank; leave out a treebank that lacks one."""
    from treegauge.scoring.alignment.paired_reading import align_by, read_output
    from treegauge.scoring.systems import failure_reason
    from treegauge.treebanks.sources.resolver import read_treebank

    how: dict[str, Any] = {"errors": reading.errors, "allow": reading.allow}

    def read(output: Any) -> "Treebank":
        if reading.align == "loose" and isinstance(output, str | PathLike):
            return read_output(output, reading)[0]
        return read_treebank(output, **how)

    failures, aligned = dict(given.failures), {}
    for code, gold in given.gold.items():
        ours, row = read_treebank(gold, **how), {}
        for name, runs in given.systems.items():
            if (code, name) in failures:
                continue
            try:
                found = [align_by(reading, ours, read(run)) for run in runs[code]]
            except TreegaugeError as error:
                if not given.several:
                    raise
                failures[code, name] = failure_reason(error)
            else:
                row[name] = [one.named(code if given.several else ours.name, name) for one in found]
        if len(row) == len(given.systems):
            aligned[code] = row
    lines = [f"failed: {system} on {code}: {why}" for (code, system), why in failures.items()]
    if not aligned:
        raise TreegaugeError("\n  ".join(["no treebank has output from every system", *lines[:3]]))
    for line in lines:
        note(f"{line}; this treebank is left out")
    return aligned


def _side_by_side(cells: "Mapping[str, Breakdown]", units: str, level: float, correction: str) -> "Breakdowns":
    """Combine the breakdowns of systems in one table, and test two per class."""
    from treegauge.core.result import countersign
    from treegauge.scoring.classes.class_scores import Breakdowns
    from treegauge.scoring.classes.class_tests import LEAST_DIFFERENT, class_units, compare_classes
    from treegauge.statistics.units import LEAST_UNITS, units_of_text
    from treegauge.treebanks.data.indexing import document_starts

    first = next(iter(cells.values()))
    kinds = "+".join(sorted({class_units(runs[0], units) for runs in first.runs.values()}))
    if len(cells) == 1:
        return Breakdowns(dict(cells), first.signature)
    shared = re.sub(r"\|system:[^|]*", "", first.signature)
    signature = countersign(shared, systems="+".join(cells))
    if len(cells) > 2:
        why = f"differences by class are tested between two systems; there are {len(cells)}"
        return Breakdowns(dict(cells), signature, notes=(why,))
    a, b = cells.values()
    rows = compare_classes(a, b, units, level=level, correction=correction)
    tested = sum(row["p_value"] is not None for row in rows)
    over = f"difference over {kinds}" if len(a.runs) == 1 else f"mean difference on these treebanks over {kinds}"
    notes = [f"primary test by class: Student's t of the {over}; p_corrected: {tested} classes"]
    if len(a.runs) == 1:
        notes.append(units_of_text(document_starts(a.alignment.gold.treebank), kinds).note(level))
    without = [str(row["class"]) for row in rows if not row["gold"]]
    if without:
        notes.append(f"no test of classes without a gold word: {', '.join(without)}")
    if untested := len(rows) - tested - len(without):
        classes = "1 class: words of it" if untested == 1 else f"{untested} classes: words of them"
        notes.append(
            f"no test of {classes} in fewer than {LEAST_UNITS} {kinds}, or a difference in fewer than {LEAST_DIFFERENT}"
            + " of some treebank" * (len(a.runs) > 1)
        )
    signature = countersign(signature, units=kinds, test="paired-student", correction=correction)
    return Breakdowns(dict(cells), signature, tuple(rows), tuple(notes), level)
