"""``treegauge analyse``: what explains a score, from a table with a row a treebank.

``treegauge analyse TABLE`` is short for ``treegauge analyse correlation TABLE``.
"""

from typing import Annotated, Any

import typer

from treegauge.cli.analyse_options import (
    AdjustOption,
    Coefficient,
    Correction,
    FormatOption,
    GivenOption,
    JoinOption,
    LevelOption,
    LogOption,
    MethodOption,
    OfOption,
    OneOption,
    OutOption,
    PlotOption,
    ResamplesOption,
    SeedOption,
    TablesArgument,
    TargetOption,
    draw,
    load,
    names,
)  # fmt: skip
from treegauge.cli.defaulting import defaulting
from treegauge.cli.output import Bundle, Format, emit

app = typer.Typer(
    cls=defaulting("correlation"),
    no_args_is_help=True,
    help="What explains a score? `analyse TABLE --target las` means `analyse correlation TABLE "
    "--target las`: see `analyse correlation --help`.",
)


@app.command()
def correlation(
    tables: TablesArgument,
    target: TargetOption,
    of: OfOption = None,
    given: GivenOption = None,
    method: MethodOption = Coefficient.spearman,
    log: LogOption = None,
    by: Annotated[str | None, typer.Option(help="Repeat for each value of this column.")] = None,
    cut: Annotated[
        str | None,
        typer.Option(help="Divide the --by column in two: at its mean, median, or a number."),
    ] = None,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 2000,
    adjust: AdjustOption = Correction.benjamini_hochberg,
    seed: SeedOption = 0,
    join: JoinOption = "treebank",
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Correlate columns with a target, alone and with one covariate more at a time.

    Fisher and bootstrap (BCa) intervals, adjusted r², p-values (adjusted for their number), power.
    """
    from treegauge.statistics.correlation import choose_columns, correlate

    table = load(tables, join)
    found = correlate(
        table,
        target,
        names(of),
        names(given),
        method=method.value,
        log=names(log),
        by=by,
        cut=cut,
        level=level,
        resamples=resamples,
        correction=adjust.value,
        seed=seed,
    )
    variables = choose_columns(table, target, names(of), names(given), without=by)
    draw(plot, "analysis.scatter", table, target, variables, log=names(log))
    emit(found, fmt, out)


@app.command()
def normality(
    tables: TablesArgument,
    of: OfOption = None,
    log: LogOption = None,
    alpha: Annotated[float, typer.Option(help="Reject below this p-value.")] = 0.05,
    join: JoinOption = "treebank",
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Test columns for normality: Shapiro-Wilk, and D'Agostino-Pearson beside it."""
    from treegauge.statistics.normality import normality as run

    table = load(tables, join)
    found = run(table, names(of), log=names(log), alpha=alpha)
    draw(plot, "analysis.distributions", table, names(of) or table.numeric(), log=names(log))
    emit(found, fmt, out)


@app.command()
def matrix(
    tables: TablesArgument,
    of: OfOption = None,
    method: MethodOption = Coefficient.spearman,
    log: LogOption = None,
    level: LevelOption = 0.95,
    adjust: AdjustOption = Correction.benjamini_hochberg,
    join: JoinOption = "treebank",
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Correlate every column with every other; stars mark small adjusted p-values."""
    from treegauge.statistics.correlation_tables import correlation_matrix

    found = correlation_matrix(
        load(tables, join),
        names(of),
        method=method.value,
        log=names(log),
        level=level,
        correction=adjust.value,
    )
    draw(plot, "analysis.matrix", found)
    emit(found, fmt, out)


@app.command()
def background(
    tables: TablesArgument,
    target: TargetOption,
    of: OneOption,
    given: GivenOption = None,
    log: LogOption = None,
    method: MethodOption = Coefficient.spearman,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 2000,
    seed: SeedOption = 0,
    join: JoinOption = "treebank",
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Divide the target by what each covariate predicts; correlate with what is left."""
    from treegauge.statistics.background import remove_background

    found = remove_background(
        load(tables, join),
        target,
        of,
        names(given),
        log=names(log),
        method=method.value,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    draw(plot, "analysis.background", found)
    emit(found, fmt, out)


@app.command()
def regression(
    tables: TablesArgument,
    target: TargetOption,
    on: Annotated[list[str], typer.Option(help="Predictors: a,b or repeated.")],
    log: LogOption = None,
    predict: Annotated[
        str | None, typer.Option(help="Predict the target of the rows of this table.")
    ] = None,
    leave_one_out: Annotated[
        bool, typer.Option("--leave-one-out", help="Predict every row from the others.")
    ] = False,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 2000,
    seed: SeedOption = 0,
    join: JoinOption = "treebank",
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Fit a linear model: coefficients, relative importance (LMG), error on unseen rows."""
    from treegauge.statistics.regression import regress

    model = regress(
        load(tables, join),
        target,
        names(on),
        log=names(log),
        level=level,
        resamples=resamples,
        seed=seed,
    )
    parts: dict[str, Any] = {}
    if leave_one_out:
        parts["leave_one_out"] = model.leave_one_out()
    if predict is not None:
        parts["predictions"] = model.predict(load([predict]))
    shown = parts.get("predictions") or model.leave_one_out()
    draw(plot, "analysis.predictions", shown, target)
    emit(Bundle.of(model, parts), fmt, out)


@app.command()
def bins(
    tables: TablesArgument,
    target: TargetOption,
    of: OneOption,
    given: GivenOption = None,
    column: Annotated[str, typer.Option("--bin", help="Column of whole numbers.")] = "length",
    low: Annotated[int, typer.Option(help="Smallest bin.")] = 3,
    high: Annotated[int, typer.Option(help="Largest bin.")] = 30,
    method: MethodOption = Coefficient.spearman,
    log: LogOption = None,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 0,
    adjust: AdjustOption = Correction.benjamini_hochberg,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Correlate within each bin of sentence length; a row a treebank and length."""
    from treegauge.statistics.correlation_tables import correlate_bins

    found = correlate_bins(
        load(tables),
        target,
        of,
        names(given),
        bin=column,
        low=low,
        high=high,
        method=method.value,
        log=names(log),
        level=level,
        resamples=resamples,
        correction=adjust.value,
        seed=seed,
    )
    draw(plot, "analysis.bins", found)
    emit(found, fmt, out)


@app.command()
def shape(
    tables: TablesArgument,
    of: OneOption,
    resamples: ResamplesOption = 200,
    seed: SeedOption = 0,
    join: JoinOption = "treebank",
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Fit a skew-normal curve to a column, with its goodness of fit."""
    from treegauge.statistics.normality import fit_skew_normal

    numbers = load(tables, join).numbers(of)
    found = fit_skew_normal(numbers, resamples=resamples, seed=seed, name=of)
    draw(plot, "analysis.shape", found, numbers, of)
    emit(found, fmt, out)


@app.command()
def power(
    n: Annotated[int | None, typer.Option(help="Number of rows (treebanks).")] = None,
    r: Annotated[float | None, typer.Option(help="The coefficient you expect.")] = None,
    covariates: Annotated[int, typer.Option(help="Number of covariates.")] = 0,
    wanted: Annotated[float, typer.Option("--power", help="The power you want.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Tell the power of n rows, the rows a coefficient needs, the coefficient n rows find."""
    from treegauge.statistics.power import plan

    emit(plan(n, r, covariates=covariates, power=wanted, alpha=alpha), fmt, out)
