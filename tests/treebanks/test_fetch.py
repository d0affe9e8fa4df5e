"""Fetching treebanks from archives and plain addresses, all on this machine."""

import gzip
import hashlib
import os
from pathlib import Path

import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.archives import OFFICIAL
from treegauge.treebanks.catalogue import catalogue
from treegauge.treebanks.downloads import MissingFileError
from treegauge.treebanks.fetch import fetch

from .server import serving
from .test_archives import FILES, TEXT, special, tar_bytes


@pytest.fixture
def site():
    with serving() as site:
        yield site


@pytest.fixture
def release(tmp_path):
    path = tmp_path / "ud-treebanks-v2.9.tgz"
    path.write_bytes(gzip.compress(tar_bytes(FILES)))
    return path


def found(into):
    return sorted(str(path.relative_to(into)) for path in into.rglob("*") if path.is_file())


GREEK = [
    f"r2.9/UD_Greek-GDT/{name}" for name in ("README.md", "el_gdt-ud-test.conllu", "el_gdt-ud-train.conllu", "empty")
]
WELSH = ["r2.9/UD_Welsh-CCG/cy_ccg-ud-test.conllu"]


# ------------------------------------------------------------------------------ archives


@pytest.mark.parametrize("wanted", ["UD_Greek-GDT@2.9", "Greek-GDT@2.9", "el_gdt@2.9", "EL_GDT", "UD_greek-gdt@r2.9"])
def test_out_of_a_release(release, into, wanted):
    (arrival,) = fetch(wanted, str(release), into=into).treebanks
    assert found(into) == GREEK
    assert arrival.version == f"sha256:{hashlib.sha256(release.read_bytes()).hexdigest()}"
    assert {file.name: file.sha256 for file in arrival.files} == {
        Path(name).name: hashlib.sha256((into / name).read_bytes()).hexdigest() for name in found(into)
    }


def test_what_was_fetched_is_in_the_catalogue(release, into):
    fetch(["el_gdt@2.9", "cy_ccg@2.9"], release, into=into)  # a path will do
    assert catalogue(into).find("el_gdt@2.9").total.words == 3001
    assert [str(entry) for entry in catalogue(into)] == ["UD_Greek-GDT@2.9", "UD_Welsh-CCG@2.9"]


def test_everything(tmp_path, into):
    (tmp_path / "r2.9.tar").write_bytes(tar_bytes(FILES))
    fetch("all@2.9", str(tmp_path / "r2.9.tar"), into=into)
    assert found(into) == GREEK + WELSH


def test_the_folder_of_a_release_that_is_there_is_used(release, into):
    (into / "ud-treebanks-v2.9").mkdir(parents=True)
    fetch("cy_ccg@2.9", str(release), into=into)
    fetch("cy_ccg@2.9", str(release), into=into / "elsewhere" / "r2.9")
    assert found(into) == [
        "elsewhere/r2.9/UD_Welsh-CCG/cy_ccg-ud-test.conllu",
        "ud-treebanks-v2.9/UD_Welsh-CCG/cy_ccg-ud-test.conllu",
    ]


def test_an_archive_of_one_repository(tmp_path, into):
    archive = tmp_path / "archive.tar"
    archive.write_bytes(tar_bytes({"UD_Greek-GDT-r2.9/el_gdt-ud-test.conllu": TEXT}))
    fetch("UD_Greek-GDT", str(archive), into=into)
    assert found(into) == ["r2.9/UD_Greek-GDT/el_gdt-ud-test.conllu"]


def test_an_archive_without_folders(tmp_path, into):
    archive = tmp_path / "archive.tar"
    archive.write_bytes(tar_bytes({"el_gdt-ud-test.conllu": TEXT}))
    fetch("UD_Greek-GDT", str(archive), into=into)
    assert found(into) == ["UD_Greek-GDT/el_gdt-ud-test.conllu"]
    with pytest.raises(TreegaugeError, match="name the one you want"):
        fetch("el_gdt@2.9", str(archive), into=into)
    with pytest.raises(ChoiceError):
        fetch("UD_Welsh-CCG@2.9", str(archive), into=into)


