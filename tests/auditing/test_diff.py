"""``treegauge diff``: what was changed on purpose is what it reports."""

import json
import subprocess
import sys
from collections import Counter

import pytest

import treegauge as tg
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

TREEBANK = synthetic(120, seed=5)


def sentence(name, *rows):
    """Return one sentence: rows of form, head and relation."""
    lines = [f"# sent_id = {name}", f"# text = {' '.join(row[0] for row in rows)}"]
    for number, (form, head, deprel) in enumerate(rows, 1):
        lines.append(f"{number}\t{form}\t{form}\tX\t_\t_\t{head}\t{deprel}\t_\t_")
    return "\n".join(lines) + "\n\n"


def rows(result, name, key):
    return {row[key]: row for row in result.attached[name].rows}


def sentences(result):
    return {row["sentences"]: (row["old"], row["new"]) for row in result.attached["sentences"].rows}


@pytest.fixture
def two(tmp_path):
    """Return an old and a new file: one relation renamed everywhere, two heads corrected."""
    relations = ["subject" if one == "nsubj" else one for one in TREEBANK["deprel"].to_list()]
    heads = TREEBANK.head.copy()
    roots = (TREEBANK.head == 0).nonzero()[0] - TREEBANK.offsets[:-1] + 1
    expected = roots[TREEBANK.sentence_of]
    deep = (TREEBANK.head > 0) & (TREEBANK.head != expected)
    words = deep.nonzero()[0][:2]
    heads[words] = expected[words]
    new = TREEBANK.with_columns({"deprel": relations, "head": heads.tolist()})
    paths = tmp_path / "old.conllu", tmp_path / "new.conllu"
    write_conllu(TREEBANK, paths[0])
    write_conllu(new, paths[1])
    return paths


def test_nothing_changed():
    result = tg.diff(TREEBANK, TREEBANK)
    assert sentences(result) == {"unchanged": (120, 120), "all": (120, 120)}
    assert result.table.is_empty()
    assert result.to_patch() == b""
    assert not result.attached["rules"].rows


def test_changes_are_counted_by_layer_class_and_pattern(two):
    result = tg.diff(*two, by="deprel")
    subjects = (TREEBANK["deprel"] == "nsubj").sum()
    layers = rows(result, "layers", "layer")
    assert layers["deprel"]["changed"] == layers["deprel"]["systematic"] == subjects
    assert (layers["head"]["changed"], layers["head"]["single"]) == (2, 2)
    assert layers["upos"]["changed"] == 0
    (rule,) = result.attached["rules"].rows
    assert rule == {
        "layer": "deprel", "where": "", "old": "nsubj", "new": "subject",
        "changed": subjects, "places": subjects, "percent": 100.0,
    }  # fmt: skip
    assert rows(result, "classes", "class")["nsubj"]["deprel"] == subjects
    assert sum(row["changed"] for row in result.attached["patterns"].rows) == 2
    assert result.table.filter(layer="deprel")["kind"].unique().to_list() == ["systematic"]
    assert result.table.filter(layer="head")["kind"].to_list() == ["single", "single"]


def test_features_are_compared_one_by_one():
    feats = TREEBANK["feats"].to_list()
    new = [one.replace("Number=Sing", "Number=Coll") for one in feats]
    result = tg.diff(TREEBANK, TREEBANK.with_columns({"feats": new}))
    assert set(result.table["old"]) == {"Number=Sing"}
    assert set(result.table["new"]) == {"Number=Coll"}
    assert len(result.table) == sum("Number=Sing" in one for one in feats)


def test_sentences_are_matched_by_id_text_and_similarity():
    first, second, rest = TREEBANK[:1], TREEBANK[1:2], TREEBANK[2:]
    renamed = parse_conllu(first.to_bytes().replace(b"# sent_id = ", b"# sent_id = new-"))
    result = tg.diff(TREEBANK, concat([rest, second, renamed]))
    assert sentences(result) == {
        "unchanged": (119, 119), "changed": (1, 1), "all": (120, 120),
        "re-ordered": (2, 2), "new sent_id": (1, 1),
    }  # fmt: skip
    result = tg.diff(TREEBANK, rest)
    assert sentences(result)["deleted"] == (2, 0)
    assert tg.diff(rest, TREEBANK).pairs.sentences.inserted == [0, 1]


