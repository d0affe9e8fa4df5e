"""Level 0, the files of a treebank's repository, and whether it can be released.

The rules are those that Universal Dependencies documents for repositories and releases. What only
the official server can test is left to it: the pages of the language's documentation. UD lets
treebanks that were valid in an earlier release stay although they fail tests that were added later:
its file of dispensations lists them by test, with the day of the test. A dispensation that is older
than four years makes a treebank a neglected one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal, NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.core.text_formats import parse_json
from treegauge.treebanks.sources.entries import licence_in
from treegauge.treebanks.sources.files import entries_of, open_bytes
from treegauge.treebanks.sources.languages import code_of, own_name
from treegauge.validation.problems import BY_ID, Problem

_NAME = re.compile(r"UD_[A-Z][A-Za-z]*(_[A-Z][A-Za-z]*)*-[A-Z][A-Za-z]*")
_DATA = re.compile(r"(?P<code>[a-z]{2,3}_[a-z]+)-ud-(?P<split>train|dev|test)(-[a-z0-9]+)*\.conllu")
_ROOT = frozenset(("README.md", "README.txt", "LICENSE.txt", "CONTRIBUTING.md", "stats.xml", "not-to-release"))
_BLOCK = re.compile(r"^=== *Machine-readable metadata.*$", re.MULTILINE)
_FIELD = re.compile(r"^([A-Z][A-Za-z ]*?)[ \t]*:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_AFTER = re.compile(r"([=\s]|</?pre>|```|<!--|-->)*")
_SECTIONS = ("Summary", "Introduction", "Acknowledgments", "Changelog")
_BY_HAND = "manual native|converted from manual|converted with corrections"
_PREDICTED = "automatic|automatic with corrections|not available"
_GENRE = (
    "academic|bible|blog|email|fiction|government|grammar-examples|learner-essays|legal|medical|news|nonfiction|"
    "poetry|reviews|social|spoken|web|wiki"
)
_MAIL = r"[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+"
_PERSON = r"\S[^;,]*,[^;,]+|[^\s;,]+"
FIELDS = {
    "Data available since": r"UD v[12]\.[0-9]+",
    "License": r"\S.*",
    "Includes text": "yes|no",
    "Parallel": r"[a-z]+( [a-z]+)*",
    "Genre": f"({_GENRE})( ({_GENRE}))*",
    "Lemmas": f"{_BY_HAND}|{_PREDICTED}",
    "UPOS": _BY_HAND,
    "XPOS": f"manual native|{_PREDICTED}",
    "Features": f"{_BY_HAND}|{_PREDICTED}",
    "Relations": _BY_HAND,
    "Contributors": rf"({_PERSON})(;\s*({_PERSON}))*;?",
    "Contributing": "here|here source|elsewhere|to be adopted",
    "Contact": rf"{_MAIL}(,\s*{_MAIL})*",
}
"""Fields of the metadata, and what each may be."""
SMALLEST = 20, 100
"""Sentences and words that a treebank needs."""
TEST_WORDS, SPLIT_WORDS, SAMPLE = 10_000, 20_000, 50
"""Words of a test set; words from which a treebank is split; sentences of a sample called train."""


class Size(NamedTuple):
    """Sentences, words, and words with a form, of a set."""

    sentences: int = 0
    words: int = 0
    forms: int = 0


def _total(sizes: Iterable[Size]) -> Size:
    return Size(*map(sum, zip(*sizes, strict=True))) if (sizes := list(sizes)) else Size()


def is_repository(folder: Path) -> bool:
    """Whether a folder is named as the repository of a language that UD has, or has a README."""
    name = own_name(folder.resolve().name)[0]
    return folder.is_dir() and name.startswith("UD_") and bool(code_of(name) or [*folder.glob("README.*")])


def repository_problems(folder: Path) -> Iterator[Problem]:
    """Yield the problems of level 0."""
    name = own_name(folder.resolve().name)[0]
    if not _NAME.fullmatch(name):
        yield _problem(folder, "repo-name", repr(name))
    entries = entries_of(folder)
    for path in entries:
        hidden, data = path.name.startswith("."), path.name.endswith(".conllu") and path.is_file()
        if not (hidden or data or (path.name in _ROOT and path.is_dir() == (path.name == "not-to-release"))):
            kind = "folder" if path.is_dir() else "file"
            yield _problem(path, "repo-files", f"the {kind} {path.name!r}")
    code = code_of(name)
    sizes: dict[str, Size] = {}
    for path in entries:
        if path.name.endswith(".conllu") and path.is_file():
            match = _DATA.fullmatch(path.name)
            expected = f"{code}-ud-train.conllu, -dev or -test" if code else None
            right = match is not None and match["code"].partition("_")[2] == name.partition("-")[2].lower()
            if match is None or not right or code not in {None, match["code"]}:
                yield _problem(path, "data-name", repr(path.name), wanted=expected)
            if match is not None:
                sizes[match["split"]] = _total([sizes.get(match["split"], Size()), _size(path)])
    if "test" not in sizes:
        test = folder / f"{code or 'xx_name'}-ud-test.conllu"
        yield _problem(test, "data-test", f"{', '.join(sizes)} only" if sizes else "no data")
    yield from _sizes(folder, sizes)
    if not (folder / "CONTRIBUTING.md").is_file():
        yield _problem(folder / "CONTRIBUTING.md", "contributing", "no such file")
    licence = _text(folder / "LICENSE.txt") or ""
    if not licence.strip():
        yield _problem(folder / "LICENSE.txt", "license", "an empty file" if licence else "no such file")
    yield from _readme(folder, licence, _total(sizes.values()))


def _problem(
    path: Path, rule: str, found: str, *, line: int = 1, columns: tuple[int, int] = (1, 1), wanted: str | None = None
) -> Problem:
    return Problem(str(path), line, None, None, rule, *columns, found, wanted)


def _size(path: Path) -> Size:
    """Count a file, however malformed."""
    with open_bytes(path) as stream:
        data = stream.read()
    forms = re.findall(rb"^[1-9][0-9]*\t([^\t\n]*)", data, re.MULTILINE)
    return Size(len(re.findall(rb"^1\t", data, re.MULTILINE)), len(forms), sum(form != b"_" for form in forms))


def _sizes(folder: Path, sizes: dict[str, Size]) -> Iterator[Problem]:
    """Test the sizes of the sets."""
    total = _total(sizes.values())
    words = {split: size.words for split, size in sizes.items()}
    if total.words and (total.sentences < SMALLEST[0] or total.words < SMALLEST[1]):
        yield _problem(folder, "treebank-size", f"{total.sentences:,} sentences and {total.words:,} words")
    if not words.get("test"):
        return
    trains = "train" in words and not (total.words < SPLIT_WORDS and sizes["train"].sentences <= SAMPLE)
    test, rest = words["test"], total.words - words["test"]
    if trains and total.words < SPLIT_WORDS:
        yield _problem(folder, "split-small", f"{total.words:,} words with a training set of {words['train']:,}")
    elif trains and test < TEST_WORDS:
        yield _problem(folder, "split-test", f"{test:,} words")
    elif trains and words["train"] < test:
        yield _problem(folder, "split-train", f"{words['train']:,} words for training and {test:,} for testing")
    elif not trains and total.words >= SPLIT_WORDS:
        yield _problem(folder, "split-train", f"{total.words:,} words without a training set")
    if trains and total.words >= SPLIT_WORDS and not words.get("dev"):
        yield _problem(folder, "split-dev", f"no development set, and {rest:,} words for training")
    if "dev" in words and "train" not in words:
        yield _problem(folder, "split-dev", "a development set without a training set")


def _text(path: Path) -> str | None:
    """Return a small text file, None if there is none; bytes that are not UTF-8 become U+FFFD."""
    try:
        with path.open("rb") as file:
            return file.read(1 << 20).decode(errors="replace").replace("\r\n", "\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TreegaugeError(f"{path}: {error.strerror or error}") from error


def _readme(folder: Path, licence: str, total: Size) -> Iterator[Problem]:
    """Test the README and its metadata."""
    places = [path for path in (folder / "README.md", folder / "README.txt") if path.is_file()]
    if len(places) != 1:
        found = "both README.md and README.txt" if places else "no such file"
        yield _problem(folder / "README.md", "readme", found)
        return
    path, text = places[0], _text(places[0]) or ""
    if "\ufffd" in text:
        yield _problem(path, "readme", "bytes that are not UTF-8", line=text[: text.index("\ufffd")].count("\n") + 1)
    missing = [title for title in _SECTIONS if not re.search(rf"^#[ \t]+{title}\b", text, re.MULTILINE | re.IGNORECASE)]
    if missing:
        yield _problem(path, "readme-sections", f"no section {', '.join(missing)}")
    blocks = list(_BLOCK.finditer(text))
    if len(blocks) != 1:
        yield _problem(path, "readme-metadata", f"{len(blocks)} blocks of machine-readable metadata")
        return
    start = blocks[0].end()
    fields = {match[1]: match for match in _FIELD.finditer(text, start)}
    last = max((match.end() for match in fields.values()), default=start)
    if _AFTER.fullmatch(text, last) is None:
        yield _problem(path, "readme-end", "text after the metadata", line=text[:last].count("\n") + 2)
    for name, allowed in FIELDS.items():
        field = fields.get(name)
        if field is None or not re.fullmatch(allowed, field[2]):
            yield _field_problem(path, text, name, field, f"{name} {field[2]!r}" if field else f"no line {name!r}")
    said = fields.get("Includes text")
    if said and total.words and (said[2] == "yes") != bool(total.forms) and said[2] in {"yes", "no"}:
        forms = f"{said[2]!r}, and {total.forms:,} of {total.words:,} words with a form"
        yield _field_problem(path, text, "Includes text", said, forms)
    here, there = licence_in(fields["License"][2]) if "License" in fields else None, licence_in(licence)
    if here and there and not (here.startswith(there) or there.startswith(here)):
        yield _field_problem(path, text, "License", fields["License"], f"{here} here and {there} in LICENSE.txt")


def _field_problem(path: Path, text: str, name: str, field: "re.Match[str] | None", found: str) -> Problem:
    place = field.start() if field else _last_line(text)
    line, begin = text[:place].count("\n") + 1, text.rfind("\n", 0, place) + 1
    columns = (field.start(2) - begin + 1, field.end(2) - begin + 1) if field else (1, 1)
    return _problem(path, f"readme-{name.lower().replace(' ', '-')}", found, line=line, columns=columns)


def _last_line(text: str) -> int:
    """Return where the metadata begins, for a field that is not there."""
    match = _BLOCK.search(text)
    return match.start() if match else 0


Status = Literal["valid", "legacy", "neglected", "invalid"]
Dispensations = Mapping[str, tuple[str, frozenset[str]]]
YEARS = 4
"""Age from which dispensations make a treebank a neglected one."""
FILE = "dispensations.json"


@dataclass(frozen=True)
class Verdict:
    """Whether a treebank can be released.

    Attributes
    ----------
    treebank
        Its name.
    status
        ``valid``; ``legacy`` if a dispensation covers each failing test; ``neglected`` if one of these is
        older than four years; otherwise ``invalid``.
    failing
        Numbers of errors by test, without those that a dispensation covers.
    tolerated
        Numbers of errors by test, and the day of the dispensation.
    known
        Whether dispensations were known.
    """

    treebank: str
    status: Status
    failing: Mapping[str, int]
    tolerated: Mapping[str, tuple[int, str]]
    known: bool

    def __str__(self) -> str:
        covered = ", ".join(f"{test} {n} (since {day})" for test, (n, day) in self.tolerated.items())
        if self.status == "valid":
            return f"{self.treebank}: valid"
        if self.status != "invalid":
            old = f", one of them for more than {YEARS} years" if self.status == "neglected" else ""
            return f"{self.treebank}: {self.status}: dispensations cover its errors{old}: {covered}"
        needs = "".join(f"\n  {n:>6,} {test}: {BY_ID[test].hint}" for test, n in self.failing.items())
        rest = f"\n  tolerated: {covered}" if covered else ""
        unknown = "" if self.known else f"\n  dispensations are not known: --rules FOLDER with {FILE} has them"
        after = "legacy" if covered else "valid"
        return f"{self.treebank}: invalid; without these errors: {after}{needs}{rest}{unknown}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON has them."""
        return asdict(self) | {"tolerated": {test: list(value) for test, value in self.tolerated.items()}}


