"""The verb ``triage``: which words of two annotations need no review, and the error that remains."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import RowsResult, sign
from treegauge.core.tables import Table
from treegauge.core.verbs import verb
from treegauge.statistics.student_intervals import StudentEstimate, heavy_tailed_df, jackknife
from treegauge.statistics.units import few_units, units_note, units_of_text
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import document_starts
from treegauge.treebanks.sources.files import Source

THRESHOLDS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.0)
"""Shares of a sentence's words that must agree for those to be accepted, strictest first."""
LEAST_ERRORS = 5
"""Minimum number of units with an error for an interval."""


@dataclass(frozen=True, eq=False, repr=False)
class Triage(RowsResult, kind="triage", unit="percent"):
    """What is accepted at each threshold, the error that it will have, and the work that is left.

    `agreeing` is the smallest share of words, in percent, on which the annotations agree in a
    sentence whose agreeing words are accepted. `error` is the share of accepted words that differ from the
    gold sample; its interval is for the accepted words outside the sample.
    """

    notes: tuple[str, ...] = ()
    digits: ClassVar[Any] = {"hours": 1}

    def shown(self) -> Table:
        """Return the rows with the interval in one column."""
        return [
            {
                **{name: row[name] for name in ("agreeing", "accepted", "error")},
                "error interval": None if row["error_low"] is None else (row["error_low"], row["error_high"]),
                **{name: row[name] for name in ("words", "to_review", "hours", "chosen")},
            }
            for row in self.rows
        ]

    def json_fields(self) -> dict[str, Any]:
        """Return the notes and the rows."""
        return {"notes": list(self.notes), "rows": self.json_rows()}

    def own_text(self) -> str:
        """Return the table and the notes."""
        from treegauge.core.tables import to_text

        notes = [note if note.startswith("warning:") else f"note: {note}" for note in self.notes]
        return "\n".join([to_text(self.shown(), digits=self.digits), *notes, self.signature])


@dataclass(frozen=True, eq=False, repr=False)
class ToReview(RowsResult, kind="to-review"):
    """The words that are not accepted, as items that ``review --findings`` reads."""

    def own_text(self) -> str:
        """Return the number of words, and where they are."""
        return f"{len(self.rows):,} words to review: -o FILE.csv has all"


class Parts(NamedTuple):
    """Counts by unit at one threshold: accepted words of the sample, errors among them, accepted words elsewhere."""

    sampled: npt.NDArray[np.int64]
    errors: npt.NDArray[np.int64]
    rest: npt.NDArray[np.int64]


