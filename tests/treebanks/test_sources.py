"""Where treebanks come from, and how they are written."""

import bz2
import gzip
import lzma
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, read_splits, stream_conllu, write_conllu
from treegauge.treebanks.sources.resolver import find

from .texts import chain, conllu

UNPACK = {
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
    ".bz2": bz2.decompress,
    ".zst": lambda data: pa.CompressedInputStream(pa.BufferReader(data), "zstd").read(),
    "": bytes,
}
TREEBANK = synthetic(200, seed=1)


@pytest.fixture
def folder(tmp_path):
    """Two treebanks: one plain, one packed."""
    for name, ending in (("UD_A-X", ""), ("UD_B-Y", ".gz")):
        (tmp_path / name).mkdir()
        for split in ("dev", "test", "train"):
            path = tmp_path / name / f"{name[3:].lower()}-ud-{split}.conllu{ending}"
            write_conllu(parse_conllu(conllu(chain(f"{name}.{split}"))), path)
    (tmp_path / "UD_A-X" / "README.md").write_text("not a treebank")
    return tmp_path


def forms(*args, **options) -> list[str]:
    return read_conllu(*args, **options)["form"].to_list()


# Finding


def test_a_folder_is_train_dev_test(folder):
    assert forms(folder / "UD_A-X") == ["UD_A-X.train", "UD_A-X.dev", "UD_A-X.test"]
    assert read_conllu(folder / "UD_A-X").name == "UD_A-X"
    assert forms(str(folder / "UD_B-Y"), split="dev") == ["UD_B-Y.dev"]


def test_a_real_folder(ud):
    folder = ud / "r2.9" / "UD_Greek-GDT"
    files = [folder / f"el_gdt-ud-{split}.conllu" for split in ("train", "dev", "test")]
    assert find(folder) == list(map(str, files))
    assert read_conllu(folder).to_bytes() == b"".join(path.read_bytes() for path in files)
    assert list(read_splits(folder)) == ["train", "dev", "test"]


def test_patterns(folder):
    assert forms(f"{folder}/UD_*/*-test.conllu*") == ["UD_A-X.test", "UD_B-Y.test"]
    assert forms(f"{folder}/**/*.conllu", split="dev") == ["UD_A-X.dev"]
    assert forms(f"{folder}/UD_*", split="train") == ["UD_A-X.train", "UD_B-Y.train"]
    assert len(forms(f"{folder}/UD_[AB]*")) == 6


def test_several_sources(folder):
    sources = [folder / "UD_B-Y", f"{folder}/UD_A-X/*dev*"]
    expected = ["UD_B-Y.train", "UD_B-Y.dev", "UD_B-Y.test", "UD_A-X.dev"]
    assert forms(sources) == expected
    assert [form for part in stream_conllu(sources) for form in part["form"]] == expected


def test_a_file_that_is_there_packed_and_unpacked_is_read_once(folder):
    path = folder / "UD_A-X" / "a-x-ud-dev.conllu"
    write_conllu(parse_conllu(conllu(chain("packed"))), f"{path}.xz")
    assert forms(folder / "UD_A-X", split="dev") == ["UD_A-X.dev"]


def test_a_name_that_looks_like_a_pattern(tmp_path):
    path = tmp_path / "a[1].conllu"
    path.write_text(conllu(chain("x")))
    assert forms(path) == ["x"]


def test_an_unknown_split(folder):
    with pytest.raises(ChoiceError, match="did you mean 'train'"):
        read_conllu(folder / "UD_A-X", split="trian")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing.conllu", "missing.conllu: no such file or folder"),
        ("missing.conllu.gz", "no such file or folder"),
        (".", "found no treebank in this folder"),
        ("*.conllu", "nothing matches this pattern"),
        ("a\0b", "no such file"),
        ("x" * 5000, "name too long"),
    ],
)
def test_what_is_not_there(tmp_path, source, message):
    for read in (read_conllu, lambda path: list(stream_conllu(path))):
        with pytest.raises(TreegaugeError, match=message):
            read(f"{tmp_path}/{source}")


