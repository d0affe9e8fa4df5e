"""The arithmetic behind the pages of benchmarks: medians, exponents, the model of a cluster."""

import re

import pytest

from tools.bench import cells, measuring, reader_paths, verbs
from tools.bench.growth import Curve
from tools.bench.machine import THREADS, machine
from tools.bench.measuring import Measured, contest
from tools.bench.scaling import Model
from tools.bench.tables import Section, Target, faster, versus, wrap
from treegauge.experiments.pools import PoolSettings


def test_growth_of_a_known_law() -> None:
    sizes = (10.0, 100.0, 1000.0)
    runs = tuple(Measured(0.5 * size**1.5, 50 + size * 8e-6) for size in sizes)
    found = Curve(sizes, runs)
    assert found.exponent == pytest.approx(1.5)
    assert found.factor == pytest.approx(10**1.5)
    assert found.bytes_each == pytest.approx(8)


def test_median_of_rounds_and_answers_that_change() -> None:
    rounds = [Measured(3, 10, 7), Measured(1, 30, 7), Measured(2, 20, 7)]
    assert Measured.middle(rounds) == Measured(2, 20, 7)
    with pytest.raises(SystemExit, match="different answers"):
        Measured.middle([Measured(1, 1, 7), Measured(1, 1, 8)])


def test_a_cluster_gains_until_the_driver_is_busy() -> None:
    model = Model(start=5, driver=0.001, heavy=0.01, extra=0.5)
    assert model.seconds(100, 1.5, 1) == pytest.approx(5 + 100 * 2)
    assert model.seconds(100, 1.5, 4) == pytest.approx(5 + 100 * 0.5)
    assert model.most(1.5) == pytest.approx(200)
    assert model.seconds(100, 1.5, 200) == model.seconds(100, 1.5, 400) == pytest.approx(6)
    assert model.seconds(100, 1.5, 400, words=False) == pytest.approx(5.5)


def test_cells_are_timed(monkeypatch) -> None:
    """In this process: a cluster takes seconds to start."""
    monkeypatch.setattr(cells, "PoolSettings", lambda _, workers: PoolSettings("inline", workers))
    found = cells.run("waiting", 0.01, 4, 1, words=True)
    assert found.each >= 0.01
    assert found.driver > 0
    assert found.stored > cells.WORDS


def fake(answers: dict[str, float | None]):
    def run(part, job, name, small, given):
        return None if name == "absent" else Measured(1, 1, answers[name])

    return run


def test_contenders_must_agree(monkeypatch) -> None:
    answers = {"ours": 10.0, "other": 10.00001, "by another definition": None}
    monkeypatch.setattr(measuring, "_in_fresh_process", fake(answers))
    assert list(contest("part", "job", [*answers, "absent"])) == list(answers)
    answers["other"] = 10.1
    with pytest.raises(SystemExit, match="answers differ"):
        contest("part", "job", answers)
    assert contest("part", "job", answers, tolerance=0.02)["other"].answer == 10.1


def test_slow_contenders_take_part_twice(monkeypatch) -> None:
    turns = {"quick": 0, "slow": 0}

    def run(part, job, name, small, given):
        turns[name] += 1
        return Measured(60 if name == "slow" else 1, 1)

    monkeypatch.setattr(measuring, "_in_fresh_process", run)
    contest("part", "job", turns, repeats=5)
    assert turns == {"quick": 5, "slow": 2}


def test_tables_are_beside_ours() -> None:
    found = {"ours": Measured(0.05, 100), "theirs": Measured(2, 50)}
    assert versus("job", found)[1] == ["job: theirs", "2.00", "40.0", "50", "0.5"]
    assert faster("theirs", "ours", found, 41)[0].reached is False
    assert faster("nobody", "ours", found, 41) == []


def test_formulas_keep_their_line() -> None:
    assert wrap("a\nb\n\n    x = 1\n\nc").splitlines() == ["a b", "", "    x = 1", "", "c"]


def test_the_page_says_whether_threads_were_limited(monkeypatch) -> None:
    for name in THREADS:
        monkeypatch.delenv(name, raising=False)
    assert "threads not limited" in machine()
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert "threads limited by OMP_NUM_THREADS=1" in machine()


def test_targets_are_folded_and_those_missed_are_shown():
    targets = [Target("fast", "3 times", reached=True), Target("small", "9 MB", reached=False)]
    text = str(Section("Reading", "One file.", targets=targets))
    before, fold = text.split("<details markdown>")
    assert "MISS  small: 9 MB" in before
    assert "fast" not in before
    assert fold.startswith("<summary>Targets: 1 of 2 met</summary>")
    assert "| fast   |  3 times | yes |" in fold


@pytest.mark.parametrize("page", reader_paths.PAGES)
def test_a_first_page_says_how_long_it_takes(page) -> None:
    text = (reader_paths.ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert reader_paths.commands(text)[:2] == ["pip install .", "treegauge demo --out demo"]
    new = reader_paths.with_total(text, [reader_paths.Step("pip install .", 700.4, 900)])
    assert "Measured: 700 s of processor time" in new
    said = re.search(r"Measured: (\d+) s of processor time", text)
    assert int(said[1]) <= reader_paths.LIMIT


def test_the_growth_of_every_command_is_measured_or_a_reason_is_given() -> None:
    known = [*verbs.GROWING, *verbs.UNMEASURED]
    assert sorted(known) == sorted(verbs.commands())
    assert all(verbs.UNMEASURED.values())


def test_the_exponent_of_a_command_leaves_out_its_start() -> None:
    for power in (0.5, 1.0, 2.0):
        seconds = [3 + 0.2 * size**power for size in verbs.SIZES]
        assert verbs.exponent(verbs.SIZES, seconds) == pytest.approx(power, abs=0.01)


def test_a_command_is_measured_with_data_of_every_size(monkeypatch) -> None:
    sentences = []

    def run(*words, folder, codes):
        sentences.append((folder / "gold.conllu").read_bytes().count(b"sent_id"))
        return Measured(1, 10, processor=float(len(sentences) ** 2))

    monkeypatch.setattr(verbs, "process", run)
    small = verbs.Growing("sentences", lambda folder, size: verbs.treebank_files(folder, size, 20))
    monkeypatch.setitem(verbs.GROWING, "check", small)
    row, target = verbs.measured("check", rounds=1)
    assert sentences == [20 * size for size in verbs.SIZES]
    assert row[1:5] == ["1.00", "4.00", "9.00", "16.00"]
    assert target is not None
