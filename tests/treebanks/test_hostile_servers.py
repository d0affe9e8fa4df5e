"""Servers that never end, lie about sizes, or send something else than a treebank."""

import contextlib
import gzip
import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.treebanks import downloads
from treegauge.treebanks.downloads import cached_name, download
from treegauge.treebanks.fetch import fetch

from .server import serving
from .test_archives import FILES, TEXT, tar_bytes
from .test_fetch import found

PAGE = b"<!DOCTYPE html><html><body>Please log in</body></html>\n\n"
GREEK = "UD_Greek-GDT@2.9"
MOST = 5000
"""Sends and connections after which a server of these tests stops, whatever the client does."""


@pytest.fixture
def site(apart):
    with serving() as site:
        yield site


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(downloads, "PATIENCE", 0.3)
    monkeypatch.setattr(downloads, "SILENCE", 2.0)


@contextlib.contextmanager
def saying(*beginning, forever=b"", gap=0.0):
    """Answer every request with these bytes and then `forever`; yield address and requests."""
    asked = []

    def answer(connection):
        with connection, contextlib.suppress(OSError):
            connection.settimeout(5)
            asked.append(connection.recv(65536))
            connection.sendall(b"".join(beginning))
            for _ in range(MOST if forever else 0):
                connection.sendall(forever)
                time.sleep(gap)

    def serve():
        with contextlib.suppress(OSError):  # closed: the end
            for _ in range(MOST):
                threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/a.tgz", asked
        finally:
            server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


# ------------------------------------------------------------------------------ bounded loops


@pytest.mark.fault("a web server that hangs")
@pytest.mark.parametrize(
    ("beginning", "forever"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b'HTTP/1.1 200 OK\r\nETag: "', b"x"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", b"a: b\r\n"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
        (b"HTTP/1.1 302 Found\r\nLocation: /a.tgz\r\n\r\n", b"x" * 1000),
    ],
    ids=["continue", "header", "trailers", "trickle", "redirections"],
)
def test_answers_without_end_are_ended(impatient, tmp_path, beginning, forever):
    with saying(beginning, forever=forever, gap=0.002) as (url, asked):
        start = time.monotonic()
        with pytest.raises(TreegaugeError, match="cannot download"):
            download(url, tmp_path / "a.tgz", pause=0.001)
    assert time.monotonic() - start < 10 and len(asked) <= 12
    assert not list(tmp_path.glob("tmp*")) and not (tmp_path / "a.tgz").exists()


@pytest.mark.fault("a web server that breaks off or lies")
def test_wrong_bytes_with_a_range_are_asked_for_twice_at_most(tmp_path):
    body = b"wrong bytes"
    part = b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes %d-%d/%d\r\n\r\n"
    for left, most in ((b"", 1), (b"left", 2)):
        target = tmp_path / f"{most}.tgz"
        target.with_name(f"{target.name}.part").write_bytes(left)
        asked = []

        def reply(have, asked=asked):
            asked.append(have)
            return part % (have, len(body) - 1, len(body)) + body[have:]

        with answering(reply) as url, pytest.raises(TreegaugeError, match="checksum differs"):
            download(url, target, sha256="0" * 64, pause=0.001)
        assert len(asked) == most


@contextlib.contextmanager
def answering(reply):
    """Answer requests with what `reply` makes of the first byte that is asked for."""

    def serve():
        with contextlib.suppress(OSError):
            for _ in range(MOST):
                connection = server.accept()[0]
                with connection, contextlib.suppress(OSError):
                    wanted = connection.recv(65536).partition(b"bytes=")[2].partition(b"-")[0]
                    connection.sendall(reply(int(wanted or 0)))

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/a.tgz"
        finally:
            server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


@pytest.mark.fault("a web server that breaks off or lies")
def test_a_byte_per_connection_is_no_progress(tmp_path):
    with (
        answering(pieces(bytes(100_000), 1, asked := [])) as url,
        pytest.raises(TreegaugeError, match="cannot download"),
    ):
        download(url, tmp_path / "a.tgz", pause=0.001)
    assert len(asked) <= downloads.TRIES + 1


def test_the_number_of_requests_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "REQUESTS", 20)
    with (
        answering(pieces(bytes(9_000_000), 70_000, asked := [])) as url,
        pytest.raises(TreegaugeError, match=r"cannot download.*\(request 20\)"),
    ):
        download(url, tmp_path / "a.tgz", pause=0.0001)
    assert len(asked) == 20


