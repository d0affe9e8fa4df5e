"""What goes along with a score, alone and once covariates are held fixed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import sign
from treegauge.statistics.association import Association, adjusted, associate
from treegauge.statistics.groups import Group, group_rows
from treegauge.statistics.multiple import METHODS
from treegauge.statistics.partial import Coefficient, check_coefficient
from treegauge.statistics.shown import Analysis
from treegauge.statistics.table import Table, TableLike, as_table

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Correlations(Analysis):
    """Coefficients with their intervals, one row a variable, group and set of covariates."""

    rows: tuple[Association, ...]
    method: Coefficient

    @property
    def table(self) -> "pl.DataFrame":
        """One row a coefficient."""
        import polars as pl

        texts = {"group", "target", "variable", "given"}
        rows = [row.to_dict() for row in self.rows]
        return pl.DataFrame(
            rows,
            schema={
                name: pl.String if name in texts else pl.Int64 if name == "n" else pl.Float64
                for name in rows[0]
            },
        )

    def shown(self) -> "pl.DataFrame":
        """Return the table without what does not vary or repeats."""
        full, frame = self.table, super().shown()
        idle = ["group"] if full["group"].n_unique() == 1 else []
        idle += ["given"] if (full["given"] == "").all() else []
        repeats = full["p_adjusted"].equals(full["p_value"])
        return frame.drop([*idle, *(["p_adjusted"] if repeats else [])])


def correlate(
    data: TableLike,
    target: str,
    of: Sequence[str] = (),
    given: Sequence[str] = (),
    *,
    method: Coefficient = "spearman",
    log: Sequence[str] = (),
    by: str | None = None,
    cut: str | float | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    correction: str = "benjamini-hochberg",
    seed: int = 0,
) -> Correlations:
    """Correlate variables with a target, first alone, then given one covariate more each time.

    Formulas: :func:`treegauge.statistics.partial.partial` for the coefficient,
    :func:`treegauge.statistics.inference.inference` for what follows from it.

    Parameters
    ----------
    data
        A polars frame, a dictionary of columns, or what
        :func:`treegauge.statistics.reading.read_table` returns.
    target, of, given
        Column to explain, columns to explain it with (by default all other numeric ones), and
        covariates.
    method
        ``"spearman"``, ``"pearson"`` or ``"kendall"``.
    log
        Columns of which the logarithm is taken; it changes Pearson's r only.
    by, cut
        Repeat for the groups of rows that :func:`treegauge.statistics.groups.group_rows` makes.
    level, resamples, seed
        Coverage of the intervals; draws of the bootstrap (0: none) and their seed.
    correction
        How p-values are adjusted for their number: ``"benjamini-hochberg"`` (false discovery
        rate), ``"holm"`` or ``"bonferroni"``.

    Returns
    -------
    Correlations
        A coefficient that cannot be computed (constant column, too few rows, covariates that
        determine a column) is missing, and a note says why.

    Notes
    -----
    Sections 3.3, 4.2 and 5 of the EDV paper.

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> found = correlate(ud25(), "las", ["test_words"], ["train_words"], resamples=0)
    >>> [(row.given, round(row.found.r, 3)) for row in found.rows]
    [((), 0.434), (('train_words',), -0.158)]
    """
    table = as_table(data)
    check_coefficient(method)
    if correction not in METHODS:
        raise ChoiceError("adjustment of p-values", correction, METHODS)
    if cut is not None and by is None:
        raise TreegaugeError(f"cut {cut!r} needs a column to cut: give by as well")
    variables = choose_columns(table, target, of, given, without=by)
    groups = [Group("all", tuple(range(table.frame.height)))]
    groups += group_rows(table, by, cut) if by else []
    rows, notes = associate(
        table, target, variables, given, groups, method, log, level, resamples, seed
    )
    return Correlations(
        rows=tuple(adjusted(rows, correction)),
        method=method,
        notes=tuple(notes),
        signature=sign(
            analysis="correlation",
            table=table.name,
            target=target,
            of="+".join(variables) if of else "all",
            given="+".join(given) or None,
            method=method,
            log="+".join(log) or None,
            by=by,
            cut=cut,
            ci=interval_signature(level, resamples),
            adjust=correction,
            seed=seed if resamples else None,
        ),
    )


def interval_signature(level: float, resamples: int) -> str:
    """Return how the intervals were made."""
    return f"fisher{f'+{resamples}xbca' if resamples else ''}@{level}"


def choose_columns(
    table: Table,
    target: str,
    of: Sequence[str],
    given: Sequence[str] = (),
    without: str | None = None,
) -> list[str]:
    """Return the columns to explain the target with; refuse one that plays two parts."""
    table.check([target], "target column")
    table.check(of)
    table.check(given, "covariate")
    variables = list(of) or [
        name for name in table.numeric() if name not in {target, without, *given}
    ]
    named = [target, *variables, *given]
    for name in named:
        if named.count(name) > 1:
            raise TreegaugeError(
                f"column {name!r} is named twice; target, variables and covariates must differ"
            )
    if not variables:
        raise TreegaugeError(f"{table.source}: no numeric column beside {', '.join(named)}")
    return variables
