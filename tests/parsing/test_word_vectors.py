"""Word vectors: files in text format, compressed or damaged, and their use in parsers."""

import gzip

import numpy as np
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.neural.preparation import WordVectors, read_vectors
from treegauge.parsing.registry import load_model, make_parser
from treegauge.treebanks.data.conllu import parse_conllu

TEXT = "3 2\nthe 1 0\ncat 0 1\ndog 1 1\n"


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "small.vec"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_the_top_and_the_needed_words_are_kept(path):
    assert read_vectors(path, 2).words == ("the", "cat")
    assert read_vectors(path, 0, ["Dog", "none"]).words == ("dog",)
    assert read_vectors(path, 1, ["cat"]).words == ("the", "cat")


def test_values_are_scaled_and_looked_up(path):
    vectors = read_vectors(path, 10)
    assert vectors.values.std() == pytest.approx(1, abs=1e-3)
    rows = vectors.of(["Cat", "mouse", "the"])
    assert rows.shape == (5, 2)
    assert not rows[[0, 1, 3]].any()  # the root, a hidden word, and an unknown one
    assert rows[2].tolist() == vectors.values[1].tolist()
    assert vectors.coverage(["Cat", "mouse", "the", "a"]) == 0.5


def test_words_with_spaces_packed_files_and_no_first_line(tmp_path):
    file = tmp_path / "v.txt.gz"
    file.write_bytes(gzip.compress("hà nội 1 2\nthe 3 4\n".encode()))
    with pytest.raises(TreegaugeError, match="expected a word and 3 numbers"):
        read_vectors(file, 10)  # the first line has one word too many to say the size by
    file.write_bytes(gzip.compress("2 2\nhà nội 1 2\nthe 3 4\n".encode()))
    assert read_vectors(file, 10).words == ("hà nội", "the")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "contains no word vectors"),
        (b"3 2\n", "found 0 vectors; expected 3"),
        (b"the\n", r":1: found 'the'; expected a word and its numbers"),
        (b"2 2\nthe 1 2\ncat 1\n", r":3: expected a word and 2 numbers.*found 'cat 1'"),
        (b"2 2\nthe 1 2\ncat 1 x\n", r":3: expected a word and 2 numbers"),
        (b"2 2\nthe 1 nan\ncat 1 2\n", r":2: expected a word and 2 numbers"),
        (b"2 2\nthe 1 1e39\ncat 1 2\n", r":2: expected a word and 2 numbers"),
        (b"5 2\nthe 1 2\ncat 1 2\n", "found 2 vectors; expected 5 as its first line says"),
        (b"1 0\nthe\n", "vectors of 0 numbers"),
        (b"1 2\n\xff\xfe 1 2\n", ":2: found bytes that are not UTF-8"),
        (b"\0\0\0\x01binary", ":1: found binary data"),
    ],
)
def test_damaged_files(tmp_path, content, message):
    file = tmp_path / "bad.vec"
    file.write_bytes(content)
    with pytest.raises(TreegaugeError, match=message):
        read_vectors(file, 10)


def test_files_that_cannot_be_read(tmp_path, path):
    with pytest.raises(TreegaugeError, match="no such file"):
        read_vectors(tmp_path / "none", 10)
    with pytest.raises(TreegaugeError, match="no vector for any word of the training set"):
        read_vectors(path, 0, ["zebra"])
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(TEXT.encode())[:-9])
    with pytest.raises(TreegaugeError, match="cannot unpack"):
        read_vectors(cut, 10)


# An artificial language: the class of a word, which only its vector shows, decides its head. Words
# of the test set never occur in training, and neither characters nor tags say anything.
def _words(count: int, seed: int) -> tuple[list[str], np.ndarray]:
    random = np.random.default_rng(seed)
    letters = list("abcdefgh")
    return ["".join(random.choice(letters, 6)) for _ in range(count)], random.integers(0, 2, count)


def _treebank(forms: list[str], classes: np.ndarray, sentences: int, seed: int):
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(sentences):
        chosen = random.integers(0, len(forms), 3)
        # The first word whose class is 1 is the head of the others.
        root = int(np.argmax(classes[chosen]))
        for at, number in enumerate(chosen.tolist()):
            head, relation = (0, "root") if at == root else (root + 1, "dep")
            rows.append(f"{at + 1}\t{forms[number]}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n")
        rows.append("\n")
    return parse_conllu("".join(rows))


@pytest.fixture(scope="module")
def language(tmp_path_factory):
    forms, classes = _words(400, seed=1)
    random = np.random.default_rng(5)
    lines = [
        f"{form} {' '.join(f'{one:.4f}' for one in [2 * kind - 1, *random.normal(0, 0.3, 3)])}"
        for form, kind in zip(forms, classes, strict=True)
    ]
    path = tmp_path_factory.mktemp("vectors") / "art.vec"
    path.write_text(f"{len(lines)} 4\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return (_treebank(forms[:200], classes[:200], 150, seed=2), _treebank(forms[200:], classes[200:], 60, seed=3), path)


SMALL = {
    "hidden": 12, "layers": 1, "word_size": 8, "char_size": 4, "upos": False, "arc_size": 8,
    "relation_size": 4, "rate": 0.01, "dropout": 0.1, "device": "cpu", "epochs": 8,
}  # fmt: skip


def test_vectors_help_with_words_that_training_never_saw(language, tmp_path):
    pytest.importorskip("torch")
    train, test, path = language

    def uas(model) -> float:
        return float((model.parse(test).head == test.head).mean())

    plain = make_parser("biaffine", **SMALL).fit(train, seed=0)
    model = make_parser("biaffine", **SMALL, vectors=str(path)).fit(train, seed=0)
    assert uas(plain) < 0.8
    assert uas(model) > 0.95
    model.save(tmp_path / "m")
    assert load_model(tmp_path / "m").parse(test) == model.parse(test)
    known = train.codes("form").values
    assert np.array_equal(model.learned.vectors.of(known), read_vectors(path, 1000).of(known))
    # Without the top of the file and the words to be parsed, nothing is known of these.
    few = make_parser("biaffine", **SMALL, vectors=str(path), vectors_limit=0)
    assert uas(few.fit(train, seed=0)) < 0.8


def test_words_of_the_treebank_to_be_parsed_keep_their_vectors(language, tmp_path):
    pytest.importorskip("torch")
    train, test, path = language
    given = tmp_path / "test.conllu"
    given.write_bytes(test.to_bytes())
    more = {"vectors": str(path), "vectors_limit": 0, "vectors_for": str(given)}
    model = make_parser("biaffine", **{**SMALL, "epochs": 1}, **more).fit(train, seed=0)
    used = {*train.codes("form").values, *test.codes("form").values}
    assert set(model.learned.vectors.words) == used
    assert isinstance(model.learned.vectors, WordVectors)


def test_large_numbers_are_scaled_like_others(tmp_path):
    file = tmp_path / "large.vec"
    file.write_text("the 1e29 2e29\ncat 3e29 4e29\n", encoding="utf-8")
    assert float(read_vectors(file, 10).values.astype(float).std()) == pytest.approx(1, abs=1e-2)
