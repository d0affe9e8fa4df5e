"""Own checks: found where the treebank is, in every format, and mistakes in the file by line."""

import json
import re
import shutil
import subprocess

import pytest

from tests.validation.cases import sentence
from treegauge.auditing.review import review
from treegauge.core.errors import TreegaugeError
from treegauge.validation.check import check, validate
from treegauge.validation.own_checks import OwnChecks, read_checks
from treegauge.validation.report import read_check

FILE = """# rules of this treebank
[[check]]
name = "adverb-with-case"
find = "upos=ADV > deprel=case"
message = "an adverb with a case marker"
level = "error"

[[check]]
name = "late-subject"
find = "deprel=nsubj head=left"
message = "a subject after its verb"
expected = "the subject first"
hint = "See page 3 of the guidelines."
"""
RISES = ("1 rises VERB 0 root", "2 sun NOUN 1 nsubj")
FROM = ("1 go VERB 0 root", "2 from ADP 3 case", "3 here ADV 1 advmod")


@pytest.fixture
def home(tmp_path):
    """A folder with a treebank of four sentences, the third of which is not a tree, and its checks."""
    parts = [
        sentence(*FROM, sent_id="a"), sentence(*RISES, sent_id="b"),
        sentence(*RISES, sent_id="c").replace("\t1\tnsubj", "\t7\tnsubj"),
        sentence("1-2 risesit _ _ _", "1 rises VERB 0 root", "2 it PRON 1 nsubj F:PronType=Prs", sent_id="d"),
    ]  # fmt: skip
    (tmp_path / "a.conllu").write_text("".join(parts), encoding="utf-8")
    (tmp_path / "checks.toml").write_text(FILE, encoding="utf-8")
    return tmp_path


def own(report):
    return [(one.line, one.sent_id, one.node, one.id, one.severity) for one in report.problems if one.level == 6]


FOUND = [
    (5, "a", "3", "adverb-with-case", "error"),
    (10, "b", "2", "late-subject", "warning"),
    (21, "d", "2", "late-subject", "warning"),
]


def test_words_are_found_and_shown_in_every_format(home):
    report = check(home / "a.conllu", ud_level=2)
    assert own(report) == FOUND
    assert (report.errors, report.warnings) == (2, 2)  # the head 7 of the third sentence is the other error
    first, second = (str(one).partition("a.conllu")[2] for one in report.problems if one.sent_id in "ab")
    assert first == (
        ":5:3: error: L6 adverb-with-case: found an adverb with a case marker, "
        "expected no word that the check finds (upos=ADV > deprel=case) (sent_id a, word 3 'here')"
    )
    assert second.endswith("found a subject after its verb, expected the subject first (sent_id b, word 2 'sun')")
    rows = report.to_dict()["problems"]
    assert {row["class"] for row in rows if row["level"] == 6} == {"OWN"}
    assert next(row["hint"] for row in rows if row["id"] == "late-subject") == "See page 3 of the guidelines."
    rules = {rule["id"]: rule for rule in json.loads(report.to_sarif())["runs"][0]["tool"]["driver"]["rules"]}
    assert rules["adverb-with-case"]["defaultConfiguration"] == {"level": "error"}
    assert rules["late-subject"]["help"] == {"text": "See page 3 of the guidelines."}
    assert re.search(r"::warning file=.*,line=10,.*title=L6 late-subject::found a subject", report.to_github())
    report.save(home / "a.json")
    assert read_check(home / "a.json").problems == report.problems
    assert "own:" in report.signature


def test_they_are_included_excluded_and_in_baselines(home, command):
    file = home / "a.conllu"
    assert own(check(file, include="late-subject")) == FOUND[1:]
    assert own(check(file, exclude=["late-subject"])) == FOUND[:1]
    assert own(check(file, ud_level=1)) == []
    with pytest.raises(TreegaugeError, match="unknown test 'late-subjects'; did you mean 'late-subject'"):
        check(file, include="late-subjects")
    check(file, write_baseline=home / "known.json")
    assert own(check(file, baseline=home / "known.json")) == []
    file.write_text(file.read_text(encoding="utf-8").replace("\tnsubj", "\tobj"), encoding="utf-8")
    later = check(file, baseline=home / "known.json", include="late-subject")
    assert (later.known, later.gone) == (0, 2)
    done = command("check", file, "--include", "adverb-with-case")
    assert (done.code, "1 error" in done.out) == (1, True)


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_only_those_of_changed_sentences(home):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=home, check=True)

    git("init", "-q")
    git("add", "a.conllu")
    git("commit", "-qm", "first")
    file = home / "a.conllu"
    file.write_text(file.read_text(encoding="utf-8").replace("2\tsun\tsun", "2\tsun\tSun", 1), encoding="utf-8")
    assert own(check(file, changed="HEAD")) == FOUND[1:2]