def test_an_edited_text_is_the_same_sentence_whatever_its_id():
    words = [(form, 0 if i == 0 else 1, "dep") for i, form in enumerate("these are six words of old".split())]
    old = parse_conllu(sentence("a", *words))
    new = parse_conllu(sentence("b", *words[:-1], ("new", 1, "dep")))
    result = tg.diff(old, new)
    assert sentences(result)["text changed"] == (1, 1)
    assert result.table.select("layer", "old", "new").rows() == [("form", "old", "new"), ("lemma", "old", "new")]


def test_split_merged_and_retokenised_sentences_are_said_so():
    one = [("Stop", 0, "root"), ("now", 1, "advmod")]
    two = [("Go", 0, "root"), ("on", 1, "advmod")]
    joined = [*one, ("Go", 1, "parataxis"), ("on", 3, "advmod")]
    whole = parse_conllu(sentence("a", *joined))
    parts = parse_conllu(sentence("a", *one) + sentence("b", *two))
    assert sentences(tg.diff(whole, parts))["split"] == (1, 2)
    assert sentences(tg.diff(parts, whole))["merged"] == (2, 1)
    assert tg.diff(whole, parts).pairs.new_words.tolist() == [0, 1, 2, 3]
    other = parse_conllu(sentence("a", ("Stopnow", 0, "root"), *joined[2:]).replace("\t3\t", "\t2\t"))
    assert sentences(tg.diff(whole, other))["re-tokenised"] == (1, 1)


def test_renumbered_sentences_are_not_mixed_up():
    texts = ["alpha beta gamma", "delta epsilon zeta", "eta theta iota", "kappa lambda mu"]
    made = [[(form, 0 if i == 0 else 1, "dep") for i, form in enumerate(text.split())] for text in texts]
    old = parse_conllu("".join(sentence(i, *one) for i, one in enumerate(made)))
    new = parse_conllu("".join(sentence(i, *one) for i, one in enumerate(made[1:])))
    assert tg.diff(old, new).pairs.sentences.to_new.tolist() == [-1, 0, 1, 2]


def test_json_and_csv_hold_every_change(command, two):
    content = json.loads(command("diff", *two, "--format", "json").out)
    assert content["kind"] == "diff"
    assert set(content) >= {"rows", "sentences", "layers", "classes", "rules", "patterns"}
    lines = command("diff", *two, "--format", "csv").out.splitlines()
    assert len(lines) == len(content["rows"]) + 1
    assert lines[0].startswith("sentence,sent_id,id,new_id,form,upos,layer,old,new,kind")


def test_html_has_tables_and_nothing_that_runs(tmp_path):
    old = parse_conllu(sentence("<b>", ("<script>", 0, "root"), ("x", 1, "dep")))
    new = old.with_columns({"deprel": ["root", "<i>"]})
    tg.diff(old, new).save(tmp_path / "diff.html")
    page = (tmp_path / "diff.html").read_text()
    assert "single corrections by pattern" in page
    assert "<script>" not in page
    assert "<i>" not in page


def test_a_malformed_file_is_named_by_its_path(command, two, tmp_path):
    broken = tmp_path / "broken.conllu"
    broken.write_bytes(two[1].read_bytes() + b"x\n\n")
    done = command("diff", two[0], broken)
    assert done.code == 2
    assert f"{broken}:" in done.err
    result = tg.diff(two[0], broken, errors="skip")
    assert sentences(result)["all"] == (120, 120)
    assert result.to_patch().endswith(b"+x\n+\n"), "malformed sentences are in the patch"


def test_frames_open_files_and_standard_input_are_compared_too(command, two):
    same = {"unchanged": (120, 120), "all": (120, 120)}
    assert sentences(tg.diff(TREEBANK.to_rows(), TREEBANK)) == same
    with two[0].open("rb") as one, two[0].open("rb") as other:
        assert sentences(tg.diff(one, other)) == same
    done = command("diff", "-", two[1], stdin=two[0].read_bytes())
    assert done.out.startswith("stdin -> new\n")


