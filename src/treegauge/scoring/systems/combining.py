"""Combined systems: reparsing by vote, and what an oracle could choose from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import note
from treegauge.core.result import Result, sign
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.metrics.attachment import CorrectWords, correct_words
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import write_conllu
from treegauge.treebanks.data.decoding import vote

if TYPE_CHECKING:
    import polars as pl

VOTED = "voted"


@dataclass(frozen=True, eq=False)
class Combination(Result):
    """Best system, vote and oracles: UAS and LAS in percent.

    Oracles know the gold tree. The oracle by sentence chooses the best system for each sentence,
    the oracle by word a correct system for each word, if there is one. No combination that chooses
    among these systems does better. Choices by word need not form a tree.
    """

    rows: tuple[dict[str, Any], ...]
    signature: str
    kind: ClassVar[str] = "combination"
    unit: ClassVar[str | None] = "percent"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per combination."""
        import polars as pl

        return pl.DataFrame(self.rows, infer_schema_length=None)

    def shown(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows."""
        return self.rows


def vote_weights(systems: Sequence[str], votes: Sequence[str]) -> list[float]:
    """Return the weight of each system's vote from texts ``NAME=WEIGHT``; 1 where not given.

    Examples
    --------
    >>> vote_weights(["a", "b"], ["b=0.5"])
    [1.0, 0.5]
    """
    weights = dict.fromkeys(systems, 1.0)
    for text in votes:
        name, _, value = text.rpartition("=")
        if name not in weights:
            raise ChoiceError("system to weigh", name or text, systems)
        try:
            weights[name] = float(value)
        except ValueError:
            raise TreegaugeError(f"found {text!r}; expected NAME=WEIGHT, a number") from None
    return list(weights.values())


def voted(outputs: Mapping[str, Treebank], votes: Sequence[str] = ()) -> Treebank:
    """Return the tree of each sentence whose arcs get the most votes.

    Every system votes for its arcs, with its weight; the maximum spanning tree with one root wins
    (reparsing; Sagae and Lavie 2006). Systems that have the arc vote on its relation; ties go to
    the first. All other columns are those of the first system.
    """
    if len(outputs) < 2:
        raise TreegaugeError(f"--combine needs at least two systems; got {len(outputs)}")
    weights = vote_weights(list(outputs), votes)
    # So small a difference that it decides only ties, which go to the first system.
    ordered = [weight * (1 - 1e-9 * i) for i, weight in enumerate(weights)]
    return vote(list(outputs.values()), ordered)


def voted_system(outputs: Mapping[str, Treebank], votes: Sequence[str], path: str | PathLike[str] | None) -> Treebank:
    """Let systems vote, and write the resulting trees to the file if one is given."""
    if VOTED in outputs:
        raise TreegaugeError(f"the name {VOTED!r} is reserved for the vote; give the system another one: NAME=PATH")
    tree_of_votes = replace(voted(outputs, votes), name=VOTED)
    if path is not None:
        write_conllu(tree_of_votes, path)
        note(f"wrote {path}")
    return tree_of_votes


def combination(alignments: Mapping[str, Alignment], convention: Convention = OFFICIAL) -> Combination:
    """Return scores of the best system, of the vote (if there is one) and of the oracles."""
    words_by_system = {name: correct_words(alignment, convention) for name, alignment in alignments.items()}
    singles = {name: words for name, words in words_by_system.items() if name != VOTED}
    best = max(singles, key=lambda name: singles[name].score("LAS") or 0.0)
    first = alignments[best]
    sentence_of, number = first.gold.treebank.sentence_of, len(first.gold.treebank)
    best_words = words_by_system[best]
    denominator = int(best_words.gold.sum()) + int(best_words.system.sum())

    def percent(correct: int) -> float | None:
        return 100 * (2 * correct / denominator) if denominator else None

    def by_sentence(metric: str) -> float | None:
        counts = [np.bincount(sentence_of[words.mask(metric)], minlength=number) for words in singles.values()]
        return percent(int(np.max(counts, axis=0).sum()))

    def by_word(metric: str) -> float | None:
        masks = [words.mask(metric) for words in singles.values()]
        return percent(int(np.any(masks, axis=0).sum()))

    def row(name: str, words: CorrectWords) -> dict[str, Any]:
        return {"combination": name} | {label(m): words.score(m) for m in ("UAS", "LAS")}

    label = convention.label
    rows = [row(f"best system: {best}", words_by_system[best])]
    if VOTED in words_by_system:
        rows.append(row(VOTED, words_by_system[VOTED]))
    for name, oracle in (("oracle by sentence", by_sentence), ("oracle by word", by_word)):
        rows.append({"combination": name} | {label(m): oracle(m) for m in ("UAS", "LAS")})
    signed = first.signed | {"system": "+".join(singles)}
    return Combination(tuple(rows), sign(m="UAS+LAS", **signed, **convention.signed))
