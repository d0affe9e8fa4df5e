"""An audit finds what was put there, and little where nothing was."""

import json

import numpy as np
import pytest

from tests.commands import invoke
from treegauge.auditing.audit import audit, read_audit
from treegauge.core.errors import TreegaugeError
from treegauge.splitting.assignment import pool, sampled_test
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu


@pytest.fixture(scope="module")
def clean():
    whole = synthetic(600, Grammar(length=12, order_freedom=0.5), seed=11)
    return {"train": whole[:400], "dev": whole[400:500], "test": whole[500:]}


def named(result, check, part):
    return [f for f in result.findings if f.check == check and f.split == part]


def test_a_clean_treebank_gives_no_errors_or_warnings(clean):
    result = audit(clean)
    assert [str(f) for f in result.findings if f.level != "note"] == []


def test_leaks_are_errors_and_count_both_kinds_of_trees(clean):
    train = clean["train"]
    long = np.flatnonzero(train.lengths >= 5)[:4]
    copies = train.take(long)
    head = copies.head.copy()
    root = int(np.flatnonzero(head[: copies.offsets[1]] == 0)[0])
    other = next(w for w in range(int(copies.offsets[1])) if w != root and head[w] != root + 1)
    head[other] = root + 1
    changed = copies.with_columns({"head": head})
    parts = clean | {"test": concat([clean["test"], changed], name="test")}
    (leak,) = named(audit(parts, resamples=0), "leak", "train/test")
    assert leak.level == "error"
    assert leak.value == 4
    assert "identical sentences with a different tree: 1 of 4" in leak.message
    assert leak.examples[0] == train[int(long[0])].id


def test_duplicates_within_a_part_are_counted(clean):
    long = np.flatnonzero(clean["train"].lengths >= 5)[:3]
    parts = {"train": concat([clean["train"], clean["train"].take(long)], name="train")}
    (found,) = named(audit(parts, resamples=0), "duplicates", "train")
    assert found.value == 3


def test_short_sentences_may_repeat():
    hello = parse_conllu("1\tHi\thi\tINTJ\tI\tA=B\t0\troot\t0:root\tX=Y\n\n" * 4)
    result = audit({"train": hello, "test": hello}, resamples=0)
    assert named(result, "leak", "train/test") == []
    assert named(result, "one-word-sentences", "train")[0].value == 1.0


def test_missing_and_partial_layers(clean):
    words = clean["dev"].n_words
    lemma = ["_" if i % 10 == 0 else "x" for i in range(words)]
    bare = clean["dev"].with_columns({"feats": ["_"] * words, "lemma": lemma})
    result = audit(clean | {"dev": bare}, resamples=0)
    assert named(result, "missing-layer", "dev")[0].message == "no word has FEATS"
    assert named(result, "partial-layer", "dev")[0].value == pytest.approx(0.9, abs=0.01)


def test_labels_that_train_does_not_have(clean):
    relations = clean["test"]["deprel"].to_list()
    relations[3:6] = ["list", "list", "clf"]
    parts = clean | {"test": clean["test"].with_columns({"deprel": relations})}
    (found,) = named(audit(parts, resamples=0), "unseen-labels", "train/test")
    assert found.value == 2
    assert found.examples == ("list", "clf")


def test_an_adversarial_split_is_called_odd_and_a_random_one_is_not(clean):
    whole = concat(clean.values(), name="whole")
    sentences = pool(whole)
    index = np.flatnonzero(sentences.lengths > 2)
    test = sampled_test(sentences, index, adversarial=True, seed=1)
    odd = {"train": whole.take(index[~test]), "test": whole.take(index[test])}
    (found,) = named(audit(odd), "split-edv", "train/test")
    assert found.level == "warning"
    assert found.p_value <= 0.01
    p_values = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(whole))
        parts = {"train": whole.take(order[:450]), "test": whole.take(order[450:])}
        p_values.append(named(audit(parts, resamples=99), "split-edv", "train/test")[0].p_value)
    assert 0.25 < np.mean(p_values) < 0.75


def test_parts_that_are_missing_or_empty(clean):
    assert audit({"test": clean["test"]}).count("error") == 0
    empty = audit({"train": clean["train"], "test": clean["test"][:0]})
    assert [f.check for f in empty.findings if f.level == "error"] == ["empty"]
    assert [f.split for f in empty.findings if f.check == "missing-split"] == ["dev"]


