"""The ranking in a browser, against numbers computed in Python."""

import json
import re
import shlex

import pytest

from tests.commands import invoke
from tests.reporting.browsing import address, table
from treegauge.ranking.leaderboard import ranks_of
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.exact_win_rates import exact_ranks
from treegauge.ranking.stability.win_rates import stability

SAMPLES = 500


@pytest.fixture(scope="module")
def scores(small):
    return read_leaderboard(small / "scores.csv")


def ranked(scores, columns):
    """Return system, rank, mean as the page shows them."""
    chosen = scores.select(treebanks=[scores.treebanks[i] for i in columns])
    totals = chosen.fixed_point()[0].sum(axis=1)
    means = chosen.values.mean(axis=1)
    found = zip(scores.systems, ranks_of(totals), means, strict=True)
    return {name: (f"{r:g}", f"{mean:.2f}") for name, r, mean in found}


def test_the_slider_moves_boxes_and_probabilities(tab, small, scores):
    page = tab(small / "page.html", "#ranking")
    slider = page.locator("#view-ranking input[type=range]")
    slider.focus()
    start = int(slider.input_value())
    slider.press("ArrowLeft")
    assert int(slider.input_value()) == start - 1
    size = int(re.match(r"(\d+) of 14", page.locator("#ranking-size").inner_text())[1])
    counted, drawn = exact_ranks(scores, size=size), stability(scores, size=size, subsets=SAMPLES)
    order = scores.table["system"].to_list()
    won, _, _ = counted.count(order[0], order[1])
    total = counted.subsets(size)
    page.locator("#ranking-pairs > summary").click()
    cells = page.locator("#ranking-pairs a.cell title").all_text_contents()
    assert f"{order[0]} above {order[1]}: {100 * won / total:.2f} %" in cells
    assert len(cells) == len(order) * (len(order) - 1) / 2
    tau = drawn.agreement["tau"].item()
    assert f"tau with the full ranking is {tau:.3f}" in page.locator("#view-ranking").inner_text()
    titles = page.locator("#ranking-table .box title").all_text_contents()
    rows = {row["system"]: row for row in drawn.table.to_dicts()}
    means = dict(zip(scores.systems, counted.mean_ranks()[0], strict=True))
    expected = {
        f"{name}: best {row['best']:g}, quartiles {row['q1']:g} {row['median']:g} {row['q3']:g}, "
        f"worst {row['worst']:g}, mean {means[name]:.3f}"
        for name, row in rows.items()
    }
    assert set(titles) == expected


def test_treebanks_chosen_by_hand_rank_the_systems_anew(tab, small, scores):
    page = tab(small / "page.html", "#ranking")
    page.locator("#ranking-hand > summary").click()
    picker = page.locator("#view-ranking .picker")
    picker.get_by_role("button", name="None").click()
    assert "No treebank" in page.locator("#ranking-live").inner_text()
    for code in scores.treebanks[2:5]:
        picker.get_by_label(code, exact=True).check()
    shown = {row[0]: (row[1], row[2]) for row in table(page, "#ranking-live")}
    assert shown == ranked(scores, [2, 3, 4])
    page.locator("#ranking-live").get_by_role("button", name="mean LAS").click()
    means = [float(row[2]) for row in table(page, "#ranking-live")]
    assert means == sorted(means, reverse=True)
    link = address(page)
    again = tab(small / "page.html", "#" + link.partition("#")[2])
    shown = {row[0]: (row[1], row[2]) for row in table(again, "#ranking-live")}
    assert shown == ranked(scores, [2, 3, 4])


def test_an_outlier_subset_gives_the_rank_it_is_said_to_give(tab, small, scores):
    page = tab(small / "page.html", "#ranking")
    size = int(re.match(r"(\d+) of 14", page.locator("#ranking-size").inner_text())[1])
    system = scores.table["system"].to_list()[3]
    page.locator("#ranking-table").get_by_role("button", name=system).click()
    assert f"of={system.replace(' ', '+')}" in address(page)
    worst = stability(scores, size=size, subsets=SAMPLES).table.filter(system=system)["worst"]
    page.locator("button[data-outlier=worst]").click()
    shown = {row[0]: row[1] for row in table(page, "#ranking-live")}
    assert float(shown[system]) == worst.item()
    assert f"{size} of 14 treebanks" in page.locator("#view-ranking .picker").inner_text()


def test_the_command_below_a_choice_gives_its_ranks(tab, small, scores, monkeypatch):
    page = tab(small / "page.html", "#ranking")
    page.locator("#ranking-hand > summary").click()
    page.locator("#view-ranking .picker").get_by_role("button", name="None").click()
    for code in scores.treebanks[3:7]:
        page.locator("#view-ranking .picker").get_by_label(code, exact=True).check()
    shown = {row[0]: row[1] for row in table(page, "#ranking-live")}
    name, *words = shlex.split(page.locator("#ranking-command").inner_text())
    assert name == "treegauge"
    monkeypatch.chdir(small)
    result = invoke([*words, "--format", "json"])
    assert result.exit_code == 0, result.output
    ranks = {row["system"]: f"{row['mean']:g}" for row in json.loads(result.output)["systems"]}
    assert ranks == shown