def test_folders_are_compared_file_by_file(tmp_path):
    for name, parts in (("r1", (80, 100)), ("r2", (90, 110))):
        folder = tmp_path / name / "UD_X-Y"
        folder.mkdir(parents=True)
        write_conllu(TREEBANK[: parts[0]], folder / "x_y-ud-train.conllu")
        write_conllu(TREEBANK[parts[0] : parts[1]], folder / "x_y-ud-dev.conllu")
        write_conllu(TREEBANK[parts[1] :], folder / "x_y-ud-test.conllu")
    old, new = tmp_path / "r1" / "UD_X-Y", tmp_path / "r2" / "UD_X-Y"
    result = tg.diff(old, new)
    assert sentences(result) == {"unchanged": (120, 120), "all": (120, 120), "in another file": (20, 20)}


def test_treebanks_without_a_common_sentence_are_noted(command, tmp_path):
    paths = [tmp_path / "a.conllu", tmp_path / "b.conllu"]
    for form, path in zip(("Ja", "Perhaps"), paths, strict=True):
        path.write_text(f"1\t{form}\t_\tX\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    assert "a and b have no sentence in common" in command("diff", *paths).err
    assert command("diff", paths[0], paths[0]).err == ""


def test_steps_grow_with_the_size_of_the_files():
    steps = []
    for copies in (4, 16):
        one = concat(
            [parse_conllu(TREEBANK.to_bytes().replace(b"# sent_id = ", b"# sent_id = %d-" % i)) for i in range(copies)]
        )
        new = one.with_columns({"deprel": ["x" + relation for relation in one["deprel"].to_list()]})
        calls = []
        sys.setprofile(lambda _frame, event, _argument, seen=calls: seen.append(event))
        try:
            assert tg.diff(one, new).to_patch()
        finally:
            sys.setprofile(None)
        steps.append(len(calls))
    assert steps[1] < 4 * 1.2 * steps[0]  # four times the size; a quadratic step would take sixteen


def test_words_added_removed_and_retokenised_by_tag():
    """By hand: "du" becomes two words, a sentence is new, and a full stop is gone."""
    cut = sentence("a", ("du", 2, "case"), ("pain", 0, "root"), (".", 2, "punct")).replace(
        "# text = du pain .", "# text = du pain."
    )
    recut = sentence("a", ("d", 3, "case"), ("u", 3, "det"), ("pain", 0, "root"), (".", 3, "punct"))
    recut = recut.replace("# text = d u pain .", "# text = du pain.")
    gone = [("Ja", 0, "root"), ("wir", 1, "nsubj"), ("gehen", 1, "obj"), ("heim", 3, "obj"), ("!", 1, "punct")]
    new = sentence("c", ("Neu", 0, "root"), ("ist", 1, "cop"))
    result = tg.diff(parse_conllu(cut + sentence("b", *gone)), parse_conllu(recut + sentence("b", *gone[:4]) + new))
    (total, *_) = result.attached["words"].rows
    assert (total["old"], total["new"]) == (8, 10)
    assert (total["added"], total["inserted"], total["into"]) == (4, 2, 2)
    assert (total["removed"], total["deleted"], total["retokenised"]) == (2, 0, 1)
    assert "8 words became 10: 4 added, 2 removed" in str(result)
    assert "2 sentences became 3: 1 added, 0 removed" in str(result)


def test_a_summary_has_features_by_name_and_enhanced_graphs_by_kind():
    values = {
        "deps": [f"{head}:{relation}" for head, relation in zip(TREEBANK.head, TREEBANK["deprel"], strict=True)],
        "deprel": ["obl:arg" if one == "obl" else one for one in TREEBANK["deprel"]],
    }
    old = TREEBANK.with_columns({"feats": ["_"] * TREEBANK.n_words, "deps": ["_"] * TREEBANK.n_words})
    new = TREEBANK.with_columns({**values, "feats": ["Case=Nom" if tag == "NOUN" else "_" for tag in TREEBANK["upos"]]})
    found = {
        (row["layer"], row["change"].partition(" (")[0]): row for row in tg.diff(old, new).attached["summary"].rows
    }
    nouns, oblique = (int((TREEBANK[c] == v).sum()) for c, v in (("upos", "NOUN"), ("deprel", "obl")))
    assert found["feats", "Case added"]["words"] == nouns
    assert found["feats", "Case added"]["mostly"] == "NOUN 100 %"
    assert found["deps", "enhanced graph added"]["words"] == TREEBANK.n_words
    assert found["deps", "enhanced graph added"]["covered"] == 100
    assert found["deprel", "obl → obl:arg"]["words"] == oblique
    assert len(found) == 3


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("2:obl", "2:obl:in", "subtypes or case markers of relations"), ("2:obl", "2:nmod", "relations"),
        ("2:obl", "2:obl|3:nsubj", "edges added"), ("2:obl|3:nsubj", "3:nsubj", "edges removed"),
        ("2:obl", "3:obl", "heads"),
    ],
)  # fmt: skip
def test_kinds_of_changed_graphs(old, new, kind):
    from treegauge.auditing.changes.change_summary import _deps_kind

    assert _deps_kind(old, new) == kind


