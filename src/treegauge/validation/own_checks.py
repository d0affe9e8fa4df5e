"""Own checks of a treebank: queries with messages in ``checks.toml``, and functions of other packages."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.plugins import PluginError, load_plugins, naming_errors, origin_of, warn_of_plugin
from treegauge.core.text_formats import parse_toml
from treegauge.treebanks.data.tree_queries import WordQuery, parse_query, query_mask
from treegauge.validation.messages import WORD, Chunk, Ints, LanguageFinding
from treegauge.validation.problems import BY_ID, Rule, Severity

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.data.sentence import Sentence

FILE = "checks.toml"
PLACES = (FILE, f"not-to-release/{FILE}")
"""Where the checks of a folder are; UD allows the second in repositories."""
GROUP = "treegauge.checks"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FIELDS = {"name": True, "find": True, "message": True, "expected": False, "hint": False, "level": False}
"""Keys of a check in the file, and whether each is needed."""


@dataclass(frozen=True, eq=False)
class OwnCheck:
    """A check of a treebank: a query, or a function of a plug-in; `message` is what is wrong with a word."""

    rule: Rule
    message: str = ""
    query: WordQuery | None = None
    function: "Callable[[Sentence], Iterable[tuple[int, str]]] | None" = None

    def found(self, treebank: "Treebank") -> Iterator[tuple[int, str]]:
        """Yield the numbers of words in the treebank, and what is wrong with each."""
        if self.query is not None:
            for number in np.flatnonzero(query_mask(self.query, treebank)).tolist():
                yield number, self.message
        if self.function is None:
            return
        for i in range(len(treebank)):
            start, stop = treebank.offsets[i : i + 2].tolist()
            with naming_errors(f"check {self.rule.id!r}", GROUP, self.function):
                words = list(self.function(treebank[i]))
            for item in words:
                if not _is_finding(item, stop - start):
                    raise PluginError(
                        f"check {self.rule.id!r}{origin_of(GROUP, self.function)} gave {str(item)[:80]!r}; "
                        "expected the number of a word of the sentence, and what was found"
                    )
                yield start + item[0] - 1, item[1]


def _is_finding(item: object, words: int) -> bool:
    match item:
        case (int(number), str()):
            return 1 <= number <= words
    return False


class OwnChecks:
    """The checks of the folders of some files, and of plug-ins."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._of_plugins = list(_plugin_checks())
        self.folders: dict[Path, list[OwnCheck]] = {}
        digest = hashlib.sha256()
        for folder in folders:
            if folder not in self.folders:
                paths = [path for place in PLACES if (path := folder / place).is_file()]
                self.folders[folder] = [check for path in paths for check in read_checks(path)]
                for path in paths:
                    digest.update(path.read_bytes())
        self.rules: dict[str, Rule] = {}
        for check in [*self._of_plugins, *(check for own in self.folders.values() for check in own)]:
            if self.rules.setdefault(check.rule.id, check.rule) != check.rule:
                places = ", ".join(map(str, self.folders))
                raise TreegaugeError(
                    f"found two checks named {check.rule.id!r} that differ (folders {places}); expected two names"
                )
        marks = [digest.hexdigest()[:6]] if any(self.folders.values()) else []
        self.mark = "+".join([*marks, *(check.rule.id for check in self._of_plugins)]) or None
        """What signatures say about them: a checksum of the files, and names of plug-ins."""

    def of_file(self, file: str) -> list[OwnCheck]:
        """Return the checks of a file."""
        return [*self._of_plugins, *self.folders.get(Path(file).parent, ())]

    def findings(self, file: str, chunk: Chunk, begins: Ints) -> Iterator[LanguageFinding]:
        """Yield what the checks of a file find in whole sentences; those whose tree is not valid are left out."""
        checks = self.of_file(file)
        rows = chunk.nodes[chunk.kinds[chunk.nodes] == WORD]
        if not checks or not len(rows):
            return
        treebank, rows = _treebank(chunk, begins, rows)
        for check in checks:
            for number, found in check.found(treebank):
                row = int(rows[number])
                yield LanguageFinding(check.rule.id, row, *chunk.span(row, 1), found, own=check.rule)


