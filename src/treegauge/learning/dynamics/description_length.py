"""Description length by online coding: the bits needed to send the trees block by block."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.learning.dynamics.jobs import Engine, Progress, TrainingJob, relation_names
from treegauge.learning.dynamics.recording import LAYERS
from treegauge.learning.training_settings import JoinedResult

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

Floats = npt.NDArray[np.float64]
Before = Literal["prefix", "block"]
BLOCKS = (5, 10, 20, 40, 80, 160, 320, 360)
"""Sentences of each block, as in the Difficulty paper: 995 in all."""


@dataclass(frozen=True, eq=False)
class DescriptionLength(Result, kind="mdl", unit="bits"):
    r"""Code lengths of heads and relations, block by block and order by order, in bits.

    .. math::
        L = \sum_{i \in B_1} \log_2 K_i + \sum_{s=1}^{S-1} \sum_{i \in B_{s+1}} -\log_2 p_{f_s}(y_i)

    A parser is trained on all previous blocks (`training` is ``prefix``) or on the last one alone
    (``block``). `code` has one row per order and block: its sentences and words, and for ``head``
    and ``relation`` the bits of the code and of a uniform code.
    """

    treebank: str
    signature: str
    training: str
    code: "pl.DataFrame"

    @classmethod
    def of(cls, code: "pl.DataFrame", treebank: str, parser: str, training: str, seed: int) -> "DescriptionLength":
        """Return the signed description length of a table of codes."""
        length = cls(treebank, "", training, code)
        signature = sign(
            v="mdl", tb=treebank, parser=parser, training=training,
            blocks="+".join(map(str, length.blocks)), orders=len(length.words), units="orders",
            seed=seed,
        )  # fmt: skip
        notes = (f"sd over {len(length.words)} orders of the same sentences: how much other text varies is unknown",)
        return replace(length, signature=signature, unit_notes=notes if len(length.words) > 1 else ())

    def array(self, name: str) -> npt.NDArray[Any]:
        """Return a column of `code`, (orders, blocks)."""
        return self.code[name].to_numpy().reshape(self.code["order"].n_unique(), -1)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Sentences in each block."""
        return tuple(self.array("sentences")[0].tolist())

    @property
    def words(self) -> npt.NDArray[np.int64]:
        """Words in each block, (orders, blocks)."""
        return self.array("words")

    @property
    def bits(self) -> dict[str, Floats]:
        """Code lengths of heads and relations, (orders, blocks) each."""
        return {layer: self.array(f"{layer}_bits") for layer in LAYERS}

    @property
    def values(self) -> dict[str, dict[str, float]]:
        """Means over orders: bits, bits per word, their spread, compression against uniform."""
        values = {}
        for layer in LAYERS:
            totals = self.bits[layer].sum(axis=1)
            per_word = totals / self.words.sum(axis=1)
            uniform = float(self.array(f"{layer}_uniform").sum(axis=1).mean())
            values[layer] = {
                "bits": float(totals.mean()),
                "bits_per_word": float(per_word.mean()),
                "sd": float(per_word.std(ddof=1)) if len(per_word) > 1 else 0.0,
                "uniform_bits": uniform,
                "compression": uniform / float(totals.mean()) if totals.any() else 1.0,
            }
        return values

    @property
    def table(self) -> "pl.DataFrame":
        """One row per layer."""
        name = self.treebank.rpartition("#")[0]
        rows = self.values.items()
        return make_table([{"treebank": name, "of": LAYERS[k], **row} for k, row in rows])


def uniform_bits(treebank: "Treebank", relations: int) -> dict[str, Floats]:
    r"""Return the bits of each word's head and relation in a uniform code.

    .. math:: \log_2 n \text{ for a head in a sentence of } n \text{ words}, \quad \log_2 R

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
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
    """Return the code length of a treebank's trees, coded block by block by trained parsers.

    The first block is coded uniformly, each other one by a fresh parser after its last epoch.
    Relations not yet seen by a parser are coded by an escape (see ``docs/dynamics.md``).

    For every order, sentences are drawn to fill the blocks. A parser is trained on all blocks sent
    so far (``prefix``) or on the last one alone (``block``); the Difficulty paper allows both
    readings. Online (prequential) coding: Blier & Ollivier (2018), Voita & Titov (2020); the
    Difficulty paper, section 3.3 and appendix A.

    Examples
    --------
    >>> from treegauge.learning.dynamics.recorder import make_engine
    >>> from treegauge.testing.synthetic import synthetic
    >>> length = description_length(
    ...     synthetic(80, seed=1), engine=make_engine("mst", epochs=3), blocks=[10, 20, 40])
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
            f"such as {','.join(map(str, fitting(len(train))))}, or auto"
        )
    if orders < 1:
        raise TreegaugeError(f"orders is {orders}; expected at least 1")
    edges = np.concatenate(([0], np.cumsum(sizes)))
    names = relation_names(train)
    parts: list[list[Treebank]] = []
    jobs: list[TrainingJob] = []
    for number in range(orders):
        order = np.random.default_rng([seed, number]).permutation(len(train))
        parts.append([train.take(order[a:b]) for a, b in pairwise(edges)])
        for s in range(1, len(sizes)):
            start = 0 if training == "prefix" else edges[s - 1]
            source = train.take(order[start : edges[s]])
            jobs.append(TrainingJob(source, {"coded": parts[-1][s]}, seed=seed + number, relations=names, every=False))
    recordings = iter(engine(jobs, progress))
    rows = []
    for number, row in enumerate(parts):
        for block, part in enumerate(row):
            values: dict[str, Any] = {"order": number, "sentences": len(part)}
            values["words"] = part.n_words
            recording = next(recordings)["coded"] if block else None
            for layer, uniform in uniform_bits(part, len(names)).items():
                bits = uniform
                if recording is not None:
                    bits = -recording.logp(layer)[-1].astype(np.float64) / np.log(2)
                values |= {f"{layer}_bits": bits.sum(), f"{layer}_uniform": uniform.sum()}
            rows.append(values)
    code = make_table(rows)
    return DescriptionLength.of(code, train.mark, engine.label, training, seed)


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
        raise TreegaugeError(f"blocks are {text!r}; expected numbers of sentences such as 5,10,20, or auto") from None


def fitting(sentences: int) -> tuple[int, ...]:
    """Return blocks that double from 5 and fit into this number of sentences.

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


class LengthTable(JoinedResult, kind="mdl", unit="bits"):
    """Description lengths of one or more treebanks."""

    results: tuple[DescriptionLength, ...]
    digits: ClassVar[int] = 2
