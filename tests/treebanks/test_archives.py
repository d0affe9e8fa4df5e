"""Archives that are what they should be, and archives that mean harm."""

import bz2
import gzip
import hashlib
import io
import lzma
import tarfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks import archives
from treegauge.treebanks.archives import ArchiveLimits, treebanks, unpack

TEXT = b"1\tw\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
GREEK = ("ud-treebanks-v2.9", "UD_Greek-GDT")
FILES = {
    "ud-treebanks-v2.9/UD_Greek-GDT/el_gdt-ud-train.conllu": TEXT * 3000,
    "ud-treebanks-v2.9/UD_Greek-GDT/el_gdt-ud-test.conllu": TEXT,
    "ud-treebanks-v2.9/UD_Greek-GDT/README.md": b"Greek",
    "ud-treebanks-v2.9/UD_Greek-GDT/empty": b"",
    "ud-treebanks-v2.9/UD_Greek-GDT/.hidden": b"no",
    "ud-treebanks-v2.9/UD_Greek-GDT/not-to-release/old.conllu": TEXT,
    "ud-treebanks-v2.9/UD_Welsh-CCG/cy_ccg-ud-test.conllu": TEXT,
    "ud-treebanks-v2.9/LICENSE.txt": b"many",
}
PLACE = "ud-treebanks-v2.9/UD_Greek-GDT"


def tar_bytes(files, *extra):
    """Pack files, then members given as TarInfo."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info in extra:
            tar.addfile(info, io.BytesIO(bytes(info.size)) if info.size else None)
    return packed.getvalue()


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.fixture
def save(tmp_path):
    def save(data):
        path = tmp_path / "archive"
        path.write_bytes(data)
        return path

    return save


@pytest.fixture
def empty(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def take(archive, folder, **limits):
    return unpack(archive, {GREEK: folder}, limits=ArchiveLimits(**limits))[GREEK]


def everything(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


PACKERS = {
    "tar": lambda: tar_bytes(FILES),
    "tar.gz": lambda: gzip.compress(tar_bytes(FILES)),
    "tar.bz2": lambda: bz2.compress(tar_bytes(FILES)),
    "tar.xz": lambda: lzma.compress(tar_bytes(FILES)),
}


@pytest.mark.parametrize("kind", PACKERS)
def test_treebanks_come_out_of_every_kind(save, empty, kind):
    archive = save(PACKERS[kind]())
    assert treebanks(archive) == {
        GREEK: ["el_gdt-ud-train.conllu", "el_gdt-ud-test.conllu"],
        (*GREEK, "not-to-release"): ["old.conllu"],
        ("ud-treebanks-v2.9", "UD_Welsh-CCG"): ["cy_ccg-ud-test.conllu"],
    }
    written = take(archive, empty)
    names = ["el_gdt-ud-train.conllu", "el_gdt-ud-test.conllu", "README.md", "empty"]
    assert [file.name for file in written] == names
    assert everything(empty) == sorted(names)
    for file in written:
        data = FILES[f"{PLACE}/{file.name}"]
        assert (empty / file.name).read_bytes() == data
        assert (file.size, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_many_in_one_go(save, tmp_path):
    targets = {GREEK: tmp_path / "a", ("ud-treebanks-v2.9", "UD_Welsh-CCG"): tmp_path / "b"}
    for target in targets.values():
        target.mkdir()
    written = unpack(save(PACKERS["tar.gz"]()), targets)
    assert [len(files) for files in written.values()] == [4, 1]


@pytest.mark.parametrize("kind", ["tar.gz"])
def test_progress_is_in_bytes_of_the_archive(save, kind, watcher):
    archive = save(PACKERS[kind]())
    treebanks(archive)
    assert watcher.steps
    assert all(0 <= done <= total == archive.stat().st_size for done, total in watcher.steps)


def test_modes_and_owners_of_an_archive_mean_nothing(save, empty):
    info = tarfile.TarInfo(f"{PLACE}/x.conllu")
    info.mode, info.uid, info.mtime = 0o6777, 0, 1
    take(save(tar_bytes({}, info)), empty)
    found = (empty / "x.conllu").stat()
    assert not found.st_mode & 0o6111 and found.st_mtime > 1000


# ------------------------------------------------------------------------------- harm


OUTSIDE = [
    "/etc/evil", "../evil", f"{PLACE}/../../../evil", f"{PLACE}/..", "a/../../b",
    "C:/evil", "C:evil", "..\\evil", f"{PLACE}\\..\\evil",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("pack", [tar_bytes])
def test_paths_that_lead_outside(save, empty, pack, name):
    archive = save(pack(FILES | {name: b"evil"}))
    for call in (lambda: treebanks(archive), lambda: take(archive, empty)):
        with pytest.raises(TreegaugeError, match=r"refused: the path .* leads outside"):
            call()
    assert not list(empty.parent.rglob("*evil*"))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices(save, empty, kind):
    bad = special(f"{PLACE}/el_gdt-ud-dev.conllu", kind, "/etc/passwd")
    with pytest.raises(TreegaugeError, match=r"refused: .*el_gdt-ud-dev.conllu.* is a link, a device"):
        take(save(tar_bytes(FILES, bad)), empty)
    assert "el_gdt-ud-dev.conllu" not in everything(empty)


def test_a_link_cannot_stand_for_a_folder(save, tmp_path, empty):
    """The classic: a link to elsewhere, then a file through it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    link = special(PLACE, tarfile.SYMTYPE, str(outside))
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        tar.addfile(link)
        info = tarfile.TarInfo(f"{PLACE}/x.conllu")
        info.size = 4
        tar.addfile(info, io.BytesIO(b"evil"))
    take(save(data.getvalue()), empty)
    assert everything(outside) == [] and everything(empty) == ["x.conllu"]


