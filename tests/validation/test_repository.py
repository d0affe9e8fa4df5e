"""Level 0 and the verdict on a release: every rule with its cases, and real sizes by another count."""

import csv
import json
import os
from datetime import date
from pathlib import Path

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.validation.check import check
from treegauge.validation.problems import RULES, Problem
from treegauge.validation.repository import read_dispensations, release_verdict, repository_problems

UD = Path(os.environ.get("TREEGAUGE_UD") or Path(__file__).parents[3] / "shared" / "ud")
README = """# Summary

A treebank of Greek.

# Introduction

It is invented.

# Acknowledgments

None.

# Changelog

* 2021-11-15 v2.9

<pre>
=== Machine-readable metadata (DO NOT REMOVE!) ================================
Data available since: UD v2.9
License: CC BY-SA 4.0
Includes text: yes
Parallel: no
Genre: news wiki
Lemmas: manual native
UPOS: converted from manual
XPOS: not available
Features: automatic
Relations: converted with corrections
Contributors: Papadopoulou, Anna; Σμιθ, Ιωάννης
Contributing: here source
Contact: a@example.org, b@example.org
===============================================================================
</pre>
"""


def data(words: int, length: int = 10) -> str:
    """Sentences of `length` words, the last one shorter."""
    lines, left = [], words
    while left:
        here = min(length, left)
        lines += [f"{n}\ta\ta\tX\t_\t_\t{n - 1}\t{'dep' if n > 1 else 'root'}\t_\t_" for n in range(1, here + 1)]
        lines.append("")
        left -= here
    return "\n".join(lines) + "\n"


def repository(
    home: Path, name: str = "UD_Greek-GDT", code: str = "el_gdt", readme: str = README, **words: int
) -> Path:
    """Write a repository that is as it should be; `words` are the sizes of its sets."""
    folder = home / name
    (folder / "not-to-release").mkdir(parents=True)
    (folder / ".github").mkdir()
    for file, text in {"README.md": readme, "LICENSE.txt": "CC BY-SA 4.0", "CONTRIBUTING.md": "dev"}.items():
        (folder / file).write_text(text, "utf-8")
    for split, size in (words or {"test": 200}).items():
        (folder / f"el_gdt-ud-{split}.conllu").write_text(data(size))
    return folder


def ids(folder: Path) -> list[str]:
    return [problem.id for problem in repository_problems(folder)]


@pytest.mark.parametrize(
    "words", [{"test": 100, "train": 100}, {"test": 10_000, "train": 30_000, "dev": 3_000}, {"test": 19_000}]
)
def test_a_repository_as_it_should_be(tmp_path, words):
    folder = repository(tmp_path, **words)
    (folder / "stats.xml").write_text("<xml/>")
    assert ids(folder) == []


def put(name, text):
    return lambda folder: (folder / name).write_text(text, "utf-8")


def drop(name):
    return lambda folder: (folder / name).unlink()


def swap(old, new, file="README.md"):
    def damage(folder):
        text = (folder / file).read_text("utf-8")
        assert text.count(old) == 1
        (folder / file).write_text(text.replace(old, new), "utf-8")

    return damage


def blank(folder):
    text = (folder / "el_gdt-ud-test.conllu").read_text().replace("\ta\ta\t", "\t_\t_\t")
    (folder / "el_gdt-ud-test.conllu").write_text(text)


def latin(folder):
    (folder / "README.md").write_bytes(README.encode("utf-8") + "é\n".encode("latin-1"))


