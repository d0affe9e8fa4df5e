"""One convention per call: by name, as an object, or carried by a metric."""

import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.scoring.metrics.convention import ChosenMetric, metrics_and_convention
from treegauge.testing.simulated_parser import simulated_parse

GOLD = tg.synthetic(30, seed=1)
SYSTEM = tg.parse_conllu(simulated_parse(GOLD.to_bytes().decode(), seed=2))


def las(**how):
    scores = tg.score(GOLD, {"a": SYSTEM}, resamples=0, **how)
    return scores.label("LAS"), scores["a"]["LAS"].f1


def test_a_metric_carries_its_convention():
    without = las(convention="no-punct")
    assert without[0] == "LAS[challenges]" and without != las()
    assert las(metric=[tg.LAS(punct=False)]) == las(metric="UAS(punct=no),LAS(punct=no)") == without
    assert las(convention=tg.Convention(punct=False)) == las(convention="challenges") == without
    both = las(convention="no-punct+subtypes")
    assert both[0] == "LAS[no-punct+subtypes]"
    assert las(metric=[tg.LAS(punct=False, subtypes=True)]) == both
    assert las(convention="subtypes", metric=[tg.LAS(punct=False)]) == both


def test_the_same_text_stands_in_other_verbs():
    exact = tg.breakdown(GOLD, SYSTEM, metric=tg.LAS(punct=False))
    assert exact.signature == tg.breakdown(GOLD, SYSTEM, convention="no-punct").signature
    scores = tg.score(GOLD, {"a": SYSTEM, "b": GOLD}, convention="no-punct", resamples=0)
    assert tg.read_leaderboard(scores, metric="LAS(punct=no)").metric == "LAS[challenges]"


def test_a_metric_prints_and_parses_itself():
    metric = tg.WLAS(weights={"nsubj": 2, "obj": 0.5}, punct=False)
    assert metric == "WLAS(punct=no,weights=nsubj 2;obj 0.5)"
    assert ChosenMetric(str(metric)).choices == {"punct": "no", "weights": "nsubj 2;obj 0.5"}
    assert tg.LAS() == "LAS" and tg.LAS(punct=False)(punct=True) == "LAS(punct=yes)"
    chosen, _ = metrics_and_convention(["UAS, LAS(punct=yes,subtypes=no)", "ELAS"])
    assert chosen == ("UAS", "LAS(punct=yes,subtypes=no)", "ELAS")


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("LAS(punct=no),UAS", "one call has one convention; these metrics differ: LAS(punct=no) (challenges), UAS ("),
        ("LAS(punct)", "found 'LAS(punct)'; expected NAME(CHOICE=VALUE), such as LAS(punct=no)"),
        ("LAS(punct=no", "found 'LAS(punct=no'; expected NAME(CHOICE=VALUE)"),
        ("LAS(punkt=no)", "unknown choice of LAS 'punkt'"),
        ("LAS(punct=false)", "LAS: punct is 'false'; expected yes or no"),
        ("ELAS(punct=no)", "unknown choice of ELAS 'punct'"),
    ],
)
def test_slips_are_named(metric, message):
    with pytest.raises(TreegaugeError) as error:
        metrics_and_convention(metric)
    assert message in str(error.value)


def test_no_verb_has_the_old_words(command):
    done = command("score", "gold.conllu", "a.conllu", "--no-punct")
    assert done.code == 2 and "No such option: --no-punct" in done.err
