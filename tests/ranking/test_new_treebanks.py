"""The mixed model of a table of scores, and the ranges on a new treebank."""

import json

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.ranking.new_treebanks import new_ranges
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic

GENERA = ("Slavic", "Romance", "Germanic", "Turkic")


def table(seeds=1, systems=3, treebanks=16, spread=(6, 4, 2, 1, 0.5)):
    """Scores with effects of genus, treebank, genus:system, treebank:system and seed."""
    random = np.random.default_rng(7)
    genus, own, by_genus, by_treebank, by_seed = spread
    kin = random.normal(0, genus, 4), random.normal(0, by_genus, (4, systems))
    rows = []
    for t in range(treebanks):
        base = 70 + kin[0][t % 4] + random.normal(0, own)
        for s in range(systems):
            cell = base + kin[1][t % 4, s] + random.normal(0, by_treebank)
            rows += [
                {"treebank": f"t{t}", "genus": GENERA[t % 4], "system": f"S{s}", "seed": k,
                 "score": round(cell + random.normal(0, by_seed), 6)}
                for k in range(seeds)
            ]  # fmt: skip
    return pl.DataFrame(rows)


def effects(found):
    return {row["effect"]: row for row in found.attached["components"].rows}


def test_balanced_tables_equal_the_analysis_of_variance():
    """Expected mean squares of 3 systems, 4 genera with 4 treebanks each, worked out by hand."""
    frame = table()
    found = tg.rank.compare(frame.drop("seed"), test="mixed")
    cube = frame["score"].to_numpy().reshape(4, 4, 3).transpose(1, 0, 2)  # genus, treebank, system
    mean = cube.mean()
    genus, cell, system = cube.mean(axis=(1, 2)), cube.mean(axis=2), cube.mean(axis=(0, 1))
    both = cube.mean(axis=1)
    ms_treebank = 3 * ((cell - genus[:, None]) ** 2).sum() / 12
    ms_genus = 12 * ((genus - mean) ** 2).sum() / 3
    ms_both = 4 * ((both - genus[:, None] - system + mean) ** 2).sum() / 6
    rest = cube - cell[:, :, None] - both[:, None, :] + genus[:, None, None]
    ms_rest = (rest**2).sum() / 24
    expected = {
        "treebank:system": ms_rest, "genus:system": (ms_both - ms_rest) / 4,
        "treebank": (ms_treebank - ms_rest) / 3, "genus": (ms_genus - ms_treebank - ms_both + ms_rest) / 12,
    }  # fmt: skip
    got = {name: row["sd"] ** 2 for name, row in effects(found).items()}
    assert min(expected.values()) > 0
    assert got == pytest.approx(expected, rel=1e-3)
    shares = [row["difference_share"] for row in effects(found).values() if "system" in row["effect"]]
    assert sum(shares) == pytest.approx(100)
    assert sum(row["share"] for row in effects(found).values()) == pytest.approx(100)


def test_seeds_are_an_effect_of_their_own():
    found = tg.rank.compare(table(seeds=4), test="mixed")
    assert "treebank:system:seed" in found.formula
    assert effects(found)["treebank:system:seed"]["sd"] == pytest.approx(0.5, abs=0.1)
    assert effects(found)["treebank:system"]["sd"] == pytest.approx(1, abs=0.4)
    assert "seeds:4" in found.signature


def test_few_treebanks_have_neither_ranges_nor_intervals_and_say_why():
    found = tg.rank.compare(table().drop("seed"), test="mixed")
    assert "no ranges on a new treebank and no intervals of effects: fewer than 25 treebanks" in str(found)
    assert found.table["low"].null_count() == found.table["rank_high"].null_count() == 3
    assert all(row["low"] is None for row in found.attached["components"].rows)
    with pytest.raises(TreegaugeError, match="needs two systems and three treebanks"):
        tg.rank.compare(table(treebanks=2).drop("seed"), test="mixed")


def test_ranges_hold_for_genera_that_were_left_out():
    """The range is the shortest of its family that holds for 95 % of genera left out."""
    board = tg.read_leaderboard("conll18", metric="upos")
    genera = np.unique(board.metadata["genus"].to_list(), return_inverse=True)[1]
    inside = []
    for genus in range(genera.max() + 1):
        own = genera == genus
        low, high = new_ranges(board.values[:, ~own], genera[~own])
        inside.append((low[:, None] <= board.values[:, own]) & (board.values[:, own] <= high[:, None]))
    assert 0.93 <= np.concatenate(inside, axis=1).mean() <= 0.97


def test_the_table_of_the_shared_task_has_ranges_and_intervals():
    found = tg.rank.compare("conll18", test="mixed", systems=["HIT-SCIR", "Stanford", "SParse"])
    rows = {row["system"]: row for row in found.table.to_dicts()}
    assert (rows["HIT-SCIR"]["rank_low"], rows["SParse"]["rank_low"]) == (1, 3)
    assert all(0 <= row["low"] < row["mean"] < row["high"] <= 100 for row in rows.values())
    assert all(row["low"] <= row["sd"] <= row["high"] for row in found.attached["components"].rows)
    data = json.loads(found.to_json())
    assert data["formula"] == "LAS ~ system + (1 | genus) + (1 | treebank) + (1 | genus:system) + treebank:system"
    assert data["components"]["rows"][0]["effect"] == "genus"


def test_missing_scores_can_be_kept_for_the_effects():
    frame = table().drop("seed")[1:]
    found = tg.rank.compare(frame, test="mixed", missing="keep")
    assert effects(found)["treebank:system"]["groups"] == 47
    with pytest.raises(TreegaugeError, match="missing"):
        tg.rank.compare(frame, test="mixed")


def test_documents_of_system_output_are_an_effect(tmp_path):
    documents = 0
    for number, name in enumerate(("Czech-One", "Greek-Two", "Latin-Three")):
        gold = synthetic(330, seed=number).to_bytes().decode()
        documents += gold.count("# newdoc")
        outputs = {
            "gold": gold,
            **{system: simulated_parse(gold, seed=number + 9 * k) for k, system in enumerate("ab")},
        }
        for folder, text in outputs.items():
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"UD_{name}.conllu").write_text(text, "utf-8")
    found = tg.rank.compare(tmp_path / "a", tmp_path / "b", test="mixed", gold=tmp_path / "gold")
    rows = effects(found)
    assert list(rows) == ["treebank", "document", "treebank:system", "document:system"]
    assert rows["document"]["groups"] == documents > 29
    assert rows["document:system"]["groups"] == 2 * documents
    assert rows["document:system"]["sd"] > 0
