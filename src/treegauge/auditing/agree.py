"""The verb ``agree``: inter-annotator agreement, layer by layer and class by class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import RowsResult, sign
from treegauge.core.tables import Table
from treegauge.core.verbs import verb
from treegauge.scoring.metrics.convention import Convention, find_convention
from treegauge.treebanks.sources.files import Errors

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


#: Number of confusions and disagreements in text; files contain all.
SHOWN = 10


def _with_intervals(rows: Sequence[Any], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows with each interval in one column next to its estimate."""
    shown = []
    for row in rows:
        merged: dict[str, Any] = {}
        for column, value in row.items():
            name = column.rpartition("_")[0]
            if name not in names:
                merged[column] = value
            elif column.endswith("_low"):
                ends = value, row[f"{name}_high"]
                merged[f"{name} interval"] = None if value is None else ends
        shown.append(merged)
    return shown


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(RowsResult, kind="agreement", unit="percent"):
    """Agreement by layer: observed in percent, kappa and alpha as coefficients up to 1.

    Coefficients are missing if chance agreement is perfect or the layer is empty. Intervals are
    missing if there are too few units, or too few with a disagreement.
    """

    notes: tuple[str, ...] = ()
    digits: ClassVar[Any] = {"kappa": 3, "alpha": 3, "kappa interval": 3, "alpha interval": 3}

    def shown(self) -> Table:
        """Return the rows with intervals in one column each."""
        return _with_intervals(self.rows, ("observed", "kappa", "alpha"))

    def json_fields(self) -> dict[str, Any]:
        """Return the notes and the rows."""
        return {"notes": list(self.notes), "rows": self.json_rows()}

    def own_text(self) -> str:
        """Return the table and the notes."""
        from treegauge.core.tables import to_text

        table = to_text(self.shown(), digits=self.digits)
        notes = [note if note.startswith("warning:") else f"note: {note}" for note in self.notes]
        return "\n".join([table, *notes, self.signature])


@dataclass(frozen=True, eq=False, repr=False)
class AgreementPart(RowsResult):
    """A further table; in text it has a title, the first rows, and no signature of its own."""

    title: ClassVar[str] = ""
    estimates: ClassVar[tuple[str, ...]] = ()
    most: ClassVar[int | None] = None

    def shown(self) -> Table:
        """Return the first rows, with intervals of the estimates in one column each."""
        return _with_intervals(self.rows[: self.most], self.estimates)

    def own_text(self) -> str:
        """Return the title and the table."""
        from treegauge.core.tables import to_text

        shown = self.shown()
        if not len(shown):
            return f"{self.title}: none"
        return f"{self.title}\n{to_text(shown, digits=self.digits)}"


@dataclass(frozen=True, eq=False, repr=False)
class AgreementScores(AgreementPart, kind="agreement-scores", unit="percent"):
    """UAS and LAS of every annotator against every other as gold."""

    title: ClassVar[str] = "Attachment scores in both directions"
    estimates: ClassVar[tuple[str, ...]] = ("score",)


@dataclass(frozen=True, eq=False, repr=False)
class AgreementClasses(AgreementPart, kind="agreement-classes", unit="percent"):
    """Agreement on each class: specific agreement in percent, coefficients of class against rest.

    `words` is the mean number of words per annotator that have the class.
    """

    title: ClassVar[str] = "Classes"
    digits: ClassVar[Any] = {**Agreement.digits, "words": 1}
    estimates: ClassVar[tuple[str, ...]] = ("specific", "kappa", "alpha")


@dataclass(frozen=True, eq=False, repr=False)
class Confusions(AgreementPart, kind="annotator-confusions"):
    """How often one annotator chose one value and another a different one, by frequency.

    `count` is the number of words, `reverse` the number with the two values exchanged. A confusion
    in only one direction suggests that the annotators interpret a guideline differently.
    """

    title: ClassVar[str] = "Most frequent confusions"
    most: ClassVar[int | None] = SHOWN


@dataclass(frozen=True, eq=False, repr=False)
class Disagreements(AgreementPart, kind="disagreements"):
    """One row per word and layer in which annotators differ, systematic confusions first.

    `alike` is the number of rows of the same layer in which the annotators chose the same values,
    for heads the same relations; `same_form` is the number of these with the same word form.
    Confusions that are more frequent in one direction, or that repeat for one word form, come
    first.
    """

    title: ClassVar[str] = "Disagreements"
    most: ClassVar[int | None] = SHOWN

    def own_text(self) -> str:
        """Return the first rows, and the number of rows."""
        more = len(self.rows) - SHOWN
        rest = f"\n... and {more} more: -o FILE.csv has all" if more > 0 else ""
        return super().own_text() + rest


#: Column names of the work list, which cannot be names of annotators.
RESERVED = ("sent_id", "word", "file", "line", "form", "layer", "alike", "same_form")


