"""Documents of other libraries are read and scored as the files they came from are."""

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import treegauge as tg
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.objects import conllu_text

WITH_PARTS = """# sent_id = a
# text = Im Haus schläft er.
1-2	Im	_	_	_	_	_	_	_	_
1	In	in	ADP	_	_	3	case	_	_
2	dem	der	DET	_	Case=Dat|Gender=Neut	3	det	_	_
3	Haus	Haus	NOUN	_	_	4	obl	_	_
4	schläft	schlafen	VERB	_	_	0	root	_	_
5	er	er	PRON	_	_	4	nsubj	_	SpaceAfter=No
6	.	.	PUNCT	_	_	4	punct	_	_

# sent_id = b
# text = Geh!
1	Geh	gehen	VERB	_	_	0	root	_	SpaceAfter=No
2	!	!	PUNCT	_	_	1	punct	_	_

"""
HEADS = ("form", "head", "deprel", "upos", "lemma")


def same(first: Treebank, second: Treebank) -> None:
    for column in HEADS:
        assert first[column].to_list() == second[column].to_list(), column
    assert len(first) == len(second)


def of_conllu(text: str) -> Any:
    return pytest.importorskip("conllu").parse(text)


def of_pyconll(text: str) -> Any:
    pyconll = pytest.importorskip("pyconll")
    if hasattr(pyconll, "load_from_string"):  # before version 4
        return pyconll.load_from_string(text)
    return pytest.importorskip("pyconll.conllu").conllu.load_from_string(text)


def of_udpipe(text: str) -> Any:
    udpipe = pytest.importorskip("ufal.udpipe")
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    sentences = []
    sentence, problem = udpipe.Sentence(), udpipe.ProcessingError()
    while reader.nextSentence(sentence, problem):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    return sentences


def of_stanza(text: str) -> Any:
    return pytest.importorskip("stanza.utils.conll").CoNLL.conll2doc(input_str=text)


def of_rows(text: str) -> Any:
    """Return a Hugging Face dataset as its own reader of CoNLL-U makes them."""
    datasets = pytest.importorskip("datasets")
    columns = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
    rows = []
    for block in text.strip().split("\n\n"):
        lines = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        rows.append(dict(zip(columns, map(list, zip(*lines, strict=True)), strict=True)))
    return datasets.Dataset.from_list(rows)


class Sentence:
    """A sentence as pyconll 4 has them, which needs Python 3.14: without a method that writes."""

    def __init__(self, lines: list[str]) -> None:
        comments = [line[2:].partition(" = ") for line in lines if line.startswith("#")]
        self.meta = {key: value if sign else None for key, sign, value in comments}
        self.tokens = [line.split("\t") for line in lines if not line.startswith("#")]


def test_sentences_of_pyconll_4(monkeypatch: pytest.MonkeyPatch) -> None:
    def serialize_sentence(sentence: Sentence) -> str:
        comments = [f"# {key}" + ("" if v is None else f" = {v}") for key, v in sentence.meta.items()]
        return "".join(f"{line}\n" for line in [*comments, *map("\t".join, sentence.tokens)])

    package, module = ModuleType("pyconll"), ModuleType("pyconll.conllu")
    module.conllu = SimpleNamespace(serialize_sentence=serialize_sentence)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyconll", package)
    monkeypatch.setitem(sys.modules, "pyconll.conllu", module)
    monkeypatch.setattr(Sentence, "__module__", "pyconll.conllu")
    sentences = [Sentence(block.split("\n")) for block in WITH_PARTS.strip("\n").split("\n\n")]
    assert conllu_text(sentences) == WITH_PARTS
    same(tg.read_treebank(sentences), parse_conllu(WITH_PARTS))
    assert conllu_text(sentences[1]) == WITH_PARTS[WITH_PARTS.index("# sent_id = b") :]


@pytest.mark.parametrize("make", [of_conllu, of_pyconll, of_udpipe, of_stanza, of_rows])
def test_objects_hold_what_the_file_holds(make: Callable[[str], Any]) -> None:
    same(tg.read_treebank(make(WITH_PARTS)), parse_conllu(WITH_PARTS))
    assert [len(sentence) for sentence in tg.read_treebank(make(WITH_PARTS))] == [6, 2]


@pytest.mark.parametrize("make", [of_conllu, of_pyconll, of_udpipe, of_stanza, of_rows])
def test_scores_are_those_of_the_files(make: Callable[[str], Any]) -> None:
    gold = synthetic(30, seed=1)
    text = gold.to_bytes().decode().replace("\tnsubj\t", "\tobj\t")
    system = parse_conllu(text)
    expected = tg.score(gold, {"x": system}, resamples=0)
    found = tg.score(gold, {"x": make(text)}, resamples=0)
    for metric in ("UAS", "LAS", "UPOS", "MLAS", "BLEX"):
        assert found["x"][metric] == expected["x"][metric]
    assert tg.score(make(gold.to_bytes().decode()), system, resamples=0).systems[0]["LAS"] == (expected["x"]["LAS"])


