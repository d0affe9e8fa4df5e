"""Agreement equals that of statsmodels and krippendorff, and its list names every difference."""

import csv
import json
from functools import cache

import krippendorff
import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from tests.commands import invoke
from treegauge.auditing.agree import agree
from treegauge.auditing.agreement.tables import AnnotatedTrees, tree_alpha
from treegauge.core.errors import TreegaugeError
from treegauge.kernels.tree_edit import distances, postorder
from treegauge.scoring.score import score
from treegauge.statistics.kappa_and_alpha import agreement, class_agreement
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu


@pytest.fixture(scope="module")
def annotators():
    text = synthetic(120, seed=3).to_bytes().decode()
    return {
        name: parse_conllu(simulated_parse(text, seed=seed), name=name)
        for seed, name in enumerate(("ana", "ben", "cho"))
    }


def rows(result, key="layer"):
    return {row[key]: row for row in result.rows}


def codes(one, other, column):
    """The two columns as codes, by hand."""
    values = [*one[column].to_list(), *other[column].to_list()]
    numbers = {value: i for i, value in enumerate(dict.fromkeys(values))}
    return np.array([[numbers[v] for v in tb[column].to_list()] for tb in (one, other)]).T


def drawn(random, items, annotators, missing=0.0):
    truth = random.integers(5, size=(items, 1))
    made = np.where(random.random((items, annotators)) < 0.7, truth, random.integers(5, size=(items, annotators)))
    return np.where(random.random(made.shape) < missing, -1, made)


def coefficients(codes):
    """Return observed agreement, kappa and alpha of a coding."""
    return agreement(codes, np.arange(len(codes))).value


@pytest.mark.parametrize("count", [2, 3, 6])
def test_coefficients_equal_those_of_statsmodels_and_krippendorff(count):
    random = np.random.default_rng(count)
    for items in (7, 40, 300):
        whole = drawn(random, items, count)
        if count == 2:
            table = np.zeros((5, 5))
            np.add.at(table, (whole[:, 0], whole[:, 1]), 1)
            kappa = cohens_kappa(table).kappa
        else:
            kappa = statsmodels_fleiss(aggregate_raters(whole)[0])
        assert coefficients(whole)[1] == pytest.approx(kappa, abs=1e-12)
        holes = drawn(random, items, count, missing=0.25)
        other = krippendorff.alpha(np.where(holes < 0, np.nan, holes).T, level_of_measurement="nominal")
        assert coefficients(holes)[2] == pytest.approx(other, abs=1e-12)


def test_the_verb_prints_the_oracles_numbers(annotators):
    one, other = annotators["ana"], annotators["ben"]
    found = rows(agree(one, other, convention="difficulty"))
    for column in ("upos", "deprel"):  # krippendorff needs much memory for many values
        both = codes(one, other, column)
        table = np.zeros((both.max() + 1,) * 2)
        np.add.at(table, (both[:, 0], both[:, 1]), 1)
        assert found[column]["kappa"] == pytest.approx(cohens_kappa(table).kappa, abs=1e-9)
        alpha = krippendorff.alpha(both.T.astype(float), level_of_measurement="nominal")
        assert found[column]["alpha"] == pytest.approx(alpha, abs=1e-9)
        assert found[column]["observed"] == pytest.approx(100 * (both[:, 0] == both[:, 1]).mean())


def test_left_out_units_are_left_out():
    random = np.random.default_rng(0)
    table, units = drawn(random, 200, 3, missing=0.1), np.arange(200) // 8
    made = agreement(table, units)
    left = [coefficients(table[units != unit])[2] for unit in range(25)]
    error = np.sqrt(24 / 25 * ((np.array(left) - made.value[2]) ** 2).sum())
    assert made.standard_error[2] == pytest.approx(error)
    binary = class_agreement(table, units, 1).value[2]
    assert binary == pytest.approx(coefficients(np.where(table < 0, -1, table == 1) + 0)[2])


