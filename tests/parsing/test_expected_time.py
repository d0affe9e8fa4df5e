"""Expected training time: what it depends on, and its message."""

import pytest

from treegauge.parsing import train as times
from treegauge.parsing.beam_model import BeamOptions
from treegauge.parsing.mst import GraphOptions
from treegauge.parsing.neural.options import BiaffineOptions
from treegauge.parsing.programs.udpipe_settings import UDPipeOptions
from treegauge.parsing.registry import find_parser, known_parsers
from treegauge.testing.synthetic import synthetic

SMALL, LARGE = synthetic(300, seed=1), synthetic(1200, seed=1)


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch):
    monkeypatch.setattr(times, "measured_seconds", lambda: times.REFERENCE)
    monkeypatch.setattr(times.os, "getloadavg", lambda: (0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("parser", "options", "twice"),
    [
        ("beam", BeamOptions(), BeamOptions(epochs=20)),
        ("mst", GraphOptions(), GraphOptions(epochs=20, label_epochs=20)),
        ("udpipe", UDPipeOptions(), UDPipeOptions(iterations=60)),
        ("biaffine", BiaffineOptions(device="cpu"), BiaffineOptions(device="cpu", epochs=60)),
    ],
)
def test_time_grows_with_epochs_and_words(parser, options, twice):
    once = times.expected_seconds(parser, options, SMALL)
    start = times.START if parser in times.NEURAL else 0
    assert times.expected_seconds(parser, twice, SMALL) == pytest.approx(2 * once - start)
    assert times.expected_seconds(parser, options, LARGE) > 3 * once


def test_a_tiny_network_takes_time_to_load_and_per_update():
    tiny = {"device": "cpu", "layers": 1, "hidden": 8, "word_size": 8, "char_size": 8,
            "arc_size": 8, "relation_size": 8, "epochs": 10}  # fmt: skip
    seconds = times.expected_seconds("biaffine", BiaffineOptions(**tiny), SMALL)
    assert seconds == pytest.approx(times.START + 100 * times.UPDATE, abs=0.2)  # 10 of 32 sentences
    by_words = BiaffineOptions(**tiny, batch_tokens=SMALL.n_words)
    assert times.expected_seconds("biaffine", by_words, SMALL) < seconds


def test_a_slow_or_busy_machine_takes_longer(monkeypatch):
    once = times.expected_seconds("beam", BeamOptions(), SMALL)
    monkeypatch.setattr(times, "measured_seconds", lambda: 3 * times.REFERENCE)
    assert times.expected_seconds("beam", BeamOptions(), SMALL) == pytest.approx(3 * once)
    monkeypatch.setattr(times.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(times.os, "getloadavg", lambda: (7.0, 0.0, 0.0))
    assert times.expected_seconds("beam", BeamOptions(), SMALL) == pytest.approx(12 * once)


def test_what_is_said():
    said = times.expected_time("biaffine", BiaffineOptions(device="cpu"), SMALL, LARGE)
    assert said.startswith("training biaffine on 300 sentences (")
    assert ": at most about " in said
    tagged = times.expected_time("udpipe", UDPipeOptions(tags="predicted"), SMALL)
    assert tagged.endswith(" on one core, and its tagger, which may take longer")
    unknown = times.expected_time("command", None, SMALL)
    assert unknown.endswith("words): the training time cannot be estimated")
    assert times.expected_seconds("beam", BeamOptions(), SMALL[:0]) is None


def test_every_parser_of_ours_has_a_rate():
    ours = {name for name in known_parsers() if find_parser(name).home.startswith("treegauge")}
    assert ours - {"command"} == set(times.RATES)
