"""``treegauge check`` and ``tg.check``: problems as compilers print them, and the exit code."""

import csv
import io
import json
import re
import time

import pytest

import treegauge as tg
from tests.validation.cases import FINE, GO, sentence
from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.validation.report import read_check

WARNED = sentence(GO, "2 of ADP 1 dep F:ExtPos=ADP", "3 on ADP 2 fixed", "4 a ADP 1 dep", "5 b X 4 fixed", sent_id="w")
WRONG = sentence('1 "go",·he VERB 7 root', sent_id="b") + sentence("1 go VERB 0 Root", sent_id="c")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(FINE + WARNED + WRONG)
    return path


def test_problems_like_a_compiler(command, file):
    done = command("check", file)
    assert done.code == 1
    *lines, summary = done.out.splitlines()
    assert summary == "a.conllu: 3 errors, 1 warning"
    form = r":\d+:\d+: (error|warning): L[1-5] [a-z0-9-]+: found .*, expected .*"
    assert all(re.fullmatch(re.escape(str(file)) + form, line) for line in lines)
    assert [line.split(": ")[2] for line in lines] == [
        "L3 fixed-without-extpos", "L2 unknown-head", "L2 invalid-deprel", "L3 0-is-not-root"
    ]  # fmt: skip
    assert lines[1].endswith("""(sent_id b, word 1 '"go", he')""")
    assert done.err == ""


def test_a_clean_file(command, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_bytes(synthetic(20, seed=1).to_bytes())
    assert command("check", path) == (0, "a.conllu: 0 errors, 0 warnings\n", "")


def test_warnings_fail_only_when_asked_to(command, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(WARNED)
    assert command("check", path).code == 0
    assert ": warning: L3 fixed-without-extpos: " in command("check", path).out
    assert command("check", "--strict", path).code == 1
    quiet = command("check", "--no-warnings", path)
    assert (quiet.code, quiet.out) == (0, "a.conllu: 0 errors, 1 warning\n")


def test_python_does_the_same(command, file):
    report = tg.check(file)
    assert command("check", file).out == f"{report}\n"
    assert (report.errors, report.warnings, report.exit_code) == (3, 1, 1)
    assert report.table["line"].to_list() == [problem.line for problem in report.problems]
    assert "check:a#" in report.signature
    assert "|level:3" in report.signature
    with pytest.raises(tg.TreegaugeError, match="no file to check"):
        tg.check()


def test_levels_add_tests(file):
    numbers = [len(tg.check(file, ud_level=level, lang="en").problems) for level in (1, 2, 3, 4)]
    assert numbers == [0, 2, 4, 5]
    with pytest.raises(tg.TreegaugeError, match="unknown level of UD validation '6'; choices: 1, 2, 3, 4, 5"):
        tg.check(file, ud_level=6)


def test_names_are_looked_up(tmp_path, monkeypatch):
    folder = tmp_path / "r2.9" / "UD_Greek-GDT"
    folder.mkdir(parents=True)
    (folder / "el_gdt-ud-test.conllu").write_text(FINE)
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path))
    assert tg.check("el_gdt", split="test").files == (str(folder / "el_gdt-ud-test.conllu"),)


def test_the_language_is_that_of_the_names(tmp_path, command):
    path = tmp_path / "en_x-ud-test.conllu"
    path.write_text(sentence("1 go AUX 0 root"))
    done = command("check", "--ud-level", 5, path)
    assert "L5 aux-lemma: found LEMMA 'go'" in done.out
    assert done.out.endswith("1 error, 0 warnings (level 5, [en], language data of 2026-10-22)\n")
    report = tg.check(path, ud_level=5, lang="fr")
    assert (report.lang, report.language_data) == ("fr", "2026-10-22")
    assert "|lang:fr|data:2026-10-22" in report.signature
    other = tmp_path / "mine.conllu"
    other.write_text(FINE)
    with pytest.raises(tg.TreegaugeError, match="levels 4 and 5 need the language"):
        tg.check(other, ud_level=4)


def test_a_language_without_data(command, file):
    done = command("check", "--ud-level", 4, "--lang", "gr", "--include", "unknown-deprel", file)
    assert done.err == (
        "language 'gr' is not in the language data of 2026-10-22, so each of its features and "
        "relations is an error; check the code (Greek is el)\n"
    )
    assert "found DEPREL 'root'" in done.out


