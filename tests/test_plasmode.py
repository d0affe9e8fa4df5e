"""Real documents, sentences and genera, drawn again."""

import re

import numpy as np
import pytest

from tools.calibrate import plasmode
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.indexing import document_starts


@pytest.fixture
def release(tmp_path, monkeypatch):
    """A folder with one treebank of two files; four documents, and sentences before the first mark."""
    folder = tmp_path / "r0" / "UD_Greek-One"
    folder.mkdir(parents=True)
    for split, seed, starts in (("train", 1, {0, 4, 9}), ("test", 2, {3})):
        plain = re.sub(r"# newdoc[^\n]*\n", "", synthetic(12, seed=seed).to_bytes().decode()).split("\n\n")[:12]
        blocks = [f"# newdoc id = {split}{i}\n{block}" if i in starts else block for i, block in enumerate(plain)]
        (folder / f"el_one-ud-{split}.conllu").write_text("\n\n".join([*blocks, ""]), "utf-8")
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path))
    plasmode.population.cache_clear()
    yield "r0/UD_Greek-One"
    plasmode.population.cache_clear()


def test_documents_are_drawn_whole(release):
    real = plasmode.population(release)
    assert (len(real), real.documents) == (12 + 9, 4)
    sizes = np.diff(real.bounds)
    drawn = plasmode.documents(release, np.random.default_rng(0), 30)
    starts = np.flatnonzero(document_starts(drawn))
    assert len(starts) == 30
    assert set(np.diff([*starts, len(drawn)])) <= set(sizes.tolist())
    first, second = plasmode.random_split(release, np.random.default_rng(0), 0.5)
    assert document_starts(first).sum() == document_starts(second).sum() == 2
    assert len(first) + len(second) == len(real)


def test_sentences_are_drawn_alone(release):
    drawn = plasmode.sentences(release, np.random.default_rng(0), 100)
    assert len(drawn) == 100
    assert set(drawn.lengths) <= set(plasmode.population(release).treebank.lengths)


def test_what_is_not_there_is_absent(release, monkeypatch):
    monkeypatch.setattr(plasmode, "score_table", plasmode.score_table.__wrapped__)  # other tests may have read it
    with pytest.raises(plasmode.Absent, match="r0/UD_Greek-Two"):
        plasmode.population("r0/UD_Greek-Two")
    monkeypatch.setenv("TREEGAUGE_FIGURES", "/nowhere")
    with pytest.raises(plasmode.Absent, match=r"published_scores\.csv"):
        plasmode.score_table("published", "uas")
    monkeypatch.delenv("TREEGAUGE_UD")
    with pytest.raises(plasmode.Absent, match="TREEGAUGE_UD"):
        plasmode.home()


def test_genera_are_drawn_whole():
    real = plasmode.score_table()
    drawn = plasmode.tables_by_genus(np.random.default_rng(0), 15)
    assert drawn.genera.max() == 14
    assert len(set(drawn.treebanks)) == len(drawn.treebanks) == drawn.scores.shape[1]
    size = {genus: np.bincount(real.genera)[genus] for genus in range(real.genera.max() + 1)}
    assert set(np.bincount(drawn.genera)) <= set(size.values())
    assert np.nanmax(real.scores) <= 100


def test_no_treebank_is_used_to_choose_and_to_judge():
    for choosing, judging in (
        (plasmode.CHOOSING, plasmode.JUDGING), (plasmode.CHOOSING_SENTENCES, plasmode.JUDGING_SENTENCES),
    ):  # fmt: skip
        names = [{name.partition("/")[2] for name in group} for group in (choosing, judging)]
        assert not names[0] & names[1]
