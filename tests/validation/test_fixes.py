"""Repairs with one correct answer: what they are, that git applies them, and that valid files stay as they are."""

import shutil
import subprocess
from random import Random

import pytest

from tests.validation.cases import FINE, GO, TWO, sentence
from tools.fuzz import fixes as fuzzer
from treegauge.core.errors import TreegaugeError
from treegauge.validation.check import check, validate
from treegauge.validation.fixes import fix_file

E2 = "2 on ADV 1 advmod"
ANSWERS = [
    (sentence("1 go· VERB 0 root L:·go", text="go"), sentence(GO)),
    (sentence("1 go VERB 0 root X:·"), sentence(GO)),
    (sentence("1 go VERB 0 root F:Mood=Imp|Aspect=Imp"), sentence("1 go VERB 0 root F:Aspect=Imp|Mood=Imp")),
    (sentence("1 go VERB 0 root F:Mood=Ind,Imp,Imp"), sentence("1 go VERB 0 root F:Mood=Imp,Ind")),
    (sentence("1 go VERB 0 root F:Mood=Imp|Mood=Imp"), sentence("1 go VERB 0 root F:Mood=Imp")),
    (sentence("1 go VERB 0 root D:0:root", E2 + " D:1:obl|1:advmod|0:dep|1:obl"), None),
    (sentence("1 go VERB 0 root M:|A=b||"), sentence("1 go VERB 0 root M:A=b")),
    (sentence("1 go VERB 0 root M:spaceafter=No"), sentence("1 go VERB 0 root M:SpaceAfter=No")),
    (
        sentence("1 go VERB 0 root M:NoSpaceAfter=Yes", E2, text="goon"),
        sentence("1 go VERB 0 root M:SpaceAfter=No", E2),
    ),
    (sentence(*TWO, text="goon"), sentence("1 go VERB 0 root M:SpaceAfter=No", E2)),
    (
        sentence("1 go VERB 0 root M:Gloss=x|SpaceAfter=No", E2, text="go on"),
        sentence("1 go VERB 0 root M:Gloss=x", E2),
    ),
    (sentence(GO, "3 on ADV 1 advmod", "4 a X 3 dep"), sentence(GO, "2 on ADV 1 advmod", "3 a X 2 dep")),
    (sentence(GO, text="go "), FINE.replace("fine", "s1")),
    (sentence("1 cafe\u0301 NOUN 0 root"), sentence("1 café NOUN 0 root")),
    (FINE.replace("\n", "\r\n"), FINE),
    (FINE.replace("\n", "\r"), FINE),
    (FINE[:-1], FINE),
    (FINE + "\n" + sentence(GO), FINE + sentence(GO)),
    (FINE[:-1] + " \t\n" + sentence(GO), FINE + sentence(GO)),
    ("\ufeff" + FINE, FINE),
]
REFUSED = [
    sentence(GO, "1 on ADV 1 advmod"),  # which of two words 1?
    sentence(GO, "3 on ADV 2 advmod"),  # a head that is not there
    sentence(*TWO, text="go on b"),  # text or words?
    sentence("1 go VERB 0 root F:Mood=Imp|Mood=Ind"),
    sentence("1 go Verb 0 root"),
    sentence("1 go VE·RB 0 root"),
]  # fmt: skip


def fixed(tmp_path, text: str) -> str:
    path = tmp_path / "a.conllu"
    path.write_bytes(text.encode())
    return fix_file(str(path), lambda file: validate([file], level=2)).text


@pytest.mark.parametrize(("wrong", "right"), ANSWERS)
def test_one_right_answer(tmp_path, wrong, right):
    found = fixed(tmp_path, wrong)
    if right is not None:
        assert found == right
        assert fixed(tmp_path, right) == right
    else:
        assert "0:dep|1:advmod|1:obl\t" in found


@pytest.mark.parametrize("text", REFUSED)
def test_no_right_answer(tmp_path, text):
    assert fixed(tmp_path, FINE + text + sentence(*TWO, sent_id="z")) == FINE + text + sentence(*TWO, sent_id="z")


def test_bytes_that_are_not_utf_8_are_not_repaired(tmp_path, command):
    (tmp_path / "a.conllu").write_bytes(FINE.encode() + b"# \xff\n\n")
    done = command("check", "--fix", tmp_path / "a.conllu")
    assert "not repaired" in done.err and done.out == "\n"


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_git_applies_the_diff(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {"a b.conllu": sentence(*TWO, text="goon") + FINE + FINE.replace("fine", "x")[:-1], "c.conllu": FINE}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    done = command("check", "--fix", "a b.conllu", "c.conllu", "-o", "fixes.patch", "--ud-level", "2")
    assert "problems that the diff repairs: 2 (missing-empty-line 1, missing-spaceafter 1)" in done.err
    assert texts == {name: (tmp_path / name).read_text() for name in texts}, "files are only changed by git"
    subprocess.run(["git", "apply", "fixes.patch"], check=True, cwd=tmp_path)
    assert check("a b.conllu", ud_level=2).errors == 0
    assert (tmp_path / "c.conllu").read_text() == FINE
    assert command("check", "--fix", "a b.conllu").out == "\n"


def test_a_diff_is_asked_for(tmp_path):
    (tmp_path / "a.conllu").write_text(FINE)
    with pytest.raises(TreegaugeError, match="--fix"):
        check(tmp_path / "a.conllu").to_patch()


@pytest.mark.parametrize("kind", fuzzer.KINDS)
def test_damage_with_one_right_answer_is_repaired(tmp_path, kind):
    for seed, text in enumerate(fuzzer._sentences()[:10]):
        damaged = fuzzer.KINDS[kind](text, Random(seed))
        path = tmp_path / "a.conllu"
        path.write_bytes(damaged.encode())
        left = {problem.id for problem in validate([str(path)], level=2)}
        result = fixed(tmp_path, damaged)
        if left and kind not in {"misc"}:
            assert result == text, kind
        elif not left:
            assert result == damaged
