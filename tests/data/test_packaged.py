"""The packaged tables equal the published CSV files, cell by cell."""

import csv
import os
from pathlib import Path

import polars as pl
import pytest

from studies import printed
from studies.build_data import PRINTED, TABLES, build
from treegauge import data
from treegauge.core.errors import ChoiceError

FIGURES = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")).parent / "figures"
needs_figures = pytest.mark.skipif(not FIGURES.is_dir(), reason=f"no published figures at {FIGURES}; set TREEGAUGE_UD")


def rows(name: str) -> list[list[str]]:
    with (FIGURES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


@needs_figures
def test_conll18_holds_every_row_of_the_csv():
    frame = data.conll18().join(data.conll18_systems(), on="system")
    ours = set(frame.select("metric", "treebank", "name", "run", "score").iter_rows())
    theirs = {(m, t, s, run, float(score)) for m, t, s, run, score in rows("conll18_scores.csv")}
    assert len(theirs) == 27_716
    assert ours == theirs


@needs_figures
def test_treebank_metadata_equals_the_csv():
    ours = {row["treebank"]: row for row in data.conll18_treebanks().to_dicts()}
    for code, name, *rest in rows("conll18_treebanks.csv"):
        assert ours[code]["name"] == name
        assert ours[code]["family"] == rest[-1]
        size = int(rest[0].removesuffix("K")) * 1000 if len(rest) == 2 else None
        assert ours[code]["tokens"] == size
    assert len(ours) == 82
    assert [code for code, row in ours.items() if row["tokens"] is None] == ["sme_giella"]


def test_classes_and_families_have_the_published_sizes():
    frame = data.conll18_treebanks()
    assert frame.filter(genus="Slavic").height == 17
    assert frame.filter(pl.col("resource") != "big").height == 21


@needs_figures
def test_subsets_equal_the_csv():
    assert data.named_subsets() == {n: tuple(codes.split()) for n, codes in rows("table10_subsets.csv")}


@needs_figures
@pytest.mark.parametrize(
    ("load", "name"),
    [
        (data.ud25, "ud25_udpipe12.csv"),
        (data.ud26, "ud26_udpipe2.csv"),
        (data.fragility_exp1, "fragility_exp1_predicted_tags.csv"),
        (printed.fragility_table1, "fragility_table1_predicted.csv"),
        (printed.fragility_table3, "fragility_table3_las.csv"),
        (printed.edv_tables, "edv_tables.csv"),
        (data.difficulty_table1, "difficulty_table1_ud29.csv"),
    ],
)
def test_table_equals_the_csv(load, name):
    def same(ours: object, theirs: str) -> bool:
        if isinstance(ours, float | int):
            return ours == float(theirs)
        return (ours or "") == theirs

    published = rows(name)
    frame = load()
    assert frame.height == len(published)
    for ours, theirs in zip(frame.iter_rows(), published, strict=True):
        assert all(same(a, b) for a, b in zip(ours, theirs, strict=True)), (ours, theirs)


@needs_figures
def test_building_twice_gives_the_same_bytes(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        build(FIGURES, folder)
    for name in TABLES:
        first, second = (folder / f"{name}.parquet" for folder in folders)
        assert first.read_bytes() == second.read_bytes()


def test_a_caller_cannot_change_what_the_next_one_gets():
    frame = data.ud25()
    frame.drop_in_place("las")
    assert "las" in data.ud25().columns


def test_unknown_metric_lists_the_choices():
    with pytest.raises(ChoiceError, match=r"unknown metric 'lsa'.*blex.*las.*xpos"):
        data.conll18("lsa")


def test_every_table_is_small():
    home = Path(data.__file__).parent
    assert sum((home / f"{name}.parquet").stat().st_size for name in TABLES if name not in PRINTED) < 160_000
