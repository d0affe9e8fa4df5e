"""The verb ``review``: one work list of everything to look at in a treebank, and the decisions about it."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.auditing.changes.unified_diff import read_files, unified_diff
from treegauge.auditing.work_items import (
    COLUMNS,
    DECISIONS,
    DecisionBook,
    WorkFile,
    WorkItem,
    corrected,
    fused,
    locate,
    parse_values,
    read_rows,
    write_values,
)
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.file_kinds import TEXT
from treegauge.core.lazy import load_extension, pl
from treegauge.core.messages import note, say
from treegauge.core.result import Result, sign
from treegauge.core.tables import Table, make_table
from treegauge.core.verbs import verb
from treegauge.treebanks.sources.files import Errors, Source

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

_SHOWN = 20  # rows in text
_LABELS = ("head", "deprel")
_NONE = "no proposal"
Lists = Iterator[list[WorkItem]]


@dataclass(frozen=True, eq=False)
class WorkList(Result, kind="work list"):
    """Words and sentences to look at, the most urgent first, with what people decided about them.

    Rejected items are left out unless `all` is set. As TSV, the list is the file of decisions.
    """

    name: str
    items: tuple[WorkItem, ...]
    files: tuple[WorkFile, ...]
    signature: str
    others: tuple[dict[str, str], ...] = ()
    all: bool = False
    own_formats: ClassVar[tuple[str, ...]] = ("patch",)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per item, and per decision about what is not listed now."""
        rows = [item.to_row() for item in self.items]
        kept = [
            {name: kind(row[name]) if row[name] else kind() for name, kind in COLUMNS.items()} for row in self.others
        ]
        return make_table([*rows, *kept], COLUMNS)

    def shown(self) -> Table:
        """Return the first items, or all."""
        return [
            {
                "item": number, "kind": item.kind, "sent_id": item.sent_id, "word": f"{item.word} {item.form}",
                "annotated": item.annotated, "proposed": item.edit or item.proposed, "score": item.score,
                "decision": item.decision,
            }
            for number, item in enumerate(self.items if self.all else self.items[:_SHOWN], 1)
        ]  # fmt: skip

    def own_text(self) -> str:
        """Return the first items, the number of items, and the number decided."""
        from treegauge.core.tables import to_text

        decided = Counter(item.decision or "open" for item in self.items)
        counts = ", ".join(f"{decided[name]} {name}" for name in (*DECISIONS, "open"))
        rest = 0 if self.all else len(self.items) - _SHOWN
        more = [f"and {rest} more (--all shows them)"] if rest > 0 else []
        table = [to_text(self.shown())] if self.items else ["nothing to look at"]
        return "\n".join([*table, *more, counts, self.signature])

    def to_patch(self) -> bytes:
        """Return the accepted changes as a unified diff, for ``git apply`` in the folder of the files."""
        changed = [corrected(file, self.items) for file in self.files]
        for _, refused in changed:
            for text in refused:
                note(text)
        return unified_diff([file.source for file in self.files], [new for new, _ in changed])

    def _page(self) -> str:
        """Return the page of the work list."""
        return str(load_extension("pages", "review")(self))


