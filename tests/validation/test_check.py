"""``treegauge check`` and ``tg.check``: problems as compilers print them, and the exit code."""

import csv
import io
import json
import re
import time

import pytest

import treegauge as tg
from treegauge.testing.synthetic import synthetic
from treegauge.validation.check import check_conllu

SOUND = "# sent_id = a\n1\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
WARNED = "1-1\tgo\t_\t_\t_\t_\t_\t_\t_\t_\n1\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
WRONG = '# sent_id = b\n1\t"go", he\t_\t_\t_\t_\t7\troot\t_\t_\n2\tsaid\n\n'


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(SOUND + WARNED + WRONG)
    return path


def test_problems_like_a_compiler(command, file):
    done = command("check", file)
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[-1] == "a.conllu: 3 errors, 1 warning"
    del lines[-1]
    assert lines == list(map(str, check_conllu(file)))
    assert len(lines) == 4
    form = re.escape(str(file)) + r":\d+: (error|warning): [a-z-]+: found .*, expected .*"
    assert all(re.fullmatch(form, line) for line in lines)
    assert lines[1].startswith(
        f"{file}:8: error: head-range: found HEAD '7', expected a whole number"
    )
    assert lines[1].endswith("(sent_id b)")
    assert done.err == ""


def test_a_clean_file(command, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_bytes(synthetic(20, seed=1).to_bytes())
    assert command("check", path) == (0, "a.conllu: 0 errors, 0 warnings\n", "")


def test_warnings_fail_only_when_asked_to(command, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(WARNED)
    assert command("check", path).code == 0
    assert ": warning: multiword-range: " in command("check", path).out
    assert command("check", "--strict", path).code == 1
    quiet = command("check", "--no-warnings", path)
    assert (quiet.code, quiet.out) == (0, "a.conllu: 0 errors, 1 warning\n")


def test_python_does_the_same(command, file):
    report = tg.check(file)
    assert command("check", file).out == f"{report}\n"
    assert (report.errors, report.warnings, report.exit_code) == (3, 1, 1)
    assert report.table["line"].to_list() == [problem.line for problem in report.problems]
    assert "check:a#" in report.signature
    with pytest.raises(tg.TreegaugeError, match="no file to check"):
        tg.check()


def test_names_are_looked_up(tmp_path, monkeypatch):
    folder = tmp_path / "r2.9" / "UD_Greek-GDT"
    folder.mkdir(parents=True)
    (folder / "el_gdt-ud-test.conllu").write_text(SOUND)
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path))
    assert tg.check("el_gdt", split="test").files == (str(folder / "el_gdt-ud-test.conllu"),)


def test_json(command, file):
    done = command("check", "--format", "json", file)
    found = json.loads(done.out)
    assert done.code == 1
    assert list(found) == ["kind", "signature", "unit", "errors", "warnings", "rows"]
    assert (found["errors"], found["warnings"]) == (3, 1)
    assert found["signature"].startswith("treegauge:")
    expected = list(check_conllu(file))
    assert found["rows"] == [
        {name: getattr(problem, name) for name in
         ("file", "line", "level", "kind", "sent_id", "found", "expected")}
        for problem in expected
    ]  # fmt: skip


def test_csv(command, file):
    done = command("check", "--format", "csv", file)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert done.code == 1
    for ours, problem in zip(rows, check_conllu(file), strict=True):
        assert ours["line"] == str(problem.line)
        assert ours["found"] == problem.found
        assert ours["sent_id"] == (problem.sent_id or "")


def test_tables_to_paste(command, file):
    number = len(list(check_conllu(file)))
    latex = command("check", "--format", "latex", file)
    assert latex.code == 1
    assert latex.out.startswith("% treegauge:")
    assert latex.out.count(r" \\") == number + 1
    page = command("check", "--format", "html", file).out
    assert page.count("<tr>") == number + 1


def test_standard_input(command):
    done = command("check", "-", stdin=WRONG.encode())
    assert done.code == 1
    assert done.out.startswith("-:2: error: head-range")


def test_unparsed_text(command, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(SOUND.replace("\t0\troot", "\t_\t_"))
    assert command("check", path).code == 1
    assert command("check", "--unparsed", path).code == 0


def test_folders_and_several_files(command, tmp_path):
    for split in ("test", "train"):
        (tmp_path / f"x-ud-{split}.conllu").write_text(WRONG)
    done = command("check", tmp_path, tmp_path / "x-ud-test.conllu")
    *problems, summary = done.out.splitlines()
    order = [line.partition(".conllu")[0][-5:].strip("-") for line in problems[::3]]
    assert order == ["train", "test", "test"]
    assert "9 errors" in summary


def test_a_missing_file(command, tmp_path):
    done = command("check", tmp_path / "no.conllu")
    assert done.code == 2
    assert done.err == f"error: {tmp_path}/no.conllu: no such file or folder\n"


def test_a_hundred_thousand_problems(command, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(
        "# sent_id = x\n1\ta\t_\t_\t_\t_\t0\troot\tx\t_\n2\tb\t_\t_\t_\t_\t9\t_\t_\t_\n\n" * 50_000
    )
    start = time.process_time()
    done = command("check", path)
    assert time.process_time() - start < 20
    assert done.out.count("\n") == 100_001
    assert done.out.splitlines()[-2].startswith(f"{path}:199999: error: head-range")
    assert done.out.endswith("50000 errors, 50000 warnings\n")
