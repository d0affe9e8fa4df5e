"""Options that the verbs of training dynamics share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treegauge.cli.output import Choice, Policy
from treegauge.cli.progress import Update, steps, waiting

if TYPE_CHECKING:
    import polars as pl

Treebanks = Annotated[
    list[str], typer.Argument(metavar="TREEBANK...", help="Folders such as UD_X, or train files.")
]
Dev = Annotated[str | None, typer.Option(help="A dev file, in place of the folder's.")]
Parsers = Annotated[
    list[str] | None,
    typer.Option("--parser", help="A parser with probabilities; 'mst rate=0.01' sets options."),
]
Words = Annotated[
    list[str] | None, typer.Option("--option", "-o", help="An option of the parser; repeatable.")
]
Epochs = Annotated[int | None, typer.Option(help="Epochs, unless the parser's own default.")]
Seed = Annotated[int, typer.Option(help="Same seed, same numbers.")]
Seeds = Annotated[int, typer.Option(help="Models to average, of consecutive seeds.")]
Keep = Annotated[
    Path | None, typer.Option(help="Folder of recordings: what is there is not trained again.")
]
Malformed = Annotated[Policy, typer.Option(help="Policy for malformed files.")]
Table = Annotated[
    Path | None, typer.Option("--words", help="One row a word, to a .csv or .parquet file.")
]
Picture = Annotated[Path | None, typer.Option(help="Draw to this file, such as a Vega-Lite .json.")]


TABLES = (".csv", ".parquet")


class Layer(Choice):
    """What a figure is of."""

    head = "head"
    relation = "relation"


Of = Annotated[Layer, typer.Option("--of", help="What the figure shows.")]


@contextmanager
def models(parsers: list[str]) -> Iterator[Update | None]:
    """Compile what needs to be, then count the models that are trained."""
    from treegauge.parsers.registry import find_parser

    with waiting("compiling kernels, on first use only"):
        for name in dict.fromkeys(text.split()[0] for text in parsers):
            find_parser(name).prepare()
    with steps("models") as progress:
        yield progress


def save_table(frame: "pl.DataFrame", path: Path) -> None:
    """Write a table to ``.csv`` or ``.parquet``, whole or not at all."""
    from treegauge.results.files import atomic

    with atomic(path) as file:
        if path.suffix == ".csv":
            frame.write_csv(file)
        else:
            frame.write_parquet(file)


def check_ending(path: Path | None, what: str, endings: Sequence[str]) -> None:
    """Refuse a file of a kind that cannot be written, before anything is trained."""
    from treegauge.results.errors import ChoiceError

    if path is not None and path.suffix.lower() not in endings:
        raise ChoiceError(what, path.suffix, endings)
