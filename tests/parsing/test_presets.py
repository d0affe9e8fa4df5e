"""Presets: names, options that override them, and their descriptions."""

import re
from dataclasses import fields

import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.parsing.options import PRESETS, find_preset, given_options, read_options, with_preset
from treegauge.parsing.registry import find_parser, load_model, make_parser, parsers
from treegauge.parsing.train import train
from treegauge.testing.synthetic import synthetic

TRAIN, TEST = synthetic(40, seed=1), synthetic(10, seed=2)
SMALL = {"hidden": 8, "layers": 1, "word_size": 8, "char_size": 6, "tag_size": 4, "epochs": 2, "device": "cpu"}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda one: f"{one.parser}-{one.name}")
def test_a_preset_sets_options_of_its_parser(preset):
    kind = find_parser(preset.parser).options
    by_words = read_options(kind, with_preset(preset, []))
    assert by_words == kind(**preset.options)
    assert set(preset.options) <= {one.name for one in fields(kind)}
    assert preset.source


def test_tables_8_and_9_of_fragility():
    pointer = find_preset("pointer", "tb-FG19").options
    expected = {
        "word_size": 300, "char_size": 100, "layers": 3, "hidden": 512, "arc_size": 512,
        "relation_size": 128, "dropout": 0.33, "activation": "elu", "rate": 0.001,
        "decay": 0.9999997, "clip": 5.0, "warmup_steps": 40, "unknown": 0.5, "beam": 5, "batch": 32,
        "epochs": 600, "loss": "word",
    }  # fmt: skip
    assert {name: pointer[name] for name in expected} == expected
    labels = find_preset("labelling", "sl-S+19").options
    expected = {
        "char_size": 100, "hidden": 800 // 2, "dropout": 0.5, "layers": 3, "rate": 0.02,
        "epoch_decay": 0.05, "momentum": 0.9, "optimiser": "sgd", "characters": "cnn", "masks": "single",
        "encoding": "two-planar",
    }  # fmt: skip
    assert {name: labels[name] for name in expected} == expected


def test_an_option_given_twice_is_an_error_unless_the_values_are_equal():
    kind = find_parser("mst").options
    assert given_options(kind, ["epochs=3", "epochs=03"]) == {"epochs": 3}
    with pytest.raises(TreegaugeError, match="option epochs was given twice: 3 and 4; give one"):
        read_options(kind, ["epochs=3", "epochs=4"])


def test_given_options_override_a_preset(tmp_path):
    trained = train("beam", TRAIN, out=tmp_path / "m", preset="maltparser", option={"epochs": 2}, seed=3)
    kept = load_model(tmp_path / "m").options
    assert (kept.beam, kept.margin, kept.epochs) == (1, 0, 2)
    assert "|preset:maltparser|" in trained.signature
    assert "epochs=2" in trained.signature
    expected = make_parser("beam", beam=1, margin=0.0, learners=1, ending=0, epochs=2)
    assert trained.model.parse(TEST) == expected.fit(TRAIN, seed=3).parse(TEST)


def test_an_alias_is_signed_by_its_name(command, tmp_path):
    path = tmp_path / "train.conllu"
    path.write_bytes(TRAIN.to_bytes())
    signatures = []
    for name in ("paper", "mstparser"):
        done = command("train", "mst", path, "-o", tmp_path / name, "--preset", name)
        assert done.code == 0, done.err
        signatures.append(re.search(r"treegauge:.*", done.out)[0])
    assert signatures[0] == signatures[1]
    assert (tmp_path / "paper").read_bytes() == (tmp_path / "mstparser").read_bytes()


def test_unknown_presets_name_the_choices(tmp_path):
    with pytest.raises(ChoiceError, match="did you mean 'gb-DM17'"):
        train("biaffine", TRAIN, out=tmp_path / "m", preset="gb-dm17")
    with pytest.raises(TreegaugeError, match="parser baseline has no presets"):
        train("baseline", TRAIN, out=tmp_path / "m", preset="paper")
    assert not (tmp_path / "m").exists()


