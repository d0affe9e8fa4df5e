"""The expected gain from annotating more sentences, by class, and where the curve flattens."""

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.core.errors import TreegaugeError, check_whole
from treegauge.core.result import RowsResult, countersign, sign
from treegauge.core.tables import to_text
from treegauge.learning.curves.class_counts import Attachments
from treegauge.learning.curves.equivalents import (
    REACH,
    WORDS,
    Mixture,
    chance,
    factor,
    hit_rate,
    mix_laws,
    no_chance,
    unreliable,
    withheld,
)
from treegauge.learning.curves.score_grid import CurveAnalysis, Floats, ScoreGrid, grid_of, limits, of_treebank
from treegauge.parsing.registry import fit_parser
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.relations import universal_relation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treegauge.learning.training_settings import CurveBands


class Need(NamedTuple):
    """The further sentences that a gain needs; None is beyond `most`, the largest number checked.

    The interval ends where the gain's own interval begins and ceases to contain the wanted `gain`.
    `chance` is that of the gain with the sentences of the budget; None where chances were not
    checked, or did not hold for the parser.
    """

    gain: float
    sentences: int | None
    low: int | None
    high: int | None
    most: int
    chance: float | None

    def text(self, metric: str, budget: int) -> str:
        """Return the need in words."""
        centre, low, high = (
            f"more than {self.most:,}" if end is None else f"{end:,}" for end in (self.sentences, self.low, self.high)
        )
        interval = "" if self.low is None and self.high is None else f" ({low} to {high})"
        about = centre if self.sentences is None else f"about {centre}"
        odds = "" if self.chance is None else f"; the chance that {budget} are enough is {100 * self.chance:.0f} %"
        return f"+{self.gain:g} {metric} needs {about} more sentences{interval}{odds}."


@dataclass(frozen=True, eq=False)
class Advice(CurveAnalysis, kind="advice"):
    """The expected gain from more annotated sentences, all words first, then classes.

    Attributes
    ----------
    frame
        class, share of words, score now and then, gain within the class with its interval, and its
        contribution to the overall gain with its interval. Contributions of classes that cover all
        words add up to the gain, unless a note says that a class was cut at 100.
    doubling
        Points gained by doubling the data.
    flat
        Number of sentences from which a doubling gains less than `worth` points; missing if that is
        beyond the sizes for which predictions were checked.
    need
        The sentences that a wanted gain needs.
    counts
        The counts behind it; advice can stand for them in all verbs of `curve`.
    """

    parser: str
    treebank: str
    have: int
    budget: int
    doubling: float
    worth: float
    flat: float | None
    need: Need | None
    counts: Attachments = field(repr=False)
    digits: ClassVar[int] = 2

    def shown(self) -> pl.DataFrame:
        """Return the table with shares in percent and intervals in one column each."""
        frame = self.frame.with_columns(pl.col("share") * 100)
        for name, prefix in (("gain", ""), ("contribution", "contribution_")):
            ends = pl.concat_list(f"{prefix}low", f"{prefix}high")
            known = pl.col(f"{prefix}low").is_not_null()
            frame = frame.with_columns(pl.when(known).then(ends).alias(f"{name} interval"))
        return frame.select(
            "class", "share", "now", "then", "gain", "gain interval", "contribution", "contribution interval"
        )

    @property
    def summary(self) -> dict[str, Any]:
        """The overall numbers."""
        row = self.frame.row(0, named=True)
        return {
            "have": self.have, "budget": self.budget, "now": row["now"], "then": row["then"],
            "gain": row["gain"], "gain_per_100": 100 * row["gain"] / self.budget,
            "doubling": self.doubling, "flat": self.flat, "need": self.need and self.need._asdict(),
        }  # fmt: skip

    def _lines(self) -> list[str]:
        row = self.frame.row(0, named=True)
        interval = "" if row["low"] is None else f", {row['low']:+.1f} to {row['high']:+.1f}"
        flat = f"These sizes do not show where a doubling gains less than {self.worth:g}."
        if self.flat is not None:
            number = f"{float(f'{self.flat:.2g}'):,.0f}"
            flat = (
                f"From about {number} sentences on, a doubling gains less than {self.worth:g}: the "
                "curve flattens there."
            )
        return [
            f"{self.treebank}, {self.parser}: {self.budget} more sentences in addition to "
            f"{self.have} raise {self.metric} from {row['now']:.1f} to about {row['then']:.1f} "
            f"({row['gain']:+.1f}{interval}), "
            f"{100 * row['gain'] / self.budget:.2f} points per 100 sentences; doubling the data "
            f"gains about {self.doubling:.1f}.",
            *([self.need.text(self.metric, self.budget)] if self.need else []),
            flat,
            *(f"note: {note}" for note in self.notes),
        ]


