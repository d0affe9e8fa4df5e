"""The Difficulty and Challenges papers on one's own data: studies that train parsers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.experiments.tasks import inventory
from treegauge.learning import curve as curves
from treegauge.learning.curves.class_counts import Attachments
from treegauge.learning.curves.gathering import SIZES
from treegauge.learning.difficulty import DifficultyTable, difficulty
from treegauge.learning.transfer import transfer
from treegauge.papers.study import Draft, Rows, StudyChoices, sorted_inputs
from treegauge.parsing.options import find_preset
from treegauge.reporting.figures.curves import composites, learning, scores_by_complexity
from treegauge.reporting.figures.treebanks import code_lengths, data_maps, pvi_densities, treebank_map
from treegauge.scoring.metrics.correct_words import PAPER_CLASSES
from treegauge.statistics.analyse import CorrelationMatrix, correlation_matrix

if TYPE_CHECKING:
    from treegauge.treebanks.sources.inputs import Input

EXTREMES = 3
"""Treebanks at each end that Figures 2 and 3 show, as in the paper."""
PRINTED = ("uas", "las", "arc_conf", "arc_var", "arc_vinfo", "arc_mdl", "rel_conf", "rel_var", "rel_vinfo", "rel_mdl")


def _texts(paper: str, inputs: Sequence[Any]) -> "list[Input]":
    tables, texts = sorted_inputs(inputs)
    if tables or not texts:
        raise TreegaugeError(f"study {paper}: expected treebanks only, found {len(tables)} other inputs")
    return texts


def difficulty_study(draft: Draft, inputs: Sequence[Any], choices: StudyChoices) -> None:
    """Make the tables and figures of the Difficulty paper."""
    texts = _texts("difficulty", inputs)
    quick: dict[str, Any] = {"orders": 1, "blocks": "10,90"} if choices.quick else {}
    parser = choices.parser or (("mst tags=none",) if choices.quick else ("biaffine",))
    own = find_preset("biaffine", "difficulty").options if parser == ("biaffine",) else {}
    option = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in own.items()]
    found = difficulty(
        *(one.path for one in texts), parser=parser, option=[*choices.option] or option, convention="difficulty",
        seed=choices.seed, store=choices.store, workers=choices.workers, **quick,
    )  # fmt: skip
    if not isinstance(found, DifficultyTable):
        raise TypeError("difficulty returned no table of all measures")
    said = [
        "quick: mst without tags, one order of two blocks (10, 90); the paper: biaffine, five orders of eight blocks"
    ]
    draft.table("Table 1", "Ten measures of each treebank", lambda: _measures(found), key=["treebank"],
                notes=said if choices.quick else ())  # fmt: skip
    draft.table("Table 1, ranks", "Treebanks in the order of their mean rank", lambda: found.ranks)
    matrix: list[CorrelationMatrix] = []
    draft.table("Figure 1", "Spearman's rho of all measures and sizes", lambda: _matrix(found, matrix))
    if matrix:
        draft.figure("Figure 1, drawn", "Spearman's rho of all measures and sizes", matrix[0].plot)
    draft.figure("Figure 2, left", "Mean confidence and variability of arcs", lambda: treebank_map(found))
    by_map = sorted(found, key=lambda one: one.map.values["head"]["confidence"])
    draft.figure("Figure 2, right", "Data maps of the treebanks with the lowest and highest confidence",
                 lambda: data_maps([one.map for one in _ends(by_map)]))  # fmt: skip
    by_bits = sorted(found, key=lambda one: one.information.values["head"])
    draft.figure("Figure 3, left", "Usable information of arcs, lowest and highest",
                 lambda: pvi_densities([one.information for one in _ends(by_bits)]))  # fmt: skip
    lengths = [one.length for one in found if one.length is not None]
    lengths.sort(key=lambda one: one.values["head"]["bits_per_word"])
    draft.figure("Figure 3, right", "Code length by block, lowest and highest", lambda: code_lengths(_ends(lengths)))


def _ends(ordered: list[Any]) -> list[Any]:
    """Return the first and the last of an ordered list."""
    return ordered if len(ordered) <= 2 * EXTREMES else [*ordered[:EXTREMES], *ordered[-EXTREMES:]]


def _measures(found: DifficultyTable) -> Rows:
    """Return the measures, with the paper's values of treebanks of the same name."""
    from treegauge import data
    from treegauge.treebanks.sources.languages import treebank_key

    known = {treebank_key(row["treebank"]): row for row in data.difficulty_table1().to_dicts()}
    rows: Rows = found.table.to_dicts()
    if any(treebank_key(row["treebank"]) in known for row in rows):
        for row in rows:
            paper = known.get(treebank_key(row["treebank"]), {})
            row |= {f"printed: {name}": paper.get(name) for name in PRINTED}
    return rows


