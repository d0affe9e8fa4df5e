"""Scores on many treebanks: per treebank, macro averages, and tests across treebanks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import combinations, product
from typing import Any

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.paper_tables import PaperTable
from treegauge.core.result import countersign, sign
from treegauge.scoring.alignment.paired_reading import Input
from treegauge.scoring.certainty import UnitCounts, difference, estimate, p_greater
from treegauge.scoring.evaluation import Progress, evaluate, scoring_choices
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.registry import MORE, MacroMetric, Metric, canonical
from treegauge.scoring.paired_tests import (
    PRIMARY,
    Claims,
    PairedTest,
    drawn_p_values,
    over_treebanks,
    percent_interval,
    unit_counts,
)
from treegauge.scoring.scores import Scores, SystemScore
from treegauge.scoring.settings import ScoreOptions
from treegauge.scoring.systems import NO_OUTPUT, failure_reason
from treegauge.statistics.multiple import partial_conjunction
from treegauge.statistics.units import TextUnits, fallback_notes, units_of_text


@dataclass(frozen=True, eq=False)
class Suite(Scores, kind="suite"):
    """Scores of systems on many treebanks, in percent.

    `systems` have macro averages, the means over treebanks; a treebank on which a system failed
    counts as 0, as in the shared task. `parts` has the scores on each treebank, `failures` the reason
    for each treebank and system without a score.
    Printed tables show LAS by treebank and the averages of the `chosen` metrics, or else of the
    official ones that are not 100 for all systems (with `all`, those too).
    """

    parts: Mapping[str, Scores] = field(default_factory=dict)
    failures: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, parts: Mapping[str, Scores], names: Sequence[str], failures: Mapping[tuple[str, str], str],
        signature: str, convention: Convention = OFFICIAL, *, chosen: tuple[str, ...] = (), level: float = 0.95,
        units: Any = "sentences",
    ) -> "Suite":  # fmt: skip
        """Return the macro averages of systems; those in the `chosen` metrics, or LAS, have intervals."""
        systems = tuple(SystemScore(name, {}, ()) for name in names)
        sentences = sum(scores.sentences for scores in parts.values())
        how: dict[str, Any] = {"chosen": chosen, "level": level, "units": units, "parts": parts, "failures": failures}
        bare = cls(systems, sentences, signature, convention, **how)
        averaged = tuple(SystemScore(name, bare._averages(name), ()) for name in names)
        return replace(bare, systems=averaged)

    @property
    def treebanks(self) -> Mapping[str, Scores]:
        """The scores on each treebank, by its name."""
        return self.parts

    def _averages(self, system: str) -> dict[str, Metric]:
        """Return a system's macro averages by metric."""
        scored = [scores[system].metrics for name, scores in self.parts.items() if (name, system) not in self.failures]

        def average(name: str) -> Metric:
            over = tuple(metrics[name] for metrics in scored)
            aligned = [one.aligned for one in over if one.aligned is not None]
            return MacroMetric(
                name,
                correct=sum(one.correct for one in over),
                gold=sum(one.gold for one in over),
                system=sum(one.system for one in over),
                aligned=sum(aligned) if aligned else None,
                interval=self._interval(system, name) if name in (self.chosen or ("LAS",)) else None,
                over=over,
                treebanks=len(self.parts),
            )

        return {name: average(name) for name in self.metrics}

    def f1(self, treebank: str, system: str, metric: str = "LAS") -> float:
        """Return a system's F1 on a treebank, 0 where it failed."""
        if (treebank, system) in self.failures:
            return 0.0
        return self.parts[treebank][system][metric].f1

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics that were computed for all."""
        systems = [system for scores in self.parts.values() for system in scores.systems]
        first = systems[0].metrics if systems else ()
        return [name for name in first if all(name in one.metrics for one in systems)]

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank and system: F1 of every metric."""

        def row(treebank: str, system: str) -> dict[str, Any]:
            scores = {self.label(name): self.f1(treebank, system, name) for name in self.metrics}
            failure = {"failure": self.failures.get((treebank, system))}
            return {"treebank": treebank, "system": system} | scores | failure

        rows = [row(treebank, system) for treebank in self.treebanks for system in self.names]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def saved(self) -> "pl.DataFrame":
        """The table for files: also precision and recall of every metric, 0 where a system failed."""
        columns: dict[str, list[float]] = {}
        for name, side in product(self.metrics, ("precision", "recall")):
            columns[f"{self.label(name)} {side}"] = [
                0.0 if (code, system) in self.failures else getattr(self.parts[code][system][name], side)
                for code in self.treebanks
                for system in self.names
            ]
        return super().saved if self.featured else self.table.with_columns(pl.DataFrame(columns))

    @property
    def averaged(self) -> list[str]:
        """Names of the metrics whose averages are shown."""
        return list(self.chosen) or [name for name in self.metrics if name not in MORE]

    def averages(self) -> "pl.DataFrame":
        """Return macro averages of F1, one row per system; the main metrics have intervals."""
        failures = pl.col("failure").is_not_null().sum().alias("failures")
        grouped = self.table.group_by("system", maintain_order=True)
        means = grouped.agg(*(pl.col(self.label(name)).mean() for name in self.averaged), failures)
        for name in self.chosen or ("LAS",):
            limits = [self.intervals[system, name] or (None, None) for system in self.names]
            for side, values in zip(("low", "high"), zip(*limits, strict=True), strict=True):
                column = pl.Series(f"{self.label(name)}_{side}", values, pl.Float64)
                means = means.with_columns(column)
        return means

    @property
    def intervals(self) -> dict[tuple[str, str], tuple[float, float] | None]:
        """Intervals of macro averages on these treebanks, by system and metric.

        None if a system failed on a treebank or a treebank is too small.
        """
        return {
            (one.system, name): one.metrics[name].interval if name in one.metrics else None
            for one in self.systems
            for name in self.chosen or ("LAS",)
        }

    def _interval(self, system: str, name: str) -> tuple[float, float] | None:
        complete = all((treebank, system) not in self.failures for treebank in self.parts)
        if not (complete and self.parts and all(scores[system].kept for scores in self.parts.values())):
            return None
        estimates = [estimate(self.counts(treebank, system, name)) for treebank in self.parts]
        values = [self.f1(treebank, system, name) / 100 for treebank in self.parts]
        here = over_treebanks(list(self.parts), values, estimates).here
        return None if here is None else percent_interval(here, self.level, share=True)

    @property
    def text_units(self) -> dict[str, TextUnits]:
        """The units of each treebank's text, where they were kept."""
        kept = {name: each for name, each in self.parts.items() if each.systems and each.systems[0].kept}
        return {name: units_of_text(each.systems[0].runs[0].starts, each.units) for name, each in kept.items()}

    @property
    def fallbacks(self) -> list[str]:
        """Treebanks with few documents, or none marked, unless sentences were asked for."""
        return [] if str(self.units) == "sentences" else fallback_notes(self.text_units)

    def by_treebank(self, metric: str = "LAS") -> "pl.DataFrame":
        """Return F1 in one metric: one row per treebank, one column per system."""
        name = canonical(metric)
        columns = {s: [self.f1(t, s, name) for t in self.treebanks] for s in self.names}
        return pl.DataFrame({"treebank": list(self.treebanks)} | columns)

    def shown(self) -> tables.Table:
        """Return the averages, without columns that are 100 for all systems or have no failures."""
        averages = self.averages()
        for label in map(self.label, self.chosen or ("LAS",)):
            ends = averages[f"{label}_low"], averages[f"{label}_high"]
            texts = [None if low is None else f"{low:.2f}–{high:.2f}" for low, high in zip(*ends, strict=True)]
            averages = averages.drop(f"{label}_low", f"{label}_high")
            if any(texts):
                column = averages.columns.index(label) + 1
                averages = averages.insert_column(column, pl.Series(f"{label} interval", texts))
        perfect = [
            label
            for label in map(self.label, self.averaged)
            if (averages[label] == 100).all() and not (self.all or self.chosen)
        ]
        return averages.drop([*perfect, *([] if self.failures else ["failures"])])

    def claims(
        self,
        *,
        metric: str | Sequence[str] = "LAS",
        test: PairedTest = PRIMARY,
        resamples: int = 10_000,
        alpha: float = 0.05,
        seed: int = 0,
    ) -> Claims:
        """Return, for every pair of systems, the number of treebanks on which each is better."""
        if not 0 < alpha < 1:
            raise TreegaugeError(f"alpha: expected a number between 0 and 1, found {alpha!r}")
        names = [canonical(given) for given in ([metric] if isinstance(metric, str) else metric)]
        pairs = self.shared_by_pair()

        def p_better(a: str, b: str, name: str) -> list[float]:
            shared_treebanks = pairs[a, b] if (a, b) in pairs else pairs[b, a]
            both = [(self.counts(treebank, a, name), self.counts(treebank, b, name)) for treebank in shared_treebanks]
            if test == PRIMARY:
                return [float(p_greater(difference(*pair))[0]) for pair in both]
            return [float(drawn_p_values(*pair, test, resamples, seed, "greater")[0]) for pair in both]

        rows, tests = [], []
        level = alpha / (2 * len(pairs) * len(names))
        for name, ((a, b), treebanks) in product(names, pairs.items()):
            gains = [self.f1(treebank, a, name) - self.f1(treebank, b, name) for treebank in treebanks]
            row: dict[str, Any] = {"metric": self.label(name), "a": a, "b": b}
            row |= {"treebanks": len(treebanks), "mean_difference": sum(gains) / len(gains)}
            sides = {"a_better": p_better(a, b, name), "b_better": p_better(b, a, name)}
            for side, p_values in sides.items():
                outcome = partial_conjunction(p_values, alpha=level, names=treebanks)
                row |= {side: outcome.k_hat, f"{side}_if_independent": outcome.k_hat_fisher}
                row |= {f"{side}_on": list(outcome.significant)}
            rows.append(row)
            columns = ("metric", "a", "b", "treebank", "difference", "p_a_better", "p_b_better")
            tests += [
                dict(zip(columns, (self.label(name), a, b, *values), strict=True))
                for values in zip(treebanks, gains, *sides.values(), strict=True)
            ]
        drawn = test != PRIMARY
        signature = countersign(
            self.signature, test=f"paired-{test}", m="+".join(names),
            permutations=resamples if drawn else None, seed=seed if drawn else None,
            claims="partial-conjunction", alpha=alpha, correction="bonferroni",
        )  # fmt: skip
        return Claims(tuple(rows), tuple(tests), alpha, resamples if drawn else 0, signature)

    def counts(self, treebank: str, system: str, metric: str) -> UnitCounts:
        """Return a system's counts over the units of a treebank."""
        key = treebank, system, metric
        if key not in self._counts:
            scores = self.treebanks[treebank]
            self._counts[key] = unit_counts(scores[system], [metric], scores.units)
        return self._counts[key]

    @cached_property
    def _counts(self) -> dict[tuple[str, str, str], UnitCounts]:
        """Cached counts: a system is compared with each of the others."""
        return {}

    def shared_by_pair(self) -> dict[tuple[str, str], list[str]]:
        """Return the treebanks with scores of both, for every pair of systems that has any."""
        shared = {
            pair: [t for t in self.treebanks if not any((t, s) in self.failures for s in pair)]
            for pair in combinations(self.names, 2)
        }
        if pairs := {pair: names for pair, names in shared.items() if names}:
            return pairs
        failed = [f"{s} on {t}: {why}" for (t, s), why in self.failures.items()]
        raise TreegaugeError("\n  ".join(["no two systems have scores on the same treebank", *failed[:3]]))

    def json_fields(self) -> dict[str, Any]:
        """Return each treebank with its systems, the averages and the failures."""
        return {
            "convention": self.convention.name,
            "treebanks": [scores.to_dict() | {"treebank": name} for name, scores in self.treebanks.items()],
            "averages": self.averages().to_dicts(),
            "notes": self.fallbacks,
            "failures": [
                {"treebank": treebank, "system": system, "reason": reason}
                for (treebank, system), reason in self.failures.items()
            ],
        }

    def paper(self) -> PaperTable:
        """Return the table for a paper: treebanks by systems, and the macro averages."""
        from treegauge.scoring.paper import suite_table

        return suite_table(self)

    def own_text(self) -> str:
        """Return the averages, the scores by treebank, and the failures."""
        lines = [tables.to_text(self.shown())]
        if self.failures:
            failed = len({treebank for treebank, _ in self.failures})
            lines.insert(
                0,
                f"warning: {failed} of {len(self.treebanks)} treebanks lack a score of a system "
                "and count as 0 in its average; --common scores only treebanks with output from "
                "all systems",
            )
        for name in self.chosen or ["LAS"]:
            title = f"{self.label(name)} by treebank"
            rows = [
                {key: "failed" if (row["treebank"], key) in self.failures else value for key, value in row.items()}
                for row in self.by_treebank(name).to_dicts()
            ]
            lines += ["", title, tables.to_text(rows)]
        lines += [f"failed: {s} on {t}: {why}" for (t, s), why in self.failures.items()]
        remarks: dict[tuple[str, str], list[str]] = {}
        for name, scores in self.treebanks.items():
            for one in scores.systems:
                for remark in one.remarks:
                    remarks.setdefault((one.system, remark), []).append(name)
        for (system, remark), names in remarks.items():
            more = f" and {len(names) - 3} more" * (len(names) > 3)
            lines.append(f"{system} on {', '.join(names[:3])}{more}: {remark}")
        return "\n".join([*lines, *self.fallbacks, self.signature])


