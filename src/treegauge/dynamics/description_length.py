"""Minimum description length: how many bits it takes to send the trees, learning on the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.dynamics.jobs import Engine, Job, Progress, relation_names
from treegauge.dynamics.recording import LAYERS
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BLOCKS", "DescriptionLength", "description_length", "read_blocks", "uniform_bits"]

Floats = npt.NDArray[np.float64]
Training = Literal["prefix", "block"]
BLOCKS = (5, 10, 20, 40, 80, 160, 320, 360)
"""Sentences of each block, as in the Difficulty paper: 995 in all."""


@dataclass(frozen=True, eq=False)
class DescriptionLength(Result):
    r"""Code lengths of heads and relations, block by block and shuffle by shuffle, in bits.

    .. math::
        L = \sum_{i \in B_1} \log_2 K_i + \sum_{s=1}^{S-1} \sum_{i \in B_{s+1}} -\log_2 p_{f_s}(y_i)

    Attributes
    ----------
    treebank, blocks, training
        What was coded, in blocks of how many sentences, and whether a parser learns from all
        blocks before (``prefix``) or from the last one alone (``block``).
    words
        (shuffles, blocks): words in each block.
    bits, uniform
        For ``head`` and ``relation``, (shuffles, blocks): code lengths, and those of a code that
        knows nothing.
    """

    treebank: str
    signature: str
    blocks: tuple[int, ...]
    training: str
    words: npt.NDArray[np.int64]
    bits: dict[str, Floats]
    uniform: dict[str, Floats]
    digits: ClassVar[int] = 2

    def __repr__(self) -> str:
        return f"<DescriptionLength of {self.treebank}: {len(self.words)} shuffles>"

    @property
    def values(self) -> dict[str, dict[str, float]]:
        """Means over shuffles: bits, bits a word, their spread, compression against uniform."""
        found = {}
        for layer in LAYERS:
            totals = self.bits[layer].sum(axis=1)
            a_word = totals / self.words.sum(axis=1)
            uniform = float(self.uniform[layer].sum(axis=1).mean())
            found[layer] = {
                "bits": float(totals.mean()),
                "bits_per_word": float(a_word.mean()),
                "sd": float(a_word.std(ddof=1)) if len(a_word) > 1 else 0.0,
                "uniform_bits": uniform,
                "compression": uniform / float(totals.mean()) if totals.any() else 1.0,
            }
        return found

    @property
    def table(self) -> "pl.DataFrame":
        """One row a layer."""
        import polars as pl

        name = self.treebank.rpartition("#")[0]
        rows = [
            {"treebank": name, "of": LAYERS[layer], **values}
            for layer, values in self.values.items()
        ]
        return pl.DataFrame(rows)

    def by_block(self) -> "pl.DataFrame":
        """Return one row a block: sentences before it, and means over shuffles of its bits."""
        import polars as pl

        before = np.concatenate(([0], np.cumsum(self.blocks)[:-1]))
        columns: dict[str, Any] = {"block": range(1, len(self.blocks) + 1), "before": before,
                                   "sentences": self.blocks}  # fmt: skip
        for layer, name in LAYERS.items():
            columns[f"{name}_bits"] = self.bits[layer].mean(axis=0)
            columns[f"{name}_bits_per_word"] = (self.bits[layer] / self.words).mean(axis=0)
        return pl.DataFrame(columns)


def uniform_bits(treebank: Treebank, relations: int) -> dict[str, Floats]:
    r"""Return for each word the bits of its head and relation to someone who knows nothing.

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
    train: Treebank,
    *,
    engine: Engine,
    blocks: Sequence[int] = BLOCKS,
    training: Training = "prefix",
    shuffles: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
) -> DescriptionLength:
    """Code a treebank's trees block by block with parsers that learn from what was sent.

    The first block is coded uniformly, each other one by a fresh parser after its last epoch.
    Relations not yet seen by a parser are coded by an escape (see ``docs/dynamics.md``).

    Parameters
    ----------
    train
        The sentences; as many as the blocks hold are drawn anew for every shuffle.
    engine
        Who trains: see :func:`~treegauge.dynamics.recorder.probabilistic`.
    blocks
        Sentences of each block.
    training
        What a parser learns from: ``prefix``, all blocks sent so far, or ``block``, the last one
        alone, as the Difficulty paper can be read.
    shuffles, seed
        How often, and from which seed on.
    progress
        Told how many models are trained.

    Notes
    -----
    Online (prequential) coding: Blier & Ollivier (2018), Voita & Titov (2020); the Difficulty
    paper, section 3.3 and appendix A. Bits throughout.

    Examples
    --------
    >>> from treegauge.dynamics.recorder import probabilistic
    >>> from treegauge.testing.synthetic import synthetic
    >>> engine = probabilistic("mst", epochs=3)
    >>> found = description_length(synthetic(80, seed=1), engine=engine, blocks=[10, 20, 40])
    >>> found.values["head"]["compression"] > 1
    True
    """
    sizes = tuple(int(size) for size in blocks)
    if training not in get_args(Training):
        raise ChoiceError("training", training, get_args(Training))
    if len(sizes) < 2 or min(sizes) < 1:
        raise TreegaugeError(f"blocks are {list(sizes)}; expected at least two of 1 or more")
    if sum(sizes) > len(train):
        raise TreegaugeError(
            f"{train.name} has {len(train)} sentences, the blocks need {sum(sizes)}; choose blocks "
            f"such as {','.join(map(str, fitting(len(train))))}"
        )
    if shuffles < 1:
        raise TreegaugeError(f"shuffles: found {shuffles}, expected at least 1")
    edges = np.concatenate(([0], np.cumsum(sizes)))
    names = relation_names(train)
    parts: list[list[Treebank]] = []
    jobs: list[Job] = []
    for shuffle in range(shuffles):
        order = np.random.default_rng([seed, shuffle]).permutation(len(train))
        parts.append([train.take(order[a:b]) for a, b in pairwise(edges)])
        for s in range(1, len(sizes)):
            start = 0 if training == "prefix" else edges[s - 1]
            source = train.take(order[start : edges[s]])
            jobs.append(
                Job(source, {"coded": parts[-1][s]}, seed=seed + shuffle, relations=names,
                    every=False)
            )  # fmt: skip
    made = iter(engine(jobs, progress))
    shape = (shuffles, len(sizes))
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
        signature=sign(
            v="mdl", tb=train.mark, parser=engine.label, training=training,
            blocks="+".join(map(str, sizes)), shuffles=shuffles, seed=seed,
        ),
        blocks=sizes,
        training=training,
        words=np.array([[part.n_words for part in row] for row in parts]),
        bits=bits,
        uniform=uniform,
    )  # fmt: skip


def read_blocks(text: str, sentences: int) -> tuple[int, ...]:
    """Read blocks such as ``5,10,20``, or make those that fit for ``auto``.

    Examples
    --------
    >>> read_blocks("5, 10", 100), read_blocks("auto", 20)
    ((5, 10), (5, 10, 5))
    """
    if text == "auto":
        return fitting(sentences)
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise TreegaugeError(
            f"blocks are {text!r}; expected numbers of sentences such as 5,10,20, or auto"
        ) from None


def fitting(sentences: int) -> tuple[int, ...]:
    """Return blocks that double from 5 on and take up at most so many sentences.

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
