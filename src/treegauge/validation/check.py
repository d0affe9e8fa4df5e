"""The verb ``check``: validation by the rules of Universal Dependencies."""

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.file_kinds import JSON
from treegauge.core.messages import note
from treegauge.core.result import sign
from treegauge.core.verbs import verb
from treegauge.kernels import validation as kernel
from treegauge.kernels.scan import count_lines
from treegauge.treebanks.sources.files import Source, pieces, short_name
from treegauge.treebanks.sources.languages import own_name
from treegauge.treebanks.sources.resolver import find, resolve_source
from treegauge.validation.messages import Chunk, LanguageFinding, LanguageTests, Reporter, Values
from treegauge.validation.own_checks import OwnChecks
from treegauge.validation.problems import BY_ID, Problem, ProblemList, Rule, explained
from treegauge.validation.report import ValidationReport
from treegauge.validation.repository import (
    Verdict,
    is_repository,
    read_dispensations,
    release_verdict,
    repository_problems,
)
from treegauge.validation.values import Look

if TYPE_CHECKING:
    from treegauge.validation.fixes import FixedFile
    from treegauge.validation.language_data import LanguageData
    from treegauge.validation.new_problems import Baseline


LEVELS = (1, 2, 3, 4, 5)
OLD = 60
"""Days after which language data is called old."""