DAMAGES = [
    (put("notes.txt", ""), ["repo-files"]),
    (lambda folder: (folder / "scripts").mkdir(), ["repo-files"]),
    (put("el_gdt-ud-test.txt", "a"), ["repo-files"]),
    (put("gr_gdt-ud-train.conllu", data(50)), ["data-name"]),
    (put("el_gud-ud-train.conllu", data(50)), ["data-name"]),
    (put("el_gdt-ud-testing.conllu", data(50)), ["data-name"]),
    (put("el-ud-dev.conllu", data(50)), ["data-name"]),
    (drop("el_gdt-ud-test.conllu"), ["data-test"]),
    (put("el_gdt-ud-dev.conllu", data(50)), ["split-dev"]),
    (drop("CONTRIBUTING.md"), ["contributing"]),
    (drop("LICENSE.txt"), ["license"]),
    (put("LICENSE.txt", " \n"), ["license"]),
    (put("LICENSE.txt", "CC BY 4.0"), ["readme-license"]),
    (drop("README.md"), ["readme"]),
    (put("README.txt", README), ["readme"]),
    (latin, ["readme", "readme-end"]),
    (swap("# Summary", "## Summary"), ["readme-sections"]),
    (swap("=== Machine-readable metadata", "Metadata"), ["readme-metadata"]),
    (swap("</pre>\n", "</pre>\n# More\n"), ["readme-end"]),
    (swap("UD v2.9", "2.9"), ["readme-data-available-since"]),
    (swap("License: CC BY-SA 4.0\n", ""), ["readme-license"]),
    (swap("text: yes", "text: maybe"), ["readme-includes-text"]),
    (swap("text: yes", "text: no"), ["readme-includes-text"]),
    (blank, ["readme-includes-text"]),
    (swap("Parallel: no\n", ""), ["readme-parallel"]),
    (swap("news wiki", "news, wiki"), ["readme-genre"]),
    (swap("Lemmas: manual native", "Lemmas: manual"), ["readme-lemmas"]),
    (swap("UPOS: converted from manual", "UPOS: automatic"), ["readme-upos"]),
    (swap("XPOS: not available", "XPOS: none"), ["readme-xpos"]),
    (swap("Features: automatic", "Features:"), ["readme-features"]),
    (swap("Relations: converted with corrections", "Relations: automatic"), ["readme-relations"]),
    (swap("Papadopoulou, Anna; ", "Anna Papadopoulou; "), ["readme-contributors"]),
    (swap("here source", "there"), ["readme-contributing"]),
    (swap("a@example.org, b@example.org", "a at example.org"), ["readme-contact"]),
    (put("el_gdt-ud-test.conllu", data(90)), ["treebank-size"]),
    (put("el_gdt-ud-test.conllu", data(190)), ["treebank-size"]),
    (put("el_gdt-ud-train.conllu", data(600)), ["split-small"]),
    (put("el_gdt-ud-test.conllu", data(20_000)), ["split-train"]),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "expected"), DAMAGES)
def test_damage_is_found_and_nothing_else(tmp_path, damage, expected):
    folder = repository(tmp_path)
    damage(folder)
    assert ids(folder) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"test": 9_999, "train": 20_000, "dev": 2_000}, ["split-test"]),
        ({"test": 10_000, "train": 20_000}, ["split-dev"]),
        ({"test": 12_000, "train": 11_000, "dev": 100}, ["split-train"]),
    ],
)
def test_sizes_of_sets(tmp_path, words, expected):
    assert ids(repository(tmp_path, **words)) == expected


@pytest.mark.parametrize("name", ["UD_Greek", "UD_greek-GDT", "UD_Greek-gdt"])
def test_names_of_repositories(tmp_path, name):
    assert "repo-name" in ids(repository(tmp_path, name=name))


def test_every_rule_has_a_case():
    shown = {rule for _, rules in DAMAGES for rule in rules} | {"split-test", "repo-name"}
    assert shown == {rule.id for rule in RULES if rule.level == 0}


def test_check_reports_level_0_of_a_folder_only(tmp_path):
    folder = repository(tmp_path)
    (folder / "notes.txt").write_text("")
    report = check(folder, ud_level=1)
    assert [problem.id for problem in report.problems] == ["repo-files"]
    assert str(report.problems[0]).startswith(f"{folder / 'notes.txt'}:1:1: error: L0 repo-files: found the file")
    assert check(folder / "el_gdt-ud-test.conllu", ud_level=1).errors == 0
    assert check(folder, split="test", ud_level=1).errors == 0
    assert check(folder, ud_level=1, exclude="repo-files").errors == 0
    found = json.loads(report.to_sarif())["runs"][0]["results"][0]
    assert found["ruleId"] == "repo-files" and found["locations"][0]["physicalLocation"]["region"]["startLine"] == 1


def test_a_field_is_pointed_at(tmp_path):
    folder = repository(tmp_path, readme=README.replace("here source", "there"))
    (problem,) = repository_problems(folder)
    line = (folder / "README.md").read_text("utf-8").splitlines()[problem.line - 1]
    assert line[problem.start - 1 : problem.stop - 1] == "there"


