"""Description length: ``treegauge difficulty --measure mdl``."""

import json
from functools import partial

import treegauge as tg
from treegauge.learning.dynamics.description_length import description_length
from treegauge.testing.synthetic import synthetic

lengths = partial(tg.difficulty, measure="mdl")

COMMAND = ("difficulty", "--measure", "mdl")
FAST = ("--option", "bits=16", "--option", "label_bits=12", "--epochs", 2)
QUICK = {"epochs": 2, "option": {"bits": 16, "label_bits": 12}}


def test_the_command(command, folders, tmp_path):
    done = command(
        *COMMAND,
        folders[0],
        *FAST,
        "--blocks",
        "auto",
        "--orders",
        2,
        "--format",
        "json",
        "--plot",
        tmp_path / "p.json",
    )
    shown = json.loads(done.out)
    assert shown["rows"][0]["compression"] > 1
    assert "blocks:5+10+20+25|orders:2" in shown["signature"]
    assert shown == json.loads(lengths(folders[0], blocks="auto", orders=2, **QUICK).to_json())


def test_the_verb_gives_what_the_function_gives(quick):
    train = synthetic(40, seed=1)
    made = description_length(train, engine=quick, blocks=[5, 10, 15], orders=2)
    option = {"bits": 16, "label_bits": 12}
    verb = lengths(train, blocks=[5, 10, 15], orders=2, epochs=3, option=option)
    assert verb.table.equals(made.table)
    assert verb[0].code.equals(made.code)
    assert verb.signature == made.signature


def test_bad_blocks(command, folders):
    assert "expected numbers of sentences" in command(*COMMAND, folders[0], "--blocks", "five").err
    assert "the blocks need 995; choose blocks such as 5,10,20,25" in command(*COMMAND, folders[0]).err
