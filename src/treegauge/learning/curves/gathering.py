"""Gather counts from tables, stores, or treebanks to train on."""

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.core.tables import make_table
from treegauge.experiments.plans import Grid, ParserChoice, Plan, grid
from treegauge.experiments.tasks import inventory
from treegauge.experiments.training import run_cells
from treegauge.learning.curves.class_counts import CLASSES, Attachments, collect, joined_counts, read_attachments
from treegauge.learning.training_settings import CurveTraining
from treegauge.parsing.options import given_options, preset_options
from treegauge.parsing.registry import find_parser
from treegauge.scoring.metrics.convention import OFFICIAL, Convention, metric_and_convention
from treegauge.scoring.metrics.correct_words import find_word_metric
from treegauge.scoring.metrics.registry import metric_label
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.treebanks.sources.inputs import TREEBANK_KINDS, recognise

if TYPE_CHECKING:
    from treegauge.experiments.cell_store import Store
    from treegauge.treebanks.data.columns import Treebank

#: Training set sizes of the Challenges paper.
SIZES = (5, 10, 20, 50, 100, 200, 500)


def list_of_texts(values: Sequence[str] | str) -> list[str]:
    """Return one or more texts as a list."""
    return [values] if isinstance(values, str) else list(values)


def whole_numbers(values: Sequence[int | str] | str | int, what: str = "sizes") -> list[int]:
    """Return integers, given as numbers or as text with commas.

    Examples
    --------
    >>> whole_numbers("5,10"), whole_numbers([20, "5,10"])
    ([5, 10], [5, 10, 20])
    """
    each = [values] if isinstance(values, str | int) else list(values)
    words = [word for value in each for word in str(value).replace(",", " ").split()]
    try:
        numbers = sorted({int(word) for word in words})
    except ValueError:
        numbers = [0]
    if any(number < 1 for number in numbers) or (each and not numbers):
        text = ", ".join(map(str, each))
        raise TreegaugeError(f"{what}: got {text!r}; expected whole numbers such as 5,10,20")
    return numbers


def read_counts(
    sources: Iterable[Any], *, parser: Sequence[str] | str = (), sizes: Sequence[int | str] | str = ()
) -> Attachments:
    """Return the counts in tables, stores and objects, of some parsers and sizes."""
    parts, folders = _known_counts(sources, CurveTraining(), OFFICIAL)
    if folders:
        name, folder = next(iter(folders.items()))
        raise TreegaugeError(
            f"{name} is a treebank; expected counts: treegauge curve counts {folder} --out counts.csv trains on it"
        )
    return _joined(parts).select(parsers=list_of_texts(parser), sizes=whole_numbers(sizes))


def gathered_counts(
    sources: Iterable[Any], training: CurveTraining, convention: str | Convention = OFFICIAL
) -> Attachments:
    """Return the counts of all sources: read from tables, counted in stores, or trained.

    Sources are counts or advice as objects, counts in files, stores, and treebanks by folder,
    pattern or name. All verbs train the same cells for one treebank, so they share a store.
    """
    metric, convention = metric_and_convention(training.metric or "LAS", convention)
    training = replace(training, metric=metric if training.metric else None)
    parts, folders = _known_counts(sources, training, convention)
    if folders:
        parts.append(_trained(folders, training, convention))
    parsers = [] if folders else list_of_texts(training.parser)
    return _joined(parts).select(parsers=parsers, sizes=whole_numbers(training.sizes))


def _joined(parts: Sequence[Attachments]) -> Attachments:
    return parts[0] if len(parts) == 1 else joined_counts(parts)


def _known_counts(
    sources: Iterable[Any], training: CurveTraining, convention: Convention
) -> tuple[list[Attachments], dict[str, Path]]:
    """Return the counts that need no training, and the folders of treebanks."""
    each = [(source, getattr(source, "counts", None)) for source in sources]
    given = [counts if isinstance(counts, Attachments) else source for source, counts in each]
    parts = [source for source in given if isinstance(source, Attachments)]
    others = [getattr(source, "path", source) for source in given if not isinstance(source, Attachments)]
    folders: dict[str, Path] = {}
    for one in recognise(others, kinds=("counts", "store", *TREEBANK_KINDS)) if others else []:
        if one.kind == "counts":
            parts.append(read_attachments(one.path))
        elif one.kind == "store":
            parts.append(
                stored_counts(
                    one.path, root=training.root, by=training.by, metric=training.metric, convention=convention
                )
            )
        elif one.given is not None:
            raise TreegaugeError(
                f"{one.name}: a treebank given as an object has no training and test sets; give its folder"
            )
        else:
            folders[one.name] = one.path
    for part in parts:
        _check_counted(part, training, convention)
    if not parts and not folders:
        raise TreegaugeError("no source of counts; give a table of counts, a store, or treebanks to train on")
    return parts, folders


