"""The section on scores of many systems: what is left out of its tables is in its data."""

from treegauge.reporting.inputs import ScoredTreebank
from treegauge.reporting.sections import scores
from treegauge.scoring.metrics.convention import OFFICIAL
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu


def test_very_many_paired_tests_are_in_the_data_and_not_in_tables(monkeypatch):
    gold = synthetic(12, seed=1)
    text = gold.to_bytes().decode()
    systems = {f"s{i}": [parse_conllu(simulated_parse(text, seed=i))] for i in range(2)}
    scored = [ScoredTreebank(gold, systems, "gold", {name: [name] for name in systems})]
    results = scores.score_all(scored, OFFICIAL)
    captions = [caption for caption, _ in scores.scores_section(scored, results).tables]
    assert any(caption.startswith("Paired tests") for caption in captions)
    monkeypatch.setattr(scores, "MOST_ROWS", 0)
    section = scores.scores_section(scored, results)
    assert not any(caption.startswith("Paired tests") for caption, _ in section.tables)
    assert len(section.data["treebanks"][0]["tests"]) == 1
