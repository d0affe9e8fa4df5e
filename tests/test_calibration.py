"""The calibration suite: its quick run, its bookkeeping, its page."""

import numpy as np
import pytest

from tools.calibrate import page, plasmode
from tools.calibrate.registry import (
    BANDS,
    LEAST_REPETITIONS,
    LOOSE,
    Checked,
    Statement,
    Trials,
    check,
    check_case,
    load,
    saved,
)

STATEMENTS = load()
#: Statements whose repetitions are limited: one takes long, or each is a real curve.
SLOW = {
    "curve-prediction", "curve-prediction-of-classes", "curve-need", "curve-chance", "recommend-verdict",
    "recommend-margin", "measure-samples",
}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_statement_holds_in_a_quick_run(name):
    made = STATEMENTS[name]
    for row in check(made, quick=True):
        assert row.holds(made.band, errors=LOOSE) or row.case in made.fails, row


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_full_run_was_kept_and_holds(name):
    made, run = STATEMENTS[name], page.kept(name)
    assert run is not None, f"run python -m tools.calibrate {name}"
    assert [row.case for row in run[1]] == list(made.cases)
    assert all(row.repetitions >= 0.9 * made.repetitions for row in run[1])
    assert not any(row.skipped for row in run[1])
    # A case that fails is stated with its reason, and a reason is for a case that fails.
    assert {row.case for row in run[1] if row.verdict(made.band) == "fails"} == set(made.fails)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_full_run_has_enough_repetitions(name):
    assert STATEMENTS[name].repetitions >= LEAST_REPETITIONS or name in SLOW


def coins(share, **fields):
    """A statement whose rate is a known share."""

    def simulate(random, value, repetitions):
        return Trials(random.random(repetitions) < share, np.full(repetitions, value))

    return Statement(
        name="coins", verb="score", says="", kind="interval", nominal=0.95, secondary="width",
        cases={"small": 1, "large": 2}, covers=(), simulate=simulate, **fields,
    )  # fmt: skip


def test_rates_their_errors_and_bands():
    small, large = check(coins(0.95), seed=1)
    assert small.rate == pytest.approx(0.95, abs=4 * small.error)
    assert small.error == pytest.approx((small.rate * (1 - small.rate) / 2000) ** 0.5)
    assert (small.secondary, large.secondary) == (1, 2)
    assert small.holds(BANDS["interval"])
    assert check(coins(0.95), seed=1)[0].rate == small.rate != large.rate
    assert not any(row.holds(BANDS["interval"]) for row in check(coins(0.85)))
    assert not any(row.holds(BANDS["interval"], errors=LOOSE) for row in check(coins(0.5, quick=99)))
    assert coins(0.01, exact=True).band == (0, 0.97)


def test_few_repetitions_that_all_agree_may_be_chance():
    all_hit = Checked("n = 10", 60, 1.0, 0.0, 1.0, 0.0)
    assert all_hit.holds((0.93, 0.97), errors=LOOSE)
    assert not all_hit.holds((0.93, 0.97))


def test_a_case_holds_if_the_limits_of_its_rate_are_in_the_band():
    verdicts = [Checked("", 2000, rate, 0, 1, 0).verdict((0.93, 0.97)) for rate in (0.95, 0.935, 0.925)]
    assert verdicts == ["holds", "open", "fails"]
    assert Checked("", 100, 0.95, 0, 1, 0).verdict((0.93, 0.97)) == "open"  # too few to decide
    assert Checked("", 2000, 0.0, 0, 1, 0).verdict((0, 0.06)) == "holds"
    assert Checked("", 2000, 0.999, 0, 1, 0, 1.1).verdict(BANDS["set"]) == "holds"
    assert Checked("", 2000, 0.999, 0, 1, 0, 1.6).verdict(BANDS["set"]) == "fails"  # too wide to be wrong
    assert coins(0.95, repetitions=1000).decidable
    assert not coins(0.95, repetitions=400).decidable


def test_the_width_is_compared_with_that_of_an_oracle():
    estimates = np.random.default_rng(0).normal(size=4000)

    def simulate(random, value, repetitions):
        return Trials(random.random(repetitions) < 0.95, np.full(repetitions, value * 2 * 1.96), estimates)

    def made(width):
        one = coins(0.95)
        fields = {name: getattr(one, name) for name in one.__dataclass_fields__}
        (row,) = check(Statement(**fields | {"simulate": simulate, "cases": {"": width}}))
        return row

    assert made(1.2).relative_width == pytest.approx(1.2, rel=0.05)
    assert made(1.2).verdict((0.93, 0.97)) != "fails" == made(2.0).verdict((0.93, 0.97))
    sets = Trials(np.ones(3, bool), np.array([3, 2, 4]), oracle=np.array([2, 2, 2]))
    assert sets.relative_width == 1.5


def test_a_case_without_its_data_is_skipped_and_said_so(monkeypatch):
    monkeypatch.delenv("TREEGAUGE_UD", raising=False)

    def simulate(random, value, repetitions):
        return Trials(np.ones(plasmode.home().name), np.ones(1))

    one = coins(0.95)
    fields = {name: getattr(one, name) for name in one.__dataclass_fields__}
    rows = check(Statement(**fields | {"simulate": simulate}))
    assert [row.verdict((0.93, 0.97)) for row in rows] == ["skipped"] * 2
    assert "TREEGAUGE_UD" in saved(one, rows, 0)["cases"][0]["skipped"]


def test_cases_are_kept_one_by_one_in_their_order(monkeypatch, tmp_path):
    monkeypatch.setattr(page, "kept_at", lambda name: tmp_path / f"{name}.json")
    one = coins(0.95)
    for label in ("large", "small"):
        page.keep(one, check_case(one, label, times=0.5), 0)
    _, rows = page.kept("coins")
    assert [(row.case, row.repetitions) for row in rows] == [("small", 1000), ("large", 1000)]
    assert rows[0].rate == check_case(one, "small", times=0.5).rate
    page.keep(one, check_case(one, "small"), 0)
    assert [row.repetitions for row in page.kept("coins")[1]] == [2000, 1000]


def test_the_page_is_made_of_the_kept_results():
    written = (page.ROOT / page.PAGE).read_text("utf-8")
    assert written == page.text(STATEMENTS), "run python -m tools.calibrate --write"
    assert (page.ROOT / page.DATA).read_text("utf-8") == page.data(STATEMENTS)
    assert len(written.split()) <= 3000
