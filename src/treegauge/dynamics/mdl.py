"""Description length by online coding: bits to send the trees to a parser that learns."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from treegauge.dynamics.jobs import Engine, Progress, TrainingJob, relation_names
from treegauge.dynamics.recording import LAYERS
from treegauge.dynamics.settings import (
    JoinedResult,
    Layer,
    TrainingSettings,
    label_of,
    training_data,
)
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.results.verbs import verb

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebanks.columns import Treebank

__all__ = [
    "BLOCKS", "DescriptionLength", "description_length", "mdl", "read_blocks", "uniform_bits",
]  # fmt: skip

Floats = npt.NDArray[np.float64]
Before = Literal["prefix", "block"]
BLOCKS = (5, 10, 20, 40, 80, 160, 320, 360)
"""Sentences of each block, as in the Difficulty paper: 995 in all."""


@dataclass(frozen=True, eq=False)
class DescriptionLength(Result):
    r"""Code lengths of heads and relations, block by block and order by order, in bits.

    .. math::
        L = \sum_{i \in B_1} \log_2 K_i + \sum_{s=1}^{S-1} \sum_{i \in B_{s+1}} -\log_2 p_{f_s}(y_i)

    Attributes
    ----------
    treebank, blocks, training
        What was coded, in blocks of how many sentences, and whether a parser learns from all
        blocks before (``prefix``) or from the last one alone (``block``).
    words
        (orders, blocks): words in each block.
    bits, uniform
        For ``head`` and ``relation``, (orders, blocks): code lengths, and those of a code that
        knows nothing.
    """

    treebank: str
    signature: str
    blocks: tuple[int, ...]
    training: str
    words: npt.NDArray[np.int64]
    bits: dict[str, Floats]
    uniform: dict[str, Floats]
    kind: ClassVar[str] = "mdl"
    unit: ClassVar[str | None] = "bits"

    @property
    def values(self) -> dict[str, dict[str, float]]:
        """Means over orders: bits, bits per word, their spread, compression against uniform."""
        found = {}
        for layer in LAYERS:
            totals = self.bits[layer].sum(axis=1)
            per_word = totals / self.words.sum(axis=1)
            uniform = float(self.uniform[layer].sum(axis=1).mean())
            found[layer] = {
                "bits": float(totals.mean()),
                "bits_per_word": float(per_word.mean()),
                "sd": float(per_word.std(ddof=1)) if len(per_word) > 1 else 0.0,
                "uniform_bits": uniform,
                "compression": uniform / float(totals.mean()) if totals.any() else 1.0,
            }
        return found

    @property
    def table(self) -> "pl.DataFrame":
        """One row per layer."""
        import polars as pl

        name = self.treebank.rpartition("#")[0]
        rows = [
            {"treebank": name, "of": LAYERS[layer], **values}
            for layer, values in self.values.items()
        ]
        return pl.DataFrame(rows)

    def by_order(self) -> "pl.DataFrame":
        """Return one row per order and block: what :meth:`from_table` reads."""
        import polars as pl

        orders, blocks = self.words.shape
        columns: dict[str, Any] = {
            "order": np.repeat(np.arange(orders), blocks),
            "sentences": np.tile(self.blocks, orders),
            "words": self.words.ravel(),
        }
        for layer in LAYERS:
            columns[f"{layer}_bits"] = self.bits[layer].ravel()
            columns[f"{layer}_uniform"] = self.uniform[layer].ravel()
        return pl.DataFrame(columns)

    @classmethod
    def from_table(
        cls, table: "pl.DataFrame", *, treebank: str, training: str, signature: str
    ) -> "DescriptionLength":
        """Return the code lengths that a table of :meth:`by_order` holds."""
        orders = table["order"].n_unique()
        arrays = {name: table[name].to_numpy().reshape(orders, -1) for name in table.columns}
        return cls(
            treebank, signature, tuple(arrays["sentences"][0].tolist()), training, arrays["words"],
            bits={layer: arrays[f"{layer}_bits"] for layer in LAYERS},
            uniform={layer: arrays[f"{layer}_uniform"] for layer in LAYERS},
        )  # fmt: skip

    def by_block(self) -> "pl.DataFrame":
        """Return one row per block: sentences before it, and means over orders of its bits."""
        import polars as pl

        before = np.concatenate(([0], np.cumsum(self.blocks)[:-1]))
        columns: dict[str, Any] = {"block": range(1, len(self.blocks) + 1), "before": before,
                                   "sentences": self.blocks}  # fmt: skip
        for layer, name in LAYERS.items():
            columns[f"{name}_bits"] = self.bits[layer].mean(axis=0)
            columns[f"{name}_bits_per_word"] = (self.bits[layer] / self.words).mean(axis=0)
        return pl.DataFrame(columns)


def uniform_bits(treebank: "Treebank", relations: int) -> dict[str, Floats]:
    r"""Return the bits of each word's head and relation in a code that knows nothing.

    .. math:: \log_2 n \text{ for a head in a sentence of } n \text{ words}, \quad \log_2 R

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> two = "1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tY\t_\t_\t0\troot\t_\t_\n\n"
    >>> {name: bits.tolist() for name, bits in uniform_bits(parse_conllu(two), 4).items()}
    {'head': [1.0, 1.0], 'relation': [2.0, 2.0]}
    """
    sizes = treebank.lengths[treebank.sentence_of].astype(np.float64)
    return {"head": np.log2(sizes), "relation": np.full(len(sizes), np.log2(max(relations, 1)))}


def description_length(
    train: "Treebank",
    *,
    engine: Engine,
    blocks: Sequence[int] = BLOCKS,
    training: Before = "prefix",
    orders: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
) -> DescriptionLength:
    """Return the code length of a treebank's trees, sent block by block to parsers that learn.

    The first block is coded uniformly, each other one by a fresh parser after its last epoch.
    Relations not yet seen by a parser are coded by an escape (see ``docs/dynamics.md``).

    Parameters
    ----------
    train
        The sentences; as many as the blocks hold are drawn for every order.
    engine
        Trains the parsers: see :func:`~treegauge.dynamics.recorder.make_engine`.
    blocks
        Sentences of each block.
    training
        What a parser learns from: ``prefix``, all blocks sent so far, or ``block``, the last one
        alone, as the Difficulty paper can be read.
    orders, seed
        Number of random orders of the sentences, and the first seed.
    progress
        Called with the number of models trained.

    Notes
    -----
    Online (prequential) coding: Blier & Ollivier (2018), Voita & Titov (2020); the Difficulty
    paper, section 3.3 and appendix A. Bits throughout.

    Examples
    --------
    >>> from treegauge.dynamics.recorder import make_engine
    >>> from treegauge.testing.synthetic import synthetic
    >>> engine = make_engine("mst", epochs=3)
    >>> length = description_length(synthetic(80, seed=1), engine=engine, blocks=[10, 20, 40])
    >>> length.values["head"]["compression"] > 1
    True
    """
    sizes = tuple(int(size) for size in blocks)
    if training not in get_args(Before):
        raise ChoiceError("training", training, get_args(Before))
    if len(sizes) < 2 or min(sizes) < 1:
        raise TreegaugeError(f"blocks are {list(sizes)}; expected at least two of 1 or more")
    if sum(sizes) > len(train):
        raise TreegaugeError(
            f"{train.name} has {len(train)} sentences, the blocks need {sum(sizes)}; choose blocks "
            f"such as {','.join(map(str, fitting(len(train))))}"
        )
    if orders < 1:
        raise TreegaugeError(f"orders is {orders}; expected at least 1")
    edges = np.concatenate(([0], np.cumsum(sizes)))
    names = relation_names(train)
    parts: list[list[Treebank]] = []
    jobs: list[TrainingJob] = []
    for order_number in range(orders):
        order = np.random.default_rng([seed, order_number]).permutation(len(train))
        parts.append([train.take(order[a:b]) for a, b in pairwise(edges)])
        for s in range(1, len(sizes)):
            start = 0 if training == "prefix" else edges[s - 1]
            source = train.take(order[start : edges[s]])
            jobs.append(
                TrainingJob(source, {"coded": parts[-1][s]}, seed=seed + order_number,
                            relations=names, every=False)
            )  # fmt: skip
    made = iter(engine(jobs, progress))
    shape = (orders, len(sizes))
    bits = {layer: np.zeros(shape) for layer in LAYERS}
    uniform = {layer: np.zeros(shape) for layer in LAYERS}
    for i, row in enumerate(parts):
        for j, part in enumerate(row):
            recorded = next(made)["coded"] if j else None
            for layer, values in uniform_bits(part, len(names)).items():
                uniform[layer][i, j] = values.sum()
                bits[layer][i, j] = (
                    values.sum()
                    if recorded is None
                    else -recorded.logp(layer)[-1].astype(np.float64).sum() / np.log(2)
                )
    return DescriptionLength(
        treebank=train.mark,
        signature=length_signature(train.mark, engine.label, training, sizes, orders, seed),
        blocks=sizes,
        training=training,
        words=np.array([[part.n_words for part in row] for row in parts]),
        bits=bits,
        uniform=uniform,
    )  # fmt: skip


def length_signature(
    treebank: str, parser: str, training: str, blocks: Sequence[int], orders: int, seed: int
) -> str:
    """Return the signature of a description length."""
    return sign(
        v="mdl", tb=treebank, parser=parser, training=training, blocks="+".join(map(str, blocks)),
        orders=orders, seed=seed,
    )  # fmt: skip


def read_blocks(blocks: str | Sequence[int | str], sentences: int) -> tuple[int, ...]:
    """Read blocks such as ``5,10,20``, or return those that fit for ``auto``.

    Examples
    --------
    >>> read_blocks("5, 10", 100), read_blocks([5, 10], 100), read_blocks("auto", 20)
    ((5, 10), (5, 10), (5, 10, 5))
    """
    text = blocks if isinstance(blocks, str) else ",".join(map(str, blocks))
    if text == "auto":
        return fitting(sentences)
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise TreegaugeError(
            f"blocks are {text!r}; expected numbers of sentences such as 5,10,20, or auto"
        ) from None


def fitting(sentences: int) -> tuple[int, ...]:
    """Return blocks that double from 5 on and fit into this number of sentences.

    Examples
    --------
    >>> fitting(995), fitting(100), fitting(9)
    ((5, 10, 20, 40, 80, 160, 320, 360), (5, 10, 20, 40, 25), (4, 5))
    """
    if sentences < 10:
        return (max(sentences // 2, 1), max(sentences - sentences // 2, 1))
    sizes: list[int] = []
    size = 5
    while sum(sizes) + size <= sentences and size <= 320:
        sizes.append(size)
        size *= 2
    rest = min(sentences - sum(sizes), BLOCKS[-1])
    return (*sizes, rest) if rest else tuple(sizes)


class LengthTable(JoinedResult):
    """Description lengths of one or more treebanks."""

    results: tuple[DescriptionLength, ...]
    kind: ClassVar[str] = "mdl"
    unit: ClassVar[str | None] = "bits"
    digits: ClassVar[int] = 2


@verb
def mdl(
    *treebanks: Any,
    blocks: str | Sequence[int | str] = "5,10,20,40,80,160,320,360",
    training: Before = "prefix",
    orders: int = 5,
    of: Layer = "head",
    settings: TrainingSettings = TrainingSettings(),
) -> LengthTable:
    """Measure description length by online coding.

    The trees of the training set are sent in blocks. Each block is coded by a parser trained on
    the blocks before it. Fewer bits per word mean that the treebank is easier to learn.

    Parameters
    ----------
    *treebanks
        Treebank folders, names or codes under TREEGAUGE_UD, or training files.
    blocks
        Number of sentences in each block, such as 5,10,20; auto: as many doubling blocks as fit.
    training
        Learn from all blocks before, or from the last block only.
    orders
        Number of random orders of the sentences to average.
    of
        What the figure shows: head or relation.
    """
    results, labels = [], []
    for own in training_data(treebanks, errors=settings.errors):
        sizes = read_blocks(blocks, len(own["train"]))
        cells = settings.run(
            "mdl", own, [settings.seed], blocks=",".join(map(str, sizes)), training=training,
            orders=orders,
        )  # fmt: skip
        mark = own["train"].mark
        for one in cells:
            labels.append(label_of(one))
            signature = length_signature(mark, labels[-1], training, sizes, orders, settings.seed)
            results.append(
                DescriptionLength.from_table(
                    cast("pl.DataFrame", one.words),
                    treebank=mark,
                    training=training,
                    signature=signature,
                )
            )
    return LengthTable(tuple(results), layer=of, labels=tuple(labels))
