"""Reading and joining tables, and errors that name the row."""

import json
import re

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

import treegauge as tg
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.measures.measure import measure
from treegauge.statistics.data_table import as_table
from treegauge.statistics.table_joins import load_tables, treebank_key
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import write_conllu

ROWS = [{"treebank": "A-X", "las": 80.5, "words": 100}, {"treebank": "B-Y", "las": None, "words": 20}]


def write(folder, suffix):
    path = folder / f"table{suffix}"
    frame = pl.DataFrame(ROWS)
    if suffix == ".parquet":
        frame.write_parquet(path)
    elif suffix == ".json":
        path.write_text(json.dumps({"signature": "s", "rows": ROWS}))
    else:
        separator = "\t" if suffix == ".tsv" else ";" if suffix == ".txt" else ","
        path.write_text("\ufeff" + frame.write_csv(separator=separator))
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".parquet", ".json"])
def test_every_kind_of_file_gives_the_same_numbers(tmp_path, suffix):
    table = as_table(write(tmp_path, suffix))
    np.testing.assert_array_equal(table.numbers("las"), [80.5, np.nan])
    assert table.numbers("words").tolist() == [100, 20]
    assert table.labels == ("A-X", "B-Y")
    assert table.numeric() == ["las", "words"]


def test_long_tables_of_measures_become_columns(tmp_path):
    measured = [
        {"measure": name, "treebank": code, "value": value, "n": 5}
        for name, code, value in (("edv", "A", 0.1), ("slv", "A", 2.0), ("edv", "B", 0.3))
    ]
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"signature": "s", "measures": measured}))
    table = as_table(path)
    assert table.frame.columns == ["treebank", "edv", "slv"]
    np.testing.assert_array_equal(table.numbers("slv"), [2.0, np.nan])
    path.write_text(json.dumps(measured + measured[:1]))
    with pytest.raises(TreegaugeError, match="measure 'edv' of 'A' appears twice"):
        as_table(path)