@verb(outputs={"write_decisions": TEXT}, limits={"count": (1, 10**6)})
def review(
    treebank: "Source | Treebank",
    *,
    split: str | None = None,
    findings: Sequence[Any] = (),
    parsers: Sequence[Any] = (),
    annotators: Sequence[Any] = (),
    kinds: Sequence[str] | str = (),
    count: int = 1000,
    decisions: Sequence[Source] = (),
    write_decisions: Source | None = None,
    ask: bool = False,
    who: str | None = None,
    all: bool = False,
    errors: Errors = "strict",
) -> WorkList:
    """Work through everything that may be wrong in a treebank: one list, decisions, a unified diff.

    Lists words attached differently in the same words elsewhere (consistency) or in near-duplicates of
    their sentence (duplicates), problems of validation (check), and findings of other verbs, parsers and
    annotators. What several of them find comes first. Save as .html for a page to work with, as .tsv for the
    decisions, as .patch for the accepted changes. Rejected items do not come back.

    Parameters
    ----------
    treebank
        The CoNLL-U file or treebank folder to correct; given like the first argument of diff.
    split
        Only this set (train, dev or test) of a folder.
    findings
        Tables to add: candidates by map, problems by check, or another work list (.csv, .tsv or .json); in
        Python also results.
    parsers
        The same text as parsed by parsers, NAME=PATH; where they differ from the treebank, their trees are proposed.
    annotators
        The same text as annotated by others, NAME=PATH: their differences in every column are to be adjudicated.
    kinds
        List only these kinds: consistency, duplicates, check, own check, candidates, parser or annotator.
    count
        The largest number of items.
    decisions
        Work lists with decisions, saved as .tsv; several people's are merged.
    write_decisions
        Write all decisions to this .tsv file, another one than those given.
    ask
        Ask about each open item in the terminal.
    who
        The name of the person who decides.
    all
        Show all items, also rejected ones.
    errors
        What to do about malformed sentences.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(40, seed=1)
    >>> other = gold.with_columns({"deprel": ["obj" if x == "iobj" else x for x in gold["deprel"]]})
    >>> found = review(gold, annotators={"bob": other}, kinds="annotator")
    >>> len(found) == (gold["deprel"] == "iobj").sum()
    True
    """
    if who is not None and not who.strip():
        raise TreegaugeError("--who: found an empty name; expected the name of the person who decides")
    chosen = [kinds] if isinstance(kinds, str) else list(kinds)
    for kind in chosen:
        if kind not in _KINDS:
            raise ChoiceError("kind of item", kind, _KINDS)
    from treegauge.treebanks.sources.resolver import folder_name

    files = work_files(treebank, split, errors)
    groups = listed_items(files, chosen, findings)
    groups += _others(files, parsers, "parser", errors)
    groups += _others(files, annotators, "annotator", errors)
    book = DecisionBook.read(decisions)
    words = sum(file.treebank.n_words for file in files)
    items = book.applied(
        item for item in fused(groups, words) if not chosen or not set(chosen).isdisjoint(item.kind.split("+"))
    )
    signature = sign(
        review="+".join(f"{file.name}#{file.treebank.digest[:6]}" for file in files[:6]), files=len(files),
        kinds="+".join(chosen) or None, others=len(parsers) + len(annotators) + len(findings) or None, errors=errors,
    )  # fmt: skip
    if ask:
        asked = [i for i, item in enumerate(items) if item.decision in ("", "skip")][:count]
        for i, item in zip(asked, _asked(files, [items[i] for i in asked], who or ""), strict=True):
            items[i] = item
    open_items = [item for item in items if all or item.decision != "reject"][:count]
    rejected = [{name: str(value) for name, value in item.to_row().items()} for item in items if item not in open_items]
    decided = [row for row in rejected if row["decision"] or row["comment"]]
    name = folder_name(treebank) if isinstance(treebank, str | PathLike) else None
    others = (*book.others(items), *decided)
    result = WorkList(name or files[0].treebank.name, tuple(open_items), files, signature, others, all)
    if write_decisions is not None:
        result.save(write_decisions)
    return result


def work_files(
    treebank: "Source | Treebank", split: str | None = None, errors: Errors = "strict"
) -> tuple[WorkFile, ...]:
    """Return the files of a treebank whose words are to be looked at."""
    from treegauge.treebanks.data.conllu import TOLERABLE, parse_conllu

    def work_file(file: Any) -> WorkFile:
        how: dict[str, Any] = {"errors": errors, "need_heads": False, "allow": TOLERABLE}
        return WorkFile(file, parse_conllu(file.data, name=file.name, file=file.path or file.name, **how))

    return tuple(work_file(file) for file in read_files(treebank, split))


def listed_items(
    files: Sequence[WorkFile], kinds: Sequence[str] = (), findings: Sequence[Any] = ()
) -> list[list[WorkItem]]:
    """Return one list per source: what is computed from the treebank, of these kinds or all, and findings."""
    groups: list[list[WorkItem]] = []
    for collect in dict.fromkeys(_KINDS[kind] for kind in _KINDS if kind in kinds or not kinds):
        groups += collect(files) if collect is not None else ()
    for source in findings:
        groups += _found(files, read_rows(source))
    return groups


