"""The verb ``design``: the sentences, runs and treebanks that an experiment needs to find a difference."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result, countersign
from treegauge.core.verbs import verb
from treegauge.scoring.metrics.convention import Convention

if TYPE_CHECKING:
    import polars as pl

    from treegauge.scoring.certainty import UnitCounts
    from treegauge.scoring.scores import Scores
    from treegauge.scoring.suite import Suite
    from treegauge.treebanks.data.columns import Treebank

    Output = Treebank | str | PathLike[str]


@dataclass(frozen=True, eq=False)
class SamplePlan(Result):
    """Units, runs or treebanks needed to find a difference in points with probability 0.8.

    One row per pair and kind of unit: how many there are, and how many are needed (None: no number
    is enough) while everything else is as `given`.
    """

    rows: tuple[dict[str, Any], ...]
    wanted: float
    notes: tuple[str, ...]
    signature: str
    kind: ClassVar[str] = "plan"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair and kind of unit."""
        import polars as pl

        return pl.DataFrame(self.rows, infer_schema_length=None)

    def shown(self) -> "pl.DataFrame":
        """Return the table, with a remark where no number is enough."""
        import polars as pl

        needed = pl.col("needed").cast(pl.String).fill_null("no number is enough")
        return self.table.with_columns(needed)

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, the difference to be found, and the notes."""
        from treegauge.scoring.comparisons import POWER

        more = {"difference": self.wanted, "power": POWER, "notes": list(self.notes)}
        return more | super().json_fields()

    def own_text(self) -> str:
        """Return the table under its title."""
        from treegauge.scoring.comparisons import POWER

        points = "point" if self.wanted == 1 else "points"
        title = f"to find a difference of {self.wanted:g} {points} with probability {POWER:g}:"
        return "\n".join([title, tables.to_text(self.shown()), *self.notes, self.signature])


@verb
def design(
    gold: "Output",
    *systems: "Output | Mapping[str, Any]",
    difference: float = 1.0,
    metric: str = "LAS",
    convention: str | Convention = "official",
    split: Literal["train", "dev", "test"] | None = None,
    units: Literal["auto", "documents", "sentences"] = "auto",
    level: float = 0.95,
) -> SamplePlan:
    """Report how many sentences, runs and treebanks an experiment needs to find a difference.

    Needs two or more systems of a pilot study, from which it takes how much differences vary.

    Parameters
    ----------
    gold
        The gold file, or a folder of gold files.
    *systems
        System files or folders, as PATH or NAME=PATH. Repeat a NAME for several runs (seeds) of one
        system. In Python also treebanks, and mappings from names to outputs.
    difference
        The difference in points to be found with probability 0.8.
    metric
        The metric of this difference.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    split
        With folders: only gold files of this split.
    units
        Units of resampling: documents, sentences, or auto (documents if gold has "# newdoc"
        comments, else sentences).
    level
        The level of the test is 1 - level.

    Examples
    --------
    >>> import treegauge as tg
    >>> from treegauge.testing.simulated_parser import simulated_parse
    >>> gold = tg.synthetic(100, seed=1)
    >>> parsed = [tg.parse_conllu(simulated_parse(gold.to_bytes().decode(), seed=seed)) for seed in (1, 2)]
    >>> tg.design(gold, dict(zip("ab", parsed)), difference=2, units="sentences").table.columns
    ['a', 'b', 'unit', 'given', 'available', 'needed']
    """
    from treegauge.core.messages import progress
    from treegauge.scoring.evaluation import evaluate
    from treegauge.scoring.settings import Scoring, score_options
    from treegauge.scoring.systems import answers

    if not difference > 0:
        raise TreegaugeError(f"difference: expected a number of points above 0, found {difference:g}")
    given = answers(gold, systems, split=split)
    (name,), options = score_options(metric, convention, Scoring(units=units, level=level))
    with progress("sentences") as task:
        if not given.several:
            return plan_scores(evaluate(*given.single, options, progress=task.advance), difference, name)
        from treegauge.scoring.suite import score_suite

        suite = score_suite(given.gold, given.systems, options, failures=given.failures, progress=task.advance)
        return plan_suite(suite, difference, metric=name)


def plan_scores(scores: "Scores", wanted: float, metric: str = "LAS") -> SamplePlan:
    """Return the plan for each pair of systems, from their variances on one gold file."""
    import numpy as np

    from treegauge.scoring.certainty import difference
    from treegauge.scoring.comparisons import POWER, unit_counts
    from treegauge.scoring.metrics.registry import canonical
    from treegauge.statistics.planning import needed_units
    from treegauge.statistics.units import LEAST_RUNS, LEAST_UNITS

    if len(scores.systems) < 2:
        raise TreegaugeError("a plan needs at least two systems, to estimate how much their difference varies")
    name, fixed = canonical(metric), False
    rows: list[dict[str, Any]] = []
    for first, second in combinations(scores.systems, 2):
        a, b = (unit_counts(system, [name], scores.units) for system in (first, second))
        estimate = difference(a, b)
        if np.isnan(estimate.standard_error[0]):
            raise TreegaugeError(f"{first.system!r} and {second.system!r} differ in too few {scores.units} for a plan")
        between = [_run_variance(counts) for counts in (a, b)]
        of_units = 1e4 * max(
            float(estimate.standard_error[0]) ** 2
            - sum(value / counts.runs for value, counts in zip(between, (a, b), strict=True)),
            0.0,
        )
        of_run, n = 1e4 * sum(between), a.number
        named = {"a": first.system, "b": second.system}
        precision: dict[str, Any] = {"level": scores.level, "power": POWER}
        has_runs = a.random_runs and b.random_runs
        fixed = fixed or not has_runs
        for runs in sorted({min(a.runs, b.runs), 3, 5, 10}) if has_runs else [min(a.runs, b.runs)]:
            needed = needed_units(wanted, of_units * n, of_run / runs, least=LEAST_UNITS, **precision)
            given = f"{runs} runs each" if has_runs else "these outputs"
            rows.append(named | {"unit": scores.units, "given": given, "available": n, "needed": needed})
        if has_runs:
            needed = needed_units(wanted, of_run, of_units, least=LEAST_RUNS, **precision)
            row = {"unit": "runs", "given": f"{n} {scores.units}", "available": min(a.runs, b.runs)}
            rows.append(named | row | {"needed": needed})
    notes = [f"runs needed: unknown; give {LEAST_RUNS} or more runs of each system to find out"]
    return SamplePlan(
        tuple(rows), wanted, tuple(notes if fixed else ()),
        countersign(scores.signature, m=name, plan=wanted, power=POWER),
    )  # fmt: skip


def _run_variance(counts: "UnitCounts") -> float:
    from treegauge.statistics.draws import ratios

    if not counts.random_runs:
        return 0.0
    return float(ratios(counts.table.sum(axis=1))[:, 0].var(ddof=1))


def plan_suite(suite: "Suite", wanted: float, *, metric: str = "LAS") -> SamplePlan:
    """Return the number of treebanks needed to find a difference between each pair of systems."""
    from math import isnan

    import numpy as np

    from treegauge.scoring.comparisons import POWER
    from treegauge.scoring.hierarchies import paired_differences
    from treegauge.scoring.metrics.registry import canonical
    from treegauge.statistics.planning import needed_units
    from treegauge.statistics.units import LEAST_TREEBANKS

    rows = []
    for (a, b), (names, gains, over) in paired_differences(suite, metric).items():
        number = len(names)
        if number < 2:
            raise TreegaugeError("a plan needs at least two treebanks on which both systems have scores")
        error = float(over.alike.standard_error)
        variance = 1e4 * (float(np.var(gains, ddof=1)) if isnan(error) else number * error**2)
        needed = needed_units(wanted, variance, level=suite.level, power=POWER, least=LEAST_TREEBANKS)
        row = {"a": a, "b": b, "unit": "treebanks", "given": "test sets like these"}
        rows.append(row | {"available": number, "needed": needed})
    signature = countersign(suite.signature, m=canonical(metric))
    return SamplePlan(tuple(rows), wanted, (), countersign(signature, plan=wanted, power=POWER))
