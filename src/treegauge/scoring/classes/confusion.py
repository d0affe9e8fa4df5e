"""Confusion matrices of relations, heads and tags."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError
from treegauge.core.result import Result, sign
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.classes.class_scores import Place, aligned, places
from treegauge.scoring.classes.classification import classify
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Confusion(Result):
    """How often the system predicted each value for each gold value, over aligned words."""

    names: tuple[str, ...]
    counts: npt.NDArray[np.int64] = field(repr=False)
    alignment: Alignment = field(repr=False)
    codes: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] = field(repr=False)
    signature: str
    all: bool = False
    kind: ClassVar[str] = "confusion"
    unit: ClassVar[str | None] = "percent"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per confused pair, the most frequent first; agreement is left out.

        `share` is the percentage of the gold value's words.
        """
        import polars as pl

        g, s = np.nonzero(self.counts * (1 - np.eye(len(self.names), dtype=np.int64)))
        names, counts = np.array(self.names, object), self.counts[g, s]
        columns = {"gold": names[g].tolist(), "system": names[s].tolist(), "count": counts}
        schema = {"gold": pl.String, "system": pl.String, "count": pl.Int64, "share": pl.Float64}
        shares = {"share": 100 * counts / self.counts.sum(axis=1)[g]}
        return pl.DataFrame(columns | shares, schema=schema).sort(
            ["count", "gold", "system"], descending=[True, False, False]
        )

    def shown(self) -> "pl.DataFrame":
        """Return the pairs that occur more than once, at most 20, or all with `all`."""
        import polars as pl

        return self.table if self.all else self.table.filter(pl.col("count") > 1).head(20)

    @property
    def matrix(self) -> "pl.DataFrame":
        """Gold values as rows, system values as columns."""
        import polars as pl

        columns = {name: self.counts[:, i] for i, name in enumerate(self.names)}
        return pl.DataFrame({"gold \\ system": self.names} | columns)

    def sentences(self, gold: str, system: str) -> list[Place]:
        """Return the sentences in which one value was confused with the other."""
        for name in (gold, system):
            if name not in self.names:
                raise ChoiceError("value", name, self.names)
        g, s = self.names.index(gold), self.names.index(system)
        treebank, partner = self.alignment.gold.treebank, self.alignment.to_system
        chosen = (partner >= 0) & (self.codes[0] == g) & (self.codes[1][partner] == s)
        return places(treebank, np.flatnonzero(chosen))


def confusion(
    gold: Treebank | Alignment | Source, system: Treebank | Source | None = None, *, of: str = "relation"
) -> Confusion:
    """Return the confusion matrix of a class of words.

    Parameters
    ----------
    gold, system
        Two treebanks of the same text, their files, or their alignment.
    of
        ``relation`` (or ``deprel``, with subtypes), ``head-upos`` for the heads' tags, ``upos``,
        or any other class of words.
    """
    alignment = aligned(gold, system)
    ours, theirs = classify(alignment.gold.treebank, of), classify(alignment.system.treebank, of)
    names = sorted(set(ours.names) | set(theirs.names))
    g, s = ours.among(names), theirs.among(names)
    paired = alignment.to_system >= 0
    pairs = g[paired].astype(np.int64) * len(names) + s[alignment.to_system[paired]]
    counts = np.bincount(pairs, minlength=len(names) ** 2).reshape(len(names), len(names))
    signature = sign(m="confusion", of=of, **alignment.signed)
    return Confusion(tuple(names), counts, alignment, (g, s), signature)
