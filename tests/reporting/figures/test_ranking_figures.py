"""Figures of rankings: the numbers in them, and specifications that refer to what is there."""

import json

import numpy as np
import polars as pl
import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.compare import critical_difference
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.exact_win_rates import exact_ranks
from treegauge.ranking.stability.win_rates import stability
from treegauge.reporting.figures.drawing import figure_json, save
from treegauge.reporting.figures.ranking import agreement_by_size, critical_differences, pair_matrix, rank_boxes

SCORES = read_leaderboard("conll18")
FEW = SCORES.select(systems=["Stanford", "Uppsala", "HIT-SCIR", "TurkuNLP"])
RANKS = stability(SCORES, size=10, subsets=4000, seed=0)
SIZES = stability(FEW, size=[1, 5, 82], subsets=900, seed=0)
MARKS = {"rule", "bar", "tick", "point", "rect", "text", "line", "area"}
CHANNELS = {"x", "x2", "y", "y2", "color", "opacity", "text", "tooltip", "detail"}


def figures(*, dark=False):
    return {
        "boxes": rank_boxes(RANKS, dark=dark),
        "pairs": pair_matrix(RANKS, dark=dark),
        "exact pairs": pair_matrix(exact_ranks(FEW, size=10), dark=dark),
        "agreement": agreement_by_size(SIZES, dark=dark),
        "nemenyi": critical_differences(critical_difference(SCORES), dark=dark),
        "wilcoxon": critical_differences(critical_difference(FEW, method="wilcoxon-holm")),
    }


def rows_of(spec, layer):
    data = layer.get("data", spec.get("data"))
    return spec["datasets"][data["name"]] if "name" in data else data["values"]


@pytest.mark.parametrize("name", figures())
def test_every_field_is_in_the_data_and_every_mark_known(name):
    spec = figures()[name]
    assert spec["$schema"].endswith("/vega-lite/v5.json")
    assert spec["usermeta"]["signature"].startswith("treegauge:")
    assert spec["title"]["text"]
    for layer in spec["layer"]:
        mark = layer["mark"]
        assert (mark if isinstance(mark, str) else mark["type"]) in MARKS
        rows = rows_of(spec, layer)
        assert rows
        encoding = {**spec.get("encoding", {}), **layer["encoding"]}
        assert encoding.keys() <= CHANNELS
        for channel in encoding.values():
            for part in channel if isinstance(channel, list) else [channel]:
                assert all(part["field"] in row for row in rows)
                if "sort" in part:
                    assert {row[part["field"]] for row in rows} <= set(part["sort"])


@pytest.mark.parametrize("dark", [False, True])
def test_figures_are_json_and_the_same_every_time(dark, tmp_path):
    first = {name: figure_json(spec) for name, spec in figures(dark=dark).items()}
    assert first == {name: figure_json(spec) for name, spec in figures(dark=dark).items()}
    save(rank_boxes(RANKS, dark=dark), tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == rank_boxes(RANKS, dark=dark)


def test_dark_is_not_light():
    light, dark = rank_boxes(RANKS), rank_boxes(RANKS, dark=True)
    assert light["background"] != dark["background"]
    assert light["config"]["axis"]["titleColor"] != dark["config"]["axis"]["titleColor"]
    assert light["datasets"] == dark["datasets"]


def test_boxes_are_those_of_the_ranks_written_out():
    spec = rank_boxes(RANKS)
    values = 1 + np.arange(RANKS.counts.shape[1]) / 2
    boxes = {row["system"]: row for row in spec["datasets"]["boxes"]}
    for i, system in enumerate(RANKS.systems):
        ranks = np.repeat(values, RANKS.counts[i])
        q1, median, q3 = np.quantile(ranks, [0.25, 0.5, 0.75])
        inside = ranks[(ranks >= q1 - 1.5 * (q3 - q1)) & (ranks <= q3 + 1.5 * (q3 - q1))]
        box = boxes[system]
        assert (box["q1"], box["median"], box["q3"]) == (q1, median, q3)
        assert (box["low"], box["high"]) == (min(inside.min(), q1), max(inside.max(), q3))
        beyond = [row for row in spec["datasets"]["beyond"] if row["system"] == system]
        outside = ranks[(ranks < inside.min()) | (ranks > inside.max())]
        assert {row["rank"] for row in beyond} == set(outside)
        assert sum(row["share"] for row in beyond) == pytest.approx(len(outside) / 4000)
    order = spec["layer"][0]["encoding"]["x"]["sort"]
    assert [boxes[name]["median"] for name in order] == sorted(b["median"] for b in boxes.values())


def test_the_matrix_holds_every_pair():
    spec = pair_matrix(RANKS)
    cells = {(row["system"], row["other"]): row for row in spec["data"]["values"]}
    assert len(cells) == 26 * 25
    for (a, b), row in cells.items():
        assert row["above"] + row["tied"] + cells[b, a]["above"] == pytest.approx(1)
    assert len(spec["layer"]) == 1, "no room for numbers"
    few = pair_matrix(exact_ranks(FEW, size=[5, 10]), size=5)
    assert len(few["layer"]) == 2
    assert "27,285,336 subsets of 5" in few["title"]["subtitle"]
    with pytest.raises(TreegaugeError, match="choose one of 5, 10"):
        pair_matrix(exact_ranks(FEW, size=[5, 10]), size=6)


def test_agreement_is_full_with_all_treebanks():
    rows = agreement_by_size(SIZES)["data"]["values"]
    last = [row for row in rows if row["size"] == 82]
    assert [row["value"] for row in last] == [1, 1]
    assert all(row["high"] <= 1 for row in rows if row["high"] is not None)


def test_bars_stand_beside_systems_that_do_not_differ():
    found = critical_difference(SCORES)
    spec = critical_differences(found)
    groups = pl.DataFrame(spec["datasets"]["groups"])
    members = groups.group_by("group", maintain_order=True).agg("system")["system"].to_list()
    assert members == [list(clique) for clique in found.cliques]
    order = spec["layer"][0]["encoding"]["y"]["sort"]
    for _, lane in groups.group_by("lane"):
        places = [order.index(name) for name in lane["system"]]
        assert len(set(places)) == len(places), "bars in one lane do not overlap"
    for row in spec["datasets"]["systems"]:
        assert row["high"] - row["low"] == pytest.approx(found.distance)


def test_members_of_a_group_that_are_not_neighbours_are_marked():
    """By signed ranks A ties with B and with C, which differ; B is between A and C."""
    rows = {"A": [51.0] * 11 + [41.0] * 3, "B": [50.5] * 14, "C": [50.0] * 14}
    board = read_leaderboard(pl.DataFrame({"treebank": [f"t{i}" for i in range(14)], **rows}))
    found = critical_difference(board, method="wilcoxon-holm")
    assert found.cliques == (("A", "B"), ("A", "C"))
    spec = critical_differences(found)
    assert spec["layer"][-1]["mark"]["point"]["filled"]
    rows = [(row["group"], row["system"]) for row in spec["datasets"]["groups"]]
    assert rows == [(0, "A"), (0, "B"), (1, "A"), (1, "C")]


def test_other_kinds_of_files_are_refused(tmp_path):
    with pytest.raises(ChoiceError, match=r"'a.bmp'.*\*\.json"):
        save(rank_boxes(RANKS), tmp_path / "a.bmp")