@verb(limits={"seconds": (1, 3600)})
def triage(
    a: Treebank | Source,
    b: Treebank | Source,
    *,
    gold: Treebank | Source,
    error: float | None = None,
    seconds: int = 10,
    units: str = "auto",
    level: float = 0.95,
) -> Triage:
    """Accept the words on which two annotations agree, and list the others for review.

    A and B are the same sentences with the analyses of two parsers, or of a parser and an annotator.
    A sample of these sentences with gold annotation shows how often words on which they agree (in HEAD
    and DEPREL) are wrong all the same: the error that accepting them leaves in the rest.

    Parameters
    ----------
    a
        The first annotation, whose analyses are accepted.
    b
        The second annotation, of the same sentences and words.
    gold
        Gold annotation of some of the sentences, found by their sent_id: a random sample, best of
        whole documents.
    error
        Largest error, in percent, that accepted words may have. Then words are accepted only in
        sentences in which enough words agree: as few as the upper limit of the error permits.
    seconds
        Time to review a word, for the hours.
    units
        Units of the interval: documents, sentences, or auto (documents if A marks more than one with
        "# newdoc", else sentences).
    level
        Confidence level of the interval, and of the choice by --error.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import treegauge as tg
    >>> from treegauge.testing.simulated_parser import simulated_parse
    >>> text = tg.synthetic(300, seed=1).to_bytes().decode()
    >>> home = pathlib.Path(tempfile.mkdtemp())
    >>> tg.write_conllu(tg.synthetic(300, seed=1).take(range(100)), home / "sample.conllu")
    >>> for seed, name in enumerate("ab"):
    ...     text = simulated_parse(text, seed=seed)
    ...     _ = (home / f"{name}.conllu").write_text(text, encoding="utf-8")
    >>> result = triage(home / "a.conllu", home / "b.conllu", gold=home / "sample.conllu", units="sentences")
    >>> result.rows[0]["error_low"] < result.rows[0]["error"] < result.rows[0]["error_high"]
    True
    """
    from treegauge.treebanks.data.sentence_pairing import sentence_ids
    from treegauge.treebanks.sources.resolver import read_treebank

    if not 0 < level < 1 or (error is not None and not 0 < error < 100):
        raise TreegaugeError(f"expected a level between 0 and 1 and an error in percent, found {level!r} and {error!r}")
    first, second, sample = (read_treebank(source) for source in (a, b, gold))
    if not np.array_equal(first.offsets, second.offsets) or first["form"].to_list() != second["form"].to_list():
        raise TreegaugeError(f"{a} and {b} have different words; expected the same sentences and words in both")
    places = _places(sentence_ids(first), sentence_ids(sample), str(gold))
    chosen_words = np.concatenate([np.arange(*first.offsets[i : i + 2]) for i in places])
    if first["form"].gather(chosen_words).to_list() != sample["form"].to_list():
        raise TreegaugeError(f"{gold}: its sentences have other words than those of {a} with the same sent_id")
    agree = same_analysis(first, second)
    wrong = np.zeros(first.n_words, bool)
    wrong[chosen_words] = ~same_analysis(first, sample, chosen_words)
    in_sample = np.zeros(len(first), bool)
    in_sample[places] = True
    text_units = units_of_text(document_starts(first), units, what="the first annotation")
    unit_of = np.searchsorted(text_units.first, np.arange(len(first)), side="right") - 1
    share = np.add.reduceat(agree.astype(np.int64), first.offsets[:-1]) / np.diff(first.offsets)
    rows, parts = [], []
    for threshold in THRESHOLDS if error is not None else THRESHOLDS[-1:]:
        accepted = agree & (share >= threshold - 1e-12)[first.sentence_of]
        parts.append(counts_by_unit(accepted, wrong, in_sample, first, unit_of))
        rows.append(triage_row(threshold, parts[-1], int((~in_sample)[first.sentence_of].sum()), seconds, level))
    best = chosen_threshold(rows, error)
    for number, row in enumerate(rows):
        row["chosen"] = "yes" if number == best else ""
    notes = [units_note(int((parts[-1].sampled > 0).sum()), text_units.kind, level, text_units.marked)]
    notes += [] if best is not None else [f"no threshold keeps the upper limit below {error:g} %: review all words"]
    least = few_units(int((parts[-1].sampled > 0).sum()), text_units.kind)
    signature = sign(
        m="triage", tb="+".join(tb.digest[:6] for tb in (first, second, sample)), error=error, seconds=seconds,
        ci=f"student@{level:g}", units=text_units.kind,
    )  # fmt: skip
    accept = np.zeros(len(agree), bool)
    if best is not None:
        accept = agree & (share >= THRESHOLDS[best if error is not None else -1] - 1e-12)[first.sentence_of]
    asked = ~accept & ~in_sample[first.sentence_of]
    review = ToReview(_to_review(first, second, np.flatnonzero(asked)), signature)
    result = Triage(rows, signature, notes=tuple(filter(None, (*notes, least))))
    return result.with_attached({"to_review": review}, featured="to_review")


def _places(ids: Sequence[str | None], wanted: Sequence[str | None], gold: str) -> list[int]:
    """Return the sentences of the sample among all."""
    where = {name: number for number, name in enumerate(ids) if name is not None}
    if missing := [name for name in wanted if name not in where]:
        raise TreegaugeError(f"{gold}: sentence {missing[0]!r} is not in the annotations; expected their sent_ids")
    places = [where[name] for name in wanted if name is not None]
    if not places or len(set(places)) < len(places):
        raise TreegaugeError(f"{gold}: expected at least one sentence, each once")
    return places


def same_analysis(one: Treebank, other: Treebank, words: npt.NDArray[np.intp] | None = None) -> npt.NDArray[np.bool_]:
    """Whether words have the same HEAD and DEPREL; `words` are those of `one`."""
    relations, heads = one["deprel"], one.head
    if words is not None:
        relations, heads = relations.gather(words), heads[words]
    return np.asarray((relations == other["deprel"]).to_numpy() & (heads == other.head))


