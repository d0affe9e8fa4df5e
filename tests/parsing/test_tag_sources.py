"""Parsers with their own tagger: jackknifed tags, tagger in the model, tags in the output."""

from dataclasses import replace

import numpy as np
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.parse import parse
from treegauge.parsing.registry import load_model, make_parser
from treegauge.parsing.tag_sources import GOLD, TagSource, learn_tags, tag_report
from treegauge.parsing.tagger import PerceptronTagger, TaggedWords, features, jackknifed_upos, train_perceptron_tagger
from treegauge.parsing.train import train
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, write_conllu

TRAIN, DEV, TEST = (synthetic(count, seed=seed) for count, seed in ((60, 1), (15, 2), (15, 3)))
SMALL = {
    "beam": {"epochs": 1, "learners": 1},
    "mst": {"epochs": 1, "label_epochs": 1, "bits": 14, "label_bits": 12},
    "biaffine": {"epochs": 1, "hidden": 8, "layers": 1, "arc_size": 8, "relation_size": 4,
                 "word_size": 8, "char_size": 8, "tag_size": 8},
}  # fmt: skip


def untagged(treebank):
    return treebank.with_columns({"upos": ["_"] * treebank.n_words})


def trees(treebank):
    return treebank.head.tolist(), treebank["deprel"].to_list()


def brute_force(tagger, seen):
    """The best tags of one sentence, by trying all sequences."""
    from itertools import product

    rows = dict(zip(tagger.keys.tolist(), tagger.weights, strict=True))
    own = [sum((rows[key] for key in word.tolist() if key in rows), np.zeros(len(tagger.tags))) for word in seen]
    size = len(tagger.tags)

    def score(tags):
        pairs = zip((size, *tags), tags, strict=False)
        return sum(own[i][tag] for i, tag in enumerate(tags)) + sum(
            float(tagger.pairs[before, tag]) for before, tag in pairs
        )

    return max(product(range(size), repeat=len(seen)), key=score)


def test_the_tagger_finds_the_best_sequence():
    tagger = train_perceptron_tagger(TRAIN, epochs=2)
    lines = [f"{i % 4 + 1}\t{form}" + "\t_" * 8 for i, form in enumerate(TEST["form"][:12])]
    text = "".join(f"{line}\n" + "\n" * (i % 4 == 3) for i, line in enumerate(lines))
    short = parse_conllu(text, need_heads=False)
    assert short.lengths.tolist() == [4, 4, 4]
    seen = features(short)
    found = tagger.predict(seen, short.offsets.astype(np.int32)).tolist()
    for start, stop in zip(short.offsets[:-1], short.offsets[1:], strict=True):
        assert tuple(found[start:stop]) == brute_force(tagger, seen[start:stop])


def test_the_tagger_learns_and_goes_through_a_file():
    tagger = train_perceptron_tagger(TRAIN)
    codes, _ = TRAIN.codes("upos")
    frequent = np.bincount(codes).max() / TRAIN.n_words
    assert (tagger.tag(TRAIN)["upos"] == TRAIN["upos"]).mean() > max(0.95, frequent)
    again = PerceptronTagger.from_arrays(tagger.to_arrays())
    assert again.tag(TEST)["upos"].to_list() == tagger.tag(TEST)["upos"].to_list()
    with pytest.raises(TreegaugeError, match="damaged"):
        PerceptronTagger.from_arrays({**tagger.to_arrays(), "keys": tagger.keys[1:]})
    with pytest.raises(TreegaugeError, match="no UPOS tags to train on"):
        train_perceptron_tagger(untagged(TRAIN))


def test_a_fold_is_tagged_by_a_tagger_that_has_not_seen_it():
    folds = [np.arange(start, 60, 3) for start in range(3)]
    tagged = jackknifed_upos(TRAIN, folds, seed=4)
    for fold in folds:
        others = np.setdiff1d(np.arange(60), fold)
        tagger = train_perceptron_tagger(TRAIN.take(others), seed=4)
        # Tags are numbered by the whole treebank, which decides ties alone.
        expected = tagger.tag(TRAIN.take(fold))["upos"]
        assert (tagged.take(fold)["upos"] == expected).mean() > 0.98
    own = TaggedWords.of(TRAIN).learn(seed=4).tag(TRAIN)
    assert (tagged["upos"] == TRAIN["upos"]).mean() < (own["upos"] == TRAIN["upos"]).mean()


