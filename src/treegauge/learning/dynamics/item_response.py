"""Item response: how difficult words are for parsers of different ability."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.learning.dynamics.jobs import check_same
from treegauge.learning.dynamics.recording import Recording

if TYPE_CHECKING:
    import polars as pl

Floats = npt.NDArray[np.float64]
Kind = Literal["rasch", "2pl"]
LEAST = 5
"""The smallest number of respondents to estimate discrimination; fewer only give the prior."""
_GRID = np.linspace(-4, 4, 33)
_FEW = np.linspace(-2.5, 2.5, 9)
_FAR = 12.0  # larger abilities only occur for respondents that are always or never correct


@dataclass(frozen=True, eq=False)
class ItemResponse(Result):
    r"""Difficulties of words and abilities of respondents.

    .. math:: p(\text{j is correct on i}) = \frac{1}{1 + e^{-a_i (\theta_j - b_i)}}

    Posterior means of :math:`b_i` and :math:`a_i`, the standard deviation (`spread`) of each
    difficulty, and :math:`\theta_j` of each respondent, after some `steps` of EM.
    """

    difficulty: Floats
    discrimination: Floats
    spread: Floats
    ability: Floats
    names: tuple[str, ...]
    model: str
    steps: int
    signature: str
    kind: ClassVar[str] = "item response"
    digits: ClassVar[int] = 3

    @property
    def table(self) -> "pl.DataFrame":
        """One row per respondent."""
        return make_table({"respondent": self.names, "ability": self.ability})

    def words(self) -> "pl.DataFrame":
        """Return one row per word; in Rasch's model all words have the same discrimination."""
        columns = {"difficulty": self.difficulty, "sd": self.spread}
        if self.model == "2pl":
            columns["discrimination"] = self.discrimination
        return make_table(columns)


def responses(
    recordings: Sequence[Recording], *, layer: str = "head", epochs: Sequence[int] = (-1,)
) -> tuple[npt.NDArray[np.bool_], tuple[str, ...]]:
    """Return which words each respondent has correct, (respondents, words), and their names.

    Recordings are of the same words, with rivals; `layer` is ``head``, ``relation`` or ``both``.
    `epochs` are indices of epochs that count as separate respondents, such as ``(0, 4, -1)``.
    """
    check_same(recordings)
    rows, names = [], []
    for number, one in enumerate(recordings, 1):
        layers = ("head", "relation") if layer == "both" else (layer,)
        correct = np.all([one.correct(part) for part in layers], axis=0)
        for place in epochs:
            rows.append(correct[place])
            names.append(f"{number} epoch {one.epochs[place]}")
    return np.array(rows), tuple(names)


