"""``treegauge parse``: trees for a file."""

from pathlib import Path
from typing import Annotated

import typer


def parse(
    model: Annotated[Path, typer.Argument(help="A model that `treegauge train` wrote.")],
    file: Annotated[str, typer.Argument(help="A CoNLL-U file, parsed or not; - is stdin.")],
    out: Annotated[str, typer.Option("--out", help="Where to write; - is stdout.")] = "-",
) -> None:
    """Replace HEAD and DEPREL of every word by the model's; everything else stays as it is."""
    from treegauge.parse.registry import load_model
    from treegauge.treebank.conllu import read_conllu, write_conllu

    loaded = load_model(model)
    write_conllu(loaded.parse(read_conllu(file, need_heads=False)), out)
