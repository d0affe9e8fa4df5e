"""The calibration suite: its quick run, its bookkeeping, its page."""

import numpy as np
import pytest

from tools.calibrate import page
from tools.calibrate.registry import BANDS, LOOSE, Checked, Statement, Trials, check, load

STATEMENTS = load()


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_statement_holds_in_a_quick_run(name):
    made = STATEMENTS[name]
    for row in check(made, quick=True):
        assert row.holds(made.band, errors=LOOSE), row


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_full_run_was_kept_and_holds(name):
    made, run = STATEMENTS[name], page.kept(name)
    assert run is not None, f"run python -m tools.calibrate {name}"
    assert [row.case for row in run[1]] == list(made.cases)
    assert all(row.repetitions >= 0.9 * made.repetitions for row in run[1])
    for row in run[1]:
        assert row.holds(made.band), row


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


def test_the_page_is_made_of_the_kept_results():
    written = (page.ROOT / page.PAGE).read_text("utf-8")
    assert written == page.text(STATEMENTS), "run python -m tools.calibrate --write"
