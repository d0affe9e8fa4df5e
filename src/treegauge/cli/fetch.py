"""``treegauge fetch``: treebanks from a release's archive, a git mirror or plain addresses."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Format, emit


def fetch(
    wanted: Annotated[
        list[str],
        typer.Argument(help="Such as UD_Greek-GDT@2.9 or el_gdt@2.9; all@2.9 of an archive."),
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            envvar="TREEGAUGE_FROM",
            help="Archive, git repository or address; {name}, {code}, {release} and {split} are "
            "filled in.",
        ),
    ] = None,
    into: Annotated[
        Path, typer.Option(envvar="TREEGAUGE_UD", help="Folder of releases to put it into.")
    ] = Path("ud"),
    sha256: Annotated[str | None, typer.Option(help="Checksum of the file downloaded.")] = None,
    cache: Annotated[
        Path | None, typer.Option(envvar="TREEGAUGE_CACHE", help="Folder for downloads.")
    ] = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Download again what is in the cache.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a treebank that is there.")
    ] = False,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Fetch treebanks: resumed where it broke off, checked, and there whole or not at all.

    treegauge fetch UD_Greek-GDT@2.9 --from ud-treebanks-v2.9.tgz
    """
    from treegauge.cli.progress import stages
    from treegauge.results.errors import TreegaugeError
    from treegauge.treebanks.fetching import fetch as run
    from treegauge.treebanks.places import Wanted, advice

    if source is None:
        raise TreegaugeError(advice(Wanted.parse(wanted[0]).release))
    with stages() as stage:
        result = run(
            wanted, source, into=into, sha256=sha256, cache=cache, refresh=refresh,
            replace=replace, stage=stage,
        )  # fmt: skip
    emit(result, fmt, out)