def _consistency(files: Sequence[WorkFile]) -> Lists:
    """Yield words attached differently from the same words elsewhere."""
    from treegauge.auditing.inconsistencies import find_inconsistencies

    by_name = {file.name: file for file in files}
    items = []
    for found in find_inconsistencies({name: file.treebank for name, file in by_name.items()}).words:
        file = by_name[found.part]
        number = int(file.treebank.offsets[found.sentence - 1]) + found.word - 1
        values = {"head": found.suggested_head, "deprel": found.suggested_deprel}
        proposed = {name: value for name, value in values.items() if value is not None}
        about = "" if proposed else "attached"
        items.append(file.item("consistency", number, proposed, found.reason, found.score, about=about))
    yield items


def _duplicates(files: Sequence[WorkFile]) -> Lists:
    """Yield words annotated differently in a sentence that is the same, or nearly."""
    from treegauge.auditing.near_duplicates import find_matches, treebank_texts

    matches = find_matches([treebank_texts(file.treebank, file.name) for file in files])
    items = []
    columns = matches.part, matches.number, matches.other_part, matches.other, matches.similarity
    for part, number, other_part, other, similarity in zip(*(column.tolist() for column in columns), strict=True):
        file, rival = files[part], files[other_part]
        start, there = int(file.treebank.offsets[number]), int(rival.treebank.offsets[other])
        mine, theirs = file.treebank[number], rival.treebank[other]
        to_mine = {0: 0}
        for a, b, size in SequenceMatcher(None, mine.form, theirs.form, autojunk=False).get_matching_blocks():
            to_mine |= {b + i + 1: a + i + 1 for i in range(size)}
        differing = []
        for position, word in to_mine.items():
            head = to_mine.get(int(theirs.head[position - 1])) if position else None
            if head is not None:
                proposed = {"head": str(head), "deprel": theirs.deprel[position - 1]}
                if proposed != file.values(start + word - 1, _LABELS):
                    differing.append((start + word - 1, proposed))
        same = "the same words" if similarity == 1 else f"nearly the same words (similarity {similarity:.2f})"
        where = f"{rival.name}:{rival.treebank.line(int(rival.treebank.rows[there]))}"
        for place, proposed in differing:
            reason = f"in {same}, sentence {rival.ids[other]} ({where}) has {write_values(proposed)}"
            items.append(file.item("duplicates", place, proposed, reason, similarity / len(differing)))
    yield items


def _problems(files: Sequence[WorkFile]) -> Lists:
    """Yield the problems that validation finds, rare ones first."""
    from treegauge.validation.check import check

    if lacking := [file.name for file in files if not file.source.path or file.source.path == "-"]:
        note(f"{lacking[0]} is not a file, so validation is left out")
        return
    yield from _found(files, [problem.to_dict() for problem in check(*(f.source.path for f in files)).problems])


def _found(files: Sequence[WorkFile], rows: Sequence[dict[str, Any]]) -> Lists:
    """Yield the rows of another verb: candidates, problems, or a work list."""
    if not rows:
        return
    if "p_instead" in rows[0]:
        yield [
            item
            for row in rows
            for item in _placed(
                files, row, "candidates", {"head" if row["of"] == "head" else "deprel": str(row["instead"])},
                f"models trained on other sentences prefer {row['instead']} (probability "
                f"{float(row['p_instead']):.2f}, annotated {float(row['p_gold']):.2f})", float(row["score"]),
            )
        ]  # fmt: skip
    elif "severity" in rows[0]:
        counts = Counter(str(row["id"]) for row in rows)
        items = []
        for row in rows:
            known = bool(row["form"]) and str(row["node"]).isdecimal()  # else it is about the sentence
            place = {**row, "word": row["node"] if known else "", "form": row["form"] if known else ""}
            kind = "own check" if row.get("class") == "OWN" else "check"
            hint = f"; {row['hint']}" if kind == "own check" else ""
            reason = f"{row['severity']} {row['id']}: found {row['found']}, expected {row['expected']}{hint}"
            score = (row["severity"] == "error") + 1 / counts[str(row["id"])]
            items += [(kind, one) for one in _placed(files, place, kind, {}, reason, score, str(row["id"]), not known)]
        for kind in ("check", "own check"):
            yield [item for own, item in items if own == kind]
    elif {"kind", "proposed", "reason", "score"} <= rows[0].keys():
        kinds: dict[str, list[WorkItem]] = defaultdict(list)
        for row in rows:
            proposed = parse_values(str(row["proposed"]))
            whole = not int(row.get("word") or 0)
            values = str(row["kind"]), proposed, str(row["reason"]), float(row["score"])
            kinds[values[0]] += _placed(files, row, *values, "" if proposed else values[2], whole)
        yield from kinds.values()
    else:
        raise TreegaugeError(
            f"found a table with {', '.join(rows[0])}; expected candidates of map, problems of check, or a work list"
        )


