"""``treegauge convert``: between packed and plain CoNLL-U and tables, and back."""

import polars as pl
import pytest

import treegauge as tg
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, write_conllu

TREEBANK = synthetic(30, seed=3)
WRONG = TREEBANK.to_bytes() + b"1\tgo\t_\t_\t_\t_\t7\troot\t_\t_\n\nx\n\n"
PACKED = [".conllu", ".conllu.gz", ".conllu.xz", ".conllu.bz2", ".conllu.zst"]
TABLES = [".parquet", ".arrow", ".csv", ".tsv"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.conllu"
    write_conllu(TREEBANK, path)
    return path


@pytest.mark.parametrize("ending", PACKED + TABLES)
def test_there_and_back(command, file, tmp_path, ending):
    target, back = tmp_path / f"b{ending}", tmp_path / "c.conllu"
    done = command("convert", file, "-o", target)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{target}: 30 sentences, {TREEBANK.n_words} words\n"
    assert command("convert", target, "-o", back).code == 0
    assert back.read_bytes() == file.read_bytes()


def test_odd_characters_survive_every_table(command, tmp_path):
    forms = ['"', '""', ",", "'", "\u2028", " x ", "null", "NA", "1.0", "é\u0301", "\\", "#"]
    lines = [f"{i}\t{form}\t{form}\t_\t_\t_\t{i - 1}\tx\t_\t_" for i, form in enumerate(forms, 1)]
    text = '# text = a "b", c\n#\n' + "\n".join(lines) + "\n\n"
    source = tmp_path / "a.conllu"
    source.write_text(text)
    for ending in TABLES:
        assert command("convert", source, "-o", tmp_path / f"b{ending}").code == 0
        assert command("convert", tmp_path / f"b{ending}").out == text, ending


@pytest.mark.parametrize("name", ["b.json", "b.txt", "b.gz"])
def test_an_ending_that_promises_something_else_is_refused(command, file, tmp_path, name):
    done = command("convert", file, "-o", tmp_path / name)
    assert done.code == 2
    assert f"unknown ending '{name}'" in done.err
    assert ".conllu.zst, .parquet" in done.err
    assert list(tmp_path.iterdir()) == [file]


def test_tables_hold_every_row(command, file, tmp_path):
    command("convert", file, "-o", tmp_path / "b.parquet")
    assert pl.read_parquet(tmp_path / "b.parquet").equals(TREEBANK.to_rows())


def test_pipes(command):
    for out in ([], ["--out", "-"]):
        done = command("convert", "-", *out, stdin=TREEBANK.to_bytes())
        assert done == (0, TREEBANK.to_bytes().decode(), "")


@pytest.mark.parametrize("ending", TABLES)
def test_comments_after_the_last_sentence_stay(command, tmp_path, ending):
    source = tmp_path / "a.conllu"
    source.write_bytes(TREEBANK.to_bytes() + b"# the end\n")
    assert command("convert", source, "-o", tmp_path / f"b{ending}").code == 0
    assert command("convert", tmp_path / f"b{ending}").out.encode() == source.read_bytes()


def test_python_does_the_same(file, tmp_path):
    made = tg.convert(file, tmp_path / "b.parquet", sample=3, seed=1)
    assert made.treebank == tg.convert(tmp_path / "b.parquet").treebank
    assert made.treebank == TREEBANK.sample(3, seed=1)
    assert str(tg.convert(TREEBANK)) + "\n" == TREEBANK.to_bytes().decode()
    assert made.to_dict()["rows"] == [{"sentences": 3, "words": made.treebank.n_words}]
    assert made.signature.endswith("|sample:3|seed:1")


@pytest.mark.parametrize("errors", ["skip", "repair"])
def test_policies(command, tmp_path, errors):
    source = tmp_path / "wrong.conllu"
    source.write_bytes(WRONG)
    assert command("convert", source).code == 2
    done = command("convert", "--errors", errors, source)
    assert done.out.encode() == parse_conllu(WRONG, errors=errors).to_bytes()
    told = done.err.splitlines()
    assert len(told) == 3
    assert told[-1].endswith("[skipped]")
    assert told[0].endswith(f"[{'skipped' if errors == 'skip' else 'repaired'}]")


def test_samples_and_splits(command, tmp_path):
    for split, part in (("train", TREEBANK[:20]), ("test", TREEBANK[20:])):
        write_conllu(part, tmp_path / f"x-ud-{split}.conllu")
    assert command("convert", tmp_path).out.encode() == TREEBANK.to_bytes()
    assert command("convert", "--split", "test", tmp_path).out.encode() == TREEBANK[20:].to_bytes()
    done = command("convert", "--sample", 5, "--seed", 3, tmp_path)
    assert done.out.encode() == TREEBANK.sample(5, seed=3).to_bytes()
    assert command("convert", "--sample", 31, tmp_path).code == 2


def test_unparsed_text(command, tmp_path):
    text = "1\tgo\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    table = tmp_path / "a.csv"
    assert command("convert", "-", "-o", table, stdin=text.encode()).code == 0
    assert command("convert", table).out == text


def test_mistakes(command, file, tmp_path):
    junk = tmp_path / "junk.parquet"
    junk.write_bytes(b"junk")
    for args, message in [
        (("no.conllu",), "no such file"),
        ((tmp_path / "no.parquet",), "cannot read the table"),
        ((junk,), "cannot read the table"),
        ((file, "-o", tmp_path / "no" / "a.conllu"), "cannot write"),
        ((file, "-o", tmp_path / "no" / "a.csv"), "No such file or directory"),
        ((file, "--split", "x"), "choices: train, dev, test"),
        ((file, "--errors", "x"), "'repair'"),
    ]:
        done = command("convert", *args)
        assert done.code == 2, args
        assert message in done.err
        assert "Traceback" not in done.err
    assert read_conllu(file) == TREEBANK


def test_a_table_without_words(command, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    done = command("convert", tmp_path / "a.csv")
    assert done.code == 2
    assert "found columns a, b; expected at least 'sentence'" in done.err
