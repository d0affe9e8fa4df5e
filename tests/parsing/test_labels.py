"""``treegauge labels``: how many trees each encoding covers."""

import pytest

from treegauge.parsing.label_encodings import find_encoding
from treegauge.parsing.labels import encoding_coverage, labels
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import read_splits


def test_the_sets_of_a_treebank_by_code(ud, monkeypatch):
    monkeypatch.setenv("TREEGAUGE_UD", str(ud))
    covered = labels("mr_ufal@2.9", encoding=["relative"])
    assert covered.table["treebank"].to_list() == [
        f"UD_Marathi-UFAL@2.9/{split}" for split in ("train", "dev", "test")
    ]
    assert covered.table["arcs"].to_list() == [100.0] * 3
    assert "|encodings:relative|" in covered.signature


def test_planes_are_the_published_ones(ud):
    """Label inventories and shares of arcs as counted with the original program."""
    parts = read_splits(ud / "r2.9" / "UD_Marathi-UFAL")
    table = {row.encoding: row for row in labels(parts["train"]).rows}
    assert table["two-planar"].labels == (38, 7)
    assert table["two-planar"].arcs == 1.0
    assert round(100 * table["one-planar"].arcs, 2) == 99.43


@pytest.mark.parametrize("name", ["UD_Latin-Perseus", "UD_Sanskrit-Vedic", "UD_Turkish-IMST"])
def test_the_hardest_treebanks(ud, name):
    """Where most trees are not planar; relative labels lose nothing anywhere."""
    train = read_splits(ud / "r2.9" / name)["train"]
    shares = {row.encoding: row for row in labels(train).rows}
    assert shares["relative"].trees == shares["relative-upos"].trees == 1.0
    assert shares["two-planar-directed"].arcs > 0.9979
    assert shares["two-planar-directed"].trees >= shares["two-planar"].trees
    assert shares["two-planar"].arcs > shares["one-planar"].arcs


def test_coverage_of_a_treebank_that_is_not_planar(ud):
    train = read_splits(ud / "r2.9" / "UD_Latin-Perseus")["train"]
    row = encoding_coverage(train, find_encoding("one-planar"))
    assert row.correct_trees < row.sentences
    assert row.correct_heads < row.words


def test_the_command_prints_a_table(tmp_path):
    from typer.testing import CliRunner

    from treegauge.cli.app import app

    file = tmp_path / "a.conllu"
    file.write_bytes(synthetic(8, seed=1).to_bytes())
    done = CliRunner().invoke(app, ["labels", str(file), "--encoding", "relative"])
    assert done.exit_code == 0, done.output
    assert "100.0000" in done.output
