"""``treegauge labels``: how much of a treebank can be written as labels."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Format, Policy, emit


def labels(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, or folders UD_X.")],
    encoding: Annotated[
        list[str] | None, typer.Option(help="An encoding; repeatable; all by default.")
    ] = None,
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Say which share of trees and arcs each label encoding preserves; of folders, all parts."""
    from treegauge.parsers.labels.coverage import coverage
    from treegauge.treebanks.columns import Treebank
    from treegauge.treebanks.conllu import read_conllu, read_splits

    treebanks: list[Treebank] = []
    for path in paths:
        if Path(path).is_dir():
            treebanks += read_splits(path, errors=errors.value).values()
        else:
            treebanks.append(read_conllu(path, errors=errors.value))
    emit(coverage(*treebanks, names=encoding), fmt, out)