def score_suite(
    gold: Mapping[str, Input],
    systems: Mapping[str, Mapping[str, Input | Sequence[Input]]],
    options: ScoreOptions | None = None,
    *,
    failures: Mapping[tuple[str, str], str] | None = None,
    chosen: Sequence[str] = (),
    progress: Progress | None = None,
) -> Suite:
    """Score systems on many treebanks; `systems` has outputs by system and treebank.

    `failures` say by treebank and system why there is no output. The other parameters are those of
    :func:`treegauge.scoring.evaluation.evaluate`.
    """
    options = options or ScoreOptions()
    scored: dict[str, Scores] = {}
    failures = dict(failures or {})
    for treebank, file in gold.items():
        done = []
        for system, outputs in systems.items():
            if treebank not in outputs:
                failures.setdefault((treebank, system), NO_OUTPUT)
                continue
            try:
                output = {system: outputs[treebank]}
                done.append(evaluate(file, output, options, progress=progress))
            except TreegaugeError as error:
                # An error in a gold file is not a system's failure.
                evaluate(file, file, replace(options, resamples=0))
                failures[treebank, system] = failure_reason(error)
        sentences = done[0].sentences if done else 0
        signature = done[0].signature if done else sign(tb=treebank)
        scored[treebank] = Scores(
            tuple(system for result in done for system in result.systems),
            sentences,
            signature,
            units=done[0].units if done else "sentences",
        )
    if scored and len(failures) == len(gold) * len(systems):
        shown = "; ".join(sorted(set(failures.values()))[:3])
        raise TreegaugeError(f"no system could be scored: {shown}")
    everything = [system for scores in scored.values() for system in scores.systems]
    digest = sha256("\n".join(scores.treebank for scores in scored.values()).encode()).hexdigest()
    title = f"{len(scored)}treebanks#{digest[:6]}"
    signature = sign(
        tb=title, average="macro", missing="0" if failures else None, **scoring_choices(options, everything)
    )
    how = {"chosen": tuple(chosen), "level": options.level, "units": options.units}
    return Suite.of(scored, tuple(systems), failures, signature, options.convention, **how)  # type: ignore[arg-type]
