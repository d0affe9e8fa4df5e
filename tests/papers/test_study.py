"""A paper's study in one command: the numbers of the verbs it is made of, and what the paper printed."""

import csv
import io
import re

import numpy as np
import pytest
from scipy import stats

import treegauge as tg
from tests.commands import invoke
from treegauge.core.errors import TreegaugeError
from treegauge.papers.edv import slopes_on_edv
from treegauge.papers.study import TITLES, printed_numbers
from treegauge.testing.simulated_parser import Accuracy, simulated_parse


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory):
    """Three invented treebanks in folders."""
    home = tmp_path_factory.mktemp("treebanks")
    for number, language in enumerate(("Tamil", "Greek", "Welsh")):
        folder = home / f"UD_{language}-X"
        folder.mkdir()
        for split, size in (("train", 120), ("dev", 20), ("test", 40)):
            made = tg.synthetic(size, seed=10 * number + size, prefix=f"{language}-{split}")
            tg.write_conllu(made, folder / f"{language[:2].lower()}_x-ud-{split}.conllu")
    return home


@pytest.fixture(scope="module")
def fragility(tmp_path_factory):
    out = tmp_path_factory.mktemp("fragility")
    return tg.study("fragility", "conll18", subsets=3000, out=out), out


def test_ranks_are_those_of_rank(fragility):
    made, _ = fragility
    ranks = tg.rank("conll18", subsets=3000, size=10).table
    own = {row["system"]: row for row in made["Table 3"].rows}
    assert own.keys() == set(ranks["system"])
    for row in ranks.to_dicts():
        assert own[row["system"]]["mean"] == row["mean"]
        assert own[row["system"]]["sd"] == row["sd"]


def test_the_paper_is_beside_ours(fragility):
    made, _ = fragility
    rows = {row["system"]: row for row in made["Table 3"].rows}
    # Fragility, Table 3
    assert [rows["Stanford"][f"printed: {name}"] for name in ("best", "worst", "mean")] == ["1", "21", "6.30"]
    for row in rows.values():
        assert row["mean"] == pytest.approx(float(row["printed: mean"]), abs=0.25)
    assert "UDPipe Future ranks 1 to 12" in " ".join(made["Table 5"].notes)


def test_one_page_latex_and_a_file_per_item(fragility):
    made, out = fragility
    page = (out / "fragility.html").read_text()
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert page.count("<svg") == 2
    for row in made.rows:
        if not row["why"]:
            assert f"{row['item']}. " in page
    latex = (out / "fragility.tex").read_text()
    assert latex.count(r"\begin{tabular}") == len(made.attached["tables"]) + 1
    saved = list(csv.DictReader(io.StringIO((out / "fragility_table_3.csv").read_text())))
    assert saved[0]["system"] == made["Table 3"].rows[0]["system"]
    assert float(saved[0]["mean"]) == made["Table 3"].rows[0]["mean"]


def test_the_second_metric_and_named_subsets(fragility):
    made, _ = fragility
    blex = tg.rank("conll18", metric="BLEX", subsets=3000, size=10).table
    assert {row["system"]: row["mean"] for row in made["Table 4"].rows} == dict(
        blex.select("system", "mean").iter_rows()
    )
    board = tg.read_leaderboard("conll18")
    easy = next(row for row in made["Table 1"].rows if row["subset"] == "Easy")
    columns = [board.treebank(code) for code in tg.data.named_subsets()["Easy"]]
    assert easy["HIT-SCIR"] == pytest.approx(board.values[board.system("HIT-SCIR"), columns].mean())


def test_a_study_runs_on_published_scores():
    where = ["release=2.5", "input=raw text"]
    made = tg.study("fragility", "published", where=where, missing="drop-treebank", subsets=500, out=None)
    assert made["Table 3"].rows[0]["system"] == "Trankit large"
    assert len(made["Table 3"].rows) == 5