@pytest.mark.parametrize("parser", SMALL)
def test_predicted_tags(parser, tmp_path):
    """The tags of the file play no part, and the model's file keeps the tagger."""
    model = make_parser(parser, tags="predicted", **SMALL[parser]).fit(TRAIN, DEV, seed=0)
    parsed = model.parse(TEST)
    assert trees(model.parse(untagged(TEST))) == trees(parsed)
    assert parsed["upos"].to_list() == TEST["upos"].to_list()
    source, tagged, held = learn_tags("predicted", TRAIN, DEV, seed=0)
    by_hand = make_parser(parser, **SMALL[parser]).fit(tagged, held, seed=0)
    assert trees(by_hand.parse(source.tagger.tag(TEST))) == trees(parsed)
    model.save(tmp_path / "m.model")
    assert trees(load_model(tmp_path / "m.model").parse(untagged(TEST))) == trees(parsed)
    report = tag_report(model, DEV)
    assert list(report) == ["dev_upos", "dev_las_gold_tags", "dev_las_predicted_tags"]
    right = (source.tagger.tag(DEV)["upos"] == DEV["upos"]).mean()
    assert report["dev_upos"] == pytest.approx(100 * right)


def test_mixed_tags_only_words_without_a_tag():
    model = make_parser("mst", tags="mixed", **SMALL["mst"]).fit(TRAIN, seed=0)
    gold = replace(model, tag_source=GOLD)
    assert trees(model.parse(TEST)) == trees(gold.parse(TEST))
    tagger = model.tag_source.tagger
    assert trees(model.parse(untagged(TEST))) == trees(gold.parse(tagger.tag(TEST)))
    tags = ["_" if i % 2 else tag for i, tag in enumerate(TEST["upos"])]
    read = model.tag_source.read(TEST.with_columns({"upos": tags}))
    both = zip(tags, tagger.tag(TEST)["upos"], strict=True)
    assert read["upos"].to_list() == [new if own == "_" else own for own, new in both]


@pytest.mark.parametrize("parser", SMALL)
def test_text_without_tags_is_refused_by_a_model_without_a_tagger(parser):
    model = make_parser(parser, **SMALL[parser]).fit(TRAIN, seed=0)
    assert model.tag_source is GOLD
    with pytest.raises(TreegaugeError, match=r"has no UPOS tags.*tags=predicted"):
        model.parse(untagged(TEST))
    assert tag_report(model, DEV) == {}


@pytest.mark.parametrize("parser", ["beam", "mst"])
def test_no_tags(parser, tmp_path):
    """Without tags, or with a training set that has none, the tags of new text play no part."""
    models = [
        make_parser(parser, tags="none", **SMALL[parser]).fit(TRAIN, seed=0),
        make_parser(parser, **SMALL[parser]).fit(untagged(TRAIN), seed=0),
    ]
    first, second = (trees(model.parse(TEST)) for model in models)
    assert first == second == trees(models[0].parse(untagged(TEST)))
    models[1].save(tmp_path / "m.model")
    assert trees(load_model(tmp_path / "m.model").parse(TEST)) == first


@pytest.mark.parametrize("parser", SMALL)
def test_a_model_of_gold_tags_tags_text_that_has_none(parser, tmp_path):
    """The tagger comes on top: the parser and its trees of tagged text stay the same."""
    path = tmp_path / "m"
    trained = train(parser, TRAIN, dev=DEV, out=path, option=SMALL[parser], calibrate="none")
    bare = make_parser(parser, **SMALL[parser]).fit(TRAIN, DEV, seed=0)
    bare.save(tmp_path / "bare")
    with np.load(path) as with_tagger, np.load(tmp_path / "bare") as without:
        more = set(with_tagger.files) - set(without.files)
        assert all(name.startswith("tagger/") for name in more)
        assert len(more) == 5
        for name in without.files:
            np.testing.assert_array_equal(with_tagger[name], without[name])
    model = load_model(path)
    tagged = model.tag_source.tagger.tag(TEST)
    assert trees(model.parse(TEST)) == trees(bare.parse(TEST))
    assert trees(model.parse(untagged(TEST))) == trees(bare.parse(tagged))
    row = trained.table.row(0, named=True)
    assert row["dev_upos"] > 50
    expected = replace(trained.model, tag_source=GOLD)
    gold, predicted = DEV, trained.model.tag_source.tagger.tag(DEV)
    for name, part in (("gold", gold), ("predicted", predicted)):
        parsed = expected.parse(part)
        names = [[one.partition(":")[0] for one in own["deprel"]] for own in (parsed, DEV)]
        right = (parsed.head == DEV.head) & np.equal(*map(np.array, names))
        assert row[f"dev_las_{name}_tags"] == pytest.approx(100 * right.mean())


