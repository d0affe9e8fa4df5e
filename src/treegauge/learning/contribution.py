"""The contribution of each source to a vote, and the vote's data-size equivalent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.learning.source_panel import Panel
from treegauge.learning.weights import RatioEstimate, ratio_estimate
from treegauge.measures.intervals import text_units_of
from treegauge.measures.registry import sentence_sums
from treegauge.scoring.classes.class_scores import By
from treegauge.scoring.classes.classification import classify
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.correct_words import Mask, align_trees, find_word_metric, metric_words, scored_words_mask
from treegauge.scoring.metrics.registry import metric_label
from treegauge.statistics.units import few_units
from treegauge.treebanks.data.columns import Treebank

Floats = npt.NDArray[np.float64]
OVERALL = "overall"
CLASSES = "upos,direction"
Place = Callable[[str, float], tuple[str, str | None, str | None]]
"""Places a group's score, in percent, on the target's learning curve: the number of sentences
that give it, and the ends of the curve's interval; ``< 5`` and ``> 500`` are beyond the curve."""


def word_groups(
    gold: Treebank, kinds: Mapping[str, str] | None = None, *, by: By = CLASSES, convention: Convention = OFFICIAL
) -> dict[str, Mask]:
    r"""Return the words that count overall, and those of each group, as masks.

    `kinds` is the group of each class, such as simple or complex; words of other classes are in no
    group. Classes are those of :func:`treegauge.scoring.classes.classification.classify`.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> rows = "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tend\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    >>> groups = word_groups(parse_conllu(rows), {"DET": "simple"}, by="upos")
    >>> {name: mask.tolist() for name, mask in groups.items()}
    {'overall': [True, True], 'simple': [True, False]}
    """
    counted = scored_words_mask(gold, convention)
    groups: dict[str, Mask] = {OVERALL: counted}
    if not kinds:
        return groups
    if OVERALL in kinds.values():
        raise TreegaugeError(f"a group may not be called {OVERALL!r}: that is all words")
    codes, names, _ = classify(gold, by)
    if not kinds.keys() & set(names):
        shown = (", ".join([*few][:6]) + ", ..." * (len(few) > 6) for few in (kinds, names))
        raise TreegaugeError(f"none of the classes {next(shown)} is in {gold.name}, which has {next(shown)}")
    for group in dict.fromkeys(kinds.values()):
        members = np.array([kinds.get(name) == group for name in names], bool)
        groups[group] = counted & members[codes]
    return groups


class Worth(NamedTuple):
    """The data-size equivalent of a score, with its interval."""

    sentences: str | None
    at_least: str | None
    at_most: str | None


def break_even(score: RatioEstimate, place: Place, group: str = OVERALL) -> Worth:
    """Return the number of annotated sentences with which a parser scores the same as transfer.

    The interval is conservative: it runs from the low end of the curve's interval at the low end
    of the score's to the high end at the high end.

    Examples
    --------
    >>> def tenth(group, score):
    ...     return f"{score / 10:.0f}", f"{score / 10 - 1:.0f}", f"{score / 10 + 1:.0f}"
    >>> break_even(RatioEstimate(70.0, 60.0, 80.0, 5.0), tenth)
    Worth(sentences='7', at_least='5', at_most='9')
    """
    if score.value != score.value:  # no words of the group
        return Worth(None, None, None)
    worth = place(group, score.value)[0]
    if score.low is None or score.high is None:
        return Worth(worth, None, None)
    low, high = place(group, max(0.0, score.low)), place(group, min(100.0, score.high))
    return Worth(worth, low[1], high[2])


@dataclass(frozen=True)
class Vote:
    """The scores of a set of sources, by metric and group of words.

    `gains` are the differences of the vote of all sources from this one, `alone` the overall scores
    of the source left out; both are empty for the vote of all. `worth` is the data-size equivalent.
    """

    left_out: str
    sources: tuple[str, ...]
    scores: Mapping[str, Mapping[str, RatioEstimate]]
    gains: Mapping[str, Mapping[str, RatioEstimate]] = field(default_factory=dict)
    alone: Mapping[str, RatioEstimate] = field(default_factory=dict)
    worth: Mapping[str, Worth] = field(default_factory=dict)


