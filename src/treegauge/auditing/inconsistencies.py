"""Words annotated differently from the same words elsewhere, and the candidates of ``map``."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.auditing.variation_nuclei import NucleusWords, Variation, variation
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.tables import Table, make_table
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from treegauge.treebanks.sources.inputs import Input

_SHOWN = 20
_NAMED = 6
_NEIGHBOURS = ("", " and one neighbour", " and both neighbours")
_COLUMNS = ("sent_id", "word", "form", "of", "instead", "p_gold", "p_instead", "score")


@dataclass(frozen=True)
class Inconsistency:
    """One word that may be annotated incorrectly, with the reason.

    `sentence` and `word` count from 1. A suggestion has no head or no relation if the evidence is
    only against the annotated one.
    """

    part: str
    sentence: int
    sent_id: str | None
    word: int
    form: str
    head: int
    deprel: str
    suggested_head: int | None
    suggested_deprel: str | None
    score: float
    reason: str


@dataclass(frozen=True, eq=False)
class Consistency(Result, kind="consistency"):
    """Words that may be annotated incorrectly, sorted by score."""

    words: tuple[Inconsistency, ...]
    signature: str
    all: bool = False

    def __len__(self) -> int:
        return len(self.words)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per word: the work list."""
        kinds: dict[str, Any] = {field.name: field.type for field in fields(Inconsistency)}
        plain = {"sent_id": str, "suggested_head": int, "suggested_deprel": str}
        return make_table([asdict(word) for word in self.words], kinds | plain)

    def shown(self) -> Table:
        """Return the first words, or all, with heads and relations as in DEPS."""
        return [
            {
                "part": word.part,
                "sent_id": word.sent_id or f"#{word.sentence}",
                "word": f"{word.word} {word.form}",
                "annotated": f"{word.head}:{word.deprel}",
                "suggested": _attachment(word.suggested_head, word.suggested_deprel),
                "score": word.score,
                "reason": word.reason,
            }
            for word in (self.words if self.all else self.words[:_SHOWN])
        ]

    def own_text(self) -> str:
        """Return the first words, and the number of words."""
        from treegauge.core.tables import to_text

        if not self.words:
            return f"no word is annotated differently from the same words elsewhere\n{self.signature}"
        rest = 0 if self.all else len(self.words) - _SHOWN
        more = [f"and {rest} more (--all shows them)"] if rest > 0 else []
        return "\n".join([to_text(self.shown()), *more, self.signature])


def _attachment(head: int | None, relation: str | None) -> str:
    if head is None and relation is None:
        return "another head"
    return f"{'?' if head is None else head}:{'?' if relation is None else relation}"


def consistent_parts(subjects: "Sequence[Input | Mapping[str, Treebank]]") -> dict[str, Treebank]:
    """Return the sets of treebanks by name: ``train``, or ``UD_X-Y/train`` if there are several."""
    parts: dict[str, Treebank] = {}
    for number, subject in enumerate(subjects):
        if isinstance(subject, Mapping):
            name, splits = f"treebank {number + 1}", dict(subject)
        elif subject.given is not None or not subject.splits or subject.kind == "conllu":
            name, splits = "", {subject.name: subject.read()}
        else:
            name, splits = subject.name, {split: subject.read(split) for split in subject.splits}
        named = len(subjects) > 1 and name
        parts |= {f"{name}/{split}" if named else split: tb for split, tb in splits.items()}
    return parts


@dataclass(frozen=True)
class _Evidence:
    """Evidence against the annotation of one word."""

    score: float
    reason: str
    head: int | None
    relation: str | None


class _Places:
    """Words of all parts by number: position, form and annotation."""

    def __init__(self, parts: Mapping[str, Treebank]) -> None:
        self.names, self.treebanks = list(parts), list(parts.values())
        sizes = [treebank.n_words for treebank in self.treebanks]
        self.starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self.columns = [(treebank.codes("form"), treebank.codes("deprel")) for treebank in self.treebanks]

    def place(self, word: int) -> tuple[int, int]:
        """Return the number of a word's part, and of the word in that part."""
        part = int(np.searchsorted(self.starts, word, side="right")) - 1
        return part, word - int(self.starts[part])

    def form(self, word: int) -> str:
        part, number = self.place(word)
        codes, values = self.columns[part][0]
        return str(values[codes[number]])

    def position(self, word: int) -> int:
        part, number = self.place(word)
        return int(self.treebanks[part].positions[number])

    def sentence(self, word: int) -> str:
        """Return the name of a word's sentence."""
        part, index = self.place(word)
        number = int(self.treebanks[part].sentence_of[index])
        return self.treebanks[part][number].id or f"{self.names[part]} #{number + 1}"

    def entry(self, word: int, evidence: _Evidence) -> Inconsistency:
        part, index = self.place(word)
        treebank = self.treebanks[part]
        codes, values = self.columns[part][1]
        number = int(treebank.sentence_of[index])
        return Inconsistency(
            self.names[part], number + 1, treebank[number].id, int(treebank.positions[index]),
            self.form(word), int(treebank.head[index]), values[codes[index]],
            evidence.head, evidence.relation, evidence.score, evidence.reason,
        )  # fmt: skip


def _times(number: int) -> str:
    return "once" if number == 1 else "twice" if number == 2 else f"{number} times"