def _placed(
    files: Sequence[WorkFile], row: dict[str, Any], kind: str, proposed: dict[str, str], reason: str, score: float,
    about: str = "", whole: bool = False,
) -> list[WorkItem]:  # fmt: skip
    """Return the item of a row; none if its sentence or word is not in the files any more."""
    if (place := locate(files, row)) is None:
        return []
    file, number = place
    if proposed and proposed == file.values(number, proposed):
        return []
    return [file.item(kind, number, proposed, reason, score, about=about, whole=whole)]


def _others(files: Sequence[WorkFile], sources: Sequence[Any], kind: str, errors: Errors) -> Lists:
    """Yield the words that parsers or annotators see differently: the proposals that most of them share first.

    Differences of annotators in every column are listed, frequent confusions first; of parsers only those of
    heads and relations.
    """
    from treegauge.auditing.changes.changed_words import pair_words
    from treegauge.scoring.systems import named_outputs
    from treegauge.treebanks.data.columns import concat
    from treegauge.treebanks.data.conllu import TOLERABLE
    from treegauge.treebanks.sources.resolver import read_treebank

    if not sources:
        return
    whole = files[0].treebank if len(files) == 1 else concat([file.treebank for file in files], name="all")
    starts = np.cumsum([0, *(file.treebank.n_words for file in files)])
    said: dict[tuple[int, str], list[str]] = defaultdict(list)
    lacking: dict[int, list[str]] = defaultdict(list)
    named = named_outputs([sources] if isinstance(sources, Mapping) else list(sources), treebanks=True)
    for name, runs in named.items():
        for run in runs:
            other = read_treebank(run, errors=errors, allow=TOLERABLE, need_heads=False)
            pairs = pair_words(whole, other)
            if not len(pairs):
                raise TreegaugeError(f"{name} has no sentence of the treebank; expected the same text")
            for number, values in _differences(pairs, _LABELS if kind == "parser" else None):
                said[number, write_values(values)].append(name)
            paired = np.unique(whole.sentence_of[pairs.old_words])
            absent = np.isin(whole.sentence_of, paired) & (pairs.to_new < 0)
            for number in np.flatnonzero(absent).tolist() if kind == "annotator" else ():
                lacking[number].append(name)

    def place(number: int) -> tuple[WorkFile, int]:
        part = int(np.searchsorted(starts, number, side="right")) - 1
        return files[part], number - int(starts[part])

    relations = whole["deprel"].to_list()
    doubted, words = Counter(relations[number] for number, _ in said), Counter(relations)
    alike: Counter[tuple[str, str]] = Counter()
    disagreements = []
    for (number, cell), names in said.items():
        file, own = place(number)
        proposed = parse_values(cell)
        label = proposed.get("deprel") or cell.partition("=")[0]
        alike[relations[number], label] += 1
        disagreements.append((file, own, proposed, sorted(set(names)), (relations[number], label)))
    items = []
    for file, own, proposed, names, confusion in disagreements:
        # A parser's difference says little where the parser differs from many words of the relation.
        rare = 1 - doubted[confusion[0]] / words[confusion[0]]
        score = len(names) + (min(rare, 0.999) if kind == "parser" else alike[confusion] / (len(disagreements) + 1))
        reason = f"{' and '.join(names)}: {write_values(proposed)}, here {write_values(file.values(own, proposed))}"
        items.append(file.item(kind, own, proposed, reason, score))
    for number, names in lacking.items():
        file, own = place(number)
        items.append(file.item(kind, own, {}, f"{' and '.join(names)}: no such word", len(names), about="words"))
    yield items