LEAF = Problem("a.conllu", 7, "s1", "2", "leaf-det", 5, 6, "x")
SIZE = Problem("UD_X-Y", 1, None, None, "treebank-size", 1, 1, "x")
WARNED = Problem("a.conllu", 7, "s1", "2", "fixed-without-extpos", 5, 6, "x")
KNOWN = {
    "leaf-det": ("2024-12-03", frozenset(["UD_X-Y"])),
    "treebank-size": ("2021-12-19", frozenset(["UD_X-Y", "UD_X-Z"])),
}


@pytest.mark.parametrize(
    ("name", "problems", "status"),
    [
        ("UD_X-Y", [], "valid"),
        ("UD_X-Y", [WARNED], "valid"),
        ("UD_X-Y", [LEAF, LEAF, WARNED], "legacy"),
        ("UD_X-Z", [LEAF], "invalid"),
        ("UD_X-Y", [LEAF, SIZE], "neglected"),
        ("UD_X-Z", [SIZE], "neglected"),
        ("UD_X-Z", [SIZE, LEAF], "invalid"),
    ],
)
def test_verdicts(name, problems, status):
    assert release_verdict(name, problems, KNOWN, date(2026, 1, 1)).status == status


def test_dispensations_age_on_the_day():
    assert release_verdict("UD_X-Z", [SIZE], KNOWN, date(2025, 12, 19)).status == "legacy"
    assert release_verdict("UD_X-Z", [SIZE], KNOWN, date(2025, 12, 20)).status == "neglected"


def test_the_verdict_says_what_it_would_take(tmp_path, command):
    folder = repository(tmp_path)
    (folder / "LICENSE.txt").unlink()
    text = command("check", folder, "--ud-level", "5", "--lang", "el").out
    assert "UD_Greek-GDT: invalid; without these errors: valid" in text
    assert (
        "\n       1 license: Add the text or the name and address of the licence.\n" in text
        and "dispensations are not known" in text
    )
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "dispensations.json").write_text('{"dispensations": {"license": {"date": "2026-01-01", "treebanks": []}}}')
    assert read_dispensations(rules) == {"license": ("2026-01-01", frozenset())}
    (rules / "dispensations.json").write_text("[]")
    with pytest.raises(TreegaugeError, match="expected the official file"):
        read_dispensations(rules)


# The sizes in the index were counted when the treebanks were collected, by another program.


def from_index(row: dict[str, str]) -> set[str]:
    """What the documented rules say of the sizes in the index."""
    train, dev, test = (int(row[f"{split}_words"]) for split in ("train", "dev", "test"))
    words, sentences = train + dev + test, sum(int(row[f"{split}_sentences"]) for split in ("train", "dev", "test"))
    sample = words < 20_000 and 0 < int(row["train_sentences"]) <= 50
    found = set()
    if not test:
        return {"data-test"} | ({"treebank-size"} if sentences < 20 or words < 100 else set())
    if sentences < 20 or words < 100:
        found.add("treebank-size")
    if train and not sample:
        if words < 20_000:
            found.add("split-small")
        elif test < 10_000:
            found.add("split-test")
        elif train < test:
            found.add("split-train")
        if words >= 20_000 and not dev:
            found.add("split-dev")
    elif words >= 20_000:
        found.add("split-train")
    if dev and not train:
        found.add("split-dev")
    return found


@pytest.mark.skipif(not (UD / "INDEX.csv").exists(), reason=f"no treebanks in {UD}")
def test_real_treebanks_in_the_shape_of_repositories(tmp_path):
    with (UD / "INDEX.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if (UD / row["release"] / row["treebank"]).is_dir()]
    rows = [row for row in rows if row["release"] in os.environ.get("TREEGAUGE_RELEASES", "r2.9").split(",")]
    assert len(rows) > 30
    for row in rows:
        folder = tmp_path / row["release"] / row["treebank"]
        folder.mkdir(parents=True)
        for source in (UD / row["release"] / row["treebank"]).glob("*.conllu"):
            (folder / source.name).symlink_to(source)
        for file, text in {"README.md": README, "LICENSE.txt": "CC BY-SA", "CONTRIBUTING.md": "dev"}.items():
            (folder / file).write_text(text, "utf-8")
        assert set(ids(folder)) == from_index(row), row
