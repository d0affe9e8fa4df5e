"""Sums over resampled units, exact and in bounded memory: the loop behind intervals and tests."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.errors import TreegaugeError

FloatArray = npt.NDArray[np.float64]
#: Maps column sums (..., n_columns) to values (..., n_metrics); NaN where a value is undefined.
Statistic = Callable[[FloatArray], npt.NDArray[Any]]

# Part of what a seed means: another value here changes every resample.
CHUNK = 1 << 15
# Cells of one matrix of weights (16 MB); only speed and memory depend on it.
BUDGET = 1 << 21
# Values this close, relative to their size, differ by rounding alone.
TIE = 2.0**-40

_SHARES, _DRAWS, RUNS, _SWAPS = range(4)


def stream(seed: int, *key: int) -> np.random.Generator:
    """Return the random stream of one purpose and chunk, independent of all the others."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def blocks(total: int, width: int) -> Iterator[int]:
    """Cut `total` rows of `width` cells into block lengths that keep to the budget."""
    length = max(1, BUDGET // max(width, 1))
    for start in range(0, total, length):
        yield min(length, total - start)


def evaluate(statistic: Statistic, sums: FloatArray) -> FloatArray:
    """Apply `statistic`, silently: what cannot be computed, such as 0 / 0, becomes NaN."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = np.array(statistic(sums), dtype=np.float64)
    if values.ndim != sums.ndim or values.shape[:-1] != sums.shape[:-1]:
        expected = ", ".join([*map(str, sums.shape[:-1]), "n_metrics"])
        raise TreegaugeError(
            f"statistic: from sums of shape {sums.shape} expected values of shape ({expected}), "
            f"found {values.shape}; index columns from the end, as in sums[..., [0]]"
        )
    values[~np.isfinite(values)] = np.nan
    return values


def name_metrics(names: Sequence[str] | None, n_metrics: int) -> tuple[str, ...]:
    """Return one name a metric, its number where the caller gives none."""
    if names is None:
        return tuple(map(str, range(n_metrics)))
    if len(names) != n_metrics:
        raise TreegaugeError(
            f"names: the statistic has {n_metrics} metrics, found {len(names)} names"
        )
    return tuple(names)


class Units:
    """The statistics of every unit, for one or more systems, with sums exact in any order.

    Each column is scaled by a power of two and rounded to whole numbers so that no sum of
    ``n_units`` of them reaches 2^53. Whole numbers keep their value; fractions lose at most
    2^-52 of the largest possible sum, and columns below 1e-280 count as 0. Sums then do not
    depend on order, blocks or threads, and equal resamples have equal sums. Columns that are 0
    everywhere are not carried along; sums have them again.

    Parameters
    ----------
    arrays
        One array (n_units, n_columns) a system, all of one shape.
    """

    def __init__(self, arrays: Sequence[npt.ArrayLike]) -> None:
        self.arrays = [_as_table(array) for array in arrays]
        if not self.arrays:
            raise TreegaugeError("counts: expected at least one array, found none")
        shapes = sorted({array.shape for array in self.arrays})
        if len(shapes) > 1:
            found = " and ".join(f"{units} x {columns}" for units, columns in shapes)
            raise TreegaugeError(
                f"counts are not paired: found {found} (units x columns); "
                "all must describe the same units in the same columns"
            )
        self.n_units, self._width = shapes[0]
        # Extremes rather than abs(): no second copy of a large array.
        largest = np.zeros(self._width)
        for array in self.arrays:
            for extreme in (array.max(axis=0), array.min(axis=0)):
                np.maximum(largest, np.abs(extreme.astype(np.float64)), out=largest)
        with np.errstate(over="ignore"):
            bound = largest * self.n_units
        if not np.isfinite(bound).all():
            raise TreegaugeError("counts: expected finite numbers, found NaN, infinity or overflow")
        self._live = np.flatnonzero(bound) if bound.any() else np.zeros(1, np.intp)
        self.n_columns, bound = len(self._live), bound[self._live]
        self._round = any(array.dtype.kind == "f" for array in self.arrays)
        exponent = np.where(bound > 0, 52 - np.frexp(bound)[1], 0)
        exponent = np.clip(exponent, -1000, 1000 if self._round else 0)
        self._scale = np.ldexp(1.0, exponent)
        self._round = self._round or bool((exponent < 0).any())

    def load(self, rows: slice | npt.NDArray[np.intp]) -> FloatArray:
        """Return the scaled whole numbers of some units: (units, systems, columns)."""
        first = self.arrays[0][rows]
        loaded = np.empty((len(first), len(self.arrays), self.n_columns))
        for i, array in enumerate(self.arrays):
            taken = (first if i == 0 else array[rows])[:, self._live]
            np.multiply(taken, self._scale, out=loaded[:, i])
        return np.rint(loaded, out=loaded) if self._round else loaded

    def restore(self, sums: FloatArray) -> FloatArray:
        """Undo the scaling of sums and put the columns of zeros back."""
        whole = np.zeros((*sums.shape[:-1], self._width))
        whole[..., self._live] = sums / self._scale
        return whole

    def chunks(self) -> list[slice]:
        """Return the slices in which units are loaded and drawn."""
        return [
            slice(start, min(start + CHUNK, self.n_units))
            for start in range(0, self.n_units, CHUNK)
        ]

    def scaled_total(self) -> FloatArray:
        """Return the scaled sum over all units: (systems, columns)."""
        total = np.zeros((len(self.arrays), self.n_columns))
        for rows in self.chunks():
            total += self.load(rows).sum(axis=0)
        return total

    def total(self) -> FloatArray:
        """Return the sum over all units: (systems, columns)."""
        return self.restore(self.scaled_total())


def _as_table(array: npt.ArrayLike) -> npt.NDArray[Any]:
    try:
        table = np.asarray(array)
    except ValueError as error:
        raise TreegaugeError(f"counts: expected a table of numbers, found {error}") from None
    if table.ndim != 2 or not table.size or table.dtype.kind not in "biuf":
        raise TreegaugeError(
            "counts: expected numbers of shape (n_units, n_columns), at least 1 x 1, "
            f"found {table.dtype} of shape {table.shape}"
        )
    return table


def bootstrap_sums(units: Units, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield blocks (block, systems, columns) of sums over units drawn with replacement.

    All systems share each draw. A resample first divides its ``n_units`` draws over the chunks
    by a multinomial, then draws within each chunk, which has the same law as drawing from all
    units at once but only ever touches one chunk. Every chunk reads its own stream in the order
    of the resamples, so the first resamples of a longer run are those of a shorter one.
    """
    chunks = units.chunks()
    sizes = np.array([rows.stop - rows.start for rows in chunks])
    shares = stream(seed, _SHARES)
    draws = [stream(seed, _DRAWS, i) for i in range(len(chunks))]

    # Most test sets are one chunk, loaded once for all blocks.
    @lru_cache(maxsize=1)
    def loaded(i: int) -> FloatArray:
        return units.load(chunks[i]).reshape(sizes[i], -1)

    for block in blocks(resamples, int(sizes[0])):
        sums = np.zeros((block, len(units.arrays) * units.n_columns))
        drawn = shares.multinomial(units.n_units, sizes / units.n_units, size=block)
        for i in range(len(chunks)):
            weights = np.empty((block, sizes[i]))
            for b in range(block):
                picks = draws[i].integers(sizes[i], size=drawn[b, i])
                weights[b] = np.bincount(picks, minlength=sizes[i])
            sums += weights @ loaded(i)
        yield units.restore(sums.reshape(block, len(units.arrays), -1))


def bootstrap_values(units: Units, statistic: Statistic, resamples: int, seed: int) -> FloatArray:
    """Return the values of every system in every resample: (resamples, systems, metrics)."""
    return np.concatenate(
        [evaluate(statistic, sums) for sums in bootstrap_sums(units, resamples, seed)]
    )


def jackknife_values(units: Units, statistic: Statistic) -> Iterator[FloatArray]:
    """Yield the values with each unit left out in turn: (units, systems, metrics)."""
    total = units.scaled_total()
    for rows in units.chunks():
        yield evaluate(statistic, units.restore(total - units.load(rows)))


def differing(units: Units) -> npt.NDArray[np.intp]:
    """Return the units on which two systems differ; swapping the others changes nothing."""
    a, b = units.arrays
    differs = np.zeros(units.n_units, dtype=bool)
    for rows in units.chunks():
        differs[rows] = (a[rows] != b[rows]).any(axis=1)
    return np.flatnonzero(differs)


def swapped_sums(
    units: Units, rows: npt.NDArray[np.intp], draws: int, seed: int | None
) -> Iterator[FloatArray]:
    """Yield blocks (block, 2, columns) of both systems' sums after swapping some of `rows`.

    With a seed every swap is a fair coin; without one, draw b swaps the rows whose bit is set in
    the number b, so that ``2 ** len(rows)`` draws are all there are.
    """
    chunks = [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]
    coins = [stream(seed or 0, _SWAPS, i) for i in range(len(chunks))]
    total = units.scaled_total()

    # Most test sets are one chunk, loaded once for all blocks.
    @lru_cache(maxsize=1)
    def gain(i: int) -> FloatArray:
        loaded = units.load(chunks[i])
        return loaded[:, 0] - loaded[:, 1]

    done = 0
    for block in blocks(draws, min(CHUNK, len(rows))):
        moved = np.zeros((block, units.n_columns))
        for i, chunk in enumerate(chunks):
            swaps: npt.NDArray[Any] = (
                np.arange(done, done + block)[:, None] >> np.arange(len(chunk)) & 1
                if seed is None
                else _fair_bits(coins[i], block, len(chunk))
            )
            moved += swaps.astype(np.float64) @ gain(i)
        done += block
        yield units.restore(np.stack([total[0] - moved, total[1] + moved], axis=1))


def _fair_bits(random: np.random.Generator, rows: int, columns: int) -> npt.NDArray[np.uint8]:
    # Whole words a row, so that blocks of any length read the same bits.
    words = random.integers(2**64 - 1, size=(rows, -(-columns // 64)), dtype="u8", endpoint=True)
    octets = words.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=columns)
