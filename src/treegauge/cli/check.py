"""``treegauge check``: all problems of CoNLL-U files, told like a compiler tells them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from treegauge.cli.output import Format
from treegauge.results.result import sign

_COLUMNS = ("file", "line", "level", "kind", "sent_id", "found", "expected")


def check(
    files: Annotated[list[str], typer.Argument(help="Files, folders or patterns; - is stdin.")],
    unparsed: Annotated[bool, typer.Option(help="Let _ stand in HEAD.")] = False,
    warnings: Annotated[bool, typer.Option(help="Tell warnings, too.")] = True,
    strict: Annotated[bool, typer.Option(help="Fail on warnings, too.")] = False,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """List every problem with file, line, sent_id, what was found and what was expected.

    Errors are what the official scoring script refuses; warnings are what CoNLL-U forbids but the
    script lets pass. Exits with 1 if there is an error.
    """
    from treegauge.validation.check import check_conllu

    counts = {"error": 0, "warning": 0}
    kept = []
    if fmt is Format.csv:
        _csv(_COLUMNS)
    for file in files:
        for problem in check_conllu(file, need_heads=not unparsed):
            counts[problem.level] += 1
            if problem.level == "warning" and not warnings:
                continue
            row = {column: getattr(problem, column) for column in _COLUMNS}
            if fmt is Format.text:
                print(problem)
            elif fmt is Format.csv:
                _csv(row.values())
            else:
                kept.append(row)
    if fmt is Format.text:
        names = [Path(file).name or file for file in files[:3]] + ["..."] * (len(files) > 3)
        told = (f"{n} {level}{'' if n == 1 else 's'}" for level, n in counts.items())
        typer.echo(f"{', '.join(names)}: {', '.join(told)}", err=True)
    elif fmt is not Format.csv:
        _whole(kept, counts, sign(v="check", files=len(files), heads=not unparsed), fmt)
    if counts["error"] or (strict and counts["warning"]):
        raise typer.Exit(1)


def _whole(kept: list[dict[str, Any]], counts: dict[str, int], signature: str, fmt: Format) -> None:
    """Print what can only be written when everything is known."""
    if fmt is Format.json:
        print(json.dumps({"signature": signature, **counts, "problems": kept}, indent=2))
        return
    import polars as pl

    from treegauge.results import tables

    layout = tables.to_latex if fmt is Format.latex else tables.to_html
    print(layout(pl.DataFrame(kept, schema=list(_COLUMNS)), note=signature))


def _csv(row: Iterable[object]) -> None:
    import csv
    import sys

    csv.writer(sys.stdout, lineterminator="\n").writerow(row)
