"""Many treebanks at once: scores of each, macro averages, and what holds across them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge import tables
from treegauge.errors import TreegaugeError
from treegauge.result import Result, sign
from treegauge.score.comparing import Test, paired
from treegauge.score.metrics import METRICS, canonical
from treegauge.score.scoring import Progress, Resampling, Scores, score
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
    def table(self) -> "pl.DataFrame":
        """One row a treebank and system; F1 of every metric as fractions."""
        import polars as pl

        def row(treebank: str, system: str) -> dict[str, Any]:
            place = {"treebank": treebank, "system": system}
            scores = {name: self.f1(treebank, system, name) for name in METRICS}
            return place | scores | {"failure": self.failures.get((treebank, system))}

        rows = [row(treebank, system) for treebank in self.treebanks for system in self.systems]
        return pl.DataFrame(rows, infer_schema_length=None)

    def averages(self) -> "pl.DataFrame":
        """Return macro averages of F1 in per cent, one row a system."""
        import polars as pl

        means = [pl.col(name).mean() * 100 for name in METRICS]
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

        One-sided p-values come from a paired test on each treebank.
        """
        name, p_values, used = canonical(metric), [], []
        for treebank, scores in self.treebanks.items():
            if (treebank, a) in self.failures or (treebank, b) in self.failures:
                continue
            result = paired(
                scores[a], scores[b], [name],
                test=test, draws=draws, seed=seed, alternative="greater",
            )  # fmt: skip
            p_values.append(float(result.p_value[0]))
            used.append(treebank)
        if not used:
            raise TreegaugeError(f"{a!r} and {b!r} share no treebank on which both have scores")
        return partial_conjunction(np.array(p_values), alpha=alpha, names=used)

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
        return tables.to_latex(self.averages(), note=self.signature, best=list(METRICS))

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
        """Return the conjunction for every ordered pair in which the first has the higher mean."""
        mean = {
            system: np.mean([self.f1(treebank, system, metric) for treebank in self.treebanks])
            for system in self.systems
        }
        pairs = [(a, b) if mean[a] >= mean[b] else (b, a) for a, b in combinations(self.systems, 2)]
        return [
            (a, b, self.conjunction(a, b, metric=metric, test=test, draws=draws, seed=seed))
            for a, b in pairs
        ]


@dataclass(frozen=True)
class Pairing:
    """Gold files and, for each system, the outputs that go with them."""

    gold: dict[str, str]
    systems: dict[str, dict[str, str]] = field(default_factory=dict)


def pair_folders(gold: Source, systems: Mapping[str, Source]) -> Pairing:
    """Match the files of folders by their path inside the folder, or by name alone."""
    found = {short_name(path): path for path in _files(Path(gold))}
    if not found:
        raise TreegaugeError(f"{gold}: found no .conllu file in this folder")
    outputs = {
        system: {short_name(path): str(path) for path in _files(Path(folder))}
        for system, folder in systems.items()
    }
    return Pairing({name: str(path) for name, path in found.items()}, outputs)


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
        As in :func:`treegauge.score.scoring.score`.
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
                result = score(
                    file, {system: outputs[treebank]}, options=options, reading=reading,
                    resampling=resampling, progress=progress,
                )  # fmt: skip
                done.append(result)
            except TreegaugeError as error:
                failures[treebank, system] = str(error).splitlines()[0]
        sentences = done[0].sentences if done else 0
        signature = done[0].signature if done else sign(tb=treebank)
        scored[treebank] = Scores(
            tuple(one for result in done for one in result.systems), sentences, signature
        )
    if scored and len(failures) == len(gold) * len(systems):
        reasons = sorted(set(failures.values()))
        raise TreegaugeError(f"no system could be scored: {'; '.join(reasons[:3])}")
    options = options or Options()
    signature = sign(
        tb=f"{len(scored)}treebanks", punct=options.punct, subtypes=options.subtypes,
        average="macro", failed="0",
    )  # fmt: skip
    return Suite(scored, tuple(systems), failures, signature)
