"""Dataset difficulty: all measures at once, and the absolute rank of treebanks over them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.core.verbs import verb
from treegauge.learning.maps.cartography import DataMap, mean_map
from treegauge.learning.mdl import Before, DescriptionLength, read_blocks
from treegauge.learning.recordings.settings import JoinedResult, Layer, TrainingData, TrainingSettings
from treegauge.learning.vinfo import Null, UsableInformation, usable_information
from treegauge.scoring.metrics.convention import OFFICIAL, Convention, find_convention

if TYPE_CHECKING:
    import polars as pl

LARGER_IS_EASIER: Mapping[str, bool] = {
    "uas": True, "las": True,
    "arc_conf": True, "arc_var": False, "arc_vinfo": True, "arc_mdl": False,
    "rel_conf": True, "rel_var": False, "rel_vinfo": True, "rel_mdl": False,
}  # fmt: skip
"""The ten measures of the Difficulty paper's Table 1, and whether a larger value ranks first."""


@dataclass(frozen=True, eq=False)
class AbsoluteRank(Result):
    """Treebanks in the order of their mean rank; ranks are None if a measure is missing."""

    rows: tuple[dict[str, object], ...]
    measures: tuple[str, ...]
    signature: str
    kind: ClassVar[str] = "absolute rank"
    digits: ClassVar[int] = 1

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank, the easiest first."""
        ranks = [rank for row in self.rows for key, rank in row.items() if key in self.measures]
        shared = any(rank is not None and rank != int(cast("float", rank)) for rank in ranks)
        kinds = {"treebank": str, "rank": int, "mean": float}
        return make_table(self.rows, kinds | dict.fromkeys(self.measures, float if shared else int))


def _plain(measure: str) -> str:
    """Return a measure's name without the convention of scores."""
    return measure.partition("[")[0]


def absolute_rank(data: Any, measures: Sequence[str] = (), *, label: str = "treebank") -> AbsoluteRank:
    """Return the ranks of treebanks by each measure, and by the mean of these ranks.

    Rank 1 is the highest UAS, LAS, confidence and usable information, and the lowest variability
    and description length. Equal values share the mean of their ranks, equal means the best rank.
    A missing value does not count for its treebank.

    `data` is a table with one row per treebank, named in the column `label`; `measures` are columns
    out of :data:`LARGER_IS_EASIER`, by default those that the table has.

    Notes
    -----
    The Difficulty paper's Table 1, column "Abs. Rank". The paper does not define it; on the rows
    that can be read in full this definition orders the treebanks as it does (Spearman 0.998).

    Examples
    --------
    >>> ranks = absolute_rank({"treebank": ["a", "b"], "las": [80, 90], "arc_var": [0.2, 0.1]})
    >>> ranks.table["treebank"].to_list()
    ['b', 'a']
    """
    from scipy.stats import rankdata

    from treegauge.statistics.tables.data_table import as_table

    table = as_table(data)
    table.check([label], "column of names")
    chosen = list(measures) or [one for one in table.frame.columns if _plain(one) in LARGER_IS_EASIER]
    for name in chosen:
        if _plain(name) not in LARGER_IS_EASIER:
            raise ChoiceError("measure", name, LARGER_IS_EASIER)
    if not chosen:
        raise TreegaugeError(f"{table.source} has none of the measures {', '.join(LARGER_IS_EASIER)}")
    names = [str(name) for name in table.frame[label]]
    ranks = np.full((len(names), len(chosen)), np.nan)
    for j, name in enumerate(chosen):
        values = table.numbers(name)
        known = np.isfinite(values)
        ranks[known, j] = rankdata(-values[known] if LARGER_IS_EASIER[_plain(name)] else values[known])
    bare = [name for name, row in zip(names, ranks, strict=True) if np.isnan(row).all()]
    if bare:
        raise TreegaugeError(f"{bare[0]} has none of the measures {', '.join(chosen)}")
    means = np.nanmean(ranks, axis=1)
    places = rankdata(means, method="min")
    order = np.argsort(places, kind="stable").tolist()
    rows = tuple(
        {"treebank": names[i], "rank": int(places[i]), "mean": float(means[i])}
        | {name: None if np.isnan(ranks[i, j]) else float(ranks[i, j]) for j, name in enumerate(chosen)}
        for i in order
    )
    signature = sign(v="absolute-rank", table=table.name, m="+".join(chosen))
    return AbsoluteRank(rows, tuple(chosen), signature)


@dataclass(frozen=True, eq=False)
class TreebankDifficulty(Result):
    """All measures of one treebank.

    Size, data map and, if measured, description length are of the training set; UAS, LAS (in
    percent, means over seeds) and usable information of the dev set.
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
    convention: Convention = OFFICIAL
    kind: ClassVar[str] = "difficulty"

    @property
    def row(self) -> dict[str, Any]:
        """The ten measures by the names of the paper's table, and the size."""
        maps, bits = self.map.values, self.information.values
        values: dict[str, Any] = {
            "treebank": self.treebank, "words": self.words, "sentences": self.sentences,
            self.convention.label("uas"): self.uas, self.convention.label("las"): self.las,
        }  # fmt: skip
        for short, layer in (("arc", "head"), ("rel", "relation")):
            values[f"{short}_conf"] = maps[layer]["confidence"]
            values[f"{short}_var"] = maps[layer]["variability"]
            values[f"{short}_vinfo"] = bits[layer]
            values[f"{short}_mdl"] = None if self.length is None else self.length.values[layer]["bits_per_word"]
        return values

    @property
    def table(self) -> "pl.DataFrame":
        """One row."""
        kinds = {"treebank": str, "words": int, "sentences": int}
        return make_table([self.row], {name: kinds.get(name, float) for name in self.row})