def _check_counted(counts: Attachments, training: CurveTraining, convention: Convention) -> None:
    """Refuse options that do not match how a table was counted."""
    name = "+".join(counts.sources) or "the table"
    if training.by and training.by != counts.by:
        raise TreegaugeError(
            f"{name} was already counted by {counts.by or 'unnamed classes'}: count by "
            f"{training.by} from a store or from treebanks"
        )
    label = metric_label(find_word_metric(training.metric or "LAS"), convention)
    if (training.metric or convention != OFFICIAL) and counts.metric != label:
        raise TreegaugeError(
            f"{name} holds counts of {counts.metric}, not of {label}: count again from a store or from treebanks"
        )


def plan_curves(folders: Collection[Path], training: CurveTraining) -> Plan:
    """Return the plan of trainings for curves of these treebanks.

    Samples are drawn from all training sentences. If no sizes are given, those of one treebank are
    the usual ones and all its sentences; those of several treebanks are the same for each.
    """
    parsers = []
    for text in list_of_texts(training.parser) or ["beam"]:
        name, *words = text.split()
        kind = find_parser(name).options
        own = [given_options(kind, given) for given in (training.option, words)]
        parsers.append(ParserChoice(name, dict(preset_options(name, training.preset, own[0] | own[1]))))
    grids: list[Grid] = []
    for folder in folders:
        available = max(inventory(str(folder)).sentences.get("train", 0), 1)
        sizes = whole_numbers(training.sizes) or list(SIZES)
        if len(folders) == 1 and not training.sizes:
            sizes = [*(size for size in sizes if size < available), available]
        grids.append(
            grid(
                "curve", str(folder.resolve()), parsers=parsers, sizes=sizes, samples=training.samples,
                parameters={"train_limit": available},
            )
        )  # fmt: skip
    return Plan(tuple(grids), "curve")


def _trained(folders: Mapping[str, Path], training: CurveTraining, convention: Convention) -> Attachments:
    expansion = plan_curves(folders.values(), training).expand()
    for reason in expansion.refused:
        note(f"left out: {reason}")
    if not len(expansion):
        raise TreegaugeError("nothing to train on: " + "; ".join(expansion.refused))
    results = run_cells(list(expansion.cells()), training.store, workers=training.workers, what="trainings")
    words = {one.cell.key: one.words for one in results}
    rows = [
        {
            "key": cell.key, "treebank": cell.setup.name, "data": cell.setup.data, "parser": cell.parser,
            "options": cell.setup.shown_options, "parameters": cell.setup.shown_extra, "size": cell.size,
            "sample": cell.sample, "seed": cell.seed,
        }
        for cell, *_ in results
    ]  # fmt: skip
    places = {cell.setup.name: cell.treebank for cell, *_ in results}
    return collect(
        make_table(rows), words.get, lambda name: read_conllu(places[name], split="test", name=name),
        by=training.by or CLASSES, metric=training.metric or "LAS", convention=convention,
    )  # fmt: skip


def stored_counts(
    store: "Store | str | os.PathLike[str]", *, folders: Iterable[str | os.PathLike[str]] = (),
    root: str | os.PathLike[str] | None = None, by: str | None = None,
    metric: str | None = None, convention: Convention = OFFICIAL,
) -> Attachments:  # fmt: skip
    """Count the correct words in the cells of task ``curve`` in a store.

    The treebank that was trained on is the one whose files have the recorded checksums, among
    `folders`, the treebanks or releases in `root` (by default ``TREEGAUGE_UD``), and the paths
    recorded.
    """
    from treegauge.experiments.cell_store import Store

    store = Store(store)
    results = store.results(task="curve", distinct=True)
    top = Path(root or os.environ.get("TREEGAUGE_UD", "."))
    files = dict(results.select("treebank", "files").iter_rows()) if results.height else {}
    named = [Path(folder) for folder in folders]
    with store.reading() as ledger:
        rows = ledger.ask("SELECT DISTINCT treebank, path FROM setups WHERE task = 'curve'")
        recorded = [(name, Path(path)) for name, path in rows]

    def gold(name: str) -> "Treebank":
        places = [folder for folder in named if folder.resolve().name == name]
        places += [top / name, *top.glob(f"*/{name}")]
        places += [path for treebank, path in recorded if treebank == name]
        existing = [place for place in places if place.exists()]
        for place in existing:
            own = inventory(str(place)).files
            if all(json.loads(files[name]).get(file) == digest for file, digest in own.items()):
                return read_conllu(place, split="test", name=name)
        if existing:
            raise TreegaugeError(
                f"{' and '.join(map(str, dict.fromkeys(existing)))}: other files than those that "
                "were trained on; is it another release?"
            )
        raise TreegaugeError(f"{name} is not in {top}: name the folder that holds it, or its release, with root")

    return collect(results, store.words, gold, by=by or CLASSES, metric=metric or "LAS", convention=convention)
