"""V-information: how much of a treebank's trees a parser can read off the words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.dynamics.jobs import Engine, Job, Progress, relation_names
from treegauge.dynamics.null_inputs import null_input
from treegauge.dynamics.recording import LAYERS, Recording
from treegauge.dynamics.tree_probability import tree_logp
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, countersign
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

__all__ = ["UsableInformation", "measure_information", "usable_information"]

Floats = npt.NDArray[np.float64]
BIT = float(np.log(2))


@dataclass(frozen=True, eq=False)
class UsableInformation(Result):
    r"""Pointwise V-information of every word's head and relation, in bits.

    .. math::
        \mathrm{PVI}(x \to y) = -\log_2 p_{f'}(y \mid \varnothing) + \log_2 p_f(y \mid x), \qquad
        I_V(X \to Y) = \frac1n \sum_i \mathrm{PVI}(x_i \to y_i)

    Attributes
    ----------
    treebank, null
        The words, and what was put in place of the input.
    epochs
        Numbers of the epochs.
    entropy, conditional
        For ``head`` and ``relation``, (epochs, words): bits of gold without and with the input,
        means over seeds.
    trees
        (epochs, sentences): bits that the words tell of whole trees, where recorded.
    """

    treebank: str
    null: str
    signature: str
    epochs: tuple[int, ...]
    entropy: dict[str, Floats]
    conditional: dict[str, Floats]
    trees: Floats | None = None
    digits: ClassVar[int] = 3

    def __repr__(self) -> str:
        return f"<UsableInformation in {self.treebank} against {self.null}>"

    def pvi(self, layer: str = "head", epoch: int = -1) -> Floats:
        """Return the bits that the input tells of each word, after an epoch."""
        found: Floats = self.entropy[layer][epoch] - self.conditional[layer][epoch]
        return found

    @property
    def values(self) -> dict[str, float]:
        """The treebank's numbers after the last epoch: V-information of heads and relations."""
        return {layer: float(self.pvi(layer).mean()) for layer in LAYERS}

    @property
    def table(self) -> "pl.DataFrame":
        """One row a layer: V-entropy, conditional V-entropy, V-information, share of PVI < 0."""
        import polars as pl

        rows: list[dict[str, Any]] = []
        for layer, name in LAYERS.items():
            pvi = self.pvi(layer)
            rows.append(
                {
                    "treebank": self.treebank.rpartition("#")[0], "of": name,
                    "entropy": float(self.entropy[layer][-1].mean()),
                    "conditional": float(self.conditional[layer][-1].mean()),
                    "information": float(pvi.mean()), "negative": 100 * float((pvi < 0).mean()),
                }
            )  # fmt: skip
        if self.trees is not None:
            last = self.trees[-1]
            rows.append(
                {"treebank": rows[0]["treebank"], "of": "trees",
                 "information": float(last.mean()), "negative": 100 * float((last < 0).mean())}
            )  # fmt: skip
        return pl.DataFrame(rows)

    def by_epoch(self) -> "pl.DataFrame":
        """Return V-information after each epoch."""
        import polars as pl

        columns: dict[str, Any] = {"epoch": list(self.epochs)}
        for layer, name in LAYERS.items():
            columns[name] = (self.entropy[layer] - self.conditional[layer]).mean(axis=1)
        return pl.DataFrame(columns)

    def words(self, treebank: Treebank) -> "pl.DataFrame":
        """Return one row a word of the treebank that was read."""
        import polars as pl

        return pl.DataFrame(
            {
                "sentence": treebank.sentence_of + 1,
                "word": treebank.positions,
                "form": treebank["form"],
                "head": treebank.head,
                "deprel": treebank["deprel"],
                **{f"{layer}_pvi": self.pvi(layer) for layer in LAYERS},
            }
        )


def usable_information(
    real: Recording | Sequence[Recording],
    null: Recording | Sequence[Recording],
    *,
    kind: str = "blank",
    treebank: Treebank | None = None,
) -> UsableInformation:
    """Compare recordings of the same trees with their input and without.

    Parameters
    ----------
    real, null
        Of the parser trained and looked at on the words, and on the null input; or one each a
        seed, whose log-probabilities are averaged.
    kind
        The null input's name.
    treebank
        The trees, for numbers of whole trees, where the recordings have what that needs.

    Notes
    -----
    Xu et al. (2020), Ethayarajh et al. (2022); the Difficulty paper, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> def of(*p):
    ...     logp = np.log(np.array([p]))
    ...     return Recording("toy#0", "dev", "treegauge:0", (1,), logp, logp)
    >>> usable_information(of(0.5, 1.0), of(0.25, 0.25)).pvi().round(6).tolist()
    [1.0, 2.0]
    """
    reals = [real] if isinstance(real, Recording) else list(real)
    nulls = [null] if isinstance(null, Recording) else list(null)
    if not reals or not nulls:
        raise TreegaugeError("expected recordings with and without input, found none")
    shapes = {(one.n_words, one.epochs) for one in [*reals, *nulls]}
    if len(shapes) > 1:
        found = ", ".join(repr(one) for one in [*reals, *nulls])
        raise TreegaugeError(f"expected recordings of the same words and epochs, found {found}")

    def bits(recordings: list[Recording], layer: str) -> Floats:
        logp = np.mean([one.logp(layer).astype(np.float64) for one in recordings], axis=0)
        return np.asarray(-logp / BIT)

    trees = None
    if treebank is not None and all(one.trees_logp is not None for one in [*reals, *nulls]):
        sides = [np.mean([tree_logp(one, treebank) for one in side], axis=0)
                 for side in (reals, nulls)]  # fmt: skip
        trees = np.asarray(sides[0] - sides[1]) / BIT
    return UsableInformation(
        treebank=reals[0].treebank,
        null=kind,
        signature=countersign(reals[0].signature, m="vinfo", null=kind, seeds=len(reals)),
        epochs=reals[0].epochs,
        entropy={layer: bits(nulls, layer) for layer in LAYERS},
        conditional={layer: bits(reals, layer) for layer in LAYERS},
        trees=trees,
    )


def measure_information(
    train: Treebank,
    dev: Treebank,
    *,
    engine: Engine,
    null: str = "blank",
    seeds: Sequence[int] = (0,),
    every: bool = True,
    trees: bool = False,
    progress: Progress | None = None,
) -> UsableInformation:
    """Train with the words and with a null input, and compare on dev words.

    Parameters
    ----------
    train, dev
        The treebank.
    engine
        Who trains: see :func:`~treegauge.dynamics.recorder.probabilistic`.
    null
        One of :data:`~treegauge.dynamics.null_inputs.NULLS`.
    seeds
        Two models each.
    every
        Look after every epoch, or only after the last one.
    trees
        Also measure whole trees.
    progress
        Told how many models are trained.

    Examples
    --------
    >>> from treegauge.dynamics.recorder import probabilistic
    >>> from treegauge.testing.synthetic import synthetic
    >>> train, dev = synthetic(200, seed=1), synthetic(50, seed=2)
    >>> found = measure_information(train, dev, engine=probabilistic("mst", epochs=3))
    >>> found.values["head"] > 0.5
    True
    """
    names = relation_names(train, dev)
    hidden = [null_input(part, null) for part in (train, dev)]
    jobs = [
        Job(source, {"dev": target}, seed=seed, relations=names, every=every, trees=trees)
        for seed in seeds
        for source, target in ((train, dev), tuple(hidden))
    ]
    made = [one["dev"] for one in engine(jobs, progress)]
    return usable_information(made[::2], made[1::2], kind=null, treebank=dev if trees else None)