def test_parsers_lists_presets_with_what_they_lack():
    rows = parsers("pointer").rows
    names = [row["option"] for row in rows]
    own = rows[names.index("--preset tb-FG19 or paper") :]
    assert "Table 8" in own[0]["meaning"]
    assert any("warmup_steps=40" in row["meaning"] for row in own)
    assert any("differs: " in row["meaning"] and "reset" in row["meaning"] for row in own)


@pytest.mark.parametrize(
    ("parser", "more"),
    [("biaffine", {"arc_size": 8, "relation_size": 4}),
     ("pointer", {"arc_size": 8, "relation_size": 4}), ("labelling", {"label_size": 8})],
)  # fmt: skip
def test_neural_presets_learn_parse_and_come_back(parser, more, tmp_path):
    pytest.importorskip("torch")
    preset = find_preset(parser, "paper")
    given = given_options(find_parser(parser).options, SMALL | more)
    trained = train(parser, TRAIN, dev=TEST, out=tmp_path / "m", preset=preset.name, option=given)
    parsed = trained.model.parse(TEST)
    assert (parsed.head == 0).sum() == len(TEST)
    assert load_model(tmp_path / "m").parse(TEST) == parsed


def test_the_difficulty_preset_is_what_its_replication_trained():
    kind = find_parser("biaffine").options
    assert kind(**find_preset("biaffine", "difficulty").options) == kind(upos=False, patience=0, self_arcs=True)


def test_wherever_a_parser_is_trained_a_preset_gives_its_options():
    """The full options of a cell are those of the preset, and what is given goes over them."""
    import treegauge as tg
    from treegauge.experiments.plans import grid
    from treegauge.learning.dynamics.recorder import parser_options

    published = make_parser("mst", **find_preset("mst", "mstparser").options).options
    choice = grid("curve", "X", parsers=[{"name": "mst", "preset": "paper", "options": {"epochs": [1, 2]}}]).parsers[0]
    assert choice.options == {**find_preset("mst", "mstparser").options, "epochs": [1, 2]}
    with pytest.raises(ChoiceError, match="unknown preset of mst 'maltparser'"):
        grid("curve", "X", parsers=[{"name": "mst", "preset": "maltparser"}])
    recorded = parser_options("biaffine", preset="difficulty", epochs=3, options=["batch=8"])
    assert (recorded.upos, recorded.hidden, recorded.epochs, recorded.batch) == (False, 400, 3, 8)
    parts = {"train": TRAIN, "dev": TEST}
    (by_preset, by_options) = (
        tg.map(parts, parser="mst", epochs=1, **how)
        for how in (
            {"preset": "mstparser"},
            {"option": {**find_preset("mst", "mstparser").options, "epochs": 1, "label_epochs": 1}},
        )
    )
    assert by_preset.table.equals(by_options.table)
    assert published.ending == 0
    with pytest.raises(ChoiceError, match="unknown preset of mst 'gb-DM17'"):
        tg.difficulty(parts, parser="mst", preset="gb-DM17")


def test_a_learning_curve_and_a_transfer_take_a_preset(tmp_path):
    import treegauge as tg
    from treegauge.treebanks.data.conllu import write_conllu

    folder = tmp_path / "UD_Own-X"
    folder.mkdir()
    for name, part in (("train", TRAIN), ("test", TEST)):
        write_conllu(part, folder / f"own_x-ud-{name}.conllu")
    greedy = {"option": {"epochs": 1}, "sizes": [10], "samples": 1, "workers": 1, "preset": "maltparser"}
    counted = tg.curve.counts(folder, parser="beam", **greedy)
    assert "beam=1" in str(counted.table.to_dicts())
    scores = tg.transfer(TEST, TRAIN, parser="beam", option={"epochs": 1}, preset="maltparser")
    assert "|preset:maltparser|" in scores.signature
    by_hand = tg.transfer(TEST, TRAIN, option={**find_preset("beam", "maltparser").options, "epochs": 1})
    assert scores.parsed == by_hand.parsed
    with pytest.raises(ChoiceError, match="unknown preset of beam 'mstparser'"):
        tg.curve.counts(folder, parser="beam", preset="mstparser")