def fit_item_response(correct: npt.ArrayLike, names: Sequence[str] = (), *, model: Kind = "2pl") -> ItemResponse:
    """Fit an item response model with random words and fixed respondents.

    There are many words and few respondents, so the words are integrated out: difficulties are
    normal with mean 0 (and deviation 1 for ``2pl``, estimated for ``rasch``), logarithms of
    discriminations normal with estimated mean and deviation, and abilities are found by EM on a
    grid. The words' numbers are posterior means.

    `correct` is (respondents, words), `names` those of the respondents. With ``rasch`` all words
    have the same discrimination; ``2pl`` needs five respondents. EM ends when no ability changes by
    more than 0.001.

    Examples
    --------
    >>> import numpy as np
    >>> correct = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]])
    >>> fitted = fit_item_response(correct, model="rasch")
    >>> bool(np.all(np.diff(fitted.difficulty) > 0)), bool(np.all(np.diff(fitted.ability) < 0))
    (True, True)
    """
    x = np.asarray(correct, np.float64)
    if model not in get_args(Kind):
        raise ChoiceError("item response model", model, get_args(Kind))
    if x.ndim != 2 or not x.size or not np.isin(x, (0, 1)).all():
        raise TreegaugeError(f"responses have the shape {x.shape}; expected (respondents, words) of 0 and 1")
    if model == "2pl" and len(x) < LEAST:
        raise TreegaugeError(
            f"got {len(x)} respondents; discrimination (2pl) needs at least {LEAST}: record more "
            "parsers, seeds or epochs, or fit model='rasch', in which all words discriminate alike"
        )
    titles = tuple(names) or tuple(str(i + 1) for i in range(len(x)))
    if len(titles) != len(x):
        raise TreegaugeError(f"got {len(titles)} names for {len(x)} respondents")
    patterns, which = np.unique(x.T, axis=0, return_inverse=True)
    counts = np.bincount(which.ravel(), minlength=len(patterns)).astype(np.float64)
    b, z = (grid.ravel() for grid in np.meshgrid(_GRID, _FEW if model == "2pl" else [0.0]))
    share = np.clip(x.mean(axis=1), 1e-3, 1 - 1e-3)
    ability = np.log(share / (1 - share))
    scale, middle, width = 1.0, 0.0, 0.5 if model == "2pl" else 0.0
    steps = 0
    prior = -0.5 * (b**2 + z**2)
    while True:
        steps += 1
        a, places = np.exp(middle + width * z), scale * b
        posterior = _posterior(patterns, a, places, prior, ability)
        weight = counts @ posterior
        hits = (patterns * counts[:, None]).T @ posterior
        fresh = _abilities(ability, a, places, weight, hits)
        if model == "rasch":
            scale = float(np.sqrt(weight @ places**2 / weight.sum()))
            scale = min(max(scale, 1e-2), 10.0)
        else:
            logs = middle + width * z
            mean = float(weight @ logs / weight.sum())
            width = max(float(np.sqrt(weight @ (logs - mean) ** 2 / weight.sum())), 1e-2)
            middle = mean
        moved = float(np.abs(fresh - ability).max())
        ability = fresh
        if moved < 1e-3 or steps >= 200:
            break
    a, places = np.exp(middle + width * z), scale * b
    posterior = _posterior(patterns, a, places, prior, ability)
    mean_b = posterior @ places
    spread = np.sqrt(np.maximum(posterior @ places**2 - mean_b**2, 0))
    values = mean_b, posterior @ a, spread
    difficulty, power, deviation = (one[which.ravel()] for one in values)
    checksum = hashlib.sha256(np.packbits(x == 1).tobytes()).hexdigest()[:6]
    signature = sign(v="item-response", m=model, responses=f"{len(x)}x{x.shape[1]}#{checksum}")
    return ItemResponse(difficulty, power, deviation, ability, titles, model, steps, signature)


def _logits(a: Floats, places: Floats, ability: Floats) -> Floats:
    return np.asarray(a[:, None] * (ability[None, :] - places[:, None]))


def _posterior(patterns: Floats, a: Floats, places: Floats, prior: Floats, ability: Floats) -> Floats:
    """Return the posterior of each grid point for each pattern of answers."""
    logits = _logits(a, places, ability)
    yes, no = -np.logaddexp(0, -logits), -np.logaddexp(0, logits)
    logs = patterns @ yes.T + (1 - patterns) @ no.T + prior
    logs -= logs.max(axis=1, keepdims=True)
    shares = np.exp(logs)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _abilities(ability: Floats, a: Floats, places: Floats, weight: Floats, hits: Floats) -> Floats:
    """Return abilities by Newton's method on the expected log-likelihood, which is concave."""
    fitted = ability.copy()
    for _ in range(20):
        p = 1 / (1 + np.exp(-np.clip(_logits(a, places, fitted), -700, 700)))
        slope = a @ (hits.T - weight[:, None] * p)
        bend = (weight * a**2) @ (p * (1 - p))
        step = np.clip(slope / np.maximum(bend, 1e-9), -1, 1)
        fitted = np.clip(fitted + step, -_FAR, _FAR)
        if np.abs(step).max() < 1e-9:
            break
    return fitted
