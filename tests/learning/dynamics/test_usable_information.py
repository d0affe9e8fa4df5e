"""Usable information: ``treegauge difficulty --measure vinfo``."""

import re
from functools import partial

import polars as pl
import pytest

import treegauge as tg
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu

information = partial(tg.difficulty, measure="vinfo")

COMMAND = ("difficulty", "--measure", "vinfo")
FAST = ("--option", "bits=16", "--option", "label_bits=12", "--epochs", 2)
QUICK = {"epochs": 2, "option": {"bits": 16, "label_bits": 12}}


def test_the_command(command, folders, tmp_path):
    words = tmp_path / "words.parquet"
    done = command(*COMMAND, folders[0], *FAST, "--format", "csv", "--words", words)
    lines = done.out.splitlines()
    assert lines[0] == "treebank,of,entropy,conditional,information,low,high,negative"
    assert [line.split(",")[1] for line in lines[1:]] == ["heads", "relations"]
    assert pl.read_parquet(words).height == read_conllu(folders[0], split="dev").n_words
    assert done.out == information(folders[0], **QUICK).to_csv() + "\n" * (done.out.endswith("\n\n"))
    both = command(*COMMAND, *folders, *FAST, "--null", "upos", "--plot", tmp_path / "p.json")
    assert both.code == 0
    assert (
        both.out.count("UD_Syn-A/dev") == both.out.count("UD_Syn-B/dev") == 4
    )  # two rows, the note on units, the signature


def test_intervals_over_sentences_from_a_hundred_on(command, folders):
    train, dev = synthetic(60, seed=1), synthetic(120, seed=2)
    (one,) = information({"train": train, "dev": dev}, **QUICK)
    for layer, row in zip(("head", "relation"), one.table.to_dicts(), strict=True):
        assert (row["low"], row["high"]) == one.intervals[layer]
        assert row["low"] < row["information"] < row["high"]
    few = command(*COMMAND, folders[0], *FAST)
    assert re.search(r"UD_Syn-A/dev: no interval: \d+ sentences, needs at least 100\n", few.out)


def test_seeds_are_averaged_and_kept(folders, tmp_path):
    both = information(folders[0], seeds=2, store=tmp_path / "s", **QUICK)
    alone = [information(folders[0], seed=seed, store=tmp_path / "s", **QUICK) for seed in (0, 1)]
    mean = sum(one[0].values["head"] for one in alone) / 2
    assert both[0].values["head"] == pytest.approx(mean)
    assert "seed:0+1" in both.signature
    assert len(list((tmp_path / "s").rglob("*.npz"))) == 4


def test_several_parsers_have_a_column(folders):
    shown = information(folders[0], parser=["mst", "mst ending=1"], **QUICK).table
    assert shown["parser"].n_unique() == 2


def test_a_treebank_without_dev_set(command, folders):
    done = command(*COMMAND, folders[0] / "sy_a-ud-train.conllu")
    assert "has no dev set" in done.err
    assert done.code == 2
