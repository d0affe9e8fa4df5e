"""Paired significance tests between systems: on one gold file, over treebanks, and for a new treebank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, isnan
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, countersign
from treegauge.scoring.certainty import UnitCounts, difference, pair_differences, score_covariance
from treegauge.scoring.metrics.registry import canonical, metric_label
from treegauge.scoring.scores import Scores, SystemScore
from treegauge.scoring.verdicts import (
    SIGNS,
    PairVerdict,
    error_reduction,
    over_units,
    pair_state,
    pair_verdict,
    state_words,
    treebank_verdict,
)
from treegauge.statistics.draws import FloatArray, ratios
from treegauge.statistics.hierarchy import Hierarchy, hierarchy
from treegauge.statistics.multiple import adjust
from treegauge.statistics.permutation import Alternative, paired_bootstrap, paired_permutation
from treegauge.statistics.planning import best_of, detectable_difference, margin_claims
from treegauge.statistics.student_intervals import StudentEstimate, effective_df
from treegauge.statistics.units import (
    GENUS,
    LEAST_BEST,
    LEAST_BOOTSTRAP_TEST,
    LEAST_ERRORS,
    LEAST_GROUPS,
    LEAST_RUNS,
    LEAST_TREEBANKS,
    LEAST_UNITS,
    TextUnits,
    UnitKind,
    forcing_treebanks,
    treebank_units,
    units_of_text,
)
from treegauge.treebanks.sources.languages import kin_of

if TYPE_CHECKING:
    from treegauge.scoring.suite import Suite

PairedTest = Literal["student", "permutation", "bootstrap"]
#: The test to report: units are random and, with three or more runs per system, so are runs.
PRIMARY: PairedTest = "student"
POWER = 0.8
"""Power: the probability with which a detectable or planned difference is found."""
#: The columns that say how sure a difference is.
SURE = ("low", "high", "detectable", "p_value")


@dataclass(frozen=True, eq=False)
class Comparisons(Result, kind="comparisons", unit="percent"):
    """Every pair of systems: difference, interval, p-value, and smallest detectable difference.

    `low` and `high` are the limits of the difference; `detectable` is the smallest true difference
    that would be significant with probability 0.8. The primary test is Student's t of the
    difference; `p_corrected` is the p-value to report. With a `margin`, a verdict says whether the
    systems are equivalent. `best` is the system with the highest score; with three or more systems
    its score is corrected for this selection. `verdicts` answer two questions on each pair: would the
    difference hold on new text, and on new treebanks?
    """

    pairs: tuple[dict[str, Any], ...]
    signature: str
    test: PairedTest = PRIMARY
    notes: tuple[str, ...] = ()
    best: dict[str, Any] | None = None
    verdicts: tuple[PairVerdict, ...] = ()

    def verdicts_of(self, metric: str, a: str, b: str) -> tuple[PairVerdict, ...]:
        """Return the two verdicts of a pair, in either order, on new text and on new treebanks."""
        return tuple(one for one in self.verdicts if one.metric == metric and {one.a, one.b} == {a, b})

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair and metric."""
        return pl.DataFrame(list(self.pairs), infer_schema_length=None)

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, the name of the primary test, and the best system."""
        primary = {"test": PRIMARY, "reported": self.test == PRIMARY, "p_value": "p_corrected"}
        verdicts = [one._asdict() for one in self.verdicts]
        named = {"primary": primary, "notes": list(self.notes), "best": self.best, "verdicts": verdicts}
        return named | super().json_fields()

    def shown(self) -> list[dict[str, Any]]:
        """Return differences with their intervals, and p-values."""
        order = ("metric", "a", "b", "treebanks", "difference", "interval", "new treebank",
                 "error_reduction", "p_value", "p_corrected", "verdict")  # fmt: skip

        def cells_of(row: Mapping[str, Any]) -> dict[str, Any]:
            cells = dict(row)
            for name, side in (("interval", ""), ("new treebank", "new_")):
                low, high = row.get(f"{side}low"), row.get(f"{side}high")
                cells[name] = None if low is None else f"{low:+.2f} to {high:+.2f}"
            return cells

        rows = [cells_of(row) for row in self.pairs]
        names = [name for name in order if any(row.get(name) is not None for row in rows)]
        return [{name: row[name] for name in names} for row in rows]

    def own_text(self) -> str:
        """Return the verdicts, the table, the name of the test, and notes."""
        shown = tables.to_text(self.shown(), digits=self.digits)
        return "\n".join([*verdict_lines(self.verdicts), shown, *self.notes, self.signature])


#: The number of pairs whose verdicts are printed.
PRINTED = 6


def verdict_lines(verdicts: Sequence[PairVerdict]) -> list[str]:
    """Return the sentences of the first pairs, each once: on new text first, then on new treebanks."""
    first = sorted(verdicts[: 2 * PRINTED], key=lambda one: one.question != "new text")
    more = len(verdicts) // 2 - PRINTED
    left_out = [f"{more} more pairs: --format json has their verdicts"] if more > 0 else []
    return list(dict.fromkeys([*(one.sentence for one in first), *left_out]))


def compare_systems(
    scores: Scores,
    *,
    metric: str | Sequence[str] = "LAS",
    test: PairedTest = PRIMARY,
    resamples: int = 10_000,
    correction: str = "holm",
    seed: int = 0,
    margin: float | None = None,
) -> Comparisons:
    """Test every pair of systems on the units they share (scored with ``resamples > 0``).

    ``"student"`` is a t test of the difference in which units and, with three or more runs per
    system, runs are random. ``"permutation"`` swaps the two systems' results unit by unit,
    ``"bootstrap"`` resamples the same units for both; these two hold runs fixed. p-values, also
    those of equivalence within a `margin` in points, are corrected over all pairs and metrics.
    """
    if len(scores.systems) < 2:
        raise TreegaugeError(f"a comparison needs at least two systems; got {len(scores.systems)}")
    names = [canonical(m) for m in ([metric] if isinstance(metric, str) else metric)]
    if test not in get_args(PairedTest):
        raise ChoiceError("test", test, get_args(PairedTest))
    units = [units_of_text(system.runs[0].starts, scores.units) for system in scores.systems]
    counted = {
        system.system: unit_counts(system, names, held) for system, held in zip(scores.systems, units, strict=True)
    }
    check_paired(counted)
    rows: list[dict[str, Any]] = []
    pairs = list(combinations(scores.systems, 2))
    made = pair_differences([(counted[ours.system], counted[theirs.system]) for ours, theirs in pairs])
    for (ours, theirs), sure in zip(pairs, sureness(made, scores.level, margin), strict=True):
        a, b = counted[ours.system], counted[theirs.system]
        if test != PRIMARY:
            p_values = drawn_p_values(a, b, test, resamples, seed)
        for i, name in enumerate(names):
            f1_a, f1_b = ours[name].f1, theirs[name].f1
            row: dict[str, Any] = {
                "metric": metric_label(name, scores.convention),
                "a": ours.system,
                "b": theirs.system,
                "f1_a": f1_a,
                "f1_b": f1_b,
                "difference": f1_a - f1_b,
                "runs_a": len(ours.runs),
                "runs_b": len(theirs.runs),
                "error_reduction": error_reduction(f1_a, f1_b),
            }
            rows.append(row | sure[i])
            if test != PRIMARY:
                rows[-1]["p_value"] = known(p_values[i])
    rows = judged(rows, correction, scores.level)
    number = next(iter(counted.values())).number
    verdicts = _verdicts(rows, scores, number, test, margin)
    signature = countersign(
        scores.signature, test=f"paired-{test}", m="+".join(names),
        permutations=resamples if test != PRIMARY else None,
        seed=seed if test != PRIMARY else None, correction=correction, margin=margin,
    )  # fmt: skip
    best = _best(scores, counted, names[0])
    notes = _notes(scores, counted, test, best)
    notes += detectable_note(rows, f"{next(iter(counted.values())).number} {scores.units}")
    notes += [
        f"no test of {row['a']} and {row['b']} in {row['metric']}: they differ in fewer than "
        f"{LEAST_ERRORS} {scores.units}"
        for row in rows
        if row["p_value"] is None and counted[row["a"]].number >= LEAST_UNITS
    ]
    return Comparisons(tuple(rows), signature, test, tuple(notes), best, verdicts)


def _verdicts(
    rows: Sequence[Mapping[str, Any]], scores: Scores, number: int, test: PairedTest, margin: float | None
) -> tuple[PairVerdict, ...]:
    """Return the two verdicts of each pair on one treebank."""
    name = scores.treebank.rpartition("#")[0]
    few = f"{number} {scores.units}; a test needs {LEAST_UNITS}"
    different = f"the systems differ in fewer than {LEAST_ERRORS} {scores.units}"
    why = few if number < LEAST_UNITS else different
    alone = over_units(1, int(kin_of(name, GENUS) is not None))[1]
    verdicts: list[PairVerdict] = []
    for row in rows:
        made = text_verdict(row, len(rows), "this treebank", why, scores.level, test=test, margin=margin)
        pair = row["a"], row["b"], row["difference"], row["metric"]
        verdicts += [made, pair_verdict("new treebanks", *pair, level=scores.level, why_not=alone)]
    return tuple(verdicts)


def text_verdict(
    row: Mapping[str, Any], tests: int, where: str, why_not: str, level: float, *, test: PairedTest = PRIMARY,
    margin: float | None = None,
) -> PairVerdict:  # fmt: skip
    """Return the answer on new text, from a row of a comparison."""
    over = [f"{test} test"] if test != PRIMARY else []
    over += [f"corrected for {tests} tests"] if tests > 1 else []
    low, high = row.get("low"), row.get("high")
    return pair_verdict(
        "new text", row["a"], row["b"], row["difference"], row["metric"], row.get("p_corrected"),
        interval=None if low is None or high is None else (low, high), level=level, where=where, over=", ".join(over),
        why_not=why_not, claims=_claims(row), margin=margin,
    )  # fmt: skip


def _claims(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the p-values of claims with a margin."""
    return {name: row[name] for name in row if name.endswith(("_equivalent", "_not_worse"))}