@pytest.mark.parametrize("suffix", [".json", ".csv", ".tsv", ".parquet"])
def test_what_measure_writes_is_read_with_the_same_numbers(tmp_path, suffix):
    result = measure("wde,words", *(synthetic(30, seed=seed) for seed in (1, 2, 3)))
    path = tmp_path / f"m{suffix}"
    result.save(path)
    table = as_table(path)
    assert table.labels == ("syn-1", "syn-2", "syn-3")  # the average is not a treebank
    own = [one.value["root"] for one in result.measured if one.measure == "wde"][:3]
    assert table.numbers("wde:root").tolist() == own
    assert (table.numbers("words") > 0).all()
    # The checksum is that of the numbers, whatever the file.
    assert table.name.partition("#")[2] == as_table(result).name.partition("#")[2]


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Scores of two systems on five treebanks, and the release they are of."""
    release = tmp_path_factory.mktemp("release")
    systems = {name: tmp_path_factory.mktemp("out") / name for name in ("alpha", "beta")}
    for place in systems.values():
        place.mkdir()
    for seed, name in enumerate(("Greek-GDT", "Czech-PDT", "Welsh-CCG", "Tamil-TTB", "Irish-IDT")):
        code = {"G": "el", "C": "cs", "W": "cy", "T": "ta", "I": "ga"}[name[0]]
        stem = f"{code}_{name.partition('-')[2].lower()}-ud"
        folder = release / f"UD_{name}"
        folder.mkdir()
        gold = synthetic(40, seed=seed)
        write_conllu(synthetic(60, seed=seed + 10), folder / f"{stem}-train.conllu")
        write_conllu(gold, folder / f"{stem}-test.conllu")
        for i, place in enumerate(systems.values(), 1):
            relations = gold["deprel"].to_list()
            relations[: (7 + seed) * i] = ["dep"] * ((7 + seed) * i)
            write_conllu(gold.with_columns({"deprel": relations}), place / f"{stem}-test.conllu")
    return release, tg.score(release, *systems.values(), split="test", resamples=0)


@pytest.mark.parametrize("suffix", [".json", ".csv", ".parquet"])
def test_scores_and_measures_join_by_treebank(scored, tmp_path, suffix):
    release, scores = scored
    scores.save(tmp_path / f"scores{suffix}")
    tg.measure("edv,words", release).save(tmp_path / f"measures{suffix}")
    files = [tmp_path / f"scores{suffix}", tmp_path / f"measures{suffix}"]
    table = load_tables(files)
    assert table.frame.height == 5
    expected = [scores.f1(treebank, "beta", "LAS") for treebank in table.labels]
    assert table.numbers("LAS:beta").tolist() == pytest.approx(expected, abs=1e-12)
    assert min(expected) > 50 and max(expected) <= 100
    result = tg.analyse(files, "LAS:beta", "edv", resamples=0)
    objects = tg.analyse([scores, tg.measure("edv,words", release)], "LAS:beta", "edv", resamples=0)
    assert result.table.equals(objects.table)
    sums = [re.findall(r"#(\w{6})", one.signature) for one in (result, objects)]
    assert len(sums[0]) == 2 and sums[0] == sums[1]


@pytest.mark.parametrize(
    "text",
    [
        "treebank,las\nA,0.81\nB,0.75\n",
        "treebank,system,metric,score\nA,x,LAS,0.81\nB,x,LAS,0.75\n",
        "treebank,system,LAS,UAS,failure\nA,x,0.81,0.9,\nB,x,0.75,0.8,\n",
    ],
)
def test_scores_that_could_be_fractions_are_refused(tmp_path, text):
    (tmp_path / "scores.csv").write_text(text)
    with pytest.raises(TreegaugeError, match="could be fractions; expected percent"):
        as_table(tmp_path / "scores.csv")


def test_tables_without_a_common_treebank(tmp_path):
    left, right = ({"treebank": [name], name: [1.0]} for name in ("UD_Greek-GDT", "ta_ttb"))
    with pytest.raises(TreegaugeError, match="no treebank in common with the tables before"):
        load_tables([left, right])


def test_tables_join_by_name_whatever_their_order():
    left = as_table({"treebank": ["A", "B", "C"], "las": [1, 2, 3]}, "left")
    right = as_table({"treebank": ["UD_C", "UD_B", "UD_D"], "edv": [0.3, 0.2, 0.4], "las": [9, 9, 9]})
    joined = load_tables([left, right])
    assert joined.frame.columns == ["treebank", "las (left)", "edv", "las (table)"]
    assert joined.frame.rows() == [("A", 1, None, None), ("B", 2, 0.2, 9), ("C", 3, 0.3, 9), ("UD_D", None, 0.4, 9)]
    names = ("UD_Greek-GDT", "Greek-GDT", "el_gdt", "el_gdt-ud-test")
    assert {treebank_key(name) for name in names} == {"el_gdt"}
    assert joined.source == "left + table"
    assert re.fullmatch(r"left#\w{6}\+table#\w{6}", joined.name)
    with pytest.raises(ChoiceError, match="unknown column to join on in left: 'treebank'"):
        load_tables([as_table({"code": ["A"], "las": [1]}, "left"), right])
    twice = as_table({"treebank": ["A", "UD_A"], "x": [1, 2]}, "twice")
    with pytest.raises(TreegaugeError, match="twice: 'A' has more than one row"):
        load_tables([left, twice])


def measured(split, values):
    rows = [{"measure": "words", "treebank": name, "split": split, "value": value} for name, value in values.items()]
    return pl.DataFrame(rows).write_csv()


SIZES = {
    "train": dict(zip("ABCDEFGH", (900, 500, 700, 100, 300, 40, 250, 999), strict=True)),
    "test": dict(zip("ABCDEFGH", (10, 30, 20, 50, 5, 60, 70, 7), strict=True)),
}


@pytest.mark.parametrize("order", ["scores train test", "test scores train", "train test scores"])
def test_the_order_of_tables_does_not_choose_between_columns_of_one_name(tmp_path, order):
    """Words of the training and of the test set are two columns, with one coefficient each."""
    las = {name: 60 + 2 * i for i, name in enumerate("DFGEBCAH")}
    (tmp_path / "scores.csv").write_text("treebank,las\n" + "".join(f"{name},{las[name]}\n" for name in "HGFEDCBA"))
    for split, values in SIZES.items():
        (tmp_path / f"{split}.csv").write_text(measured(split, values))
    files = [tmp_path / f"{name}.csv" for name in order.split()]
    result = tg.analyse(files, "las", "words (train),words (test)", cluster="none", resamples=200)
    found = {row["variable"]: row for row in result.table.to_dicts()}
    for split, values in SIZES.items():
        by_hand = spearmanr([values[name] for name in las], list(las.values())).statistic
        assert found[f"words ({split})"]["r"] == pytest.approx(by_hand)
    again = tg.analyse(
        [tmp_path / f"{name}.csv" for name in ("scores", "train", "test")],
        "las", "words (train),words (test)", cluster="none", resamples=200,
    )  # fmt: skip
    assert result.table.equals(again.table), "bootstrap intervals, too"
    with pytest.raises(ChoiceError, match=r"'words'.*words \((train|test)\).*words \("):
        tg.analyse(files, "las", "words")


def test_columns_of_one_name_are_named_by_system_or_table_or_refused(caplog):
    one, two, other = (
        as_table({"treebank": ["A", "B"], "x": values}, source)
        for source, values in (("one.csv", [1, 2]), ("two.csv", [3, 4]), ("one.csv", [5, 6]))
    )
    with caplog.at_level("INFO", logger="treegauge"):
        assert set(load_tables([one, two]).frame.columns) == {"treebank", "x (one.csv)", "x (two.csv)"}
    assert "'x' is in several tables; the columns are 'x (one.csv)', 'x (two.csv)'" in caplog.text
    with pytest.raises(TreegaugeError, match="column 'x' has different values in one"):
        load_tables([one, other])
    scores = [
        as_table(pl.DataFrame({"treebank": ["A", "B"], "x": ["71", "82"]}), "t"),
        read_scores("alpha", [80.0, 70.0]),
        read_scores("beta", [60.0, 90.0]),
    ]
    columns = load_tables(scores).frame.columns
    assert columns == ["treebank", "x", "LAS:alpha", "LAS:beta"]


def read_scores(system, values):
    from treegauge.statistics.data_table import _one_row_per_treebank

    frame = pl.DataFrame({"treebank": ["A", "B"], "system": system, "metric": "LAS", "score": values})
    return _one_row_per_treebank(frame, "scores", "percent")


def test_equal_columns_of_several_tables_stay_one():
    left = as_table({"treebank": ["A", "B"], "words": ["10", ""], "kind": ["x", "y"]}, "left")
    right = as_table({"treebank": ["B", "A", "C"], "words": [20.0, 10.0, 5.0], "kind": ["y", "x", None]})
    for order in ([left, right], [right, left]):
        joined = load_tables(order)
        assert sorted(joined.frame.columns) == ["kind", "treebank", "words"]
        assert joined.numbers("words").tolist() == [10, 20, 5]


def test_a_file_with_several_splits_has_a_column_for_each(tmp_path):
    text = measured("train", SIZES["train"])
    (tmp_path / "m.csv").write_text(text + measured("test", SIZES["test"]).partition("\n")[2])
    table = as_table(tmp_path / "m.csv")
    assert table.frame.columns == ["treebank", "words (train)", "words (test)"]
    assert table.numbers("words (test)").tolist() == list(SIZES["test"].values())


def test_a_cell_that_is_no_number_is_named(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("treebank,las\nA,80\nB,eighty\nC,70\n")
    with pytest.raises(TreegaugeError, match=r"scores.csv, row 2 \(B\), column 'las': 'eighty' is not a number"):
        as_table(path).numbers("las")
    path.write_text("treebank,las\nA,80\nB,inf\n")
    with pytest.raises(TreegaugeError, match=r"row 2 \(B\), column 'las': 'inf'"):
        as_table(path).numbers("las")


def test_gaps_are_written_in_many_ways(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("las,x\n80,1\nNA,2\n,3\nnan,4\nNone,5\n")
    table = as_table(path)
    assert np.isnan(table.numbers("las")).tolist() == [False, True, True, True, True]
    assert table.labels[1] == "row 2"
    assert table.complete(["las", "x"]).notes == ("left out, missing 'las': row 2, row 3, row 4, row 5",)


def test_columns_that_miss_the_same_rows_share_a_note():
    table = as_table({"name": ["A", "B", "C"], "x": [1, None, 2], "y": [3, None, 4], "z": [None, 5, 6]})
    assert table.complete(["x", "z", "y"]).notes == ("left out, missing 'x', 'y': B", "left out, missing 'z': A")


def test_long_lists_of_rows_are_cut():
    table = as_table({"name": [f"T{i}" for i in range(12)], "x": [None] * 11 + [1.0]})
    assert table.complete(["x"]).notes == ("left out, missing 'x': T0, T1, T2, T3, T4, T5, T6, T7 and 3 more",)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "the file is empty"),
        ("a.csv", "x,x\n1,2\n", "column 'x' appears more than once"),
        ("a.csv", "x,y\n", "the table has no rows"),
        ("a.csv", "x,y\n1,2\n3\n", "line 3: 1 cells, expected 2: x, y"),
        ("a.json", "{", "not a table"),
        ("a.json", '{"scores": []}', "the table has no rows|not a table"),
        ("a.parquet", "no", "not a readable Parquet file"),
        ("a.xlsx", "no", "unknown kind of table 'a.xlsx'.*choices: \\*.csv"),
    ],
)
def test_broken_files_say_what_is_broken(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(TreegaugeError, match=message):
        as_table(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(TreegaugeError, match="No such file"):
        as_table(tmp_path / "none.csv")
    path = tmp_path / "latin.csv"
    path.write_bytes(b"name,x\nZ\xfcrich,1\n")
    with pytest.raises(TreegaugeError, match="not UTF-8"):
        as_table(path)
