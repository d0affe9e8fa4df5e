"""The files of the beam parser's models."""

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.base import load_archive, save_model
from treegauge.parsing.beam import BeamParser
from treegauge.parsing.beam_model import BeamOptions
from treegauge.parsing.registry import load_model

from .beams import TEST, TRAIN


def test_same_seed_same_bytes(tmp_path):
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        BeamParser(BeamOptions(epochs=2)).fit(TRAIN[:50], seed=seed).save(tmp_path / name)
    first, again, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == again != other


def test_a_loaded_model_is_the_same(beam_model, tmp_path):
    beam_model.save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    assert loaded.parse(TEST) == beam_model.parse(TEST)
    assert loaded.options == beam_model.options
    loaded.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


def test_cut_off_files(beam_model, tmp_path):
    beam_model.save(tmp_path / "m")
    whole = (tmp_path / "m").read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "m").write_bytes(whole[:size])
        with pytest.raises(TreegaugeError, match="is not a treegauge model, or is truncated"):
            load_model(tmp_path / "m")
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 255
    (tmp_path / "m").write_bytes(changed)
    with pytest.raises(TreegaugeError, match="truncated"):
        load_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header, arrays: header.update(version=0), "version 0 of the beam parser"),
        (lambda header, arrays: header.pop("vocabulary"), "damaged model of beam"),
        (lambda header, arrays: header["options"].update(more=1), "damaged model of beam"),
        (lambda header, arrays: arrays.pop("labels"), "damaged model of beam"),
        (lambda header, arrays: arrays["bounds"].__setitem__(1, 10**6), "do not fit together"),
        (lambda header, arrays: arrays["actions"].fill(60000), "do not fit together"),
        (lambda header, arrays: arrays["labels"].fill(-1), "do not fit together"),
        (lambda header, arrays: header["vocabulary"]["tags"].append("X"), "do not fit together"),
    ],
)
def test_models_of_other_versions_and_damaged_ones(beam_model, tmp_path, change, message):
    beam_model.save(tmp_path / "m")
    header, arrays = load_archive(tmp_path / "m")
    change(header, arrays)
    told = {key: value for key, value in header.items() if key not in {"format", "parser"}}
    save_model(tmp_path / "n", "beam", told, arrays)
    with pytest.raises(TreegaugeError, match=message):
        load_model(tmp_path / "n")
