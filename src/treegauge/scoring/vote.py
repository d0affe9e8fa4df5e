"""The verb ``vote``: a system that combines others, and what an oracle could choose from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.file_kinds import CONLLU
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.scoring.metrics.convention import OFFICIAL, Convention, find_convention
from treegauge.scoring.settings import Reading

if TYPE_CHECKING:
    import polars as pl

    from treegauge.scoring.alignment.align import Alignment
    from treegauge.scoring.metrics.word_metrics import CorrectWords
    from treegauge.treebanks.data.columns import Treebank

    Output = Treebank | str | PathLike[str]

VOTED = "voted"


@dataclass(frozen=True, eq=False)
class Combination(Result):
    """Best system, vote and oracles: UAS and LAS in percent. `treebank` has the trees of the vote.

    Oracles know the gold tree. The oracle by sentence chooses the best system for each sentence,
    the oracle by word a correct system for each word, if there is one. No combination that chooses
    among these systems does better. Choices by word need not form a tree.
    """

    rows: tuple[dict[str, Any], ...]
    treebank: "Treebank" = field(repr=False)
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


@verb(outputs={"out": CONLLU})
def vote(
    gold: "Output",
    *systems: "Output | Mapping[str, Any]",
    votes: Sequence[str] = (),
    out: str | PathLike[str] | None = None,
    convention: str | Convention = "official",
    errors: Literal["strict", "skip", "repair"] = "strict",
    allow: Sequence[str] = (),
) -> Combination:
    """Combine systems by voting on arcs, and report what the best combination could reach.

    The maximum spanning tree of the votes with one root wins (reparsing; Sagae and Lavie 2006).

    Parameters
    ----------
    gold
        The gold file.
    *systems
        System files, as PATH or NAME=PATH. In Python also treebanks, and mappings from names to
        outputs.
    votes
        Weight of a system's vote, as NAME=WEIGHT (1 where not given); repeatable.
    out
        Write the combined trees to this CoNLL-U file.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    errors
        strict: refuse malformed files; skip: leave malformed sentences out; repair: repair them.
    allow
        Problems of trees to allow: several-roots, no-root or cycle.

    Returns
    -------
    Combination
        Scores of the best system, of the vote, and of oracles; `treebank` has the combined trees.

    Examples
    --------
    >>> import treegauge as tg
    >>> gold = tg.synthetic(20, seed=1)
    >>> voted = tg.vote(gold, {"a": gold, "b": gold})
    >>> [row["combination"] for row in voted.rows]
    ['best system: a', 'voted', 'oracle by sentence', 'oracle by word']
    """
    from treegauge.core.messages import note
    from treegauge.scoring.alignment.align import align
    from treegauge.scoring.breakdown import align_outputs
    from treegauge.scoring.systems import single_outputs
    from treegauge.treebanks.data.conllu import write_conllu

    source, outputs = single_outputs(gold, systems, "a vote")
    if VOTED in outputs:
        raise TreegaugeError(f"the name {VOTED!r} is reserved for the vote; give the system another one: NAME=PATH")
    alignments = align_outputs(source, outputs, Reading(errors, allow))
    trees = replace(voted({name: one.system.treebank for name, one in alignments.items()}, votes), name=VOTED)
    first = next(iter(alignments.values()))
    alignments[VOTED] = align(first.gold.treebank, trees)
    if out is not None:
        write_conllu(trees, out)
        note(f"wrote {out}")
    return combination(alignments, find_convention(convention))


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


def voted(outputs: "Mapping[str, Treebank]", votes: Sequence[str] = ()) -> "Treebank":
    """Return the tree of each sentence whose arcs get the most votes.

    Every system votes for its arcs, with its weight; the maximum spanning tree with one root wins
    (reparsing; Sagae and Lavie 2006). Systems that have the arc vote on its relation; ties go to
    the first. All other columns are those of the first system.
    """
    if len(outputs) < 2:
        raise TreegaugeError(f"a vote needs at least two systems; got {len(outputs)}")
    from treegauge.treebanks.data.decoding import vote_trees

    weights = vote_weights(list(outputs), votes)
    # So small a difference that it decides only ties, which go to the first system.
    ordered = [weight * (1 - 1e-9 * i) for i, weight in enumerate(weights)]
    return vote_trees(list(outputs.values()), ordered)


def combination(alignments: "Mapping[str, Alignment]", convention: Convention = OFFICIAL) -> Combination:
    """Return scores of the best system, of the vote and of the oracles."""
    import numpy as np

    from treegauge.scoring.metrics.word_metrics import correct_words

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

    def row(name: str, words: "CorrectWords") -> dict[str, Any]:
        return {"combination": name} | {label(m): words.score(m) for m in ("UAS", "LAS")}

    label = convention.label
    rows = [row(f"best system: {best}", words_by_system[best]), row(VOTED, words_by_system[VOTED])]
    for name, oracle in (("oracle by sentence", by_sentence), ("oracle by word", by_word)):
        rows.append({"combination": name} | {label(m): oracle(m) for m in ("UAS", "LAS")})
    signed = first.signed | {"system": "+".join(singles)}
    return Combination(tuple(rows), alignments[VOTED].system.treebank, sign(m="UAS+LAS", **signed, **convention.signed))
