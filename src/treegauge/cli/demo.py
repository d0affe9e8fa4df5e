"""``treegauge demo``: everything on packaged figures and invented treebanks, ending with a page."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the files and the page.")] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Seed of everything invented.")] = 1,
    samples: Annotated[int, typer.Option(help="Random subsets of each size.")] = 100_000,
) -> None:
    """Invent treebanks and parsers, score, rank, map and learn, and write a page to open.

    The page is what `treegauge report` makes of the files in the folder and the scores of the
    CoNLL 2018 shared task.
    """
    from treegauge.cli.progress import waiting
    from treegauge.reporting.building import report
    from treegauge.reporting.demo import make_inputs
    from treegauge.results.files import atomic

    def say(text: str) -> None:
        typer.echo(text)

    out.mkdir(parents=True, exist_ok=True)
    with waiting("at work"):
        inputs = make_inputs(out, seed=seed, say=say)
        text = report(inputs, title="treegauge demo", samples=samples, say=say)
    target = out / "index.html"
    with atomic(target) as file:
        file.write(text.encode())
    names = " ".join(Path(one).name for one in inputs)
    say(f"again: cd {out} && treegauge report {names}")
    say(f"done: open {target.resolve()}")