def test_a_language_without_its_level(command, file):
    done = command("check", "--lang", "el", file)
    assert done.err == "--lang is for levels 4 and 5; got --ud-level 3\n"


def test_several_subjects_and_objects_are_named(tmp_path):
    words = (GO, "2 a X 1 nsubj", "3 b X 1 csubj", "4 c X 1 nsubj:outer", "5 d X 1 obj",
             "6 e X 1 obj:x", "7 f X 1 iobj")  # fmt: skip
    (tmp_path / "a.conllu").write_text(sentence(*words), "utf-8")
    report = tg.check(tmp_path / "a.conllu", include="too-many-subjects,too-many-objects")
    assert [problem.found for problem in report.problems] == [
        "several subjects: 2 'a', 3 'b'",
        "several objects: 5 'd', 6 'e'",
    ]


def test_lists_are_refused_in_python():
    with pytest.raises(TreegaugeError, match="found list; expected paths or names"):
        tg.check(["a.conllu"])


def test_an_empty_file_is_named(command, tmp_path):
    (tmp_path / "a.conllu").touch()
    done = command("check", tmp_path / "a.conllu")
    assert done == (0, "a.conllu: 0 errors, 0 warnings\n", f"{tmp_path / 'a.conllu'} is empty\n")


def test_other_language_data(tmp_path):
    path = tmp_path / "en_x-ud-test.conllu"
    path.write_text(sentence("1 go AUX 0 root"))
    own = {"auxiliaries": ["go"], "relations": ["root"]}
    head = json.dumps({"format": "treegauge language data 1", "date": "2030-01-01"})
    (tmp_path / "own.jsonl").write_text(f"{head}\nen\t{json.dumps(own)}\n")
    report = tg.check(path, ud_level=5, rules=tmp_path / "own.jsonl")
    assert (report.errors, report.language_data) == (0, "2030-01-01")


def test_json(command, file):
    done = command("check", "--format", "json", file)
    found = json.loads(done.out)
    assert done.code == 1
    assert list(found) == [
        "kind", "signature", "unit", "files", "errors", "warnings", "ud_level", "lang", "language_data",
        "baseline", "changed", "tests", "verdict", "problems",
    ]  # fmt: skip
    assert (found["errors"], found["warnings"]) == (3, 1)
    assert found["problems"] == [problem.to_dict() for problem in tg.check(file).problems]
    head = found["problems"][1]
    expected = {
        "line": 15, "sent_id": "b", "node": "1", "level": 2, "class": "SYNTAX",
        "id": "unknown-head", "severity": "error",
    }  # fmt: skip
    assert {name: head[name] for name in expected} == expected


def test_csv(command, file):
    done = command("check", "--format", "csv", file)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert done.code == 1
    for ours, problem in zip(rows, tg.check(file).problems, strict=True):
        assert ours["line"] == str(problem.line)
        assert ours["found"] == problem.found
        assert ours["sent_id"] == (problem.sent_id or "")


def test_formats_for_other_programs(command, file, tmp_path):
    done = command("check", "--format", "github", file)
    assert done.code == 1
    assert done.out.count("::error file=") == 3
    assert done.out.count("::warning file=") == 1
    done = command("check", "--format", "sarif", file)
    log = json.loads(done.out)
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == [problem.id for problem in tg.check(file).problems]
    assert command("check", file, "-o", tmp_path / "x.sarif").code == 1
    assert json.loads((tmp_path / "x.sarif").read_text()) == log


def test_tables_to_paste(command, file):
    latex = command("check", "--format", "latex", file)
    assert latex.code == 1
    assert latex.out.startswith("% treegauge:")
    assert latex.out.count(r" \\") == 5
    page = command("check", "--format", "html", file).out
    assert page.count("<tr>") == 5


def test_only_some_tests(file):
    assert {one.id for one in tg.check(file, include="unknown-head").problems} == {"unknown-head"}
    left = tg.check(file, exclude=["unknown-head,fixed-without-extpos", "0-is-not-root"])
    assert [one.id for one in left.problems] == ["invalid-deprel"]
    assert (left.errors, left.warnings) == (1, 0)
    assert "|exclude:unknown-head,fixed-without-extpos,0-is-not-root" in left.signature
    with pytest.raises(tg.TreegaugeError, match="did you mean 'unknown-head'"):
        tg.check(file, exclude="unknown-heads")
    with pytest.raises(tg.TreegaugeError, match="no test is left"):
        tg.check(file, include="unknown-head", exclude="unknown-head")