@dataclass(frozen=True)
class Contributions(Result, kind="transfer", unit="percent"):
    """The vote of all sources, then of all but one, for all words and for groups of them."""

    votes: tuple[Vote, ...]
    words: Mapping[str, int]
    metric: str
    convention: Convention
    signature: str
    parsed: Treebank | None = field(default=None, repr=False)
    digits: ClassVar[int] = 1

    @property
    def metrics(self) -> tuple[str, ...]:
        """The requested metric, then LAS and UAS."""
        return _metrics(self.metric)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per vote, metric and group of words; scores and gains are in percent."""
        rows: list[dict[str, Any]] = []
        for vote, metric, group in product(self.votes, self.metrics, self.words):
            score = vote.scores[metric][group]
            gain = vote.gains[metric][group] if vote.gains else None
            alone = vote.alone.get(metric) if group == OVERALL else None
            worth = vote.worth.get(group) if metric == self.metric else None
            row: dict[str, Any] = {
                "left_out": vote.left_out, "sources": "+".join(vote.sources),
                "metric": metric_label(metric, self.convention), "group": group,
                "words": self.words[group], "score": score.value, "low": score.low,
                "high": score.high, "gain": gain and gain.value, "gain_low": gain and gain.low,
                "gain_high": gain and gain.high, "alone": alone and alone.value,
            }  # fmt: skip
            rows.append(row | (worth or Worth(None, None, None))._asdict())
        return make_table(rows).fill_nan(None)

    def shown(self) -> "pl.DataFrame":
        """Return one row per vote: scores, the gain from the source left out, equivalents."""
        rows = []
        first, *others = self.metrics
        for vote in self.votes:
            left = f"without {vote.left_out}" if vote.left_out else "all"
            row: dict[str, Any] = {"sources": left}
            name, *names = (metric_label(metric, self.convention) for metric in self.metrics)
            for group in self.words:
                title = name if group == OVERALL else f"{name} {group}"
                row[title] = vote.scores[first][group].value
            for further, title in zip(others, names, strict=True):
                row[title] = vote.scores[further][OVERALL].value
            if len(self.votes) > 1:
                gains = vote.gains.get(first, {})
                row |= {f"gain {group}": _text(gains.get(group)) for group in self.words}
                row["alone"] = vote.alone[first].value if vote.alone else None
            if vote.worth:
                row |= {f"worth {group}": vote.worth[group].sentences for group in self.words}
            rows.append(row)
        return make_table(rows).fill_nan(None)

    @property
    def advice(self) -> str | None:
        """Advice on whether to annotate instead; None without a learning curve."""
        worth = self.votes[0].worth.get(OVERALL) if self.votes else None
        if worth is None:
            return None
        span = f"between {worth.at_least} and {worth.at_most}" if worth.at_least else "unsure"
        return (
            f"Transfer is worth {worth.sentences} annotated sentences ({span}): with more, a "
            "parser trained on the target itself is better."
        )

    def json_fields(self) -> dict[str, Any]:
        """Return the rows and the advice."""
        return super().json_fields() | ({"advice": self.advice} if self.advice else {})

    def own_text(self) -> str:
        """Return the table and the advice."""
        return "\n".join([super().own_text(), *([self.advice] if self.advice else [])])


def _text(gain: RatioEstimate | None) -> str:
    if gain is None or gain.value != gain.value:
        return ""
    if gain.low is None or gain.high is None:
        return f"{gain.value:+.1f}"
    return f"{gain.value:+.1f} [{gain.low:+.1f}, {gain.high:+.1f}]"


def contributions(
    panels: Panel | Sequence[Panel], gold: Treebank, groups: Mapping[str, Mask] | None = None, *,
    leave: Mapping[str, Sequence[str]] | None = None, place: Place | None = None,
    metric: str = "LAS", convention: Convention = OFFICIAL, level: float = 0.95,
) -> Contributions:  # fmt: skip
    r"""Score the vote of all sources, and of all but each one.

    .. math:: gain_s = LAS(S) - LAS(S \setminus \{s\})

    Scores of several panels (trainings) are averaged. `groups` are masks as :func:`word_groups`
    returns them; `leave` names the sources to leave out, by default each one in turn; `place`
    places scores of `metric` on the target's learning curve. Intervals are over the target's
    documents or sentences.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(4, seed=1)
    >>> chain = gold.with_columns({"head": gold.positions - 1})
    >>> result = contributions(Panel(("good", "bad"), (gold, chain), (0.8, 0.2)), gold)
    >>> result.votes[0].scores["UAS"]["overall"].value, result.votes[1].left_out
    (100.0, 'good')
    """
    runs = [panels] if isinstance(panels, Panel) else list(panels)
    if not runs:
        raise TreegaugeError("no panel to score: give at least one")
    metric = find_word_metric(metric)
    sources = runs[0].sources
    masks = word_groups(gold, convention=convention) | dict(groups or {})
    if leave is None:
        leave = {source: (source,) for source in sources} if len(sources) > 1 else {}
    units = text_units_of(gold)[0]
    exact = align_trees(gold, gold.head, gold["deprel"])
    sizes = {
        name: {group: sentence_sums(mask & counted, gold) for group, mask in masks.items()}
        for name in _metrics(metric)
        for counted in [metric_words(name, exact, convention).gold]
    }

    def counts(members: Sequence[str]) -> dict[str, dict[str, Floats]]:
        votes = [run.vote(members) for run in runs]
        aligned = [align_trees(gold, vote.head, vote["deprel"]) for vote in votes]
        means = {
            name: np.mean([metric_words(name, one, convention).correct for one in aligned], axis=0) for name in sizes
        }
        return {
            name: {group: sentence_sums(mean * mask, gold) for group, mask in masks.items()}
            for name, mean in means.items()
        }

    def shares(values: Mapping[str, Floats], name: str, *, share: bool = True) -> dict[str, RatioEstimate]:
        pairs = {g: (units.sums(values[g]), units.sums(sizes[name][g])) for g in masks}
        return {g: ratio_estimate(*pair, level=level, share=share).times(100) for g, pair in pairs.items()}

    def scored(left_out: str, gone: Sequence[str]) -> Vote:
        members = tuple(source for source in sources if source not in gone)
        if not members:
            raise TreegaugeError(f"leaving out {left_out} leaves no source to vote")
        own = counts(members) if gone else everyone
        scores = {name: shares(own[name], name) for name in sizes}
        main = scores[metric]
        worth = {} if place is None else {g: break_even(one, place, g) for g, one in main.items()}
        if not gone:
            return Vote(left_out, members, scores, worth=worth)
        gains = {
            name: shares({g: everyone[name][g] - own[name][g] for g in masks}, name, share=False) for name in sizes
        }
        alone = {name: shares(values, name)[OVERALL] for name, values in counts(gone).items()}
        return Vote(left_out, members, scores, gains, alone, worth)

    everyone = counts(sources)
    for gone in leave.values():
        for name in gone:
            if name not in sources:
                raise ChoiceError("source to leave out", name, sources)
    votes = [scored("", ()), *(scored(name, gone) for name, gone in leave.items())]
    words = {name: int(mask.sum()) for name, mask in masks.items()}
    signature = sign(
        m=metric_label(metric, convention),
        tb=gold.mark,
        runs=len(runs) if len(runs) > 1 else None,
        ci=f"t@{level:g}",
        units=units.kind,
    )
    notes = (f"{gold.name}: {few_units(units.number, units.kind) or units.note(level)}",)
    return Contributions(tuple(votes), words, metric, convention, signature, unit_notes=notes)


def _metrics(first: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([first, "LAS", "UAS"]))