def _matrix(found: DifficultyTable, matrix: list[CorrelationMatrix]) -> CorrelationMatrix:
    matrix.append(correlation_matrix(found.known, [name for name in found.known.columns if name != "treebank"]))
    return matrix[0]


SMALL = 10
"""The smaller size of Table 2; the other one is the largest."""
QUICK_SIZES = (10, 50, 200)


def challenges_study(draft: Draft, inputs: Sequence[Any], choices: StudyChoices) -> None:
    """Make the tables and figures of the Challenges paper: curves of classes, and transfer."""
    texts = _texts("challenges", inputs)
    parsers = choices.parser or (("mst",) if choices.quick else ("beam", "mst"))
    largest = max(inventory(str(one.path)).sentences.get("train", 0) for one in texts)
    counted = curves.counts(
        *(one.path for one in texts), parser=parsers, option=choices.option, metric="UAS", convention="challenges",
        by=PAPER_CLASSES, sizes=[size for size in (QUICK_SIZES if choices.quick else SIZES) if size <= largest],
        samples=2 if choices.quick else 5, store=choices.store, workers=choices.workers,
    )  # fmt: skip
    first = counted.parsers[0]
    sizes = counted.sizes
    said = f"Sizes {', '.join(map(str, sizes))}; partitions into simple and complex classes by {first}."
    draft.figure("Figure 1", "Relative learning curves of classes",
                 lambda: learning(curves.curve(counted, parser=first, relative=True)))  # fmt: skip
    draft.table("Table 1", "COMPLEXITY and UAS of classes at the largest size", lambda: _complexity(counted),
                key=["parser", "class"],
                notes=[said, "The copy of the paper at hand lost the direction of all classes but ADP and AUX: printed "
                       "values of the others are placed by their order."])  # fmt: skip
    draft.figure("Figure 2", "UAS and COMPLEXITY of classes",
                 lambda: scores_by_complexity(curves.complexity(counted)))  # fmt: skip
    draft.table("Table 2", "UAS of simple, all and complex words", lambda: _composites(counted, first),
                key=["parser", "class", "size"], notes=[said])  # fmt: skip
    draft.figure("Figure 3", "Simple and complex words by training set size",
                 lambda: composites(curves.curve(counted, composite="own")))  # fmt: skip
    _transfer(draft, texts, counted, choices)


def _complexity(counted: Attachments) -> Rows:
    found = curves.complexity(counted, min_presence=1 / 3)
    names = ["parser", "class", "complexity", "low", "high", "score", "treebanks"]
    return found.table.select(names).sort("parser", "complexity").to_dicts()


def _composites(counted: Attachments, first: str) -> Rows:
    table = curves.curve(counted, composite=first, over="treebanks").table
    sizes = {SMALL if SMALL in counted.sizes else counted.sizes[0], counted.sizes[-1]}
    rows = [row for row in table.to_dicts() if row["size"] in sizes]
    names = ("parser", "class", "size", "score", "low", "high", "treebanks")
    return [{name: row[name] for name in names} for row in rows]


def _transfer(draft: Draft, texts: "Sequence[Input]", counted: Attachments, choices: StudyChoices) -> None:
    title = "Transfer to the first treebank, without each source, in sentences of its own"
    if len(texts) < 3:
        draft.skip("Table 3", title, "needs a target and two sources or more")
        return
    target, *sources = (one.path for one in texts)
    parser = next((name for name in counted.parsers if name in {"beam", "mst"}), "")
    if not parser:
        draft.skip("Table 3", title, "needs beam or mst, which learn without words")
        return
    limit = 200 if choices.quick else None
    if choices.quick:
        note("transfer learns from the first 200 sentences of each source (quick)")
    own = counted.select(parsers=[parser])
    draft.table("Table 3", title, lambda: transfer(
        target, *sources, metric="UAS", convention="challenges", leave_one_out=True, parser=parser, limit=limit,
        curve=own, seed=choices.seed, store=choices.store, workers=choices.workers))  # fmt: skip
