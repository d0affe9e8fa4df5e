"""``treegauge catalogue``: the treebanks on disk, and those among them that fit."""

import os
from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Bundle, Choice, Format, emit


class Part(Choice):
    """Parts of a treebank."""

    train = "train"
    dev = "dev"
    test = "test"


class Prefer(Choice):
    """Which treebank stands for its language."""

    size = "size"
    annotation = "annotation"


def catalogue(
    roots: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders of releases or treebanks.", show_default="$TREEGAUGE_UD"),
    ] = None,
    find: Annotated[
        list[str] | None,
        typer.Option(help="Only these names, codes, languages or families, such as el_gdt@2.9."),
    ] = None,
    has_text: Annotated[bool, typer.Option("--has-text", help="Forms are there.")] = False,
    has_lemmas: Annotated[bool, typer.Option("--has-lemmas", help="Lemmas are there.")] = False,
    has_features: Annotated[
        bool, typer.Option("--has-features", help="Morphological features are there.")
    ] = False,
    has_xpos: Annotated[bool, typer.Option("--has-xpos", help="XPOS is there.")] = False,
    needs: Annotated[list[Part] | None, typer.Option(help="Parts that must be there.")] = None,
    min_words: Annotated[int | None, typer.Option(help="At least this many words.")] = None,
    max_words: Annotated[int | None, typer.Option(help="At most this many words.")] = None,
    max_nonprojective: Annotated[
        float | None, typer.Option(help="At most this share of non-projective trees.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option(help="A bound such as 'train_sentences >= 1000'.")
    ] = None,
    licence: Annotated[str | None, typer.Option(help="A pattern such as 'CC BY-SA *'.")] = None,
    one_per_language: Annotated[
        bool, typer.Option("--one-per-language", help="One treebank per language and release.")
    ] = False,
    prefer: Annotated[Prefer, typer.Option(help="Which one that is.")] = Prefer.size,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each of the others is left out.")
    ] = False,
    paths: Annotated[bool, typer.Option("--paths", help="Print folders, nothing else.")] = False,
    count: Annotated[bool, typer.Option(help="Read the files for their sizes.")] = True,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """List treebanks with languages, families, licences and sizes; choose by criteria.

    treegauge catalogue ud --has-features --min-words 30000 --max-nonprojective 0.1
    --one-per-language --explain
    """
    from treegauge.cli.progress import stages
    from treegauge.results.errors import TreegaugeError
    from treegauge.results.result import Result
    from treegauge.treebanks.catalogue import catalogue as run
    from treegauge.treebanks.selection import Condition

    if not roots:
        told = os.environ.get("TREEGAUGE_UD")
        if not told:
            raise TreegaugeError("no folder given; name one, or set TREEGAUGE_UD to it")
        roots = [Path(told)]
    layers = {"text": has_text, "lemmas": has_lemmas, "features": has_features, "xpos": has_xpos}
    bounds = {"words >=": min_words, "words <=": max_words, "nonprojective <=": max_nonprojective}
    conditions = [f"{text} {bound}" for text, bound in bounds.items() if bound is not None]
    conditions += where or []
    for condition in conditions:
        Condition.parse(condition)  # a slip shows before the reading begins
    found = run(*roots, count=False)
    if find:
        wanted = dict.fromkeys(entry for key in find for entry in found.matching(key))
        found = found.subset(list(wanted), find="+".join(find))
    if count:
        with stages() as stage:
            found = found.counted(progress=stage("reading") if stage else None)
    selection = found.select(
        has=[layer for layer, asked in layers.items() if asked],
        needs=[part.value for part in needs or []],
        where=conditions,
        licence=licence,
        one_per_language=prefer.value if one_per_language else None,
    )
    if paths:
        for entry in selection.kept:
            print(entry.folder)
        return
    # JSON tells what was left out in any case.
    parts: dict[str, Result] = (
        {"left_out": selection.left_out} if explain and fmt is not Format.json else {}
    )
    emit(Bundle.of(selection, parts), fmt, out)
