"""Reading score tables: every layout gives the same scores, every bad table a useful error."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from treegauge import data
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.leaderboard import ranks_of
from treegauge.ranking.reading import read_leaderboard

LONG = """metric,treebank,system,score
LAS,cs_pdt,A,91.25
LAS,cs_pdt,B,90.00
LAS,en_ewt,A,84.50
LAS,en_ewt,B,85.10
UAS,cs_pdt,A,93.00
UAS,cs_pdt,B,92.00
UAS,en_ewt,A,88.00
UAS,en_ewt,B,89.00
"""
EXPECTED = [[91.25, 84.5], [90.0, 85.1]]


def write(tmp_path, text, name="scores.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        "treebank,system,LAS,UAS\ncs_pdt,A,91.25,93\ncs_pdt,B,90,92\nen_ewt,A,84.5,88\nen_ewt,B,85.1,89\n",
        "treebank,A,B\ncs_pdt,91.25,90\nen_ewt,84.5,85.1\n",
        "system,cs_pdt,en_ewt\nA,91.25,84.5\nB,90,85.1\n",
        "metric,treebank,A,B\nlas,cs_pdt,91.25,90\nuas,cs_pdt,1,2\nlas,en_ewt,84.5,85.1\n",
        "treebank;A;B\ncs_pdt;91.25;90\nen_ewt;84.5;85.1\n",
        "\ufefftreebank\tA\tB\r\ncs_pdt\t91.25\t90\r\nen_ewt\t84.5\t85.1\r\n",
    ],
    ids=["long", "metrics", "wide", "transposed", "wide-metric", "semicolons", "tabs-bom-crlf"],
)
def test_every_layout_gives_the_same_scores(tmp_path, text):
    scores = read_leaderboard(write(tmp_path, text), metric="las")
    assert (scores.systems, scores.treebanks) == (("A", "B"), ("cs_pdt", "en_ewt"))
    assert scores.values.tolist() == EXPECTED
    assert scores.fixed_point()[0].tolist() == [[9125, 8450], [9000, 8510]]


def test_parquet_keeps_floats_exactly(tmp_path):
    values = np.random.default_rng(0).uniform(0, 100, (40, 3))
    names = [f"t{i}" for i in range(40)]
    frame = pl.DataFrame({"treebank": names} | {s: values[:, i] for i, s in enumerate("ABC")})
    frame.write_parquet(tmp_path / "scores.parquet")
    scores = read_leaderboard(tmp_path / "scores.parquet")
    assert np.array_equal(scores.values, values.T)
    assert scores.fixed_point()[1] == 10**9


def test_json_of_the_score_verb_one_file_per_treebank_or_one_for_all(tmp_path):
    def systems(a, b):
        return [
            {"system": "A", "metrics": {"LAS": {"f1": a}, "UAS": {"f1": 99}}},
            {"system": "B", "metrics": {"LAS": {"f1": b}}},
        ]

    pairs = {"cs_pdt": (91.25, 90.0), "en_ewt": (84.5, 85.1)}
    paths = [
        write(tmp_path, json.dumps({"signature": "s", "systems": systems(*f1)}), f"{name}.json")
        for name, f1 in pairs.items()
    ]
    scores = read_leaderboard(paths, metric="las")
    assert scores.treebanks == ("cs_pdt", "en_ewt")
    assert scores.metric == "LAS"
    assert scores.fixed_point()[0].tolist() == [[9125, 8450], [9000, 8510]]
    both = {"treebanks": [{"treebank": n, "systems": systems(*f1)} for n, f1 in pairs.items()]}
    path = write(tmp_path, json.dumps({"signature": "s"} | both), "all.json")
    assert np.array_equal(read_leaderboard(path).values, scores.values)


@pytest.mark.parametrize("text", ["[]", "{", '{"systems": [{"system": "A"}]}', "{}"])
def test_other_json_is_refused_with_the_expected_shape(tmp_path, text):
    with pytest.raises(TreegaugeError, match=r"bad\.json: (not a table|columns ; expected)"):
        read_leaderboard(write(tmp_path, text, "bad.json"))


def test_seeds_are_kept_and_averaged(tmp_path):
    text = "treebank,system,seed,score\n" + "".join(
        f"t{t},{s},{seed},{80 + t + seed}\n" for t in range(2) for s in "AB" for seed in (1, 2, 4)
    )
    scores = read_leaderboard(write(tmp_path, text))
    assert scores.runs is not None
    assert scores.runs.shape == (3, 2, 2)
    numbers, scale = scores.fixed_point()
    assert scale == 3
    assert numbers.tolist() == [[247, 250], [247, 250]]
    assert "seeds:3" in scores.signature


def test_text_in_a_score_cell_names_file_line_treebank_and_system(tmp_path):
    path = write(tmp_path, LONG.replace("84.50", "about 84"))
    with pytest.raises(
        TreegaugeError,
        match=r"scores\.csv, line 4 \(treebank en_ewt, system A\): 'about 84' is not a score; "
        "expected a number",
    ):
        read_leaderboard(path)


def test_text_in_another_metric_does_not_matter(tmp_path):
    assert read_leaderboard(write(tmp_path, LONG.replace("89.00", "?"))).values.tolist() == EXPECTED


def test_a_repeated_row_names_both_lines(tmp_path):
    path = write(tmp_path, LONG + "LAS,en_ewt,A,84.60\n")
    with pytest.raises(TreegaugeError, match=r"line 10 repeats .*line 4: treebank en_ewt, system A; keep one.*'seed'"):
        read_leaderboard(path)


@pytest.mark.parametrize("gap", ["", "NA", "nan", " "])
def test_missing_cells_are_named_and_the_policies_listed(tmp_path, gap):
    path = write(tmp_path, LONG.replace("84.50", gap))
    with pytest.raises(TreegaugeError, match=r"1 missing score: \(en_ewt, A\).*drop-treebank or drop-system"):
        read_leaderboard(path)
    fewer = read_leaderboard(path, missing="drop-treebank")
    assert (fewer.treebanks, fewer.systems, fewer.dropped) == (("cs_pdt",), ("A", "B"), ("en_ewt",))
    assert "dropped:en_ewt" in fewer.signature
    alone = read_leaderboard(path, missing="drop-system")
    assert (alone.treebanks, alone.systems, alone.dropped) == (("cs_pdt", "en_ewt"), ("B",), ("A",))


def test_a_row_that_is_not_there_is_missing_too(tmp_path):
    path = write(tmp_path, LONG.replace("LAS,en_ewt,A,84.50\n", ""))
    with pytest.raises(TreegaugeError, match=r"\(en_ewt, A\)"):
        read_leaderboard(path)


def test_a_policy_that_leaves_nothing_says_so(tmp_path):
    path = write(tmp_path, "treebank,A,B\nx,,1\ny,2,\n")
    with pytest.raises(TreegaugeError, match="every treebank has a missing score"):
        read_leaderboard(path, missing="drop-treebank")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "scores.csv: cannot read this table: empty CSV"),
        ("lang,score\nx,1\n", r"columns lang, score; expected a column 'treebank'"),
        ("treebank,A,A\nx,1,2\n", "column 'A' appears more than once"),
        ("treebank,A,B\nx,1\n", r"line 2: 2 cells, expected 3: treebank, A, B"),
        ("treebank,A,B\n,1,2\n", r"line 2: the 'treebank' cell is empty"),
        ("treebank,A,B\n", "contains no scores"),
        ("treebank,A,B\nx,1,inf\n", r"'inf' is not a score"),
    ],
)
def test_bad_tables(tmp_path, text, message):
    with pytest.raises(TreegaugeError, match=message):
        read_leaderboard(write(tmp_path, text))


def test_unknown_names_list_the_choices(tmp_path):
    path = write(tmp_path, LONG)
    with pytest.raises(ChoiceError, match=r"unknown metric 'lass'.*choices: LAS, UAS"):
        read_leaderboard(path, metric="lass")
    with pytest.raises(ChoiceError, match=r"unknown metric 'lass'; did you mean 'las'"):
        read_leaderboard("conll18", metric="lass")
    with pytest.raises(ChoiceError, match=r"unknown system 'C'; choices: A, B"):
        read_leaderboard(path).system("C")
    with pytest.raises(ChoiceError, match=r"unknown treebank 'xx'; choices: cs_pdt, en_ewt"):
        read_leaderboard(path).select(treebanks=["xx"])
    with pytest.raises(ChoiceError, match="unknown policy for missing scores 'ignore'"):
        read_leaderboard(path, missing="ignore")  # type: ignore[arg-type]
    odd = write(tmp_path, LONG, "scores.xlsx")
    with pytest.raises(TreegaugeError, match=r"scores\.xlsx: not recognised; .*a score table"):
        read_leaderboard(odd)
    with pytest.raises(TreegaugeError, match=r"nothing\.csv: no such file"):
        read_leaderboard(tmp_path / "nothing.csv")
    with pytest.raises(TreegaugeError, match="'cs_pdt' is chosen more than once"):
        read_leaderboard(path).select(treebanks=["cs_pdt", "Czech-PDT"])


def test_every_packaged_metric_is_complete():
    for metric in data.conll18()["metric"].unique():
        scores = read_leaderboard("conll18", metric=metric)
        assert scores.values.shape == (26, 82)
        assert np.array_equal(scores.fixed_point()[0] / 100, scores.values)


def test_metadata_joins_by_code_and_by_name(tmp_path):
    text = "treebank,A\ncs_pdt,1\nUD_Greek-GDT,2\nEnglish EWT,3\nmy_own,4\n"
    scores = read_leaderboard(write(tmp_path, text))
    assert scores.metadata["genus"].to_list() == ["Slavic", "Greek", "Germanic", None]
    assert scores.treebank("Czech-PDT") == 0
    own = pl.DataFrame({"treebank": ["my_own", "el_gdt"], "family": ["Mine", "Other"]})
    described = read_leaderboard(write(tmp_path, text), metadata=own).metadata
    assert described["family"].to_list()[-1] == "Mine"
    assert described["treebank"].to_list() == list(scores.treebanks)


def test_metadata_columns_of_a_wide_table_are_not_systems(tmp_path):
    text = "treebank,family,tokens,A\nx,Mine,1200,80\ny,Yours,,81\n"
    scores = read_leaderboard(write(tmp_path, text))
    assert scores.systems == ("A",)
    assert scores.metadata["family"].to_list() == ["Mine", "Yours"]
    assert scores.metadata["tokens"].to_list() == [1200, None]


def test_a_metric_called_tokens_is_not_metadata(tmp_path):
    text = "treebank,system,las,tokens\nx,A,80,99.5\ny,A,81,99.6\n"
    assert read_leaderboard(write(tmp_path, text), metric="tokens").values.tolist() == [[99.5, 99.6]]


def test_bad_metadata_says_what_is_expected(tmp_path):
    path = write(tmp_path, LONG)
    with pytest.raises(TreegaugeError, match="expected 'treebank' or 'name'"):
        read_leaderboard(path, metadata=pl.DataFrame({"x": [1]}))
    own = pl.DataFrame({"treebank": ["cs_pdt"], "tokens": ["many"]})
    with pytest.raises(TreegaugeError, match="tokens 'many'; expected a whole number"):
        read_leaderboard(path, metadata=own)


def test_values_cannot_be_changed():
    scores = read_leaderboard("conll18")
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0] = 1


def test_long_gives_back_what_was_read():
    scores = read_leaderboard("conll18")
    again = read_leaderboard(scores.cells)
    assert (again.systems, again.treebanks) == (scores.systems, scores.treebanks)
    assert np.array_equal(again.values, scores.values)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_ranks_agree_with_scipy(totals):
    expected = rankdata([-total for total in totals])
    assert ranks_of(np.array(totals)).tolist() == expected.tolist()


# --- systems added to a table ---------------------------------------------------------------------


def mine(score=80.0, **columns):
    """Return a table of one system on all treebanks of CoNLL 2018 but one, named in another way."""
    names = read_leaderboard("conll18").metadata["name"].to_list()
    return pl.DataFrame({"treebank": names, "mine": [score] * len(names), **columns})


def test_systems_are_added_to_a_packaged_table(tmp_path):
    mine().write_csv(tmp_path / "mine.csv")
    base = read_leaderboard("conll18")
    for board in (
        read_leaderboard("conll18", tmp_path / "mine.csv"),
        read_leaderboard([mine(), "conll18"]),
        read_leaderboard(base, mine()),
    ):
        assert board.systems == (*base.systems, "mine")
        assert board.treebanks == base.treebanks
        assert (board.values[:-1] == base.values).all()
        assert (board.values[-1] == 80).all()


def test_other_treebanks_of_added_systems_are_left_out_and_named(caplog):
    more = pl.concat([mine(), pl.DataFrame({"treebank": ["UD_Elvish-X"], "mine": [99.0]})])
    with caplog.at_level("INFO", "treegauge"):
        board = read_leaderboard("conll18", more)
    assert len(board.treebanks) == 82
    assert "1 treebanks are not in the table and are left out: UD_Elvish-X" in caplog.text


def test_added_systems_are_checked():
    with pytest.raises(TreegaugeError, match=r"conll18 \+ table: 2 missing scores: \(af_afribooms, mine\)"):
        read_leaderboard("conll18", mine()[2:])
    board = read_leaderboard("conll18", mine()[2:], missing="keep")
    assert board.gaps == 2
    with pytest.raises(TreegaugeError, match="could be fractions; expected percent"):
        read_leaderboard("conll18", mine(0.8))
    with pytest.raises(TreegaugeError, match="the system HIT-SCIR is already in the table"):
        read_leaderboard("conll18", mine().rename({"mine": "HIT-SCIR"}))
    with pytest.raises(TreegaugeError, match=r"none of its treebanks \(x\) is in the table"):
        read_leaderboard("conll18", pl.DataFrame({"treebank": ["x"], "mine": [80.0]}))
    with pytest.raises(ChoiceError, match="unknown metric 'LAS'; choices: f"):
        read_leaderboard("conll18", mine(metric=["f"] * 82))
