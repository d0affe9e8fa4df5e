"""``treegauge convert``: CoNLL-U to tables and back, mended or sampled on the way."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treegauge.cli.output import Policy

if TYPE_CHECKING:
    from treegauge.treebanks.columns import Treebank

_TABLES = (".parquet", ".csv", ".tsv", ".arrow")
_TEXTS = (".conllu", ".conllu.gz", ".conllu.xz", ".conllu.bz2", ".conllu.zst")


def convert(
    source: Annotated[str, typer.Argument(help="A .conllu (packed or not) or table file.")],
    target: Annotated[str, typer.Argument(help="Where to; the ending says how. - is stdout.")],
    split: Annotated[str | None, typer.Option(help="train, dev or test of a folder.")] = None,
    errors: Annotated[Policy, typer.Option(help="What to do about problems.")] = Policy.strict,
    unparsed: Annotated[bool, typer.Option(help="Let _ stand in HEAD.")] = False,
    sample: Annotated[int | None, typer.Option(help="Draw so many sentences.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 0,
) -> None:
    """Convert between CoNLL-U (.conllu, .conllu.gz, .xz, .zst) and .parquet, .arrow, .csv, .tsv.

    Tables hold every row and comment, so that converting back loses nothing.
    """
    from treegauge.results.errors import ChoiceError
    from treegauge.treebanks.conllu import read_conllu, write_conllu

    plain = target == "-" or not Path(target).suffix
    if not (plain or target.endswith((*_TEXTS, *_TABLES))):
        raise ChoiceError("ending", Path(target).name, [*_TEXTS, *_TABLES])
    if Path(source).suffix in _TABLES:
        treebank = _read_table(source, errors, unparsed)
    else:
        treebank = read_conllu(source, split=split, errors=errors.value, need_heads=not unparsed)
    for problem in treebank.problems:
        if problem.action:
            typer.echo(str(problem), err=True)
    if sample is not None:
        treebank = treebank.sample(sample, seed=seed)
    if Path(target).suffix in _TABLES:
        _write_table(treebank, Path(target))
    else:
        write_conllu(treebank, target)
    if target != "-":
        typer.echo(f"{target}: {len(treebank)} sentences, {treebank.n_words} words", err=True)


def _read_table(source: str, errors: Policy, unparsed: bool) -> "Treebank":
    import polars as pl

    from treegauge.results.errors import TreegaugeError
    from treegauge.treebanks.frames import from_frame

    ending = Path(source).suffix
    try:
        if ending == ".parquet":
            frame = pl.read_parquet(source)
        elif ending == ".arrow":
            frame = pl.read_ipc(source)
        else:
            separator = "\t" if ending == ".tsv" else ","
            frame = pl.read_csv(source, separator=separator, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TreegaugeError(f"{source}: cannot read the table: {error}") from error
    heads = False if unparsed else None
    return from_frame(frame, name=Path(source).stem, errors=errors.value, need_heads=heads)


def _write_table(treebank: "Treebank", target: Path) -> None:
    from treegauge.results.files import atomic

    frame = treebank.to_rows()
    with atomic(target) as file:
        if target.suffix == ".parquet":
            frame.write_parquet(file)
        elif target.suffix == ".arrow":
            frame.write_ipc(file)
        else:
            frame.write_csv(file, separator="\t" if target.suffix == ".tsv" else ",")
