"""Usable information (V-information) of the words about the trees, in bits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, countersign, joined_signature
from treegauge.core.tables import make_table
from treegauge.learning.dynamics.recording import LAYERS, Recording, sentence_interval, units_said, word_columns
from treegauge.learning.training_settings import JoinedResult
from treegauge.measures.intervals import text_units_of

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

Floats = npt.NDArray[np.float64]
BIT = float(np.log(2))
Null = Literal["blank", "upos", "length", "place", "shuffled"]
_SEEN = ("form", "lemma", "upos", "xpos", "feats")


NULLS = {
    "blank": "every word and tag is _",
    "upos": "words are _, UPOS stays: the information that forms add to tags",
    "length": "every word is the length of its sentence",
    "place": "every word is its position and the length: the information in position alone",
    "shuffled": "the words of each sentence in random order: the information that order adds",
}
"""Null inputs by name, with their meanings."""


def null_input(treebank: "Treebank", kind: str = "blank", *, seed: int = 0) -> "Treebank":
    r"""Return a treebank with its words replaced by a null input; trees are unchanged.

    `kind` is one of :data:`NULLS`, `seed` that of the random order.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> lines = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n2\t!\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    >>> tb = parse_conllu(lines)
    >>> [null_input(tb, kind)["form"].to_list() for kind in ("blank", "upos", "length", "place")]
    [['_', '_'], ['_', '_'], ['_2', '_2'], ['1/2', '2/2']]
    >>> null_input(tb, "upos")["upos"].to_list(), null_input(tb)["upos"].to_list()
    (['VERB', 'PUNCT'], ['_', '_'])
    """
    if kind not in NULLS:
        raise ChoiceError("null input", kind, NULLS)
    if kind == "shuffled":
        random = np.random.default_rng(seed).random(treebank.n_words)
        order = np.lexsort((random, treebank.sentence_of))
        return treebank.with_columns({name: treebank[name].gather(order) for name in _SEEN})
    forms = nothing = ["_"] * treebank.n_words
    sizes = treebank.lengths[treebank.sentence_of].tolist()
    if kind == "length":
        forms = [f"_{size}" for size in sizes]
    elif kind == "place":
        places = treebank.positions.tolist()
        forms = [f"{place}/{size}" for place, size in zip(places, sizes, strict=True)]
    seen = [name for name in _SEEN if name != "upos" or kind != "upos"]
    return treebank.with_columns(dict.fromkeys(seen, nothing) | {"form": forms})


@dataclass(frozen=True, eq=False)
class UsableInformation(Result, kind="vinfo", unit="bits per word"):
    r"""Pointwise V-information of every word's head and relation, in bits.

    .. math::
        \mathrm{PVI}(x \to y) = -\log_2 p_{f'}(y \mid \varnothing) + \log_2 p_f(y \mid x), \qquad
        I_V(X \to Y) = \frac1n \sum_i \mathrm{PVI}(x_i \to y_i)

    For ``head`` and ``relation``, (epochs, words), `entropy` and `conditional` are the bits of gold
    without and with the input, means over seeds. `null` is the null input. `intervals` are those of
    usable information, by layer.
    """

    treebank: str
    null: str
    signature: str
    epochs: tuple[int, ...]
    entropy: dict[str, Floats]
    conditional: dict[str, Floats]
    intervals: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    digits: ClassVar[int] = 3

    def pvi(self, layer: str = "head", epoch: int = -1) -> Floats:
        """Return the bits that the input gives about each word, after an epoch."""
        return np.asarray(self.entropy[layer][epoch] - self.conditional[layer][epoch])

    @property
    def values(self) -> dict[str, float]:
        """The treebank's numbers after the last epoch: V-information of heads and relations."""
        return {layer: float(self.pvi(layer).mean()) for layer in LAYERS}

    @property
    def table(self) -> "pl.DataFrame":
        """One row per layer: V-entropy, conditional V-entropy, V-information, share of PVI < 0."""
        rows: list[dict[str, Any]] = [
            {
                "of": name,
                "entropy": float(self.entropy[layer][-1].mean()),
                "conditional": float(self.conditional[layer][-1].mean()),
                **self._summary(layer, self.pvi(layer)),
            }
            for layer, name in LAYERS.items()
        ]
        name = self.treebank.rpartition("#")[0]
        kinds = {key: str if key == "of" else float for key in rows[0]}
        return make_table([{"treebank": name, **row} for row in rows], {"treebank": str, **kinds})

    def _summary(self, layer: str, bits: Floats) -> dict[str, float | None]:
        low, high = self.intervals.get(layer) or (None, None)
        between = {"low": low, "high": high} if self.intervals else {}
        negative = 100 * float((bits < 0).mean())
        return {"information": float(bits.mean()), **between, "negative": negative}

    def words(self, treebank: "Treebank") -> "pl.DataFrame":
        """Return one row per word of the treebank that was recorded."""
        pvi = {f"{layer}_pvi": self.pvi(layer) for layer in LAYERS}
        return make_table(word_columns(treebank) | pvi)


def usable_information(
    real: Recording | Sequence[Recording],
    null: Recording | Sequence[Recording],
    *,
    kind: str = "blank",
    treebank: "Treebank | None" = None,
    level: float = 0.95,
) -> UsableInformation:
    """Return the usable information in the input, from recordings with and without it.

    Log-probabilities of several recordings, one per seed, are averaged. `kind` names the null
    input; with `treebank` there are intervals over its sentences. Xu et al. (2020), Ethayarajh et
    al. (2022); the Difficulty paper, section 3.2.

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
        raise TreegaugeError("got no recordings, expected some with and without input")
    shapes = {(one.n_words, one.epochs) for one in [*reals, *nulls]}
    if len(shapes) > 1:
        given = ", ".join(repr(one) for one in [*reals, *nulls])
        raise TreegaugeError(f"got {given}; expected recordings of the same words and epochs")

    def bits(recordings: list[Recording], layer: str) -> Floats:
        logp = np.mean([one.logp(layer).astype(np.float64) for one in recordings], axis=0)
        return np.asarray(-logp / BIT)

    first, joined = reals[0], joined_signature([one.signature for one in reals])
    entropy, conditional = ({layer: bits(side, layer) for layer in LAYERS} for side in (nulls, reals))
    units = None if treebank is None else text_units_of(treebank)[0]
    signature = countersign(joined, m="vinfo", null=kind, units=units.kind if units else "sentences")
    made = UsableInformation(first.treebank, kind, signature, first.epochs, entropy, conditional)
    if treebank is None or units is None:
        return made
    how: Any = {"level": level, "units": units}
    intervals = {layer: sentence_interval(made.pvi(layer), treebank.lengths, **how) for layer in LAYERS}
    return replace(made, intervals=intervals, unit_notes=units_said(treebank.name, units, intervals, level))


class InformationTable(JoinedResult, kind="vinfo", unit="bits per word"):
    """Usable information of one or more treebanks."""

    results: tuple[UsableInformation, ...]
