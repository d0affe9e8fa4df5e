"""``treegauge tag``: copies of files with predicted tags."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Format, Policy, emit
from treegauge.cli.progress import steps


def tag(
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="A file with gold tags, or a folder UD_X.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the copies.")],
    others: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="More files to tag.")
    ] = None,
    columns: Annotated[
        str, typer.Option(help="What to predict: upos, xpos, feats, lemma, joined by commas.")
    ] = "upos",
    folds: Annotated[
        int, typer.Option(min=0, help="Folds for the train part; 0 leaves it out.")
    ] = 10,
    iterations: Annotated[int, typer.Option(help="Passes of the tagger.")] = 20,
    seed: Annotated[int, typer.Option(help="Same seed, same tags.")] = 0,
    documents: Annotated[
        bool | None,
        typer.Option(help="Keep documents whole.", show_default="where there are enough"),
    ] = None,
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Predict tags with UDPipe's tagger, for experiments without gold tags.

    The train part is tagged by folds, each by a tagger that has not seen it; of a folder, dev and
    test are tagged by a tagger trained on all of train. Prints how often tags are right.
    """
    from treegauge.parsers.tagging import tag_files

    with steps("taggers") as progress:
        result = tag_files(
            train, others or [], out, folds=folds, columns=[c.strip() for c in columns.split(",")],
            iterations=iterations, seed=seed, documents=documents, errors=errors.value,
            progress=progress,
        )  # fmt: skip
    emit(result, fmt)
