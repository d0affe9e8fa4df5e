"""Everything that is wrong with CoNLL-U files, by the rules of Universal Dependencies."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import note
from treegauge.core.result import sign
from treegauge.core.verbs import verb
from treegauge.treebanks.sources import Source, find, short_name
from treegauge.validation.report import ValidationReport

if TYPE_CHECKING:
    from treegauge.validation.baseline import Baseline
    from treegauge.validation.language_data import LanguageData
    from treegauge.validation.problem import Problem

LEVELS = (1, 2, 3, 4, 5)


@verb
def check(
    *sources: Source,
    split: str | None = None,
    level: int = 3,
    lang: str | None = None,
    rules: str | PathLike[str] | None = None,
    warnings: bool = True,
    strict: bool = False,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    baseline: str | PathLike[str] | None = None,
    write_baseline: str | PathLike[str] | None = None,
    changed: str | None = None,
) -> ValidationReport:
    """List everything that is wrong with CoNLL-U files.

    The tests are those of UD validation, under their official names, and all files are one
    treebank. Each problem has its file, line, column and sent_id, what was found and what was
    expected. The command exits with 1 if there is an error.

    Parameters
    ----------
    *sources
        Files, folders, patterns, or names under TREEGAUGE_UD; - is standard input.
    split
        train, dev or test: only this set of folders and patterns.
    level
        1 tests CoNLL-U, which suffices for files without trees; 2 also the UD format, 3 what all
        languages have in common, 4 the labels of the language, 5 its auxiliaries and copulas.
    lang
        The language, for levels 4 and 5: its code, such as el; by default that in the names of
        the files.
    rules
        Language data for levels 4 and 5: a folder with the official files, or a packed file. By
        default the environment variable TREEGAUGE_RULES, else the packaged data.
    warnings
        List warnings as well as errors.
    strict
        Fail on warnings as well.
    include
        Only these tests, by their names, separated by commas.
    exclude
        All but these tests.
    baseline
        A file of known problems: only others are listed and counted.
    write_baseline
        Write all problems to this file, as the baseline of later checks.
    changed
        A commit, branch or tag of git: only problems of sentences with a line that changed since
        then are listed and counted.

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
    if level not in LEVELS:
        raise ChoiceError("level", level, LEVELS)
    from treegauge.validation.problem_list import ProblemList

    files = _files(sources, split)
    chosen = _chosen(include, exclude)
    known = _known(baseline, chosen, level)
    data: LanguageData | None = None
    if level > 3:
        from treegauge.validation.language_data import language_data

        data = language_data(rules)
        lang = lang or _language(files)
        if lang not in data:
            note(f"[{lang}] is not in the language data of {data.date}: nothing is permitted")
    elif lang is not None or rules is not None:
        given = "--lang" if lang is not None else "--rules"
        note(f"{given} is for levels 4 and 5; this is level {level}")
    digests = {file: hashlib.sha256() for file in files}
    found = ProblemList(_problems(files, level, lang, data, digests, chosen))
    for file, digest in digests.items():
        if digest.digest() == hashlib.sha256().digest():
            note(f"{file} is empty")
    if write_baseline is not None:
        from treegauge.validation.baseline import read_baseline
        from treegauge.validation.baseline import write_baseline as write

        write(found, files, write_baseline)
        known = read_baseline(write_baseline)
    gone = 0
    new = found
    if known is not None:
        from treegauge.validation.baseline import compare, file_names

        compared = compare(found, known.counts)
        new = ProblemList(compared.new)
        if known.files == file_names(files):  # other files cannot show that a problem is gone
            gone = compared.gone
    unknown = len(new)
    if changed is not None:
        from treegauge.validation.changes import in_changed_sentences

        new = ProblemList(in_changed_sentences(new, changed, files=files))
    counts = new.severities()
    marks = "+".join(f"{short_name(file)}#{one.hexdigest()[:6]}" for file, one in digests.items())
    date = data.date if data is not None else None
    signature = sign(
        check=marks, level=level, lang=lang if data is not None else None, data=date,
        include=",".join(_listed(include)) or None, exclude=",".join(_listed(exclude)) or None,
        changed=changed,
    )  # fmt: skip
    return ValidationReport(
        tuple(files),
        new if warnings else ProblemList(one for one in new if one.severity == "error"),
        counts["error"],
        counts["warning"],
        level,
        signature,
        lang=lang if data is not None else None,
        language_data=date,
        known=len(found) - unknown,
        gone=gone,
        strict=strict,
        changed=changed,
    )


def _files(sources: Sequence[Source], split: str | None) -> list[str]:
    """Return the files that sources name."""
    if not sources:
        raise TreegaugeError("no file to check; give CoNLL-U files, folders or patterns")
    for source in sources:
        if not isinstance(source, str | PathLike):
            raise TreegaugeError(
                f"found {type(source).__name__}; expected paths or names, one argument each"
            )
    return [path for source in sources for path in find(source, split=split)]


def _problems(
    files: Sequence[str],
    level: int,
    lang: str | None,
    data: "LanguageData | None",
    digests: "dict[str, hashlib._Hash]",
    chosen: frozenset[str],
) -> "Iterator[Problem]":
    """Yield the problems of the chosen tests."""
    from treegauge.validation.engine import validate

    tests = None
    if data is not None:
        from treegauge.validation.language_checks import LanguageChecks

        tests = LanguageChecks(data, lang or "ud", level)
    problems = validate(
        files,
        level=level,
        lang=lang or "ud",
        language_tests=tests,
        digest=lambda file, piece: digests[file].update(piece),
    )
    return (one for one in problems if one.id in chosen) if chosen else problems


def _listed(names: str | Sequence[str]) -> list[str]:
    """Return names that were separated by commas."""
    words = [names] if isinstance(names, str) else names
    return [name.strip() for word in words for name in word.split(",") if name.strip()]


def _chosen(include: str | Sequence[str], exclude: str | Sequence[str]) -> frozenset[str]:
    """Return the tests to be reported; none for all of them."""
    wanted, unwanted = _listed(include), _listed(exclude)
    if not (wanted or unwanted):
        return frozenset()
    from treegauge.validation.rules import BY_ID

    for name in (*wanted, *unwanted):
        if name not in BY_ID:
            raise ChoiceError("test", name, BY_ID)
    chosen = frozenset(wanted or BY_ID) - frozenset(unwanted)
    if not chosen:
        raise TreegaugeError("no test is left: --exclude names all that --include does")
    return chosen


def _known(
    path: str | PathLike[str] | None, chosen: frozenset[str], level: int
) -> "Baseline | None":
    """Return a baseline, as far as these tests can find its problems again."""
    if path is None:
        return None
    from treegauge.validation.baseline import read_baseline
    from treegauge.validation.rules import BY_ID

    known = read_baseline(path)
    tests = {name for name in chosen or BY_ID if BY_ID[name].level <= level}
    kept = {key: count for key, count in known.counts.items() if key[2] in tests}
    return known._replace(counts=Counter(kept))


def _language(files: Iterable[str]) -> str:
    """Return the language in the names of files such as ``el_gdt-ud-test.conllu``."""
    codes = {name.partition("_")[0] for name in map(short_name, files) if "-ud-" in name}
    if len(codes) == 1:
        return codes.pop()
    found = f"names of {', '.join(sorted(codes))}" if codes else "no language in their names"
    raise TreegaugeError(
        f"levels 4 and 5 need the language of the files, found {found}; give it as --lang el"
    )
