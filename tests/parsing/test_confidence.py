"""Probabilities in a parser's output."""

import re

import numpy as np
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.parsing.probabilities.evidence import gather_evidence
from treegauge.parsing.probabilities.fit_confidence import fit_calibration, uncalibrated
from treegauge.parsing.probabilities.word_confidence import probable_trees, with_confidence
from treegauge.parsing.registry import load_model, make_parser
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

TRAIN, DEV, TEST = (synthetic(count, seed=seed) for count, seed in ((80, 1), (80, 2), (40, 3)))
OPTIONS = {"beam": {"epochs": 2}, "mst": {"epochs": 2, "bits": 14, "label_bits": 10}}


@pytest.fixture(scope="module", params=OPTIONS)
def model(request):
    return make_parser(request.param, **OPTIONS[request.param]).fit(TRAIN, seed=0)


@pytest.fixture(scope="module")
def calibration(model):
    return fit_calibration(model, DEV, "dev")


def probabilities(treebank):
    """Return HeadProb and DeprelProb of all words, and tree_prob of all sentences."""
    text = treebank.to_bytes().decode()
    words = re.findall(r"HeadProb=(0\.\d{4}|1\.0000)\|DeprelProb=(0\.\d{4}|1\.0000)\n", text)
    trees = re.findall(r"(?m)^# tree_prob = (0\.\d{4}|1\.0000)$", text)
    return np.array(words, float), np.array(trees, float)


def test_every_word_and_sentence_has_probabilities(model, calibration):
    parsed = model.parse(TEST)
    made = with_confidence(model, parsed, calibration)
    words, trees = probabilities(made)
    assert words.shape == (TEST.n_words, 2)
    assert trees.shape == (len(TEST),)
    assert (made.head == parsed.head).all()
    assert made["deprel"].to_list() == parsed["deprel"].to_list()
    assert made["form"].to_list() == TEST["form"].to_list()
    again = with_confidence(model, made, calibration)
    assert again == made  # what is there is replaced, and all else stays


def test_they_say_how_often_words_are_correct(model, calibration):
    test = synthetic(200, seed=4)
    scores = {}
    for name, how in (("before", uncalibrated(model)), ("after", calibration)):
        made = with_confidence(model, model.parse(test), how)
        scores[name] = tg.breakdown(test, {"it": made}, calibration=True).attached["calibration"]
    before, after = (scores[name].systems["it"]["arc"].numbers["ece"] for name in scores)
    assert after < 0.06
    assert after < before
    rows = {row["dropped"]: row for row in scores["after"].coverage.rows}
    assert rows[20]["gain"] > 1


def test_a_tree_is_no_more_probable_than_any_of_its_arcs(model, calibration):
    """In particular, a sentence of one word is as probable as its arc at most."""
    row = "1\t{}\t_\t{}\t_\t_\t_\t_\t_\t_\n\n"
    words = zip(TEST["form"][:20], TEST["upos"][:20], strict=True)
    single = parse_conllu("".join(row.format(*word) for word in words), need_heads=False)
    for treebank in (single, TEST[:5]):
        parsed = model.parse(treebank)
        for how in (calibration, uncalibrated(model)):
            for tree in probable_trees(model, parsed, how):
                assert tree.tree <= (tree.heads * tree.relations).min() + 1e-12


def test_leads_of_a_greedy_search_are_its_parse():
    model = make_parser("beam", epochs=2, beam=1).fit(TRAIN, seed=0)
    kept = model.analyses(TEST, 3)
    parsed = model.parse(TEST)
    assert kept.heads.shape == (1, TEST.n_words)
    assert (kept.heads[0] == parsed.head).all()
    leads = np.concatenate(
        [
            own[np.arange(len(own)), parsed.head[start : start + len(own)]]
            for own, start in zip(kept.head_logs, TEST.offsets[:-1], strict=True)
        ]
    )
    assert (leads == 0).all()
    assert all((own <= 0).all() for own in kept.head_logs)


def test_analyses_are_those_of_the_beam():
    model = make_parser("beam", **OPTIONS["beam"]).fit(TRAIN, seed=0)
    kept, parsed = model.analyses(TEST, 8), model.parse(TEST)
    assert (kept.heads[0] == parsed.head).all()
    finite = np.where(np.isfinite(kept.scores), kept.scores, -1e9)
    assert (np.diff(finite, axis=1) <= 0).all()
    names = [model.relation_names[number] for number in kept.relations[0].tolist()]
    assert names == parsed["deprel"].to_list()
    assert (kept.relation_logs[0].argmax(1) == kept.relations[0]).all()


