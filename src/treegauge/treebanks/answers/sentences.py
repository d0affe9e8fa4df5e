"""Sentences of an answer as CoNLL-U, and what was assumed to read each of them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.answers.tables import RELATIONS, WORD_ID, Block, Row, Unread, find_tables
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import BLANKS, TOLERABLE, ConlluError, parse_conllu, refusals
from treegauge.treebanks.data.frames import with_columns
from treegauge.treebanks.data.relations import universal_relation
from treegauge.treebanks.sources.files import Source, open_bytes, short_name

TAGS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_WORD_NUMBER = re.compile(r"(.+)[-_](\d{1,6})|(\d{1,6})\s*[-(:]\s*(.+?)\)?|(.+?)\s*\((\d{1,6})\)", re.ASCII)
_NOTHING = {"", "_", "-", "—", "none", "null", "n/a"}
_SEPARATED = {
    "space": "spaces for tabs", "comma": "commas for tabs", "bar": "a Markdown table", "json": "JSON",
    "arcs": "arcs such as det(cat-2, the-1)",
}  # fmt: skip
_SAMPLE = 3000
CUT_OFF, LOST, NO_HEAD = "cut off at the end", "lines that could not be read", "words without a head in the sentence"


class UnreadPart(NamedTuple):
    """What could not be read: its first line, its text, the sentence after or around it."""

    line: int
    text: str
    sentence: int
    inside: bool


@dataclass(frozen=True, eq=False)
class ModelAnswer:
    """An answer as a treebank (heads are -1 where there is none), and how it was read.

    `assumptions` has a tuple of texts per sentence, `unread` the parts that could not be read.
    """

    treebank: Treebank
    assumptions: tuple[tuple[str, ...], ...]
    unread: tuple[UnreadPart, ...]

    def remarks(self) -> list[str]:
        """Return each assumption with the number of sentences, and the number of unread parts."""
        counts = Counter(text for texts in self.assumptions for text in texts)
        said = [f"{text} ({number:,} of {len(self.treebank):,} sentences)" for text, number in counts.most_common()]
        if self.unread:
            shown = ", ".join(str(part.line) for part in self.unread[:5])
            said.append(f"{len(self.unread):,} parts could not be read (from line {shown})")
        return said

    def attached(self) -> Treebank:
        """Return the treebank with words that have no head attached to themselves: never correct."""
        heads = self.treebank.head
        if (heads >= 0).all():
            return self.treebank
        own = np.arange(self.treebank.n_words) - self.treebank.offsets[:-1][self.treebank.sentence_of] + 1
        return with_columns(self.treebank, {"head": np.where(heads < 0, own, heads)}, allow=TOLERABLE)


@dataclass
class _Sentence:
    """Words with the cells of each by role."""

    line: int
    words: list[dict[str, str]]
    comments: dict[str, str]
    assumed: list[str] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)


def read_answer(text: str | bytes, *, name: str = "answer") -> ModelAnswer:
    r"""Read the trees in an answer of a language model, in any of the formats in use.

    Chat text around them is left out. What is ambiguous is decided for the whole answer: which
    column has what, and whether IDs begin at 0. A cell that cannot be understood stays empty; no
    tree is repaired.

    Parameters
    ----------
    text
        The whole answer.
    name
        The name of the treebank.

    Examples
    --------
    >>> answer = read_answer("Sure!\n```\n1 Dogs NOUN 2 NSUBJ\n2 bark VERB 0 ROOT\n```")
    >>> answer.treebank["deprel"].to_list()
    ['nsubj', 'root']
    >>> answer.assumptions[0]
    ('spaces for tabs', 'columns ID FORM UPOS HEAD DEPREL', 'relations in capitals')
    """
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    blocks, loose = find_tables(lines)
    sentences = [sentence for block in _joined(blocks) for sentence in _cut(block, loose)]
    loose.sort()
    _mark_cut_off(sentences, lines)
    _place_heads(sentences)
    parts, assumptions, unread = [], [], _gathered(loose, sentences)
    for number, sentence in enumerate(sentences):
        parts.append(_conllu(sentence))
        assumptions.append(tuple(dict.fromkeys(sentence.assumed)))
        unread += [UnreadPart(one.line, one.text, number, True) for one in sentence.unread]
    whole = "".join(parts).encode(errors="replace")
    treebank = parse_conllu(whole, name=name, need_heads=False, allow=TOLERABLE)
    return ModelAnswer(treebank, tuple(assumptions), tuple(sorted(unread)))


def answer_or_treebank(path: Source, **options: Any) -> tuple[Treebank, ModelAnswer | None]:
    """Return a file's treebank if it is valid CoNLL-U, else the trees of an answer and how they were read.

    The options are those of :func:`treegauge.parse_conllu`.
    """
    name = Path(path).stem if str(path) != "-" else "stdin"
    with open_bytes(path) as stream:
        data = stream.read()
    try:
        treebank = parse_conllu(data, name=short_name(path), file=str(path), **options)
        if len(treebank) and not refusals(treebank):
            return treebank, None
    except ConlluError:
        pass
    answer = read_answer(data, name=name)
    if not answer.treebank.n_words:
        raise TreegaugeError(
            f"{path}: no tree could be read; expected words in lines with tabs, spaces, commas or bars, or JSON, "
            "each with a head and a relation, such as 'ID FORM UPOS HEAD DEPREL'"
        )
    return answer.treebank, answer


def _gathered(loose: Iterable[Unread], sentences: Sequence[_Sentence]) -> list[UnreadPart]:
    """Return unread lines outside of sentences, neighbouring ones together."""
    starts = np.array([sentence.line for sentence in sentences])
    parts: list[UnreadPart] = []
    last = -2
    for line, text in loose:
        number = int(np.searchsorted(starts, line))
        if line == last + 1 and parts and parts[-1].sentence == number:
            parts[-1] = parts[-1]._replace(text=f"{parts[-1].text}\n{text}")
        else:
            parts.append(UnreadPart(line, text, number, False))
        last = line
    return parts


def _joined(blocks: Sequence[Block]) -> list[Block]:
    """Give each block its columns, and join rows that blank lines separate."""
    groups: dict[tuple[str, tuple[str, ...]], list[Row]] = defaultdict(list)
    for block in blocks:
        groups[block.separator, block.roles].extend(block.rows)
    layouts = {key: _layout(key[0], key[1], rows) for key, rows in groups.items()}
    joined: list[Block] = []
    for block in blocks:
        roles = layouts[block.separator, block.roles]
        rows: list[Row] = []
        lost: list[Row] = []
        for row in block.rows:
            cells = _fitted(row, roles, block.separator)
            (rows if cells else lost).append(row._replace(cells=cells or row.cells))
        last = joined[-1] if joined else None
        if last and block.joins and block.separator == last.separator != "json" and _continues(last, rows, roles):
            last.rows += [*rows, *lost]
            continue
        kept = Block(block.separator, block.line, [*rows, *lost], roles, block.comments, block.joins, block.cut_off)
        kept.rows.sort(key=lambda row: row.line)
        joined.append(kept)
    return joined


def _continues(last: Block, rows: Sequence[Row], roles: Sequence[str]) -> bool:
    """Whether rows after a blank line continue to count, and only one of both has a root."""
    if "id" not in roles or last.roles != roles or not rows or not last.rows:
        return False
    at, head = roles.index("id"), roles.index("head")
    if len(last.rows[-1].cells) != len(roles):
        return False
    before, after = (WORD_ID.fullmatch(row.cells[at]) for row in (last.rows[-1], rows[0]))
    if not before or not after or int(after[1]) != int(before[3] or before[1]) + 1:
        return False
    roots = [any(len(row.cells) == len(roles) and row.cells[head] == "0" for row in part) for part in (last.rows, rows)]
    return not all(roots)


def _share(cells: Sequence[str], test: Callable[[str], object]) -> float:
    return sum(map(bool, map(test, cells))) / max(len(cells), 1)


def _is_number(cell: str) -> bool:
    return cell.removeprefix("-").isascii() and cell.removeprefix("-").isdigit() and len(cell) < 7


def _layout(separator: str, header: tuple[str, ...], rows: Sequence[Row]) -> tuple[str, ...]:  # noqa: PLR0912 -- a rule each
    """Return what each column has: from the header, the number of columns, or the cells."""
    if header:
        roles = list(header)
        for role, instead in (("head", "head_word"), ("form", "")):
            if role not in roles and instead in roles:
                roles[roles.index(instead)] = role
        return tuple(roles)
    if separator == "arcs":
        return ("id", "form", "head", "deprel")
    size = Counter(len(row.cells) for row in rows).most_common(1)[0][0] if rows else 0
    columns = list(zip(*(row.cells for row in rows[:_SAMPLE] if len(row.cells) == size), strict=True))
    if size in (8, 10) and _share(columns[6], lambda cell: _is_number(cell) or cell == "_") > 0.7:
        return COLUMNS[:size]
    roles = [""] * size
    if size and _share(columns[0], WORD_ID.fullmatch) > 0.9:
        numbers = [int(found[1]) for cell in columns[0] if (found := WORD_ID.fullmatch(cell))]
        steps = [after - before for before, after in pairwise(numbers)]
        counted = sum(step == 1 or after < 2 for step, after in zip(steps, numbers[1:], strict=True))
        if 2 * counted >= len(steps):
            roles[0] = "id"

    def best(test: Callable[[str], object], least: float) -> int:
        shares = [0.0 if roles[i] else _share(column, test) for i, column in enumerate(columns)]
        top = max(shares, default=0.0)
        return len(shares) - 1 - shares[::-1].index(top) if top >= least else -1

    if (at := best(lambda cell: universal_relation(cell.lower()) in RELATIONS, 0.4)) >= 0:
        roles[at] = "deprel"
    if (at := best(lambda cell: cell.upper() in TAGS, 0.4)) >= 0:
        roles[at] = "upos"
    forms = {cell.lower() for column in columns for cell in column[:_SAMPLE]}
    tests: list[Callable[[str], object]] = [
        lambda cell: _is_number(cell) or cell.lower() in {*_NOTHING, "root"},
        lambda cell: _WORD_NUMBER.fullmatch(cell) or cell.lower() in {"root", "_"},
    ]
    relation = roles.index("deprel") if "deprel" in roles else size
    for test in tests:
        fits = [i for i in range(size) if not roles[i] and _share(columns[i], test) > 0.8]
        fits = [i for i in fits if i] or fits
        if fits:
            roles[min(fits, key=lambda i: (abs(i - relation), i))] = "head"
            break
    else:
        rooted = [i for i in range(1, size) if not roles[i] and any(cell.lower() == "root" for cell in columns[i])]
        words = [i for i in rooted if _share(columns[i], lambda cell: cell.lower() in forms) > 0.9]
        if words:
            roles[words[-1]] = "head"
    if "" in roles:
        roles[roles.index("")] = "form"
    tag = roles.index("upos") if "upos" in roles else -1
    for i in range(size):
        if not roles[i] and i < roles.index("head" if "head" in roles else "form"):
            text = _share(columns[i], lambda cell: "=" in cell or cell == "_")
            role = "feats" if text > 0.5 else "xpos" if 0 <= tag < i else "lemma"
            roles[i] = role if role not in roles else ""
    return tuple(roles)


def _fitted(row: Row, roles: tuple[str, ...], separator: str) -> list[str]:  # noqa: PLR0911 -- a rule each
    """Return the cells of a row in its columns, or nothing."""
    cells, size = row.cells, len(roles)
    if "head" not in roles or "form" not in roles:
        return []
    surplus = len(cells) - size
    if surplus and separator == "space":
        wide = [cell for cell in re.split(r"\s{2,}", row.raw.strip()) if cell]
        if len(wide) == size:
            return wide
    if surplus > 0 and separator == "bar" and "feats" in roles:
        at = roles.index("feats")
        if all("=" in cell for cell in cells[at : at + surplus + 1]):
            return [*cells[:at], "|".join(cells[at : at + surplus + 1]), *cells[at + surplus + 1 :]]
    if surplus > 0 and separator == "space":
        at = roles.index("form")
        if "lemma" in roles and surplus % 2 == 0 and roles.index("lemma") == at + 1:
            half = surplus // 2 + 1
            middle = [" ".join(cells[at : at + half]), " ".join(cells[at + half : at + 2 * half])]
            return [*cells[:at], *middle, *cells[at + 2 * half :]]
        return [*cells[:at], " ".join(cells[at : at + surplus + 1]), *cells[at + surplus + 1 :]]
    if surplus < 0 and roles == COLUMNS and len(cells) >= 8:
        return [*cells, *["_"] * -surplus]
    return cells if not surplus else []


def _cut(block: Block, loose: list[Unread]) -> list[_Sentence]:
    """Cut a block where IDs begin again; lines before any sentence that cannot be read become loose."""
    sentences: list[_Sentence] = []
    last = 0
    named = {role: i for i, role in enumerate(block.roles) if role and role != "head_word"}
    for row in block.rows:
        if len(row.cells) != len(block.roles) or not {"form", "head"} <= named.keys():
            (sentences[-1].unread if sentences else loose).append(Unread(row.line, row.raw or " ".join(row.cells)))
            continue
        word = {role: row.cells[at] for role, at in named.items()}
        found = WORD_ID.fullmatch(word.get("id", ""))
        if "id" in named and not found:
            (sentences[-1].unread if sentences else loose).append(Unread(row.line, row.raw or " ".join(row.cells)))
            continue
        number = int(found[1]) if found else last + 1
        if not sentences or (number <= last and number < 2 and (not found or found[2] != ".")):
            comments = block.comments if not sentences else {}
            sentences.append(_Sentence(row.line, [], comments, _format(block)))
        sentences[-1].words.append(word)
        last = number - 1 if found and found[2] == "-" else number
    if block.cut_off and sentences:
        sentences[-1].assumed.append(CUT_OFF)
    for sentence in sentences:
        if sentence.unread:
            sentence.assumed.append(LOST)
    return [sentence for sentence in sentences if _words(sentence)]


def _format(block: Block) -> list[str]:
    """Return what was assumed about the form of a block."""
    said = [_SEPARATED[block.separator]] if block.separator in _SEPARATED else []
    if block.roles != COLUMNS and block.separator not in ("json", "arcs"):
        said.append("columns " + " ".join(role.upper() or "?" for role in block.roles))
    return said


def _mark_cut_off(sentences: Sequence[_Sentence], text: str) -> None:
    """Mark the last sentence if its last line is incomplete."""
    last = text.rstrip().count("\n") + 1
    if sentences and any(one.line == last for one in sentences[-1].unread):
        sentences[-1].assumed.append(CUT_OFF)


def _place_heads(sentences: Sequence[_Sentence]) -> None:
    """Find the head of each word by number, or by its form; -1 where it has none."""
    zero = [sentence for sentence in sentences if sentence.words[0].get("id", "1").strip("(.):") == "0"]
    # If IDs begin at 0, do heads count from 0 or from 1? Whichever gives more trees.
    trees = [sum(_is_tree(_heads(sentence, shift)) for sentence in zero) for shift in (False, True)]
    for sentence in zero:
        sentence.assumed.append("IDs from 0, heads from 1" if trees[1] > trees[0] else "IDs from 0")
    from_zero = {id(sentence) for sentence in zero}
    for sentence in sentences:
        sentence.heads = _heads(sentence, id(sentence) in from_zero and trees[1] > trees[0])
        if any(not _is_number(word["head"]) for word in _words(sentence)):
            sentence.assumed.append("heads that are words or names")
        if -1 in sentence.heads:
            sentence.assumed.append(NO_HEAD)


def _words(sentence: _Sentence) -> list[dict[str, str]]:
    """Return the words, without lines of multiword tokens and empty nodes."""
    return [word for word in sentence.words if not {"-", "."} & {*word.get("id", "").strip("(.):")}]


def _heads(sentence: _Sentence, shifted: bool) -> list[int]:
    words = _words(sentence)
    ids = [word.get("id", "").strip("(.):") for word in words]
    places: dict[str, int] = {}
    for i, one in enumerate(ids if any(ids) else map(str, range(1, len(words) + 1)), 1):
        places.setdefault(str(int(one)) if one.isdigit() else one, i)
    from_zero = "0" in places and not shifted
    forms: dict[str, list[int]] = defaultdict(list)
    for i, word in enumerate(words, 1):
        forms[word["form"].lower()].append(i)
    marked = any(word["head"].lower() in {"-1", "root", *_NOTHING} for word in words)

    def place(i: int, word: dict[str, str]) -> int:  # noqa: PLR0911 -- a rule each
        text = word["head"].strip()
        is_root = word.get("deprel", "").lower() == "root"
        if _is_number(text):
            number = str(int(text))
            if number == "-1":
                return 0
            if number == "0" and (not from_zero or (is_root and not marked)):
                return 0
            if shifted:
                return int(number) if 0 < int(number) <= len(words) else -1
            return places.get(number, -1)
        if text.lower() == "root" or text.lower() in _NOTHING:
            return 0 if text.lower() == "root" or is_root else -1
        if candidates := forms.get(text.lower()):
            return min(candidates, key=lambda one: (abs(one - i), one))
        if found := _WORD_NUMBER.fullmatch(text):
            number = str(int(found[2] or found[3] or found[6]))
            named = (found[1] or found[4] or found[5] or "").lower()
            if number == "0" and (named == "root" or not from_zero):
                return 0
            return places.get(number, -1)
        return -1

    return [place(i, word) for i, word in enumerate(words, 1)]


def _is_tree(heads: Sequence[int]) -> bool:
    """Whether heads form a tree with one root."""
    if heads.count(0) != 1 or -1 in heads:
        return False
    good = {0}
    for start in range(1, len(heads) + 1):
        path: list[int] = []
        at = start
        while at not in good:
            if len(path) > len(heads):
                return False
            path.append(at)
            at = heads[at - 1]
        good.update(path)
    return True


def _conllu(sentence: _Sentence) -> str:
    """Return a sentence as CoNLL-U, with what was assumed as a comment."""
    words = _words(sentence)
    ids = [word.get("id", str(i)).strip("(.):") for i, word in enumerate(words, 1)]
    same = ids == [str(i) for i in range(1, len(words) + 1)]
    if not same and "IDs from 0" not in " ".join(sentence.assumed):
        sentence.assumed.append("IDs counted again")
    relations = [_plain(word.get("deprel", "_")) for word in words]
    lowered = [one.lower() if universal_relation(one.lower()) in RELATIONS else one for one in relations]
    if lowered != relations:
        sentence.assumed.append("relations in capitals")
    comments = [f"# {key} = {_plain(value)}" for key, value in sentence.comments.items()]
    assumed = list(dict.fromkeys(sentence.assumed))
    comments += [f"# assumed = {'; '.join(assumed)}"] if assumed else []
    lines, number = [], 0
    for i, word in enumerate(sentence.words):
        cells = [_plain(word.get(role, "_")) for role in COLUMNS]
        if not same:
            cells[8:] = "_", "_"
        if "-" in cells[0]:
            size = _range(sentence.words, i)
            if size > 1:
                span = f"{number + 1}-{number + size}"
                lines.append("\t".join([span, *cells[1:6], "_", "_", *cells[8:]]))
        elif "." in cells[0].strip("(.):"):
            if same:
                lines.append("\t".join([f"{number}.{cells[0].rpartition('.')[2]}", *cells[1:]]))
        else:
            head = sentence.heads[number]
            tag = cells[3] if cells[3] in TAGS or cells[3].upper() not in TAGS else cells[3].upper()
            row = [str(number + 1), cells[1], cells[2], tag, *cells[4:6], "_" if head < 0 else str(head)]
            lines.append("\t".join([*row, lowered[number], *cells[8:]]))
            number += 1
    return "\n".join([*comments, *lines, "", ""])


def _range(words: Sequence[dict[str, str]], i: int) -> int:
    """Return the number of words after a multiword token that its range names."""
    found = WORD_ID.fullmatch(words[i]["id"])
    if not found or not found[3]:
        return 0
    wanted = int(found[3]) - int(found[1]) + 1
    after = [word["id"] for word in words[i + 1 : i + 1 + wanted]]
    plain = next((k for k, one in enumerate(after) if {"-", "."} & {*one.strip("(.):")}), len(after))
    return plain if plain == wanted else 0


_CONTROLS = re.compile(r"[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_BLANK = re.compile(f"[{BLANKS}]*")


def _plain(cell: str) -> str:
    """Return a cell that CoNLL-U can have."""
    text = _CONTROLS.sub(" ", cell).strip(" ")
    return "_" if _BLANK.fullmatch(text) else text