@verb(outputs={"write_baseline": JSON})
def check(
    *sources: Source,
    split: str | None = None,
    ud_level: int = 3,
    lang: str | None = None,
    rules: str | PathLike[str] | None = None,
    warnings: bool = True,
    strict: bool = False,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    baseline: str | PathLike[str] | None = None,
    write_baseline: str | PathLike[str] | None = None,
    changed: str | None = None,
    fix: bool = False,
    explain: str | Sequence[str] = (),
) -> ValidationReport:
    """Validate CoNLL-U files and list all problems.

    The tests are those of UD validation, with their official names. All files are treated as one
    treebank. The folder of a repository, such as UD_Greek-GDT, is tested, too: its files, names, sizes
    and metadata (level 0). At level 5 the result says whether it can be released. Each problem shows
    its file, line, column and sent_id, what was found and what was expected. The command exits with 1
    if there is an error.

    Parameters
    ----------
    *sources
        Files, folders, patterns, or names under TREEGAUGE_UD; - is standard input.
    split
        Check only this set (train, dev or test) of folders and patterns.
    ud_level
        Level of UD validation (udvalidate --level): 1 tests the CoNLL-U format (enough for files
        without trees), 2 also the UD format, 3 also rules for all languages, 4 also the labels of
        the language, 5 also its auxiliaries and copulas.
    lang
        Code of the language for levels 4 and 5, such as el; by default taken from the file names.
    rules
        Language data for levels 4 and 5: a folder with the official files, or a packed file. By
        default the environment variable TREEGAUGE_RULES, else the packaged data.
    warnings
        List warnings as well as errors.
    strict
        Fail on warnings as well.
    include
        Run only these tests, by name, separated by commas.
    exclude
        Run all tests except these.
    baseline
        A file of known problems; only new ones are listed and counted.
    write_baseline
        Write all problems to this file, as a baseline for later checks.
    changed
        A git commit, branch or tag; only problems of sentences that changed since then are listed
        and counted.
    fix
        Print repairs of what has one correct answer, as a unified diff: white space, line ends,
        numbers of words, SpaceAfter, and the order of features, relations and attributes. -o
        FILE.patch writes it; git apply applies it.
    explain
        Say what these tests ask for, with an example that fails and its repair, and check nothing.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.conllu"
    >>> _ = path.write_bytes(synthetic(20, seed=1).to_bytes().replace(b"root", b"Root"))
    >>> report = check(path, include="invalid-deprel")
    >>> report.errors, report.problems[0].id, report.exit_code
    (20, 'invalid-deprel', 1)
    """
    if ud_level not in LEVELS:
        raise ChoiceError("level of UD validation", ud_level, LEVELS)
    if explain:
        return _explained(_listed(explain), sources, split, ud_level)
    files = _files(sources, split)
    folders = [] if split else _repositories(sources)
    own = OwnChecks([*folders, *(Path(file).parent for file in files if file != "-")]) if ud_level > 1 else None
    own_rules = own.rules if own else {}
    chosen = _chosen(include, exclude, own_rules)
    known = _known(baseline, chosen, ud_level, own_rules)
    data = _language_data(ud_level, lang, rules)
    if data is not None:
        lang = lang or _language(files)
        if lang not in data:
            note(
                f"language {lang!r} is not in the language data of {data.date}, so each of its "
                "features and relations is an error; check the code (Greek is el)"
            )
    digests = {file: hashlib.sha256() for file in files}
    problems = ProblemList(
        problem for folder in folders for problem in repository_problems(folder) if not chosen or problem.id in chosen
    )
    problems.extend(_problems(files, ud_level, lang, data, digests, chosen, own))
    for file, digest in digests.items():
        if digest.digest() == hashlib.sha256().digest():
            note(f"{file} is empty")
    written: tuple[str, int, int] | None = None
    if write_baseline is not None:
        from treegauge.validation.new_problems import read_baseline
        from treegauge.validation.new_problems import write_baseline as write

        write(problems, files, write_baseline)
        known = read_baseline(write_baseline)
        counts = problems.severities()
        written = str(write_baseline), counts["error"], counts["warning"]
    gone = 0
    new = problems
    if known is not None:
        from treegauge.validation.new_problems import compare_with_baseline, file_names

        compared = compare_with_baseline(problems, known.counts)
        new = ProblemList(compared.new)
        if known.files == file_names(files):  # other files say nothing about problems that are gone
            gone = compared.gone
    unknown = len(new)
    if changed is not None:
        from treegauge.validation.new_problems import in_changed_sentences

        new = ProblemList(in_changed_sentences(new, changed, files=files))
    counts = new.severities()
    marks = "+".join(f"{short_name(file)}#{digest.hexdigest()[:6]}" for file, digest in digests.items())
    date = data.date if data is not None else None
    signature = sign(
        check=marks, level=ud_level, lang=lang if data is not None else None, data=date,
        include=",".join(_listed(include)) or None, exclude=",".join(_listed(exclude)) or None,
        own=own.mark if own else None, changed=changed,
    )  # fmt: skip
    return ValidationReport(
        tuple(files),
        new if warnings else ProblemList(problem for problem in new if problem.severity == "error"),
        counts["error"],
        counts["warning"],
        ud_level,
        signature,
        lang=lang if data is not None else None,
        language_data=date,
        known=len(problems) - unknown,
        gone=gone,
        strict=strict,
        changed=changed,
        written=written,
        verdict=_verdict(folders, ud_level, problems, rules) if not (chosen or changed) else None,
        trend=_trend(problems, known) if known is not None else None,
        since=Path(baseline or write_baseline or "").stem,
        fixes=_fixes(files, lambda file: _problems([file], ud_level, lang, data, {}, chosen)) if fix else None,
    )


def _verdict(
    folders: Sequence[Path], ud_level: int, problems: ProblemList, rules: str | PathLike[str] | None
) -> Verdict | None:
    """Return whether a repository can be released, if one was tested at all levels."""
    if len(folders) != 1 or ud_level != LEVELS[-1]:
        return None
    place = Path(rules or os.environ.get("TREEGAUGE_RULES") or "")
    return release_verdict(own_name(folders[0].resolve().name)[0], problems, read_dispensations(place))


def _trend(problems: ProblemList, known: "Baseline") -> dict[str, tuple[int, int]]:
    """Return the number of problems in the baseline and now, by test."""
    now, before = problems.tests(), Counter[str]()
    for (_, _, test, _), count in known.counts.items():
        before[test] += count
    return {test: (before[test], now[test]) for test in sorted(before | now)}