def test_links_elsewhere_do_no_harm(save, empty):
    far = special("ud-treebanks-v2.9/UD_Welsh-CCG/link", tarfile.SYMTYPE, "/etc/passwd")
    assert len(take(save(tar_bytes(FILES, far)), empty)) == 4


@pytest.mark.parametrize("name", ["a\nb.conllu", "a:b", "x" * 300, 'a"b', "\x1b[2J"])
def test_names_that_are_no_names(save, empty, name):
    with pytest.raises(TreegaugeError, match="no safe name"):
        take(save(tar_bytes({f"{PLACE}/{name}": b"x"})), empty)
    assert everything(empty) == []


@pytest.mark.parametrize("twin", ["x.conllu", "X.conllu"])
def test_a_name_twice(save, empty, twin):
    info = tarfile.TarInfo(f"{PLACE}/{twin}")
    with pytest.raises(TreegaugeError, match="more than once"):
        take(save(tar_bytes({f"{PLACE}/x.conllu": TEXT}, info)), empty)


@pytest.mark.fault("an archive that is a bomb")
def test_bombs_end_early(save, empty):
    huge = {f"{PLACE}/x.conllu": bytes(80 << 20)}
    for data in (gzip.compress(tar_bytes(huge)), bz2.compress(tar_bytes(huge))):
        assert len(data) < 1 << 20
        with pytest.raises(TreegaugeError, match="unpacks to more than"):
            take(save(data), empty)
        assert sum(path.stat().st_size for path in empty.iterdir()) <= 65 << 20
        for path in empty.iterdir():
            path.unlink()


def test_bombs_outside_what_is_wanted(save, empty):
    huge = {"elsewhere/x": bytes(80 << 20)} | FILES
    with pytest.raises(TreegaugeError, match="unpacks to more than"):
        take(save(gzip.compress(tar_bytes(huge))), empty)


def test_an_absolute_limit(save, empty):
    with pytest.raises(TreegaugeError, match="unpacks to more than 20,000 bytes"):
        take(save(tar_bytes(FILES)), empty, size=20_000)


@pytest.mark.parametrize("pack", [tar_bytes])
def test_too_many_files(save, empty, pack):
    many = {f"{PLACE}/{i}.conllu": b"" for i in range(50)}
    assert len(take(save(pack(many)), empty, members=50)) == 50
    with pytest.raises(TreegaugeError, match="more than 49 files"):
        treebanks(save(pack(many)), limits=ArchiveLimits(members=49))