@verb
def agree(
    *annotations: Any,
    by: Sequence[str] | str = (),
    disagreements: bool = False,
    units: Literal["auto", "documents", "sentences"] = "auto",
    level: float = 0.95,
    seed: int = 0,
    convention: str | Convention = "official",
    errors: Errors = "strict",
    allow: Sequence[str] = (),
) -> Agreement:
    """Measure inter-annotator agreement and list the disagreements.

    Needs the same sentences annotated by two or more people. Shows observed agreement, Cohen's
    kappa (Fleiss' kappa for more than two annotators) and Krippendorff's alpha for each layer, with
    confidence intervals. For trees, alpha uses tree edit distance. Also shows UAS and LAS in both
    directions and the most frequent confusions.

    Parameters
    ----------
    *annotations
        Annotated files, one per annotator: PATH or NAME=PATH. Files with the same text may differ
        in sentences and tokens; otherwise sentences are matched by sent_id and may be missing.
    by
        Also show the classes of these layers: upos, xpos, feats or deprel; repeatable.
    disagreements
        Add the disagreements as a work list, systematic ones first; CSV output contains this list.
    units
        Units of resampling: documents, sentences, or auto (documents if the first file marks more
        than one with "# newdoc", else sentences).
    seed
        Seed of the random pairs of trees that give the expected distance.

    Returns
    -------
    Agreement
        The layers are: ends of sentences and tokens (items are tokens and characters), number of
        words per token, the columns, heads (as distances in words), and whole trees. For words,
        items are those that at least two annotators have.

    Examples
    --------
    >>> import treegauge as tg
    >>> first = tg.synthetic(40, seed=1)
    >>> nouns = ["NOUN" if tag == "PROPN" else tag for tag in first["upos"]]
    >>> agreed = agree({"ann": first}, {"bob": first.with_columns({"upos": nouns})})
    >>> agreed.table.filter(layer="upos")["observed"].round(1).item()
    97.7
    """
    from treegauge.auditing.agreement.annotators import lay_side_by_side
    from treegauge.auditing.agreement.layers import CLASSED, confusions
    from treegauge.auditing.agreement.layers import disagreements as work_list
    from treegauge.auditing.agreement.tables import PAIRS, agreement_units, class_table, layer_table, score_table
    from treegauge.core.errors import check_options

    check_options(seed, PAIRS, "pairs", level)
    layers = [by] if isinstance(by, str) else list(by)
    for layer in layers:
        if layer not in CLASSED:
            raise ChoiceError("layer with classes", layer, CLASSED)
    if units not in ("auto", "documents", "sentences"):
        raise ChoiceError("units", units, ("auto", "documents", "sentences"))
    treebanks = _read(annotations, errors, allow)
    convention = find_convention(convention)
    side = lay_side_by_side(treebanks)
    drawn = agreement_units(side, units)
    rows, notes = layer_table(side, drawn, convention, level=level, seed=seed)
    signature = sign(
        m="agreement", tb="+".join(f"{name}#{tb.digest[:6]}" for name, tb in treebanks.items()),
        **convention.signed, errors=errors, allow="+".join(allow) or None,
        ci=f"student@{level:g}", units=drawn.kind, seed=seed,
    )  # fmt: skip
    attached: dict[str, Any] = {
        "scores": AgreementScores(score_table(side, drawn, convention, level), signature),
        "confusions": confusions(side, convention, signature),
    }
    if layers:
        classes = class_table(side, drawn, convention, layers, level)
        attached["classes"] = AgreementClasses(classes, signature)
    if disagreements:
        attached["disagreements"] = work_list(side, convention, signature)
    result = Agreement(rows, signature, notes=(*side.notes, *drawn.notes(level), *notes))
    featured = "disagreements" if disagreements else "classes" if layers else ""
    return result.with_attached(attached, featured=featured)


def _read(annotations: Sequence[Any], errors: Errors, allow: Sequence[str]) -> "dict[str, Treebank]":
    """Return the annotators' treebanks by name."""
    from treegauge.scoring.systems import named_outputs
    from treegauge.treebanks.sources.resolver import read_treebank

    if not annotations:
        raise TreegaugeError("no annotations; expected at least two files of the same sentences")
    named = named_outputs(annotations, treebanks=True)
    for name, sources in named.items():
        if len(sources) > 1:
            raise TreegaugeError(
                f"{len(sources)} files of annotator {name}; expected one file each: join them, or "
                "give names with NAME=PATH"
            )
        if name in RESERVED:
            raise TreegaugeError(
                f"an annotator is called {name!r}, as a column of the work list is; expected another name: NAME=PATH"
            )
    if len(named) < 2:
        raise TreegaugeError(f"one annotation ({', '.join(named)}); expected at least two of the same sentences")
    treebanks = {name: read_treebank(sources[0], errors=errors, allow=allow) for name, sources in named.items()}
    for name, treebank in treebanks.items():
        if not treebank.n_words:
            raise TreegaugeError(f"{name} has no words; expected annotated sentences")
    return treebanks
