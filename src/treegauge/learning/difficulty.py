"""Dataset difficulty: all measures at once, and the absolute rank of treebanks over them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl, scipy
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.core.verbs import verb
from treegauge.learning.dynamics.cartography import DataMap, mean_map
from treegauge.learning.dynamics.description_length import BLOCKS, DescriptionLength, LengthTable, read_blocks
from treegauge.learning.dynamics.usable_information import InformationTable, Null, UsableInformation, usable_information
from treegauge.learning.training_settings import (
    TABLES,
    FilePath,
    JoinedResult,
    TrainingData,
    TrainingSettings,
    check_file,
    save_table,
)
from treegauge.scoring.metrics.convention import OFFICIAL, Convention, find_convention

LARGER_IS_EASIER: Mapping[str, bool] = {
    "uas": True, "las": True,
    "arc_conf": True, "arc_var": False, "arc_vinfo": True, "arc_mdl": False,
    "rel_conf": True, "rel_var": False, "rel_vinfo": True, "rel_mdl": False,
}  # fmt: skip
"""The ten measures of the Difficulty paper's Table 1, and whether a larger value ranks first."""


@dataclass(frozen=True, eq=False)
class AbsoluteRank(Result, kind="absolute rank"):
    """Treebanks in the order of their mean rank; ranks are None if a measure is missing."""

    rows: tuple[dict[str, object], ...]
    measures: tuple[str, ...]
    signature: str
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
    from treegauge.statistics.data_table import as_table

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
        ranks[known, j] = scipy.stats.rankdata(-values[known] if LARGER_IS_EASIER[_plain(name)] else values[known])
    bare = [name for name, row in zip(names, ranks, strict=True) if np.isnan(row).all()]
    if bare:
        raise TreegaugeError(f"{bare[0]} has none of the measures {', '.join(chosen)}")
    means = np.nanmean(ranks, axis=1)
    places = scipy.stats.rankdata(means, method="min")
    order = np.argsort(places, kind="stable").tolist()
    rows = tuple(
        {"treebank": names[i], "rank": int(places[i]), "mean": float(means[i])}
        | {name: None if np.isnan(ranks[i, j]) else float(ranks[i, j]) for j, name in enumerate(chosen)}
        for i in order
    )
    signature = sign(v="absolute-rank", table=table.name, m="+".join(chosen))
    return AbsoluteRank(rows, tuple(chosen), signature)


@dataclass(frozen=True, eq=False)
class TreebankDifficulty(Result, kind="difficulty"):
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
class DifficultyTable(JoinedResult, kind="difficulty"):
    """The measures of several treebanks, from which ranks and correlations are computed."""

    results: tuple[TreebankDifficulty, ...]

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
    data: TrainingData, settings: TrainingSettings, seeds: Sequence[int], null: str, coding: Mapping[str, Any],
    convention: Convention, words: FilePath | None,
) -> TreebankDifficulty:  # fmt: skip
    """Measure one treebank: two models per seed, and those of description length."""
    train, dev = data["train"], data["dev"]
    orders = coding["orders"]
    if orders:
        coding = {**coding, "blocks": ",".join(map(str, read_blocks(coding["blocks"], len(train))))}
    else:
        coding = {"orders": 0}
    models = settings.run("difficulty", data, seeds[:1], null=null, **coding)
    models += settings.run("difficulty", data, seeds[1:], null=null, orders=0)
    recordings = {key: [one.recordings[key] for one in models] for key in ("train", "dev", "null")}
    correct = [one.correct_words(dev, convention) for one in recordings["dev"]]
    uas, las = (float(np.mean([one.score(metric) or 0.0 for one in correct])) for metric in ("UAS", "LAS"))
    label, length, blocks = models[0].label, None, None
    if orders:
        length = DescriptionLength.of(models[0].table, train.mark, label, "prefix", seeds[0])
        blocks = f"prefix {'+'.join(map(str, length.blocks))}"
    signature = sign(
        v="difficulty", tb=train.mark, dev=dev.mark, parser=label, null=null, mdl=blocks,
        orders=orders or None, units="sentences", seed="+".join(map(str, seeds)), **convention.signed,
    )  # fmt: skip
    information = usable_information(recordings["dev"], recordings["null"], kind=null)
    if words is not None:
        save_table(information.words(dev), words)
    return TreebankDifficulty(
        data.name.partition("/")[0], train.n_words, len(train), uas, las,
        mean_map(recordings["train"]), information, length, signature, convention,
    )  # fmt: skip


