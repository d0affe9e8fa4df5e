"""``treegauge rank``: how far a leaderboard would survive other treebanks.

``treegauge rank SCORES`` is short for ``treegauge rank stability SCORES``. Every module
``cli/rank_VERB.py`` with a function ``VERB`` adds a command of that name.
"""

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treegauge.cli.defaulting import defaulting
from treegauge.cli.output import Choice, Format, emit
from treegauge.cli.progress import counting

if TYPE_CHECKING:
    from treegauge.ranking.scores import Scores
    from treegauge.results.result import Result

DEFAULT = "stability"


class Missing(Choice):
    """What to do about missing scores."""

    error = "error"
    drop_treebank = "drop-treebank"
    drop_system = "drop-system"


class Ties(Choice):
    """What systems with equal means get."""

    average = "average"
    min = "min"
    max = "max"


app = typer.Typer(
    cls=defaulting(DEFAULT),
    no_args_is_help=True,
    help="Would this leaderboard survive other treebanks? `rank SCORES` means `rank stability "
    "SCORES`: see `rank stability --help`.",
)

ScoresArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SCORES...",
        help="conll18, or files: CSV, TSV, Parquet (long or wide), JSON of `treegauge score`.",
    ),
]
MetricOption = Annotated[str, typer.Option(help="Metric to rank by.")]
MissingOption = Annotated[Missing, typer.Option(help="What to do about missing scores.")]
DigitsOption = Annotated[
    int | None, typer.Option(help="Round scores to so many decimals first.", show_default="as is")
]
MetadataOption = Annotated[
    Path | None, typer.Option(help="Table with language, family, tokens, ... of your treebanks.")
]
SubsetOption = Annotated[
    str | None,
    typer.Option(help="Only these treebanks: a named subset (such as Ma18) or codes with commas."),
]


def load(
    scores: list[str],
    *,
    metric: str = "las",
    missing: Missing = Missing.error,
    digits: int | None = None,
    metadata: Path | None = None,
    subset: str | None = None,
) -> "Scores":
    """Read the scores that the options of every rank command describe."""
    from treegauge.ranking.reduction import restrict
    from treegauge.ranking.scores import read_scores

    source: Any = scores[0] if len(scores) == 1 else scores
    table = read_scores(
        source, metric=metric, missing=missing.value, digits=digits, metadata=metadata
    )
    if subset is None:
        return table
    return restrict(table, subset, absent="error" if missing is Missing.error else "leave-out")


@app.command(DEFAULT)
def stability(
    scores: ScoresArgument,
    metric: MetricOption = "las",
    size: Annotated[
        str, typer.Option(help="Treebanks per subset: 10, 5-20, 5,10,20 or all.")
    ] = "10",
    samples: Annotated[int, typer.Option(help="How many random subsets.")] = 1_000_000,
    exact: Annotated[
        bool, typer.Option("--exact", help="Count over all subsets instead of drawing some.")
    ] = False,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            help="Bound subsets: language:1, genus=Slavic:2, resource:stratified; repeatable."
        ),
    ] = None,
    subset: SubsetOption = None,
    ties: Annotated[Ties, typer.Option(help="Rank of systems with equal means.")] = Ties.average,
    missing: MissingOption = Missing.error,
    digits: DigitsOption = None,
    metadata: MetadataOption = None,
    seed: Annotated[int, typer.Option(help="Seed: same seed, same result.")] = 0,
    threads: Annotated[
        int | None, typer.Option(help="Threads; the result does not depend on them.")
    ] = None,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Rank systems over random subsets of treebanks: best, worst, mean, median, sd, quartiles."""
    from treegauge.results.errors import TreegaugeError

    table = load(
        scores, metric=metric, missing=missing, digits=digits, metadata=metadata, subset=subset
    )
    how: dict[str, Any] = {"size": size, "ties": ties.value, "threads": threads}
    result: Result
    if exact:
        from treegauge.ranking.exact import exact as run_exact

        if constraint:
            raise TreegaugeError(
                "--exact counts all subsets and knows no --constraint; leave one of them out"
            )
        with counting("pairs") as progress:
            result = run_exact(table, **how, progress=progress)
    else:
        from treegauge.ranking.stability import stability as run

        how |= {"samples": samples, "seed": seed, "constraints": constraint or ()}
        with counting("subsets") as progress:
            result = run(table, **how, progress=progress)
    emit(result, fmt, out)


def _add_commands() -> None:
    for found in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if found.name.startswith("rank_"):
            verb = found.name.removeprefix("rank_")
            app.command(verb)(getattr(import_module(f"treegauge.cli.{found.name}"), verb))


_add_commands()