def test_only_new_problems(command, file, tmp_path):
    known = tmp_path / "baseline.json"
    done = command("check", file, "--write-baseline", known)
    summary = f"a.conllu: 3 errors, 1 warning, all written to the baseline {known}\n"
    assert done == (0, summary, "")
    # A sentence in front moves all lines; a new problem is the only one that is listed.
    new = sentence("1 go VERB 0 Root", sent_id="new")
    file.write_text(sentence(GO, sent_id="first") + FINE + WARNED + WRONG + new)
    done = command("check", file, "--baseline", known)
    assert done.code == 1
    *lines, summary = done.out.splitlines()
    assert [line.rpartition(" (sent_id ")[2] for line in lines] == ["new, word 1 'go')"] * 2
    assert summary == "a.conllu: 2 errors, 0 warnings; the baseline has 4 more"
    file.write_text(FINE + WRONG)
    report = tg.check(file, baseline=known)
    assert (report.exit_code, report.known, report.gone) == (0, 3, 1)
    assert str(report).endswith("the baseline has 3 more and 1 that are gone")


def test_what_is_not_tested_is_not_gone(file, tmp_path):
    known = tmp_path / "baseline.json"
    tg.check(file, write_baseline=known)
    assert tg.check(file, baseline=known, ud_level=2).known == 2
    for options in ({"ud_level": 2}, {"include": "unknown-head"}, {"exclude": "unknown-head"}):
        report = tg.check(file, baseline=known, **options)
        assert (report.errors, report.gone) == (0, 0)
    other = tmp_path / "b.conllu"
    other.write_text(FINE)
    assert tg.check(other, baseline=known).gone == 0


def test_standard_input(command):
    done = command("check", "-", stdin=WRONG.encode())
    assert done.code == 1
    assert done.out.startswith("-:3:")
    assert ": error: L2 unknown-head" in done.out


def test_files_without_trees(command, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(FINE.replace("\t0\troot", "\t_\t_"))
    assert command("check", path).code == 1
    assert command("check", "--ud-level", 1, path).code == 0


def test_folders_and_several_files(command, tmp_path):
    for split in ("test", "train"):
        (tmp_path / f"x-ud-{split}.conllu").write_text(WRONG)
    done = command("check", tmp_path, tmp_path / "x-ud-test.conllu")
    *problems, by_test, summary = done.out.splitlines()
    assert by_test == "by test: unknown-head 3, invalid-deprel 3, 0-is-not-root 3, non-unique-sent-id 2"
    order = [line.partition(".conllu")[0][-5:].strip("-") for line in problems]
    assert order == ["train"] * 3 + ["test"] * 8
    # All files are one treebank: its sentence IDs are unique.
    assert sum("non-unique-sent-id" in line for line in problems) == 2
    assert "11 errors" in summary


def test_a_missing_file(command, tmp_path):
    done = command("check", tmp_path / "no.conllu")
    assert done.code == 2
    assert done.err == f"error: {tmp_path}/no.conllu: no such file or folder\n"


def test_a_hundred_thousand_problems(command, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("# text = a\n1\ta\t_\tX\t_\t_\t0\tRoot\t_\t_\n\n" * 50_000)
    start = time.process_time()
    done = command("check", path, "--ud-level", 2)
    assert time.process_time() - start < 20
    assert done.out.count("\n") == 100_002
    assert done.out.endswith("100000 errors, 0 warnings\n")


def test_a_saved_report_is_read_back(file, tmp_path):
    for number, options in enumerate(
        ({}, {"ud_level": 5, "lang": "en"}, {"warnings": False, "include": "unknown-head"})
    ):
        made = tg.check(file, **options)
        made.save(tmp_path / f"{number}.json")
        again = read_check(tmp_path / f"{number}.json")
        assert again.problems == made.problems
        assert [problem.message for problem in again.problems] == [problem.message for problem in made.problems]
        assert (str(again), again.to_json(), again.exit_code) == (str(made), made.to_json(), made.exit_code)
    (tmp_path / "x.json").write_text('{"kind": "check", "problems": [{}]}')
    with pytest.raises(TreegaugeError, match=r"x\.json: found another kind of file; expected .* treegauge check"):
        read_check(tmp_path / "x.json")