def test_edv_on_scores_alone_says_what_needs_texts():
    made = tg.study("edv", "ud25", out=None)
    rho = {row["variable"]: row["rho"] for row in made["Table 2"].rows}
    # EDV, Table 2: scores at hand have one decimal
    assert rho["train_sentences"] == pytest.approx(0.535, abs=0.001)
    assert rho["test_words"] == pytest.approx(0.433, abs=0.0015)
    model = next(row for row in made["Table 5"].rows if row["predictor"] == "mean_test_length")
    assert (round(model["adjusted_r2"], 3), round(model["importance"], 1)) == (0.503, 12.2)
    left = [row for row in made["Figures 7 and 8"].rows if row["divided by"] == "log(train_words)"]
    assert round(left[0]["rho"], 3) == -0.123  # Fig. 7
    reasons = {row["item"]: row["why"] for row in made.rows}
    assert "texts" in reasons["Table 4"]
    assert "texts" in reasons["Figure 3"]
    with pytest.raises(TreegaugeError, match="Table 4: needs edv"):
        made["Table 4"]


def test_edv_measures_texts_and_splits_them_again(treebanks, tmp_path):
    names = [folder.name for folder in sorted(treebanks.iterdir())]
    scores = tmp_path / "scores.csv"
    scores.write_text("treebank,LAS\n" + "".join(f"{name},{80 + i}\n" for i, name in enumerate(names)))
    out = tmp_path / "edv"
    made = tg.study("edv", *sorted(treebanks.iterdir()), scores, parser="baseline", out=out)
    splits = made["Section 6"].rows
    assert [row["EDV"] for row in splits] == ["low", "high"] * 3
    assert all(high["edv"] > low["edv"] for low, high in zip(splits[::2], splits[1::2], strict=True))
    done = tg.store(out / "store").table["done"].sum()
    assert done == 6 + 3 * 5 * 3  # low and high; treebanks, levels and samples
    again = tg.study("edv", *sorted(treebanks.iterdir()), scores, parser="baseline", out=out)
    assert again["Section 6"].rows == splits
    assert tg.store(out / "store").table["done"].sum() == done
    _check_slopes(made, names)
    quick = tg.study("edv", *sorted(treebanks.iterdir()), scores, parser="baseline", quick=True, out=out)
    first = [row for row in made["Graded EDV"].rows if row["sample"] == 0]
    assert [row["las"] for row in quick["Graded EDV"].rows] == [row["las"] for row in first]
    assert {row["low"] for row in quick["LAS by EDV"].rows} == {None}
    assert tg.store(out / "store").table["done"].sum() == done


def _check_slopes(made, names):
    """Compare slopes with numpy's least squares on the rows that are shown, intervals with scipy's."""
    rows = made["Graded EDV"].rows
    slopes = {row["treebank"]: row for row in made["LAS by EDV"].rows}
    assert list(slopes) == [*names, "mean", "median"]
    for name in names:
        samples = []
        for sample in range(3):
            mine = [row for row in rows if (row["treebank"], row["sample"]) == (name, sample)]
            assert [row["EDV"] for row in mine] == ["low", "0.25", "0.5", "0.75", "high"]
            assert [row["edv"] for row in mine] == sorted(row["edv"] for row in mine)
            x = np.column_stack([[row["edv"] for row in mine], np.ones(5)])
            samples.append(np.linalg.lstsq(x, [row["las"] for row in mine], rcond=None)[0][0])
        assert slopes[name]["slope"] == pytest.approx(np.mean(samples))
        limits = stats.t.interval(0.95, 2, np.mean(samples), stats.sem(samples))
        assert (slopes[name]["low"], slopes[name]["high"]) == pytest.approx(limits)
    values = [slopes[name]["slope"] for name in names]
    assert slopes["mean"]["slope"] == pytest.approx(np.mean(values))
    assert slopes["median"]["slope"] == pytest.approx(np.median(values))
    # three treebanks are too few for intervals
    assert {slopes[name][end] for name in ("mean", "median") for end in ("low", "high")} == {None}


def test_slopes_over_treebanks_count_genera():
    genera = ["Czech", "Polish", "Greek", "Welsh", "Tamil", "Turkish", "Hungarian"]  # two are Slavic
    rows = [
        {"treebank": f"UD_{name}-X", "sample": 0, "edv": edv, "las": 80 - number * edv}
        for number, name in enumerate(genera)
        for edv in (0.1, 0.5, 1.0)
    ]
    *single, mean, median = slopes_on_edv(rows)
    assert [row["slope"] for row in single] == pytest.approx([0, -1, -2, -3, -4, -5, -6])
    assert (mean["slope"], mean["low"], mean["over"]) == (pytest.approx(-3), None, "7 treebanks in 6 genera")
    # means of genera: -0.5, -2, ..., -6, whose range has a coverage of 1 - 2 / 2 ** 6
    assert [median[key] for key in ("slope", "over")] == [pytest.approx(-3.5), "6 genera"]
    assert -6 <= median["low"] < -5
    assert -2 < median["high"] <= -0.5