def sureness(
    made: Sequence[StudentEstimate], level: float, margin: float | None
) -> list[list[dict[str, float | None]]]:
    """Return the interval, detectable difference and p-values in points, of each pair in each metric."""
    computed = [
        (*one.interval(level), detectable_difference(one.standard_error, one.df, level=level, power=POWER),
         one.p_value())
        for one in made
    ]  # fmt: skip
    sure: list[list[dict[str, float | None]]] = []
    for one, (low, high, least, p_values) in zip(made, computed, strict=True):
        limits = zip(100 * low, 100 * high, 100 * least, p_values, strict=True)
        sure.append([dict(zip(SURE, map(known, numbers), strict=True)) for numbers in limits])
        if margin is not None:
            for row, value, error, df in zip(sure[-1], 100 * one.value, 100 * one.standard_error, one.df, strict=True):
                row |= {name: known(float(p)) for name, p in margin_claims(value, error, df, margin).items()}
    return sure


def detectable_note(rows: Sequence[Mapping[str, Any]], units: str) -> list[str]:
    """Return the line with the smallest differences that could have been detected, if there are any.

    Examples
    --------
    >>> detectable_note([{"detectable": 1.234}, {"detectable": 2.0}], "40 documents")
    ['smallest difference detectable with 80 % power over 40 documents: 1.23 to 2.00 points, by pair']
    """
    least = sorted(row["detectable"] for row in rows if row.get("detectable") is not None)
    if not least:
        return []
    low, high = (f"{value:.2f}" for value in (least[0], least[-1]))
    size = f"{low} points" if low == high else f"{low} to {high} points, by pair"
    return [f"smallest difference detectable with {100 * POWER:g} % power over {units}: {size}"]


