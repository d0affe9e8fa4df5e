"""The verb ``split``."""

import json

import pytest

import treegauge as tg
from tests.commands import invoke
from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_splits, write_conllu


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "UD_A-B"
    place.mkdir()
    write_conllu(synthetic(200, seed=1), place / "a_b-ud-train.conllu")
    return place


def run(*words, code=0):
    done = invoke(["split", *map(str, words)])
    assert done.exit_code == code, done.output
    return done


def test_the_command_and_the_function_split_alike(folder, tmp_path):
    result = tg.split(folder, objective="high", seed=3, out=tmp_path / "one")
    words = (folder, "--objective", "high", "--seed", 3, "-o", tmp_path / "two")
    assert run(*words).stdout.strip() == str(result)
    names = {path.name for path in (tmp_path / "one").iterdir()}
    splits = {f"a_b-ud-{name}.conllu" for name in ("train", "dev", "test")}
    assert names == splits | {"manifest.json"}
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert {name: len(one) for name, one in read_splits(tmp_path / "one").items()} == {
        name: len(index) for name, index in result.parts.items()
    }


def test_a_split_does_not_replace_the_treebank(folder):
    before = (folder / "a_b-ud-train.conllu").read_bytes()
    with pytest.raises(TreegaugeError, match="is an input and would be overwritten"):
        tg.split(folder, out=folder)
    assert [path.name for path in folder.iterdir()] == ["a_b-ud-train.conllu"]
    assert (folder / "a_b-ud-train.conllu").read_bytes() == before


def test_sets_of_two_treebanks_are_not_mixed(folder, tmp_path):
    other = tmp_path / "c_d-ud-train.conllu"
    other.write_text("# another treebank\n", encoding="utf-8")
    with pytest.raises(TreegaugeError, match=r"already has c_d-ud-train\.conllu"):
        tg.split(folder, out=tmp_path)
    assert [*tmp_path.glob("*.conllu")] == [other]
    other.unlink()
    tg.split(folder, out=tmp_path)
    tg.split(folder, seed=1, out=tmp_path)  # its own earlier sets are replaced


def test_a_manifest_makes_the_split_again(folder, tmp_path):
    first = tg.split(folder, seed=5, sizes="80/0/20", out=tmp_path)
    again = json.loads(run(folder, "--manifest", tmp_path / "manifest.json", "--format", "json").stdout)
    assert again["signature"] == first.signature
    assert again["rows"] == first.table.to_dicts()
    with pytest.raises(TreegaugeError, match=r"none\.json: cannot read the manifest"):
        tg.split(folder, manifest=tmp_path / "none.json")


def test_objects_files_and_names_give_the_same_sets(folder, monkeypatch):
    monkeypatch.setenv("TREEGAUGE_UD", str(folder.parent))
    table = tg.split(folder).table
    for source in ("UD_A-B", folder / "a_b-ud-train.conllu", synthetic(200, seed=1)):
        assert tg.split(source).table.equals(table)


def test_sizes_that_are_no_numbers(folder):
    with pytest.raises(TreegaugeError, match="expected, for example, 60/20/20"):
        tg.split(folder, sizes="most/some")


def test_the_signature_names_the_files_by_checksum(folder):
    before = tg.split(folder).signature
    write_conllu(synthetic(200, seed=2), folder / "a_b-ud-train.conllu")
    assert tg.split(folder).signature != before
