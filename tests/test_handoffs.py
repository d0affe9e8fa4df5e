"""What one verb writes, another reads with the same numbers, by every format.

Scores to rankings: tests/ranking/test_handoffs.py; data maps and stores to the page:
tests/reporting/test_report.py; stores to curves: tests/test_one_number.py.
"""

import pytest

import treegauge as tg
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic

ENDINGS = ["csv", "tsv", "json", "parquet"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Six small treebanks, and the output of one system on their test sets."""
    home = tmp_path_factory.mktemp("handoffs")
    (home / "out").mkdir()
    for number, name in enumerate(("Aa", "Bb", "Cc", "Dd", "Ee", "Ff")):
        folder = home / f"UD_{name}-Toy"
        folder.mkdir()
        whole = synthetic(60, seed=number)
        for split, cut in {"train": slice(40), "test": slice(40, 60)}.items():
            tg.write_conllu(whole[cut], folder / f"{name.lower()}_toy-ud-{split}.conllu")
        text = (folder / f"{name.lower()}_toy-ud-test.conllu").read_text(encoding="utf-8")
        parsed = home / "out" / f"UD_{name}-Toy.conllu"
        parsed.write_text(simulated_parse(text, seed=number), encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def written(folders):
    """Scores and measures of the treebanks."""
    gold = [folder for folder in sorted(folders.iterdir()) if folder.name.startswith("UD_")]
    measures = tg.measure("mean_length", *gold)
    scores = tg.score(folders, {"it": folders / "out"}, split="test", resamples=0)
    return measures, scores


@pytest.mark.parametrize("ending", ENDINGS)
def test_measures_and_scores_are_analysed_from_any_file(written, tmp_path, ending):
    paths = []
    for name, result in zip(("measures", "scores"), written, strict=True):
        paths.append(tmp_path / f"{name}.{ending}")
        result.save(paths[-1])
    direct, read = (tg.analyse(tables, "LAS", "mean_length", resamples=0) for tables in (written, paths))
    assert read.table.rows() == direct.table.rows()
    assert read.rows[0].inference.r is not None


@pytest.mark.parametrize("ending", ENDINGS)
def test_one_gold_file_reads_as_its_row_of_many(written, folders, tmp_path, ending):
    _, suite = written
    one = tg.score(folders / "UD_Aa-Toy", {"it": folders / "out" / "UD_Aa-Toy.conllu"}, split="test", resamples=0)
    one.save(tmp_path / f"one.{ending}")
    board = tg.read_leaderboard(tmp_path / f"one.{ending}", metric="LAS")
    assert board.values.item() == suite.f1(next(iter(suite.treebanks)), "it", "LAS")
