"""``treegauge parse``: trees for a file."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Policy
from treegauge.cli.progress import waiting


def parse(
    model: Annotated[Path, typer.Argument(help="A model that `treegauge train` wrote.")],
    file: Annotated[str, typer.Argument(help="A CoNLL-U file, parsed or not; - is stdin.")],
    out: Annotated[str, typer.Option("--out", help="Where to write; - is stdout.")] = "-",
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
) -> None:
    """Replace HEAD and DEPREL of every word by the model's; everything else stays as it is.

    Heads that are no trees are replaced like any others.
    """
    from treegauge.parsers.registry import load_model
    from treegauge.treebanks.conllu import TOLERABLE, read_conllu, write_conllu

    with waiting("parsing; kernels are compiled on first use"):
        loaded = load_model(model)
        given = read_conllu(file, errors=errors.value, need_heads=False, allow=TOLERABLE)
        parsed = loaded.parse(given)
    write_conllu(parsed, out)
