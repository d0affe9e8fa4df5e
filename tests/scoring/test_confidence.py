"""`score --calibration`: probabilities read, laid beside what is correct, and summed up."""

import json
from io import StringIO

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.scoring.alignment.align import align
from treegauge.scoring.confidence import Confidence, read_probabilities
from treegauge.scoring.metrics.convention import Convention
from treegauge.testing.simulated_parser import Accuracy, simulated_parse, with_simulated_confidence
from treegauge.testing.synthetic import synthetic


def rows(*words: tuple, tree: str | None = None) -> str:
    """Return a sentence of (form, upos, head, deprel, misc); the last may be left out."""
    lines = [] if tree is None else [f"# tree_prob = {tree}"]
    for number, (form, upos, head, deprel, *misc) in enumerate(words, 1):
        last = misc[0] if misc else "_"
        lines.append(f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{deprel}\t_\t{last}")
    return "\n".join([*lines, "", ""])


def sure(head: float, relation: float) -> str:
    return f"HeadProb={head}|DeprelProb={relation}"


GOLD = tg.parse_conllu(
    rows(("I", "PRON", 2, "nsubj"), ("see", "VERB", 0, "root"), (".", "PUNCT", 2, "punct"))
    + rows(("Go", "VERB", 0, "root"), ("now", "ADV", 1, "advmod")),
    name="gold",
)
OUTPUT = rows(
    ("I", "PRON", 2, "obj", sure(0.9, 0.5)),
    ("see", "VERB", 0, "root", sure(0.8, 1)),
    (".", "PUNCT", 1, "punct", sure(0.25, 0.75)),
    tree="0.25",
) + rows(("Go", "VERB", 0, "root", sure(1, 1)), ("now", "ADV", 1, "advmod", f"A=b|{sure(0.5, 0.5)}"), tree="0.5")


def events(text: str, **how):
    made = Confidence(align(GOLD, tg.parse_conllu(text)), **how)
    return dict(made.events()), made.sentences()


def test_hand_counted_events():
    found, sentences = events(OUTPUT)
    head, relation, arc, tree = (found[name] for name in ("head", "relation", "arc", "tree"))
    assert head.probabilities.tolist() == [0.9, 0.8, 0.25, 1, 0.5]
    assert head.outcomes.tolist() == [True, True, False, True, True]
    assert head.units.tolist() == [0, 0, 0, 1, 1]
    assert relation.probabilities.tolist() == [0.5, 1, 1, 0.5]
    assert relation.outcomes.tolist() == [False, True, True, True]
    assert arc.probabilities.tolist() == [0.45, 0.8, 0.1875, 1, 0.25]
    assert arc.outcomes.tolist() == [False, True, False, True, True]
    assert (tree.probabilities.tolist(), tree.outcomes.tolist()) == ([0.25, 0.5], [False, True])
    assert sentences.confidence == pytest.approx([(0.45 + 0.8 + 0.1875) / 3, 0.625])
    assert (sentences.correct.tolist(), sentences.words.tolist()) == ([2, 4], [6, 4])


def test_words_that_do_not_count_need_no_probability():
    bare = OUTPUT.replace(f"punct\t_\t{sure(0.25, 0.75)}", "punct\t_\t_")
    with pytest.raises(TreegaugeError, match=r"word 3 \('\.'\) has no HeadProb \(1 of 5 words"):
        events(bare)
    found, sentences = events(bare, convention=Convention(punct=False))
    assert found["head"].probabilities.tolist() == [0.9, 0.8, 1, 0.5]
    assert sentences.words.tolist() == [4, 4]


def test_a_word_without_a_partner_is_incorrect():
    """The system writes "Go now" as one word."""
    cut = OUTPUT[: OUTPUT.index("# tree_prob = 0.5")]
    joined = cut + rows(("Gonow", "VERB", 0, "root", sure(0.9, 0.9)), tree="0.81")
    found, sentences = events(joined)
    assert found["head"].outcomes.tolist() == [True, True, False, False]
    assert found["tree"].outcomes.tolist() == [False, False]
    assert sentences.confidence[1] == pytest.approx(0.81)
    assert (sentences.correct.tolist(), sentences.words.tolist()) == ([2, 0], [6, 3])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("HeadProb=0.9|", "HeadProb=high|", r"s.conllu:2: word 1 \('I'\) has HeadProb=high; expec"),
        ("HeadProb=0.9|", "HeadProb=93.12|", "HeadProb=93.12; expected a number from 0 to 1"),
        ("HeadProb=0.9|", "HeadProb=nan|", "HeadProb=nan; expected a number from 0 to 1"),
        ("HeadProb=0.9|", "HeadProb=|", "HeadProb=; expected a number from 0 to 1"),
        ("DeprelProb=0.5", "DeprelProb=-0.1", "DeprelProb=-0.1; expected a number from 0 to 1"),
        ("HeadProb=0.9|", "HeadProb=0.9|HeadProb=0.8|", "has HeadProb twice; expected once"),
        ("HeadProb=0.9|", "", r"s.conllu:2: .* has no HeadProb \(1 of 5 .*parse --confidence"),
        ("DeprelProb=0.5", "Deprel=0.5", r"has no DeprelProb \(2 of 5 words have none\)"),
        ("Prob=", "Probability=", "s.conllu: no word has a head probability; expected"),
        ("# tree_prob = 0.25\n", "", r"s.conllu:1: sentence 1 has no '# tree_prob = ...'; expec"),
        ("tree_prob = 0.25", "tree_prob = 1.5", r"has '# tree_prob = 1.5'; expected a number"),
    ],
)
def test_unusable_probabilities_are_refused_with_the_line(old, new, message, tmp_path):
    file = tmp_path / "s.conllu"
    file.write_text(OUTPUT.replace(old, new), "utf-8")
    with pytest.raises(TreegaugeError, match=message):
        tg.breakdown(GOLD, {"mine": str(file)}, calibration=True)
    with pytest.raises(TreegaugeError):
        read_probabilities(tg.parse_conllu(OUTPUT.replace(old, new)))


