"""Options and tables that the commands of ``treegauge analyse`` share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treegauge.cli.output import Choice, Format

if TYPE_CHECKING:
    from treegauge.statistics.data_table import DataTable

#: Packaged tables, by the name of the function of :mod:`treegauge.data` that loads each.
PACKAGED = ("ud25", "difficulty_table1")


class Coefficient(Choice):
    """Coefficients of association."""

    spearman = "spearman"
    pearson = "pearson"
    kendall = "kendall"


class Correction(Choice):
    """How p-values are adjusted for their number."""

    benjamini_hochberg = "benjamini-hochberg"
    holm = "holm"
    bonferroni = "bonferroni"


TablesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE...",
        help=f"{' or '.join(PACKAGED)}, or files with a row a treebank: CSV, TSV, Parquet, JSON. "
        "Several are joined by name.",
    ),
]
JoinOption = Annotated[str, typer.Option("--join", help="Column that several tables share.")]
TargetOption = Annotated[str, typer.Option(help="Column to explain, such as las.")]
OfOption = Annotated[
    list[str] | None,
    typer.Option(help="Columns to explain it with; a,b or repeated.", show_default="all numeric"),
]
OneOption = Annotated[str, typer.Option(help="Column to explain it with, such as edv.")]
GivenOption = Annotated[list[str] | None, typer.Option(help="Covariates: a,b or repeated.")]
MethodOption = Annotated[Coefficient, typer.Option(help="Coefficient of correlation.")]
LogOption = Annotated[
    list[str] | None, typer.Option(help="Take the logarithm of these columns; usual for sizes.")
]
LevelOption = Annotated[float, typer.Option(help="Coverage of the intervals.")]
ResamplesOption = Annotated[int, typer.Option(help="Bootstrap resamples; 0: none.")]
AdjustOption = Annotated[Correction, typer.Option(help="How p-values are adjusted.")]
SeedOption = Annotated[int, typer.Option(help="Seed of everything random.")]
PlotOption = Annotated[
    Path | None, typer.Option(help="Draw to this file: .svg, .png, .pdf, .html or .json.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print.")]
OutOption = Annotated[Path | None, typer.Option(help="Write to this file.")]


def names(given: list[str] | None) -> list[str]:
    """Split options that may be repeated, have commas, or both."""
    return [name.strip() for one in given or [] for name in one.split(",") if name.strip()]


def load(tables: list[str], join: str = "treebank") -> "DataTable":
    """Read and join the tables that a command names."""
    from treegauge import data
    from treegauge.results.errors import ChoiceError
    from treegauge.statistics.data_table import as_table, join_tables, read_table

    found = []
    for name in tables:
        if name in PACKAGED:
            found.append(as_table(getattr(data, name)(), name))
        elif not Path(name).suffix and not Path(name).exists():
            raise ChoiceError("table", name, [*PACKAGED, "FILE.csv", "FILE.parquet", "FILE.json"])
        else:
            found.append(read_table(name))
    return join_tables(found, join)


def draw(plot: Path | None, figure: str, *parts: Any, **how: Any) -> None:
    """Write a figure, if wanted: `figure` names a module of the plots and a function of it."""
    if plot is not None:
        from importlib import import_module

        from treegauge.figures.saving import save

        module, _, name = figure.partition(".")
        save(getattr(import_module(f"treegauge.figures.{module}"), name)(*parts, **how), plot)