@dataclass(frozen=True, eq=False)
class Outlook:
    """The gains of all classes from `now` sentences on, on one parser's curve of one treebank."""

    grid: ScoreGrid
    bands: "CurveBands"
    now: int

    @cached_property
    def mixture(self) -> Mixture:
        """The laws of the curve of all words, which classes follow."""
        grid = self.grid
        return mix_laws(grid.sizes, grid.means[0, :, 0], grid.variance[0, :, 0], grid.total[0, 0])

    @cached_property
    def before(self) -> Floats:
        """The scores now."""
        return np.asarray(self.mixture.level(self.now) @ self.grid.means[0])

    @cached_property
    def _drawn(self) -> Floats:
        return np.asarray(self.grid.draws(self.bands).means[:, 0] - self.grid.means[0])

    def raw(self, later: int) -> Floats:
        """Return the gains, which may lead beyond 100."""
        return np.asarray(self.mixture.level(later) @ self.grid.means[0] - self.before)

    def gains(self, later: int) -> Floats:
        """Return the gains."""
        return np.minimum(self.raw(later), 100 - self.before)

    def limits(self, later: int) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of gains; NaN if unknown."""
        if later <= self.grid.sizes[-1]:
            low, high = limits(self._off(later), self.bands.level)
        else:
            half = factor(self.bands.level, "classes") * self.errors(later)
            half[0] *= factor(self.bands.level) / factor(self.bands.level, "classes")
            half[0] = np.nan if unreliable(self.grid.parser) else half[0]
            half[1:][self.grid.total[0, 1:] < WORDS] = np.nan
            low, high = -half, half
        gains = self.gains(later)
        return np.maximum(low + gains, -self.before), np.minimum(high + gains, 100 - self.before)

    def chance(self, later: int, gain: float) -> float | None:
        """Return the chance that all words gain at least as much."""
        missing = gain - float(self.gains(later)[0])
        if later <= self.grid.sizes[-1]:
            found = float(np.mean(self._off(later)[:, 0] >= missing))
            return found if np.isfinite(self._off(later)[0, 0]) else None
        error = math.nan if no_chance(self.grid.parser) else float(self.errors(later)[0])
        return chance(missing, error) if np.isfinite(error) else None

    def need(self, gain: float, budget: int) -> Need:
        """Return how many more sentences all words need for a gain."""
        most = int(REACH * self.grid.sizes[-1]) - self.now
        tried = np.unique(np.geomspace(1, max(most, 1), 300).round().astype(int)).tolist()
        each = [(self.gains(self.now + n)[0], *(end[0] for end in self.limits(self.now + n))) for n in tried]
        reached = np.array(each) >= gain
        middle, last, first = (tried[int(column.argmax())] if column.any() else None for column in reached.T)
        return Need(gain, middle, first, last, most, self.chance(self.now + budget, gain))

    def _off(self, later: int) -> Floats:
        """Return draws of gains between measured sizes, minus the gains."""
        step = self.mixture.level(later) - self.mixture.level(self.now)
        return np.asarray(np.einsum("s,bsc->bc", step, self._drawn))

    def errors(self, later: int) -> Floats:
        """Return the expected errors of scores beyond the measured sizes; NaN if not checked."""
        grid = self.grid
        if withheld(grid, later, self.bands.level):
            return np.full(grid.means.shape[2], np.nan)
        measured = (grid.means[0], grid.variance[0], np.maximum(grid.total[0], 1))
        errors = self.mixture.class_error(later, *measured)
        errors[:1] = self.mixture.error(later, *(part[..., :1] for part in measured))
        return errors

    def notes(self, later: int) -> list[str]:
        """Return where gains and intervals come from."""
        grid = self.grid
        if later <= grid.sizes[-1]:
            return [grid.withheld()] if grid.withheld() else []
        notes = [
            f"{later} sentences are more than the {grid.sizes[-1]:g} measured: the gain is "
            "extrapolated (mixture of power laws and the logarithm), for further sentences like these"
        ]
        if why := withheld(grid, later, self.bands.level):
            return [*notes, why]
        notes += [why] if (why := unreliable(grid.parser)) else []
        notes.append(f"intervals were {hit_rate()}")
        rare = (grid.total[0, 1:] >= self.bands.min_words) & (grid.total[0, 1:] < WORDS)
        return [*notes, f"no interval for classes of fewer than {WORDS} test words"] if rare.any() else notes


def expected_gain(
    counts: Attachments, bands: "CurveBands", *, budget: int | None = None, gain: float | None = None,
    have: int | None = None, treebank: str | None = None, worth: float = 1.0,
) -> Advice:  # fmt: skip
    """Return the expected gain from more sentences; see :func:`treegauge.curve.advise`."""
    grid = grid_of(of_treebank(counts, treebank))
    if len(grid.treebanks) > 1:
        raise TreegaugeError(f"several treebanks ({', '.join(grid.treebanks)}): choose one with treebank")
    if len(grid.sizes) < 3:
        raise TreegaugeError(f"advice needs at least 3 sizes; got {len(grid.sizes)}")
    now = int(grid.sizes[-1]) if have is None else have
    budget = now if budget is None else budget
    if budget < 1 or now < grid.sizes[0]:
        raise TreegaugeError(
            f"have {now} and budget {budget}; expected a budget of 1 or more and at least the "
            f"{grid.sizes[0]:g} sentences of the smallest size measured"
        )
    if gain is not None and not 0 < gain < 100:
        raise TreegaugeError(f"gain is {gain:g}; expected points above 0 and below 100, such as 2")
    outlook, later, share = Outlook(grid, bands, now), now + budget, grid.share[0]
    gains, before, (low, high) = outlook.gains(later), outlook.before, outlook.limits(later)
    used = [text for text in counts.options.split("; ") if text.partition(":")[0] == grid.parser]
    notes = [f"trained with {text.partition(': ')[2]} ({grid.parser})" for text in used]
    if gain is not None and later > grid.sizes[-1] and (why := no_chance(grid.parser)):
        notes.append(why)
    notes += outlook.notes(later) + _cut(grid, outlook.raw(later) - gains)
    columns = {
        "share": share, "now": before, "then": before + gains, "gain": gains, "low": low,
        "high": high, "contribution": share * gains, "contribution_low": share * low,
        "contribution_high": share * high,
    }  # fmt: skip
    rows: list[dict[str, Any]] = [
        {"class": grid.classes[c], "words": int(grid.total[0, c])}
        | {name: float(values[c]) if np.isfinite(values[c]) else None for name, values in columns.items()}
        for c in range(len(grid.classes))
        if c == 0 or grid.total[0, c] >= bands.min_words
    ]
    rows[1:] = sorted(rows[1:], key=lambda row: -row["contribution"])
    signature = countersign(
        counts.signature, advice="mixture", parser=grid.parser, on=grid.treebanks[0], have=now,
        budget=budget, gain=gain, worth=worth, **bands.signed,
    )  # fmt: skip
    return Advice(
        signature, tuple(notes), pl.DataFrame(rows, infer_schema_length=None), counts.metric,
        grid.parser, grid.treebanks[0], now, budget, float(outlook.raw(2 * now)[0]), worth,
        outlook.mixture.flattening(grid.means[0, :, 0], worth),
        None if gain is None else outlook.need(gain, budget), counts,
    )  # fmt: skip


def _cut(grid: ScoreGrid, beyond: Floats) -> list[str]:
    """Return a note on the classes whose predictions are cut at 100."""
    names = [grid.classes[c] for c in np.flatnonzero(beyond > 0.005).tolist()]
    if not names:
        return []
    lost = float(grid.share[0, 1:] @ beyond[1:])
    less = f"; contributions add up to {lost:.2f} less than the gain" if lost > 0.005 else ""
    return [f"predicted above 100, so set to 100: {', '.join(names)}{less}"]


#: The number of parsers to compare, each trained on a bootstrap sample.
COMMITTEE = 4
#: The fixed cost of a sentence in words, so that one-word sentences do not rank highest.
OVERHEAD = 3
#: A word form that was chosen k times counts (1 + k) to the power of minus this.
REPETITION = 0.25


@dataclass(frozen=True, eq=False, repr=False)
class ChosenSentences(RowsResult, kind="sentences", unit="percent"):
    """Sentences to annotate next, in the order of choice, each with its reason.

    `benefit` is the expected number of incorrect words per 100 words to annotate, discounted for
    word forms in earlier choices; `disagreement` the percentage of pairs of parsers that differ,
    averaged over words; `unknown` the number of words that are not in the training set.
    """

    notes: tuple[str, ...] = ()
    digits: ClassVar[int] = 1

    def own_text(self) -> str:
        """Return the table and the notes."""
        table = to_text(self.rows, digits=self.digits)
        return "\n".join([table, *(f"note: {note}" for note in self.notes), self.signature])


@dataclass(frozen=True, eq=False)
class CommitteeView:
    """The analyses of a committee of parsers: disagreement and a relation for each word.

    `uncertainty` is the share of pairs of parsers that differ in head or relation, `relation` the
    first parser's relation.
    """

    uncertainty: Floats
    relation: "Sequence[str]"


def training_set(sources: "Sequence[Any]") -> Treebank:
    """Return the training set of the given treebank: that of a folder, or the whole file."""
    from treegauge.treebanks.sources.inputs import recognise_treebanks

    inputs = recognise_treebanks(sources) if sources else []
    if len(inputs) != 1:
        raise TreegaugeError(
            f"--sentences needs one treebank to train on; found {len(inputs)}: give a treebank "
            "folder, or one CoNLL-U file"
        )
    return inputs[0].read("train" if "train" in inputs[0].splits else None)


def committee_view(train: Treebank, pool: Treebank, *, seed: int = 0) -> CommitteeView:
    """Train beam parsers on bootstrap samples of a training set, and compare their parses."""
    random = np.random.default_rng(seed)
    heads, codes = list[npt.NDArray[np.int32]](), list[npt.NDArray[np.int64]]()
    numbers: dict[str, int] = {}
    relation = list[str]()
    for member in range(COMMITTEE):
        sample = train.take(np.sort(random.integers(len(train), size=len(train))))
        parsed = fit_parser("beam", sample, seed=seed + member).parse(pool)
        relation_codes, values = parsed.codes("deprel")
        names = [numbers.setdefault(universal_relation(v), len(numbers)) for v in values]
        heads.append(parsed.head)
        codes.append(np.array(names, np.int64)[relation_codes])
        relation = relation or [values[code] for code in relation_codes.tolist()]
    pairs = [(heads[a] != heads[b]) | (codes[a] != codes[b]) for a in range(COMMITTEE) for b in range(a)]
    return CommitteeView(np.mean(pairs, axis=0), relation)


def greedy_choice(
    pool: Treebank, uncertainty: Floats, number: int, *, allowed: npt.NDArray[np.bool_]
) -> tuple[list[int], list[float]]:
    r"""Choose sentences one by one; return their numbers and benefits.

    The benefit of a sentence is :math:`\sum_w u_w (1 + k_w)^{-1/4} / (n + 3)` over its n words,
    where u is the disagreement of parsers about a word and k how often its form was chosen before.
    """
    codes, values = pool.codes("form")
    lowered = {value: i for i, value in enumerate(dict.fromkeys(v.lower() for v in values))}
    forms = np.array([lowered[value.lower()] for value in values], np.int64)[codes]
    times = np.zeros(len(lowered))
    sentences, free = pool.sentence_of, allowed.copy()
    keys = sentence_keys(pool)
    chosen, benefits = list[int](), list[float]()
    while len(chosen) < number and free.any():
        worth = uncertainty * (1 + times[forms]) ** -REPETITION
        benefit = np.bincount(sentences, worth, len(pool)) / (pool.lengths + OVERHEAD)
        best = int(np.where(free, benefit, -1.0).argmax())
        chosen.append(best)
        benefits.append(float(benefit[best]))
        np.add.at(times, forms[pool.offsets[best] : pool.offsets[best + 1]], 1)
        free[keys == keys[best]] = False
    return chosen, benefits


def sentence_keys(treebank: Treebank) -> npt.NDArray[np.int64]:
    """Return equal numbers for sentences with the same words."""
    numbers: dict[tuple[str, ...], int] = {}
    keys = [numbers.setdefault(tuple(sentence.form), len(numbers)) for sentence in treebank]
    return np.array(keys, np.int64)


def next_sentences(train: Treebank, pool: Treebank, *, number: int, seed: int = 0) -> ChosenSentences:
    """Rank unannotated sentences by the expected benefit of annotating them.

    Parameters
    ----------
    train
        The annotated treebank.
    pool
        Sentences without trees, with tags (UPOS) as the parser would get them; trees are not used.
    number
        The number of sentences to choose.
    seed
        Seed of the committee of parsers.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> chosen = next_sentences(synthetic(9, seed=1), synthetic(6, seed=2), number=2)
    >>> len(chosen.rows), chosen.rows[0]["rank"]
    (2, 1)
    """
    check_whole("budget", number, 1)
    if not pool.n_words:
        raise TreegaugeError(f"{pool.name} has no words; expected sentences to choose from")
    if set(pool.codes("upos").values) <= {"_"}:
        raise TreegaugeError(
            f"{pool.name} has no UPOS; expected tagged sentences: treegauge tag TREEBANK FILE adds predicted tags"
        )
    known = {tuple(one.form) for one in train}
    allowed = np.array([tuple(one.form) not in known for one in pool]) & (pool.lengths > 0)
    notes = []
    if not allowed.all():
        notes.append(f"left out: {int((~allowed).sum())} sentences that are in the training set")
    view = committee_view(train, pool, seed=seed)
    chosen, benefits = greedy_choice(pool, view.uncertainty, number, allowed=allowed)
    if len(chosen) < number:
        notes.append(f"{len(chosen)} different sentences to choose from, {number} were requested")
    vocabulary = {form.lower() for form in train.codes("form").values}
    rows = [
        {"rank": rank, **_row(pool, view, vocabulary, sentence, benefit)}
        for rank, (sentence, benefit) in enumerate(zip(chosen, benefits, strict=True), 1)
    ]
    usual = 100 * float(view.uncertainty.mean())
    words = int(pool.lengths[chosen].sum())
    notes.append(f"{len(rows)} sentences, {words} words; parsers disagree on {usual:.1f} % in all sentences")
    signature = sign(m="sentences", train=train.mark, pool=pool.mark, committee=COMMITTEE, number=number, seed=seed)
    return ChosenSentences(rows, signature, notes=tuple(notes))


def _row(pool: Treebank, view: CommitteeView, vocabulary: set[str], sentence: int, benefit: float) -> dict[str, Any]:
    """Return the row of a chosen sentence, with its reason."""
    words = range(int(pool.offsets[sentence]), int(pool.offsets[sentence + 1]))
    forms = pool[sentence].form
    unknown = [form for form in forms if form.lower() not in vocabulary]
    doubtful = [word for word in words if view.uncertainty[word] > 0]
    relations = Counter(universal_relation(view.relation[word]) for word in doubtful)
    most = ", ".join(f"{name} {count}" for name, count in relations.most_common(3))
    reason = f"parsers disagree on {len(doubtful)} of {len(forms)} words ({most})"
    if unknown:
        shown = ", ".join(dict.fromkeys(unknown[:3]))
        reason += f"; not in the training set: {shown}{' ...' if len(unknown) > 3 else ''}"
    return {
        "sent_id": pool[sentence].id or str(sentence + 1),
        "words": len(forms),
        "benefit": 100 * benefit,
        "disagreement": 100 * float(view.uncertainty[words.start : words.stop].mean()),
        "unknown": len(unknown),
        "reason": reason,
    }