def test_observed_agreement_on_head_and_relation_is_las(annotators):
    result = agree(annotators["ana"], annotators["ben"], convention="difficulty")
    las = score(annotators["ana"], annotators["ben"], convention="difficulty")
    assert rows(result)["head+deprel"]["observed"] == pytest.approx(las["ben"]["LAS"].f1)
    both = [row for row in result.attached["scores"].rows if row["metric"].startswith("LAS")]
    assert [(row["gold"], row["system"]) for row in both] == [("ana", "ben"), ("ben", "ana")]
    assert both[0]["score"] == pytest.approx(las["ben"]["LAS"].f1)


def forest(heads, labels, root=0):
    return tuple((labels[i], forest(heads, labels, i + 1)) for i, head in enumerate(heads) if head == root)


def size(trees):
    return sum(1 + size(below) for _, below in trees)


@cache
def edits(first, second):
    """Tree edit distance by its definition."""
    if not first or not second:
        return size(first) + size(second)
    (a, below_a), (b, below_b) = first[-1], second[-1]
    return min(
        edits(first[:-1] + below_a, second) + 1,
        edits(first, second[:-1] + below_b) + 1,
        edits(first[:-1], second[:-1]) + edits(below_a, below_b) + (a != b),
    )


def random_tree(random, words):
    order = random.permutation(words) + 1
    heads = np.zeros(words, np.int32)
    for place in range(1, words):
        heads[order[place] - 1] = order[random.integers(place)]
    return heads, random.integers(3, size=words).astype(np.int32)


def test_tree_edit_distance_is_that_of_its_definition():
    random = np.random.default_rng(4)
    trees = [random_tree(random, int(random.integers(1, 8))) for _ in range(25)]
    offsets = np.cumsum([0, *(len(heads) for heads, _ in trees)]).astype(np.int32)
    nodes = postorder(
        np.concatenate([heads for heads, _ in trees]), np.concatenate([labels for _, labels in trees]), offsets
    )
    first, second = (one.ravel().astype(np.int32) for one in np.indices((25, 25)))
    found = distances(*nodes, offsets, first, *nodes, offsets, second)
    shapes = [forest(tuple(h.tolist()), tuple(x.tolist())) for h, x in trees]
    expected = [edits(shapes[i], shapes[j]) for i, j in zip(first, second, strict=True)]
    assert found.tolist() == expected


def test_alpha_of_trees_by_hand():
    # Two sentences of two words; one annotator gives the second word of the first another relation.
    head, offsets = np.array([0, 1, 0, 1], np.int32), np.array([0, 2, 4], np.int32)
    items = np.arange(2, dtype=np.int32)
    one = AnnotatedTrees(head, np.array([0, 1, 0, 2], np.int32), offsets, items)
    other = AnnotatedTrees(head, np.array([0, 3, 0, 2], np.int32), offsets, items)
    # Distances: 1 within the first sentence, 0 within the second, 1 in all four pairs between.
    alpha = tree_alpha([one, other], np.arange(2)).value[0]
    observed, expected = (2 * 1 / 1) / 4, 5 / 6
    assert alpha == pytest.approx(1 - observed / expected)
    assert tree_alpha([one, one], np.arange(2)).value[0] == 1


def test_few_units_get_no_interval_and_a_reason(annotators):
    few = agree(annotators["ana"][:9], annotators["ben"][:9], units="sentences")
    assert "no interval: 9 sentences, needs at least 10" in str(few)
    assert all(row["alpha_low"] is None for row in few.rows)
    some = agree(annotators["ana"][:15], annotators["ben"][:15], units="sentences")
    assert rows(some)["upos"]["alpha_low"] is not None
    assert rows(some)["trees"]["alpha_low"] is None
    assert "no interval of alpha of trees: 15 sentences, needs at least 40" in str(some)