def test_trees_may_have_no_probability():
    bare = "\n".join(line for line in OUTPUT.split("\n") if "tree_prob" not in line)
    made = tg.breakdown(GOLD, {"mine": tg.parse_conllu(bare)}, calibration=True).attached["calibration"]
    assert list(made.systems["mine"]) == ["head", "relation", "arc"]
    assert "no probabilities of trees (# tree_prob): mine" in str(made)


@pytest.fixture(scope="module")
def world():
    """Gold, a calibrated system, and an overconfident one."""
    gold = synthetic(150, seed=5)
    text = gold.to_bytes().decode()
    systems = {}
    for number, (name, sharpness) in enumerate({"honest": 1.0, "bold": 2.5}.items()):
        parsed = tg.parse_conllu(simulated_parse(text, Accuracy(heads=0.85), seed=number))
        systems[name] = with_simulated_confidence(parsed, gold, seed=number, sharpness=sharpness)
    return gold, systems


@pytest.fixture(scope="module")
def scores(world):
    return tg.score(world[0], world[1], units="sentences", metric=["LAS"])


@pytest.fixture(scope="module")
def broken(world):
    return tg.breakdown(world[0], world[1], calibration=True, units="sentences")


def test_the_overconfident_system_is_found(broken):
    table = broken.attached["calibration"].table
    for row in table.filter(pl.col("event").is_in(["head", "relation", "arc"])).to_dicts():
        honest = row["system"] == "honest"
        assert (row["p_value"] > 0.02) == honest, row
        assert (row["ece"] < 2 * row["ece_by_chance"]) == honest, row
        assert honest or row["probability"] > row["correct"]
        parts = row["reliability"] - row["resolution"] + row["uncertainty"]
        assert parts == pytest.approx(row["brier"])