def _explained(places: _Places, nuclei: Variation, row: int, relations: list[str]) -> _Evidence:
    """Describe how a nucleus is annotated elsewhere."""
    word, first = int(nuclei.word[row]), int(nuclei.first[row])
    last = first + int(nuclei.length[row]) - 1
    partner = first if word == last else last
    text = " ".join(places.form(number) for number in range(first, last + 1))
    name = None if nuclei.relation[row] < 0 else relations[int(nuclei.relation[row])]
    one, two = places.form(word), places.form(partner)
    elsewhere = f'"{one}" is {name} of "{two}"' if name else f'"{one}" does not depend on "{two}"'
    alike = int(nuclei.same[row])
    as_here = f", {_times(alike)} as here" if alike else ", never as here"
    reason = (
        f'in the same words elsewhere ("{text}"{_NEIGHBOURS[int(nuclei.shared[row])]}), '
        f"{_times(int(nuclei.other[row]))} {elsewhere}{as_here}; see "
        f"{places.sentence(int(nuclei.example[row]))}"
    )
    head = places.position(partner) if name else None
    return _Evidence(float(nuclei.score[row]), reason, head, name)


def _candidates(path: Source, parts: Mapping[str, Treebank], places: _Places) -> dict[int, Any]:
    """Return the candidates in a file from ``map --candidates-out``, by word number."""
    from pathlib import Path

    from treegauge.core.text_formats import plain_cells

    try:
        table = plain_cells(pl.read_csv(Path(path), schema_overrides={"instead": pl.String, "sent_id": pl.String}))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TreegaugeError(f"{path}: expected a CSV file of candidates; {error}") from error
    if lacking := [name for name in _COLUMNS if name not in table.columns]:
        raise TreegaugeError(
            f"{path}: no column {', '.join(lacking)}; expected a CSV file written by 'treegauge map --candidates-out'"
        )
    starts: dict[str, list[int]] = {}
    for first, treebank in zip(places.starts.tolist(), places.treebanks, strict=False):
        for number, sentence in enumerate(treebank):
            start_of_sentence = first + int(treebank.offsets[number]) - 1
            starts.setdefault(sentence.id or f"#{number + 1}", []).append(start_of_sentence)
    rows: dict[int, Any] = {}
    for row in table.iter_rows(named=True):
        before = starts.get(row["sent_id"] or f"#{row['sentence']}", [])
        words = [start + int(row["word"]) for start in before if start + row["word"] < places.starts[-1]]
        same = [word for word in words if places.form(word) == row["form"]]
        if not same:
            raise TreegaugeError(
                f"{path}: no word {row['word']} '{row['form']}' in sentence {row['sent_id']} of "
                f"{', '.join(parts)}; expected candidates of these treebanks"
            )
        rows[same[0]] = row
    return rows


def _preferred(row: Mapping[str, Any], head: int, relation: str) -> _Evidence:
    """Describe what models prefer to the annotation of a word."""
    head_differs = row["of"] == "head"
    now = f"head {head}" if head_differs else relation
    instead = f"head {row['instead']}" if head_differs else row["instead"]
    reason = (
        f"models trained on other sentences prefer {instead} to {now} "
        f"(probability {row['p_instead']:.2f} and {row['p_gold']:.2f})"
    )
    return _Evidence(
        float(row["score"]),
        reason,
        int(row["instead"]) if head_differs else head,
        relation if head_differs else row["instead"],
    )


def find_inconsistencies(
    parts: Mapping[str, Treebank], *, candidates: Source | None = None, all: bool = False
) -> Consistency:
    """Return words annotated differently from the same words elsewhere, joined with candidates.

    Scores are log-odds, so the two kinds of evidence about a word add up; a word that is not among
    the candidates gets 0 from them.

    The parts are compared with each other and with themselves; `candidates` is a CSV file written by
    ``treegauge map --candidates-out``.

    Examples
    --------
    >>> from treegauge.testing.synthetic import Grammar, synthetic
    >>> twice, wrong = synthetic(40, seed=1), synthetic(40, Grammar(label_noise=0.02), seed=1)
    >>> found = find_inconsistencies({"one": twice, "two": twice, "wrong": wrong})
    >>> {one.part for one in found.words}
    {'wrong'}
    """
    places = _Places(parts)
    words = NucleusWords.of(places.treebanks)
    nuclei = variation(words)
    evidence: dict[int, list[_Evidence]] = {
        int(nuclei.word[row]): [_explained(places, nuclei, row, words.relations)] for row in range(len(nuclei))
    }
    if candidates is not None:
        for word, row in _candidates(candidates, parts, places).items():
            part, number = places.place(word)
            codes, values = places.columns[part][1]
            now = int(places.treebanks[part].head[number]), str(values[codes[number]])
            evidence.setdefault(word, []).append(_preferred(row, *now))
    entries = [places.entry(word, _together(group)) for word, group in sorted(evidence.items())]
    entries.sort(key=lambda one: -one.score)
    marks = "+".join(f"{name}#{treebank.digest[:6]}" for name, treebank in list(parts.items())[:_NAMED])
    more = f"+{len(parts) - _NAMED}" if len(parts) > _NAMED else ""
    signature = sign(
        audit="consistency", parts=marks + more, candidates=None if candidates is None else _digest(candidates)
    )
    return Consistency(tuple(entries), signature, all)


def count_inconsistencies(parts: Mapping[str, Treebank]) -> int:
    """Return the number of words that :func:`find_inconsistencies` finds, without a reason for each."""
    return len(set(variation(NucleusWords.of(list(parts.values()))).word.tolist()))


def _digest(path: Source) -> str:
    import hashlib
    from pathlib import Path

    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:6]


def _together(group: Sequence[_Evidence]) -> _Evidence:
    """Join the evidence against one word; the first suggestion of a head and a relation is used."""
    best = next((evidence for evidence in group if evidence.head is not None), group[0])
    reason = "; ".join(evidence.reason for evidence in group)
    return _Evidence(sum(evidence.score for evidence in group), reason, best.head, best.relation)
