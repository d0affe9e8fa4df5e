"""What each source adds to a vote: the vote with it and without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.crosslingual.annotation import Place, Worth, break_even
from treegauge.crosslingual.intervals import Estimate, ratio
from treegauge.crosslingual.panel import Panel
from treegauge.crosslingual.scoring import OVERALL, word_groups
from treegauge.measures.counting import per_sentence
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.scoring.attachment import Mask, right_heads, right_relations
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

Floats = npt.NDArray[np.float64]
ALL = ""


@dataclass(frozen=True)
class Vote:
    """The score of a set of sources.

    Attributes
    ----------
    left_out
        The source or group of sources that did not vote, or "" where all did.
    sources
        Those that voted.
    uas
        For each group of words UAS in per cent with its interval over sentences.
    las
        LAS of all words, by universal relations.
    gain
        For each group of words what the vote of all has more, with its interval; empty for that.
    alone
        UAS of all words by what was left out; None for the vote of all.
    worth
        For each group of words how many annotated target sentences give the same score.
    """

    left_out: str
    sources: tuple[str, ...]
    uas: Mapping[str, Estimate]
    las: Estimate
    gain: Mapping[str, Estimate] = field(default_factory=dict)
    alone: Estimate | None = None
    worth: Mapping[str, Worth] = field(default_factory=dict)


@dataclass(frozen=True)
class Contributions(Result):
    """The vote of all sources and of all but one, for all words and for groups of them.

    Attributes
    ----------
    votes
        That of all first.
    words
        For each group the number of its words.
    """

    votes: tuple[Vote, ...]
    words: Mapping[str, int]
    signature: str
    digits: ClassVar[int] = 1

    @property
    def table(self) -> "pl.DataFrame":
        """One row a vote and group of words; scores and gains are per cent."""
        import polars as pl

        rows: list[dict[str, Any]] = []
        for vote in self.votes:
            for group, words in self.words.items():
                uas, gain = vote.uas[group], vote.gain.get(group)
                rows.append(
                    {
                        "left_out": vote.left_out, "sources": "+".join(vote.sources),
                        "group": group, "words": words,
                        "uas": uas.value, "low": uas.low, "high": uas.high,
                        "las": vote.las.value if group == OVERALL else None,
                        "gain": gain and gain.value, "gain_low": gain and gain.low,
                        "gain_high": gain and gain.high,
                        "alone": vote.alone and vote.alone.value if group == OVERALL else None,
                        **vote.worth.get(group, Worth(None, None, None))._asdict(),
                    }
                )  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)

    def shown(self) -> "pl.DataFrame":
        """Return a row a vote: scores, what the source left out adds, and what they are worth."""
        import polars as pl

        rows = []
        for vote in self.votes:
            row: dict[str, Any] = {
                "sources": f"without {vote.left_out}" if vote.left_out else "all"
            }
            row |= {group: vote.uas[group].value for group in self.words}
            row["LAS"] = vote.las.value
            if len(self.votes) > 1:
                row |= {f"gain {g}": _told(vote.gain.get(g)) for g in self.words}
                row["alone"] = vote.alone and vote.alone.value
            if vote.worth:
                row |= {f"worth {group}": vote.worth[group].sentences for group in self.words}
            rows.append(row)
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)

    @property
    def advice(self) -> str | None:
        """Whether to annotate instead, in words; None without a curve to compare with."""
        worth = self.votes[0].worth.get(OVERALL)
        return worth and worth.advice

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--format json`` prints."""
        return super().to_dict() | ({"advice": self.advice} if self.advice else {})

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *([self.advice] if self.advice else [])])


def _told(gain: Estimate | None) -> str:
    if gain is None or gain.value != gain.value:
        return ""
    if gain.low is None or gain.high is None:
        return f"{gain.value:+.1f}"
    return f"{gain.value:+.1f} [{gain.low:+.1f}, {gain.high:+.1f}]"


def contributions(
    panels: Panel | Sequence[Panel],
    gold: Treebank,
    groups: Mapping[str, Mask] | None = None,
    *,
    leave: Mapping[str, Sequence[str]] | None = None,
    place: Place | None = None,
    level: float = 0.95,
) -> Contributions:
    r"""Score the vote of all sources, and of all but each one.

    .. math:: gain_s = UAS(S) - UAS(S \setminus \{s\})

    Parameters
    ----------
    panels
        What the sources say; several panels are several trainings, whose scores are averaged.
    gold
        The target's trees.
    groups
        Masks of words as :func:`treegauge.crosslingual.scoring.word_groups` gives them; ``overall``
        is all words but punctuation unless it is among them.
    leave
        What to leave out, by name; by default each source by itself. No entries: only the vote of
        all is scored.
    place
        Says what a score of a group is worth in annotated sentences; see
        :func:`treegauge.crosslingual.annotation.break_even`.
    level
        Coverage of the intervals, which are over sentences of the target: trainings count as
        fixed.

    Examples
    --------
    >>> from treegauge.crosslingual.panel import Panel
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(4, seed=1)
    >>> chain = gold.with_columns({"head": gold.positions - 1})
    >>> asked = Panel(("good", "bad"), (gold, chain), (0.8, 0.2))
    >>> found = contributions(asked, gold)
    >>> found.votes[0].uas["overall"].value, found.votes[1].left_out
    (100.0, 'good')
    """
    runs = [panels] if isinstance(panels, Panel) else list(panels)
    if not runs:
        raise TreegaugeError("no panel to score: give at least one")
    sources = runs[0].sources
    counted = word_groups(gold) | dict(groups or {})
    leave = _each(sources) if leave is None else leave
    sizes = {name: per_sentence(mask, gold) for name, mask in counted.items()}

    def right(members: Sequence[str]) -> tuple[dict[str, Floats], Floats]:
        votes = [run.vote(members) for run in runs]
        heads = np.mean([right_heads(gold, vote.head) for vote in votes], axis=0)
        labelled = np.mean(
            [right_relations(gold, vote.head, vote["deprel"]) for vote in votes], axis=0
        )
        by_group = {name: per_sentence(heads * mask, gold) for name, mask in counted.items()}
        return by_group, per_sentence(labelled * counted[OVERALL], gold)

    def share(counts: Floats, group: str = OVERALL) -> Estimate:
        return ratio(counts, sizes[group], level=level).times(100)

    def scored(left_out: str, gone: Sequence[str]) -> Vote:
        members = tuple(source for source in sources if source not in gone)
        if not members:
            raise TreegaugeError(f"leaving out {left_out} leaves no source to vote")
        own, labelled = right(members) if gone else everyone
        full = everyone[0]
        uas = {name: share(own[name], name) for name in counted}
        return Vote(
            left_out, members, uas, share(labelled),
            {name: share(full[name] - own[name], name) for name in counted} if gone else {},
            share(right(gone)[0][OVERALL]) if gone else None,
            {} if place is None else {g: break_even(one, place, g) for g, one in uas.items()},
        )  # fmt: skip

    everyone = right(sources)
    for gone in leave.values():
        for one in gone:
            if one not in sources:
                raise ChoiceError("source to leave out", one, sources)
    votes = [scored(ALL, ()), *(scored(name, gone) for name, gone in leave.items())]
    words = {name: int(mask.sum()) for name, mask in counted.items()}
    signature = sign(
        m="uas", tb=gold.mark, sources=len(sources), runs=len(runs) if len(runs) > 1 else None,
        ci=f"t@{level:g}",
    )  # fmt: skip
    return Contributions(tuple(votes), words, signature)


def _each(sources: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {source: (source,) for source in sources} if len(sources) > 1 else {}