def _treebank(chunk: Chunk, begins: Ints, rows: Ints) -> "tuple[Treebank, Ints]":
    """Return the sentences of these words as a treebank, and the row of each of its words."""
    from treegauge.treebanks.data.conllu import TOLERABLE, parse_conllu

    raw, edges = chunk.data.tobytes(), begins.tolist()
    sentences = np.unique(np.searchsorted(begins, rows, "right") - 1).tolist()

    def block(sentence: int) -> bytes:
        stop = int(chunk.fields[edges[sentence + 1] - 1, 10])
        return raw[int(chunk.fields[edges[sentence], 0]) : stop].rstrip(b"\r\n") + b"\n\n"

    blocks = [block(sentence) for sentence in sentences]
    treebank = parse_conllu(b"".join(blocks), errors="skip", allow=TOLERABLE)
    if treebank.n_words != len(rows):  # the reader refuses a sentence that passed the tests so far
        parsed = [parse_conllu(one, errors="skip", allow=TOLERABLE) for one in blocks]
        counts = np.bincount(np.searchsorted(begins, rows, "right") - 1, minlength=len(edges))
        kept = [one.n_words == counts[sentence] for one, sentence in zip(parsed, sentences, strict=True)]
        good = {sentence for sentence, whole in zip(sentences, kept, strict=True) if whole}
        treebank = parse_conllu(
            b"".join(one for one, whole in zip(blocks, kept, strict=True) if whole), errors="skip", allow=TOLERABLE
        )
        rows = rows[[bisect_right(edges, row) - 1 in good for row in rows.tolist()]]
    return treebank, rows


def _plugin_checks() -> Iterator[OwnCheck]:
    """Yield the checks that installed packages offer: functions of a sentence."""
    for name, plugin in load_plugins(GROUP).items():
        function = plugin.object
        level: Severity = getattr(function, "level", "warning")
        if not callable(function) or level not in get_args(Severity) or not _NAME.fullmatch(name) or name in BY_ID:
            warn_of_plugin(
                plugin, "expected a function of a sentence, with a name of its own such as no-empty-lemma, and level "
                "'error' or 'warning' if it has one"
            )  # fmt: skip
            continue
        lines = (function.__doc__ or "").strip().splitlines()
        expected = lines[0].strip().rstrip(".") if lines else f"nothing that {name} finds"
        yield OwnCheck(Rule(name, 6, "OWN", expected, f"The check is {plugin.origin}.", level), function=function)


def read_checks(path: Path) -> list[OwnCheck]:
    r"""Return the checks in a file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "checks.toml"
    >>> _ = path.write_text('[[check]]\nname = "a-b"\nfind = "upos=DET > []"\nmessage = "a determiner with a word"')
    >>> [check.rule.severity for check in read_checks(path)]
    ['warning']
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = parse_toml(text)
    except UnicodeDecodeError as error:
        raise TreegaugeError(f"{path}: found bytes that are not UTF-8, expected a text file") from error
    except ValueError as error:
        place = re.search(r" \(at line (\d+), column \d+\)", str(error))
        line = f":{place[1]}" if place else ""
        raise TreegaugeError(f"{path}{line}: found invalid TOML ({error}), expected tables [[check]]") from error
    tables = content.get("check", [])
    if content.keys() != {"check"} or not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise TreegaugeError(
            f"{path}:1: found {', '.join(content) or 'nothing'}, expected tables [[check]] and nothing else"
        )
    checks: list[OwnCheck] = []
    for number, table in enumerate(tables, 1):
        check = _read_check(path, text, number, table)
        if check.rule.id in {one.rule.id for one in checks}:
            raise TreegaugeError(
                f"{path}:{_line(text, number, 'name')}: found the name {check.rule.id!r} twice; expected another"
            )
        checks.append(check)
    return checks


def _read_check(path: Path, text: str, number: int, table: Mapping[str, Any]) -> OwnCheck:
    """Return one check; errors name its line."""

    def where(key: str = "") -> str:
        return f"{path}:{_line(text, number, key)}"

    for key, value in table.items():
        if key not in _FIELDS:
            raise TreegaugeError(f"{where(key)}: {ChoiceError('key of a check', key, _FIELDS)}")
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            raise TreegaugeError(f"{where(key)}: found {key} {value!r}, expected text on one line")
    for key, needed in _FIELDS.items():
        if needed and key not in table:
            raise TreegaugeError(f'{where()}: found a check without {key}, expected a line {key} = "..."')
    name, level = table["name"], table.get("level", "warning")
    if not _NAME.fullmatch(name) or name in BY_ID:
        why = "the name of a test of UD validation" if name in BY_ID else repr(name)
        raise TreegaugeError(f"{where('name')}: found {why}, expected a name of its own such as no-empty-lemma")
    if level not in get_args(Severity):
        raise TreegaugeError(f"{where('level')}: {ChoiceError('level', level, get_args(Severity))}")
    try:
        query = parse_query(table["find"])
    except TreegaugeError as error:
        raise TreegaugeError(f"{where('find')}: check {name}: {error}") from None
    expected = table.get("expected", f"no word that the check finds ({table['find']})")
    hint = table.get("hint", f"Correct the annotation, or the check in {path.name}.")
    return OwnCheck(Rule(name, 6, "OWN", expected, hint, level), table["message"], query)


def _line(text: str, number: int, key: str) -> int:
    """Return the line of a key of the n-th table [[check]], or of its header."""
    at, line_of_table = 0, 1
    for line, content in enumerate(text.splitlines(), 1):
        if re.match(r"\s*\[\[\s*check\s*\]\]", content):
            at += 1
            line_of_table = line if at == number else line_of_table
        elif key and at == number and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", content):
            return line
    return line_of_table