def test_a_treebank_that_is_there_is_left_alone(release, into):
    fetch("el_gdt@2.9", str(release), into=into)
    (into / GREEK[0]).write_text("mine")
    again = fetch(["UD_Greek-GDT@2.9", "el_gdt@2.9"], str(release), into=into)
    assert again.table["status"].to_list() == ["existed", "existed"]
    assert (into / GREEK[0]).read_text() == "mine"
    fetch("UD_Greek-GDT@2.9", str(release), into=into, replace=True)
    assert (into / GREEK[0]).read_bytes() == b"Greek" and found(into) == GREEK


def test_a_treebank_that_is_there_needs_no_source(release, into):
    fetch("el_gdt@2.9", str(release), into=into)
    release.unlink()
    (arrival,) = fetch("UD_Greek-GDT@2.9", str(release), into=into).treebanks
    assert arrival.files == ()


def test_another_release_is_not_passed_off(release, into):
    with pytest.raises(TreegaugeError, match=r"found release 2\.9 of el_gdt, expected 2\.5"):
        fetch("el_gdt@2.5", str(release), into=into)
    assert not into.exists()


def test_two_releases_in_one_archive(tmp_path, into):
    archive = tmp_path / "both.tar"
    names = [f"all/{r}/UD_Greek-GDT/el_gdt-ud-test.conllu" for r in ("r2.5", "r2.9")]
    archive.write_bytes(tar_bytes({names[0]: TEXT, names[1]: TEXT * 2}))
    with pytest.raises(TreegaugeError, match="name its release"):
        fetch("el_gdt", str(archive), into=into)
    fetch("el_gdt@2.9", str(archive), into=into)
    assert catalogue(into).find("el_gdt").total.words == 2


def test_what_is_not_in_the_archive(release, into):
    with pytest.raises(ChoiceError, match=r"did you mean|choices: UD_Greek-GDT") as caught:
        fetch("UD_Greek-GTD@2.9", str(release), into=into)
    assert "UD_Greek-GDT" in caught.value.choices


def test_an_archive_of_something_else(tmp_path, into):
    (tmp_path / "a.tar").write_bytes(tar_bytes({"docs/index.md": b"x"}))
    with pytest.raises(TreegaugeError, match="found no CoNLL-U file"):
        fetch("el_gdt@2.9", str(tmp_path / "a.tar"), into=into)


@pytest.mark.parametrize("replace", [False, True])
def test_nothing_half_written_is_left(tmp_path, into, replace):
    bad = special("ud-treebanks-v2.9/UD_Greek-GDT/passwd", b"2", "/etc/passwd")
    (tmp_path / "bad.tar").write_bytes(tar_bytes(FILES, bad))
    old = into / "r2.9/UD_Greek-GDT/el_gdt-ud-test.conllu"
    if replace:
        old.parent.mkdir(parents=True)
        old.write_text("old")
    with pytest.raises(TreegaugeError, match="is a link"):
        fetch("UD_Greek-GDT@2.9", str(tmp_path / "bad.tar"), into=into, replace=replace)
    left = [str(path.relative_to(into)) for path in into.rglob("*")]
    assert sorted(left) == (["r2.9", *map(str, (Path(GREEK[1]).parent, GREEK[1]))] if replace else ["r2.9"])
    assert not replace or old.read_text() == "old"