@pytest.mark.fault("a web server that breaks off or lies")
def test_a_piece_of_a_piece_is_not_the_file(tmp_path):
    data = bytes(range(256)) * 500
    with answering(pieces(data, 70_000, asked := [])) as url:
        download(url, tmp_path / "a.tgz", pause=0.001)
    assert (tmp_path / "a.tgz").read_bytes() == data and asked == [0, 70_000]


def pieces(data, size, asked):
    """Answer with a piece of the data, whatever is asked for."""

    def reply(have):
        asked.append(have)
        piece = data[have : have + size]
        span = b"bytes %d-%d/%d" % (have, have + len(piece) - 1, len(data))
        head = b'HTTP/1.1 206 X\r\nContent-Range: %s\r\nETag: "a"\r\n' % span
        return head + b"Content-Length: %d\r\n\r\n" % len(piece) + piece

    return reply


def test_the_time_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "LONGEST", 0.5)
    ok = b"HTTP/1.1 200 OK\r\n\r\n"
    with (
        saying(ok, forever=bytes(100_000), gap=0.01) as (url, _),
        pytest.raises(TreegaugeError, match=r"not complete after 0\.5 s"),
    ):
        download(url, tmp_path / "a.tgz", pause=0.001)


# ------------------------------------------------------------------------------ true causes


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize("sha256", [None, "0" * 64])
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nx", r"found Content-Length '9{40}'"),
        (OK + b"Content-Length: -1\r\n\r\nx", "found Content-Length '-1'"),
        (OK + b"Content-Length: \xb2\r\n\r\nx", "found Content-Length '²'"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nx", "cannot download: IncompleteRead"),
        (OK + b"Content-Length: 9\r\n\r\nx", "the connection ended after 1 of 9 bytes"),
        (OK + b"Content-Length: 0\r\n\r\n", "the server sent an empty file"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", "the server answers 204 No Content"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n", r"redirects to the .* 'http://\['"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:99999/\r\n\r\n", "redirects to the"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://h:x/\r\n\r\n", "invalid address 'http://h:x/'"),
        (b"HTTP/1.1 302 Found\r\n\r\n", "the server answers 302 Found"),
        (b"nonsense\r\n\r\n", "cannot download: nonsense"),
    ],
)
def test_the_cause_is_named(tmp_path, apart, answer, message, sha256):
    with saying(answer) as (url, asked), pytest.raises(TreegaugeError, match=message) as caught:
        download(url, tmp_path / "a.tgz", sha256=sha256, pause=0.001)
    assert "checksum" not in str(caught.value) and len(asked) <= downloads.TRIES
    assert not (tmp_path / "a.tgz").exists() and not list(tmp_path.glob("tmp*"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://127.0.0.1:1/é.tgz", "found 'é' in the address .*, expected ASCII: %C3%A9"),
        ("http://bücher.example/a.tgz", "expected ASCII: the form of the host with xn--"),
        ("http://127.0.0.1:1/a%00.tgz", "found %00 in the address"),
        ("http://127.0.0.1:99999/a.tgz", "not an address: .*0-65535"),
    ],
)
def test_addresses_that_cannot_be_asked(tmp_path, apart, url, message):
    with pytest.raises(TreegaugeError, match=message):
        download(url, tmp_path / "a.tgz", sha256="0" * 64)


def test_a_file_that_cannot_be_resumed_is_not_said_to_be_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "TRIES", 1)
    with (
        saying(OK + b"Content-Length: 9\r\n\r\nx") as (url, _),
        pytest.raises(TreegaugeError, match=r"1 of 9 bytes \(request 1\)$"),
    ):
        download(url, tmp_path / "a.tgz")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tgz.lock"]


# ------------------------------------------------------------------------------ only treebanks