def test_difficulty_is_that_of_the_verb(treebanks, tmp_path):
    folders = sorted(treebanks.iterdir())
    made = tg.study("difficulty", *folders, quick=True, out=tmp_path)
    plain = tg.difficulty(
        *folders, parser="mst tags=none", orders=1, blocks="10,90", convention="difficulty", store=tmp_path / "store"
    )
    for name in ("arc_conf", "rel_var", "arc_vinfo", "rel_mdl"):
        assert [row[name] for row in made["Table 1"].rows] == plain.table[name].to_list()
    assert {"Figure 2, right", "Figure 3, left", "Figure 3, right"} <= made.figures.keys()
    assert "quick" in made["Table 1"].notes[0]


def test_challenges_counts_once_and_transfers(treebanks, tmp_path):
    folders = sorted(treebanks.iterdir())
    made = tg.study("challenges", *folders, quick=True, option=["epochs=2"], out=tmp_path)
    counts = tg.curve.counts(
        *folders, parser="mst", option=["epochs=2"], metric="UAS", convention="challenges", by="upos,binary-direction",
        sizes="10,50", samples=2, store=tmp_path / "store", workers=1,
    )  # fmt: skip
    found = tg.curve.complexity(counts, min_presence=1 / 3)
    assert {(row["class"], row["complexity"]) for row in made["Table 1"].rows} == set(
        found.table.select("class", "complexity").iter_rows()
    )
    whole = tg.curve(counts, composite="mst").table.filter(size=10)
    own = {row["class"]: row["score"] for row in made["Table 2"].rows if row["size"] == 10}
    assert own == dict(whole.select("class", "score").iter_rows())
    assert [row["sources"] for row in made["Table 3"].rows] == ["all", "without UD_Tamil-X", "without UD_Welsh-X"]


def test_content_correlates_official_scores(treebanks, tmp_path):
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    for number, folder in enumerate(sorted(treebanks.iterdir())):
        (file,) = folder.glob("*-test.conllu")
        parsed = simulated_parse(file.read_text(), Accuracy(heads=0.7 + 0.1 * number), seed=number)
        (outputs / file.name).write_text(parsed)
    made = tg.study("content", treebanks, outputs, out=None)
    scores = {row["treebank"]: row for row in made["Scores"].rows}
    for folder in sorted(treebanks.iterdir()):
        (file,) = folder.glob("*-test.conllu")
        own = tg.score(file, outputs / file.name, metric=["LAS", "ContentLAS"], resamples=0).systems[0]
        assert scores[folder.name]["LAS"] == own["LAS"].f1
        assert scores[folder.name]["ContentLAS recall"] == own["ContentLAS"].recall
    pair = next(row for row in made["Table 3"].rows if (row["x"], row["y"]) == ("WLAS", "LAS"))
    r = np.corrcoef([row["WLAS"] for row in scores.values()], [row["LAS"] for row in scores.values()])[0, 1]
    assert (pair["n"], pair["r"]) == (3, pytest.approx(r)) or pair["r"] is None
    assert pair["printed: MaltParser, UD 1.2"] == "0.99"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing", "conll18"], "nothing"),
        (["edv"], "Missing argument"),
        (["difficulty", "conll18"], "expected treebanks only|conll18 is"),
        (["content", "conll18"], "found 1 inputs, expected GOLD and the output"),
        (["edv", "conll18", "--out", "x"], "expected"),
    ],
)
def test_wrong_input_is_refused_in_words(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = invoke(["study", *words])
    assert done.exit_code == 2
    assert re.search(said, done.stderr), done.stderr
    assert not list(tmp_path.rglob("*.html"))


def test_every_study_has_printed_numbers_of_its_paper():
    assert {paper: bool(printed_numbers(paper, item)) for paper, item in (
        ("edv", "Table 5"), ("fragility", "Table 1"), ("difficulty", "Figure 1"), ("challenges", "Table 2"),
        ("content", "Table 3"))} == dict.fromkeys(TITLES, True)  # fmt: skip
