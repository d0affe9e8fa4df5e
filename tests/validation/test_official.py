"""Our problems equal the official validator's: on invented cases, its own cases and treebanks.

Here a part that takes seconds; all files and 20,000 damaged sentences by
``python -m tests.validation.compare``.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import treegauge as tg
from studies.treebanks import treebank_files
from tests.validation.cases import GO, LEVEL_1, LEVEL_2, UNREACHABLE, sentence
from tests.validation.cases_content import LEVEL_3, LEVELS_4_AND_5
from tests.validation.compare import (
    CASES,
    TREEBANKS,
    compared,
    damage_files,
    language_of,
    official_cases,
    split_at_crashes,
    written,
)
from tests.validation.invented import invented
from treegauge.validation.problems import BY_ID

GROUPS = sorted({(case.level, case.lang) for case in CASES.values()})


def test_every_test_that_a_file_can_fail_has_a_case():
    cases = {**LEVEL_1, **LEVEL_2, **LEVEL_3, **LEVELS_4_AND_5}
    lines = {name for name, rule in BY_ID.items() if rule.level}  # level 0 looks at folders
    assert {name for name in cases if ":" not in name} == lines
    assert len(lines) == 140
    assert len({*lines, *UNREACHABLE}) == 143


@pytest.mark.parametrize(("level", "lang"), GROUPS)
def test_invented_cases(level, lang, tmp_path):
    # One treebank of all cases: what is tested once per treebank has a case of its own.
    paths = []
    for number, case in enumerate(CASES.values()):
        if (case.level, case.lang) == (level, lang):
            folder = tmp_path / str(number)
            folder.mkdir()
            own = written(case, folder)
            paths += [path.rename(tmp_path / f"{number}-{path.name}") for path in own]
    result = compared(paths, lang, level, keep=True)
    assert result.same, str(result)
    assert result.reported


@pytest.mark.parametrize(
    "name",
    [
        "edeps-only-sometimes", "edeps-only-sometimes:after", "edeps-identical-to-basic-trees",
        "pron-det-without-prontype", "pron-det-without-prontype:none", "goeswith-missing-typo:none",
        "goeswith-missing-typo:delayed", "empty-node-after-eorphan", "non-unique-sent-id:files",
        "unknown-udeprel:ref", "missing-empty-line", "non-unix-newline:old",
    ],
)  # fmt: skip
def test_what_is_tested_once_per_treebank(name, tmp_path):
    case = CASES[name]
    result = compared(written(case, tmp_path), case.lang, case.level, keep=True)
    assert result.same, str(result)


def test_the_official_cases(tmp_path):
    try:
        cases = list(official_cases(tmp_path))
    except OSError as error:
        pytest.skip(f"the source archive of udtools: {error}")
    assert len(cases) == 116
    with ThreadPoolExecutor() as pool:  # the first time, each case is a process
        made = pool.map(lambda case: compared([case[0]], case[2], case[1], keep=True), cases)
        results = dict(zip((path.name for path, _, _ in cases), made, strict=True))
    different = {name: str(result) for name, result in results.items() if not result.same}
    assert not different
    assert sum(result.reported for result in results.values()) > 200


@pytest.mark.parametrize("level", [3, 5])
@pytest.mark.parametrize("name", ["mr_ufal-ud-dev", "kk_ktb-ud-train", "olo_kkpp-ud-test"])
def test_treebanks(name, level, ud):
    for path in treebank_files(f"{name}.conllu"):
        result = compared([path], language_of(path), level, keep=True)
        assert result.same, str(result)


@pytest.mark.parametrize("code", TREEBANKS)
def test_random_damage(code, ud, tmp_path):
    (text,) = damage_files(code, 30, 18)
    for result in split_at_crashes(text, code.partition("_")[0], 5, tmp_path):
        assert result.same or result.crash, str(result)


@pytest.mark.parametrize("seed", range(3))
def test_random_treebanks(seed, tmp_path):
    text, lang = invented(seed)
    for result in split_at_crashes(text, lang, 5, tmp_path):
        assert result.same or result.crash, str(result)
        assert result.reported > 100


def test_the_official_program_crashes_and_ours_reports(tmp_path):
    path = Path(tmp_path) / "crash.conllu"
    path.write_text(sentence(GO, "2 a X 1 _", "3 b _ 1 nummod"))
    result = compared([path], "en", 3, keep=True)
    assert result.crash
    assert {problem.id for problem in result.extra} <= {"rel-upos-nummod"}
    assert tg.check(path).errors >= 3
