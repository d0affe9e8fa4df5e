"""Inputs are recognised by their contents, and treebanks by name."""

import io
import json

import polars as pl
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, read_splits, write_conllu
from treegauge.treebanks.sources.inputs import PACKAGED, recognise, recognise_treebanks
from treegauge.treebanks.sources.matching import match_outputs
from treegauge.treebanks.sources.resolver import read_treebank, treebank_folder


def place(root, name, code, *splits, seed=0):
    folder = root / name
    folder.mkdir(parents=True)
    for number, split in enumerate(splits):
        write_conllu(synthetic(4, seed=seed + number), folder / f"{code}-ud-{split}.conllu")
    return folder


@pytest.fixture
def releases(tmp_path, monkeypatch):
    root = tmp_path / "ud"
    place(root / "r2.5", "UD_Turkish-IMST", "tr_imst", "train", "test", seed=1)
    place(root / "r2.9", "UD_Turkish-IMST", "tr_imst", "train", "test", seed=5)
    place(root / "r2.9", "UD_Greek-GDT", "el_gdt", "train", "dev", "test", seed=9)
    monkeypatch.setenv("TREEGAUGE_UD", str(root))
    return root


@pytest.mark.parametrize("name", ["UD_Greek-GDT", "UD_Greek-GDT@2.9", "el_gdt", "Greek-GDT"])
def test_treebanks_are_read_by_name_and_code(releases, name):
    folder = releases / "r2.9" / "UD_Greek-GDT"
    assert treebank_folder(name) == folder
    assert read_treebank(name, "dev") == read_treebank(folder / "el_gdt-ud-dev.conllu")
    assert tg.read_conllu(name) == tg.read_conllu(folder)
    assert list(read_splits(name)) == ["train", "dev", "test"]


def test_a_release_that_was_asked_for_is_part_of_the_name(releases):
    assert read_treebank("UD_Turkish-IMST@2.5", "test").name == "UD_Turkish-IMST@2.5/test"
    assert read_treebank("tr_imst@2.9").name == "UD_Turkish-IMST@2.9"
    assert read_treebank("el_gdt", "test").name == "UD_Greek-GDT/test"
    assert read_splits("tr_imst@2.5")["train"].name == "UD_Turkish-IMST@2.5/train"


def test_unknown_names_get_the_choices(releases, monkeypatch):
    with pytest.raises(TreegaugeError, match="did you mean 'UD_Greek-GDT'"):
        read_treebank("UD_Greek-GTD")
    with pytest.raises(TreegaugeError, match=r"nowhere\.conllu: no such f"):
        read_treebank("nowhere.conllu")
    monkeypatch.setenv("TREEGAUGE_UD", "/no/such/folder")
    with pytest.raises(TreegaugeError, match=r"UD_Greek-GDT: no such .* names /no/such/folder"):
        read_treebank("UD_Greek-GDT")
    monkeypatch.delenv("TREEGAUGE_UD")
    with pytest.raises(TreegaugeError, match="set TREEGAUGE_UD"):
        read_treebank("UD_Greek-GDT")


def test_objects_open_files_and_patterns_are_treebanks(releases):
    path = releases / "r2.9/UD_Greek-GDT/el_gdt-ud-dev.conllu"
    treebank = read_treebank(path)
    assert read_treebank(treebank) is treebank
    assert read_treebank(io.BytesIO(path.read_bytes())) == treebank
    with path.open(encoding="utf-8") as file:
        assert read_treebank(file).name == "el_gdt-ud-dev"
    assert read_treebank(str(releases / "*" / "*Greek*"), "dev") == treebank
    with pytest.raises(TreegaugeError, match="found a int; expected a Treebank"):
        read_treebank(3)


def test_two_releases_of_one_treebank_keep_their_names_apart(releases):
    found = recognise([releases / "r2.5/UD_Turkish-IMST", releases / "r2.9/UD_Turkish-IMST"])
    assert [one.name for one in found] == ["UD_Turkish-IMST@2.5", "UD_Turkish-IMST@2.9"]
    assert found[0].read("test").name == "UD_Turkish-IMST@2.5/test"
    files = recognise(releases.glob("*/*/tr_imst-ud-test.conllu"))
    assert sorted(one.name for one in files) == ["tr_imst-ud-test@2.5", "tr_imst-ud-test@2.9"]


