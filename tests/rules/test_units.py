"""The rule `units`: every number about uncertainty states what varies, in print, JSON and signature."""

import json
import re
from contextlib import contextmanager

import numpy as np
import pytest

import treegauge as tg
from tests.test_calibration_registry import OTHER, counts, examples, fields, match, numbers, world
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import listening
from treegauge.core.result import Result
from treegauge.statistics.units import FEW_DOCUMENTS, IN_DOCUMENTS, LEAST_UNITS, UNKNOWN, text_units
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic

__all__ = ["counts", "examples", "numbers", "world"]  # fixtures
#: Fields that are no estimate: limits that users gave, and exact counts.
GIVEN = ("breakdown.*",)
#: What may vary.
UNITS = {
    "documents", "sentences", "words", "auto", "genus", "treebanks", "rows", "systems", "samples", "runs",
}  # fmt: skip


def uncertain(result: Result) -> bool:
    """Whether a result itself, without its parts, has a number about uncertainty."""
    alone = fields(result) - {field for part in [*result.each()][1:] for field in fields(part)}
    return any(not match(field, (*OTHER, *GIVEN)) for field in alone)


def test_every_verb_states_its_units(examples):
    silent = set()
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
    assert not silent, sorted(silent)


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


class Heard:
    """A listener that keeps the notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    @contextmanager
    def task(self, what: str, total: int | None):
        yield self

    def update(self, done: int, total: int | None = None) -> None:
        pass

    def advance(self, amount: int = 1) -> None:
        pass


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Two treebanks whose sets have 12 documents, and the output of a parser on the test sets."""
    home = tmp_path_factory.mktemp("few")
    (home / "output").mkdir()
    for name in ("UD_Greek-One", "UD_Latin-Two"):
        (home / name).mkdir()
        for split in ("train", "dev", "test"):
            gold, output = text(12)
            (home / name / f"x-ud-{split}.conllu").write_text(gold)
        (home / "output" / f"{name}.conllu").write_text(output)
    return home


#: Calls of verbs that report intervals over the documents of text, beside score, agree and measure.
OVER_TEXT = {
    "breakdown": lambda gold, out, first, **quick: tg.breakdown(gold, {"a": out, "b": gold}, by=["deprel"]),
    "map": lambda gold, out, first, **quick: tg.map(first, folds=2, epochs=1, **quick),
    "difficulty": lambda gold, out, first, **quick: tg.difficulty(first, measure="vinfo", epochs=1, **quick),
    "transfer": lambda gold, out, first, **quick: tg.transfer(
        *sorted(one for one in first.parent.iterdir() if one.name.startswith("UD_")), leave_one_out=True, **quick
    ),
}


@pytest.mark.parametrize("verb", OVER_TEXT)
def test_verbs_over_text_warn_about_few_documents(verb, few):
    first = few / "UD_Greek-One"
    heard = Heard()
    with listening(heard):
        quick = {"parser": "mst", "option": {"bits": 12, "label_bits": 10}}
        made = OVER_TEXT[verb](first / "x-ud-test.conllu", few / "output" / "UD_Greek-One.conllu", first, **quick)
    warning = f"warning: 95 % intervals over only 12 documents; {IN_DOCUMENTS}"
    assert warning in "\n".join([str(made), *heard.notes])
    assert made.units == "documents"


def test_the_page_says_what_its_intervals_are_over(few):
    gold, output = few / "UD_Greek-One" / "x-ud-test.conllu", few / "output" / "UD_Greek-One.conllu"
    tg.report(output, gold=gold, out=few / "page.html")
    page = (few / "page.html").read_text("utf-8")
    assert "60 sentences in 12 documents" in page
    assert "95 % confidence intervals over documents" in page