@dataclass(frozen=True, eq=False, repr=False)
class DifficultyTable(JoinedResult):
    """The measures of several treebanks, from which ranks and correlations are computed."""

    results: tuple[TreebankDifficulty, ...]
    kind: ClassVar[str] = "difficulty"

    @property
    def known(self) -> "pl.DataFrame":
        """The table without measures that were not computed."""
        table = self.table
        return table.drop([name for name in table.columns if table[name].is_null().all()])

    @property
    def ranks(self) -> AbsoluteRank:
        """The absolute rank of the treebanks over all measures."""
        return replace(absolute_rank(self.known), signature=self.signature)


def _measured(
    data: TrainingData, settings: TrainingSettings, seeds: int, null: str, coding: dict[str, Any],
    convention: Convention,
) -> TreebankDifficulty:  # fmt: skip
    """Measure one treebank: two models per seed, and those of description length."""
    train, dev = data["train"], data["dev"]
    numbers, orders = settings.seeds(seeds), coding["orders"]
    if orders:
        sizes = read_blocks(coding["blocks"], len(train))
        coding = coding | {"blocks": ",".join(map(str, sizes))}
    models = settings.run("difficulty", data, numbers[:1], null=null, **coding)
    models += settings.run("difficulty", data, numbers[1:], null=null, orders=0)
    recordings = {key: [one.recordings[key] for one in models] for key in ("train", "dev", "null")}
    correct = [one.correct_words(dev, convention) for one in recordings["dev"]]
    uas, las = (float(np.mean([one.score(metric) or 0.0 for one in correct])) for metric in ("UAS", "LAS"))
    label, length, blocks = models[0].label, None, None
    if orders:
        way = coding["training"]
        length = DescriptionLength.of(models[0].table, train.mark, label, way, numbers[0])
        blocks = f"{way} {'+'.join(map(str, length.blocks))}"
    signature = sign(
        v="difficulty", tb=train.mark, dev=dev.mark, parser=label, null=null, mdl=blocks,
        orders=orders or None, seed="+".join(map(str, numbers)), **convention.signed,
    )  # fmt: skip
    return TreebankDifficulty(
        data.name.partition("/")[0], train.n_words, len(train), uas, las,
        mean_map(recordings["train"]),
        usable_information(recordings["dev"], recordings["null"], kind=null), length, signature,
        convention,
    )  # fmt: skip


@verb
def difficulty(
    *treebanks: Any,
    null: Null = "blank",
    orders: int = 5,
    blocks: str | Sequence[int | str] = "5,10,20,40,80,160,320,360",
    training: Before = "prefix",
    ranks: bool = False,
    correlations: bool = False,
    seeds: int = 1,
    of: Layer = "head",
    settings: TrainingSettings = TrainingSettings(),
    convention: str | Convention = "official",
) -> DifficultyTable:
    """Measure dataset difficulty by ten measures at once.

    The measures are UAS and LAS of the dev set, confidence and variability of the training set,
    usable information in the dev set, and description length of the training set.

    Parameters
    ----------
    *treebanks
        Treebank folders, or names or codes under TREEGAUGE_UD.
    null
        The null input of usable information.
    orders
        Number of random orders of the sentences for description length; 0: leave it out.
    blocks
        Number of sentences in each block, such as 5,10,20; auto: as many doubling blocks as fit.
    training
        Train on all previous blocks, or only on the last one.
    ranks
        Add the rank by each measure and over all measures.
    correlations
        Add the correlations of all measures.
    seeds
        Number of models to average, with consecutive seeds.
    of
        The layer to draw in the figure: head or relation.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp()) / "UD_Syn-X"
    >>> home.mkdir()
    >>> for seed, part in enumerate(("train", "dev")):
    ...     tg.write_conllu(tg.synthetic(30, seed=seed), home / f"sy_x-ud-{part}.conllu")
    >>> table = difficulty(home, blocks="5,10", orders=1, epochs=1).table
    >>> table.select("treebank", "sentences").row(0)
    ('UD_Syn-X', 30)
    """
    from treegauge.statistics.tables.correlation_tables import correlation_matrix

    if len(settings.parser) > 1:
        raise TreegaugeError(f"difficulty needs one parser, got {len(settings.parser)}")
    coding: dict[str, Any] = {"orders": orders}
    if orders:
        coding |= {"blocks": blocks, "training": training}
    data = settings.data(treebanks)
    rows = [_measured(own, settings, seeds, null, coding, find_convention(convention)) for own in data]
    table = DifficultyTable(tuple(rows), layer=of)
    parts: dict[str, Result] = {"ranks": table.ranks} if ranks else {}
    if correlations:
        parts["correlations"] = correlation_matrix(table.known)
    return table.with_attached(parts)