def read_dispensations(folder: Path) -> Dispensations | None:
    """Return the day and the treebanks of each test in the official file; None if it is not there."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        entries = parse_json(path.read_bytes())["dispensations"]
        return {test: (str(entry["date"]), frozenset(entry["treebanks"])) for test, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TreegaugeError(f"{path}: found no table 'dispensations'; expected the official file") from error


def release_verdict(
    treebank: str, problems: Iterable[Problem], dispensations: Dispensations | None, today: date | None = None
) -> Verdict:
    """Return whether a treebank with these problems of levels 0 to 5 can be released.

    Examples
    --------
    >>> wrong = Problem("a.conllu", 7, "s1", "2", "leaf-det", 5, 6, "DEPREL 'obj'")
    >>> known = {"leaf-det": ("2024-12-03", frozenset(["UD_Greek-GDT"]))}
    >>> print(release_verdict("UD_Greek-GDT", [wrong], known, date(2026, 1, 1)))
    UD_Greek-GDT: legacy: dispensations cover its errors: leaf-det 1 (since 2024-12-03)
    """
    errors = Counter(problem.id for problem in problems if problem.severity == "error" and problem.level < 6)
    days = {test: day for test, (day, names) in (dispensations or {}).items() if treebank in names and test in errors}
    failing = {test: n for test, n in errors.most_common() if test not in days}
    tolerated = {test: (errors[test], day) for test, day in sorted(days.items(), key=lambda pair: pair[1])}
    now = today or date.today()
    old = [day for day in days.values() if date.fromisoformat(day[:10]) < _years_before(now)]
    status: Status = "invalid" if failing else "neglected" if old else "legacy" if tolerated else "valid"
    return Verdict(treebank, status, failing, tolerated, dispensations is not None)


def _years_before(day: date) -> date:
    return day.replace(year=day.year - YEARS, day=min(day.day, 28))
