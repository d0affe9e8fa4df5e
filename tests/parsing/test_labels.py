"""``treegauge labels``: how many trees each encoding covers."""

import pytest

from treegauge.parsing.labelling.label_encodings import find_encoding
from treegauge.parsing.labels import encoding_coverage, labels
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_splits


def test_the_sets_of_a_treebank_by_code(ud, monkeypatch):
    monkeypatch.setenv("TREEGAUGE_UD", str(ud))
    covered = labels("mr_ufal@2.9", encoding=["relative"])
    assert covered.table["treebank"].to_list() == [f"UD_Marathi-UFAL@2.9/{split}" for split in ("train", "dev", "test")]
    assert covered.table["arcs"].to_list() == [100.0] * 3
    assert "|encodings:relative|" in covered.signature


def test_planes_are_the_published_ones(ud):
    """Label inventories and shares of arcs as counted with the original program."""
    parts = read_splits(ud / "r2.9" / "UD_Marathi-UFAL")
    table = {row["encoding"]: row for row in labels(parts["train"]).rows}
    assert table["two-planar"]["labels"] == "38/7"
    assert table["two-planar"]["arcs"] == 100.0
    assert round(table["one-planar"]["arcs"], 2) == 99.43


@pytest.mark.parametrize("name", ["UD_Latin-Perseus", "UD_Sanskrit-Vedic", "UD_Turkish-IMST"])
def test_the_hardest_treebanks(ud, name):
    """Where most trees are not planar; relative labels lose nothing anywhere."""
    train = read_splits(ud / "r2.9" / name)["train"]
    rows = labels(train).rows
    trees, arcs = ({row["encoding"]: row[name] for row in rows} for name in ("trees", "arcs"))
    assert trees["relative"] == trees["relative-upos"] == trees["hierarchical"] == 100.0
    assert trees["4-bit"] < trees["one-planar"]
    assert arcs["7-bit"] > 99.79
    assert arcs["two-planar-directed"] > 99.79
    assert trees["two-planar-directed"] >= trees["two-planar"]
    assert arcs["two-planar"] > arcs["one-planar"]


def test_coverage_of_a_treebank_that_is_not_planar(ud):
    train = read_splits(ud / "r2.9" / "UD_Latin-Perseus")["train"]
    row = encoding_coverage(train, find_encoding("one-planar"))
    assert row["trees"] < 100
    assert 0 < row["lost"] < row["words"]


def test_the_command_prints_a_table(tmp_path):
    from tests.commands import invoke

    file = tmp_path / "a.conllu"
    file.write_bytes(synthetic(8, seed=1).to_bytes())
    done = invoke(["labels", str(file), "--encoding", "relative"])
    assert done.exit_code == 0, done.output
    assert "100.0000" in done.output