def docs(*, parsed: bool = True, house: int = 1) -> Any:
    """Return a Doc with a line end as a token; `house` is what "Haus" is attached to."""
    spacy = pytest.importorskip("spacy")
    tokens = pytest.importorskip("spacy.tokens")
    blank = spacy.blank("de")
    words = ["Er", "schläft", "\n", "im", "Haus", ".", "Geh", "!"]
    spaces = [True, False, False, True, False, True, False, False]
    heads = [1, 1, 1, 4, house, 1, 6, 6]
    labels = ["nsubj", "ROOT", "dep", "case", "obl", "punct", "ROOT", "punct"]
    if not parsed:
        return tokens.Doc(blank.vocab, words=words, spaces=spaces)
    starts = [True, False, False, False, False, False, True, False]
    return tokens.Doc(
        blank.vocab, words=words, spaces=spaces, heads=heads, deps=labels, sent_starts=starts,
        pos=["PRON", "VERB", "SPACE", "ADP", "NOUN", "PUNCT", "VERB", "PUNCT"],
        morphs=["Case=Nom", "", "", "", "Case=Dat|Gender=Neut", "", "", ""],
        lemmas=["er", "schlafen", "\n", "in", "Haus", ".", "gehen", "!"],
    )  # fmt: skip


def test_docs_of_spacy_lose_their_tokens_of_spaces() -> None:
    assert conllu_text(docs()) == (
        "# text = Er schläft im Haus.\n"
        "1\tEr\ter\tPRON\t_\tCase=Nom\t2\tnsubj\t_\t_\n"
        "2\tschläft\tschlafen\tVERB\t_\t_\t0\troot\t_\t_\n"
        "3\tim\tin\tADP\t_\t_\t4\tcase\t_\t_\n"
        "4\tHaus\tHaus\tNOUN\t_\tCase=Dat|Gender=Neut\t2\tobl\t_\tSpaceAfter=No\n"
        "5\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
        "# text = Geh!\n"
        "1\tGeh\tgehen\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
        "2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    )


def test_docs_are_scored_alone_and_in_lists() -> None:
    gold = parse_conllu(conllu_text(docs()))
    for given in (docs(), [docs()], {"spacy": [docs()]}, {"spacy": docs()}):
        assert tg.score(gold, given, resamples=0).systems[0]["LAS"].f1 == 100
    both = tg.read_treebank([docs(), docs()])
    assert len(both) == 4 and both.name == "spacy"
    assert len(tg.read_treebank(iter([docs(), docs()]))) == 4


def test_a_doc_without_a_parse_has_no_heads() -> None:
    text = conllu_text(docs(parsed=False))
    assert [line.split("\t")[6] for line in text.split("\n")[1:8]] == ["_"] * 7
    with pytest.raises(tg.TreegaugeError, match="HEAD"):
        tg.score(parse_conllu(conllu_text(docs())), docs(parsed=False), resamples=0)


def test_text_without_a_parse_is_one_problem_not_one_per_word() -> None:
    """10,456 words without HEAD were 10,456 problems, and Stanza made a chain of them: UAS 26."""
    stanza = pytest.importorskip("stanza.models.common.doc")
    words = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]
    heads = [0, *range(1, len(words))]
    gold = tg.read_treebank({"form": words, "head": heads, "deprel": ["dep"] * len(words)})
    doc = stanza.Document([[{"id": i, "text": word} for i, word in enumerate(words, 1)]])
    for given in (doc, doc.sentences[0], [{"form": words}]):
        with pytest.raises(tg.TreegaugeError) as caught:
            tg.score(gold, given, resamples=0)
        said = str(caught.value).split("\n")
        assert len(said) == 2
        assert "found HEAD '_'" in said[0]
        assert "hint: 11 words have no HEAD: parse this text first" in said[1]
        unparsed = tg.read_treebank(given, need_heads=False)
        assert unparsed["form"].to_list() == words
        assert not unparsed.codes("deprel").codes.any()


def unannotated() -> list[Any]:
    """Return words with heads and relations and nothing else, as objects of four libraries."""
    rows = [line.split("\t") if line.count("\t") == 9 else [line] for line in WITH_PARTS.split("\n")]
    text = "\n".join("\t".join([*f[:2], *"____"[: len(f)], *f[6:]]) if f[1:] else f[0] for f in rows)
    return [make(text) for make in (of_conllu, of_pyconll, of_udpipe, of_stanza, of_rows)]


