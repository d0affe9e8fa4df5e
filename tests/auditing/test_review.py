"""The verb ``review``: items of all kinds in one list, decisions, and a diff that git applies."""

import csv
import math
import shutil
import subprocess
from dataclasses import replace
from io import StringIO

import pytest

import treegauge as tg
from treegauge.auditing.changes.unified_diff import FileText
from treegauge.auditing.review import review
from treegauge.auditing.work_items import COLUMNS, WorkFile, WorkItem, corrected, fused, parse_values, write_values
from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, write_conllu

ROWS = [
    ("The", "DET", 2, "det"), ("old", "NOUN", 3, "nsubj"), ("see", "VERB", 0, "root"),
    ("a", "DET", 5, "det"), ("house", "NOUN", 3, "obj"), (".", "PUNCT", 3, "punct"),
]  # fmt: skip


def sentence(name, rows=ROWS, **changed):
    """Return a sentence with other heads or relations of words: ``w5=(2, "nmod")``."""
    lines = [f"# sent_id = {name}", f"# text = {' '.join(row[0] for row in rows)}"]
    for number, (form, tag, *annotated) in enumerate(rows, 1):
        head, deprel = changed.get(f"w{number}", annotated)
        lines.append(f"{number}\t{form}\t{form.lower()}\t{tag}\t_\t_\t{head}\t{deprel}\t_\t_")
    return "\n".join(lines) + "\n\n"


def written(path, *sentences):
    path.write_text("".join(sentences), encoding="utf-8")
    return path


def only(found, kind):
    return [item for item in found.items if kind in item.kind.split("+")]


