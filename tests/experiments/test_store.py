"""The progress of a store."""

import treegauge as tg


def test_failures_are_counted_in_every_sentence(chores, tmp_path):
    """Two failures read as two, in the text of the run, of status, and in JSON."""
    done = tg.run(chores("raises", 2), tmp_path / "s", pool="inline", retries=0)
    assert "2 cells, 0 done before, 0 done now" in str(done)
    assert ", 2 failed" in str(done)
    assert done.exit_code == 1
    status = tg.store(tmp_path / "s")
    assert str(status).startswith("plan: 2 cells, 0 done, 2 failed, 0 left; finished")
    assert status.to_dict()["run"]["failed"] == 2
    assert [row["failed"] for row in status.to_dict()["rows"]] == [2]


def test_a_store_is_given_as_an_object_or_by_path(chores, tmp_path):
    tg.run(chores("trivial", 3), tmp_path / "s", pool="inline")
    assert str(tg.store(tg.Store(tmp_path / "s"))) == str(tg.store(str(tmp_path / "s")))