def _differences(pairs: Any, names: Sequence[str] | None) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield words of the old version and what the new one has instead; head and relation together."""
    old, new = pairs.old, pairs.new
    changed = {"head": pairs.head_changed}
    columns = {}
    for name in ("deprel", *(("lemma", "upos", "xpos", "feats") if names is None else ())):
        before, after, values = pairs.codes(name)
        changed[name], columns[name] = before != after, (after, values)
    ours, theirs = pairs.old_words, pairs.new_words
    to_old, parents = pairs.to_old, new.parents
    first = old.offsets[old.sentence_of]
    for row in np.flatnonzero(np.logical_or.reduce(list(changed.values()))).tolist():
        number, partner = int(ours[row]), int(theirs[row])
        tree: dict[str, str] = {}
        if changed["head"][row]:
            parent = int(parents[partner])
            mapped = int(to_old[parent]) if parent >= 0 else -1
            if parent >= 0 and (mapped < 0 or old.sentence_of[mapped] != old.sentence_of[number]):
                continue  # its head is not in this sentence
            tree["head"] = str(mapped - int(first[number]) + 1) if parent >= 0 else "0"
        for name, (codes, values) in columns.items():
            if changed[name][row] and name != "deprel":
                yield number, {name: values[codes[row]]}
        if changed["deprel"][row]:
            codes, values = columns["deprel"]
            tree["deprel"] = values[codes[row]]
        if tree:
            yield number, tree


_KINDS: Mapping[str, Callable[[Sequence[WorkFile]], Lists] | None] = {
    "consistency": _consistency, "duplicates": _duplicates, "check": _problems, "own check": _problems,
    "candidates": None, "parser": None, "annotator": None,
}  # fmt: skip
"""The functions that list what is computed from a treebank; the other kinds come from elsewhere."""

_HELP = "a accept, r reject, s skip, h N head, l NAME relation or value, c TEXT comment, u undo, b back, q quit"


def _asked(files: Sequence[WorkFile], items: list[WorkItem], who: str) -> list[WorkItem]:
    """Ask about items in the terminal and return them with the answers; the end of the input ends it."""
    by_name = {file.name: file for file in files}
    at = 0
    while 0 <= at < len(items):
        item = items[at]
        say(_card(by_name[item.file], item, f"{at + 1} of {len(items)}"), sys.stderr)
        say(f"[{_HELP}] ", sys.stderr)
        line = sys.stdin.readline()
        key, _, text = line.strip().partition(" ")
        if not line or key == "q":
            break
        try:
            items[at], step = _answered(item, key, text.strip(), who)
        except TreegaugeError as error:
            say(f"error: {error}", sys.stderr)
            continue
        at = max(at + step, 0)
    return items


def _answered(item: WorkItem, key: str, text: str, who: str) -> tuple[WorkItem, int]:
    """Return the item after one answer, and the step to the next item."""
    decided: dict[str, str] = {"a": "accept", "r": "reject", "s": "skip"}
    if key in decided:
        if key == "a" and not item.changes and item.word:
            note("without a proposal: what is accepted has to be corrected by hand, or with h and l")
        return replace(item, decision=decided[key], who=who), 1
    if key == "u":
        return replace(item, decision="", edit="", who=""), 0
    if key == "c":
        return replace(item, comment=text, who=who), 0
    if key in ("h", "l"):
        alone = [name for name in item.changes if name not in _LABELS]
        name = "head" if key == "h" else alone[0] if alone else "deprel"
        kept = {} if name not in _LABELS else {one: v for one, v in item.changes.items() if one in _LABELS}
        edit = write_values({one: (kept | {name: text})[one] for one in FIELD_ORDER if one in kept | {name: text}})
        parse_values(edit)
        return replace(item, decision="accept", edit=edit, who=who), 0
    return item, {"b": -1, "n": 1}.get(key, 0)


FIELD_ORDER = ("lemma", "upos", "xpos", "feats", "head", "deprel")
"""The columns that an edit can name, in their order in a cell."""


def _card(file: WorkFile, item: WorkItem, place: str) -> str:
    """Return an item for the terminal: the sentence drawn, the proposal in words, and the reason."""
    from treegauge.treebanks.text_trees import text_tree

    sentence = file.treebank[item.sentence - 1]
    forms = [f"{'» ' * (i == item.word)}{i} {form}" for i, form in enumerate(sentence.form, 1)]
    drawn = text_tree(forms, sentence.head.tolist(), sentence.deprel, upos=sentence.upos)
    now = f"{item.word} {item.form}: {item.annotated or 'annotation'} -> {item.edit or item.proposed or _NONE}"
    state = f" [{item.decision}]" if item.decision else ""
    where = f"{file.source.path or file.name}:{item.line}"
    lines = [
        f"\n{place}: {item.kind}, {item.sent_id} ({where}){state}",
        drawn,
        now if item.word else _NONE,
        item.reason,
    ]
    return "\n".join(lines)
