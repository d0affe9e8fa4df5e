"""The rule `units`: every number about uncertainty states what varies, in print, JSON and signature."""

import json
import re

import numpy as np
import pytest

import treegauge as tg
from tests.test_calibration_registry import OTHER, counts, examples, fields, match, numbers, world
from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result
from treegauge.statistics.units import FEW_DOCUMENTS, IN_DOCUMENTS, LEAST_UNITS, UNKNOWN, text_units
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic

__all__ = ["counts", "examples", "numbers", "world"]  # fixtures
#: Fields that are no estimate: limits that users gave, and exact counts.
GIVEN = ("breakdown.*",)
#: What may vary.
UNITS = {
    "documents", "sentences", "words", "auto", "genus", "treebanks", "rows", "systems", "samples", "runs", "orders",
}  # fmt: skip
#: Those of text, with which a result says how many there are, and what of documents is unknown.
OF_TEXT = {"documents", "sentences", "auto"}
SAID = re.compile(
    rf"(over|of|by|on) (only )?[\d,]+ (documents|sentences)|no interval: \d+ (documents|sentences)|{UNKNOWN}"
)


def uncertain(result: Result) -> bool:
    """Whether a result itself, without its parts, has a number about uncertainty."""
    alone = fields(result) - {field for part in [*result.each()][1:] for field in fields(part)}
    return any(not match(field, (*OTHER, *GIVEN)) for field in alone)


def test_every_verb_states_its_units(examples):
    silent, quiet = set(), set()
    for verb, calls in examples.items():
        for call in calls:
            whole = call()
            for one in whole.each():
                if not uncertain(one):
                    continue
                stated = json.loads(one.to_json())
                said = one.units in UNITS and f"|units:{one.units}" in one.signature
                if not (said and stated["units"] and one.signature in str(whole)):
                    silent.add(f"{verb}: {one.kind} ({one.units})")
                if one.units in OF_TEXT and not all(SAID.search(text) for text in (str(whole), whole.to_json())):
                    quiet.add(f"{verb}: {one.kind} ({one.units})")
    assert not silent, sorted(silent)
    assert not quiet, f"no note on documents: {sorted(quiet)}"


def text(documents: int, sentences: int = 60):
    """Return gold with a number of documents, and the output of a parser."""
    gold = re.sub(r"# newdoc[^\n]*\n", "", synthetic(sentences, seed=3).to_bytes().decode())
    starts = set(np.linspace(0, sentences, documents, endpoint=False).astype(int).tolist())
    blocks = [f"# newdoc id = d{i}\n{block}" if i in starts else block for i, block in enumerate(gold.split("\n\n"))]
    return "\n\n".join(blocks), simulated_parse("\n\n".join(blocks), seed=4)


@pytest.mark.parametrize("documents", [LEAST_UNITS - 2, FEW_DOCUMENTS - 5, FEW_DOCUMENTS + 5])
def test_verbs_say_the_same_of_few_documents(documents):
    gold, output = (tg.parse_conllu(one) for one in text(documents))
    scored, agreed = str(tg.score(gold, output)), str(tg.agree({"a": gold, "b": output}))
    if documents < LEAST_UNITS:
        sentence = f"60 sentences of only {documents} documents (at least {LEAST_UNITS}): {UNKNOWN}"
    elif documents < FEW_DOCUMENTS:
        sentence = f"warning: 95 % intervals over only {documents} documents; {IN_DOCUMENTS}"
    else:
        sentence = f"95 % intervals over {documents} documents"
    measured = tg.measure("mdd", gold, interval=True)
    assert sentence in scored
    assert sentence in agreed
    assert sentence in str(measured)
    assert measured.table["units"][0] == (f"{documents} documents" if documents >= LEAST_UNITS else "60 sentences")


def test_a_treebank_with_few_documents_is_named_with_the_remedy(tmp_path):
    for name, documents in (("UD_Welsh-CCG", 8), ("UD_Greek-GDT", 30)):
        gold, output = text(documents)
        (tmp_path / "gold" / name).mkdir(parents=True)
        (tmp_path / "gold" / name / f"{name}-ud-test.conllu").write_text(gold)
        for system, made in (("a", output), ("b", simulated_parse(gold, seed=9))):
            (tmp_path / system).mkdir(exist_ok=True)
            (tmp_path / system / f"{name}.conllu").write_text(made)
    folders = tmp_path / "gold", tmp_path / "a", tmp_path / "b"
    shown = str(tg.score(*folders, split="test", units="documents"))
    assert "Welsh-CCG has 8 documents (at least 10); --units sentences" in shown
    assert "Greek-GDT has" not in shown
    combined = tg.score(*folders, split="test")
    assert "Welsh-CCG has 8 documents (at least 10): intervals there are over sentences" in str(combined)
    assert combined.attached["comparisons"].table["p_value"].null_count() == 0


