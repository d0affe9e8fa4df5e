"""The verb ``design``: the sentences, runs and treebanks that an experiment needs to find a difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl, scipy
from treegauge.core.reading import parse_number, read_file
from treegauge.core.result import Result, countersign
from treegauge.core.verbs import verb
from treegauge.ranking.claims import parse_claim
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.metadata import name_key, units_of
from treegauge.ranking.reading import READING, LeaderboardReading, gold_among, leaderboard_of
from treegauge.ranking.selection import CONDITIONS, SubsetConditions, demands_of
from treegauge.scoring.certainty import difference as difference_of
from treegauge.scoring.metrics.registry import canonical
from treegauge.scoring.paired_tests import POWER, paired_differences, unit_counts
from treegauge.scoring.settings import Scoring, score_options
from treegauge.scoring.systems import answers
from treegauge.statistics.draws import ratios
from treegauge.statistics.multiple import TEXT_WIDTH, sequence_interval
from treegauge.statistics.planning import (
    needed_units,
    power_of_units,
    signed_rank_difference,
    signed_rank_power,
    significant_errors,
    smallest,
)
from treegauge.statistics.student_intervals import StudentEstimate
from treegauge.statistics.units import GENUS, LEAST_RUNS, LEAST_UNITS, unit_codes

if TYPE_CHECKING:
    from treegauge.scoring.certainty import UnitCounts
    from treegauge.scoring.scores import Scores
    from treegauge.scoring.suite import Suite

Floats = NDArray[np.float64]
LEAST_GENERA = 7
"""With six, the signed-rank test is significant only if all have one sign."""
TYPICAL = 10
"""Of all pairs, the share (one in so many, and at least so many) whose differences are closest to that to be found."""


@dataclass(frozen=True, eq=False)
class SamplePlan(Result, kind="plan"):
    """Units, runs or treebanks needed to find a difference in points with probability 0.8.

    One row per pair and kind of unit: how many there are, and how many are needed (None: no number
    is enough) while everything else is as `given`. That whole number has the power `promised`, which
    is above 0.8 where one unit more adds several points. If the difference is true, the units there find it
    with probability `power`; of significant results `type_s` is the share with the wrong sign, and
    `type_m` the ratio of their mean size to the true one. `always_low` and `always_high` are limits of
    the pilot's difference that hold however often one adds units and looks again. `subset` has the
    smallest set of treebanks, and `hours` what it costs.
    """

    rows: tuple[dict[str, Any], ...]
    wanted: float
    notes: tuple[str, ...]
    signature: str
    subset: tuple[str, ...] = ()
    hours: float | None = None

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair and kind of unit."""
        return pl.DataFrame(self.rows, infer_schema_length=None)

    def shown(self) -> "pl.DataFrame":
        """Return the table, with a remark where no number is enough."""
        needed = pl.col("needed").cast(pl.String).fill_null("no number is enough")
        hidden = [name for name in self.table.columns if name.startswith("always")]
        table = self.table.drop(hidden).with_columns(needed)
        return table.drop(column.name for column in table.iter_columns() if column.is_null().all())

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, the difference to be found, the smallest set, and the notes."""
        more = {"difference": self.wanted, "power": POWER, "notes": list(self.notes)}
        return more | {"subset": list(self.subset), "hours": self.hours} | super().json_fields()

    def own_text(self) -> str:
        """Return the table under its title."""
        points = "point" if self.wanted == 1 else "points"
        title = f"to find a difference of {self.wanted:g} {points} with probability {POWER:g}:"
        return "\n".join([title, tables.to_text(self.shown()), *self.notes, self.signature])


@verb
def design(
    *scores: Any,
    difference: float = 1.0,
    claim: str | None = None,
    units: Literal["auto", "documents", "sentences"] = "auto",
    level: float = 0.95,
    conditions: SubsetConditions = CONDITIONS,
    reading: LeaderboardReading = READING,
) -> SamplePlan:
    """Report how many sentences, runs and treebanks an experiment needs to find a difference.

    How much differences vary is taken from a table of scores (conll18), or with --gold from the
    output of two or more systems of a pilot study. A table also gives the smallest set of treebanks.

    Parameters
    ----------
    scores
        conll18, tables of scores, stores or results; with --gold system files or folders, as PATH or
        NAME=PATH. Repeat a NAME for several runs (seeds) of one system.
    difference
        The difference in points to be found with probability 0.8.
    claim
        Two systems of a table, such as "A > B", whose differences vary as yours will. Default: a
        typical pair, of those whose difference is close to the one to be found.
    units
        With --gold: documents, sentences, or auto (documents if gold has "# newdoc" comments, else
        sentences).
    level
        The level of the test is 1 - level.

    Examples
    --------
    >>> import treegauge as tg
    >>> plan = tg.design("conll18", difference=4, at_most=["language:1"])
    >>> plan.table.columns[:6], len(plan.subset) > 7
    (['a', 'b', 'unit', 'given', 'available', 'needed'], True)
    """
    if not difference > 0:
        raise TreegaugeError(f"difference: expected a number of points above 0, found {difference:g}")
    sources, reading = gold_among(scores, reading)
    if reading.gold is None:
        return plan_board(leaderboard_of(sources, reading), difference, claim, conditions, reading.metadata, level)
    if claim is not None or conditions != CONDITIONS:
        raise TreegaugeError("--claim and conditions on treebanks need a table of scores; got --gold")
    return plan_outputs(sources, difference, reading, Scoring(units=units, level=level))


# a pilot study: the output of systems


def plan_outputs(systems: Sequence[Any], wanted: float, reading: LeaderboardReading, scoring: Scoring) -> SamplePlan:
    """Return the plan from the output of systems."""
    from treegauge.core.messages import progress
    from treegauge.scoring.evaluation import evaluate
    from treegauge.scoring.suite import score_suite

    given = answers(reading.gold, systems)
    (name,), options = score_options(reading.metric, "official", scoring)
    with progress("sentences") as task:
        if not given.several:
            return plan_scores(evaluate(*given.single, options, progress=task.advance), wanted, name)
        suite = score_suite(given.gold, given.systems, options, failures=given.failures, progress=task.advance)
        return plan_suite(suite, wanted, name)


def _errors(wanted: float, error: float, df: float, level: float) -> dict[str, float]:
    """Return the power at hand, and the type S and type M errors, as columns of a row."""
    made = significant_errors(wanted, error, df, level)
    return {name: float(value) for name, value in made._asdict().items()}


def plan_scores(scores: "Scores", wanted: float, metric: str = "LAS") -> SamplePlan:
    """Return the plan for each pair of systems, from their variances on one gold file."""
    if len(scores.systems) < 2:
        raise TreegaugeError("a plan needs at least two systems, to estimate how much their difference varies")
    name, fixed = canonical(metric), False
    rows: list[dict[str, Any]] = []
    for first, second in combinations(scores.systems, 2):
        a, b = (unit_counts(system, [name], scores.units) for system in (first, second))
        pilot = pilot_of(a, b)
        estimate, n, error, df = pilot.estimate, a.number, pilot.error, float(pilot.estimate.df[0])
        if np.isnan(error):
            raise TreegaugeError(f"{first.system!r} and {second.system!r} differ in too few {scores.units} for a plan")
        always = [100 * limit for limit in sequence_interval(estimate.reshape(()), n, TEXT_WIDTH, scores.level)]
        limits = dict(zip(("always_low", "always_high"), always, strict=True)) if np.isfinite(always[0]) else {}
        named = {"a": first.system, "b": second.system}
        precision: dict[str, Any] = {"level": scores.level, "pilot": df}
        has_runs = a.random_runs and b.random_runs
        fixed = fixed or not has_runs
        for runs in sorted({min(a.runs, b.runs), 3, 5, 10}) if has_runs else [min(a.runs, b.runs)]:
            needed = units_needed(wanted, pilot.units * n, pilot.run / runs, least=LEAST_UNITS, **precision)
            given = f"{runs} runs each" if has_runs else "these outputs"
            row = named | {"unit": scores.units, "given": given, "available": n} | needed
            at_hand = runs == min(a.runs, b.runs)
            rows.append(row | (_errors(wanted, error, df, scores.level) | limits if at_hand else {}))
        if has_runs:
            needed = units_needed(wanted, pilot.run, pilot.units, least=LEAST_RUNS, samples=2, **precision)
            row = {"unit": "runs", "given": f"{n} {scores.units}", "available": min(a.runs, b.runs)}
            rows.append(named | row | needed)
    notes = [f"runs needed: unknown; give {LEAST_RUNS} or more runs of each system to find out"] if fixed else []
    return SamplePlan(
        tuple(rows), wanted, (*notes, *scores.notes),
        countersign(scores.signature, m=name, plan=wanted, power=POWER),
    )  # fmt: skip


class Pilot(NamedTuple):
    """The difference of two systems on n units, and its variance in squared points.

    `units` is the part of the squared standard error (`error`) that is due to the n units, `run` the
    variance of the difference of single runs.
    """

    estimate: StudentEstimate
    error: float
    units: float
    run: float


def pilot_of(a: "UnitCounts", b: "UnitCounts") -> Pilot:
    """Return the variance of the difference of two systems, divided into units and runs."""
    estimate = difference_of(a, b)
    error, between = 100 * float(estimate.standard_error[0]), [_run_variance(counts) for counts in (a, b)]
    noise = sum(value / counts.runs for value, counts in zip(between, (a, b), strict=True))
    return Pilot(estimate, error, max(error**2 - 1e4 * noise, 0.0), 1e4 * sum(between))


def _run_variance(counts: "UnitCounts") -> float:
    if not counts.random_runs:
        return 0.0
    return float(ratios(counts.table.sum(axis=1))[:, 0].var(ddof=1))


def plan_suite(suite: "Suite", wanted: float, metric: str = "LAS") -> SamplePlan:
    """Return the plan for each pair of systems: more text of these treebanks, or more treebanks."""
    rows, name = [], canonical(metric)
    for (a, b), (names, gains, over) in paired_differences(suite, metric).items():
        number, genera = len(names), 100 * np.array(gains)
        if number < 2:
            raise TreegaugeError("a plan needs at least two treebanks on which both systems have scores")
        named = {"a": a, "b": b}
        if over.here is not None and np.isfinite(over.here.standard_error):
            error, df = 100 * float(over.here.standard_error), float(over.here.df)
            text = sum(suite.counts(treebank, a, name).number for treebank in names)
            needed = units_needed(wanted, text * error**2, level=suite.level, pilot=df, least=number * LEAST_UNITS)
            row = {"unit": suite.units, "given": f"these {number} treebanks", "available": text}
            rows.append(named | row | needed | _errors(wanted, error, df, suite.level))
        deviation = float(genera.std(ddof=1))
        needed = genera_needed(deviation, wanted, number - 1, suite.level)
        row = {"unit": "treebanks", "given": "each of another genus", "available": number}
        rows.append(named | row | needed)
    signature = countersign(suite.signature, m=name)
    return SamplePlan(tuple(rows), wanted, tuple(suite.fallbacks), countersign(signature, plan=wanted, power=POWER))


def units_needed(wanted: float, variance: float, fixed: float = 0.0, **how: Any) -> dict[str, Any]:
    """Return the number of units needed and the power of that number, as columns of a row."""
    needed = needed_units(wanted, variance, fixed, power=POWER, **how)
    how.pop("least")
    return {"needed": needed, "promised": needed and power_of_units(wanted, needed, variance, fixed, **how)}


def genera_needed(deviation: float, wanted: float, pilot: float, level: float) -> dict[str, Any]:
    """Return the number of genera, each with this standard deviation, that the primary test of certify needs.

    With the power of that number, as columns of a row.
    """

    def enough(number: int) -> bool:
        return signed_rank_difference(deviation, number, pilot=pilot, level=level) <= wanted

    needed = smallest(enough, LEAST_GENERA)
    return {"needed": needed, "promised": signed_rank_power(deviation, needed, wanted, pilot=pilot, level=level)}


# a table of scores


@dataclass(frozen=True)
class Spread:
    """How much a difference varies: between genera, and between the treebanks of one genus.

    `pilot` has the degrees of freedom of these variances.
    """

    genera: float
    treebanks: float
    pilot: float
    level: float

    def detectable(self, counts: Sequence[int]) -> float:
        """Return the difference that is found in genera with these numbers of treebanks."""
        variance = self.genera + self.treebanks * float(np.mean(1 / np.asarray(counts)))
        return signed_rank_difference(variance**0.5, len(counts), pilot=self.pilot, level=self.level)


def plan_board(
    board: Leaderboard, wanted: float, claim: str | None = None, conditions: SubsetConditions = CONDITIONS,
    metadata: Any = None, level: float = 0.95,
) -> SamplePlan:  # fmt: skip
    """Return the numbers of genera and treebanks needed, and the smallest set of a table's treebanks.

    Units are genera, each with the mean of its treebanks, as in the primary test of ``certify``.
    """
    if len(board.systems) < 2 or len(board.treebanks) < 2:
        raise TreegaugeError("a plan needs at least two systems on two treebanks, to see how much differences vary")
    units = units_of(board, GENUS)
    differences, named = _pairs(board, wanted, claim)
    spread = spread_of(differences, units.names, level)
    counts = list(np.unique(units.names, return_counts=True)[1])
    needed = genera_needed((spread.genera + spread.treebanks) ** 0.5, wanted, spread.pilot, level)
    row = {"unit": "genera", "given": "one treebank of each", "available": len(counts)}
    rows = [named | row | needed]
    mean = len(counts) / float(np.sum(1 / np.array(counts)))
    deviation = (spread.genera + spread.treebanks / mean) ** 0.5
    needed = genera_needed(deviation, wanted, spread.pilot, level)
    row = {"unit": "genera", "given": "all treebanks of each", "available": len(counts)}
    error = deviation * (np.pi / 3 / len(counts)) ** 0.5
    rows.append(named | row | needed | _errors(wanted, error, len(counts) - 1, level))
    hours = hours_of(board, metadata)
    chosen = smallest_set(board, spread, wanted, conditions, hours)
    notes, cost = [], None
    if chosen is None:
        least = spread.detectable(counts) if len(counts) >= LEAST_GENERA else float("inf")
        found = f"all {len(board.treebanks)} find {least:.2f} points" if np.isfinite(least) else "there are too few"
        notes.append(f"no set of these treebanks under these conditions is large enough; {found}")
    else:
        cost = None if hours is None else float(hours[list(chosen)].sum())
        price = "" if cost is None else f", {cost:g} hours"
        members = ", ".join(board.treebanks[i] for i in chosen)
        what = "cheapest" if cost is not None else "smallest"
        members_of = np.unique([units.names[i] for i in chosen], return_counts=True)[1].tolist()
        least = spread.detectable(members_of)
        kinds = f"{len(chosen)} treebanks of {len(members_of)} genera{price}"
        notes.append(f"{what} set: {kinds}, which find {least:.2f} points: {members}")
    demands = demands_of(board, len(board.treebanks), conditions).demands if conditions != CONDITIONS else ()
    signature = countersign(
        board.signature, claim=claim, plan=wanted, power=POWER, units=GENUS, level=level,
        demands=", ".join(demands) or None,
    )  # fmt: skip
    subset = () if chosen is None else tuple(board.treebanks[i] for i in chosen)
    return SamplePlan(tuple(rows), wanted, tuple(notes), signature, subset, cost)


def _pairs(board: Leaderboard, wanted: float, claim: str | None) -> tuple[Floats, dict[str, str]]:
    """Return the differences (pairs x treebanks) of a claim or of typical pairs, and their names in a row."""
    if claim is not None:
        stated = parse_claim(board, claim)
        a, b = (board.system(name) for name in (stated.a, stated.b))
        return (board.values[a] - board.values[b])[None], {"a": stated.a, "b": stated.b}
    first, second = np.triu_indices(len(board.systems), 1)
    table = board.values[first] - board.values[second]
    number = max(TYPICAL, len(table) // TYPICAL)
    closest = np.argsort(np.abs(np.abs(table.mean(axis=1)) - wanted), kind="stable")[:number]
    return table[closest], {"a": "a system", "b": f"another ({len(closest)} pairs)"}


def spread_of(differences: Floats, genera: Sequence[str], level: float = 0.95) -> Spread:
    """Return the variance components of a pair, or the medians of those of several pairs.

    The variance of one treebank of each genus is that of the means of genera, plus what means of
    several treebanks lack: unbiased also where the part of genera would be below 0.
    """
    codes = unit_codes(genera, len(genera))
    sizes = np.bincount(codes)
    means = np.stack([np.bincount(codes, row) / sizes for row in differences])
    within = np.square(differences - means[:, codes]).sum(axis=1) / max(len(codes) - len(sizes), 1)
    own = means.var(axis=1, ddof=1) - within * np.mean(1 / sizes)
    pilot = len(sizes) - 1.0 if len(differences) == 1 else float("inf")
    between, single = float(np.median(np.maximum(own, 0.0))), float(np.median(own + within))
    return Spread(between, max(single - between, 0.0), pilot, level)


def hours_of(board: Leaderboard, metadata: Any) -> Floats | None:
    """Return the cost of each treebank from a column ``hours`` of the metadata, if there is one."""
    if metadata is None:
        return None
    frame = metadata if isinstance(metadata, pl.DataFrame) else read_file(metadata).frame
    if "hours" not in frame.columns:
        return None
    name = "treebank" if "treebank" in frame.columns else "name"
    known = {name_key(str(row[name])): parse_number(row["hours"]) for row in frame.iter_rows(named=True)}
    costs = [known.get(name_key(treebank)) for treebank in board.treebanks]
    for treebank, cost in zip(board.treebanks, costs, strict=True):
        if cost is None or not 0 <= cost < float("inf"):
            raise TreegaugeError(f"metadata of {treebank}: hours is {cost}; expected a number of at least 0")
    return np.array(costs, dtype=np.float64)


def smallest_set(
    board: Leaderboard, spread: Spread, wanted: float, conditions: SubsetConditions = CONDITIONS,
    hours: Floats | None = None,
) -> tuple[int, ...] | None:  # fmt: skip
    r"""Return the columns of the fewest (or cheapest) treebanks that find a difference; None if none do.

    For each number of genera k, an integer program: :math:`x_t` chooses treebanks and :math:`y_{gj}`
    says that genus g has at least j of them. The variance of the mean of k genera,
    :math:`\sigma_f^2 / k + \sigma_u^2 \sum_g 1 / (n_g k^2)`, is linear in y and has to be small enough;
    of equal costs, treebanks with more tokens are chosen.
    """
    demands = demands_of(board, len(board.treebanks), conditions)
    if any(bound.text.endswith("stratified") for bound in demands.bounds):
        raise TreegaugeError("a stratified constraint needs a size; expected numbers, such as --at-most genus:2")
    names = np.array(units_of(board, GENUS).names)
    genera, codes, sizes = np.unique(names, return_inverse=True, return_counts=True)
    total, places = len(board.treebanks), [(g, j) for g, size in enumerate(sizes) for j in range(1, size + 1)]
    y_genus, y_rank = (np.array(part) for part in zip(*places, strict=True))
    price = np.ones(total) if hours is None else hours + 1e-6
    cost = np.concatenate([price - 1e-10 * np.array(board.metadata["tokens"].fill_null(0).to_list()), 0 * y_rank])
    rows: list[tuple[Any, float, float]] = [
        (np.concatenate([codes == g, -1.0 * (y_genus == g)]), 0, 0) for g in range(len(genera))
    ]
    rows += [
        (np.concatenate([np.zeros(total), 1.0 * (y_genus == g) * (y_rank == 1) - (y_genus == g) * (y_rank == j)]), 0, 1)
        for g, j in places if j > 1
    ]  # fmt: skip
    for bound in demands.bounds:
        for group, (low, high) in enumerate(zip(bound.lows[0], bound.highs[0], strict=True)):
            rows.append((np.concatenate([bound.codes == group, 0 * y_rank]), low, high))
    if any(one.startswith("at most") and one.endswith("tokens") for one in demands.demands):
        rows.append((np.concatenate([demands.weights, 0 * y_rank]), 0, demands.cap))
    least, most = np.zeros(total + len(places)), np.ones(total + len(places))
    least[demands.include], most[demands.exclude] = 1, 0
    best: tuple[float, NDArray[np.int64]] | None = None
    for k in range(LEAST_GENERA, len(genera) + 1):
        # The variance of a genus mean that is small enough; each further treebank lowers the sum of 1 / n.
        deviation = wanted / signed_rank_difference(1.0, k, pilot=spread.pilot, level=spread.level)
        allowed = (deviation**2 - spread.genera) * k
        lowered = np.concatenate([np.zeros(total), np.where(y_rank > 1, 1 / (y_rank * np.maximum(y_rank - 1, 1)), 0)])
        ours = [
            (np.concatenate([np.zeros(total), 1.0 * (y_rank == 1)]), k, k),
            (spread.treebanks * lowered, spread.treebanks * k - allowed, np.inf),
        ]
        matrix, lows, highs = (np.array(part, dtype=float) for part in zip(*rows, *ours, strict=True))
        solved = scipy.optimize.milp(
            cost, integrality=np.ones(len(cost)), bounds=scipy.optimize.Bounds(least, most),
            constraints=scipy.optimize.LinearConstraint(matrix, lows, highs), options={"mip_rel_gap": 0.0},
        )  # fmt: skip
        if solved.x is not None and (best is None or solved.fun < best[0] - 1e-9):
            best = float(solved.fun), np.flatnonzero(solved.x[:total] > 0.5)
    return None if best is None else tuple(int(i) for i in best[1])