@pytest.mark.fault("an interrupt while treebanks are unpacked")
def test_an_interruption_leaves_nothing(release, into, monkeypatch):
    def stop(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("treegauge.treebanks.fetch.unpack", stop)
    with pytest.raises(KeyboardInterrupt):
        fetch("el_gdt@2.9", str(release), into=into)
    assert list((into / "r2.9").iterdir()) == []


def test_a_folder_that_is_no_treebank_is_not_overwritten(release, into):
    (into / "r2.9/UD_Greek-GDT").mkdir(parents=True)
    (into / "r2.9/UD_Greek-GDT/notes").write_text("mine")
    with pytest.raises(TreegaugeError, match="exists already"):
        fetch("el_gdt@2.9", str(release), into=into)
    assert found(into) == ["r2.9/UD_Greek-GDT/notes"]


def test_folders_may_be_entered_by_others(release, into):
    mask = os.umask(0o022)
    try:
        fetch("el_gdt@2.9", str(release), into=into)
    finally:
        os.umask(mask)
    assert (into / "r2.9/UD_Greek-GDT").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("right", [True, False])
def test_checksums_of_archives_here(release, into, right):
    told = hashlib.sha256(release.read_bytes()).hexdigest() if right else "0" * 64
    if right:
        assert fetch("el_gdt@2.9", str(release), into=into, sha256=told).signature.endswith(told)
        return
    with pytest.raises(TreegaugeError, match="checksum differs"):
        fetch("el_gdt@2.9", str(release), into=into, sha256=told)
    assert not into.exists()


# ------------------------------------------------------------------------------ addresses


def test_from_a_server_with_a_break(release, into, site, tmp_path, watcher):
    data = release.read_bytes()
    site.files["/d/ud-treebanks-v2.9.tgz"] = data
    site.breaks = [len(data) // 2]
    source = f"{site.url}/d/ud-treebanks-v{{release}}.tgz"
    (arrival,) = fetch("el_gdt@2.9", source, into=into, sha256=hashlib.sha256(data).hexdigest()).treebanks
    assert found(into) == GREEK and arrival.source.endswith("-v2.9.tgz")
    assert (len(data), len(data)) in watcher.steps
    assert [asked for _, asked in site.asked] == [None, f"bytes={len(data) // 2}-"]
    fetch("cy_ccg@2.9", source, into=into)
    assert len(site.asked) == 2 and found(into) == GREEK + WELSH
    fetch("cy_ccg@2.9", source, into=into, refresh=True, replace=True)
    assert len(site.asked) == 3
    assert any((tmp_path / "cache").iterdir())


def test_a_wrong_checksum_of_a_download(release, into, site):
    site.files["/a.tgz"] = release.read_bytes()
    with pytest.raises(TreegaugeError, match="checksum differs"):
        fetch("el_gdt@2.9", f"{site.url}/a.tgz", into=into, sha256="0" * 64)
    assert not into.exists()


def test_a_landing_page_is_told(into, site):
    site.files["/handle"] = b"<!DOCTYPE html><html>Choose a file</html>"
    with pytest.raises(TreegaugeError, match="it is a web page"):
        fetch("el_gdt@2.9", f"{site.url}/handle", into=into)


def test_single_files(into, site):
    for split in ("train", "test"):
        site.files[f"/r2.9/UD_Greek-GDT/el_gdt-ud-{split}.conllu"] = TEXT
    source = f"{site.url}/r{{release}}/{{name}}/{{code}}-ud-{{split}}.conllu"
    (arrival,) = fetch("UD_Greek-GDT@2.9", source, into=into).treebanks
    assert found(into) == [f"r2.9/UD_Greek-GDT/el_gdt-ud-{part}.conllu" for part in ("test", "train")]
    assert [file.name for file in arrival.files] == ["el_gdt-ud-train.conllu", "el_gdt-ud-test.conllu"]


def test_single_files_here(into, tmp_path):
    (tmp_path / "el_gdt-ud-test.conllu.gz").write_bytes(gzip.compress(TEXT))
    fetch("UD_Greek-GDT@2.9", f"{tmp_path}/{{code}}-ud-{{split}}.conllu.gz", into=into)
    assert catalogue(into).find("el_gdt").total.words == 1


def test_no_single_file(into, site):
    source = f"{site.url}/{{code}}-ud-{{split}}.conllu"
    with pytest.raises(MissingFileError, match="found none of train, dev, test"):
        fetch("UD_Greek-GDT@2.9", source, into=into)
    site.refuses = [403]
    with pytest.raises(TreegaugeError, match="403"):
        fetch("UD_Greek-GDT@2.9", source, into=into)
    assert not into.exists()


@pytest.mark.parametrize("sha256", ["abc", "g" * 64])
def test_checksums_that_are_none(release, into, sha256):
    with pytest.raises(TreegaugeError, match="64 hexadecimal digits"):
        fetch("el_gdt@2.9", str(release), into=into, sha256=sha256)


def test_one_checksum_is_for_one_file(into):
    with pytest.raises(TreegaugeError, match="one checksum for 2 downloads"):
        fetch(["UD_A-B@2.9", "UD_C-D@2.9"], "https://x/{name}.tar", into=into, sha256="0" * 64)
    with pytest.raises(TreegaugeError, match="one checksum for three files"):
        fetch("UD_Greek-GDT@2.9", "https://x/{split}.conllu", into=into, sha256="0" * 64)


# ------------------------------------------------------------------------------ results


def test_results_print_in_every_way(release, into):
    result = fetch(["el_gdt@2.9", "cy_ccg@2.9"], str(release), into=into)
    told = result.to_dict()
    assert [row["treebank"] for row in told["rows"]] == ["UD_Greek-GDT", "UD_Welsh-CCG"]
    assert told["rows"][1]["files"] == [
        {"name": "cy_ccg-ud-test.conllu", "size": len(TEXT), "sha256": hashlib.sha256(TEXT).hexdigest()}
    ]
    assert result.table["bytes"].to_list()[1] == len(TEXT)
    assert "fetched" in str(result) and result.to_latex() and result.to_html()


# ------------------------------------------------------------------------------ language data


def language_files():
    return {name: b'{"%s": {}}' % key.encode() for name, key in OFFICIAL.items()}


def test_language_data_from_an_address(site, into):
    site.files |= {f"/valrules/{name}": data for name, data in language_files().items()}
    source = f"{site.url}/valrules/{{file}}"
    (arrival,) = fetch("language-data", source, into=into).treebanks
    assert arrival.folder == into / "language-data"
    assert found(into) == sorted(f"language-data/{name}" for name in OFFICIAL)
    site.files["/valrules/feats.json"] = b'{"features": {"el": {}}}'
    fetch("language-data", source, into=into)
    assert (into / "language-data/feats.json").read_bytes() == b'{"features": {}}'
    fetch("language-data", source, into=into, replace=True)
    assert (into / "language-data/feats.json").read_bytes() == b'{"features": {"el": {}}}'
    site.files["/valrules/feats.json"] = b"<html>Please log in</html>"
    with pytest.raises(TreegaugeError, match=r"feats\.json: found no table 'features'"):
        fetch("language-data", source, into=into, replace=True)


def test_language_data_from_a_folder_all_or_nothing(tmp_path, into):
    for name, data in language_files().items():
        (tmp_path / name).write_bytes(data)
    fetch("language-data", str(tmp_path), into=into)
    assert len(found(into)) == 5
    (tmp_path / "data.json").unlink()
    with pytest.raises(MissingFileError, match=r"data\.json: no such file"):
        fetch("language-data", str(tmp_path), into=into, replace=True)
    assert len(found(into)) == 5


def test_language_data_that_cannot_be_fetched(tmp_path, into):
    with pytest.raises(TreegaugeError, match=r"found no folder, expected one with feats\.json"):
        fetch("language-data", str(tmp_path / "no"), into=into)
    with pytest.raises(TreegaugeError, match="is fetched alone"):
        fetch(["language-data", "el_gdt@2.9"], str(tmp_path), into=into)