def test_documents_that_nobody_marked_are_refused_in_one_sentence():
    gold, output = (tg.parse_conllu(one) for one in text(0))
    for call in (
        lambda: tg.score(gold, output, units="documents"),
        lambda: tg.agree({"a": gold, "b": output}, units="documents"),
    ):
        with pytest.raises(TreegaugeError, match="has no '# newdoc' comment that marks documents; expected such"):
            call()
    assert text_units(0, "auto") == "sentences"


@pytest.fixture(scope="module", params=[12, 0])
def few(request, tmp_path_factory):
    """Two treebanks whose sets have 12 documents, or none marked, and the output of parsers on the test sets."""
    home = tmp_path_factory.mktemp("few")
    for name in ("UD_Greek-One", "UD_Latin-Two"):
        (home / name).mkdir()
        for split in ("train", "dev", "test"):
            gold, output = text(request.param)
            (home / name / f"x-ud-{split}.conllu").write_text(gold)
        for system, made in (("output", output), ("other", simulated_parse(gold, seed=8))):
            (home / system).mkdir(exist_ok=True)
            (home / system / f"{name}.conllu").write_text(made)
    return home, request.param


QUICK = {"parser": "mst", "option": {"bits": 12, "label_bits": 10}, "epochs": 1}
#: Calls of verbs that report on text: on gold, two outputs, the treebanks, and the folder of them all.
OVER_TEXT = {
    "score": lambda gold, a, b, banks, home: tg.score(gold, {"a": a, "b": b}),
    "score of treebanks": lambda gold, a, b, banks, home: tg.score(home, a.parent, b.parent, split="test"),
    "breakdown": lambda gold, a, b, banks, home: tg.breakdown(gold, {"a": a, "b": b}, by=["deprel"]),
    "agree": lambda gold, a, b, banks, home: tg.agree({"a": a, "b": b}),
    "measure": lambda gold, a, b, banks, home: tg.measure("mdd", gold, interval=True),
    "triage": lambda gold, a, b, banks, home: tg.triage(a, b, gold=gold),
    "design": lambda gold, a, b, banks, home: tg.design({"a": a, "b": b}, gold=gold),
    "leaderboard": lambda gold, a, b, banks, home: tg.leaderboard(
        home, {"a": a.parent, "b": b.parent}, out=None, subsets=20
    ),
    "audit": lambda gold, a, b, banks, home: tg.audit(banks[0], resamples=19, all=True),
    "map": lambda gold, a, b, banks, home: tg.map(banks[0], folds=2, **QUICK),
    "difficulty": lambda gold, a, b, banks, home: tg.difficulty(banks[0], measure="vinfo", **QUICK),
    "transfer": lambda gold, a, b, banks, home: tg.transfer(
        *banks, leave_one_out=True, **{name: QUICK[name] for name in ("parser", "option")}
    ),
}


def called(verb, few):
    """Return the result of a verb on the treebanks, and their number of documents."""
    home, documents = few
    banks = sorted(one for one in home.iterdir() if one.name.startswith("UD_"))
    outputs = (home / system / "UD_Greek-One.conllu" for system in ("output", "other"))
    return OVER_TEXT[verb](banks[0] / "x-ud-test.conllu", *outputs, banks, home), documents


@pytest.mark.parametrize("verb", OVER_TEXT)
def test_verbs_over_text_warn_about_few_documents_and_unmarked_ones(verb, few):
    made, documents = called(verb, few)
    said = (
        f"only {documents} documents" if documents else "UNKNOWN|no interval: 60 sentences".replace("UNKNOWN", UNKNOWN)
    )
    for shown in (str(made), made.to_json()):
        assert re.search(said, shown), shown[-2000:]
    assert made.units in {"auto", "documents" if documents else "sentences"}


def test_orders_are_not_other_text(few):
    train = few[0] / "UD_Greek-One"
    lengths = tg.difficulty(train, measure="mdl", blocks="20,40", orders=2, **QUICK)
    assert lengths.units == "orders"
    for shown in (str(lengths), lengths.to_json()):
        assert "sd over 2 orders of the same sentences: how much other text varies is unknown" in shown


def test_the_page_says_what_its_intervals_are_over(few):
    home, documents = few
    gold, output = home / "UD_Greek-One" / "x-ud-test.conllu", home / "output" / "UD_Greek-One.conllu"
    tg.report(output, gold=gold, out=home / "page.html")
    page = (home / "page.html").read_text("utf-8")
    if documents:
        assert "60 sentences in 12 documents" in page
        assert "95 % confidence intervals over documents" in page
        assert f"warning: 95 % intervals over only 12 documents; {IN_DOCUMENTS}" in page
    else:
        assert f"95 % intervals over 60 sentences; no documents are marked: {UNKNOWN}" in page
    assert f'"units":"{documents or 60} {"documents" if documents else "sentences"}"' in page.replace('": "', '":"')
