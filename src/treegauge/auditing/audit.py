"""The verb ``audit``: problems that make scores on a treebank misleading."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.core.verbs import verb
from treegauge.treebanks.sources.files import Errors, Source

if TYPE_CHECKING:
    from treegauge.auditing.inconsistencies import Consistency
    from treegauge.auditing.leaks import Leaks
    from treegauge.auditing.near_duplicates import Texts
    from treegauge.auditing.profile import Cards
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.sources.inputs import Input

#: The number of random splits that the real splits are compared with.
RESAMPLES = 999
Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
Fail = Literal["error", "warning", "never"]
Only = Literal["leaks", "consistency", "card"]


def fails(levels: Iterable[Severity], fail: Fail) -> int:
    """Return the exit code: 1 if any of these levels is at least the one that fails."""
    grave = () if fail == "never" else SEVERITIES[: SEVERITIES.index(fail) + 1]
    return int(any(level in grave for level in levels))


def number_with_noun(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural if necessary."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True)
class Finding:
    """The result of one check: a message, and where to look.

    An ``"error"`` means that scores on this data mislead, a ``"warning"`` should be examined. The
    p-value, if there is one, is from a comparison with random splits of these units.
    """

    check: str
    level: Severity
    split: str
    value: float
    message: str
    examples: tuple[str, ...] = ()
    p_value: float | None = None
    units: str | None = None

    def __str__(self) -> str:
        examples = f" ({', '.join(self.examples)})" if self.examples else ""
        return f"{self.level}: {self.check}: {self.split}: {self.message}{examples}"


@dataclass(frozen=True, eq=False)
class Audit(Result, kind="audit"):
    """The findings of an audit, the most severe first; text shows the notes only with `all`.

    An audit of one thing `only` has no findings: its list or card is in :attr:`leaks`,
    :attr:`consistency` or :attr:`card`, and it prints and is saved as this.
    """

    treebank: str
    findings: tuple[Finding, ...]
    signature: str
    fail: Fail = "error"
    all: bool = False
    only: Only | None = None

    @classmethod
    def of_part(cls, only: Only, part: Result, treebank: str) -> "Audit":
        """Return an audit of one thing only."""
        return cls(treebank, (), part.signature, only=only, attached={only: part}, featured=only)

    def _part(self, name: Only) -> Any:
        if name not in self.attached:
            raise TreegaugeError(f"this audit has no {name}; expected audit(..., only={name!r}), --only {name}")
        return self.attached[name]

    @property
    def leaks(self) -> "Leaks":
        """Train/test overlap and duplicates, with the pairs of sentences."""
        return cast("Leaks", self._part("leaks"))

    @property
    def consistency(self) -> "Consistency":
        """Words that are attached differently from the same words elsewhere."""
        return cast("Consistency", self._part("consistency"))

    @property
    def card(self) -> "Cards":
        """The profile of each treebank."""
        return cast("Cards", self._part("card"))

    def each(self) -> Iterator[Result]:
        """Yield the audit; of an audit of one thing only that list or card with its parts."""
        yield from self._part(self.only).each() if self.only else super().each()

    def to_dict(self) -> dict[str, Any]:
        """Return the findings, or the list or card, as ``--format json`` prints them."""
        return dict(self._part(self.only).to_dict()) if self.only else super().to_dict()

    @property
    def table(self) -> "pl.DataFrame":
        """One row per finding, or the table of the list or card."""
        if self.only:
            return cast("pl.DataFrame", self._part(self.only).table)
        kinds = dict.fromkeys(("check", "level", "split"), str) | dict.fromkeys(("value", "p_value"), float)
        rows = [{**asdict(finding), "examples": " ".join(finding.examples)} for finding in self.findings]
        return make_table(rows, {**kinds, "message": str, "examples": str, "units": str})

    def count(self, level: Severity) -> int:
        """Return the number of findings of a level."""
        return sum(finding.level == level for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """Exit code of the command: 1 if there are findings at the level that fails."""
        if self.only:
            return int(self._part(self.only).exit_code)
        return fails((finding.level for finding in self.findings), self.fail)

    def json_fields(self) -> dict[str, Any]:
        """Return the treebank, counts by level, and the findings."""
        counts = {level: self.count(level) for level in SEVERITIES}
        rows = [{**asdict(finding), "examples": list(finding.examples)} for finding in self.findings]
        return {"treebank": self.treebank, "counts": counts, "rows": rows}

    def own_text(self) -> str:
        """Return errors, warnings, notes (if `all` is set), and the counts."""
        lines = [str(finding) for finding in self.findings if self.all or finding.level != "note"]
        counts = ", ".join(number_with_noun(self.count(level), level) for level in SEVERITIES)
        hint = " (--all shows them)" if self.count("note") and not self.all else ""
        return "\n".join([*lines, f"{self.treebank}: {counts}{hint}", self.signature])


def read_audit(path: Source) -> Audit:
    """Read the findings that ``audit -o FILE.json`` saved."""
    from treegauge.core.reading import read_saved

    def made(content: dict[str, Any]) -> Audit:
        rows = [{**row, "examples": tuple(row["examples"])} for row in content["rows"]]
        return Audit(content["treebank"], tuple(Finding(**row) for row in rows), content["signature"])

    return read_saved(path, Audit.kind, "treegauge audit TREEBANK --out FILE.json", made)


@verb
def audit(
    *treebanks: "Source | Treebank | Mapping[str, Treebank]",
    against: Sequence[Source] = (),
    only: Only | None = None,
    similarity: float = 0.7,
    candidates: Source | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    fail: Fail = "error",
    all: bool = False,
    errors: Errors = "strict",
) -> Audit:
    """Find train/test overlap, duplicates, missing layers and unusual splits in treebanks.

    Errors mean that scores on this data mislead, warnings should be examined, and notes list checks
    with expected results.

    Parameters
    ----------
    *treebanks
        Treebank folders such as UD_Greek-GDT, their names or codes, or splits by name.
    against
        Training data in which to look for the treebanks' sentences: treebanks, CoNLL-U files, or
        plain text with one sentence per line.
    only
        Show one thing only, also of single CoNLL-U files: leaks lists sentences that occur twice,
        consistency words that are attached differently from the same words elsewhere, both within
        and across the treebanks; card summarises each treebank (size, layers, validity,
        consistency, leaks and difficulty), several in a table.
    similarity
        Minimum similarity of near-duplicates: 1 - edit distance / length of the longer sentence, in
        characters; 1 finds only equal sentences.
    candidates
        A CSV file written by ``map --candidates-out``, to be joined with the list of
        inconsistent words.
    resamples
        Number of random splits to compare with each real one; 0 for no comparison.
    fail
        The lowest level that gives exit code 1.
    all
        Show the notes, all sentences that occur twice, and all inconsistent words.

    Examples
    --------
    >>> import treegauge as tg
    >>> train = tg.synthetic(60, seed=1)
    >>> test = tg.concat([tg.synthetic(20, seed=2), train[:5]])
    >>> found = audit({"train": train, "test": test}, resamples=99)
    >>> found.table.select("check", "level", "value").row(0)
    ('leak', 'error', 4.0)
    """
    from treegauge.auditing.inconsistencies import consistent_parts, find_inconsistencies
    from treegauge.auditing.leaks import find_leaks, input_texts, split_texts, training_texts
    from treegauge.core.errors import check_whole

    if fail not in ("error", "warning", "never"):
        raise ChoiceError("level to fail at", fail, ("error", "warning", "never"))
    check_whole("seed", seed)
    check_whole("resamples", resamples)
    if only not in (None, "leaks", "consistency", "card"):
        raise ChoiceError("part of an audit", only, ("leaks", "consistency", "card"))
    if candidates is not None and only != "consistency":
        raise TreegaugeError("--candidates needs --only consistency, whose list they are joined with")
    if against and only == "consistency":
        raise TreegaugeError("--against is for leaks and cards; --only consistency compares TREEBANKS: add them there")
    subjects = _subjects(treebanks, errors)
    several = len(subjects) > 1
    title = f"{len(subjects)} treebanks" if several else _label(subjects[0], True)
    if only == "consistency":
        found = find_inconsistencies(consistent_parts(subjects), candidates=candidates, all=all)
        return Audit.of_part(only, found, title)
    given = training_texts(against, errors=errors)
    if only == "card":
        from treegauge.auditing.profile import make_cards

        cards = make_cards(subjects, against=given, similarity=similarity)
        return Audit.of_part(only, cards, title)
    if only == "leaks":
        parts = [
            text
            for subject in subjects
            for text in (
                split_texts(subject, _label(subject, several))
                if isinstance(subject, Mapping)
                else input_texts(subject, named=several)
            )
        ]
        training = range(len(parts), len(parts) + len(given))
        leaks = find_leaks([*parts, *given], training, similarity=similarity, fail=fail, all=all)
        return Audit.of_part(only, leaks, title)
    return audit_treebanks(
        subjects, given, similarity=similarity, resamples=resamples, seed=seed,
        fail=fail, all=all, errors=errors,
    )  # fmt: skip


def audit_treebanks(
    subjects: "Sequence[Input | Mapping[str, Treebank]]",
    given: "Sequence[Texts]" = (),
    *,
    similarity: float = 0.7,
    name: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    fail: Fail = "error",
    all: bool = False,
    errors: Errors = "strict",
) -> Audit:
    """Return the findings in treebanks; `given` are texts of training data to search, `name` is the title.

    The other parameters are those of :func:`treegauge.audit`.
    """
    from treegauge.auditing.audit_checks import check_splits, check_treebank
    from treegauge.auditing.leaks import named_parts, overlaps, split_texts
    from treegauge.auditing.near_duplicates import find_matches

    several = len(subjects) > 1
    findings: list[Finding] = []
    parts: list[Texts] = []
    for subject in subjects:
        splits = _splits(subject)
        label = _label(subject, several)
        splits_findings = list(check_treebank(splits))
        if resamples:
            splits_findings += check_splits(splits, resamples=resamples, seed=seed)
        findings += [replace(f, split=f"{label}/{f.split}") for f in splits_findings] if label else splits_findings
        parts += split_texts(splits, label)
    training = range(len(parts), len(parts) + len(given))
    matches = find_matches([*parts, *given], similarity=similarity, training=training)
    # Duplicates within training data are not reported.
    findings += [overlap.finding() for overlap in overlaps(matches, training) if overlap.part not in given]
    findings.sort(key=lambda finding: SEVERITIES.index(finding.level))
    title = name or (f"{len(subjects)} treebanks" if several else _label(subjects[0], True))
    kinds = {finding.units for finding in findings if finding.units}
    signature = sign(
        audit=title, splits=named_parts(parts), against=named_parts(given) or None,
        similarity=similarity, resamples=resamples, units=kinds.pop() if len(kinds) == 1 else "auto", seed=seed,
        errors=errors,
    )  # fmt: skip
    return Audit(title, tuple(findings), signature, fail, all)


def _subjects(
    treebanks: "Sequence[Source | Treebank | Mapping[str, Treebank]]", errors: Errors
) -> "list[Input | Mapping[str, Treebank]]":
    """Return the treebanks to audit: inputs, or mappings of splits."""
    from treegauge.treebanks.sources.inputs import recognise_treebanks

    if not treebanks:
        raise TreegaugeError("no treebank to audit; give treebank folders, names or codes")
    sources = [treebank for treebank in treebanks if not isinstance(treebank, Mapping)]
    inputs = recognise_treebanks(sources, errors=errors) if sources else []
    return [*(treebank for treebank in treebanks if isinstance(treebank, Mapping)), *inputs]


def _label(subject: "Input | Mapping[str, Treebank]", wanted: bool) -> str:
    if not wanted:
        return ""
    return "treebank" if isinstance(subject, Mapping) else subject.name


def _splits(subject: "Input | Mapping[str, Treebank]") -> "Mapping[str, Treebank]":
    """Return the splits of a treebank."""
    if isinstance(subject, Mapping):
        return subject
    if subject.kind != "treebank" or not subject.splits:
        raise TreegaugeError(
            f"{subject.path}: expected the folder of a treebank, with files whose names end in "
            "-train.conllu, -dev.conllu or -test.conllu; --only leaks takes single files, too"
        )
    return {split: subject.read(split) for split in subject.splits}
