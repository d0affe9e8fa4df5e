"""``treegauge check``: all problems of CoNLL-U files, told like a compiler tells them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Format


def check(
    files: Annotated[list[str], typer.Argument(help="Files, folders or patterns; - is stdin.")],
    unparsed: Annotated[bool, typer.Option(help="Let _ stand in HEAD.")] = False,
    warnings: Annotated[bool, typer.Option(help="Tell warnings, too.")] = True,
    strict: Annotated[bool, typer.Option(help="Fail on warnings, too.")] = False,
    fmt: Annotated[Format, typer.Option("--format", help="text, json or csv.")] = Format.text,
) -> None:
    """List every problem with file, line, sent_id, what was found and what was expected.

    Errors are what the official scoring script refuses; warnings are what CoNLL-U forbids but the
    script lets pass. Exits with 1 if there is an error.
    """
    from treegauge.errors import ChoiceError
    from treegauge.result import sign
    from treegauge.treebank.checking import check_conllu

    if fmt not in {Format.text, Format.json, Format.csv}:
        raise ChoiceError("format of check", fmt.value, ["text", "json", "csv"])
    counts = {"error": 0, "warning": 0}
    kept = []
    columns = ("file", "line", "level", "kind", "sent_id", "found", "expected")
    if fmt is Format.csv:
        _csv(columns)
    for file in files:
        for problem in check_conllu(file, need_heads=not unparsed):
            counts[problem.level] += 1
            if problem.level == "warning" and not warnings:
                continue
            if fmt is Format.text:
                print(problem)
                continue
            row = {column: getattr(problem, column) for column in columns}
            if fmt is Format.csv:
                _csv(row.values())
            else:
                kept.append(row)
    if fmt is Format.json:
        signature = sign(v="check", files=len(files), heads=not unparsed)
        print(json.dumps({"signature": signature, **counts, "problems": kept}, indent=2))
    elif fmt is Format.text:
        names = ", ".join(Path(file).name for file in files[:3]) + (
            ", ..." if len(files) > 3 else ""
        )
        typer.echo(f"{names}: {counts['error']} errors, {counts['warning']} warnings", err=True)
    if counts["error"] or (strict and counts["warning"]):
        raise typer.Exit(1)


def _csv(row: Iterable[object]) -> None:
    import csv
    import sys

    csv.writer(sys.stdout, lineterminator="\n").writerow(row)