def test_a_huge_header_takes_no_memory(save):
    info = tarfile.TarInfo("x" * 99)
    info.type, info.size = tarfile.XHDTYPE, 40 << 20  # says: 40 MB of names follow
    archive = save(gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(40 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(TreegaugeError, match="has a header of 41,943,040 bytes"):
            treebanks(archive)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_headers_upon_headers(save):
    info = tarfile.TarInfo("x")
    info.type = tarfile.XHDTYPE
    with pytest.raises(TreegaugeError, match=r"nested too deeply|cannot unpack|refused"):
        treebanks(save(info.tobuf() * 5000))


def test_sparse_files_are_refused(save, empty):
    info = tarfile.TarInfo(f"{PLACE}/x.conllu")
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[156:157] = b"S"
    header[386:398], header[398:410] = b"00000000000\0", b"00000000000\0"
    header[483:495] = b"77777777777\0"  # eight gigabytes, none of them here
    header[148:156] = b"        "
    header[148:156] = b"%06o\0 " % sum(header)
    with pytest.raises(TreegaugeError, match="refused"):
        take(save(bytes(header) + bytes(1024)), empty)
    assert everything(empty) == []


@pytest.mark.fault("an archive that is cut off or damaged")
@pytest.mark.parametrize("kind", PACKERS)
def test_what_was_cut_off_is_told(save, empty, kind):
    data = PACKERS[kind]()
    end = data.rstrip(b"\0") if kind == "tar" else data
    for size in (0, 3, len(end) // 2, len(end) - 5):
        archive = save(data[:size])
        with pytest.raises(TreegaugeError):
            treebanks(archive)


@pytest.mark.parametrize("kind", ["tar", "tar.gz"])
def test_damage_between_files_is_no_end(save, kind):
    """tarfile takes a damaged header for the end, and half a treebank would pass for one."""
    plain = bytearray(tar_bytes(FILES))
    at = plain.index(b"ud-treebanks-v2.9/UD_Greek-GDT/README.md")
    plain[at] ^= 1
    data = bytes(plain) if kind == "tar" else gzip.compress(plain)
    with pytest.raises(TreegaugeError, match="cannot unpack"):
        treebanks(save(data))


@pytest.mark.fault("an archive that is cut off or damaged")
def test_a_flipped_bit_is_noticed(save, empty):
    for kind in ("tar.gz", "tar.xz"):
        data = bytearray(PACKERS[kind]())
        data[120] ^= 4
        with pytest.raises(TreegaugeError):
            take(save(bytes(data)), empty)
        for path in empty.iterdir():
            path.unlink()


def test_a_zip_file_is_told(save):
    with pytest.raises(TreegaugeError, match="it is a zip file: expected a tar file"):
        treebanks(save(b"PK\x03\x04" + bytes(2000)))


def test_a_web_page_is_told(save):
    with pytest.raises(TreegaugeError, match="it is a web page"):
        treebanks(save(b"<!doctype html><title>Please log in</title>" + b" " * 2000))


def test_no_archive(save, tmp_path):
    with pytest.raises(TreegaugeError, match="cannot unpack"):
        treebanks(save(b""))
    with pytest.raises(FileNotFoundError):
        treebanks(tmp_path / "nowhere")


@pytest.mark.fault("an archive that is cut off or damaged")
@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(PACKERS)), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=8)
)
def test_any_damage_gives_an_error_or_files_inside(tmp_path_factory, kind, damage):
    folder = tmp_path_factory.mktemp("fuzz")
    data = bytearray(PACKERS[kind]())
    for place, byte in damage:
        data[int(place * (len(data) - 1))] = byte
    (folder / "archive").write_bytes(data)
    (folder / "out").mkdir()
    try:
        written = unpack(folder / "archive", {GREEK: folder / "out"})[GREEK]
    except TreegaugeError:
        written = None
    found = everything(folder)
    assert {Path(name).parts[0] for name in found} <= {"archive", "out"}
    assert all(len(Path(name).parts) <= 2 for name in found)
    if written is not None:
        assert sorted(file.name for file in written) == everything(folder / "out")


def test_steps_back_do_not_unpack_again(save, monkeypatch):
    """Empty files make tarfile step back a byte; a packed stream must not start anew for that."""
    rewinds = []
    monkeypatch.setattr(gzip.GzipFile, "rewind", lambda self: rewinds.append(1), raising=True)
    many = {f"{PLACE}/{i}": b"" for i in range(200)} | FILES
    assert GREEK in treebanks(save(gzip.compress(tar_bytes(many))))
    assert rewinds == []


def test_reads_are_bounded():
    stream = archives._Forward(io.BytesIO(bytes(10)), 100)
    assert stream.read(4) == bytes(4)
    stream.seek(3)
    assert stream.tell() == 3 and stream.read(2) == bytes(2) and stream.tell() == 5
    with pytest.raises(archives._RefusedError, match="backwards"):
        stream.seek(2)
    with pytest.raises(archives._RefusedError, match="header of"):
        stream.read(archives.STEP + 1)