def test_identical_annotations_agree_and_have_no_interval(annotators):
    same = agree(dict.fromkeys(("a", "b", "c"), annotators["ana"]))
    assert {row["observed"] for row in same.rows} == {100}
    assert all(row["alpha"] in (1, None) and row["alpha_low"] is None for row in same.rows)
    assert same.attached["confusions"].rows == []


WORD = "{}\t{}\t{}\t{}\t_\t_\t{}\t{}\t_\t_\n"


def sentence(words, name):
    lines = [WORD.format(i, *word) for i, word in enumerate(words, 1)]
    return f"# sent_id = {name}\n" + "".join(lines) + "\n"


SEE = [("I", "I", "PRON", 2, "nsubj"), ("see", "see", "VERB", 0, "root"), ("it", "it", "PRON", 2, "obj")]
ONE = sentence(SEE, "s1")


def test_words_that_one_annotator_splits_are_listed_and_the_rest_is_compared():
    whole = sentence([("cannot", "can", "AUX", 2, "aux"), ("go", "go", "VERB", 0, "root")], "s1")
    split = sentence(
        [("can", "can", "AUX", 3, "aux"), ("not", "not", "PART", 3, "advmod"), ("go", "go", "VERB", 0, "root")], "s1"
    )
    made = agree(a := parse_conllu(whole, name="a"), parse_conllu(split, name="b"), disagreements=True)
    found = rows(made)
    assert found["upos"]["items"] == 1  # "go"
    assert found["tokens"]["items"] == 7  # boundaries inside "cannotgo"
    assert found["tokens"]["observed"] == pytest.approx(100 * 6 / 7)
    listed = made.attached["disagreements"].rows
    words = {row["form"]: (row["a"], row["b"]) for row in listed if row["layer"] == "words"}
    assert words == {
        "cannot": ("cannot", "no such word"),
        "can": ("no such word", "can"),
        "not": ("no such word", "not"),
    }
    assert a.name == "a"


def test_missing_sentences_are_matched_by_id_and_missing_columns_left_out():
    two = ONE.replace("# sent_id = s1", "# sent_id = s2").replace("it", "him")
    other = ONE.replace("PRON\t_\t_\t2\tobj", "DET\t_\t_\t2\tiobj")
    result = agree(parse_conllu(ONE + two, name="a"), parse_conllu(other, name="b"), disagreements=True)
    found = rows(result)
    assert "sentences" not in found  # ids say where they end
    assert found["upos"]["items"] == 3
    assert "xpos" not in found
    assert "left out: 1 sentences that only one annotator has" in str(result)
    listed = [(row["layer"], row["a"], row["b"]) for row in result.attached["disagreements"].rows]
    assert sorted(listed) == [("deprel", "obj", "iobj"), ("upos", "PRON", "DET")]


def test_systematic_confusions_come_first():
    def annotation(tags):
        text = ""
        for number, (form, tag) in enumerate(tags):
            text += sentence([(form, form, tag, 0, "root")], f"s{number}")
        return text

    # "that" is SCONJ for one and PRON for the other, always; NOUN and VERB are mixed both ways.
    forms = ["that"] * 4 + [f"w{i}" for i in range(10)]
    one = ["SCONJ"] * 4 + ["NOUN", "VERB"] * 5
    two = ["PRON"] * 4 + ["VERB", "NOUN"] * 5
    result = agree(
        parse_conllu(annotation(zip(forms, one, strict=True)), name="a"),
        parse_conllu(annotation(zip(forms, two, strict=True)), name="b"),
        disagreements=True,
    )
    listed = result.attached["disagreements"].rows
    assert [row["form"] for row in listed[:4]] == ["that"] * 4
    assert (listed[0]["alike"], listed[0]["same_form"], listed[4]["alike"]) == (4, 4, 5)
    most = result.attached["confusions"].rows[0]
    assert (most["count"], most["reverse"]) == (5, 5)


