"""Many treebanks at once: scores of each, macro averages, and what holds across them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge import tables
from treegauge.errors import ChoiceError, TreegaugeError
from treegauge.result import Result, sign
from treegauge.score.comparing import Test, paired
from treegauge.score.metrics import MORE, canonical
from treegauge.score.scoring import Progress, Resampling, Scores, choices, evaluate
from treegauge.score.statistics import Options
from treegauge.score.stream import Input, Reading
from treegauge.stats.conjunction import Conjunction, partial_conjunction
from treegauge.treebank.sources import ENDINGS, Source, short_name

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Suite(Result):
    """Scores of systems on many treebanks.

    The macro average is the mean over treebanks; a treebank on which a system failed counts as 0
    and stays in the denominator, as in the shared task. Failures are named, never silent.
    """

    treebanks: dict[str, Scores]
    systems: tuple[str, ...]
    failures: dict[tuple[str, str], str]
    signature: str

    def f1(self, treebank: str, system: str, metric: str = "LAS") -> float:
        """Return a system's F1 on a treebank, 0 where it failed."""
        if (treebank, system) in self.failures:
            return 0.0
        return self.treebanks[treebank][system][metric].f1

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics that were computed."""
        return list(next(s.systems[0].metrics for s in self.treebanks.values() if s.systems))

    @property
    def table(self) -> "pl.DataFrame":
        """One row a treebank and system; F1 of every metric as fractions."""
        import polars as pl

        def row(treebank: str, system: str) -> dict[str, Any]:
            place = {"treebank": treebank, "system": system}
            scores = {name: self.f1(treebank, system, name) for name in self.metrics}
            return place | scores | {"failure": self.failures.get((treebank, system))}

        rows = [row(treebank, system) for treebank in self.treebanks for system in self.systems]
        return pl.DataFrame(rows, infer_schema_length=None)

    def averages(self) -> "pl.DataFrame":
        """Return macro averages of F1 in per cent, one row a system."""
        import polars as pl

        means = [pl.col(name).mean() * 100 for name in self.metrics if name not in MORE]
        failures = pl.col("failure").is_not_null().sum().alias("failures")
        return self.table.group_by("system", maintain_order=True).agg([*means, failures])

    def shown(self) -> "pl.DataFrame":
        """Return the averages."""
        return self.averages()

    def conjunction(
        self,
        a: str,
        b: str,
        *,
        metric: str = "LAS",
        test: Test = "permutation",
        draws: int = 10_000,
        alpha: float = 0.05,
        seed: int = 0,
    ) -> Conjunction:
        """Say on how many treebanks A is better than B, by partial conjunction.

        One-sided p-values come from a paired test on each treebank on which both have scores.
        """
        name, used = canonical(metric), self.shared(a, b)
        if not used:
            raise TreegaugeError(f"{a!r} and {b!r} share no treebank on which both have scores")
        results = [
            paired(
                self.treebanks[treebank][a], self.treebanks[treebank][b], [name],
                test=test, draws=draws, seed=seed, alternative="greater",
            )
            for treebank in used
        ]  # fmt: skip
        p_values = np.array([float(result.p_value[0]) for result in results])
        return partial_conjunction(p_values, alpha=alpha, names=used)

    def shared(self, a: str, b: str) -> list[str]:
        """Return the treebanks on which both systems have scores."""
        for system in (a, b):
            if system not in self.systems:
                raise ChoiceError("system", system, self.systems)
        failed = self.failures
        return [t for t in self.treebanks if (t, a) not in failed and (t, b) not in failed]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON format: each treebank as :meth:`Scores.to_dict`, and the averages."""
        return {
            "signature": self.signature,
            "treebanks": [
                {"treebank": name} | scores.to_dict() for name, scores in self.treebanks.items()
            ],
            "averages": self.averages().to_dicts(),
            "failures": [
                {"treebank": treebank, "system": system, "reason": reason}
                for (treebank, system), reason in self.failures.items()
            ],
        }

    def to_latex(self) -> str:
        """Return macro averages as a booktabs table, the best in bold."""
        best = [name for name in self.metrics if name not in MORE]
        return tables.to_latex(self.averages(), note=self.signature, best=best)

    def __str__(self) -> str:
        failed = [f"failed: {s} on {t}: {why}" for (t, s), why in self.failures.items()]
        lines = [tables.to_text(self.averages()), *failed, self.signature]
        return "\n".join(lines)

    def claims(
        self,
        *,
        metric: str = "LAS",
        test: Test = "permutation",
        draws: int = 10_000,
        seed: int = 0,
    ) -> list[tuple[str, str, Conjunction]]:
        """Return the conjunction for every pair that shares treebanks, the higher mean first."""
        mean = {
            system: np.mean([self.f1(treebank, system, metric) for treebank in self.treebanks])
            for system in self.systems
        }
        pairs = [(a, b) if mean[a] >= mean[b] else (b, a) for a, b in combinations(self.systems, 2)]
        return [
            (a, b, self.conjunction(a, b, metric=metric, test=test, draws=draws, seed=seed))
            for a, b in pairs
            if self.shared(a, b)
        ]


