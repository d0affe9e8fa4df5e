"""Systems combined: a vote that is a tree, and what an oracle could choose from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import note
from treegauge.core.result import Result, sign
from treegauge.scoring.align import Alignment
from treegauge.scoring.attachment import CorrectWords, correct_words
from treegauge.scoring.convention import OFFICIAL, Convention
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import write_conllu
from treegauge.treebanks.voting import vote

if TYPE_CHECKING:
    import polars as pl

VOTED = "voted"


@dataclass(frozen=True, eq=False)
class Combination(Result):
    """Best system, vote and oracles: UAS and LAS in percent.

    An oracle by sentence chooses, knowing gold, the best system for each sentence; one by word
    chooses for each word a system that is correct, if there is one. No combination that chooses
    among these systems does better; choices by word need not make a tree.
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
    """Return the tree of each sentence that gets the largest total of votes for its arcs.

    Every system votes for its arcs, with its weight; the maximum spanning tree with one root wins
    (reparsing; Sagae and Lavie 2006). Relations are voted on by the systems that have the arc, ties
    go to the first. All other columns are those of the first system.
    """
    if len(outputs) < 2:
        raise TreegaugeError(f"--combine needs at least two systems; got {len(outputs)}")
    weights = vote_weights(list(outputs), votes)
    # So little less that it decides nothing but ties, which go to the first system.
    ordered = [weight * (1 - 1e-9 * i) for i, weight in enumerate(weights)]
    return vote(list(outputs.values()), ordered)


def voted_system(
    outputs: Mapping[str, Treebank], votes: Sequence[str], path: str | PathLike[str] | None
) -> Treebank:
    """Let systems vote, and write what they vote for to a file if there is one."""
    if VOTED in outputs:
        raise TreegaugeError(f"a system is called {VOTED!r}; give it another name: NAME=PATH")
    made = replace(voted(outputs, votes), name=VOTED)
    if path is not None:
        write_conllu(made, path)
        note(f"wrote {path}")
    return made


def combination(
    alignments: Mapping[str, Alignment], convention: Convention = OFFICIAL
) -> Combination:
    """Return scores of the best system, the vote (if it is there) and the oracles."""
    found = {name: correct_words(one, convention) for name, one in alignments.items()}
    singles = {name: one for name, one in found.items() if name != VOTED}
    best = max(singles, key=lambda name: singles[name].score("LAS") or 0.0)
    first = alignments[best]
    sentence_of, number = first.gold.treebank.sentence_of, len(first.gold.treebank)
    words = int(found[best].gold.sum()) + int(found[best].system.sum())

    def percent(correct: int) -> float | None:
        return 100 * (2 * correct / words) if words else None

    def by_sentence(metric: str) -> float | None:
        counts = [np.bincount(sentence_of[one.mask(metric)], minlength=number)
                  for one in singles.values()]  # fmt: skip
        return percent(int(np.max(counts, axis=0).sum()))

    def by_word(metric: str) -> float | None:
        masks = [one.mask(metric) for one in singles.values()]
        return percent(int(np.any(masks, axis=0).sum()))

    def row(name: str, one: CorrectWords) -> dict[str, Any]:
        return {"combination": name} | {label(m): one.score(m) for m in ("UAS", "LAS")}

    label = convention.label
    rows = [row(f"best system: {best}", found[best])]
    if VOTED in found:
        rows.append(row(VOTED, found[VOTED]))
    for name, oracle in (("oracle by sentence", by_sentence), ("oracle by word", by_word)):
        rows.append({"combination": name} | {label(m): oracle(m) for m in ("UAS", "LAS")})
    signed = first.signed | {"system": "+".join(singles)}
    return Combination(tuple(rows), sign(m="UAS+LAS", **signed, **convention.signed))
