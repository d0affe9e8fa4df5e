"""Published scores: means as printed, names told apart, nothing compared that cannot be."""

import polars as pl
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError

UD25 = ["release=2.5", "input=raw text"]


@pytest.mark.parametrize(
    ("where", "printed"),
    [
        (["system=Trankit large"], 85.49),
        (["system=Trankit base"], 83.69),
        (["system=Stanza", "version=1.3"], 79.04),
        (["system=Stanza", "version=1.5.1"], 79.02),
    ],
)
def test_means_over_treebanks_equal_the_printed_ones(where, printed):
    assert [round(row["LAS"], 2) for row in tg.published(where=where).rows] == [printed]


def test_parsers_on_one_release_are_ranked():
    ranking = tg.rank("published", where=UD25, missing="drop-treebank", subsets=1000)
    systems = ranking.table["system"].to_list()
    assert systems == ["Trankit large", "Trankit base", "Stanza 1.0", "Stanza 1.1.1", "UDPipe 1"]
    frame = tg.data.published().filter(pl.col("input") == "raw text", release="2.5", metric="LAS")
    shared = frame.group_by("treebank").len().filter(pl.col("len") == len(systems))["treebank"].implode()
    means = frame.filter(pl.col("treebank").is_in(shared)).group_by("system", "version").agg(pl.col("score").mean())
    own = sorted(ranking.table["score"].to_list())
    assert own == pytest.approx(sorted(means["score"].to_list()))
    assert "where release=2.5 and input=raw text" in ranking.signature


@pytest.mark.parametrize("name", ["UD_Greek-GDT", "Greek-GDT", "el_gdt", "Greek-GDT@2.5"])
def test_a_treebank_has_many_names(name):
    rows = tg.published(name, where=["release=2.5"]).rows
    assert len(rows) == 7
    assert [row["input"] for row in rows[:5]] == ["raw text"] * 5
    assert [row["LAS"] for row in rows[:5]] == sorted((row["LAS"] for row in rows[:5]), reverse=True)


def test_the_newest_release_comes_first():
    releases = [row["release"] for row in tg.published("UD_English-EWT").rows]
    assert releases[0] == "2.17"
    assert [float(f"{one.split('.')[0]}.{one.split('.')[1]:0>2}") for one in releases] == sorted(
        (float(f"{one.split('.')[0]}.{one.split('.')[1]:0>2}") for one in releases), reverse=True
    )


def test_scores_with_different_input_are_not_ranked_together():
    with pytest.raises(TreegaugeError, match=r"different input \(gold tokens, raw text\).*--where"):
        tg.rank("published", where=["release=2.6", "system=LIMA"])


def test_analyses_take_rows_of_a_long_table():
    result = tg.analyse(
        ["published", "ud25"], "LAS:Trankit large", "log(train_words)", where=["metric=LAS", *UD25], resamples=0
    )
    assert result.rows[0].n > 80


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("relase=2.5", "unknown column 'relase'; did you mean 'release'"),
        ("release=2.55", "no row meets release=2.55; release has .*2.5"),
        ("release", "expected for example"),
        ("score >= high", "expected a number"),
    ],
)
def test_a_wrong_condition_names_what_there_is(where, message):
    for ask in (tg.rank, tg.analyse):
        with pytest.raises(TreegaugeError, match=message):
            ask("published", where=[where])
    with pytest.raises(TreegaugeError, match=message):
        tg.published(where=[where])


def test_an_unknown_treebank_gets_near_names():
    with pytest.raises(TreegaugeError, match="did you mean 'Greek'"):
        tg.published("Grek")