def test_a_tagger_for_gold_tags_is_named_and_its_tags_are_written(command, tmp_path):
    half = [tag if i % 2 else "_" for i, tag in enumerate(TEST["upos"])]
    for name, tags in (("raw", ["_"] * TEST.n_words), ("half", half)):
        write_conllu(TEST.with_columns({"upos": tags}), tmp_path / f"{name}.conllu")
    train("mst", TRAIN, dev=DEV, out=tmp_path / "m", option=SMALL["mst"])
    done = command("parse", tmp_path / "m", tmp_path / "raw.conllu", "--write-tags")
    assert done.err.count("\n") == 1
    words = f"{TEST.n_words} of {TEST.n_words}"
    assert f"the model's own tagger tags {words} words" in done.err
    assert "learned from gold tags: train with the option tags=mixed" in done.err
    tagged = load_model(tmp_path / "m").tag_source.tagger.tag(TEST)["upos"].to_list()
    assert parse_conllu(done.out)["upos"].to_list() == tagged
    done = command("parse", tmp_path / "m", tmp_path / "half.conllu", "--write-tags", "--confidence")
    assert "probabilities were calibrated with them: train with the option tags=pred" in done.err
    both = zip(half, tagged, strict=True)
    expected = [new if own == "_" else own for own, new in both]
    assert parse_conllu(done.out)["upos"].to_list() == expected


@pytest.mark.parametrize("tags", ["none", "gold"])
def test_a_model_that_reads_no_tags_gets_no_tagger(tags, tmp_path):
    own = untagged(TRAIN) if tags == "gold" else TRAIN
    options = {**SMALL["mst"], "tags": tags}
    trained = train("mst", own, out=tmp_path / "m", option=options, calibrate="none")
    assert trained.model.tag_source.tagger is None


def test_train_and_parse_say_so(tmp_path):
    write_conllu(untagged(TEST), tmp_path / "raw.conllu")
    options = {"tags": "predicted", **SMALL["mst"]}
    trained = train("mst", TRAIN, dev=DEV, out=tmp_path / "m.model", option=options)
    assert 0 < trained.table["dev_las_predicted_tags"][0] < 100
    done = parse(tmp_path / "m.model", tmp_path / "raw.conllu", write_tags=True)
    tagger = trained.model.tag_source.tagger
    assert done.treebank["upos"].to_list() == tagger.tag(TEST)["upos"].to_list()
    plain = parse(tmp_path / "m.model", tmp_path / "raw.conllu")
    assert set(plain.treebank["upos"]) == {"_"}
    assert trees(plain.treebank) == trees(done.treebank)
    with pytest.raises(TreegaugeError, match="no tagger whose tags"):
        parse(replace(trained.model, tag_source=GOLD), TEST, write_tags=True)


def test_notes(command, tmp_path):
    for name, treebank in (("train", TRAIN), ("dev", DEV), ("raw", untagged(TEST))):
        write_conllu(treebank, tmp_path / f"{name}.conllu")
    small = ["--option", "epochs=1", "--option", "bits=14", "--option", "label_bits=12"]
    done = command(
        "train", "mst", tmp_path / "train.conllu", "--dev", tmp_path / "dev.conllu",
        "--out", tmp_path / "m.model", "--option", "tags=mixed", *small,
    )  # fmt: skip
    assert "a tagger is part of the model; it tags the training set by 10 folds" in done.err
    assert "dev_las_gold_tags" in done.out
    done = command("parse", tmp_path / "m.model", tmp_path / "raw.conllu")
    words = f"{TEST.n_words}"
    assert f"tagger tags {words} of {words} words, which have no UPOS tag\n" in done.err
    done = command("parse", tmp_path / "m.model", tmp_path / "raw.conllu", "--confidence")
    assert "no UPOS tag; its probabilities were calibrated with the dev set's own tags" in done.err
    assert read_conllu(tmp_path / "raw.conllu").n_words == TEST.n_words


def test_a_lost_tagger_and_a_tiny_training_set():
    with pytest.raises(TreegaugeError, match="there is no tagger"):
        TagSource("predicted").read(TEST)
    one = parse_conllu("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    model = make_parser("mst", tags="predicted", **SMALL["mst"]).fit(one, seed=0)
    assert model.parse(one).head.tolist() == [0]