def _information(
    data: Sequence[TrainingData], settings: TrainingSettings, seeds: Sequence[int], null: str, words: FilePath | None
) -> InformationTable:
    """Return the usable information in each dev set, per parser: models with and without their input."""
    results, labels = [], []
    for own in data:
        gold = own["dev"]
        models = settings.run("vinfo", own, seeds, null=null)
        for start in range(0, len(models), len(seeds)):
            same = models[start : start + len(seeds)]
            real, hidden = ([one.recordings[name] for one in same] for name in ("dev", "null"))
            results.append(usable_information(real, hidden, kind=null, treebank=gold))
            labels.append(same[0].label)
        if words is not None:
            save_table(results[-1].words(gold), words)
    return InformationTable(tuple(results), labels=tuple(labels))


def _lengths(
    data: Sequence[TrainingData], settings: TrainingSettings, seeds: Sequence[int], coding: Mapping[str, Any]
) -> LengthTable:
    """Return the description length of each training set, per parser."""
    results, labels = [], []
    for own in data:
        train = own["train"]
        blocks = ",".join(map(str, read_blocks(coding["blocks"], len(train))))
        for one in settings.run("mdl", own, seeds, blocks=blocks, orders=coding["orders"]):
            results.append(DescriptionLength.of(one.table, train.mark, one.label, "prefix", one.seed))
            labels.append(one.label)
    return LengthTable(tuple(results), labels=tuple(labels))


USUAL_BLOCKS = ",".join(map(str, BLOCKS))
_UNUSED: Mapping[str, Mapping[str, Any]] = {
    "vinfo": {"orders": 5, "blocks": USUAL_BLOCKS, "convention": "official"},
    "mdl": {"dev": None, "null": "blank", "seeds": 1, "words": None, "convention": "official"},
    "all": {},
}
"""Parameters that say nothing about a measure, with their defaults."""


@verb(outputs={"words": ""})
def difficulty(
    *treebanks: Any,
    measure: Literal["all", "vinfo", "mdl"] = "all",
    dev: Any = None,
    null: Null = "blank",
    orders: int = 5,
    blocks: str | Sequence[int | str] = USUAL_BLOCKS,
    seeds: int = 1,
    words: FilePath | None = None,
    settings: TrainingSettings = TrainingSettings(),
    convention: str | Convention = "official",
) -> JoinedResult:
    """Measure dataset difficulty: ten measures, or usable information or description length alone.

    The measures are UAS and LAS of the dev set, confidence and variability of the training set,
    usable information (V-information) in the dev set, and description length of the training set.
    Several treebanks are also ranked by each measure and over all.

    Parameters
    ----------
    *treebanks
        Treebank folders, names or codes under TREEGAUGE_UD, or training files.
    measure
        all; vinfo: usable information, the bits per word that the words of the dev set give about
        its heads and relations, from parsers trained with the words and with a null input; or mdl:
        description length, the bits needed to send the trees of the training set block by block.
    dev
        A dev file to use instead of the treebank's dev set.
    null
        The input that usable information is compared with: nothing (blank), UPOS, sentence length,
        position, or the words in random order.
    orders
        Number of random orders of the sentences for description length; 0: leave it out.
    blocks
        Number of sentences in each block, such as 5,10,20; auto: as many doubling blocks as fit.
    seeds
        Number of models to average, with consecutive seeds.
    words
        Write usable information of every word to this .csv or .parquet file.

    Returns
    -------
    JoinedResult
        A DifficultyTable, InformationTable (vinfo) or LengthTable (mdl), one part per treebank.

    Examples
    --------
    >>> import treegauge as tg
    >>> data = {"train": tg.synthetic(30, seed=1), "dev": tg.synthetic(20, seed=2)}
    >>> table = difficulty(data, blocks="5,10", orders=1, epochs=1).table
    >>> table.select("treebank", "sentences").row(0)
    ('syn-1', 30)
    >>> bits = difficulty(data, measure="vinfo", epochs=1)
    >>> bits.table["of"].to_list(), bits.table["information"].min() > 0
    (['heads', 'relations'], True)
    """
    values = {
        "dev": dev, "null": null, "orders": orders, "blocks": blocks, "seeds": seeds, "words": words,
        "convention": convention,
    }  # fmt: skip
    for name, usual in _UNUSED[measure].items():
        if values[name] != usual:
            raise TreegaugeError(f"{name} says nothing about measure {measure}; leave it out")
    check_file(words, "kind of table", TABLES)
    if measure == "all" and len(settings.parser) > 1:
        raise TreegaugeError(f"difficulty needs one parser, got {len(settings.parser)}")
    if measure == "mdl" and not orders:
        raise TreegaugeError("orders is 0; expected at least 1 for description length")
    data, numbers = settings.data(treebanks, dev, words=words), settings.seeds(seeds)
    coding = {"orders": orders, "blocks": blocks}
    if measure == "vinfo":
        return _information(data, settings, numbers, null, words)
    if measure == "mdl":
        return _lengths(data, settings, numbers, coding)
    counted = find_convention(convention)
    table = DifficultyTable(tuple(_measured(own, settings, numbers, null, coding, counted, words) for own in data))
    return table.with_attached({"ranks": table.ranks}) if len(data) > 1 else table