@pytest.fixture
def home(tmp_path):
    """A file whose second sentence repeats the first with one other head, and others' annotation of it."""
    other = [(form.upper(), *rest) for form, *rest in ROWS]
    written(
        tmp_path / "xx_a-ud-train.conllu",
        sentence("s1"),
        sentence("s2", w5=(2, "nmod")),
        sentence("s3", other).replace("PUNCT", "PUNC"),
    )
    written(tmp_path / "bob.conllu", sentence("s1", w2=(3, "obj")), sentence("s2"), sentence("s3", other))
    written(tmp_path / "parser.conllu", sentence("s1"), sentence("s2"), sentence("s3", other, w4=(3, "det")))
    header = "sentence,sent_id,word,form,upos,head,deprel,of,instead,p_gold,p_instead,score"
    row = "2,s2,5,house,NOUN,2,nmod,relation,obj,0.1,0.8,4.0"
    (tmp_path / "look.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    (tmp_path / "checks.toml").write_text(CHECKS, encoding="utf-8")
    return tmp_path


CHECKS = """[[check]]
name = "modified-subject"
find = "deprel=nmod < deprel=nsubj"
message = "a noun that modifies a subject"
hint = "See page 3."
"""
KINDS = {"candidates", "consistency", "duplicates", "parser", "annotator", "check", "own check"}


def everything(home, **options):
    return review(
        home / "xx_a-ud-train.conllu", findings=[home / "look.csv"], parsers=[home / "parser.conllu"],
        annotators=[f"bob={home / 'bob.conllu'}"], **options,
    )  # fmt: skip


def test_all_kinds_are_in_one_list_and_what_several_found_comes_first(home):
    found = everything(home)
    # Only a word with errors of validation comes before the one that four others find.
    assert {(item.sent_id, item.word) for item in found.items[:3]} == {("s3", 6)}
    first = found.items[3]
    assert (first.sent_id, first.word, first.form) == ("s2", 5, "house")
    assert (first.annotated, first.proposed) == ("head=2 deprel=nmod", "head=3 deprel=obj")
    assert set(first.kind.split("+")) >= {"duplicates", "parser", "annotator"}
    (candidate,) = only(found, "candidates")
    assert candidate.proposed == "deprel=obj"
    assert [item.proposed for item in only(found, "annotator") if item.sent_id == "s1"] == ["deprel=obj"]
    assert sorted((item.sent_id, item.word, item.proposed) for item in only(found, "parser")) == [
        ("s2", 5, "head=3 deprel=obj"), ("s3", 4, "head=3"),
    ]  # fmt: skip
    kinds = {kind for item in found.items for kind in item.kind.split("+")}
    assert kinds == KINDS
    (own,) = only(found, "own check")
    assert (own.sent_id, own.word, own.proposed) == ("s2", 5, "")
    assert own.reason.startswith("warning modified-subject: found a noun that modifies a subject, expected")
    assert own.reason.endswith("; See page 3.")
    assert all("parser" in item.kind for item in everything(home, kinds="parser").items)


def test_scores_are_estimated_chances(home):
    """Sums of weights by hand: a source adds its own, a rank takes .14 per doubling in 1,000 words."""
    file = home / "xx_a-ud-train.conllu"
    found = review(file, parsers=[home / "parser.conllu"], kinds="parser")
    words = read_conllu(file).n_words
    for rank, item in enumerate(found.items, 1):
        odds = -3.81 + 0.72 - 0.14 * math.log2(1 + 1000 * rank / words)
        assert item.score == pytest.approx(1 / (1 + math.exp(-odds)))


def test_sources_of_a_word_are_added_whatever_they_propose():
    plain = WorkItem("check", "f", 1, 1, "s", "t", "k1", 1, "go", "", "", "error leaf-cc: found cc, expected x", 9.0)
    other = replace(plain, kind="consistency", key="k2", proposed="head=2", reason="elsewhere")
    warning = replace(plain, word=2, line=2, score=8.0, reason="warning new-test: found a, expected b")
    found = fused([[plain, warning], [other], [replace(other, line=3, word=3)]], 1000)
    odds = [-3.81 + 2.89 + 0.36 + 0.52] * 2 + [-3.81 + 0.52, -3.81 - 1.75]
    assert [(item.word, item.kind) for item in found] == [
        (1, "check"), (1, "consistency"), (3, "consistency"), (2, "check")
    ]  # fmt: skip
    assert [item.score for item in found] == pytest.approx([1 / (1 + math.exp(-one)) for one in odds])


def decide(path, decisions, out, who):
    """Write a copy of a list with decisions by sentence, word and proposal."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        for (sent_id, word, proposed), values in decisions.items():
            if (row["sent_id"], row["word"], row["proposed"]) == (sent_id, word, proposed):
                row |= {"who": who, **values}
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out


HOUSE = ("s2", "5", "head=3 deprel=obj")
OLD = ("s1", "2", "deprel=obj")


def test_accepted_items_are_a_diff_that_git_applies(home):
    list_file, patch = home / "list.tsv", home / "out.patch"
    everything(home).save(list_file)
    edited = {HOUSE: {"decision": "accept"}, OLD: {"decision": "accept", "edit": "deprel=nsubj:pass"}}
    decide(list_file, edited, home / "ann.tsv", "ann")
    everything(home, decisions=[home / "ann.tsv"]).save(patch)
    before = (home / "xx_a-ud-train.conllu").read_bytes()
    subprocess.run(["git", "apply", "out.patch"], cwd=home, check=True)
    after = (home / "xx_a-ud-train.conllu").read_bytes()
    expected = before.replace(b"\t2\tnmod\t", b"\t3\tobj\t")
    expected = expected.replace(b"2\told\told\tNOUN\t_\t_\t3\tnsubj\t", b"2\told\told\tNOUN\t_\t_\t3\tnsubj:pass\t", 1)
    assert after == expected != before


def test_a_rejected_item_does_not_come_back_in_the_next_release(home):
    list_file = home / "list.tsv"
    everything(home).save(list_file)
    decide(list_file, {HOUSE: {"decision": "reject", "comment": "a house of the old"}}, home / "ann.tsv", "ann")
    again = everything(home, decisions=[home / "ann.tsv"])
    keys = {(item.sent_id, item.word, item.proposed) for item in again.items}
    assert ("s2", 5, "head=3 deprel=obj") not in keys
    assert len(again) == len(everything(home)) - 1
    # A new release: another sent_id, and a sentence before it.
    text = (home / "xx_a-ud-train.conllu").read_text(encoding="utf-8").replace("sent_id = s2", "sent_id = new-2")
    (home / "xx_a-ud-train.conllu").write_text(sentence("s0", ROWS[:2], w2=(0, "root")) + text, encoding="utf-8")
    later = everything(home, decisions=[home / "ann.tsv"])
    assert not [one for one in later.items if one.sent_id == "new-2" and one.proposed == "head=3 deprel=obj"]
    shown = everything(home, decisions=[home / "ann.tsv"], all=True)
    assert [one.comment for one in shown.items if one.decision == "reject"] == ["a house of the old"]
    # The decision stays in the file that is written, for the release after that.
    merged = home / "merged.tsv"
    everything(home, decisions=[home / "ann.tsv"], write_decisions=merged)
    assert len(everything(home, decisions=[merged])) == len(later)


def test_another_annotation_or_proposal_is_asked_again(home):
    list_file = home / "list.tsv"
    everything(home).save(list_file)
    decide(list_file, {HOUSE: {"decision": "reject"}}, home / "ann.tsv", "ann")
    text = (home / "xx_a-ud-train.conllu").read_text(encoding="utf-8").replace("2\tnmod", "2\tacl")
    (home / "xx_a-ud-train.conllu").write_text(text, encoding="utf-8")
    again = everything(home, decisions=[home / "ann.tsv"])
    assert ("s2", 5, "head=2 deprel=acl") in {(one.sent_id, one.word, one.annotated) for one in again.items}


def test_two_people_are_merged_and_what_they_decided_differently_is_open_again(home):
    list_file, files = home / "list.tsv", [home / "ann.tsv", home / "bob.tsv"]
    everything(home).save(list_file)
    decide(list_file, {HOUSE: {"decision": "accept"}, OLD: {"decision": "reject"}}, files[0], "ann")
    decide(list_file, {HOUSE: {"decision": "accept"}, OLD: {"decision": "accept"}}, files[1], "bob")
    merged = everything(home, decisions=files)
    by_place = {(one.sent_id, str(one.word), one.proposed): one for one in merged.items}
    assert (by_place[HOUSE].decision, by_place[HOUSE].who) == ("accept", "ann+bob")
    assert by_place[OLD].decision == ""
    assert "decided differently (ann: reject, bob: accept)" in by_place[OLD].reason
    merged.save(home / "merged.tsv")
    settled = decide(home / "merged.tsv", {OLD: {"decision": "reject"}}, home / "settled.tsv", "carl")
    final = everything(home, decisions=[settled])
    assert OLD not in {(one.sent_id, str(one.word), one.proposed) for one in final.items}


def test_git_merges_the_files_of_two_people(home):
    """Each decides other items in a copy of one file; the result has both."""

    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=home, check=True,
                       capture_output=True)  # fmt: skip

    everything(home).save(home / "list.tsv")
    git("init", "-q", "-b", "main")
    git("add", "list.tsv")
    git("commit", "-qm", "list")
    shutil.copy(home / "list.tsv", home / "base.tsv")
    lines = (home / "list.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    for who, row in (("ann", 1), ("bob", len(lines) - 1)):
        git("checkout", "-q", "-b", who, "main")
        own = list(lines)
        cells = own[row].rstrip("\n").split("\t")
        cells[list(COLUMNS).index("decision")], cells[list(COLUMNS).index("who")] = "reject", who
        own[row] = "\t".join(cells) + "\n"
        (home / "list.tsv").write_text("".join(own), encoding="utf-8")
        git("commit", "-qam", who)
    git("merge", "-q", "ann")
    assert len(everything(home, decisions=[home / "list.tsv"])) == len(lines) - 1 - 2


def test_a_sentence_that_would_not_be_a_tree_is_left_out(home):
    treebank = home / "xx_a-ud-train.conllu"
    found = review(treebank, parsers=[home / "parser.conllu"], kinds="parser")
    file = found.files[0]
    cycle = file.item("parser", 2, {"head": 5, "deprel": "dep"}, "why", 1.0)  # see, whose child house is
    new, said = corrected(file, [replace(cycle, decision="accept")])
    assert new.data == file.source.data
    assert said == ["xx_a-ud-train.conllu, sentence s1: left out, since its heads would not be a tree"]
    outside = replace(cycle, decision="accept", edit="head=99")
    assert corrected(file, [outside])[0].data == file.source.data
    house = file.item("parser", 4, {"head": 0, "deprel": "root"}, "why", 1.0)
    both = [replace(one, decision="accept") for one in (cycle, house)]
    new, said = corrected(file, both)
    assert said == []
    assert b"3\tsee\tsee\tVERB\t_\t_\t5\tdep\t" in new.data
    assert b"5\thouse\thouse\tNOUN\t_\t_\t0\troot\t" in new.data


def test_the_terminal_asks_and_decisions_are_written(home, command):
    out = home / "ann.tsv"
    answers = "h 2\nl nmod:poss\nc sure\nb\na\nr\nx\ns\nq\n"
    words = ["review", home / "xx_a-ud-train.conllu", "--parsers", home / "parser.conllu", "--kinds", "parser"]
    done = command(*words, "--ask", "--who", "ann", "--write-decisions", out, stdin=answers.encode())
    assert done.code == 0, done.err
    assert "» 5 house" in done.err
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    told = {(row["sent_id"], row["word"]): (row["decision"], row["edit"], row["comment"], row["who"]) for row in rows}
    assert told == {
        ("s3", "4"): ("accept", "head=2 deprel=nmod:poss", "sure", "ann"),
        ("s2", "5"): ("reject", "", "", "ann"),
    }
    done = command(*words, "--decisions", out, "-o", home / "out.patch")
    assert done.code == 0, done.err
    assert "+4\tA\ta\tDET\t_\t_\t2\tnmod:poss\t_\t_" in (home / "out.patch").read_text(encoding="utf-8")


def test_other_columns_of_annotators_and_words_that_they_lack(home):
    lines = sentence("s1").replace("2\told\told\tNOUN", "2\told\told\tADJ").replace("house\thouse", "house\thome")
    shorter = [*ROWS[:4], ("hou", "NOUN", 3, "obj"), ("se.", "PUNCT", 3, "punct")]
    second = sentence("s2", shorter).replace("# text = The old see a hou se.", "# text = The old see a house .")
    written(home / "bob.conllu", lines, second)
    found = review(home / "xx_a-ud-train.conllu", annotators={"bob": home / "bob.conllu"}, kinds="annotator")
    assert {(one.sent_id, one.annotated, one.proposed) for one in found.items} == {
        ("s1", "upos=NOUN", "upos=ADJ"), ("s1", "lemma=house", "lemma=home"), ("s2", "", ""),
    }  # fmt: skip
    assert {one.form for one in found.items if not one.proposed} == {"house", "."}
    assert all("bob" in one.reason for one in found.items)


def test_folders_have_a_diff_per_file(home):
    folder = home / "UD_X-A"
    folder.mkdir()
    for split, name in (("train", "t"), ("test", "u")):
        write_conllu(synthetic(12, seed=len(split), prefix=name), folder / f"xx_a-ud-{split}.conllu")
    whole = tg.concat([read_conllu(path) for path in sorted(folder.iterdir(), reverse=True)])
    relations = ["dislocated" if one == "obj" else one for one in whole["deprel"]]
    parsed = whole.with_columns({"deprel": relations})
    found = review(folder, parsers={"p": parsed}, kinds="parser", count=10**6)
    assert len(found) == (whole["deprel"] == "obj").sum()
    accepted = "".join(line for line in tsv(found, lambda row: row | {"decision": "accept"}))
    (home / "all.tsv").write_text(accepted, encoding="utf-8")
    review(folder, parsers={"p": parsed}, kinds="parser", decisions=[home / "all.tsv"], count=10**6).save(
        home / "a.patch"
    )
    subprocess.run(["git", "apply", str(home / "a.patch")], cwd=folder, check=True)
    after = tg.concat([read_conllu(path) for path in sorted(folder.iterdir(), reverse=True)])
    assert after["deprel"].to_list() == relations


def tsv(found, change):
    stream = StringIO()
    writer = csv.DictWriter(stream, COLUMNS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(change(item.to_row()) for item in found.items)
    yield stream.getvalue()


def test_validation_is_asked_about_words_and_sentences(home):
    bad = sentence("s9").replace("# text = The old see a house .\n", "").replace("\tNOUN\t", "\tNOON\t", 1)
    path = written(home / "bad.conllu", bad)
    found = review(path, kinds="check")
    told = {(one.word, one.form): one.reason for one in found.items}
    assert "unknown-upos" in told[2, "old"]
    assert any(word == 0 and "missing-text" in reason for (word, _), reason in told.items())


@pytest.mark.parametrize(
    ("cell", "why"),
    [("head=x", "position of a word"), ("upos=", "such as"), ("misc=1", "such as"), ("head=1 x", "such as")],
)
def test_edits_that_cannot_be_applied_are_refused(home, cell, why):
    everything(home).save(home / "list.tsv")
    decide(home / "list.tsv", {HOUSE: {"decision": "accept", "edit": cell}}, home / "ann.tsv", "ann")
    with pytest.raises(TreegaugeError, match=why):
        everything(home, decisions=[home / "ann.tsv"])


def test_tables_of_something_else_are_refused(home):
    (home / "scores.csv").write_text("treebank,system,LAS\nA,b,80.1\n", encoding="utf-8")
    with pytest.raises(TreegaugeError, match="expected candidates of map, problems of check, or a work list"):
        review(home / "xx_a-ud-train.conllu", findings=[home / "scores.csv"])


def test_values_are_written_and_read():
    for values in ({"head": "3", "deprel": "a:b"}, {"feats": "A=B|C=D"}, {"lemma": "a = b c"}, {}):
        assert parse_values(write_values(values)) == values


def test_a_work_list_can_be_added_to_another(home):
    found = review(home / "xx_a-ud-train.conllu", parsers=[home / "parser.conllu"], kinds="parser")
    found.save(home / "rest.json")
    again = review(home / "xx_a-ud-train.conllu", findings=[home / "rest.json"], kinds="parser")
    assert [(one.key, one.line, one.proposed, one.reason) for one in again.items] == [
        (one.key, one.line, one.proposed, one.reason) for one in found.items
    ]


def test_keys_do_not_depend_on_positions():
    longer = [("Now", "ADV", 4, "advmod"), *[(form, tag, head + (head > 0), rel) for form, tag, head, rel in ROWS]]
    keys = []
    for rows, word, head in ((ROWS, 4, 2), (longer, 5, 3)):  # house, attached to old
        data = sentence("s", rows).encode()
        file = WorkFile(FileText("a.conllu", data), parse_conllu(data))
        keys.append(file.item("x", word, {"head": head}, "", 1.0).key)
    assert keys[0] == keys[1]
