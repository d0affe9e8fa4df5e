"""``treegauge fetch``: thin over the library, every format, every error a sentence."""

import hashlib
import io
import json
import tarfile

import pytest

TEXT = b"1\tw\t_\tX\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def release(tmp_path, monkeypatch):
    """An archive as UD makes them; the user's own settings stay out of it."""
    for name in ("TREEGAUGE_SOURCE", "TREEGAUGE_UD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TREEGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "ud-treebanks-v2.9.tgz"
    with tarfile.open(path, "w:gz") as tar:
        for name in ("UD_Greek-GDT/el_gdt-ud-test.conllu", "UD_Welsh-CCG/cy_ccg-ud-test.conllu"):
            info = tarfile.TarInfo(f"ud-treebanks-v2.9/{name}")
            info.size = len(TEXT)
            tar.addfile(info, io.BytesIO(TEXT))
    return path


def test_fetch_then_find(command, release, tmp_path):
    done = command("fetch", "UD_Greek-GDT@2.9", "cy_ccg@2.9", "--from", release)
    assert done.code == 0 and done.err == ""
    assert done.out.count("fetched") == 2
    assert (tmp_path / "ud/r2.9/UD_Greek-GDT/el_gdt-ud-test.conllu").read_bytes() == TEXT
    assert "2 of 2 treebanks" in command("catalogue", "ud").out


def test_where_to_is_told_by_option_or_environment(command, release, tmp_path, monkeypatch):
    command("fetch", "el_gdt@2.9", "--from", release, "--into", tmp_path / "a")
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path / "b"))
    monkeypatch.setenv("TREEGAUGE_SOURCE", str(release.with_name("ud-treebanks-v{release}.tgz")))
    command("fetch", "el_gdt@2.9")
    for folder in ("a", "b"):
        assert (tmp_path / folder / "r2.9/UD_Greek-GDT").is_dir()


def test_json_has_checksums(command, release):
    told = json.loads(command("fetch", "el_gdt", "--from", release, "--format", "json").out)
    assert told["signature"].split("|")[1:] == ["v:fetch", f"source:{release}"]
    (row,) = told["rows"]
    assert (row["release"], row["status"]) == ("2.9", "fetched")
    digest = hashlib.sha256(TEXT).hexdigest()
    assert row["files"] == [{"name": "el_gdt-ud-test.conllu", "size": len(TEXT), "sha256": digest}]
    assert row["version"] == f"sha256:{hashlib.sha256(release.read_bytes()).hexdigest()}"


def test_twice_is_once(command, release):
    for status in ("fetched", "existed"):
        assert status in command("fetch", "UD_Greek-GDT@2.9", "--from", release).out
    assert "fetched" in command("fetch", "el_gdt@2.9", "--from", release, "--replace").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["all@2.9"], "11234/1-4611"),
        (["UD_Greek-GTD@2.9", "--from", "ud-treebanks-v2.9.tgz"], "UD_Greek-GDT"),
        (["el_gdt@2.5", "--from", "ud-treebanks-v2.9.tgz"], "found release 2.9"),
        (["el_gdt@2.9", "--from", "nowhere.tgz"], "no such file"),
        (["el_gdt@2.9", "--from", "ud-treebanks-v2.9.tgz", "--sha256", "0" * 64], "checksum"),
    ],
)
def test_errors_are_sentences(command, release, tmp_path, arguments, message):
    done = command("fetch", *arguments)
    assert (done.code, done.out) == (2, "") and message in done.err
    assert "Traceback" not in done.err and not (tmp_path / "ud").exists()
