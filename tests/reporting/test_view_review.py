"""The page of a work list: all kinds, by keys only, and what it exports is what treegauge reads."""

import subprocess
from pathlib import Path

import pytest

from tests.auditing.test_review import CHECKS, KINDS, ROWS, decide, everything, sentence
from treegauge.auditing.review import review
from treegauge.treebanks.data.conllu import read_conllu


@pytest.fixture(scope="module")
def home(once):
    """A folder with a treebank, what others say of it, and the page of its work list."""

    def make(out: Path) -> None:
        other = [(form.upper(), *rest) for form, *rest in ROWS]
        gold = [sentence("s1"), sentence("s2", w5=(2, "nmod")), sentence("s3", other).replace("PUNCT", "PUNC")]
        bob = [sentence("s1", w2=(3, "obj")), sentence("s2"), sentence("s3", other)]
        (out / "xx_a-ud-train.conllu").write_text("".join(gold), encoding="utf-8")
        (out / "bob.conllu").write_text("".join(bob), encoding="utf-8")
        parsed = sentence("s1") + sentence("s2") + sentence("s3", other, w4=(3, "det"))
        (out / "parser.conllu").write_text(parsed, encoding="utf-8")
        header = "sentence,sent_id,word,form,upos,head,deprel,of,instead,p_gold,p_instead,score"
        (out / "look.csv").write_text(
            f"{header}\n2,s2,5,house,NOUN,2,nmod,relation,obj,0.1,0.8,4.0\n", encoding="utf-8"
        )
        (out / "checks.toml").write_text(CHECKS, encoding="utf-8")
        everything(out).save(out / "page.html")
        everything(out).save(out / "list.tsv")

    return once("review_page", make)


def exported(page, name):
    with page.expect_download() as loading:
        page.get_by_role("button", name=name).click()
    return Path(loading.value.path()).read_bytes()


def test_all_kinds_are_on_one_page_and_are_decided_by_keys(tab, home, tmp_path):
    page = tab(home / "page.html", "#candidates", viewport={"width": 1200, "height": 1000})
    items = everything(home).items
    shown = set()
    for item in items:
        card = page.locator(".candidate")
        shown |= set(card.locator(".kind").inner_text().split(" + "))
        assert card.locator("svg.tree").count() == 1
        assert card.locator(".arc.wrong").count() == int(bool({"head", "deprel"} & item.changes.keys()))
        assert card.locator(".reason").inner_text() == item.reason
        page.keyboard.press("j")
    assert shown == KINDS
    page.keyboard.press("k")
    for _ in items:
        page.keyboard.press("k")
    page.keyboard.press("a")  # the house
    page.keyboard.press("c")
    page.keyboard.type("not sure")
    page.keyboard.press("Enter")
    page.keyboard.press("s")
    page.keyboard.press("r")
    table = exported(page, "Export decisions")
    (tmp_path / "ann.tsv").write_bytes(table)
    told = {item.key: item for item in everything(home, decisions=[tmp_path / "ann.tsv"], all=True).items}
    found = [told[item.key] for item in items]
    assert [item.decision for item in found[:4]] == ["accept", "skip", "reject", ""]
    assert [item.comment for item in found[:3]] == ["", "not sure", ""]


def test_head_and_relation_are_edited_by_keys_and_the_tree_shows_it(tab, home, tmp_path):
    number = next(i for i, item in enumerate(everything(home).items, 1) if "consistency" in item.kind)
    page = tab(home / "page.html", f"#candidates?at={number}")
    page.keyboard.press("h")
    page.keyboard.type("1")
    assert page.locator(".candidate .arc.wrong").count() == 1
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert page.locator("input[data-column=head]").input_value() == "3", "Escape keeps what was there"
    page.keyboard.press("l")
    page.keyboard.type("obl")
    assert page.locator(".candidate .arc.wrong text").text_content() == "obl"
    page.keyboard.press("Enter")
    assert f"at={number + 1}" in page.evaluate("location.href")
    patch = exported(page, "Export patch")
    (tmp_path / "out.patch").write_bytes(patch)
    gold = home / "xx_a-ud-train.conllu"
    (tmp_path / gold.name).write_bytes(gold.read_bytes())
    subprocess.run(["git", "apply", "out.patch"], cwd=tmp_path, check=True)
    after = read_conllu(tmp_path / gold.name)
    assert (int(after[1].head[4]), after[1].deprel[4]) == (3, "obl")
    assert (tmp_path / gold.name).read_bytes() == gold.read_bytes().replace(b"\t2\tnmod\t", b"\t3\tobl\t")
    # The command makes the same diff of the decisions that the page exports.
    (tmp_path / "ann.tsv").write_bytes(exported(page, "Export decisions"))
    assert everything(home, decisions=[tmp_path / "ann.tsv"]).to_patch() == patch


def test_the_page_writes_the_bytes_that_the_command_writes(tab, home):
    """So that git merges the copies of two people, whoever used the page."""
    page = tab(home / "page.html", "#candidates")
    assert exported(page, "Export decisions") == (home / "list.tsv").read_bytes()


def test_two_annotators_are_adjudicated_on_the_page(tab, home, tmp_path):
    """Both decided; where they differ the item is open again, and a third person settles it."""
    old = ("s1", "2", "deprel=obj")
    files = [
        decide(home / "list.tsv", {old: {"decision": verdict}}, tmp_path / f"{who}.tsv", who)
        for who, verdict in (("ann", "reject"), ("bob", "accept"))
    ]
    everything(home, decisions=files).save(tmp_path / "page.html")
    page = tab(tmp_path / "page.html", "#candidates")
    at = next(i for i, one in enumerate(everything(home).items) if one.proposed == "deprel=obj" and one.sent_id == "s1")
    for _ in range(at):
        page.keyboard.press("j")
    assert "decided differently (ann: reject, bob: accept)" in page.locator(".reason").inner_text()
    page.locator("input[data-name=who]").fill("carl")
    page.keyboard.press("Enter")
    page.keyboard.press("r")
    (tmp_path / "carl.tsv").write_bytes(exported(page, "Export decisions"))
    left = review(home / "xx_a-ud-train.conllu", annotators=[f"bob={home / 'bob.conllu'}"], kinds="annotator",
                  decisions=[tmp_path / "carl.tsv"])  # fmt: skip
    assert old not in {(one.sent_id, str(one.word), one.proposed) for one in left.items}
    assert ("carl", "reject") in {(row["who"], row["decision"]) for row in left.others}
