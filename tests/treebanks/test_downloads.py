"""Downloads that break off, change, lie, or come whole; all from a server on this machine."""

import hashlib
import os
import socket
import threading
from urllib.request import Request

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks import downloads
from treegauge.treebanks.downloads import MissingFileError, Redirects, cache_folder, cached_name, download

from .server import serving

DATA = bytes(range(256)) * 8000  # 2 MB: several reads
OTHER = DATA[::-1]
SUM = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def site(monkeypatch):
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    with serving() as site:
        site.files["/a.tgz"] = DATA
        yield site


@pytest.fixture
def target(tmp_path):
    return tmp_path / "cache" / "a.tgz"


def get(site, target, **options):
    return download(f"{site.url}/a.tgz", target, **({"pause": 0.001} | options))


def part(target):
    return target.with_name("a.tgz.part")


def leftovers(target):
    return sorted(path.name for path in target.parent.iterdir() if not path.name.endswith(".lock"))


def test_a_file_comes_whole(site, target, watcher):
    found = get(site, target, sha256=SUM.upper())
    assert found == SUM and target.read_bytes() == DATA
    assert watcher.steps[-1] == (len(DATA), len(DATA)) and len(watcher.steps) > 2
    assert leftovers(target) == ["a.tgz"]


def test_what_is_there_is_not_asked_for(site, target):
    get(site, target)
    assert get(site, target) == SUM
    assert len(site.asked) == 1


@pytest.mark.fault("a web server that breaks off or lies")
def test_breaks_are_mended_where_they_happened(site, target):
    site.breaks = [1000, 500_000, 1]
    assert get(site, target) == SUM
    assert [asked for _, asked in site.asked] == [None, "bytes=1000-", "bytes=501000-", "bytes=501001-"]


def test_a_later_call_goes_on_from_where_an_earlier_one_gave_up(site, target, monkeypatch):
    site.breaks = [700_000]
    monkeypatch.setattr(downloads, "TRIES", 0)
    with pytest.raises(TreegaugeError, match=r"700,000 bytes are kept for the next try"):
        get(site, target)
    assert not target.exists() and part(target).stat().st_size == 700_000
    assert get(site, target) == SUM
    assert site.asked[-1] == ("/a.tgz", "bytes=700000-")
    assert leftovers(target) == ["a.tgz"]


def test_a_server_that_ignores_ranges_sends_all_again(site, target):
    site.ranges = False
    site.breaks = [1000, 2000]
    assert get(site, target) == SUM
    assert len(site.asked) == 3


@pytest.mark.fault("a web server that breaks off or lies")
def test_a_file_that_changed_is_not_patched_together(site, target, monkeypatch):
    monkeypatch.setattr(downloads, "TRIES", 0)
    site.breaks = [1000]
    with pytest.raises(TreegaugeError):
        get(site, target)
    site.files["/a.tgz"], site.etag = OTHER, '"two"'
    get(site, target)
    assert target.read_bytes() == OTHER


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_without_a_sign_that_it_is_the_same_nothing_is_resumed(site, target, etag):
    site.etag = etag
    site.breaks = [1000]
    assert get(site, target) == SUM
    assert [asked for _, asked in site.asked] == [None, None]


def test_a_date_is_a_sign(site, target):
    site.etag, site.modified = None, "Mon, 15 Nov 2021 00:00:00 GMT"
    site.breaks = [1000]
    assert get(site, target) == SUM
    assert site.asked[-1][1] == "bytes=1000-"


def test_a_checksum_is_a_sign_and_tells_when_it_was_wrong(site, target):
    site.etag = None
    part(target).parent.mkdir()
    part(target).write_bytes(b"the beginning of another file")
    assert get(site, target, sha256=SUM) == SUM
    assert [asked for _, asked in site.asked] == ["bytes=29-", None]


def test_all_there_but_the_name(site, target):
    part(target).parent.mkdir()
    part(target).write_bytes(DATA)
    assert get(site, target, sha256=SUM) == SUM
    assert target.read_bytes() == DATA


def test_more_than_all_there(site, target):
    part(target).parent.mkdir()
    part(target).write_bytes(DATA + b"more")
    assert get(site, target, sha256=SUM) == SUM


