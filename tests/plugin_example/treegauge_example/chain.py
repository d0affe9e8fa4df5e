"""A baseline parser: every word hangs from its neighbour."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treegauge.parsing.base import OnEpoch, check_training, save_model
from treegauge.parsing.options import ParserOptions, option
from treegauge.treebanks.data.columns import Treebank


@dataclass(frozen=True)
class ChainOptions(ParserOptions):
    """Options of the chain parser."""

    head: str = option("learned", "the neighbour that is the head", choices=("learned", "before", "after"))


@dataclass(frozen=True)
class ChainModel:
    """Which neighbour is the head, and the most frequent relation of each part of speech."""

    options: ChainOptions
    before: bool
    relations: dict[str, str]

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with chains as trees."""
        heads = []
        for length in treebank.lengths.tolist():
            chain = range(length) if self.before else [*range(2, length + 1), 0]
            heads += list(chain)
        relations = [self.relations.get(tag, "dep") for tag in treebank["upos"]]
        names = ["root" if head == 0 else name for head, name in zip(heads, relations, strict=True)]
        return treebank.with_columns({"head": heads, "deprel": names})

    def save(self, path: Any) -> None:
        """Write the model to one file."""
        header = {"options": asdict(self.options), "relations": self.relations}
        save_model(path, "chain", header, {"before": np.array(self.before)})

    @classmethod
    def from_archive(cls, header: dict[str, Any], arrays: dict[str, Any]) -> "ChainModel":
        """Return the model stored in a file."""
        options = ChainOptions(**header["options"])
        return cls(options, bool(arrays["before"]), header["relations"])


class ChainParser:
    """Learns which neighbour is the head more often."""

    def __init__(self, options: ChainOptions | None = None) -> None:
        self.options = options or ChainOptions()

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int, on_epoch: OnEpoch | None = None
    ) -> ChainModel:
        """Learn from gold trees."""
        check_training(train, dev, seed=seed)
        steps = train.parents - np.arange(train.n_words)
        before = int((steps == -1).sum()) >= int((steps == 1).sum())
        if self.options.head != "learned":
            before = self.options.head == "before"
        counts: dict[str, Counter[str]] = {}
        for tag, relation in zip(train["upos"], train["deprel"], strict=True):
            counts.setdefault(tag, Counter())[relation] += 1
        relations = {tag: own.most_common(1)[0][0] for tag, own in counts.items()}
        model = ChainModel(self.options, before, relations)
        if on_epoch is not None:
            on_epoch(1, model)
        return model
