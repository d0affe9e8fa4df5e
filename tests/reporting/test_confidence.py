"""The page's numbers about confidence are those of `breakdown --calibration`."""

import shlex

import pytest

import treegauge as tg
from tests.commands import invoke
from treegauge.core.messages import listening
from treegauge.reporting.inputs import ScoredTreebank
from treegauge.reporting.sections.scores import score_all, scores_section
from treegauge.scoring.metrics.convention import OFFICIAL
from treegauge.testing.simulated_parser import simulated_parse, with_simulated_confidence
from treegauge.testing.synthetic import synthetic


class Notes:
    """Keeps what is noted."""

    def __init__(self):
        self.texts = []

    def note(self, text):
        self.texts.append(text)


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Gold, a system with probabilities, one without, one with some missing; and their files."""
    home = tmp_path_factory.mktemp("confidence")
    gold = synthetic(40, seed=2)
    text = gold.to_bytes().decode()
    parsed = [tg.parse_conllu(simulated_parse(text, seed=seed)) for seed in range(3)]
    sure = with_simulated_confidence(parsed[0], gold, seed=1)
    misc = sure["misc"].to_list()
    systems = {"sure": sure, "plain": parsed[1], "partly": sure.with_columns({"misc": ["_", *misc[1:]]})}
    for name, treebank in {"gold": gold, **systems}.items():
        tg.write_conllu(treebank, home / f"{name}.conllu")
    runs = {name: [treebank] for name, treebank in systems.items()}
    return ScoredTreebank(gold, runs, str(home / "gold.conllu"), {name: [f"{home}/{name}.conllu"] for name in runs})


def test_the_section_has_what_score_prints(scored):
    notes = Notes()
    results = score_all([scored], OFFICIAL)
    with listening(notes):
        section = scores_section([scored], results)
    data = section.data["treebanks"][0]["calibration"]
    assert [one is None for one in data] == [False, True, True]
    assert [text for text in notes.texts if text.startswith("no calibration of partly: ")]
    sure = {"sure": scored.systems["sure"]}
    found = tg.score(scored.gold, sure, resamples=0)
    made = tg.breakdown(scored.gold, sure, calibration=True).attached["calibration"]
    arc = made.systems["sure"]["arc"].numbers
    assert data[0]["ece"] == pytest.approx(100 * arc["ece"], abs=1e-3)
    assert data[0]["words"] == scored.gold.n_words == sum(one["count"] for one in data[0]["bins"])
    assert [one["event"] for one in data[0]["events"]] == ["head", "relation", "arc", "tree"]
    assert data[0]["risk"][-1] == [100, pytest.approx(100 - found["sure"]["LAS"].f1, abs=1e-3)]
    assert [one["percent"] for one in data[0]["dropped"]] == [0, 10, 20, 30, 50]
    assert data[0]["dropped"][0]["score"] == pytest.approx(found["sure"]["LAS"].f1, abs=1e-3)
    assert "Calibration on" in section.to_html()


def test_the_command_of_the_method_prints_the_same(scored):
    results = score_all([scored], OFFICIAL)
    section = scores_section([scored], results)
    (method,) = [one for one in section.methods if one.name.startswith("Calibration")]
    assert "plain" not in method.command
    done = invoke(shlex.split(method.command)[1:])
    assert done.exit_code == 0, done.output
    signed = method.signature.partition("|punct")[2]
    assert signed in done.stdout


def test_a_page_without_probabilities_says_nothing(scored):
    plain = ScoredTreebank(scored.gold, {"plain": scored.systems["plain"]}, scored.gold_file, {"plain": ["p.conllu"]})
    section = scores_section([plain], score_all([plain], OFFICIAL))
    assert section.data["treebanks"][0]["calibration"] == [None]
    assert not [one for one in section.methods if one.name.startswith("Calibration")]
