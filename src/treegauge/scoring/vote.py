"""The verb ``vote``: a system that combines others, and what an oracle could choose from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.file_kinds import CONLLU
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.scoring.metrics.convention import OFFICIAL, Convention, find_convention
from treegauge.scoring.settings import Reading

if TYPE_CHECKING:
    from treegauge.scoring.alignment.align import Alignment
    from treegauge.treebanks.data.columns import Treebank

    Output = Treebank | str | PathLike[str]

VOTED = "voted"
ORACLES = ("oracle by sentence", "oracle by word")
METRICS = ("UAS", "LAS")


@dataclass(frozen=True, eq=False)
class Combination(Result, kind="combination", unit="percent"):
    """Best system, vote and oracles: UAS and LAS in percent. `treebanks` has the trees of the vote.

    Oracles know the gold tree. The oracle by sentence chooses the best system for each sentence,
    the oracle by word a correct system for each word, if there is one. No combination that chooses
    among these systems does better. Choices by word need not form a tree.
    """

    rows: tuple[dict[str, Any], ...]
    treebanks: "Mapping[str, Treebank]" = field(repr=False)
    signature: str

    @property
    def treebank(self) -> "Treebank":
        """The trees of the vote, on the first treebank of several."""
        return next(iter(self.treebanks.values()))

    @property
    def table(self) -> "pl.DataFrame":
        """One row per combination."""
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
        The gold file, or a folder of gold files; treebanks that lack output of a system are left
        out. In Python also a mapping from names to treebanks.
    *systems
        System files or folders, as PATH or NAME=PATH, or stores; repeat a NAME for several runs,
        which share its vote. In Python also treebanks, and mappings from names to outputs.
    votes
        Weight of a system's vote, as NAME=WEIGHT (1 where not given); repeatable.
    out
        Write the combined trees to this CoNLL-U file; with folders, to a file per treebank here.

    Returns
    -------
    Combination
        Scores of the best system, of the vote, and of oracles, means over runs and treebanks;
        `treebank` has the combined trees (`treebanks` those of each).

    Examples
    --------
    >>> import treegauge as tg
    >>> gold = tg.synthetic(20, seed=1)
    >>> voted = tg.vote(gold, {"a": gold, "b": gold})
    >>> [row["combination"] for row in voted.rows]
    ['best system: a', 'voted', 'oracle by sentence', 'oracle by word']
    """
    from treegauge.core.files import whole_folder
    from treegauge.core.messages import note
    from treegauge.scoring.alignment.align import align
    from treegauge.scoring.breakdown import align_answers
    from treegauge.scoring.systems import answers
    from treegauge.treebanks.data.conllu import write_conllu

    given = answers(gold, systems)
    if VOTED in given.systems:
        raise TreegaugeError(f"the name {VOTED!r} is reserved for the vote; give the system another one: NAME=PATH")
    aligned, trees = align_answers(given, Reading(errors, allow)), {}
    for code, row in aligned.items():
        parsed = {name: [one.system.treebank for one in runs] for name, runs in row.items()}
        trees[code] = replace(voted(parsed, votes), name=VOTED)
        row[VOTED] = [align(next(iter(row.values()))[0].gold.treebank, trees[code])]
    if out is not None and not given.several:
        write_conllu(next(iter(trees.values())), out)
    elif out is not None:
        with whole_folder(Path(out)):
            for code, tree in trees.items():
                write_conllu(tree, Path(out) / f"{code.replace('/', '-')}.conllu")
    if out is not None:
        note(f"wrote {out}")
    return combination(aligned, find_convention(convention))


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


def voted(outputs: "Mapping[str, Treebank | Sequence[Treebank]]", votes: Sequence[str] = ()) -> "Treebank":
    """Return the tree of each sentence whose arcs get the most votes.

    Every system votes for its arcs, with its weight, of which each of its runs has an equal share;
    the maximum spanning tree with one root wins (reparsing; Sagae and Lavie 2006). Systems that
    have the arc vote on its relation; ties go to the first. All other columns are those of the
    first system.
    """
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.data.decoding import vote_trees

    runs = [[one] if isinstance(one, Treebank) else list(one) for one in outputs.values()]
    weights = [
        weight / len(own) for weight, own in zip(vote_weights(list(outputs), votes), runs, strict=True) for _ in own
    ]
    if len(weights) < 2:
        raise TreegaugeError(f"a vote needs at least two systems; got {len(weights)}")
    # So small a difference that it decides only ties, which go to the first system.
    ordered = [weight * (1 - 1e-9 * i) for i, weight in enumerate(weights)]
    return vote_trees([one for own in runs for one in own], ordered)


def combination(
    aligned: "Mapping[str, Mapping[str, Sequence[Alignment]]]", convention: Convention = OFFICIAL
) -> Combination:
    """Return scores of the best system, of the vote and of the oracles; means over treebanks."""
    import numpy as np

    from treegauge.scoring.classes.confusion import joint_signature

    tables = [_scores(row, convention) for row in aligned.values()]
    means = {
        name: {metric: float(np.mean([table[name][metric] for table in tables])) for metric in METRICS}
        for name in tables[0]
    }
    best = max((name for name in means if name not in {VOTED, *ORACLES}), key=lambda name: means[name]["LAS"])
    rows = [
        {"combination": title} | {convention.label(metric): means[name][metric] for metric in METRICS}
        for title, name in ((f"best system: {best}", best), *((name, name) for name in (VOTED, *ORACLES)))
    ]
    names = [name for name in next(iter(aligned.values())) if name != VOTED]
    signed = joint_signature([row[best][0] for row in aligned.values()]) | {"system": "+".join(names)}
    trees = {code: row[VOTED][0].system.treebank for code, row in aligned.items()}
    average = "macro" if len(trees) > 1 else None
    return Combination(tuple(rows), trees, sign(m="+".join(METRICS), **signed, average=average, **convention.signed))


def _scores(row: "Mapping[str, Sequence[Alignment]]", convention: Convention) -> dict[str, dict[str, float]]:
    """Return the scores of each system on a treebank, means over its runs, and of the oracles."""
    import numpy as np

    from treegauge.scoring.metrics.correct_words import correct_words

    words = {name: [correct_words(one, convention) for one in runs] for name, runs in row.items()}
    scores = {
        name: {metric: float(np.mean([one.score(metric) or 0.0 for one in runs])) for metric in METRICS}
        for name, runs in words.items()
    }
    gold = row[VOTED][0].gold.treebank
    outputs = [one for name, runs in words.items() if name != VOTED for one in runs]
    best = max((name for name in words if name != VOTED), key=lambda name: scores[name]["LAS"])
    denominator = max(int(words[best][0].gold.sum()) + int(words[best][0].system.sum()), 1)
    for name in ORACLES:
        scores[name] = {}
        for metric in METRICS:
            masks = [one.mask(metric) for one in outputs]
            if name == ORACLES[0]:
                correct = np.max([np.bincount(gold.sentence_of[mask], minlength=len(gold)) for mask in masks], axis=0)
            else:
                correct = np.any(masks, axis=0)
            scores[name][metric] = 100 * (2 * int(correct.sum()) / denominator)
    return scores