def test_a_release_is_the_treebanks_in_it(releases):
    found = recognise_treebanks([releases / "r2.9"])
    assert [(one.kind, one.name, one.role) for one in found] == [
        ("treebank", "UD_Greek-GDT", "gold"),
        ("treebank", "UD_Turkish-IMST", "gold"),
    ]
    assert list(found[0].splits) == ["train", "dev", "test"]
    assert len(recognise_treebanks([releases, "el_gdt"])) == 3  # each folder once


def test_loose_files_and_output_beside_treebanks_are_told_apart(releases):
    folder = releases / "r2.9"
    write_conllu(synthetic(3, seed=3), folder / "gold.conllu")
    (folder / "UD_Greek-GDT" / "not-to-release").mkdir()
    write_conllu(synthetic(3, seed=3), folder / "UD_Greek-GDT" / "not-to-release" / "x.conllu")
    (folder / "alpha").mkdir()
    write_conllu(synthetic(3, seed=3), folder / "alpha" / "el_gdt.conllu")
    assert [(one.kind, one.name, one.role) for one in recognise([folder])] == [
        ("conllu", "gold", ""),
        ("treebank", "UD_Greek-GDT", "gold"),
        ("treebank", "UD_Turkish-IMST", "gold"),
        ("system", "alpha", "system"),
    ]


def test_output_folders_are_never_treebanks(tmp_path):
    several = tmp_path / "out" / "alpha"
    several.mkdir(parents=True)
    for code in ("el_gdt", "tr_imst"):
        write_conllu(synthetic(3, seed=1), several / f"{code}-ud-test.conllu")
    single = place(tmp_path / "out", "beta", "el_gdt", "test")
    nested = place(tmp_path / "out" / "gamma", "UD_Greek-GDT", "el_gdt", "test").parent
    found = recognise([several, single, nested])
    assert [(one.kind, one.role, one.name) for one in found] == [
        ("system", "system", "alpha"),
        ("system", "system", "beta"),
        ("system", "system", "gamma"),
    ]
    assert len(found[0].files) == 2
    (named,) = recognise([f"mine={several}"])
    assert (named.kind, named.name) == ("system", "mine")


def test_gold_is_what_lies_in_a_treebank_folder_or_is_named(releases, tmp_path):
    file = releases / "r2.9/UD_Greek-GDT/el_gdt-ud-test.conllu"
    loose = tmp_path / "el_gdt-ud-test.conllu"
    loose.write_bytes(file.read_bytes())
    assert [one.role for one in recognise([file, loose, f"x={tmp_path / loose.name}"])] == ["gold", "system"]
    assert [one.role for one in recognise([loose])] == [""]
    assert [one.role for one in recognise([], gold=[loose])] == ["gold"]
    assert recognise([file])[0].text == recognise([loose])[0].text


def test_tables_stores_plans_and_models_are_told_apart(tmp_path):
    import numpy as np

    counts = pl.DataFrame({"treebank": ["a"], "parser": ["x"], "class": ["all"], "total": [1]})
    counts.write_csv(tmp_path / "counts.csv")
    counts.write_parquet(tmp_path / "counts.parquet")
    counts.drop("class").write_csv(tmp_path / "scores.tsv", separator="\t")
    votes = {"signature": "s", "rows": [{"left_out": None, "uas": 50.0}]}
    (tmp_path / "votes.json").write_text(json.dumps({"signature": "w", "scores": votes}))
    (tmp_path / "plan.toml").touch()
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "ledger.sqlite").touch()
    header = np.frombuffer(json.dumps({"parser": "beam"}).encode(), np.uint8)
    with (tmp_path / "greek.model").open("wb") as file:
        np.savez(file, header=header)
    np.savez(tmp_path / "training.npz", header=np.frombuffer(b"{}", np.uint8))
    kinds = {
        "counts.csv": "counts", "counts.parquet": "counts",
        "scores.tsv": "scores", "votes.json": "transfer", "plan.toml": "plan", "store": "store",
        "greek.model": "model", "training.npz": "recording",
    }  # fmt: skip
    found = recognise([tmp_path / name for name in kinds])
    assert {one.path.name: one.kind for one in found} == kinds
    assert [one.kind for one in recognise(PACKAGED)] == ["packaged"] * len(PACKAGED)
    with pytest.raises(TreegaugeError, match=r"plan\.toml is a plan .*expected a treebank folder"):
        recognise_treebanks([tmp_path / "plan.toml"])