def _explained(tests: Sequence[str], sources: Sequence[Source], split: str | None, level: int) -> ValidationReport:
    """Return what tests ask for; files are read for their own checks only."""
    own = OwnChecks(Path(file).parent for file in _files(sources, split)).rules if sources else {}
    explanations = tuple(explained(test, own) for test in tests)
    return ValidationReport((), ProblemList(), 0, 0, level, sign(explain=",".join(tests)), explanations=explanations)


def _files(sources: Sequence[Source], split: str | None) -> list[str]:
    """Return the files that match the sources."""
    if not sources:
        raise TreegaugeError("no file to check; give CoNLL-U files, folders or patterns")
    for source in sources:
        if not isinstance(source, str | PathLike):
            raise TreegaugeError(f"found {type(source).__name__}; expected paths or names, one argument each")
    return [path for source in sources for path in find(source, split=split)]


def _language_data(ud_level: int, lang: str | None, rules: str | PathLike[str] | None) -> "LanguageData | None":
    """Return the language data of levels 4 and 5, with a note if it is old."""
    if ud_level > 3:
        from treegauge.validation.language_data import language_data

        data = language_data(rules)
        if (days := data.age()) > OLD:
            note(
                f"the language data is of {data.date}, {days} days old, and changes daily: treegauge fetch "
                "language-data --replace fetches the newest, --rules FOLDER uses it"
            )
        return data
    if lang is not None or rules is not None:
        option = "--lang" if lang is not None else "--rules"
        note(f"{option} is for levels 4 and 5; got --ud-level {ud_level}")
    return None


def _fixes(files: Iterable[str], validated: "Callable[[str], Iterable[Problem]]") -> "tuple[FixedFile, ...]":
    """Return the repaired files, and say how much was repaired."""
    from treegauge.validation.fixes import fix_file

    fixes = []
    for file in files:
        if not file.endswith(".conllu") or (fixed := fix_file(file, validated)) is None:
            note(f"{file}: not repaired: expected a file .conllu in UTF-8")
        else:
            fixes.append(fixed)
    gone = sum((fixed.repaired for fixed in fixes), Counter[str]())
    which = ", ".join(f"{test} {n:,}" for test, n in gone.most_common())
    note(f"problems that the diff repairs: {gone.total():,}{f' ({which})' if which else ''}")
    return tuple(fixes)


def _repositories(sources: Sequence[Source]) -> list[Path]:
    """Return the folders of repositories among the sources."""
    words = [source for source in sources if os.fspath(source) != "-"]
    places = [Path(path) for word in words for path in resolve_source(word, quiet=True)]
    return [place for place in dict.fromkeys(places) if is_repository(place)]


def _problems(
    files: Sequence[str],
    level: int,
    lang: str | None,
    data: "LanguageData | None",
    digests: "dict[str, hashlib._Hash]",
    chosen: frozenset[str],
    own: "OwnChecks | None" = None,
) -> "Iterator[Problem]":
    """Yield the problems of the chosen tests."""
    tests = None
    if data is not None:
        from treegauge.validation.language_checks import LanguageChecks

        tests = LanguageChecks(data, lang or "ud", level)
    problems = validate(
        files,
        level=level,
        lang=lang or "ud",
        language_tests=tests,
        own=own,
        digest=(lambda file, piece: digests[file].update(piece)) if digests else None,
    )
    return (problem for problem in problems if problem.id in chosen) if chosen else problems


def _listed(names: str | Sequence[str]) -> list[str]:
    """Split names at commas."""
    words = [names] if isinstance(names, str) else names
    return [name.strip() for word in words for name in word.split(",") if name.strip()]


