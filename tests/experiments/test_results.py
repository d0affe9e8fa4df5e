"""Results of a store: rows, signatures, and parses as CoNLL-U."""

import json
import shutil

import polars as pl
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.data.conllu import read_conllu

QUICK = {"name": "beam", "options": {"epochs": 1, "beam": 1}}


@pytest.fixture(scope="module")
def store(room, tmp_path_factory):
    """Two treebanks, two sizes, and a split."""
    place = tmp_path_factory.mktemp("stores") / "small.store"
    study = tg.Plan((
        tg.grid("curve", "UD_[AB]-X", parsers=[QUICK], sizes=[10, 20]),
        tg.grid("split", "UD_A-X", parsers=[QUICK], parameters={"objective": "length"}),
    ), "small", str(room))  # fmt: skip
    assert tg.run(study, place, pool="inline").failed == 0
    return place


def test_the_signature_names_inputs_and_choices(store, room):
    signature = tg.results(store, task="curve").signature
    frame = tg.Store(store).results(task="curve")
    for name in ("UD_A-X", "UD_B-X"):
        mark = frame.filter(pl.col("treebank") == name)["data"][0][:6]
        assert f"{name}#{mark}" in signature
    for choice in ("task:curve", "parser:beam", "options:beam=1 epochs=1", "size:10+20", "seed:0"):
        assert f"|{choice}" in signature
    assert tg.results(store, task="curve", size=10).signature != signature
    assert tg.results(store, task="curve").signature == signature


def test_another_treebank_of_the_same_name_changes_the_signature(store, room, tmp_path):
    shutil.copytree(room / "UD_A-X", tmp_path / "UD_A-X")
    path = tmp_path / "UD_A-X" / "a_x-ud-test.conllu"
    path.write_text(path.read_text().replace("\tPUNCT\t", "\tSYM\t"))
    study = tg.Plan((tg.grid("curve", "UD_A-X", parsers=[QUICK], sizes=[10]),), root=str(tmp_path))
    tg.run(study, tmp_path / "s", pool="inline")
    other = tg.results(tmp_path / "s").signature
    assert tg.results(store, treebank="UD_A-X", size=10).signature != other


def test_every_format_has_the_same_numbers(store, tmp_path):
    found = tg.results(store)
    for ending in ("csv", "json", "parquet"):
        found.save(tmp_path / f"r.{ending}")
    rows = json.loads((tmp_path / "r.json").read_text())
    assert (rows["kind"], rows["unit"]) == ("results", "percent")
    csv, parquet = pl.read_csv(tmp_path / "r.csv"), pl.read_parquet(tmp_path / "r.parquet")
    for column in ("UAS", "LAS"):
        values = found.table[column].to_list()
        assert csv[column].to_list() == parquet[column].to_list() == values
        assert [row[column] for row in rows["rows"]] == values


def test_parses_are_the_gold_sentences_with_predicted_trees(store, room, tmp_path, command):
    done = command("results", store, "--parses", tmp_path / "parses")
    assert done.code == 0
    assert f"wrote 5 parses to {tmp_path / 'parses'}" in done.err
    home = tmp_path / "parses"
    assert sorted(path.relative_to(home).as_posix() for path in home.rglob("*.conllu")) == [
        *(f"beam,beam=1,epochs=1,learners=1/size{n}.sample0.seed0/UD_{x}-X.conllu" for n in (10, 20) for x in "AB"),
        "beam,beam=1,epochs=1/sample0.seed0/UD_A-X.conllu",
    ]
    for row in tg.results(store, task="curve").table.iter_rows(named=True):
        run = f"beam,beam=1,epochs=1,learners=1/size{row['size']}.sample0.seed0"
        parse = home / run / f"{row['treebank']}.conllu"
        gold = room / row["treebank"] / f"{row['treebank'][3].lower()}_x-ud-test.conllu"
        parsed = read_conllu(parse)
        assert parsed["form"].to_list() == read_conllu(gold)["form"].to_list()
        scores = tg.score(gold, parse, resamples=0)
        for metric in ("UAS", "LAS"):
            assert scores.systems[0][metric].f1 == row[metric]


def test_parses_need_the_treebank_as_it_was(room, tmp_path):
    shutil.copytree(room / "UD_A-X", tmp_path / "UD_A-X")
    study = tg.Plan((tg.grid("curve", "UD_A-X", parsers=[QUICK], sizes=[10]),), root=str(tmp_path))
    tg.run(study, tmp_path / "s", pool="inline")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "UD_A-X").rename(tmp_path / "elsewhere" / "UD_A-X")
    with pytest.raises(TreegaugeError, match="name the folder that holds it with --root"):
        tg.results(tmp_path / "s", parses=tmp_path / "p")
    tg.results(tmp_path / "s", parses=tmp_path / "p", root=tmp_path / "elsewhere")
    assert len(list((tmp_path / "p").rglob("*.conllu"))) == 1
    with pytest.raises(TreegaugeError, match="cells that failed have no parses"):
        tg.results(tmp_path / "s", parses=tmp_path / "p", failed=True)
