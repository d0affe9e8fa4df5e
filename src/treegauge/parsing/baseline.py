"""Baseline parsers: trees that ignore words, or use only pairs of tags."""

from collections import Counter
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.decoding import eisner
from treegauge.parsing.base import OnEpoch, are_names, check_training, save_model
from treegauge.parsing.options import ParserOptions, option
from treegauge.scoring.metrics.baselines import BASELINES, baseline_heads
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source

TAG_PAIRS = "tag-pairs"


@dataclass(frozen=True)
class BaselineOptions(ParserOptions):
    """Options of baselines."""

    kind: str = option(TAG_PAIRS, "where heads come from", choices=(TAG_PAIRS, *BASELINES))
    draw: int = option(0, "seed of random trees", low=0, high=2**31 - 1)


def _pair(dependent: str, head: str, distance: int) -> str:
    """Return the features of an arc: both tags and the direction."""
    return f"{dependent} {head} {'before' if distance > 0 else 'after'}"


@dataclass(frozen=True, eq=False)
class BaselineModel:
    r"""Counts of pairs of tags and their most frequent relations.

    With tag pairs the tree is the projective one with the largest sum of log probabilities

    .. math:: p(h \mid d) \propto n(t_d, t_h, \text{direction}) + 1/2

    over the heads of a sentence; other baselines use only the relations.
    """

    options: BaselineOptions
    pairs: dict[str, int]
    relations: dict[str, str]
    usual: str

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with a baseline's trees and each tag's most frequent relation."""
        codes, values = treebank.codes("upos")
        tags = [values[code] for code in codes.tolist()]
        if self.options.kind == TAG_PAIRS:
            bounds = treebank.offsets.tolist()
            sentences = [tags[a:b] for a, b in pairwise(bounds)]
            parts = [self._heads(sentence) for sentence in sentences]
            heads = np.concatenate([np.zeros(0, np.int32), *parts])
        else:
            heads = baseline_heads(treebank.lengths, self.options.kind, seed=self.options.draw)
        starts = treebank.offsets[:-1][treebank.sentence_of]
        parents = (starts + heads - 1).tolist()
        relations = [
            "root" if head == 0 else self._relation(tags, word, parent)
            for word, (head, parent) in enumerate(zip(heads.tolist(), parents, strict=True))
        ]
        return treebank.with_columns({"head": heads, "deprel": relations})

    def _relation(self, tags: list[str], word: int, parent: int) -> str:
        return self.relations.get(_pair(tags[word], tags[parent], parent - word), self.usual)

    def _heads(self, tags: list[str]) -> npt.NDArray[np.int32]:
        """Return the best projective tree over pairs of tags, with one root."""
        n = len(tags)
        scores = np.full((n + 1, n + 1), -np.inf)
        for d, tag in enumerate(tags, 1):
            others = ["root", *tags]
            counts = np.array(
                [self.pairs.get(_pair(tag, other, h - d if h else 0), 0) + 0.5 for h, other in enumerate(others)]
            )
            counts[d] = 0
            scores[:, d] = np.log(np.maximum(counts, 1e-300) / counts.sum())
        scores[range(n + 1), range(n + 1)] = -np.inf
        heads = np.zeros(n + 1, np.int32)
        eisner(scores, heads)
        return heads[1:]

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        header = {
            "options": asdict(self.options), "pairs": self.pairs, "relations": self.relations,
            "usual": self.usual,
        }  # fmt: skip
        save_model(path, "baseline", header, {})

    @classmethod
    def from_archive(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> "BaselineModel":
        """Return the model stored in a file."""
        options = BaselineOptions(**header["options"])
        pairs, relations, usual = header["pairs"], header["relations"], header["usual"]
        counts = all(type(count) is int and 0 <= count < 1 << 53 for count in pairs.values())
        if not counts or not are_names([usual, *relations.values()]):
            raise TreegaugeError("the model is damaged: expected counts of tags and relations")
        return cls(options, pairs, relations, usual)


class BaselineParser:
    """Counts pairs of tags.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> model = BaselineParser().fit(synthetic(40, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
    """

    def __init__(self, options: BaselineOptions | None = None) -> None:
        self.options = options or BaselineOptions()

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int, on_epoch: OnEpoch | None = None
    ) -> BaselineModel:
        """Count the arcs of gold trees; `dev` and the seed are not used."""
        check_training(train, seed=seed)
        codes, values = train.codes("upos")
        tags = [values[code] for code in codes.tolist()]
        codes, values = train.codes("deprel")
        relations = [values[code] for code in codes.tolist()]
        pairs: Counter[str] = Counter()
        found: Counter[tuple[str, str]] = Counter()
        for word, parent in enumerate(train.parents.tolist()):
            other = "root" if parent < 0 else tags[parent]
            pair = _pair(tags[word], other, 0 if parent < 0 else parent - word)
            pairs[pair] += 1
            if parent >= 0:
                found[pair, relations[word]] += 1
        usual: dict[str, str] = {}
        for (pair, relation), _ in sorted(found.items(), key=lambda item: (-item[1], item[0])):
            usual.setdefault(pair, relation)
        most = Counter(relation for relation in relations if relation != "root").most_common(1)
        model = BaselineModel(self.options, dict(pairs), usual, most[0][0] if most else "dep")
        if on_epoch is not None:
            on_epoch(1, model)
        return model