@pytest.mark.parametrize("name", ["French-Sequoia", "Hungarian-Szeged", "Afrikaans-AfriBooms"])
def test_words_of_real_releases_equal_an_own_count_and_few_lines_cover_the_changes(ud, name):
    """Counted from the text of the files: forms of sentences at the same place, which these releases kept."""
    sides = []
    for release in ("r2.5", "r2.9"):
        sentences = {}
        for path in sorted((ud / release / f"UD_{name}").glob("*.conllu")):
            for number, block in enumerate(path.read_text(encoding="utf-8").strip().split("\n\n")):
                rows = [line.split("\t") for line in block.split("\n")]
                sentences[path.name, number] = Counter(row[1] for row in rows if row[0].isdigit())
        sides.append(sentences)
    assert sides[0].keys() == sides[1].keys()
    removed = sum((words - sides[1][place]).total() for place, words in sides[0].items())
    added = sum((words - sides[0][place]).total() for place, words in sides[1].items())
    result = tg.diff(*(ud / release / f"UD_{name}" for release in ("r2.5", "r2.9")))
    total = result.attached["words"].rows[0]
    assert (total["added"], total["removed"]) == (added, removed)
    summary = result.attached["summary"].rows
    assert len(summary) <= 30
    assert summary[-1]["covered"] >= 95


@pytest.fixture
def repository(tmp_path, two):
    """A git repository of a treebank with two tags."""
    home = tmp_path / "UD_X-A"
    home.mkdir()
    words = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*words, "init", "-q", "-b", "main"], cwd=home, check=True)
    for tag, path in zip(("r2.6", "r2.9"), two, strict=True):
        (home / "xx_a-ud-train.conllu").write_bytes(path.read_bytes())
        (home / "README.md").write_text(tag, encoding="utf-8")
        for command in (["add", "."], ["commit", "-qm", tag], ["tag", tag]):
            subprocess.run([*words, *command], cwd=home, check=True)
    return home


def test_two_tags_of_a_repository_are_compared(repository, two):
    between = tg.diff(repository, between="r2.6..r2.9")
    assert between.attached["layers"].rows == tg.diff(*two).attached["layers"].rows
    assert str(between).startswith("UD_X-A@r2.6 -> UD_X-A@r2.9\n")
    (repository / "xx_a-ud-train.conllu").write_text("later", encoding="utf-8")
    assert tg.diff(repository, between="r2.6..r2.9").table.equals(between.table)
    for wrong in ("r2.6", "r2.6..", "--output=x..r2.9", "r2.6..r3.0", "a..b..c"):
        with pytest.raises(tg.TreegaugeError, match="--between"):
            tg.diff(repository, between=wrong)
    with pytest.raises(tg.TreegaugeError, match="nothing else"):
        tg.diff(repository, repository, between="r2.6..r2.9")
    with pytest.raises(tg.TreegaugeError, match="nothing to compare with"):
        tg.diff(repository)


def test_release_notes_are_a_list_in_markdown(two, tmp_path):
    tg.diff(*two).save(tmp_path / "notes.md")
    notes = (tmp_path / "notes.md").read_text(encoding="utf-8")
    assert notes.startswith("# Changes: old -\\> new\n\n- ")
    assert f"- {TREEBANK.n_words:,} words became {TREEBANK.n_words:,}: 0 added, 0 removed" in notes
    subjects = int((TREEBANK["deprel"] == "nsubj").sum())
    assert f"- DEPREL: nsubj → subject in {subjects:,} words, for example" in notes
