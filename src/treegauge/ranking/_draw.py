"""Random subsets that can be drawn again from their number alone.

Philox4x32-10 (Salmon et al. 2011) turns (seed, number of the sample, number of the draw) into
random bits, so a sample depends on nothing but its number: not on threads, order or history.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge._jit import kernel

ATTEMPTS = 20_000

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_ONE = np.uint64(1)


@kernel
def philox(counter: NDArray[np.uint64], seed: np.uint64, words: NDArray[np.uint64]) -> None:
    """Fill `words` with random 32-bit words, four for each step of the counter's third part."""
    for start in range(0, len(words), 4):
        c0, c1, c2, c3 = counter[0], counter[1], counter[2], counter[3]
        k0, k1 = seed & _LOW, seed >> _HALF
        for _ in range(10):
            p0, p1 = _M0 * c0, _M1 * c2
            c0, c1 = (p1 >> _HALF) ^ c1 ^ k0, p1 & _LOW
            c2, c3 = (p0 >> _HALF) ^ c3 ^ k1, p0 & _LOW
            k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
        words[start], words[start + 1], words[start + 2], words[start + 3] = c0, c1, c2, c3
        counter[2] += _ONE


@kernel
def draw(
    number: int,
    seed: np.uint64,
    sizes: NDArray[np.int64],
    members: NDArray[np.int64],
    starts: NDArray[np.int64],
    quotas: NDArray[np.int64],
    steps: NDArray[np.float64],
    codes: NDArray[np.int64],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    counter: NDArray[np.uint64],
    words: NDArray[np.uint64],
    order: NDArray[np.int64],
    tally: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> Any:
    """Draw sample `number` into `chosen` and return its size, or -1 if every attempt failed.

    Groups come one after another: how many of a group is either its quota or drawn from the number
    of ways the rest can be completed; which of them is uniform. All subsets within the bounds of
    the grouping are then equally likely, and those that break another bound are drawn again.
    """
    which = number % len(sizes)
    size = sizes[which]
    counter[0] = np.uint64(number) & _LOW
    counter[1] = np.uint64(number) >> _HALF
    counter[2] = counter[3] = 0
    used = len(words)
    groups = len(starts) - 1
    for _ in range(ATTEMPTS):
        for i in range(len(order)):
            order[i] = members[i]
        filled = 0
        for group in range(groups):
            left = size - filled
            if left == 0:
                break
            begin, held = starts[group], starts[group + 1] - starts[group]
            take = quotas[which, group]
            if take < 0 and group == groups - 1:
                take = left
            elif take < 0:
                if used + 2 > len(words):
                    philox(counter, seed, words)
                    used = 0
                bits = (words[used] << np.uint64(21)) ^ (words[used + 1] >> np.uint64(11))
                used += 2
                point = np.float64(bits) * 2.0**-53
                take = 0
                while take < steps.shape[2] - 1 and steps[group, left, take] <= point:
                    take += 1
            for i in range(take):
                # Lemire (2019): multiply and shift, and again where that would favour some.
                limit = np.uint64(held - i)
                while True:
                    if used == len(words):
                        philox(counter, seed, words)
                        used = 0
                    product = words[used] * limit
                    used += 1
                    if product & _LOW >= limit or product & _LOW >= (_LOW + _ONE - limit) % limit:
                        break
                other = begin + i + np.int64(product >> _HALF)
                chosen[filled] = order[other]
                order[other] = order[begin + i]
                filled += 1
        fits = True
        for bound in range(len(codes)):
            tally[:] = 0
            for i in range(size):
                tally[codes[bound, chosen[i]]] += 1
            for code in range(len(tally)):
                if not lows[which, bound, code] <= tally[code] <= highs[which, bound, code]:
                    fits = False
        if fits:
            return size
    return -1
