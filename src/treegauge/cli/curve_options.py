"""Options that the commands of ``treegauge curve`` share, and where their counts come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treegauge.cli.output import Choice, Format
from treegauge.cli.progress import steps

if TYPE_CHECKING:
    from treegauge.curves.attachments import Attachments
    from treegauge.experiments.plans import Plan
    from treegauge.treebanks.columns import Treebank

SIZES = "5,10,20,50,100,200,500"
STORE = Path("curves")


class Over(Choice):
    """What intervals are over."""

    samplings = "samplings"
    treebanks = "treebanks"
    both = "both"


class Per(Choice):
    """Whose curves complexity is taken of."""

    pooled = "pooled"
    language = "language"
    treebank = "treebank"


SourcesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE...",
        help="A table of counts (CSV, Parquet), a store of `treegauge run`, or folders such as "
        "UD_Greek-GDT, which are trained on.",
    ),
]
ParserOption = Annotated[
    list[str] | None,
    typer.Option(help="Which parsers; repeatable.", show_default="all there are, or beam to train"),
]
OneParserOption = Annotated[
    str | None, typer.Option(help="Which parser.", show_default="the only one, or beam to train")
]
OptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", help="Option of the parser trained: epochs=5; repeatable."),
]
SizesOption = Annotated[
    str | None, typer.Option(help="Train sentences, with commas.", show_default=f"all, or {SIZES}")
]
SamplesOption = Annotated[int, typer.Option(help="How many samplings to train on.")]
NestedOption = Annotated[
    bool, typer.Option("--nested", help="Smaller samples are parts of the larger ones.")
]
StoreOption = Annotated[
    Path, typer.Option(help="Where runs are kept: what is there is not run again.")
]
RootOption = Annotated[
    Path | None,
    typer.Option(help="Folder of the treebanks of a store.", show_default="$TREEGAUGE_UD or ."),
]
WorkersOption = Annotated[
    int | None, typer.Option(help="Cells at a time.", show_default="one a processor")
]
ByOption = Annotated[
    str | None,
    typer.Option(
        help="Classes: upos, side, relation, distance, depth, feats:Case ...; upos,side crosses.",
        show_default="upos,side",
    ),
]
MetricOption = Annotated[
    str | None, typer.Option(help="What counts as right: UAS or LAS.", show_default="UAS")
]
PunctOption = Annotated[bool, typer.Option("--punct", help="Punctuation counts.")]
PartedByOption = Annotated[
    str | None,
    typer.Option(help="Parser whose curves part simple from complex.", show_default="each its own"),
]
TreebankOption = Annotated[
    str | None, typer.Option(help="The curve of this treebank.", show_default="the average")
]
MinWordsOption = Annotated[
    int, typer.Option(help="Test words a class must have in a treebank to count there.")
]
LevelOption = Annotated[float, typer.Option(help="Coverage of the intervals.")]
ResamplesOption = Annotated[int, typer.Option(help="Draws behind the intervals.")]
OverOption = Annotated[Over, typer.Option(help="What is drawn anew for intervals.")]
SeedOption = Annotated[int, typer.Option(help="Same seed, same intervals.")]
PlotOption = Annotated[
    Path | None,
    typer.Option(help="Write the figure to this file: .json (Vega-Lite) .svg .png .pdf .html"),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print.")]
OutOption = Annotated[Path | None, typer.Option(help="Write to this file.")]


@dataclass(frozen=True)
class Wanted:
    """How to come by counts: what to count, and what to train where there is nothing yet."""

    parsers: Sequence[str] = ()
    options: Sequence[str] = ()
    sizes: str | None = None
    samples: int = 5
    nested: bool = False
    store: Path = STORE
    root: Path | None = None
    workers: int | None = None
    by: str | None = None
    metric: str | None = None
    punct: bool = False
    #: Whether a treebank's whole train part is a size too.
    whole: bool = False

    @property
    def counting(self) -> dict[str, Any]:
        """Options of what is counted."""
        from treegauge.scoring.attachment import PAPER_CLASSES

        return {
            "by": self.by or PAPER_CLASSES, "metric": self.metric or "UAS", "punct": self.punct
        }  # fmt: skip

    @property
    def chosen_sizes(self) -> list[int]:
        """Sizes asked for, none if there are none."""
        return numbers(self.sizes) if self.sizes else []


def numbers(text: str) -> list[int]:
    """Read whole numbers with commas between."""
    from treegauge.results.errors import TreegaugeError

    try:
        found = sorted({int(part) for part in text.replace(" ", ",").split(",") if part})
    except ValueError:
        found = []
    if not found or found[0] < 1:
        raise TreegaugeError(f"sizes are {text!r}; expected such as {SIZES}")
    return found


def composite_of(counts: "Attachments", parted_by: str | None) -> "Attachments":
    """Sum over simple and complex classes, parted by one parser's curves or by each one's own."""
    from treegauge.curves.partition import composites, partition

    return composites(counts, partition(counts, parted_by) if parted_by else None)


def load(sources: list[str], wanted: Wanted) -> "Attachments":
    """Return the counts behind all sources: read, gathered from stores, or trained for."""
    from treegauge.curves.attachments import joined, read_attachments
    from treegauge.results.errors import TreegaugeError

    parts, folders = [], []
    for source in sources:
        path = Path(source)
        if path.is_dir() and (path / "ledger.sqlite").exists():
            parts.append(_gathered(path, {}, wanted, "*"))
        elif path.is_dir():
            folders.append(source)
        elif not path.exists():
            raise TreegaugeError(
                f"{source} is not there; expected a table of counts (.csv, .parquet), a store of "
                "`treegauge run`, or the folder of a treebank"
            )
        else:
            if wanted.by or wanted.metric or wanted.punct:
                raise TreegaugeError(
                    f"{source} is counted already: --by, --metric and --punct go with stores and "
                    "treebanks"
                )
            parts.append(read_attachments(source))
    if folders:
        parts.append(_trained(folders, wanted))
    found = parts[0] if len(parts) == 1 else joined(parts)
    return found.select(parsers=[] if folders else wanted.parsers, sizes=wanted.chosen_sizes)


def plan_of(folders: Sequence[str], wanted: Wanted) -> "Plan":
    """Return the cells that curves of these treebanks need."""
    from treegauge.experiments.grids import Choice as Parser
    from treegauge.experiments.grids import grid
    from treegauge.experiments.inventory import inventory
    from treegauge.experiments.plans import Plan
    from treegauge.parsers.options import given_options
    from treegauge.parsers.registry import find_parser

    parsers = []
    for name in wanted.parsers or ["beam"]:
        given = given_options(find_parser(name).options, wanted.options)
        parsers.append(Parser(name, given))
    grids = []
    for folder in folders:
        there = inventory(folder).sentences.get("train", 0)
        sizes = wanted.chosen_sizes or numbers(SIZES)
        if wanted.whole and not wanted.sizes:
            sizes = [*(size for size in sizes if size < there), there]
        shared: dict[str, Any] = {
            "treebanks": str(Path(folder).resolve()),
            "parsers": parsers,
            "parameters": {"train_limit": sizes[-1], "nested": wanted.nested},
        }
        # All of the sentences are one sampling: there only the seed can vary.
        if sizes[:-1]:
            grids.append(grid("curve", sizes=sizes[:-1], samples=wanted.samples, **shared))
        grids.append(
            grid("curve", sizes=sizes[-1:], samples=1, seeds=range(wanted.samples), **shared)
        )
    return Plan(tuple(grids), "curve")


def _trained(folders: list[str], wanted: Wanted) -> "Attachments":
    from treegauge.experiments.running import run
    from treegauge.results.errors import TreegaugeError

    plan = plan_of(folders, wanted)
    cells = plan.expand()
    for reason in cells.refused:
        typer.echo(f"left out: {reason}", err=True)
    if not len(cells):
        raise TreegaugeError("nothing to train on: " + "; ".join(cells.refused))
    with steps("cells") as progress:
        done = run(cells, wanted.store, workers=wanted.workers, progress=progress)
    if done.done:
        told = f"{done.done} cells trained in {done.seconds:.0f} s, kept in {wanted.store}"
        typer.echo(told, err=True)
    if done.failed:
        raise TreegaugeError(
            f"{done.failed} of {done.total} cells failed; see `treegauge status {wanted.store}`"
        )
    homes = {batch.setup.name: batch.setup.treebank for batch in cells.batches}
    keys = {cell.key for cell in cells.cells()}
    return _gathered(wanted.store, homes, wanted, keys)


def _gathered(
    store: Path, homes: dict[str, str], wanted: Wanted, keys: "set[str] | str"
) -> "Attachments":
    """Count the words of a store's cells, all or some of them."""
    import os

    from treegauge.curves.collecting import collect
    from treegauge.experiments.store import Store

    kept = Store(store)
    results = kept.results(task="curve")
    if isinstance(keys, set):
        results = results.filter(results["key"].is_in(list(keys)))
    root = wanted.root or Path(os.environ.get("TREEGAUGE_UD", "."))
    files = dict(results.select("treebank", "files").iter_rows()) if results.height else {}

    def gold(name: str) -> "Treebank":
        # In the folder itself, or in those of releases below it.
        places = [Path(homes[name])] if name in homes else [root / name, *root.glob(f"*/{name}")]
        return _test_part([place for place in places if place.is_dir()], root, name, files[name])

    return collect(results, kept.words, gold, **wanted.counting)


def _test_part(places: Sequence[Path], root: Path, name: str, files: str) -> "Treebank":
    """Read the test part of the treebank among several that was run on."""
    import json

    from treegauge.experiments.inventory import inventory
    from treegauge.results.errors import TreegaugeError
    from treegauge.treebanks.conllu import read_conllu

    run_on = json.loads(files)
    for place in places:
        if all(run_on.get(file) == own for file, own in inventory(str(place)).files.items()):
            return read_conllu(place, split="test", name=name)
    if places:
        told = " and ".join(map(str, places))
        raise TreegaugeError(
            f"{told}: other files than those that were run on; is it another release?"
        )
    raise TreegaugeError(
        f"{name} is not in {root}: name the folder that holds it, or its release, with --root"
    )