@pytest.mark.fault("a web server that breaks off or lies")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (PAGE, "found a web page, expected CoNLL-U"),
        (b'{"error": "forbidden"}\n', "expected CoNLL-U"),
        (b"# text = none\n\n", "expected CoNLL-U"),
        (TEXT * 3 + b"1\tw\t_\tX", "was cut off"),
        (TEXT * 3 + TEXT.rstrip(b"\n") + b"\n", "was cut off"),
    ],
)
@pytest.mark.parametrize("pattern", ["/{code}-ud-{split}.conllu", "/d?s={split}"])
def test_only_conllu_is_a_treebank(into, site, body, message, pattern):
    for split in ("train", "dev", "test"):
        path = pattern.replace("{code}", "el_gdt").replace("{split}", split)
        site.files[path] = TEXT if split == "train" else body
    with pytest.raises(TreegaugeError, match=message):
        fetch(GREEK, site.url + pattern, into=into)
    assert not into.exists()
    for split in ("train", "dev", "test"):  # the bad answers did not stay in the cache
        path = pattern.replace("{code}", "el_gdt").replace("{split}", split)
        site.files[path] = TEXT * 2
    fetch(GREEK, site.url + pattern, into=into)
    names = [f"r2.9/UD_Greek-GDT/el_gdt-ud-{split}.conllu" for split in ("dev", "test", "train")]
    assert found(into) == names
    sizes = [(into / name).stat().st_size for name in names]
    assert sizes == [2 * len(TEXT), 2 * len(TEXT), len(TEXT)]  # train was kept


@pytest.mark.parametrize("body", [PAGE, TEXT + b"1\tw", b""])
def test_archives_hold_conllu_too(into, tmp_path, body):
    names = dict(FILES) | {"ud-treebanks-v2.9/UD_Greek-GDT/el_gdt-ud-dev.conllu": body}
    (tmp_path / "a.tar").write_bytes(tar_bytes(names))
    with pytest.raises(TreegaugeError, match=r"a\.tar: .*UD_Greek-GDT/el_gdt-ud-dev\.conllu: "):
        fetch(GREEK, str(tmp_path / "a.tar"), into=into)
    assert found(into) == []


def test_packed_files_are_unpacked_to_check_them(into, tmp_path):
    pattern = f"{tmp_path}/{{code}}-ud-{{split}}.conllu.gz"
    path = tmp_path / "el_gdt-ud-test.conllu.gz"
    for body in (gzip.compress(PAGE), PAGE):
        path.write_bytes(body)
        with pytest.raises(TreegaugeError, match=r"el_gdt-ud-test\.conllu\.gz: .*expected"):
            fetch(GREEK, pattern, into=into)
    path.write_bytes(gzip.compress(TEXT))
    fetch(GREEK, pattern, into=into)
    assert found(into) == ["r2.9/UD_Greek-GDT/el_gdt-ud-test.conllu.gz"]


def test_a_bad_archive_does_not_stay_in_the_cache(into, site, tmp_path):
    site.files["/a.tgz"] = PAGE
    cached = tmp_path / "cache" / cached_name(f"{site.url}/a.tgz")
    with pytest.raises(TreegaugeError, match="it is a web page"):
        fetch(GREEK, f"{site.url}/a.tgz", into=into)
    assert not cached.exists()
    cached.write_bytes(PAGE)
    with pytest.raises(TreegaugeError, match="read from the cache, --refresh downloads it again"):
        fetch(GREEK, f"{site.url}/a.tgz", into=into)
    site.files["/a.tgz"] = tar_bytes(FILES)
    fetch(GREEK, f"{site.url}/a.tgz", into=into)
    with pytest.raises(ChoiceError, match="--refresh downloads it again") as caught:
        fetch("UD_Greek-GUD@2.9", f"{site.url}/a.tgz", into=into)
    assert "UD_Greek-GDT" in caught.value.choices and cached.exists()


# ------------------------------------------------------------------------------ nothing dropped


