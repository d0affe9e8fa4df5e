"""The result of scoring systems on one gold file, and its layout."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.paper_tables import PaperResult, PaperTable
from treegauge.scoring.alignment.segmentation import TextChanges
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.las_counts import SentenceCounts
from treegauge.scoring.metrics.registry import ENHANCED, METRICS, MORE, Metric, canonical, metric_label
from treegauge.statistics.units import UnitKind
from treegauge.treebanks.data.problems import ReadingProblem

if TYPE_CHECKING:
    from treegauge.scoring.failures import AnswerFailures

_RULE = "-----------+-----------+-----------+-----------+-----------"


@dataclass(frozen=True, eq=False)
class SystemScore:
    """One system's metrics, the counts of each of its runs, and how the files were read.

    `problems` were skipped, repaired or allowed, as the `policies` of the files say. `changes` are
    the differences of its text from gold, if the alignment is loose; `remarks` are what readers of
    the scores must know about the files, `failures` what went wrong in each run besides arcs.
    """

    system: str
    metrics: dict[str, Metric]
    runs: tuple[SentenceCounts, ...] = field(repr=False)
    problems: tuple[ReadingProblem, ...] = ()
    policies: frozenset[str] = frozenset()
    changes: TextChanges | None = None
    remarks: tuple[str, ...] = ()
    failures: "tuple[AnswerFailures, ...]" = field(default=(), repr=False)

    @property
    def kept(self) -> bool:
        """Whether counts per sentence were kept, which intervals and tests need."""
        return all(len(run.rows) == run.sentences for run in self.runs)

    def __getitem__(self, metric: str) -> Metric:
        name = canonical(metric)
        if name not in self.metrics:
            raise TreegaugeError(f"{name} was not computed; available: {', '.join(self.metrics)}")
        return self.metrics[name]


@dataclass(frozen=True, eq=False)
class Scores(PaperResult, kind="score", unit="percent"):
    r"""Scores of one or more systems on one gold file, in percent.

    ``scores["careful"]["LAS"].f1`` is a system's score. Scores on many treebanks are a
    :class:`~treegauge.scoring.suite.Suite`, where this is the macro average. Printed tables show the
    `chosen` metrics, or else the official ones that are not 100 for all systems (with `all`, every
    metric). Intervals (of this `level`) and tests are over `units`; `notes` say where there are few
    or too few of them.

    Examples
    --------
    >>> import treegauge as tg
    >>> gold = tg.parse_conllu("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    >>> tg.score(gold, gold, resamples=0).systems[0]["LAS"].f1
    100.0
    """

    systems: tuple[SystemScore, ...]
    sentences: int
    signature: str
    convention: Convention = OFFICIAL
    chosen: tuple[str, ...] = ()
    all: bool = False
    units: UnitKind = "sentences"
    notes: tuple[str, ...] = ()
    level: float = 0.95

    own_formats: ClassVar[tuple[str, ...]] = ("official", "counts", *PaperResult.own_formats, "eee")
    in_marks: ClassVar[frozenset[str]] = frozenset({"comparisons", "claims"})

    @property
    def treebanks(self) -> "Mapping[str, Scores]":
        """The scores on each treebank, by its name."""
        return {self.treebank.rpartition("#")[0]: self}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(score.system for score in self.systems)

    def only(self, names: Collection[str]) -> Self:
        """Return the scores of these systems."""
        return replace(self, systems=tuple(score for score in self.systems if score.system in names))

    def __getitem__(self, system: str) -> SystemScore:
        if system not in self._by_name:
            raise TreegaugeError(f"no system {system!r}; available: {', '.join(self._by_name)}")
        return self._by_name[system]

    @cached_property
    def _by_name(self) -> dict[str, SystemScore]:
        return {score.system: score for score in self.systems}

    @property
    def treebank(self) -> str:
        """Name and checksum of the gold treebank, as in the signature."""
        return self.signature.split("|")[1].removeprefix("tb:")

    def label(self, metric: str) -> str:
        """Return a metric's name, with the convention if it is not official."""
        return metric_label(metric, self.convention)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per system and metric; `predicted` counts the system's items."""
        name = self.treebank.rpartition("#")[0]
        rows = [
            {"treebank": name, "system": score.system, "metric": self.label(key)} | _flat(metric)
            for score in self.systems
            for key, metric in score.metrics.items()
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def json_fields(self) -> dict[str, Any]:
        """Return the number of sentences, then each system with its metrics."""
        systems = [
            {
                "system": score.system,
                "runs": len(score.runs),
                "metrics": {self.label(key): metric.to_dict() for key, metric in score.metrics.items()},
            }
            | ({"text": score.changes.to_dict()} if score.changes else {})
            for score in self.systems
        ]
        return {
            "treebank": self.treebank.rpartition("#")[0],
            "convention": self.convention.name,
            "sentences": self.sentences,
            "units": self.units,
            "notes": list(self.notes),
            "systems": systems,
        }

    def official(self, *, counts: bool = False, enhanced: bool = False) -> str:
        """Return the output of the official script with ``-v`` or, if `counts`, with ``-c``."""
        if len(self.systems) != 1 or "Tokens" not in self.systems[0].metrics:
            raise TreegaugeError(
                f"the official table shows one system; got {len(self.systems)}: {', '.join(self.names)}"
            )
        return official_table(self.systems[0].metrics, counts=counts, enhanced=enhanced)

    def to_official(self) -> str:
        """Return what ``conll18_ud_eval.py -v`` prints."""
        return self.official(enhanced="ELAS" in self.systems[0].metrics)

    def to_counts(self) -> str:
        """Return what ``conll18_ud_eval.py -c`` prints."""
        return self.official(counts=True, enhanced="ELAS" in self.systems[0].metrics)

    @property
    def shown_metrics(self) -> list[str]:
        """The metrics in printed tables."""
        names = list(self.systems[0].metrics)
        if self.chosen:
            return list(self.chosen)
        if self.all:
            return names
        main = [name for name in names if name not in MORE]
        return [name for name in main if name in {"UAS", "LAS"} or not self._perfect(name)]

    def _perfect(self, metric: str) -> bool:
        return all(system.metrics[metric].f1 == 100 for system in self.systems)

    def shown(self) -> tables.Table:
        """Return one row per metric: all values of one system, or F1 of several systems."""
        names = self.shown_metrics
        columns: dict[str, list[Any]] = {"metric": [self.label(name) for name in names]}
        for score in self.systems:
            metrics = [score.metrics[name] for name in names]
            intervals = [_interval(metric) for metric in metrics]
            alone = len(self.systems) == 1
            if alone:
                columns["precision"] = [metric.precision for metric in metrics]
                columns["recall"] = [metric.recall for metric in metrics]
            columns["F1" if alone else score.system] = [metric.f1 for metric in metrics]
            if alone:
                columns["aligned accuracy"] = [metric.aligned_accuracy for metric in metrics]
            if any(intervals):
                columns["interval" if alone else f"{score.system} interval"] = intervals
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def own_text(self) -> str:
        """Return the printed table, and what is not in it."""
        lines = [tables.to_text(self.shown(), digits=self.digits)]
        shown = self.shown_metrics
        known = [name for name in METRICS if name in self.systems[0].metrics]
        perfect = [name for name in known if name not in shown and self._perfect(name)]
        if perfect and not self.chosen:
            lines.append(f"100.00 for all: {', '.join(perfect)} (--metric all shows every metric)")
        lines += self.notes
        bare = [self.label(name) for name in shown if not any(system.metrics[name].interval for system in self.systems)]
        if 0 < len(bare) < len(shown):
            lines.append(f"no interval, with errors in fewer than 5 {self.units}: {', '.join(bare)}")
        return "\n".join([*lines, self.signature])

    def to_eee(self) -> str:
        """Return the scores as records of Every Eval Ever: JSON, one line per system if there are several."""
        from treegauge.scoring.paper import every_eval_ever_text

        return every_eval_ever_text(self)

    def paper(self) -> PaperTable:
        """Return the table for a paper: systems by metrics."""
        from treegauge.scoring.paper import scores_table

        return scores_table(self)


def _flat(metric: Metric) -> dict[str, Any]:
    """Return a metric as columns; "system" in JSON is renamed, as that column is the name."""
    values = metric.to_dict()
    low, high = values.pop("interval") or (None, None)
    renamed = {"predicted" if key == "system" else key: value for key, value in values.items()}
    return renamed | {"low": low, "high": high}


def _interval(metric: Metric) -> str | None:
    if metric.interval is None:
        return None
    low, high = metric.interval
    return f"{low:.2f}–{high:.2f}"


def official_table(metrics: Mapping[str, Metric], *, counts: bool = False, enhanced: bool = False) -> str:
    """Return the official script's output with ``-v`` or, if `counts`, with ``-c``.

    Examples
    --------
    >>> print(official_table({name: Metric(name, 1, 2, 2, None) for name in METRICS})[:59])
    Metric     | Precision |    Recall |  F1 Score | AligndAcc
    """
    names = [*METRICS, *(ENHANCED if enhanced else ())]
    titles = ("Precision |    Recall |  F1 Score | AligndAcc", "Correct   |      Gold | Predicted | Aligned")
    lines = [f"Metric     | {titles[counts]}", _RULE]
    for name in names:
        m = metrics[name]
        if counts:
            aligned = m.aligned or (m.correct if name == "Words" else "")
            lines.append(f"{name:11}|{m.correct:10} |{m.gold:10} |{m.system:10} |{aligned:10}")
        else:
            accuracy = m.aligned_accuracy
            shown = "" if accuracy is None else f"{accuracy:10.2f}"
            values = f"{m.precision:10.2f} |{m.recall:10.2f} |{m.f1:10.2f}"
            lines.append(f"{name:11}|{values} |{shown}")
    return "\n".join(lines)