def test_three_annotators_of_whom_one_lacks_sentences(annotators):
    part = annotators["cho"][:60]
    three = agree(annotators["ana"], annotators["ben"], part, by="upos", units="sentences")
    both = np.full((annotators["ana"].n_words, 3), -1)
    both[:, :2] = codes(annotators["ana"], annotators["ben"], "upos")
    names: dict[str, int] = {}
    for column, name in enumerate(("ana", "ben")):
        names |= dict(zip(annotators[name]["upos"].to_list(), both[:, column], strict=True))
    both[: part.n_words, 2] = [names[v] for v in part["upos"].to_list()]
    alpha = krippendorff.alpha(np.where(both < 0, np.nan, both).T, level_of_measurement="nominal")
    assert rows(three)["upos"]["alpha"] == pytest.approx(alpha)
    complete = statsmodels_fleiss(aggregate_raters(both[: part.n_words])[0])
    assert rows(three)["upos"]["kappa"] == pytest.approx(complete)
    classes = rows(three.attached["classes"], "class")
    assert classes["NOUN"]["specific_low"] < classes["NOUN"]["specific"]
    assert len(three.attached["scores"].rows) == 12


def test_the_command_writes_the_work_list(tmp_path, annotators):
    paths = []
    for name in ("ana", "ben"):
        paths.append(tmp_path / f"{name}.conllu")
        write_conllu(annotators[name], paths[-1])
    out = tmp_path / "work.csv"
    done = invoke(["agree", *map(str, paths), "--disagreements", "-o", str(out)])
    assert done.exit_code == 0
    with out.open(newline="", encoding="utf-8") as file:
        listed = list(csv.DictReader(file))
    assert {"sent_id", "word", "form", "layer", "ana", "ben", "line"} <= listed[0].keys()
    line = paths[0].read_text("utf-8").split("\n")[int(listed[0]["line"]) - 1]
    assert line.split("\t")[1] == listed[0]["form"]
    content = json.loads(invoke(["agree", *map(str, paths), "--format", "json"]).stdout)
    assert content["kind"] == "agreement"
    assert {"rows", "notes", "scores", "confusions"} <= content.keys()


def test_what_cannot_be_compared_is_refused(annotators):
    with pytest.raises(TreegaugeError, match="expected at least two of the same sentences"):
        agree(annotators["ana"])
    with pytest.raises(TreegaugeError, match="expected at least two files"):
        agree()
    with pytest.raises(TreegaugeError, match="no sentence was annotated twice"):
        agree(parse_conllu(ONE, name="a"), parse_conllu(ONE.replace("s1", "s2") + ONE.replace(
            "see", "saw").replace("s1", "s3"), name="b"))  # fmt: skip
    with pytest.raises(TreegaugeError, match="cannot be matched by sent_id"):
        bare = ONE.replace("# sent_id = s1\n", "").replace("see", "saw")
        agree(parse_conllu(ONE, name="a"), parse_conllu(bare, name="b"))
    with pytest.raises(TreegaugeError, match="layer with classes"):
        agree(annotators["ana"], annotators["ben"], by="lemma")
    with pytest.raises(TreegaugeError, match="no '# newdoc' comment that marks documents"):
        agree(parse_conllu(ONE, name="a"), parse_conllu(ONE, name="b"), units="documents")


def test_two_releases_of_a_real_treebank_can_be_compared(ud):
    files = [ud / release / "UD_Latin-Perseus" / "la_perseus-ud-test.conllu" for release in ("r2.5", "r2.9")]
    if not all(file.exists() for file in files):
        pytest.skip("no two releases of UD_Latin-Perseus")
    found = rows(agree(f"old={files[0]}", f"new={files[1]}", units="sentences"))
    assert 99 < found["upos"]["observed"] < 100
    assert found["words"]["kappa"] is None  # no multiword tokens: chance agreement is perfect