def test_sentences_without_text_are_no_leaks(clean):
    parts = {name: part.with_columns({"form": ["_"] * part.n_words}) for name, part in clean.items()}
    found = audit(parts, resamples=0)
    assert {f.check for f in found.findings} & {"leak", "duplicates"} == set()
    assert named(found, "missing-layer", "test")[0].message == "no word has FORM"


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"resamples": -1}])
def test_options_that_cannot_be(clean, wrong):
    with pytest.raises(TreegaugeError, match="expected a whole number of at least 0, found -1"):
        audit(clean, **wrong)


def test_the_command_fails_for_errors_only_unless_told(tmp_path, clean):
    folder = tmp_path / "UD_X-Y"
    folder.mkdir()
    for name, part in clean.items():
        write_conllu(part, folder / f"x_y-ud-{name}.conllu")
    result = invoke(["audit", str(folder), "--format", "json", "--resamples", "99"])
    assert result.exit_code == 0
    content = json.loads(result.stdout)
    assert content["treebank"] == "UD_X-Y"
    assert content["counts"]["error"] == 0
    assert {"kind", "signature", "rows"} <= set(content)
    write_conllu(clean["train"][:100], folder / "x_y-ud-test.conllu")
    assert invoke(["audit", str(folder), "--resamples", "0"]).exit_code == 1
    assert invoke(["audit", str(folder), "--resamples", "0", "--fail", "never"]).exit_code == 0


def test_real_treebanks_can_be_audited(ud):
    from treegauge.treebanks.data.conllu import read_splits

    result = audit(read_splits(ud / "r2.9" / "UD_Telugu-MTG"), resamples=99)
    assert any(f.message == "no word has LEMMA" for f in result.findings)


def test_what_is_as_expected_is_shown_on_request_only(clean):
    short, full = audit(clean, resamples=99), audit(clean, all=True)
    assert "treebank: 0 errors, 0 warnings" in str(short)
    assert "(--all shows them)" in str(short)
    assert "note:" not in str(short)
    assert "typical of random splits of this size (p =" in str(full)


def test_the_signature_names_every_split_by_checksum(clean):
    one, two = audit(clean, resamples=0), audit(clean | {"test": clean["dev"]}, resamples=0)
    assert one.signature != two.signature
    assert f"test#{clean['test'].digest[:6]}" in one.signature


def test_a_file_is_not_a_treebank_with_splits(tmp_path, clean):
    write_conllu(clean["dev"], tmp_path / "some.conllu")
    with pytest.raises(TreegaugeError, match="expected the folder of a treebank"):
        audit(tmp_path / "some.conllu")


def test_an_audit_of_one_thing_is_that_list(clean, tmp_path):
    result = audit(clean, only="leaks")
    assert result.leaks.overlaps == ()
    assert result.to_dict() == result.leaks.to_dict()
    assert str(result) == str(result.leaks)
    assert result.table.equals(result.leaks.table)
    result.save(tmp_path / "pairs.csv")
    assert (tmp_path / "pairs.csv").read_text().startswith("part,sent_id,file,also_in")
    with pytest.raises(TreegaugeError, match="this audit has no card; expected"):
        _ = result.card


def test_a_saved_audit_is_read_back(clean, tmp_path):
    shared = clean["train"][:5]
    result = audit(clean | {"test": concat([clean["test"], shared], name="test")}, resamples=99)
    assert {len(finding.examples) for finding in result.findings} >= {0, 3}
    result.save(tmp_path / "a.json")
    again = read_audit(tmp_path / "a.json")
    assert (again.treebank, again.findings, again.signature) == (result.treebank, result.findings, result.signature)
    assert str(again) == str(result)
    audit(clean, only="leaks").save(tmp_path / "b.json")
    (tmp_path / "c.json").write_text('{"kind": "audit"}')
    for name, message in (("b", "another kind of file"), ("c", "another kind of file"), ("d", "No such file")):
        with pytest.raises(TreegaugeError, match=f"{message}.*; expected a file written by treegauge audit"):
            read_audit(tmp_path / f"{name}.json")