def test_arcs_are_the_words_of_las(scores, broken):
    for row in broken.attached["calibration"].rows():
        if row["event"] == "arc":
            assert 100 * row["correct"] == pytest.approx(scores[row["system"]]["LAS"].f1)


@pytest.mark.parametrize("dropped", [0, 20, 50])
def test_dropped_sentences_are_scored_again(world, scores, broken, dropped):
    """The score of the sentences kept is that of files with these sentences only."""
    gold, systems = world
    coverage = broken.attached["calibration"].attached["coverage"]
    for name, system in systems.items():
        made = read_probabilities(system)
        means = [
            made.arcs[start:stop].mean() for start, stop in zip(system.offsets[:-1], system.offsets[1:], strict=True)
        ]
        kept = np.sort(np.argsort(means)[round(len(gold) * dropped / 100) :])
        again = tg.score(gold.take(kept), {name: system.take(kept)}, resamples=0)[name]["LAS"].f1
        (row,) = [r for r in coverage.rows if (r["system"], r["dropped"]) == (name, dropped)]
        assert row["sentences"] == len(kept)
        assert row["score"] == pytest.approx(again)
        assert row["gain"] == pytest.approx(again - scores[name]["LAS"].f1)
        assert row["best"] >= row["score"]


def test_certain_sentences_are_better(broken):
    for name, own in broken.attached["calibration"].coverage.table.group_by("system"):
        assert own["gain"].max() > 0, name
        assert (own["aurc"] < 1 - own["score"].min() / 100).all()


def test_formats(broken):
    made = broken.attached["calibration"]
    found = json.loads(broken.to_json())["calibration"]
    assert found["kind"] == "calibration"
    first = found["rows"][0]
    assert sum(one["cases"] for one in first["bins"]) == first["cases"]
    assert first["risk_coverage"][-1] == [100, pytest.approx(100 * (1 - first["correct"]))]
    assert set(found["coverage"]["risk_coverage"]) == {"honest", "bold"}
    csv = pl.read_csv(StringIO(broken.to_csv()))
    assert csv["ece"].to_list() == pytest.approx(made.table["ece"].to_list())
    assert "ece\\_by\\_chance" in broken.to_latex()
    assert "LAS without 20" in broken.to_latex()
    assert "resolution" not in str(made)
    assert "p_value: could calibrated probabilities have this ece on 150 sentences?" in str(made)
    assert "bins:15mass|consistency:999draws|seed:0" in made.signature


def test_the_table_has_all_parts(broken):
    assert {"reliability", "resolution", "uncertainty"} <= set(broken.attached["calibration"].table.columns)


def test_few_sentences_have_no_test():
    made = tg.breakdown(GOLD, {"a": tg.parse_conllu(OUTPUT)}, calibration=True).attached["calibration"]
    assert "no test of ece: 2 sentences, needs at least 20" in str(made)
    assert made.systems["a"]["arc"].numbers["p_value"] is None


def test_the_command(world, tmp_path, cli):
    gold, systems = world
    paths = [str(tmp_path / f"{name}.conllu") for name in ("gold", *systems)]
    for treebank, path in zip([gold, *systems.values()], paths, strict=True):
        tg.write_conllu(treebank, path)
    figure = tmp_path / "figure.json"
    code, out, _ = cli(*paths, "--calibration", "--plot", str(figure), verb="breakdown")
    assert code == 0
    assert "without the least certain sentences:" in out
    spec = json.loads(figure.read_text("utf-8"))
    bins = spec["hconcat"][0]["data"]["values"]
    assert {one["system"] for one in bins} == {"honest", "bold"}
    assert sum(one["cases"] for one in bins) == 2 * gold.n_words
    code, _, err = cli(paths[0], paths[0], "--calibration", verb="breakdown")
    assert code != 0
    assert "gold.conllu: no word has a head probability" in err
    assert "parse --confidence" in err
