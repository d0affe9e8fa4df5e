"""Outputs never replace inputs, and replace files of another kind only by force."""

import os
from pathlib import Path

import pytest

import treegauge as tg
from tests.commands import invoke
from tests.test_hostile import commands
from treegauge.cli.commands import find_verb
from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import content_kind
from treegauge.core.files import check_folder, guarding
from treegauge.core.verbs import verb_help, verb_parameters
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import write_conllu

CONTENTS = {
    "CoNLL-U": b"# text = Go\n1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n",
    "a plan": b'# mine\n[plan]\nname = "p"\n',
    "text": b"treebank,las\nA,81.2\n",
    "JSON": b'[{"treebank": "A"}]',
    "results in JSON": b'{\n  "kind": "scores",\n  "signature": "treegauge:0.2.0|m:las"\n}\n',
    "a web page": b"<!doctype html>\n<html></html>",
    "a figure": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "LaTeX": b"\\begin{tabular}{l}\n",
    "an archive of arrays": b"PK\x03\x04rest",
    "Parquet": b"PAR1rest",
    "a database": b"SQLite format 3\0",
    "a packed file": b"\x1f\x8brest",
    "data of another program": b"\xff\xfe\x00\x01 something else",
    "": b"",
}


@pytest.mark.parametrize("kind", CONTENTS)
def test_kinds_are_recognised_by_their_contents(kind, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(CONTENTS[kind])
    assert content_kind(path) == kind


@pytest.fixture
def gold(tmp_path) -> Path:
    path = tmp_path / "gold.conllu"
    write_conllu(synthetic(4, seed=1), path)
    return path


@pytest.mark.parametrize("kind", [kind for kind in CONTENTS if kind not in {"", "CoNLL-U"}])
def test_a_file_of_another_kind_is_refused_and_replaced_by_force(kind, gold, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(CONTENTS[kind])
    with pytest.raises(TreegaugeError, match=r"victim is .* force"):
        tg.convert(gold, out=victim)
    assert victim.read_bytes() == CONTENTS[kind]
    tg.convert(gold, out=victim, force=True)
    assert victim.read_bytes() == gold.read_bytes()


def test_results_are_saved_over_results_only(gold, tmp_path):
    result, victim = tg.score(gold, gold), tmp_path / "out.csv"
    result.save(victim)
    result.save(victim)
    victim.write_bytes(gold.read_bytes())
    with pytest.raises(TreegaugeError, match=r"file of CoNLL-U .* force"):
        result.save(victim)
    result.save(victim, force=True)
    assert b"LAS" in victim.read_bytes()


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_links_to_an_input_are_refused_by_any_name(link, gold, tmp_path):
    before = gold.read_bytes()
    link(gold, tmp_path / "other.html")
    done = invoke(["report", f"a={gold}", "--gold", gold, "-o", tmp_path / "other.html", "--force"])
    assert (done.exit_code, gold.read_bytes()) == (2, before)
    assert "is an input" in done.stderr


def test_a_file_read_by_name_or_pattern_is_an_input(tmp_path, monkeypatch):
    folder = tmp_path / "UD_X-Y"
    folder.mkdir()
    write_conllu(synthetic(4, seed=1), folder / "x_y-ud-test.conllu")
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path))
    for source in ("UD_X-Y", str(tmp_path / "UD_*" / "*.conllu")):
        with pytest.raises(TreegaugeError, match="is an input"):
            tg.convert(source, out=folder / "x_y-ud-test.conllu", force=True)


def test_a_folder_that_holds_an_input_is_not_replaced(gold, tmp_path):
    with guarding([gold]), pytest.raises(TreegaugeError, match="contains an input"):
        check_folder(tmp_path)


def test_a_folder_of_other_things_does_not_become_a_store(gold, tmp_path):
    with pytest.raises(TreegaugeError, match="would become a store"):
        tg.map(gold, epochs=1, store=tmp_path)
    assert list(tmp_path.iterdir()) == [gold]


def test_models_and_tables_can_go_to_a_device(gold):
    for words in (
        ["train", "beam", gold, "--option", "epochs=1", "--out", os.devnull],
        ["score", gold, gold, "--out", os.devnull],
        ["convert", gold, "--out", os.devnull],
    ):
        done = invoke(words)
        assert done.exit_code == 0, done


def test_every_parameter_that_names_a_file_to_write_is_known():
    for words in commands():
        function, _ = find_verb(*words.split())
        parameters, said = verb_parameters(function), verb_help(function)
        for name, parameter in parameters.items():
            says = said.get(name, "").startswith(("Write ", "Folder for the", "Where to write"))
            paths = "PathLike" in str(parameter.annotation)
            assert name in function.outputs or not (says and paths), f"{words}: {name}"
        if "out" in parameters:
            assert function.outputs["out"] or words == "convert", words


def test_a_file_in_a_folder_with_a_name_that_is_not_utf8_is_refused(tmp_path):
    place = os.fsencode(tmp_path) + b"/\xff.conllu"
    with open(place, "wb") as file:  # noqa: PTH123
        file.write(CONTENTS["CoNLL-U"])
    for words in (["check", tmp_path], ["score", tmp_path, tmp_path]):
        done = invoke([*words, "--format", "json"])
        assert done.exit_code == 2, done
        assert "not UTF-8" in done.stderr


def test_a_team_with_a_name_that_is_not_utf8_is_refused(tmp_path):
    team = os.fsencode(tmp_path) + b"/teams/\xff"
    os.makedirs(team)  # noqa: PTH103
    (tmp_path / "gold").mkdir()
    for place in (team + b"/x.conllu", os.fsencode(tmp_path) + b"/gold/x.conllu"):
        with open(place, "wb") as file:  # noqa: PTH123
            file.write(CONTENTS["CoNLL-U"])
    done = invoke(["leaderboard", tmp_path / "gold", tmp_path / "teams", "--out", tmp_path / "board"])
    assert done.exit_code == 2, done
    assert "not UTF-8" in done.stderr
    assert not (tmp_path / "board").exists()