@pytest.mark.fault("a web server that breaks off or lies")
def test_a_wrong_checksum_leaves_nothing(site, target):
    with pytest.raises(TreegaugeError, match=rf"checksum differs: found SHA-256 {SUM}, expected 0{{64}}$"):
        get(site, target, sha256="0" * 64)
    assert leftovers(target) == []


def test_a_damaged_file_in_the_cache_is_replaced(site, target):
    target.parent.mkdir()
    target.write_bytes(b"old")
    assert get(site, target, sha256=SUM) == SUM
    assert target.read_bytes() == DATA


@pytest.mark.fault("a web server that breaks off or lies")
def test_pieces_that_were_not_asked_for_are_refused(site, target):
    site.breaks = [1000]
    site.shift = 7
    assert get(site, target) == SUM  # from the start, in one piece
    assert [asked for _, asked in site.asked] == [None, "bytes=1000-", None]


def test_a_server_out_of_breath_is_asked_again(site, target):
    site.refuses = [503, 429]
    assert get(site, target) == SUM


def test_giving_up(site, target):
    site.refuses = [503] * 50
    with pytest.raises(TreegaugeError, match="the server answers 503"):
        get(site, target)
    assert len(site.asked) == downloads.TRIES


def test_what_is_not_there(site, target):
    with pytest.raises(MissingFileError, match="404"):
        download(f"{site.url}/b.tgz", target)
    assert len(site.asked) == 1


def test_what_is_forbidden_is_not_tried_again(site, target):
    site.refuses = [403]
    with pytest.raises(TreegaugeError, match="403") as caught:
        get(site, target)
    assert not isinstance(caught.value, MissingFileError) and len(site.asked) == 1


def test_nobody_there(target):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(TreegaugeError, match="cannot download"):
        download(f"http://127.0.0.1:{port}/a.tgz", target, pause=60)


@pytest.mark.fault("a web server that breaks off or lies")
def test_unknown_length(site, target, watcher):
    site.length = False
    assert get(site, target) == SUM
    assert watcher.steps[-1] == (len(DATA), None)


@pytest.mark.fault("a web server that breaks off or lies")
def test_too_much(site, target, monkeypatch):
    monkeypatch.setattr(downloads, "LARGEST", 1_000_000)
    with pytest.raises(TreegaugeError, match="more than 1,000,000 bytes"):
        get(site, target)
    site.length = False
    with pytest.raises(TreegaugeError, match="more than 1,000,000 bytes"):
        get(site, target)
    assert not target.exists()


def test_a_packed_answer_is_refused(site, target):
    site.headers["Content-Encoding"] = "gzip"
    with pytest.raises(TreegaugeError, match="Content-Encoding 'gzip'"):
        get(site, target)


def test_being_sent_on(site, target):
    site.files["/there.tgz"] = DATA
    site.sends_to = "/there.tgz"
    assert get(site, target) == SUM


@pytest.mark.fault("a web server that redirects to file: and the like")
@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x"])
def test_being_sent_elsewhere(site, target, place):
    site.sends_to = place
    with pytest.raises(TreegaugeError, match=r"refused to follow the redirection|not allowed"):
        get(site, target)
    assert not target.exists()


def test_being_sent_from_a_safe_place_to_an_open_one():
    request = Request("https://example.org/a.tgz")
    with pytest.raises(TreegaugeError, match="refused to follow the redirection to http:"):
        Redirects().redirect_request(request, None, 302, "Found", {}, "http://example.org/a.tgz")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y", "http://[", "http://a b/"])
def test_addresses_that_are_none(target, url):
    with pytest.raises(TreegaugeError):
        download(url, target)


def test_two_at_a_time_download_once(site, target):
    found = []
    threads = [threading.Thread(target=lambda: found.append(get(site, target))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [SUM] * 4 and len(site.asked) == 1


def test_names_in_the_cache_keep_addresses_apart():
    one, two = "https://a.org/x/ud.tgz?b=/../..", "https://b.org/x/ud.tgz?b=/../.."
    assert cached_name(one) != cached_name(two)
    for name in map(cached_name, (one, two, "https://a.org/", "https://a.org/%2e%2e%2f\x00")):
        assert "/" not in name and "\x00" not in name and name not in {".", ".."}


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.delenv("TREEGAUGE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "treegauge"
    monkeypatch.setenv("TREEGAUGE_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
