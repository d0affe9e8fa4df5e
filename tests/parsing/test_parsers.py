"""``treegauge parsers``: a short list, and the options of one parser or of all."""

import json

import pytest

import treegauge as tg
from treegauge.core.errors import ChoiceError
from treegauge.parsing.registry import known_parsers
from treegauge.parsing.transition.beam_model import BeamOptions


def test_the_list_has_one_line_per_parser(command):
    """It had 134 lines, most of them options."""
    text = command("parsers").out
    assert len(text.splitlines()) <= len(known_parsers()) + 4
    for name, entry in known_parsers().items():
        line = next(line for line in text.splitlines() if line.split()[:1] == [name])
        assert entry.paradigm in line
        assert entry.meaning in line


def test_options_of_one_parser_and_of_all(command):
    rows = json.loads(command("parsers", "beam", "--format", "json").out)["rows"]
    own = list(BeamOptions.__dataclass_fields__)
    assert [row["option"] for row in rows][: len(own)] == own
    assert rows[len(own)]["option"] == "--preset panparser or paper"
    assert "states kept at each step" in command("parsers", "beam").out
    everything = tg.parsers(all=True).table
    assert set(everything["parser"]) == set(known_parsers())
    assert {row["parser"] for row in everything.to_dicts() if row["option"] == "epochs"} == {
        "beam", "mst", "biaffine", "pointer", "labelling",
    }  # fmt: skip
    with pytest.raises(ChoiceError, match="did you mean 'beam'"):
        tg.parsers("bean")


def test_the_verb_is_in_front_whatever_was_imported_first():
    import treegauge.parsing.registry  # noqa: F401

    assert tg.parsers().table["parser"].to_list() == list(known_parsers())