@pytest.mark.parametrize("number", range(5))
def test_layers_that_the_output_lacks_are_named(number: int) -> None:
    """UFeats of an output without features was 26.75, without a word."""
    gold = parse_conllu(WITH_PARTS)
    scores = tg.score(gold, {"x": unannotated()[number]}, resamples=0)
    assert scores["x"]["LAS"].f1 == 100 and 0 < scores["x"]["UFeats"].f1 < 100
    said = (
        "x: the output has no LEMMA, UPOS, FEATS, which gold has: UPOS, UFeats, AllTags, Lemmas, "
        "MLAS, BLEX say nothing about this system"
    )
    assert said in scores.notes and said in str(scores) and said in scores.to_dict()["notes"]
    few = tg.score(gold, {"x": unannotated()[number]}, resamples=0, metric="LAS")
    assert said in few.notes
    (back,) = tg.score({"x": unannotated()[number]}["x"], {"x": gold}, resamples=0).notes
    assert back.startswith("x: gold has no LEMMA, UPOS, FEATS, which the output has: UPOS")
    assert not tg.score(gold, {"x": gold}, resamples=0).notes


def test_dictionaries_of_a_document_are_refused_in_words() -> None:
    """`TypeError: expected str, bytes or os.PathLike object, not dict`."""
    gold, listed = parse_conllu(WITH_PARTS), of_stanza(WITH_PARTS).to_dict()
    for given in (listed, {"x": listed}, listed[0], {"x": listed[0]}, {"x": docs().to_json()}):
        with pytest.raises(tg.TreegaugeError, match=r"found a .*dict.*; give the document itself"):
            tg.score(gold, given, resamples=0)
    for given in (listed, docs().to_json()):
        with pytest.raises(tg.TreegaugeError, match=r"found a .*dict.*; give the document itself"):
            tg.read_treebank(given)
    with pytest.raises(tg.TreegaugeError, match="found a list of stanza Word; expected"):
        tg.read_treebank(list(of_stanza(WITH_PARTS).sentences[0].words))


def test_what_is_attached_to_a_space_is_attached_to_its_head() -> None:
    assert docs(house=2)[4].head.is_space
    assert conllu_text(docs(house=2)) == conllu_text(docs())


def test_labels_and_dictionaries_of_rows() -> None:
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {
            "idx": datasets.Value("string"),
            "text": datasets.Value("string"),
            "tokens": datasets.List(datasets.Value("string")),
            "upos": datasets.List(datasets.ClassLabel(names=["NOUN", "VERB"])),
            "feats": datasets.List(datasets.Value("string")),
            "head": datasets.List(datasets.Value("string")),
            "deprel": datasets.List(datasets.Value("string")),
        }
    )
    row = {
        "idx": "s1", "text": "Dogs bark", "tokens": ["Dogs", "bark"], "upos": [0, 1],
        "feats": ["{'Number': 'Plur', 'Case': 'Nom'}", "None"], "head": ["2", "0"],
        "deprel": ["nsubj", "root"],
    }  # fmt: skip
    dataset = datasets.Dataset.from_list([row], features=features)
    expected = (
        "# sent_id = s1\n# text = Dogs bark\n"
        "1\tDogs\t_\tNOUN\t_\tCase=Nom|Number=Plur\t2\tnsubj\t_\t_\n"
        "2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    )
    assert conllu_text(dataset) == expected
    assert conllu_text([row | {"upos": ["NOUN", "VERB"]}]) == expected


def test_frames_are_read() -> None:
    gold = synthetic(5, seed=2)
    for frame in (gold.table, gold.to_pandas()):
        assert tg.read_treebank(frame)["head"].to_list() == gold["head"].to_list()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "found a int; expected a Treebank.*spaCy Doc"),
        ([], "found a list; expected"),
        (iter([]), "the list of objects is empty"),
        ([{"form": ["a"]}, {"text": "a"}], "row 2 has no list of words"),
        ([{"form": ["a", "b"], "head": [0]}], "row 1: 1 values of head for 2 words"),
        (
            [{"tokens": ["du", "de", "le"], "head": ["None", 2, 0]}],
            "row 1: 'du' has no head, as multiword tokens have none; expected a column 'id'",
        ),
    ],
)
def test_what_cannot_be_read_is_said(given: Any, message: str) -> None:
    with pytest.raises(tg.TreegaugeError, match=message):
        tg.read_treebank(given)


def test_a_list_of_different_objects_says_which_is_not_known() -> None:
    sentence = of_conllu(WITH_PARTS)[0]
    with pytest.raises(tg.TreegaugeError, match="object 2 of the list is a int"):
        conllu_text([sentence, 3])