@pytest.mark.parametrize("pattern", ["/d?s={split}", "/{split}/el_gdt.conllu", "/{split}%2f"])
def test_every_split_has_its_own_name(into, site, pattern):
    for number, split in enumerate(("train", "dev", "test"), 1):
        site.files[pattern.replace("{split}", split)] = TEXT * number
    (arrival,) = fetch(GREEK, site.url + pattern, into=into).treebanks
    sizes = {file.name: file.size // len(TEXT) for file in arrival.files}
    expected = {"train": 1, "dev": 2, "test": 3}
    assert sizes == {f"el_gdt-ud-{split}.conllu": size for split, size in expected.items()}
    for name, size in sizes.items():
        assert (into / "r2.9/UD_Greek-GDT" / name).read_bytes() == TEXT * size


def test_a_set_that_is_missing_is_named(command, into, site):
    site.files["/el_gdt-ud-test.conllu"] = TEXT
    source = f"{site.url}/{{code}}-ud-{{split}}.conllu"
    done = command("fetch", GREEK, "--source", source, "--into", into)
    assert f"{GREEK}: the source has no train and no dev set" in done.err


@pytest.mark.parametrize("wanted", ["all@2.9", "UD_Greek-GDT@2.9", "el_gdt@2.9"])
def test_two_folders_of_one_name_are_refused(into, tmp_path, wanted):
    name = "UD_Greek-GDT/el_gdt-ud-test.conllu"
    (tmp_path / "a.tar").write_bytes(tar_bytes({f"a/{name}": TEXT, f"b/c/{name}": TEXT * 2}))
    with pytest.raises(TreegaugeError, match=r"a/UD_Greek-GDT (and|or) b/c/UD_Greek-GDT"):
        fetch(wanted, str(tmp_path / "a.tar"), into=into)
    assert not into.exists()


def test_one_file_is_not_two_treebanks(into, site):
    site.files["/a.conllu"] = TEXT
    with pytest.raises(TreegaugeError, match="one address for 2 treebanks"):
        fetch([GREEK, "UD_Welsh-CCG@2.9"], f"{site.url}/a.conllu", into=into)


# ------------------------------------------------------------------------------ the cache


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser writes everywhere")
def test_a_cache_without_permission(into, site, tmp_path, monkeypatch):
    (tmp_path / "locked").mkdir(mode=0o500)
    monkeypatch.setenv("TREEGAUGE_CACHE", str(tmp_path / "locked"))
    with pytest.raises(TreegaugeError, match=r"locked: cannot write .*TREEGAUGE_CACHE"):
        fetch(GREEK, f"{site.url}/a.tgz", into=into)


@pytest.mark.parametrize("source", ["{}/a.tgz", "{}/a.conllu"])
def test_a_cache_that_cannot_be_written_is_named(into, site, tmp_path, source, monkeypatch):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("TREEGAUGE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(TreegaugeError, match=r"file/cache: cannot write .*TREEGAUGE_CACHE"):
        fetch(GREEK, source.format(site.url), into=into)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_not_the_servers_fault(site, tmp_path):
    site.files["/a.tgz"] = TEXT
    (tmp_path / "a.tgz.part").symlink_to("/dev/full")
    with pytest.raises(TreegaugeError, match=r"cannot write .*No space left.*TREEGAUGE_CACHE"):
        download(f"{site.url}/a.tgz", tmp_path / "a.tgz", pause=0.001)
    assert len(site.asked) == 1


@pytest.mark.fault("kill -9 in the middle of a download")
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_download_leaves_only_what_the_next_one_uses(tmp_path, apart):
    ok = b'HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Length: 9999999999\r\n\r\n'
    code = (
        "import sys, pathlib; from treegauge.treebanks.downloads import download;"
        "download(sys.argv[1], pathlib.Path(sys.argv[2]))"
    )
    target = tmp_path / "cache" / "a.tgz"
    with saying(ok, forever=bytes(10_000), gap=0.01) as (url, _):
        child = subprocess.Popen([sys.executable, "-c", code, url, str(target)])
        until = time.monotonic() + 30
        while not target.with_name("a.tgz.part").exists() and time.monotonic() < until:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        child.wait(30)
    left = sorted(path.name for path in target.parent.iterdir())
    assert left == ["a.tgz.lock", "a.tgz.part", "a.tgz.part.tag"]
    with serving() as site:
        site.files["/a.tgz"] = TEXT
        digest = download(f"{site.url}/a.tgz", target)
    assert digest == hashlib.sha256(TEXT).hexdigest()
    assert sorted(path.name for path in target.parent.iterdir()) == ["a.tgz", "a.tgz.lock"]


def test_folders_of_killed_processes_are_removed_a_day_later(into, tmp_path):
    (tmp_path / "a.tar").write_bytes(tar_bytes(FILES))
    home = into / "r2.9"
    names = {".treegauge-fetch-UD_Greek-GDT-old": 2, ".treegauge-fetch-UD_Greek-GDT-new": 0}
    for name, days in (names | {".UD_Greek-GDT.mine": 9}).items():
        (home / name).mkdir(parents=True)
        then = time.time() - days * 86_400
        os.utime(home / name, (then, then))
    fetch(GREEK, str(tmp_path / "a.tar"), into=into)
    assert sorted(path.name for path in home.iterdir()) == [
        ".UD_Greek-GDT.mine", ".treegauge-fetch-UD_Greek-GDT-new", "UD_Greek-GDT",
    ]  # fmt: skip
