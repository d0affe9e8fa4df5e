"""Every test has an example that fails this test and no other, and a repair that passes all."""

import re
from pathlib import Path

import pytest

from tests.validation.cases import UNREACHABLE
from tests.validation.test_repository import README, data, repository
from treegauge.core.errors import TreegaugeError
from treegauge.validation.check import check, validate
from treegauge.validation.language_checks import LanguageChecks
from treegauge.validation.language_data import language_data
from treegauge.validation.problems import BY_ID, RULES, explained
from treegauge.validation.repository import repository_problems

ALWAYS_WITH = {
    "invalid-head": {"unknown-head"}, "invalid-ehead": {"unknown-ehead"}, "empty-text": {"text-form-mismatch"},
    "empty-string-in-xpos": {"empty-column"}, "right-to-left-goeswith": {"goeswith-gap"},
}  # fmt: skip
"""Tests that cannot fail alone, by the official definitions."""
SIZES = re.compile(r"el_gdt-ud-(\w+)\.conllu: ([\d,]+) words")


def failing(text: str, level: int, lang: str, path: Path) -> set[str]:
    path.write_bytes(text.encode())
    tests = LanguageChecks(language_data(None), lang, level) if level > 3 else None
    return {one.id for one in validate([str(path)], level=level, lang=lang, language_tests=tests)}


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.level], ids=lambda rule: rule.id)
def test_the_example_fails_this_test_only_and_its_repair_none(rule, tmp_path):
    example = explained(rule.id, {})
    found = [
        failing(example.example(repaired=repaired), rule.level, example.place, tmp_path / "a.conllu")
        for repaired in (False, True)
    ]
    assert found == [{rule.id} | ALWAYS_WITH.get(rule.id, set()), set()]


def readme(own: list[str], repaired: list[str]) -> str:
    """Return the README of test_repository with the lines of an example in place of those of the same field."""
    if not repaired:
        return README + "".join(f"{line}\n" for line in own)
    lines = README.splitlines()
    for line, good in zip(own, repaired, strict=True):
        field = good.partition(":")[0] + ":" if ":" in good else good
        (place,) = (i for i, one in enumerate(lines) if one.startswith(field))
        lines[place] = line
    return "\n".join(lines) + "\n"


def built(example: str, other: str, repaired: str, place: str, home: Path) -> Path:
    """Return a repository like the example; what only the other version names is left out."""
    lines, rivals = example.splitlines(), other.splitlines()
    folder = next((line[:-1] for line in lines if line.endswith("/")), "UD_Greek-GDT")
    if place == "README.md":
        own = [line for line in lines if line not in rivals]
        good = [line for line in repaired.splitlines() if line not in lines or line not in rivals]
        return repository(home, folder, readme=readme(own, good))
    sizes = {m[1]: int(m[2].replace(",", "")) for line in lines if (m := SIZES.fullmatch(line))}
    made = repository(home, folder, **(sizes or {"test": 200}))
    for line in lines:
        if (match := re.fullmatch(r"(\S+\.conllu): ([\d,]+) words", line)) and not SIZES.fullmatch(line):
            (made / "el_gdt-ud-test.conllu").unlink()
            (made / match[1]).write_text(data(int(match[2])))
        elif not line.endswith(("/", " words")):
            (made / line).touch() if not (made / line).exists() else None
    for line in rivals:
        if line not in lines and not line.endswith(("/", " words")):
            (made / line).unlink(missing_ok=True)
    return made


@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.level], ids=lambda rule: rule.id)
def test_examples_of_repositories(rule, tmp_path):
    example = explained(rule.id, {})
    versions = example.example(), example.example(repaired=True)
    assert versions[0] != versions[1]
    found = []
    for number, (version, other) in enumerate((versions, versions[::-1])):
        folder = built(version, other, versions[1], example.place, tmp_path / str(number))
        found.append([one.id for one in repository_problems(folder)])
    assert found == [[rule.id], []]


def test_each_test_has_one_and_unreachable_ones_are_not_tests():
    assert {rule.id for rule in RULES if explained(rule.id, {}).lines} == BY_ID.keys()
    assert not UNREACHABLE.keys() & BY_ID.keys()


def test_the_command_explains_without_files(command, tmp_path):
    done = command("check", "--explain", "leaf-det")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("leaf-det: error, level 3, SYNTAX\nexpected: only det, case")
    assert "  -2\told\told\tADJ\t_\t_\t1\tamod\t_\t_\n  +2\told\told\tADJ\t_\t_\t3\tamod\t_\t_\n" in done.out
    both = check(explain=["leaf-det", "readme-genre"]).to_dict()["explanations"]
    assert [one["id"] for one in both] == ["leaf-det", "readme-genre"]
    assert both[1]["lines"] == ["-Genre: news, wiki", "+Genre: news wiki"]
    with pytest.raises(TreegaugeError, match="unknown test 'leaf-dot'; did you mean 'leaf-det'"):
        check(explain="leaf-dot")
    with pytest.raises(TreegaugeError, match="no file to check"):
        check()
    (tmp_path / "a.conllu").touch()
    (tmp_path / "checks.toml").write_text('[[check]]\nname = "own-one"\nfind = "[]"\nmessage = "a word"\n')
    assert str(check(tmp_path / "a.conllu", explain="own-one")).startswith("own-one: warning, level 6, OWN\n")