def judged(rows: Sequence[dict[str, Any]], correction: str, level: float) -> list[dict[str, Any]]:
    """Correct p-values for the number of tests; add the sign of each difference and, given a margin, a verdict."""
    done = [dict(row) for row in rows]
    for name in [name for name in done[0] if name.startswith("p_")]:
        corrected = adjust([row[name] for row in done], correction).tolist()
        for row, p in zip(done, corrected, strict=True):
            row["p_corrected" if name == "p_value" else name] = known(p)
    for row in done:
        state = pair_state(row["difference"], row["p_corrected"], round(1 - level, 10), _claims(row))
        row["sign"] = SIGNS[state][0]
        if "p_equivalent" in row:
            row["verdict"] = state_words(state, row["a"], row["b"])
    return done


def unit_counts(system: SystemScore, names: Sequence[str], units: UnitKind | TextUnits) -> UnitCounts:
    """Return a system's counts per unit, for these metrics."""
    return UnitCounts(system.runs, [system[name].name for name in names], units)


def check_paired(counted: Mapping[str, UnitCounts]) -> None:
    """Refuse systems that cover different gold sentences."""
    numbers = {name: counts.number for name, counts in counted.items()}
    if len(set(numbers.values())) > 1:
        raise TreegaugeError(
            f"systems cover different numbers of units ({numbers}): paired tests need the same "
            "gold sentences (errors='strict' or 'repair')"
        )