def test_what_is_not_recognised_is_refused(tmp_path):
    (tmp_path / "x.docx").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(TreegaugeError, match=r"x\.docx: not recognised; expected a treebank"):
        recognise([tmp_path / "x.docx"])
    with pytest.raises(TreegaugeError, match="found no treebank in this folder"):
        recognise([tmp_path / "empty"])
    with pytest.raises(TreegaugeError, match=r"nowhere\.conllu: no such file"):
        recognise(["mine=nowhere.conllu"])


@pytest.mark.parametrize(
    "names",
    [
        ["el_gdt.conllu", "tr_imst.conllu"],
        ["el_gdt-ud-test.conllu", "tr_imst-ud-test.conllu"],
        ["UD_Greek-GDT.conllu", "UD_Turkish-IMST.conllu.gz"],
        ["UD_Greek-GDT/test.conllu", "UD_Turkish-IMST/output.conllu"],
        ["el_gdt-test.conllu", "tr_imst.test.conllu"],
    ],
)
def test_outputs_match_by_code_and_name(names):
    golds = ["r/UD_Greek-GDT/el_gdt-ud-test.conllu", "r/UD_Turkish-IMST/tr_imst-ud-test.conllu"]
    found = match_outputs(golds, [f"out/{name}" for name in reversed(names)])
    assert list(found.pairs) == golds
    assert list(found.pairs.values()) == [f"out/{name}" for name in names]
    assert found.unmatched == []


def test_outputs_match_by_text(releases, tmp_path):
    golds = sorted((releases / "r2.9").glob("*/*-test.conllu"))
    for name, gold in zip(("b", "a"), golds, strict=True):
        (tmp_path / f"{name}.conllu").write_bytes(gold.read_bytes())
    write_conllu(synthetic(2, seed=77), tmp_path / "c.conllu")
    outputs = [tmp_path / f"{name}.conllu" for name in "abc"]
    absent = releases / "r2.5/UD_Turkish-IMST/tr_imst-ud-test.conllu"
    found = match_outputs([*golds, absent], outputs)
    assert found.pairs == {str(golds[0]): str(outputs[1]), str(golds[1]): str(outputs[0])}
    assert found.unmatched == [str(outputs[2])]
    assert str(absent) not in found.pairs


def test_an_incomplete_output_is_matched_by_how_its_text_begins(releases, tmp_path):
    """It would count as missing, and nobody would learn that it is incomplete."""
    golds = sorted((releases / "r2.9").glob("*/*-test.conllu"))
    whole = read_conllu(golds[0])
    write_conllu(whole[: len(whole) - 1], tmp_path / "out.conllu")
    write_conllu(synthetic(2, seed=77), tmp_path / "other.conllu")
    found = match_outputs(golds, sorted(tmp_path.glob("*.conllu")))
    assert found.pairs == {str(golds[0]): str(tmp_path / "out.conllu")}
    assert found.unmatched == [str(tmp_path / "other.conllu")]
    both = [tmp_path / "out.conllu", tmp_path / "out.conllu"]
    assert match_outputs(golds, both).pairs == {}  # which one is meant is not known


def test_a_code_stands_for_the_split_whose_text_it_has(releases, tmp_path):
    golds = sorted((releases / "r2.9/UD_Greek-GDT").glob("*.conllu"))
    (tmp_path / "el_gdt.conllu").write_bytes(golds[0].read_bytes())
    assert list(match_outputs(golds, [tmp_path / "el_gdt.conllu"]).pairs) == [str(golds[0])]
