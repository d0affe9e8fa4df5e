"""All measures of a treebank's difficulty at once, a row of the Difficulty paper's Table 1."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.dynamics.absolute_rank import LARGER_IS_EASIER, AbsoluteRank, absolute_rank
from treegauge.dynamics.cartography import DataMap, mean_map
from treegauge.dynamics.description_length import (
    BLOCKS,
    DescriptionLength,
    Training,
    description_length,
)
from treegauge.dynamics.jobs import Engine, Job, Progress, relation_names
from treegauge.dynamics.null_inputs import null_input
from treegauge.dynamics.usable_information import UsableInformation, usable_information
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Coding", "Difficulty", "Table", "difficulty", "difficulty_table"]


@dataclass(frozen=True)
class Coding:
    """How description length is measured."""

    blocks: tuple[int, ...] = BLOCKS
    training: Training = "prefix"
    shuffles: int = 5


@dataclass(frozen=True, eq=False)
class Difficulty(Result):
    """What the measures say of one treebank.

    Attributes
    ----------
    treebank
        Its name.
    words, sentences
        Size of its train part.
    uas, las
        On dev, in percent, of words that each pick their head for themselves; means over seeds.
    map
        Data map of the train words.
    information
        Usable information in the dev words.
    length
        Description length of the train trees, if it was measured.
    """

    treebank: str
    words: int
    sentences: int
    uas: float
    las: float
    map: DataMap
    information: UsableInformation
    length: DescriptionLength | None
    signature: str

    @property
    def row(self) -> dict[str, Any]:
        """The ten measures by the names of the paper's table, and the size."""
        maps, bits = self.map.values, self.information.values
        plain = ("treebank", "words", "sentences", "uas", "las")
        found: dict[str, Any] = {name: getattr(self, name) for name in plain}
        for short, layer in (("arc", "head"), ("rel", "relation")):
            found[f"{short}_conf"] = maps[layer]["confidence"]
            found[f"{short}_var"] = maps[layer]["variability"]
            found[f"{short}_vinfo"] = bits[layer]
            found[f"{short}_mdl"] = (
                None if self.length is None else self.length.values[layer]["bits_per_word"]
            )
        return found

    @property
    def table(self) -> "pl.DataFrame":
        """One row."""
        return _frame([self.row])


@dataclass(frozen=True, eq=False)
class Table(Result):
    """The measures of several treebanks; the stuff of correlations and ranks."""

    rows: tuple[Difficulty, ...]
    signature: str
    digits: ClassVar[int] = 3

    @property
    def table(self) -> "pl.DataFrame":
        """One row a treebank."""
        return _frame([one.row for one in self.rows])

    @property
    def ranks(self) -> AbsoluteRank:
        """The absolute rank of the treebanks over all measures."""
        return replace(absolute_rank(self.known), signature=self.signature)

    @property
    def known(self) -> "pl.DataFrame":
        """The table without measures that were not taken."""
        frame = self.table
        return frame.drop([name for name in LARGER_IS_EASIER if frame[name].is_null().all()])


def _frame(rows: Sequence[dict[str, Any]]) -> "pl.DataFrame":
    import polars as pl

    kinds: dict[str, Any] = {"treebank": pl.String, "words": pl.Int64, "sentences": pl.Int64}
    return pl.DataFrame(rows, schema=kinds | dict.fromkeys(LARGER_IS_EASIER, pl.Float64))


def difficulty(
    train: Treebank,
    dev: Treebank,
    *,
    engine: Engine,
    null: str = "blank",
    seeds: Sequence[int] = (0,),
    coding: Coding | None = None,
    name: str | None = None,
    progress: Progress | None = None,
) -> Difficulty:
    """Measure a treebank's difficulty: one model with its words, one without, and those of MDL.

    Parameters
    ----------
    train, dev
        The treebank.
    engine
        Who trains: see :func:`~treegauge.dynamics.recorder.probabilistic`.
    null
        Input that usable information is measured against.
    seeds
        Two models each; numbers are means over them.
    coding
        Also measure description length, in this way.
    name
        The treebank's name, if other than that of `train`.
    progress
        Told how many models are trained, description length aside.

    Examples
    --------
    >>> from treegauge.dynamics.recorder import probabilistic
    >>> from treegauge.testing.synthetic import synthetic
    >>> train, dev = synthetic(100, seed=1), synthetic(40, seed=2)
    >>> found = difficulty(train, dev, engine=probabilistic("mst", epochs=3))
    >>> found.row["arc_conf"] > found.row["arc_var"]
    True
    """
    if not seeds:
        raise TreegaugeError("expected at least one seed, found none")
    names = relation_names(train, dev)
    blank, blank_dev = (null_input(part, null) for part in (train, dev))
    jobs = []
    for seed in seeds:
        read = {"train": train, "dev": dev}
        jobs.append(Job(train, read, seed=seed, relations=names))
        jobs.append(Job(blank, {"dev": blank_dev}, seed=seed, relations=names))
    made = engine(jobs, progress)
    real, hidden = made[::2], made[1::2]
    scores = [one["dev"].greedy() for one in real]
    length = None
    if coding is not None:
        length = description_length(
            train, engine=engine, blocks=coding.blocks, training=coding.training,
            shuffles=coding.shuffles, seed=seeds[0], progress=progress,
        )  # fmt: skip
    return Difficulty(
        treebank=name or train.name.partition("/")[0],
        words=train.n_words,
        sentences=len(train),
        uas=sum(uas for uas, _ in scores) / len(scores),
        las=sum(las for _, las in scores) / len(scores),
        map=mean_map([one["train"] for one in real]),
        information=usable_information(
            [one["dev"] for one in real], [one["dev"] for one in hidden], kind=null
        ),
        length=length,
        signature=sign(
            v="difficulty", tb=train.mark, dev=dev.mark, parser=engine.label, null=null,
            mdl=None if coding is None else f"{coding.training} x {coding.shuffles}",
            seeds="+".join(map(str, seeds)),
        ),
    )  # fmt: skip


def difficulty_table(found: Sequence[Difficulty]) -> Table:
    """Put the measures of several treebanks into one table."""
    if not found:
        raise TreegaugeError("expected at least one treebank, found none")
    parser = "+".join(dict.fromkeys(one.signature.partition("|parser:")[2] for one in found))
    return Table(tuple(found), sign(v="difficulty", treebanks=len(found), parser=parser))
