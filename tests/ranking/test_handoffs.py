"""What score and run write, rank and certify read: the same numbers by every route and format."""

import json

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from tests.commands import invoke
from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cells import Cell
from treegauge.experiments.plans import make_setup
from treegauge.experiments.training import run_cells

CODES = ("xx_one", "xx_two", "yy_three")
WORDS = 40


def sentence(shift: int, wrong: int) -> str:
    """Return a sentence of which the last words have an incorrect head."""
    rows = []
    for i in range(1, WORDS + 1):
        head = 0 if i == 1 else 1 if i + wrong <= WORDS else 2
        relation = "root" if i == 1 else "dep"
        rows.append(f"{i}\tw{i + shift}\t_\tNOUN\t_\t_\t{head}\t{relation}\t_\t_")
    return "\n".join(rows) + "\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with gold and the output of two systems on three treebanks."""
    home = tmp_path_factory.mktemp("suite")
    for name, errors in {"gold": (0, 0, 0), "alpha": (1, 3, 2), "beta": (4, 2, 6)}.items():
        (home / name).mkdir()
        for shift, (code, wrong) in enumerate(zip(CODES, errors, strict=True)):
            path = home / name / f"{code}-ud-test.conllu"
            path.write_text(sentence(shift, wrong) * 3)
    return home


@pytest.fixture(scope="module")
def suite(folder):
    return tg.score(folder / "gold", folder / "alpha", folder / "beta")


def run(*words):
    result = invoke(list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.stdout


EXPECTED = {"alpha": 100 * (1 - 6 / 120), "beta": 100 * (1 - 12 / 120)}


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet"])
def test_files_of_score_give_the_numbers_of_the_object(suite, tmp_path, ending):
    path = tmp_path / f"scores.{ending}"
    suite.save(path)
    direct, read = tg.read_leaderboard(suite), tg.read_leaderboard(path)
    assert (direct.systems, direct.treebanks) == (read.systems, read.treebanks)
    assert np.array_equal(direct.values, read.values)
    assert dict(zip(read.systems, read.values.mean(axis=1), strict=True)) == pytest.approx(EXPECTED)
    claims = [tg.certify(source, claim="alpha > beta") for source in (suite, path)]
    assert claims[0].text == claims[1].text
    assert "mean difference +5.00 points" in claims[0].text


@pytest.mark.parametrize("fmt", ["csv", "json"])
def test_the_commands_hand_over_as_well(folder, tmp_path, fmt):
    path = tmp_path / f"scores.{fmt}"
    run("score", *(folder / name for name in ("gold", "alpha", "beta")), "--format", fmt, "--out", path)
    text = run("certify", path, "--claim", "alpha > beta", "--size", "2")
    # These were +0.05 points and an error reduction of 0.0 % when score wrote fractions.
    assert "mean difference +5.00 points" in text
    assert "(error reduction 50.0 %)" in text
    ranks = json.loads(run("rank", path, "--size", 2, "--subsets", 100, "--format", "json"))
    assert [row["score"] for row in ranks["systems"]] == pytest.approx([95, 90])
    assert " 1  alpha   95.00 " in run("rank", path, "--size", 2, "--subsets", "all")


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_files_of_single_treebanks_are_joined(folder, suite, tmp_path, ending):
    for code in CODES:
        file = f"{code}-ud-test.conllu"
        one = tg.score(
            folder / "gold" / file, f"alpha={folder / 'alpha' / file}", f"beta={folder / 'beta' / file}", resamples=0
        )
        one.save(tmp_path / f"{code}.{ending}")
    joined = tg.read_leaderboard(str(tmp_path / f"*.{ending}"))
    assert np.array_equal(joined.values, tg.read_leaderboard(suite).values)


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_a_leaderboard_is_read_back_from_its_own_files(tmp_path, ending):
    board = tg.read_leaderboard("conll18", metric="uas")
    board.save(tmp_path / f"board.{ending}")
    again = tg.read_leaderboard(tmp_path / f"board.{ending}", metric="uas")
    assert np.array_equal(again.values, board.values)
    assert again.systems == board.systems


def test_tables_that_could_be_fractions_are_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("treebank,system,LAS\nx,A,0.81\nx,B,0.79\ny,A,0.9\ny,B,1\n")
    with pytest.raises(TreegaugeError, match=r"they could be fractions.*expected percent.*by 100"):
        tg.certify(path, claim="A > B")
    with pytest.raises(TreegaugeError, match="could be fractions"):
        tg.rank(pl.DataFrame({"treebank": ["x"], "A": [0.5], "B": [0.25]}), size=1)


def test_a_system_joins_a_packaged_table(tmp_path):
    board = tg.read_leaderboard("conll18")
    names = dict(board.metadata.select("treebank", "name").iter_rows())
    path = tmp_path / "mine.csv"
    rows = [f"{names[code] or code},mine,{score}" for code, score in zip(
        board.treebanks, board.values[0] + 0.5, strict=True)]  # fmt: skip
    path.write_text("\n".join(["treebank,system,LAS", *rows]))
    joined = tg.read_leaderboard("conll18", path)
    assert joined.treebanks == board.treebanks
    assert joined.systems == (*board.systems, "mine")
    assert joined.signature.startswith("treegauge:")
    with pytest.raises(TreegaugeError, match="80 missing score"):
        path.write_text("\n".join(["treebank,system,LAS", *rows[:2]]))
        tg.read_leaderboard("conll18", path)
    assert len(tg.read_leaderboard("conll18", path, missing="drop-treebank").treebanks) == 2


def test_a_store_is_a_table_of_its_parsers(tmp_path, folder):
    store = tmp_path / "store"
    treebanks = []
    for code in CODES:
        home = tmp_path / f"UD_Test-{code}"
        home.mkdir()
        for split in ("train", "dev", "test"):
            text = (folder / "gold" / f"{code}-ud-test.conllu").read_text()
            (home / f"{code}-ud-{split}.conllu").write_text(text)
        treebanks.append(home)
    for beam in (1, 2):
        setups = [make_setup("score", home, "beam", options={"beam": beam, "epochs": 1}) for home in treebanks]
        run_cells([Cell(setup, seed=seed) for setup in setups for seed in (1, 2)], store)
    board = tg.read_leaderboard(store)
    assert board.runs is not None
    assert len(board.systems) == 2
    for ending in ("csv", "json", "parquet"):
        path = tmp_path / f"results.{ending}"
        fmt = [] if ending == "parquet" else ["--format", ending]
        run("results", store, *fmt, "--out", path)
        assert np.array_equal(tg.read_leaderboard(path).values, board.values)
    assert tg.rank(store, size=2, subsets=10).systems == board.systems


def test_the_page_shows_the_same_means(suite, tmp_path):
    suite.save(tmp_path / "scores.csv")
    page = tmp_path / "page.html"
    tg.report(tmp_path / "scores.csv", out=page, subsets=200)
    text = page.read_text()
    # It showed a mean LAS of 0.95 when score wrote fractions.
    assert "95.00" in text
    (tmp_path / "fractions.csv").write_text("treebank,system,LAS\nx,A,0.8\nx,B,0.7\ny,A,1\ny,B,0\n")
    with pytest.raises(TreegaugeError, match="could be fractions"):
        tg.report(tmp_path / "fractions.csv", out=page)