def _chosen(include: str | Sequence[str], exclude: str | Sequence[str], own: Mapping[str, Rule]) -> frozenset[str]:
    """Return the tests to report; empty for all."""
    wanted, unwanted = _listed(include), _listed(exclude)
    if not (wanted or unwanted):
        return frozenset()
    names = {**BY_ID, **own}
    for name in (*wanted, *unwanted):
        if name not in names:
            raise ChoiceError("test", name, names)
    chosen = frozenset(wanted or names) - frozenset(unwanted)
    if not chosen:
        raise TreegaugeError("no test is left: --exclude lists all tests in --include")
    return chosen


def _known(
    path: str | PathLike[str] | None, chosen: frozenset[str], level: int, own: Mapping[str, Rule]
) -> "Baseline | None":
    """Return the part of a baseline that these tests can find again."""
    if path is None:
        return None
    from treegauge.validation.new_problems import read_baseline

    known = read_baseline(path)
    tests = {name for name in chosen or {**BY_ID, **own} if name in own or BY_ID[name].level <= level}
    kept = {key: count for key, count in known.counts.items() if key[2] in tests}
    return known._replace(counts=Counter(kept))


def _language(files: Iterable[str]) -> str:
    """Return the language in the names of files such as ``el_gdt-ud-test.conllu``."""
    codes = {name.partition("_")[0] for name in map(short_name, files) if "-ud-" in name}
    if len(codes) == 1:
        return codes.pop()
    in_names = f"names of {', '.join(sorted(codes))}" if codes else "no language in their names"
    raise TreegaugeError(f"levels 4 and 5 need the language of the files; found {in_names}; give it as --lang el")


CHUNK = 1 << 20
DELAYED = 4096
"""Offset that the kernels add to rules that count only if the treebank has features."""


def validate(
    files: Iterable[str],
    *,
    level: int = 3,
    lang: str = "ud",
    language_tests: LanguageTests | None = None,
    own: OwnChecks | None = None,
    digest: Any = None,
    chunk: int = CHUNK,
) -> Iterator[Problem]:
    """Yield the problems of the files of one treebank, in the order of their lines.

    `files` are one treebank: IDs must be unique over all. `own` are checks of the treebank's own. `digest` is called
    with each file and each piece of its bytes; memory stays proportional to `chunk`, the bytes read at a time (and to
    the longest sentence).
    """
    book = kernel.book(min(level, 3), lang if level > 3 else "ud", Look())
    values = Values(*kernel.values(book))
    waiting = ProblemList()
    last_line, file = 0, ""
    for file in files:
        kernel.start_file(book)
        line = 1
        data = b""
        for data in pieces(file, chunk):
            if digest is not None:
                digest(file, data)
            array, lines = _valid(data)
            result = kernel.validate(book, array, lines)
            records, begins = result[:2]
            view = Chunk(array, line, *result[2:], values)
            carriage_returns, last_token, features, copies = kernel.state(book)
            if last_token >= 0:
                last_line = line + last_token
            report = Reporter(view, file, begins)
            findings: list[LanguageFinding] = []
            if language_tests is not None and level > 3:
                findings += language_tests.findings(view)
            if own is not None:
                findings += own.findings(file, view, begins)
            if features and waiting:
                yield from waiting
                waiting = ProblemList()
            if len(records) or findings:
                late = records[:, 0] >= DELAYED
                records[late, 0] -= DELAYED
                if not features and late.any():
                    waiting.extend(report.problems(records[late], ()))
                    records = records[~late]
                yield from report.problems(records, findings)
            line += int(begins[-1])
        if line > 1 and carriage_returns:
            yield Problem(file, line - 1, None, None, "non-unix-newline", 1, 1, "CR or CRLF")
    if level > 2 and last_line and copies:
        yield Problem(
            file, last_line, None, None, "edeps-identical-to-basic-trees", 1, 1,
            "enhanced graphs that are all copies of the basic trees",
        )  # fmt: skip


def _valid(data: bytes) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], int]:
    """Return bytes as valid UTF-8, and their number of lines; other bytes become U+FFFD."""
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            data = data.decode(errors="replace").encode()
    array = np.frombuffer(data, np.uint8)
    return array, count_lines(array)