def test_marginals_over_the_beam_are_shares_of_its_analyses():
    model = make_parser("beam", **OPTIONS["beam"]).fit(TRAIN, seed=0)
    kept = model.analyses(TEST, 8)
    for sentence, start in enumerate(TEST.offsets[:-1].tolist()):
        shares = kept.head_shares[sentence]
        assert shares.sum(1) == pytest.approx(1)
        weights = np.exp((kept.scores[sentence] - kept.scores[sentence].max()) / 10)
        word = len(shares) // 2
        for head in range(len(shares) + 1):
            has = kept.heads[:, start + word] == head
            assert shares[word, head] == pytest.approx(weights[has].sum() / weights.sum())


def test_unlabelled_trees_have_probabilities():
    model = make_parser("beam", epochs=1, labelled=False).fit(TRAIN, seed=0)
    words, _ = probabilities(with_confidence(model, model.parse(TEST), uncalibrated(model)))
    assert (words[:, 1] == 1).all()


ROWS = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t{0}\n2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"


def test_comments_and_other_fields_stay(model, calibration):
    misc = "SpaceAfter=No|HeadProb=9|Gloss=a=b|DeprelProb="
    odd = "# newdoc id = d\n# sent_id = s\u2028x\n# tree_prob = 7\n#tree_prob=2\n# text = Go!\n"
    text = (odd + ROWS.format(misc)).replace("\n", "\r\n") + "# the end"
    made = with_confidence(model, model.parse(parse_conllu(text)), calibration)
    first, end = made.to_bytes().decode().split("\r\n\r\n")
    assert end == "# the end"
    lines = first.split("\r\n")
    assert lines[:3] == ["# newdoc id = d", "# sent_id = s\u2028x", "# text = Go!"]
    assert re.fullmatch(r"# tree_prob = [01]\.\d{4}", lines[3])
    assert re.search(r"\tSpaceAfter=No\|Gloss=a=b\|HeadProb=\S+\|DeprelProb=\S+$", lines[4])


def test_a_sentence_without_words_and_an_empty_file(model, calibration):
    empty_node = "# sent_id = e\n1.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    treebank = parse_conllu(ROWS.format("_") + empty_node, errors="skip")
    made = with_confidence(model, model.parse(treebank), calibration)
    assert len(made) == len(treebank)
    nothing = parse_conllu("")
    assert len(with_confidence(model, model.parse(nothing), calibration)) == 0


def test_the_command(command, tmp_path):
    (tmp_path / "gold.conllu").write_bytes(TEST.to_bytes())
    path = tmp_path / "m"
    trained = tg.train("mst", TRAIN, dev=DEV, out=path, option=OPTIONS["mst"])
    done = command("parse", path, tmp_path / "gold.conllu", "--confidence")
    assert (done.code, done.err) == (0, "")
    by_training = tg.parse(trained, TEST, confidence=True)
    assert done.out.encode() == by_training.document
    assert "confidence:yes|" in by_training.signature
    plain = command("parse", path, tmp_path / "gold.conllu")
    assert plain.out.encode() == load_model(path).parse(TEST).to_bytes()


def test_a_model_that_was_not_calibrated(command, tmp_path):
    (tmp_path / "gold.conllu").write_bytes(TEST.to_bytes())
    tg.train("mst", TRAIN, out=tmp_path / "m", option=OPTIONS["mst"], calibrate="none")
    done = command("parse", tmp_path / "m", tmp_path / "gold.conllu", "--confidence")
    assert done.code == 0
    assert "not calibrated" in done.err


def test_a_model_without_probabilities():
    model = make_parser("baseline").fit(TRAIN, seed=0)
    with pytest.raises(TreegaugeError, match=r"BaselineModel.*beam, mst, biaffine"):
        tg.parse(model, TEST, confidence=True)


class Uniform:
    """A parser of a plug-in that gives uniform probabilities to the relations it lists."""

    def __init__(self, *relations):
        self.relations = relations

    def parse(self, treebank):
        return treebank

    def head_probabilities(self, treebank):
        return [np.full((n, n + 1), 1 / (n + 1)) for n in treebank.lengths]

    def relation_probabilities(self, treebank):
        return np.full((treebank.n_words, len(self.relations)), 1 / len(self.relations))


def test_a_model_that_writes_a_relation_it_does_not_list():
    with pytest.raises(TreegaugeError, match=r"relation '.+', which its `relations` do not list"):
        list(gather_evidence(Uniform("root"), TEST))


def test_a_model_that_lists_no_relation_of_roots_is_certain_of_it():
    names = sorted({*TEST["deprel"]} - {"root"})
    written = with_confidence(Uniform(*names), TEST, uncalibrated(Uniform(*names)))
    shares = probabilities(written)[0][:, 1]
    assert shares[TEST.head == 0] == pytest.approx(1)
    assert (shares[TEST.head > 0] < 0.9).all()