@dataclass(frozen=True)
class Pairing:
    """Gold files and, for each system, the outputs that go with them."""

    gold: dict[str, str]
    systems: dict[str, dict[str, str]] = field(default_factory=dict)


def pair_folders(gold: Source, systems: Mapping[str, Source]) -> Pairing:
    """Match the files of folders by name or, where gold names repeat, by path in the folder."""
    names = [short_name(path) for path in _files(Path(gold))]
    if not names:
        raise TreegaugeError(f"{gold}: found no .conllu file in this folder")
    whole = len(set(names)) < len(names)
    outputs = {system: _by_name(Path(folder), whole) for system, folder in systems.items()}
    return Pairing(_by_name(Path(gold), whole), outputs)


def _by_name(folder: Path, whole: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in _files(folder):
        name = short_name(path)
        if whole:
            name = (path.relative_to(folder).parent / name).as_posix()
        if name in found:
            raise TreegaugeError(f"{found[name]} and {path} are both named {name}: keep one")
        found[name] = str(path)
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(path for ending in ENDINGS for path in folder.rglob(f"*.conllu{ending}"))


def score_suite(
    gold: Mapping[str, Input],
    systems: Mapping[str, Mapping[str, Input]],
    *,
    options: Options | None = None,
    reading: Reading | None = None,
    resampling: Resampling | None = None,
    progress: Progress | None = None,
) -> Suite:
    """Score systems on many treebanks.

    Parameters
    ----------
    gold
        Treebank names mapped to gold files.
    systems
        System names mapped to their outputs by treebank name.
    options, reading, resampling, progress
        As in :func:`treegauge.score.scoring.evaluate`.
    """
    scored: dict[str, Scores] = {}
    failures: dict[tuple[str, str], str] = {}
    for treebank, file in gold.items():
        done = []
        for system, outputs in systems.items():
            if treebank not in outputs:
                failures[treebank, system] = "no output"
                continue
            try:
                result = evaluate(
                    file, {system: outputs[treebank]}, options=options, reading=reading,
                    resampling=resampling, progress=progress,
                )  # fmt: skip
                done.append(result)
            except TreegaugeError as error:
                _check_gold(file, options, reading)
                failures[treebank, system] = _reason(error)
        sentences = done[0].sentences if done else 0
        signature = done[0].signature if done else sign(tb=treebank)
        scored[treebank] = Scores(
            tuple(one for result in done for one in result.systems), sentences, signature
        )
    if scored and len(failures) == len(gold) * len(systems):
        reasons = sorted(set(failures.values()))
        raise TreegaugeError(f"no system could be scored: {'; '.join(reasons[:3])}")
    everything = [one for scores in scored.values() for one in scores.systems]
    how = choices(
        options or Options(), reading or Reading(), resampling or Resampling(), everything
    )
    signature = sign(tb=f"{len(scored)}treebanks", average="macro", failed="0", **how)
    return Suite(scored, tuple(systems), failures, signature)


def _check_gold(gold: Input, options: Options | None, reading: Reading | None) -> None:
    """Raise what is wrong with a gold file: that is no system's failure."""
    evaluate(gold, gold, options=options, reading=reading, resampling=Resampling(resamples=0))


def _reason(error: TreegaugeError) -> str:
    lines = [line.strip() for line in str(error).splitlines() if not line.startswith("hint")]
    return "; ".join(lines[:3])
