"""The expected gain from annotating more sentences, by class, and where the curve flattens."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.core.errors import TreegaugeError, check_whole
from treegauge.core.result import RowsResult, countersign, sign
from treegauge.core.tables import to_text
from treegauge.learning.curves.attachments import Attachments
from treegauge.learning.curves.equivalents import WORDS, Mixture, factor, hit_rate, mix_laws, withheld
from treegauge.learning.curves.score_grid import CurveAnalysis, Floats, ScoreGrid, grid_of, limits, of_treebank
from treegauge.parsing.registry import fit_parser
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.relations import universal_relation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treegauge.learning.training_settings import CurveBands


@dataclass(frozen=True, eq=False)
class Advice(CurveAnalysis):
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
    """

    parser: str
    treebank: str
    have: int
    budget: int
    doubling: float
    worth: float
    flat: float | None
    kind: ClassVar[str] = "advice"
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
            "doubling": self.doubling, "flat": self.flat,
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
            flat,
            *(f"note: {note}" for note in self.notes),
        ]


def expected_gain(
    counts: Attachments, bands: "CurveBands", *, budget: int, have: int | None = None,
    treebank: str | None = None, worth: float = 1.0,
) -> Advice:  # fmt: skip
    """Return the expected gain from more sentences; see :func:`treegauge.curve.advise`."""
    grid = grid_of(of_treebank(counts, treebank))
    if len(grid.treebanks) > 1:
        raise TreegaugeError(f"several treebanks ({', '.join(grid.treebanks)}): choose one with treebank")
    if len(grid.sizes) < 3:
        raise TreegaugeError(f"advice needs at least 3 sizes; got {len(grid.sizes)}")
    now = int(grid.sizes[-1]) if have is None else have
    if budget < 1 or now < grid.sizes[0]:
        raise TreegaugeError(
            f"have {now} and budget {budget}; expected a budget of 1 or more and at least the "
            f"{grid.sizes[0]:g} sentences of the smallest size measured"
        )
    later, curve, share = now + budget, grid.means[0], grid.share[0]
    mixture = mix_laws(grid.sizes, curve[:, 0], grid.variance[0, :, 0], grid.total[0, 0])
    before = mixture.level(now) @ curve
    gain = mixture.level(later) @ curve - before
    beyond = np.maximum(before + gain - 100, 0)
    gain = gain - beyond
    low, high, notes = _interval(grid, mixture, bands, now, later)
    low, high = np.maximum(low + gain, -before), np.minimum(high + gain, 100 - before)
    notes += _cut(grid, beyond)
    columns = {
        "share": share, "now": before, "then": before + gain, "gain": gain, "low": low,
        "high": high, "contribution": share * gain, "contribution_low": share * low,
        "contribution_high": share * high,
    }  # fmt: skip
    rows: list[dict[str, Any]] = [
        {"class": grid.classes[c], "words": int(grid.total[0, c])}
        | {name: float(values[c]) if np.isfinite(values[c]) else None for name, values in columns.items()}
        for c in range(len(grid.classes))
        if c == 0 or grid.total[0, c] >= bands.min_words
    ]
    rows[1:] = sorted(rows[1:], key=lambda row: -row["contribution"])
    doubling = (mixture.level(2 * now) - mixture.level(now)) @ curve[:, 0]
    signature = countersign(
        counts.signature, advice="mixture", parser=grid.parser, on=grid.treebanks[0], have=now,
        budget=budget, worth=worth, **bands.signed,
    )  # fmt: skip
    return Advice(
        signature, tuple(notes), pl.DataFrame(rows, infer_schema_length=None), counts.metric,
        grid.parser, grid.treebanks[0], now, budget, float(doubling), worth,
        mixture.flattening(curve[:, 0], worth),
    )  # fmt: skip


def _interval(
    grid: ScoreGrid, mixture: Mixture, bands: "CurveBands", now: int, later: int
) -> tuple[Floats, Floats, list[str]]:
    """Return the half-width of the interval of each class's gain (NaN if unknown), and notes."""
    curve = grid.means[0]
    nothing = np.full(curve.shape[1], np.nan)
    if later <= grid.sizes[-1]:
        step = mixture.level(later) - mixture.level(now)
        off = np.einsum("s,bsc->bc", step, grid.draws(bands).means[:, 0] - curve)
        return *limits(off, bands.level), [grid.withheld()] if grid.withheld() else []
    notes = [
        f"{later} sentences are more than the {grid.sizes[-1]:g} measured: the gain is "
        "extrapolated (mixture of power laws and the logarithm), for further sentences like these"
    ]
    if why := withheld(grid, later, bands.level):
        return nothing, nothing, [*notes, why]
    error = mixture.error(later, curve, grid.variance[0], np.maximum(grid.total[0], 1))
    half = factor(bands.level, "classes") * error
    half[0] = factor(bands.level) * error[0]
    half[1:][grid.total[0, 1:] < WORDS] = np.nan
    notes.append(f"intervals were {hit_rate()}")
    rare = (grid.total[0, 1:] >= bands.min_words) & (grid.total[0, 1:] < WORDS)
    if rare.any():
        notes.append(f"no interval for classes of fewer than {WORDS} test words")
    return -half, half, notes


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
class ChosenSentences(RowsResult):
    """Sentences to annotate next, in the order of choice, each with its reason.

    `benefit` is the expected number of incorrect words per 100 words to annotate, discounted for
    word forms in earlier choices; `disagreement` the percentage of pairs of parsers that differ,
    averaged over words; `unknown` the number of words that are not in the training set.
    """

    notes: tuple[str, ...] = ()
    kind: ClassVar[str] = "sentences"
    unit: ClassVar[str | None] = "percent"
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
