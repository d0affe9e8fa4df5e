"""Statements of verbs about uncertainty, and how often each is true.

A rate is measured with an error, so it is judged by its 95 % Wilson limits: a case *holds* if both
are in the band of its kind, and is *open* if the rate is and a limit is not, which more repetitions
would decide. A case whose rate is outside *fails*, and so does an interval that is much wider than
an oracle's: one that knows the true standard error. A statement names the cases that are known to
fail, with the reason; the page shows them.
"""

import math
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tools.calibrate.plasmode import Absent
from treegauge.statistics.student_intervals import wilson

Kind = Literal["interval", "set", "test", "verdict", "advice", "power"]
Verdict = Literal["holds", "open", "fails", "skipped"]
#: Where the rate of each kind has to be; sets that are too wide are found by their width.
BANDS: dict[Kind, tuple[float, float]] = {
    "interval": (0.93, 0.97), "set": (0.93, 1.0), "test": (0.03, 0.06), "verdict": (0.0, 0.06),
    "advice": (0.90, 0.98), "power": (0.77, 0.83),
}  # fmt: skip
#: An interval may be at most this many times as wide as an oracle's.
WIDEST = 1.5
#: Minimum number of repetitions of a full run, except where one takes minutes.
LEAST_REPETITIONS = 400
#: A quick run allows this many Monte-Carlo errors on either side of the band.
LOOSE = 4


@dataclass(frozen=True)
class Trials:
    """Results of the repetitions of one case.

    Attributes
    ----------
    hits
        One entry per repetition: the interval contains the truth, or the test (verdict) is
        positive although there is no effect.
    secondary
        One entry per repetition of the statement's second figure (`secondary`): the width of the
        interval, or whether the test finds a real effect (its mean is the power).
    estimates
        The estimates inside the intervals, to compare their width with an oracle's.
    oracle
        The width of an oracle's intervals or sets in each repetition, where it is computed.
    promised
        The rate that was promised in each repetition, where it is not the nominal one.
    """

    hits: npt.NDArray[np.bool_]
    secondary: npt.NDArray[Any]
    estimates: npt.NDArray[Any] | None = None
    oracle: npt.NDArray[Any] | None = None
    promised: npt.NDArray[Any] | None = None

    @property
    def relative_width(self) -> float | None:
        """Width of the intervals or sets divided by that of an oracle's, if there are estimates or an oracle.

        The oracle knows the standard deviation of the estimates and uses the normal quantiles;
        the width is the median.
        """
        if self.oracle is not None:
            return float(np.nanmean(self.secondary) / np.nanmean(self.oracle))
        if self.estimates is None:
            return None
        return float(np.nanmedian(self.secondary) / (2 * 1.959964 * np.nanstd(self.estimates)))


#: Makes the trials of a case: a random generator, the case's value, the number of repetitions.
Simulation = Callable[[np.random.Generator, Any, int], Trials]


@dataclass(frozen=True)
class Statement:
    """A statement of a verb about uncertainty, and a simulation that checks it.

    Attributes
    ----------
    name, verb
        ``score-las-interval``, and the command that prints it.
    says
        What users read, as a sentence.
    kind, nominal
        What it is, and the level it claims: 0.95 for a 95 % interval, 0.05 for a test.
    cases
        Arguments of the simulation by label; the smallest size that is offered comes first.
    secondary
        The second figure, reported with the rate: ``"mean width (points)"``, ``"power at +2
        points"``.
    covers
        The intervals, p-values and verdicts that it covers, as ``KIND.FIELD``: the kind of
        the result, then the column of its table or the keys of its JSON without list positions.
        Patterns are those of the shell: ``comparisons.p_*``, ``score.systems.metrics.*.interval``.
    simulate
        The simulation; its docstring says how the data are made.
    repetitions, quick
        Repetitions per case of the full and of the quick run.
    exact
        An exact test, which may reject less often than its band says.
    fails
        Cases that are known to fail, with the reason in a few words.
    """

    name: str
    verb: str
    says: str
    kind: Kind
    nominal: float
    cases: Mapping[str, Any]
    secondary: str
    covers: tuple[str, ...]
    simulate: Simulation
    repetitions: int = 2000
    quick: int = 100
    exact: bool = False
    fails: Mapping[str, str] = field(default_factory=dict)

    @property
    def decidable(self) -> bool:
        """Whether a full run has enough repetitions for a rate as claimed to hold."""
        return Checked("", self.repetitions, self.nominal, 0, 0, 0).verdict(self.band) == "holds"

    @property
    def band(self) -> tuple[float, float]:
        """The rates between which the statement holds."""
        low, high = BANDS[self.kind]
        return (0.0 if self.exact else low), high