def test_pieces_and_line_ends_make_no_difference(home):
    file = home / "a.conllu"
    checks = OwnChecks([home])
    for text in (file.read_text(encoding="utf-8"), file.read_text(encoding="utf-8").rstrip("\n")):
        file.write_text(text, encoding="utf-8")
        for chunk in (1, 100, 1 << 20):
            found = [one.line for one in validate([str(file)], own=checks, chunk=chunk) if one.level == 6]
            assert found == [line for line, *_ in FOUND]


def test_each_folder_has_its_own(home, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "not-to-release").mkdir()
    (other / "not-to-release" / "checks.toml").write_text(
        FILE.replace("late-subject", "subject-last"), encoding="utf-8"
    )
    (other / "b.conllu").write_text(sentence(*RISES, sent_id="z"), encoding="utf-8")
    names = {one[3] for one in own(check(home / "a.conllu", other / "b.conllu"))}
    assert names == {"adverb-with-case", "late-subject", "subject-last"}
    assert [one[3] for one in own(check(other / "b.conllu"))] == ["subject-last"]
    text = FILE.replace("an adverb with", "no adverb with").replace("the subject first", "another order")
    (other / "not-to-release" / "checks.toml").write_text(text, encoding="utf-8")
    with pytest.raises(TreegaugeError, match="two checks named 'late-subject' that differ"):
        check(home / "a.conllu", other / "b.conllu")


def test_they_are_in_the_work_list(home):
    # The work list reads trees, so the sentence that is none has to be repaired first.
    file = home / "a.conllu"
    file.write_text(file.read_text(encoding="utf-8").replace("\t7\tnsubj", "\t1\tobj"), encoding="utf-8")
    found = review(file, kinds="own check")
    assert [(one.sent_id, one.word) for one in found.items] == [("a", 3), ("b", 2), ("d", 2)]
    assert all(one.kind == "own check" for one in found.items)
    assert found.items[0].reason.startswith("error adverb-with-case: found an adverb with a case marker")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('level = "error"', 'level = "fatal"', r":6: unknown level 'fatal'; .*choices: error, warning"),
        ("hint = ", "help = ", ":13: unknown key of a check 'help'"),
        ("> deprel", ">> >> deprel", r":4: check adverb-with-case: found '>>' at character 13 of"),
        ('message = "a subject after its verb"\n', "", ":8: found a check without message, expected a line message"),
        ('name = "late-subject"', 'name = "leaf-det"', ":9: found the name of a test of UD validation"),
        ('name = "late-subject"', 'name = "Late subject"', ":9: found 'Late subject', expected a name of its own"),
        ('name = "late-subject"', 'name = "adverb-with-case"', ":9: found the name 'adverb-with-case' twice"),
        ('level = "error"', "level = 3", ":6: found level 3, expected text on one line"),
        ('level = "error"', 'level "error"', ":6: found invalid TOML"),
        ("[[check]]", "[[checks]]", ":1: found checks, expected tables"),
        (FILE, "x = 1\n", ":1: found x, expected tables"),
        (FILE, "check = 1\n", ":1: found check, expected tables"),
    ],
)
def test_mistakes_name_their_line(home, old, new, message):
    path = home / "checks.toml"
    assert old in FILE
    path.write_text(FILE.replace(old, new), encoding="utf-8")
    with pytest.raises(TreegaugeError, match=rf"checks\.toml{message}"):
        read_checks(path)


def test_a_file_that_is_no_text(home):
    (home / "checks.toml").write_bytes(b"\xff")
    with pytest.raises(TreegaugeError, match=r"checks\.toml: found bytes that are not UTF-8"):
        check(home / "a.conllu")
