"""Items of a work list: one format for everything that a person should look at, and decisions about them.

A list is a table with the columns :data:`COLUMNS`, as TSV, CSV or JSON. A decision is a row of the same
table with ``accept``, ``reject`` or ``skip`` in the column ``decision``, so two people can fill in copies
of one file and merge them. A row is recognised in another release by its sentence (``sent_id``, or
``text``, a checksum of the characters) and its ``key``, a checksum of the word, its annotation and the proposal
that has no positions.
"""

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.auditing.changes.unified_diff import FileText
from treegauge.core.errors import ChoiceError, TreegaugeError, one_line
from treegauge.treebanks.data.sentence_pairing import sentence_ids, sentence_texts
from treegauge.treebanks.data.trees import is_tree
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

FIELDS = {"lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "head": 6, "deprel": 7}
"""The columns of CoNLL-U that an item can change, by their place in a line."""
DECISIONS = ("accept", "reject", "skip")
COLUMNS: dict[str, type] = {
    "kind": str, "file": str, "line": int, "sentence": int, "sent_id": str, "text": str, "key": str,
    "word": int, "form": str, "annotated": str, "proposed": str, "reason": str, "score": float,
    "decision": str, "edit": str, "who": str, "comment": str,
}  # fmt: skip
"""The columns of a work list and their types; only text after ``score`` is a person's."""
_PERSONAL = ("decision", "edit", "who", "comment")

#: What is known of a word that no source lists: log-odds that a later release corrects its head or relation.
_BASE = -3.81
#: What each source adds. Errors and warnings are those of validation and own checks; parsers and annotators, which
#: could not be measured, count as candidates. ``python -m studies.corrections.work_list choose`` estimates all of them.
_SOURCES = {
    "candidates": 0.72, "candidates of a head": 0.57, "parser": 0.72, "annotator": 0.72, "consistency": 0.52,
    "duplicates": 0.41, "error": 2.89, "warning": -1.75,
}  # fmt: skip
#: What a source with scores adds per doubling of the rank in it, in ranks per 1,000 words.
_DOUBLED, _RANKED = -0.14, ("candidates", "parser", "annotator")
#: What a test of validation adds to that it is an error or a warning.
_TESTS = {
    "fixed-without-extpos": -0.23, "leaf-aux-cop": 0.35, "leaf-cc": 0.36, "leaf-det": -0.28, "leaf-fixed": -0.05,
    "leaf-mark-case": -0.06, "leaf-punct": 0.34, "obl-should-be-nmod": -0.7, "pron-det-without-prontype": -0.32,
    "punct-causes-nonproj": 1.71, "punct-is-nonproj": 1.52, "rel-upos-advmod": -0.2, "rel-upos-aux": 0.51,
    "rel-upos-case": -0.18, "rel-upos-cc": -0.13, "rel-upos-cop": 0.53, "rel-upos-det": -1.54,
    "rel-upos-expl": -0.04, "rel-upos-fixed": -0.08, "rel-upos-nummod": 0.03, "rel-upos-punct": 0.14,
    "too-many-objects": -0.73, "too-many-subjects": -1.32, "upos-rel-punct": 0.42, "verbform-fin-without-mood": 0.09,
}  # fmt: skip


@dataclass(frozen=True)
class WorkItem:
    """A word, or a sentence (`word` 0), that a person should look at.

    Attributes
    ----------
    kind
        What found it: candidates, consistency, parser, annotator, duplicates, check or own check; several
        are joined with ``+``.
    file, line, sentence
        Its place; lines and sentences count from 1 in the file.
    sent_id, text, key
        By which it is recognised in another release.
    word, form
        The word: its position in the sentence, and its form.
    annotated, proposed
        The annotation and the proposal, such as ``head=3 deprel=obl``; without a proposal both are empty.
    reason, score
        Why it is listed. Scores order the list; they are not probabilities.
    decision, edit, who, comment
        What a person decided: accept, reject or skip; `edit` is what was accepted instead of the proposal.
    """

    kind: str
    file: str
    line: int
    sentence: int
    sent_id: str
    text: str
    key: str
    word: int
    form: str
    annotated: str
    proposed: str
    reason: str
    score: float
    decision: str = ""
    edit: str = ""
    who: str = ""
    comment: str = ""

    @property
    def changes(self) -> dict[str, str]:
        """The values to write if the item is accepted, by column."""
        return parse_values(self.edit or self.proposed)

    def to_row(self) -> dict[str, Any]:
        """Return the row of the table."""
        return {name: getattr(self, name) for name in COLUMNS}


def write_values(values: Mapping[str, str | int]) -> str:
    """Return values by column as one cell.

    Examples
    --------
    >>> write_values({"head": 3, "deprel": "obl"}), write_values({"lemma": "a = b"})
    ('head=3 deprel=obl', 'lemma=a = b')
    """
    return " ".join(f"{name}={value}" for name, value in values.items())


def parse_values(cell: str) -> dict[str, str]:
    """Return what :func:`write_values` wrote: head and relation together, other columns alone.

    Examples
    --------
    >>> parse_values("head=3 deprel=obl"), parse_values("lemma=a = b"), parse_values("")
    ({'head': '3', 'deprel': 'obl'}, {'lemma': 'a = b'}, {})
    """
    parts = cell.split(" ") if cell.startswith(("head=", "deprel=")) else [cell] if cell else []
    values = {name: value for name, mark, value in (part.partition("=") for part in parts) if mark}
    if len(values) < len(parts) or not values.keys() <= FIELDS.keys() or "" in values.values():
        raise TreegaugeError(f"found {cell!r}; expected values such as 'head=3 deprel=obl' or 'upos=NOUN'")
    if not values.get("head", "0").isdecimal():
        raise TreegaugeError(f"found head {values['head']!r}; expected the position of a word, or 0 for the root")
    return values


@dataclass(frozen=True, eq=False)
class WorkFile:
    """A CoNLL-U file whose words are to be looked at: its bytes and its treebank."""

    source: FileText
    treebank: "Treebank"

    @property
    def name(self) -> str:
        """The file's name, which items and diffs have."""
        return self.source.name

    @cached_property
    def ids(self) -> list[str]:
        """The sent_id of each sentence, or ``#`` and its number."""
        return [name or f"#{number}" for number, name in enumerate(sentence_ids(self.treebank), 1)]

    @cached_property
    def texts(self) -> list[str]:
        """A checksum of the characters of each sentence."""
        return [hashlib.blake2b(text, digest_size=4).hexdigest() for text in sentence_texts(self.treebank)]

    @cached_property
    def columns(self) -> dict[str, list[str]]:
        """Forms and the columns that items can change, as texts."""
        return {name: self.treebank[name].to_list() for name in ("form", *FIELDS) if name != "head"}

    def values(self, number: int, names: Iterable[str]) -> dict[str, str]:
        """Return the annotation of a word in these columns."""
        head = str(int(self.treebank.head[number]))
        return {name: head if name == "head" else self.columns[name][number] for name in names}

    def item(
        self, kind: str, number: int, proposed: Mapping[str, str | int], reason: str, score: float,
        *, about: str = "", whole: bool = False,
    ) -> WorkItem:  # fmt: skip
        """Return an item for a word, by its number in the treebank.

        `about` names a finding without a proposal, such as a test; with `whole` the finding is about the sentence.
        """
        sentence = int(self.treebank.sentence_of[number])
        start, stop = self.treebank.offsets[sentence : sentence + 2].tolist()
        forms = self.columns["form"][start:stop]
        annotated = self.values(number, proposed)
        changed = {name: str(value) for name, value in proposed.items() if annotated[name] != str(value)}
        annotated = {name: annotated[name] for name in changed}

        def named(position: int) -> tuple[str, int]:
            """Return a word's form, and which of the words with this form it is."""
            inside = 0 < position <= len(forms)
            form = forms[position - 1] if inside else ""
            return form, forms[:position].count(form) if inside else min(position, 0)

        def portable(values: Mapping[str, str]) -> list[Any]:
            return sorted((name, named(int(one)) if name == "head" else one) for name, one in values.items())

        word = 0 if whole else number - start + 1
        identity = [named(word), portable(annotated), portable(changed), about]
        key = hashlib.blake2b(json.dumps(identity).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
        return WorkItem(
            kind, self.name, self.treebank.line(int(self.treebank.rows[number])), sentence + 1, self.ids[sentence],
            self.texts[sentence], key, word, "" if whole else forms[word - 1], write_values(annotated),
            write_values(changed), one_line(reason), float(score),
        )  # fmt: skip

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The first word of the sentences with each sent_id."""
        places = defaultdict(list)
        for name, start in zip(self.ids, self.treebank.offsets.tolist(), strict=False):
            places[name].append(start)
        return places


def locate(files: Sequence[WorkFile], row: Mapping[str, Any]) -> tuple[WorkFile, int] | None:
    """Return the file and the number of the word in a row: its sent_id (or sentence), position and form."""
    word = max(int(row.get("word") or 1), 1)
    name = str(row.get("sent_id") or f"#{row.get('sentence')}")
    for file in files:
        for start in file.places.get(name, ()):
            end = file.treebank.offsets[int(file.treebank.sentence_of[start]) + 1]
            number = start + word - 1
            if number < end and row.get("form") in (None, "", file.columns["form"][number]):
                return file, number
    return None


def fused(groups: Iterable[Sequence[WorkItem]], words: int) -> list[WorkItem]:
    r"""Join the lists of several sources into one, the items that are corrected most often first.

    The score of an item is the estimated chance that a later release corrects the word's head or relation,

    .. math:: 1 / (1 + e^{-(b + \sum_s w_s)})

    with the weights of all sources that list the word, whatever they propose; a source with scores weighs less the
    further down the word is. The weights are from corrections in five treebanks, so the chances of another
    treebank are others; the order is what they are for. Equal scores are in the order of the sources. Items are
    joined if they are of the same word and propose the same, or have no proposal and the same finding.

    Parameters
    ----------
    groups
        One list per source.
    words
        The number of words of the treebank.

    Examples
    --------
    >>> a = WorkItem("check", "f", 1, 1, "s", "t", "k1", 1, "go", "", "", "error leaf-cc: found cc", 9.0)
    >>> b = replace(a, kind="candidates", key="k2", proposed="deprel=cc", reason="two", score=0.5)
    >>> [(one.kind, round(one.score, 2)) for one in fused([[a], [b, replace(b, word=2, line=2)]], 1000)]
    [('check', 0.49), ('candidates', 0.49), ('candidates', 0.04)]
    """
    joined: dict[tuple[str, int, str], WorkItem] = {}
    places: dict[tuple[str, int, str], float] = {}
    known: dict[tuple[str, int, int], dict[str, float]] = defaultdict(dict)
    for group in groups:
        scores = np.array([item.score for item in group], np.float64)
        _, which, counts = np.unique(-scores, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(counts) - (counts - 1) / 2)[which]
        listed: set[tuple[str, int, str]] = set()
        for item, rank in zip(group, ranks.tolist(), strict=True):
            place = item.file, item.line, item.key
            evidence = known[item.file, item.sentence, item.word]
            for source, weight in _weights(item, rank, words).items():
                evidence[source] = max(weight, evidence.get(source, weight))
            if place in listed:  # a source counts once
                continue
            listed.add(place)
            places[place] = min(rank, places.get(place, rank))
            if (same := joined.get(place)) is None:
                joined[place] = item
            else:
                kinds = dict.fromkeys([*same.kind.split("+"), *item.kind.split("+")])
                joined[place] = replace(same, kind="+".join(kinds), reason=f"{same.reason}; {item.reason}")
    items = []
    for place, item in joined.items():
        evidence = known[item.file, item.sentence, item.word]
        if "error" in evidence:  # a warning as well says nothing more
            evidence.pop("warning", None)
        chance = 1 / (1 + math.exp(-(_BASE + sum(evidence.values()))))
        items.append((-chance, -len(item.kind.split("+")), places[place], place, replace(item, score=chance)))
    return [item for *_, item in sorted(items, key=lambda one: one[:4])]


def _weights(item: WorkItem, rank: float, words: int) -> dict[str, float]:
    """Return what an item says about its word, by source; the reason of a check begins with level and test."""
    weights: dict[str, float] = {}
    for kind in item.kind.split("+"):
        if kind == "own check":  # never seen in corrections: it counts as a candidate
            weights[kind] = _SOURCES["candidates"]
        elif kind == "check":
            level, _, test = item.reason.partition(":")[0].partition(" ")
            weights[level if level in _SOURCES else "error"] = _SOURCES.get(level, _SOURCES["error"])
            weights[test] = _TESTS.get(test, 0.0)
        elif kind in _SOURCES:
            slope = _DOUBLED * math.log2(1 + 1000 * rank / max(words, 1)) if kind in _RANKED else 0.0
            weights[kind] = _SOURCES[kind] + slope
            if kind == "candidates" and "head" in item.changes:
                weights["candidates of a head"] = _SOURCES["candidates of a head"]
    return weights


def read_rows(source: Any) -> list[dict[str, Any]]:
    """Return the rows of a table: a file (TSV, CSV, JSON) or a result; missing cells are empty."""
    from treegauge.core.reading import read_file, result_table
    from treegauge.core.result import Result

    table = result_table(source) if isinstance(source, Result) else read_file(source)
    cells = ["" if cell is None else cell for _, row in table.rows for cell in row]
    width = len(table.header)
    return [dict(zip(table.header, cells[i : i + width], strict=True)) for i in range(0, len(cells), width or 1)]


@dataclass
class DecisionBook:
    """The decisions of one or more people, by item.

    The last decision of a person about an item counts. Two people agree if they decided the same; otherwise the
    item is open again, with what each of them said.
    """

    rows: list[dict[str, str]]

    @classmethod
    def read(cls, paths: Sequence[Source]) -> "DecisionBook":
        """Read files of decisions; a row without ``who`` is by the file's name."""
        rows = []
        for path in paths:
            for row in read_rows(path):
                plain = {name: str(row.get(name, "")) for name in COLUMNS}
                if not plain["decision"] and not plain["comment"]:
                    continue
                if plain["decision"] not in ("", *DECISIONS):
                    raise ChoiceError(f"decision in {path}", plain["decision"], DECISIONS)
                if not plain["key"] or not (plain["sent_id"] or plain["text"]):
                    raise TreegaugeError(f"{path}: a decision without key and sentence; expected a saved work list")
                try:
                    parse_values(plain["edit"])
                except TreegaugeError as error:
                    raise TreegaugeError(f"{path}, sentence {plain['sent_id']}: {error}") from None
                plain["who"] = plain["who"] or Path(path).stem
                rows.append(plain)
        return cls(rows)

    def applied(self, items: Iterable[WorkItem]) -> list[WorkItem]:
        """Return the items with their decisions."""
        said: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
        for row in self.rows:
            for place in {row["sent_id"], f"text {row['text']}"}:
                said[place, row["key"]].append(row)
        return [
            _decided(item, said.get((item.sent_id, item.key)) or said.get((f"text {item.text}", item.key)) or [])
            for item in items
        ]

    def others(self, items: Iterable[WorkItem]) -> list[dict[str, str]]:
        """Return the decisions about items that are not listed now, which a merged file keeps."""
        listed = {(place, item.key) for item in items for place in (item.sent_id, f"text {item.text}")}
        return [
            row
            for row in self.rows
            if (row["sent_id"], row["key"]) not in listed and (f"text {row['text']}", row["key"]) not in listed
        ]


def _decided(item: WorkItem, rows: Sequence[Mapping[str, str]]) -> WorkItem:
    """Return an item with the decisions of one or more people about it."""
    people = {row["who"]: row for row in rows}
    if not people:
        return item
    who, comments = "+".join(sorted(people)), dict.fromkeys(row["comment"] for row in people.values())
    comment = "; ".join(filter(None, comments))
    firm = [row for row in people.values() if row["decision"] in ("accept", "reject")]
    verdicts = {(row["decision"], row["edit"]) for row in firm or people.values()}
    if len(verdicts) > 1:
        choices = ", ".join(
            f"{name}: {row['decision']} {row['edit']}".strip() for name, row in sorted(people.items()) if row in firm
        )
        return replace(item, who=who, comment=comment, reason=f"{item.reason}; decided differently ({choices})")
    ((decision, edit),) = verdicts
    return replace(item, decision=decision, edit=edit, who=who, comment=comment)


def corrected(file: WorkFile, items: Iterable[WorkItem]) -> tuple[FileText, list[str]]:
    """Return a file with the accepted changes, and what was left out.

    A sentence is left out if accepted items contradict each other, or if its heads would not be a tree.
    """
    lines, treebank = list(file.source.lines), file.treebank
    chosen: dict[int, dict[int, dict[str, str]]] = defaultdict(dict)
    refused: dict[int, str] = {}
    for item in items:
        if item.decision != "accept" or item.file != file.name or not item.word:
            continue
        changes = chosen[item.sentence - 1].setdefault(item.line, {})
        for name, value in item.changes.items():
            if changes.setdefault(name, value) != value:
                refused[item.sentence - 1] = f"word {item.word} {item.form!r} gets {name} {changes[name]} and {value}"
    for sentence, words in chosen.items():
        start, stop = treebank.offsets[sentence : sentence + 2].tolist()
        heads = treebank.head[start:stop].copy()
        was = bool(is_tree(heads)[0])
        rows = {treebank.line(int(treebank.rows[number])): number for number in range(start, stop)}
        for line, values in words.items():
            heads[rows[line] - start] = int(values.get("head", heads[rows[line] - start]))
        outside = bool((heads > len(heads)).any())
        if sentence not in refused and (outside or (was and not is_tree(heads)[0])):
            refused[sentence] = "its heads would not be a tree"
        if sentence in refused:
            continue
        for line, values in words.items():
            fields = lines[line - 1].split(b"\t")
            for name, value in values.items():
                fields[FIELDS[name]] = value.encode("utf-8", "surrogateescape")
            lines[line - 1] = b"\t".join(fields)
    said = [f"{file.name}, sentence {file.ids[number]}: left out, since {why}" for number, why in refused.items()]
    return FileText(file.source.name, b"".join(lines), file.source.path), said