def test_a_folder_without_the_split(tmp_path):
    (tmp_path / "x-ud-test.conllu").write_text(conllu(chain("x")))
    with pytest.raises(TreegaugeError, match="for split 'train'"):
        read_conllu(tmp_path, split="train")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_one_may_not_read(tmp_path):
    path = tmp_path / "a.conllu"
    path.touch(0)
    with pytest.raises(TreegaugeError, match="Permission denied"):
        read_conllu(path)


# Packed files


@pytest.mark.parametrize("ending", UNPACK)
@pytest.mark.parametrize("treebank", [TREEBANK, parse_conllu("")], ids=["full", "empty"])
def test_packing_and_unpacking(tmp_path, ending, treebank):
    path = tmp_path / f"a.conllu{ending}"
    write_conllu(treebank, path)
    assert UNPACK[ending](path.read_bytes()) == treebank.to_bytes()
    assert read_conllu(path).to_bytes() == treebank.to_bytes()
    assert read_conllu(path).name == "a"
    streamed = b"".join(part.to_bytes() for part in stream_conllu(path, chunk=5000))
    assert streamed == treebank.to_bytes()


@pytest.mark.parametrize("ending", [".gz", ".xz", ".bz2", ".zst"])
@pytest.mark.parametrize("damage", ["cut", "short", "other", "middle"])
def test_broken_archives(tmp_path, ending, damage):
    path = tmp_path / f"a.conllu{ending}"
    write_conllu(TREEBANK, path)
    data = path.read_bytes()
    half = len(data) // 2
    path.write_bytes(
        {
            "cut": data[:half],
            "short": data[:-1],
            "other": b"this is no archive " * 9,
            "middle": data[:half] + bytes(40) + data[half + 40 :],
        }[damage]
    )
    for read in (read_conllu, lambda path: list(stream_conllu(path, chunk=1000))):
        with pytest.raises(TreegaugeError, match=r"a\.conllu"):
            read(path)


def test_every_way_to_damage_a_gzip_file_is_an_error(tmp_path):
    path = tmp_path / "a.conllu.gz"
    data = gzip.compress(conllu(chain("a", "b")).encode())
    for at in range(10, len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        with pytest.raises(TreegaugeError):
            read_conllu(path)


def test_the_same_treebank_packs_to_the_same_bytes(tmp_path):
    for ending in UNPACK:
        for name in "ab":
            write_conllu(TREEBANK, tmp_path / f"{name}.conllu{ending}")
        a, b = ((tmp_path / f"{name}.conllu{ending}").read_bytes() for name in "ab")
        assert a == b


# Standard input and output

PIPE = """
import sys
from treegauge.treebanks.data.conllu import read_conllu, stream_conllu, write_conllu
from treegauge.treebanks.data.columns import concat
how = sys.argv[1]
write_conllu(read_conllu("-") if how == "read" else concat(stream_conllu("-", chunk=999)), "-")
print(read_conllu.__name__, file=sys.stderr)
"""


@pytest.mark.parametrize("how", ["read", "stream"])
def test_pipes(how):
    done = subprocess.run([sys.executable, "-c", PIPE, how], input=TREEBANK.to_bytes(), capture_output=True, check=True)
    assert done.stdout == TREEBANK.to_bytes()


# Writing is all or nothing


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.conllu"
    write_conllu(parse_conllu(conllu(chain("old"))), path)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_conllu(TREEBANK, path)
    assert forms(path) == ["old"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk(tmp_path, monkeypatch):
    path = tmp_path / "a.conllu"
    write_conllu(parse_conllu(conllu(chain("old"))), path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(TreegaugeError, match=r"cannot write .*a\.conllu: No space left"):
        write_conllu(TREEBANK, path)
    assert forms(path) == ["old"]
    assert list(tmp_path.iterdir()) == [path]


def test_writing_where_there_is_no_folder(tmp_path):
    with pytest.raises(TreegaugeError, match=r"cannot write .*no/a\.conllu: No such file"):
        write_conllu(TREEBANK, tmp_path / "no" / "a.conllu")
