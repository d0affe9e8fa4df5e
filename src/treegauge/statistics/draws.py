"""Exact sums over resampled units in bounded memory, used by intervals and tests."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError

FloatArray = npt.NDArray[np.float64]
#: Maps column sums (..., n_columns) to values (..., n_metrics); NaN where a value is undefined.
Statistic = Callable[[FloatArray], npt.NDArray[Any]]

# Resamples depend on this value as on the seed: changing it changes every resample.
CHUNK = 1 << 15
# Cells of one block of sums (16 MB); this and the values below affect only speed and memory.
BUDGET = 1 << 21
# Units drawn per call: enough to amortise its cost, few enough for a core's cache.
DRAWN = 1 << 16
# Minimum number of resamples multiplied at a time, so that units are not read again for each.
TOGETHER = 8
# With few columns the threads of BLAS cost more than they save, especially on busy cores. BLAS
# starts no threads for products with fewer multiplications than this.
FEW_COLUMNS, UNTHREADED = 64, 1 << 18
# Relative differences below this are rounding errors.
TIE = 2.0**-40

_SHARES, _DRAWS, RUNS, _SWAPS = range(4)


def stream(seed: int, *key: int) -> "np.random.Generator":
    """Return the random stream for one purpose and chunk, independent of all others."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def blocks(total: int, width: int) -> Iterator[int]:
    """Divide `total` rows of `width` cells into blocks within the memory budget."""
    for part in _slices(total, BUDGET // max(width, 1)):
        yield part.stop - part.start


def apply_statistic(statistic: Statistic, sums: FloatArray) -> FloatArray:
    """Apply `statistic` without warnings; undefined values, such as 0 / 0, become NaN."""
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


def ratios(sums: FloatArray) -> FloatArray:
    """Return the first half of the columns divided by the second, such as F1 from its two terms."""
    half = sums.shape[-1] // 2
    return np.asarray(sums[..., :half] / sums[..., half:])


class Units:
    """The statistics of every unit, for one or more systems, with sums exact in any order.

    Each column is scaled by a power of two and rounded to whole numbers so that no sum of
    ``n_units`` of them reaches 2^53. Whole numbers keep their value; fractions lose at most 2^-52
    of the largest possible sum, and columns below 1e-280 count as 0. Sums then do not depend on
    order, blocks or threads, and equal resamples have equal sums. Columns that are 0 everywhere are
    dropped, and restored in the sums.
    """

    def __init__(self, arrays: Sequence[npt.ArrayLike]) -> None:
        self.arrays = [_as_table(array) for array in arrays]
        if not self.arrays:
            raise TreegaugeError("counts: expected at least one array, found none")
        shapes = sorted({array.shape for array in self.arrays})
        if len(shapes) > 1:
            sizes = " and ".join(f"{units} x {columns}" for units, columns in shapes)
            raise TreegaugeError(
                f"counts are not paired: found {sizes} (units x columns); "
                "all must describe the same units in the same columns"
            )
        self.n_units, self.width = shapes[0]
        # min and max instead of abs() avoid a second copy of a large array.
        largest = np.zeros(self.width)
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
        """Return the scaled whole numbers of these units: (units, systems, columns)."""
        first = self.arrays[0][rows]
        loaded = np.empty((len(first), len(self.arrays), self.n_columns))
        for i, array in enumerate(self.arrays):
            rows_taken = (first if i == 0 else array[rows])[:, self._live]
            np.multiply(rows_taken, self._scale, out=loaded[:, i])
        return np.rint(loaded, out=loaded) if self._round else loaded

    def restore(self, sums: FloatArray) -> FloatArray:
        """Undo the scaling of sums and put the columns of zeros back."""
        whole = np.zeros((*sums.shape[:-1], self.width))
        whole[..., self._live] = sums / self._scale
        return whole

    def chunks(self) -> list[slice]:
        """Return the slices in which units are loaded and drawn."""
        return list(_slices(self.n_units, CHUNK))

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
    table = np.asarray(array)
    if table.ndim != 2 or not table.size or table.dtype.kind not in "biuf":
        raise TreegaugeError(
            "counts: expected numbers of shape (n_units, n_columns), at least 1 x 1, "
            f"found {table.dtype} of shape {table.shape}"
        )
    return table


def runs_of(counts: npt.ArrayLike) -> list[npt.NDArray[Any]]:
    """Return one table per run from a table, or from several of the same units."""
    try:
        table = np.asarray(counts)
    except ValueError:
        raise TreegaugeError(
            "counts: expected a table of numbers, or one of the same shape for each run; rows or runs differ in shape"
        ) from None
    return list(table) if table.ndim == 3 else [table]


def bootstrap_sums(units: Units, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield blocks (block, systems, columns) of sums over units drawn with replacement.

    All systems share each draw. A resample first divides its ``n_units`` draws over the chunks
    by a multinomial, then draws within each chunk, which has the same law as drawing from all
    units at once but touches only one chunk. Every chunk reads its own stream in the order
    of the resamples, so the first resamples of a longer run are those of a shorter one.
    """
    chunks, systems = units.chunks(), len(units.arrays)
    sizes = np.array([rows.stop - rows.start for rows in chunks])
    shares = stream(seed, _SHARES)
    draws = [stream(seed, _DRAWS, i) for i in range(len(chunks))]
    for block in blocks(resamples, systems * units.width + len(chunks)):
        sums = np.zeros((block, systems * units.n_columns))
        drawn = shares.multinomial(units.n_units, sizes / units.n_units, size=block)
        for rows, size, random, shared in zip(chunks, sizes, draws, drawn.T, strict=True):
            loaded = units.load(rows).reshape(size, -1)
            tiles = list(_tiles(block, *loaded.shape))
            buffer = np.empty((tiles[0].stop, size))
            for part in tiles:
                counts = buffer[: part.stop - part.start]
                _count(random, shared[part], counts)
                sums[part] += _multiply(counts, loaded)
        yield units.restore(sums.reshape(block, systems, -1))


def _count(random: "np.random.Generator", drawn: npt.NDArray[np.int64], counts: FloatArray) -> None:
    """Draw `drawn` units with replacement in each resample, and fill in their counts.

    The draws equal those of one call of the generator per resample.
    """
    size = counts.shape[1]
    for part in _slices(len(drawn), DRAWN // size):
        ends = [0, *drawn[part].cumsum().tolist()]
        picks = random.integers(size, size=ends[-1])
        for row, (start, end) in zip(counts[part], pairwise(ends), strict=True):
            row[:] = np.bincount(picks[start:end], minlength=size)


def _tiles(total: int, width: int, columns: int) -> Iterator[slice]:
    """Cut resamples of `width` units into parts that are multiplied at a time."""
    few = columns <= FEW_COLUMNS
    return _slices(total, max(TOGETHER, DRAWN // width) if few else BUDGET // width)


def _multiply(weights: FloatArray, loaded: FloatArray) -> FloatArray:
    """Return ``weights @ loaded``; sums of whole numbers may come in any order."""
    columns = loaded.shape[1]
    if columns > FEW_COLUMNS:
        return weights @ loaded
    product = np.zeros((len(weights), columns))
    for part in _slices(len(loaded), UNTHREADED // product.size):
        product += weights[:, part] @ loaded[part]
    return product


def _slices(total: int, step: int) -> Iterator[slice]:
    """Cut `total` rows into slices of `step`, or of 1."""
    step = max(1, step)
    for start in range(0, total, step):
        yield slice(start, min(start + step, total))


def bootstrap_values(units: Units, statistic: Statistic, resamples: int, seed: int) -> FloatArray:
    """Return the values of every system in every resample: (resamples, systems, metrics)."""
    return np.concatenate([apply_statistic(statistic, sums) for sums in bootstrap_sums(units, resamples, seed)])


def jackknife_values(units: Units, statistic: Statistic) -> Iterator[FloatArray]:
    """Yield the values with each unit left out in turn: (units, systems, metrics)."""
    total = units.scaled_total()
    for rows in units.chunks():
        yield apply_statistic(statistic, units.restore(total - units.load(rows)))


def differing(units: Units) -> npt.NDArray[np.intp]:
    """Return the units on which two systems differ; swapping the others changes nothing."""
    a, b = units.arrays
    differs = np.zeros(units.n_units, dtype=bool)
    for rows in units.chunks():
        differs[rows] = (a[rows] != b[rows]).any(axis=1)
    return np.flatnonzero(differs)


def swapped_sums(units: Units, rows: npt.NDArray[np.intp], draws: int, seed: int | None) -> Iterator[FloatArray]:
    """Yield blocks (block, 2, columns) of both systems' sums after random swaps of `rows`.

    With a seed every swap is a fair coin; without one, draw b swaps the rows whose bit is set in
    the number b, so that ``2 ** len(rows)`` draws are all possible ones.
    """
    chunks = [rows[part] for part in _slices(len(rows), CHUNK)]
    coins = [stream(seed or 0, _SWAPS, i) for i in range(len(chunks))]
    total = units.scaled_total()

    done = 0
    for block in blocks(draws, 2 * units.width):
        moved = np.zeros((block, units.n_columns))
        for chunk, random in zip(chunks, coins, strict=True):
            loaded = units.load(chunk)
            gain = loaded[:, 0] - loaded[:, 1]
            for part in _tiles(block, *gain.shape):
                numbers = np.arange(done + part.start, done + part.stop)
                swaps: npt.NDArray[Any] = (
                    numbers[:, None] >> np.arange(len(chunk)) & 1
                    if seed is None
                    else _fair_bits(random, len(numbers), len(chunk))
                )
                moved[part] += _multiply(swaps.astype(np.float64), gain)
        done += block
        yield units.restore(np.stack([total[0] - moved, total[1] + moved], axis=1))


def _fair_bits(random: "np.random.Generator", rows: int, columns: int) -> npt.NDArray[np.uint8]:
    # Whole words per row, so that blocks of any length read the same bits.
    words = random.integers(2**64 - 1, size=(rows, -(-columns // 64)), dtype="u8", endpoint=True)
    octets = words.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=columns)
