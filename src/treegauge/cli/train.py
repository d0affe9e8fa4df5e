"""``treegauge train``: make a model from a treebank."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Policy
from treegauge.cli.progress import steps, waiting


def train(
    parser: Annotated[str, typer.Argument(help="Name of a parser: see `treegauge parsers`.")],
    treebank: Annotated[str, typer.Argument(metavar="TRAIN", help="A file, or a folder UD_X.")],
    out: Annotated[Path, typer.Option("--out", help="Where to write the model.")],
    dev: Annotated[
        str | None, typer.Option(help="A dev file, for parsers that stop early.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="An option: epochs=5; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same model.")] = 0,
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
) -> None:
    """Train a parser on gold trees; of a folder its train part, with its dev part beside.

    The first use of a parser compiles its kernels, which takes some seconds. A dev part serves to
    choose the best epoch or to stop early, as the parser does.
    """
    import time

    from treegauge.parsers.base import Model
    from treegauge.parsers.options import read_options
    from treegauge.parsers.registry import find_parser
    from treegauge.parsers.storage import check_place
    from treegauge.treebanks.conllu import read_conllu, read_splits

    entry = find_parser(parser)
    how = read_options(entry.options, option or [])
    chosen = entry.make(how)
    check_place(out)
    if Path(treebank).is_dir():
        parts = read_splits(treebank, errors=errors.value)
        gold = parts["train"] if "train" in parts else read_conllu(treebank, split="train")
        held = parts.get("dev") if dev is None else read_conllu(dev, errors=errors.value)
    else:
        gold = read_conllu(treebank, errors=errors.value)
        held = None if dev is None else read_conllu(dev, errors=errors.value)
    if entry.compiled:
        with waiting("compiling kernels, on first use only"):
            entry.prepare(how)
    start = time.perf_counter()
    epochs = getattr(how, "epochs", None)
    with steps("epochs") if epochs else waiting("training") as progress:

        def told(epoch: int, model: Model) -> None:
            if progress:
                progress(epoch, epochs)

        model = chosen.fit(gold, held, seed=seed, on_epoch=told if progress else None)
    took = time.perf_counter() - start
    model.save(out)
    typer.echo(
        f"{out}: {parser} trained on {len(gold)} sentences of {gold.name} in {took:.1f} s", err=True
    )
