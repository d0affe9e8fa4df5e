"""What the long runs of the EDV study consist of, and how their rows are kept."""

import json
import sys

import numpy as np
import pytest

from studies import run_tables
from studies.edv import curriculum as edv_curriculum
from studies.edv import runs as edv_runs
from studies.edv.splitting import of_same_lengths
from treegauge.measures.displacement import edv
from treegauge.splitting.assignment import pool
from treegauge.testing.synthetic import synthetic


def test_the_control_has_the_same_share_of_every_length():
    sentences = pool(synthetic(300, seed=1))
    parts = of_same_lengths(sentences, seed=4)
    lengths = sentences.lengths[sentences.lengths >= 3]
    assert sum(map(len, parts.values())) == len(lengths)
    for name, share in (("train", 0.6), ("dev", 0.2), ("test", 0.2)):
        for most in range(3, int(lengths.max()) + 1):
            # Shares of small lengths carry over, so that sums differ by a sentence or two.
            wanted = share * (lengths <= most).sum()
            assert abs((parts[name].lengths <= most).sum() - wanted) <= 2
    other = of_same_lengths(sentences, seed=5)["test"]
    assert other.to_bytes() != parts["test"].to_bytes()


@pytest.mark.parametrize("study", [edv_runs, edv_curriculum])
def test_jobs_are_named_apart_and_written_as_json(study):
    jobs = study.jobs()
    assert len({study.TABLE.key_of(job) for job in jobs}) == len(jobs)
    assert json.loads(json.dumps(jobs)) == jobs
    assert set(study.KEY) == set(jobs[0])


def test_contributions_are_the_distances_of_single_sentences():
    train = synthetic(30, seed=2)
    found = edv_curriculum.contributions(train)
    for i in range(30):
        if np.isfinite(found[i]):
            assert found[i] == pytest.approx(edv(train[i : i + 1], train), abs=1e-12)


def test_orders_begin_with_the_typical_or_the_short():
    train = synthetic(30, seed=2)
    distances = edv_curriculum.contributions(train)
    assert edv_curriculum.sentence_order(train, "random", 0) is None
    for order, scores in (("typical first", distances), ("short first", train.lengths)):
        epochs = edv_curriculum.sentence_order(train, order, 0)
        assert epochs is not None
        for epoch in (1, 2):
            assert (scores[epochs(epoch)] == np.sort(scores)).all()
    longest = edv_curriculum.sentence_order(train, "long first", 0)
    assert longest is not None
    assert (np.diff(train.lengths[longest(1)]) <= 0).all()


def test_rows_are_kept_in_the_order_of_the_jobs(tmp_path, monkeypatch):
    monkeypatch.setattr(run_tables, "RESULTS", tmp_path)
    jobs = [{"name": name} for name in "abc"]
    ran = []

    def run(job):
        ran.append(job["name"])
        return job | {"las": 1 / 3}

    table = run_tables.RunTable("t", lambda: jobs, run, ("name",), ("name", "las"))
    elsewhere = tmp_path / "rows.jsonl"
    elsewhere.write_text(json.dumps({"name": "b", "las": 50.0}) + "\n")
    for arguments in ([str(elsewhere)], ["1"], []):
        monkeypatch.setattr(sys, "argv", ["t", *arguments])
        table.main()
    assert ran == ["a", "c"]
    assert table.path.read_text() == "name,las\na,0.333333\nb,50\nc,0.333333\n"