def drawn_p_values(
    a: UnitCounts, b: UnitCounts, test: PairedTest, draws: int, seed: int, alternative: Alternative = "two-sided"
) -> FloatArray:
    """Return p-values of a resampling test, in which runs are averaged and held fixed."""
    how: dict[str, Any] = {"seed": seed, "alternative": alternative}
    if test == "bootstrap" and a.number < LEAST_BOOTSTRAP_TEST:
        return np.full(a.mean.shape[1] // 2, np.nan)
    if test == "permutation":
        return paired_permutation(a.mean, b.mean, ratios, permutations=draws, **how).p_value
    return paired_bootstrap(a.mean, b.mean, ratios, resamples=draws, **how).p_value


def _best(scores: Scores, counted: Mapping[str, UnitCounts], name: str) -> dict[str, Any] | None:
    """Correct the highest of three or more scores for its selection."""
    if len(scores.systems) < 3 or next(iter(counted.values())).number < LEAST_BEST:
        return None
    values, spread = score_covariance([counted[system.system] for system in scores.systems])
    if not (np.diag(spread) > 0).all():
        return None
    df = effective_df(counted[scores.systems[0].system].words)
    corrected = best_of(100 * values, 1e4 * spread, df, level=scores.level)
    return {
        "system": scores.systems[corrected.index].system,
        "metric": metric_label(name, scores.convention),
        "f1": corrected.observed,
        "corrected": corrected.value,
        "low": corrected.low,
        "high": corrected.high,
    }


def _notes(
    scores: Scores, counted: Mapping[str, UnitCounts], test: PairedTest, best: Mapping[str, Any] | None
) -> list[str]:
    number = next(iter(counted.values())).number
    least = {"student": LEAST_UNITS, "bootstrap": LEAST_BOOTSTRAP_TEST, "permutation": 1}[test]
    if number < least:
        return [f"no test: {number} {scores.units}, needs at least {least}"]
    fixed = [name for name, counts in counted.items() if not counts.random_runs or test != PRIMARY]
    if test == PRIMARY:
        notes = [f"primary test: Student's t of the difference over {number} {scores.units}"]
    else:
        notes = [f"secondary test: {test} over {number} {scores.units}; the primary test is --test student"]
    if len(fixed) < len(counted):
        notes[0] += ", runs random"
    if fixed:
        choose = "" if test == PRIMARY else f" and --test {PRIMARY}"
        notes.append(
            f"runs held fixed: {', '.join(fixed)} (p-values compare these outputs; to allow for "
            f"retraining, give {LEAST_RUNS} or more runs of each system{choose})"
        )
    if best:
        notes.append(
            f"best of {len(scores.systems)}: {best['system']}, {best['metric']} {best['f1']:.2f}; "
            f"corrected for selection: {best['corrected']:.2f} "
            f"({best['low']:.2f} to {best['high']:.2f})"
        )
    return notes


def known(value: float) -> float | None:
    """Return a number, or None if it is undefined."""
    return None if np.isnan(value) else float(value)


@dataclass(frozen=True, eq=False)
class Claims(Result, kind="claims", unit="percent"):
    """Every pair of systems: the number of treebanks on which each is better, at least.

    The counts come from partial conjunction tests (:mod:`treegauge.statistics.multiple`). The
    probability that any of them is wrong, in both directions and over all pairs and metrics, is at
    most `alpha`: each is tested at `alpha` divided by twice the number of pairs and metrics.
    `pairs` has the counts, valid under any dependence, and what they would be if the treebanks were
    independent (Fisher); `tests` the difference and the one-sided p-values of each pair on each
    treebank.
    """

    pairs: tuple[dict[str, Any], ...]
    tests: tuple[dict[str, Any], ...]
    alpha: float
    permutations: int
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair and metric."""
        lists = pl.selectors.by_dtype(pl.List(pl.String)).list.join(" ")
        return pl.DataFrame(self.pairs, infer_schema_length=None).with_columns(lists)

    def json_fields(self) -> dict[str, Any]:
        """Return the pairs, and the tests behind them."""
        return {"alpha": self.alpha, "rows": list(self.pairs), "tests": list(self.tests)}

    def shown(self) -> "pl.DataFrame":
        """Return mean differences and counts, without treebank names."""
        hidden = [name for name in self.table.columns if name.endswith(("_on", "_if_independent"))]
        return self.table.drop(hidden)

    @property
    def needed_permutations(self) -> int:
        """Number of permutations below which no test can be significant."""
        most: int = max(row["treebanks"] for row in self.pairs)
        return ceil(2 * len(self.pairs) * most / self.alpha)

    def own_text(self) -> str:
        """Return the table, and each claim as a sentence."""
        claims = []
        several = len({row["metric"] for row in self.pairs}) > 1
        for row in self.pairs:
            where = f" in {row['metric']}" if several else ""
            for better, worse, side in (("a", "b", "a_better"), ("b", "a", "b_better")):
                if row[side]:
                    claims.append(
                        f"{row[better]} is better than {row[worse]}{where} on at least {row[side]} "
                        f"of {row['treebanks']} treebanks: {', '.join(row[f'{side}_on'])}"
                    )
        if self.permutations and self.permutations < self.needed_permutations:
            claims.append(
                f"with this number of tests, significance needs at least "
                f"{self.needed_permutations} permutations; there were {self.permutations} "
                "(--resamples)"
            )
        return "\n".join([tables.to_text(self.shown()), *claims, self.signature])


def over_treebanks(names: Sequence[str], values: Sequence[float], estimates: Sequence[StudentEstimate]) -> Hierarchy:
    """Return the mean over treebanks in genera, from values with standard errors."""
    errors = np.array([float(estimate.standard_error[0]) for estimate in estimates])
    freedom = np.array([float(estimate.df[0]) for estimate in estimates])
    table, genera = np.array(values), [kin_of(name, "genus") for name in names]
    return hierarchy(table, genera, StudentEstimate(table, errors, freedom))


def percent_interval(estimate: StudentEstimate, level: float, *, share: bool = False) -> tuple[float, float] | None:
    """Return the limits of an estimate in percent; None if it has no standard error."""
    low, high = (100 * float(limit) for limit in estimate.interval(level, share=share))
    return None if isnan(low) else (low, high)


def paired_differences(suite: "Suite", metric: str) -> dict[tuple[str, str], tuple[list[str], list[float], Hierarchy]]:
    """Return, for each pair, the shared treebanks, the differences, and their mean."""
    name, by_pair = canonical(metric), {}
    for (a, b), names in suite.shared_by_pair().items():
        estimates = [difference(suite.counts(t, a, name), suite.counts(t, b, name)) for t in names]
        gains = [(suite.f1(t, a, name) - suite.f1(t, b, name)) / 100 for t in names]
        by_pair[a, b] = names, gains, over_treebanks(names, gains, estimates)
    return by_pair


def compare_suite(
    suite: "Suite", *, metric: str | Sequence[str] = "LAS", correction: str = "holm", margin: float | None = None
) -> Comparisons:
    """Compare the macro averages of every pair of systems on the treebanks they share.

    The interval and the test are for these treebanks with other sentences (or documents) and, with
    three or more runs per system, other runs. ``new_low`` to ``new_high`` is a prediction interval
    for the difference on a new treebank of another genus; it needs 25 treebanks in ten genera.
    p-values are corrected over all pairs and metrics.
    """
    metrics = [canonical(given_name) for given_name in ([metric] if isinstance(metric, str) else metric)]
    rows: list[dict[str, Any]] = []
    pairs = [(name, *each) for name in metrics for each in paired_differences(suite, name).items()]
    for name, (a, b), (names, _, over) in pairs:
        f1_a, f1_b = (sum(suite.f1(t, system, name) for t in names) / len(names) for system in (a, b))
        row: dict[str, Any] = {"metric": suite.label(name), "a": a, "b": b}
        row |= {"treebanks": len(names), "f1_a": f1_a, "f1_b": f1_b, "difference": f1_a - f1_b}
        new = percent_interval(over.new, suite.level) or (None, None)
        row |= {"new_low": new[0], "new_high": new[1]}
        if over.here is not None:
            row |= sureness([over.here.reshape((1,))], suite.level, margin)[0][0]
        rows.append(row)
    notes = ["primary test: Student's t of the mean difference on these treebanks"]
    few = forcing_treebanks(suite.text_units)
    if any(row["p_value"] is None for row in rows):
        notes = [f"no test: {few}" if few else "no test where systems differ in too few units of some treebank"]
    units = " and ".join(sorted({str(each.units) for each in suite.treebanks.values()}))
    notes += detectable_note(rows, f"the {units} of these treebanks")
    if any(row["new_low"] is None for row in rows):
        notes.append(f"a new treebank: from {LEAST_TREEBANKS} treebanks in {LEAST_GROUPS} genera")
    signature = countersign(
        suite.signature, test=f"paired-{PRIMARY}", m="+".join(metrics), correction=correction, margin=margin
    )
    rows, verdicts = judged(rows, correction, suite.level), list[PairVerdict]()
    why = few or "the systems differ in too few units of some treebank"
    for row, (_, (a, b), (names, gains, _)) in zip(rows, pairs, strict=True):
        groups = treebank_units(names, [kin_of(name, GENUS) for name in names])
        verdicts += [
            text_verdict(row, len(rows), "these treebanks", why, suite.level, margin=margin),
            treebank_verdict(a, b, 100 * np.array(gains), groups, row["metric"], level=suite.level),
        ]
    return Comparisons(tuple(rows), signature, notes=tuple(notes), verdicts=tuple(verdicts))
