"""``treegauge train --list``: a short list, and the options of one parser."""

import json
from dataclasses import fields

import pytest

import treegauge as tg
from treegauge.core.errors import ChoiceError
from treegauge.parsing.beam_model import BeamOptions
from treegauge.parsing.registry import known_parsers


def test_the_list_has_one_line_per_parser(command):
    """It had 134 lines, most of them options."""
    text = command("train", "--list").out
    assert len(text.splitlines()) <= len(known_parsers()) + 4
    for name, entry in known_parsers().items():
        line = next(line for line in text.splitlines() if line.split()[:1] == [name])
        assert entry.paradigm in line
        assert entry.meaning in line
    (row,) = [row for row in tg.parsers().rows if row["parser"] == "biaffine"]
    assert (row["presets"], row["needs"]) == ("gb-DM17, difficulty", "treegauge[neural]")


def test_options_of_one_parser(command):
    rows = json.loads(command("train", "--list", "beam", "--format", "json").out)["rows"]
    own = [field.name for field in fields(BeamOptions)]  # without class variables: of_curves is no option
    assert [row["option"] for row in rows][: len(own)] == own
    assert rows[len(own)]["option"] == "--preset panparser or paper"
    assert "states kept at each step" in command("train", "beam", "--list").out
    assert {
        name for name in known_parsers() for row in tg.parsers(name).rows if row["option"] == "epochs"
    } == {"beam", "mst", "biaffine", "pointer", "labelling"}  # fmt: skip
    with pytest.raises(ChoiceError, match="did you mean 'beam'"):
        tg.parsers("bean")


def test_the_list_takes_a_parser_only(command, tmp_path):
    done = command("train", "--list", "beam", "gold.conllu", "--out", tmp_path / "m")
    assert done.code == 2
    assert "Option '--list' takes PARSER only, not out, treebank." in done.err


def test_the_function_is_in_front_whatever_was_imported_first():
    import treegauge.parsing.registry  # noqa: F401

    assert tg.parsers().table["parser"].to_list() == list(known_parsers())