def counts_by_unit(
    accepted: npt.NDArray[np.bool_], wrong: npt.NDArray[np.bool_], in_sample: npt.NDArray[np.bool_],
    treebank: Treebank, unit_of: npt.NDArray[np.intp],
) -> Parts:  # fmt: skip
    """Count accepted words of the sample, errors among them, and accepted words elsewhere, by unit."""
    unit, inside = unit_of[treebank.sentence_of], in_sample[treebank.sentence_of]
    number = int(unit_of[-1]) + 1
    masks = (accepted & inside, accepted & inside & wrong, accepted & ~inside)
    return Parts(*(np.bincount(unit[mask], minlength=number) for mask in masks))


def expected_error(parts: Parts) -> StudentEstimate:
    r"""Return the error of the accepted words outside the sample.

    The estimate is the share of errors among the accepted words of the sample; its variance over units is
    that of the jackknife. The rest will differ from it by the chance of both: of the units in the sample, and of
    those in the rest. With :math:`N` accepted words in the sample and :math:`M` in the rest,

    .. math:: se^2 = se_J^2 (1 + N / M)

    Fewer than ten units, or five with an error, have no standard error.
    """
    kept = parts.sampled > 0
    counts, errors = parts.sampled[kept], parts.errors[kept]
    rest = int(parts.rest.sum())
    if not (len(counts) and rest):
        share = errors.sum() / counts.sum() if len(counts) else np.nan
        return StudentEstimate(np.array(share), np.array(np.nan), np.array(1.0))
    ratio = jackknife(np.stack([errors, counts], 1), lambda sums: sums[..., [0]] / sums[..., [1]], counts)
    wider = ratio.standard_error[0] * np.sqrt(1 + counts.sum() / rest)
    df = np.minimum(ratio.df[0], heavy_tailed_df(errors - ratio.value[0] * counts))
    estimate = StudentEstimate(ratio.value[0], wider, df)
    return estimate.limited(np.array(int((errors > 0).sum())), LEAST_ERRORS)


def triage_row(threshold: float, parts: Parts, rest: int, seconds: int, level: float) -> dict[str, Any]:
    """Return what is accepted at a threshold, its error, and the work left; `rest` counts the words to judge."""
    estimate = expected_error(parts)
    low, high = (float(limit) for limit in estimate.interval(level, share=True))
    accepted = int(parts.rest.sum())
    known = np.isfinite(low)
    return {
        "agreeing": 100 * threshold, "accepted": 100 * accepted / rest if rest else None,
        "error": 100 * float(estimate.value) if parts.sampled.sum() else None,
        "error_low": 100 * low if known else None, "error_high": 100 * high if known else None,
        "words": accepted, "to_review": rest - accepted, "hours": accepted * seconds / 3600,
    }  # fmt: skip


def chosen_threshold(rows: list[dict[str, Any]], error: float | None) -> int | None:
    """Return the last threshold before the upper limit of the error exceeds what is allowed.

    Thresholds are tried from the strictest on, so that their number needs no correction. Those with too few
    errors for an interval are passed over.
    """
    if error is None:
        return 0
    best = None
    for number, row in enumerate(rows):
        if row["error_high"] is not None:
            if row["error_high"] > error:
                break
            best = number
    return best


def _to_review(first: Treebank, second: Treebank, words: npt.NDArray[np.intp]) -> list[dict[str, Any]]:
    """Return one row per word in the columns of a work list: the second analysis is the proposal for the first."""
    from treegauge.auditing.work_items import write_values
    from treegauge.treebanks.data.sentence_pairing import sentence_ids

    ids, forms = sentence_ids(first), first["form"].to_list()
    sides = [(one.head, one["deprel"].to_list()) for one in (first, second)]
    rows = []
    for word in words.tolist():
        sentence = int(first.sentence_of[word])
        mine, other = ({"head": int(heads[word]), "deprel": relations[word]} for heads, relations in sides)
        differing = [name for name in mine if mine[name] != other[name]]
        reason = "the second annotation differs" if differing else "the annotations agree, but seldom in this sentence"
        rows.append(
            {
                "kind": "parser", "sentence": sentence + 1, "sent_id": ids[sentence],
                "word": word - int(first.offsets[sentence]) + 1, "form": forms[word],
                "annotated": write_values({name: mine[name] for name in differing}),
                "proposed": write_values({name: other[name] for name in differing}),
                "reason": reason, "score": float(bool(differing)),
            }
        )  # fmt: skip
    return rows
