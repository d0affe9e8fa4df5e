"""``treegauge audit``: what makes scores on a treebank mislead."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Choice, Format, Policy, emit


class Fail(Choice):
    """The lowest level that makes the command fail."""

    error = "error"
    warning = "warning"
    never = "never"


def audit(
    folder: Annotated[str, typer.Argument(help="A treebank's folder, such as UD_Greek-GDT.")],
    draws: Annotated[int, typer.Option(help="Random splits to compare with; 0: none.")] = 999,
    seed: Annotated[int, typer.Option(help="Seed of the random splits.")] = 0,
    fail: Annotated[Fail, typer.Option(help="Exit with 1 from this level on.")] = Fail.error,
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Find leaks and duplicates, missing layers, one-word sentences, odd splits, new labels."""
    from treegauge.auditing.auditing import audit as run
    from treegauge.results.errors import TreegaugeError
    from treegauge.treebanks.conllu import read_splits

    parts = read_splits(folder, errors=errors.value)
    if not parts:
        raise TreegaugeError(
            f"{folder}: found no file whose name ends in -train, -dev or -test.conllu"
        )
    result = run(parts, name=Path(folder).resolve().name, draws=draws, seed=seed)
    emit(result, fmt, out)
    grave = result.count("error") + (result.count("warning") if fail is Fail.warning else 0)
    if fail is not Fail.never and grave:
        raise typer.Exit(1)