@dataclass(frozen=True)
class Checked:
    """One case of a statement, checked."""

    case: str
    repetitions: int
    rate: float
    error: float
    secondary: float
    seconds: float
    relative_width: float | None = None
    skipped: str = ""
    promised: float | None = None

    @property
    def limits(self) -> tuple[float, float]:
        """Wilson's 95 % limits of the rate."""
        low, high = wilson(self.rate * self.repetitions, self.repetitions)
        return float(low), float(high)

    def verdict(self, band: tuple[float, float]) -> Verdict:
        """Return whether the case holds, by the limits of its rate and by the width of its intervals.

        Examples
        --------
        >>> [Checked("", n, 0.945, 0, 3.1, 0.1).verdict((0.93, 0.97)) for n in (400, 4000)]
        ['open', 'holds']
        >>> Checked("", 4000, 0.952, 0, 3.1, 0.1, relative_width=2.4).verdict((0.93, 0.97))
        'fails'
        """
        if self.skipped:
            return "skipped"
        if not self.holds(band) or (self.relative_width or 0) > WIDEST:
            return "fails"
        (low, high), band = self.limits, self.around(band)
        return "holds" if (band[0] <= low or band[0] == 0) and high <= band[1] else "open"

    def around(self, band: tuple[float, float]) -> tuple[float, float]:
        """Return a band, moved to be around the rate that was promised.

        Examples
        --------
        >>> tuple(round(end, 3) for end in Checked("", 2000, 0.84, 0, 0, 0, promised=0.845).around((0.77, 0.83)))
        (0.815, 0.875)
        """
        moved = 0.0 if self.promised is None else self.promised - sum(band) / 2
        return band[0] + moved, band[1] + moved

    def holds(self, band: tuple[float, float], *, errors: float = 0) -> bool:
        """Whether the rate is in a band, widened by a number of Monte-Carlo errors.

        Examples
        --------
        >>> Checked("n = 10", 400, 0.92, 0.0136, 3.1, 0.1).holds((0.93, 0.97), errors=1)
        True
        """
        if self.skipped:
            return True
        # The error at the end of the band: the estimated one is 0 where all repetitions agree.
        low, high = (
            end + sign * errors * math.sqrt(end * (1 - end) / self.repetitions)
            for end, sign in zip(self.around(band), (-1, 1), strict=True)
        )
        return low <= self.rate <= high


STATEMENTS: dict[str, Statement] = {}


def statement(**fields: Any) -> Callable[[Simulation], Simulation]:
    """Register a simulation as the check of a :class:`Statement` with these fields."""

    def register(simulate: Simulation) -> Simulation:
        result = Statement(simulate=simulate, **fields)
        if result.name in STATEMENTS:
            raise ValueError(f"two statements are called {result.name}")
        STATEMENTS[result.name] = result
        return simulate

    return register


def load() -> dict[str, Statement]:
    """Return all statements, of all modules of the package."""
    for module in iter_modules([str(Path(__file__).parent)]):
        if module.name != "__main__":
            import_module(f"tools.calibrate.{module.name}")
    return STATEMENTS


def check_case(statement: Statement, label: str, *, seed: int = 0, quick: bool = False, times: float = 1) -> Checked:
    """Run the simulation of one case, which has a random stream of its own.

    A case whose real data are not on this machine is skipped.
    """
    key = [seed, zlib.crc32(f"{statement.name}/{label}".encode())]
    start = time.perf_counter()
    random, repetitions = np.random.default_rng(key), statement.quick if quick else round(times * statement.repetitions)
    try:
        trials = statement.simulate(random, statement.cases[label], repetitions)
    except Absent as absent:
        return Checked(label, 0, 0.0, 0.0, 0.0, 0.0, skipped=str(absent))
    number, rate = len(trials.hits), float(np.mean(trials.hits))
    error = math.sqrt(rate * (1 - rate) / number)
    seconds = time.perf_counter() - start
    promised = None if trials.promised is None else float(np.mean(trials.promised))
    second = float(np.mean(trials.secondary))
    return Checked(label, number, rate, error, second, seconds, trials.relative_width, promised=promised)


def check(statement: Statement, *, seed: int = 0, quick: bool = False) -> list[Checked]:
    """Run the simulation of every case."""
    return [check_case(statement, label, seed=seed, quick=quick) for label in statement.cases]


def saved(statement: Statement, rows: list[Checked], seed: int) -> dict[str, Any]:
    """Return the data to store from a full run."""
    optional = ("relative_width", "skipped", "promised")
    cases = [{k: v for k, v in asdict(row).items() if v or k not in optional} for row in rows]
    return {"name": statement.name, "seed": seed, "cases": cases}
