"""Files from servers, kept in a cache.

An interrupted download resumes where it stopped. A server is untrusted: requests, bytes and time
are bounded, and a file gets its name in the cache only when it is complete.
"""

import hashlib
import io
import math
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, InvalidURL
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from treegauge import __version__
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import ProgressTask, progress
from treegauge.core.platforms import replace_file, take_lock

SLOWEST, PATIENCE = 1 << 16, 60.0
"""Progress is this number of bytes of the file in this number of seconds."""


SILENCE = 30.0
"""Seconds without a byte after which a connection counts as broken."""


def url_parts(url: str) -> SplitResult:
    """Return the parts of a URL; raise an error if it is invalid."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises an error if it is none
    except ValueError as error:
        raise TreegaugeError(f"{url}: not an address: {error}") from None
    return parts


def open_connection(request: Request) -> "Answer":
    """Send a request; return the answer, whose `pace` the reader moves with each progress."""
    answer: Answer = build_opener(_Plain, _Secure, Redirects).open(request, timeout=SILENCE)
    return answer


class _Pace(io.RawIOBase):
    """The bytes of a connection, until a time that :meth:`extend` moves."""

    def __init__(self, stream: io.RawIOBase) -> None:
        self.stream = stream
        self.extend()

    def extend(self) -> None:
        self.until = time.monotonic() + PATIENCE

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if time.monotonic() > self.until:
            raise TimeoutError(f"fewer than {SLOWEST:,} bytes of the file in {PATIENCE:g} s")
        return self.stream.readinto(buffer)

    def close(self) -> None:
        self.stream.close()
        super().close()


class Answer(HTTPResponse):
    """An answer of a server, with the pace at which it must come."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.pace = _Pace(self.fp.detach())
        self.fp = io.BufferedReader(self.pace)


class _PlainConnection(HTTPConnection):
    response_class = Answer


class _SecureConnection(HTTPSConnection):
    response_class = Answer


class _Plain(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_PlainConnection, req)


class _Secure(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_SecureConnection, req)


class Redirects(HTTPRedirectHandler):
    """Follow redirections, but never from https to http."""

    def http_error_302(self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any) -> Any:
        """Follow a redirection; name an address that is invalid."""
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except (ValueError, OverflowError, InvalidURL) as error:
            fp.close()
            raise TreegaugeError(
                f"{req.full_url}: the server redirects to the invalid address "
                f"{headers.get('Location', '')[:200]!r}: {error}"
            ) from None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the next request, or refuse an address of another kind."""
        schemes = {"http", "https"} if req.type == "http" else {"https"}
        target = urlsplit(newurl)
        _ = target.port  # raises an error if it is none
        if target.scheme not in schemes:
            raise TreegaugeError(f"{req.full_url}: refused to follow the redirection to {newurl}")
        fp.close()  # what comes with a redirection may be endless
        return super().redirect_request(req, fp, code, msg, headers, newurl)


STEP = 1 << 18
LARGEST = 32 << 30
TRIES = 5
"""Number of consecutive failures without progress after which a download is given up."""
REQUESTS = 1000
"""Maximum number of requests for a file."""
LONGEST = 12 * 3600.0
"""Maximum number of seconds for a file."""
LONGEST_WAIT = 120.0
"""Maximum number of seconds to wait when a server asks for it."""
_AGAIN = {408, 416, 425, 429, 500, 502, 503, 504}
_LIMITED = {403, 429, 503}
_OK, _PART = 200, 206
_RANGE = re.compile(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)")
_LENGTH = re.compile(r"[0-9]{1,18}")


class MissingFileError(TreegaugeError):
    """The server has no such file."""


class UnreachableError(TreegaugeError):
    """There is no connection to the server."""


class UnusableError(TreegaugeError):
    """A file is not what it should be; it does not stay in the cache."""


def cache_folder() -> Path:
    """Return the folder of downloads: ``$TREEGAUGE_CACHE``, or the user's cache folder."""
    import platformdirs

    return Path(os.environ.get("TREEGAUGE_CACHE") or platformdirs.user_cache_dir("treegauge"))


def cached_name(url: str) -> str:
    """Return the file name of a download in the cache, unique per address."""
    last = re.sub(r"[^\w.-]", "_", url_parts(url).path.rpartition("/")[2], flags=re.ASCII)
    return f"{hashlib.sha256(url.encode()).hexdigest()[:16]}-{last[-100:]}".rstrip("-.")


def check_sha256(path: Path, expected: str | None, source: str) -> str:
    """Return a file's SHA-256; raise an error if it is not the expected one."""
    digest = _sha256(path)
    if expected is not None and digest != expected.lower():
        raise TreegaugeError(f"{source}: checksum differs: found SHA-256 {digest}, expected {expected.lower()}")
    return digest


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def in_cache(folder: Path) -> Iterator[None]:
    """Name the cache, and the option that chooses another one, if it cannot be written."""
    try:
        yield
    except OSError as error:
        raise TreegaugeError(
            f"{folder}: cannot write to the folder for downloads: {error.strerror or error}; name "
            "another folder in the environment variable TREEGAUGE_CACHE"
        ) from None


def download(url: str, target: Path, *, sha256: str | None = None, pause: float = 0.5, refresh: bool = False) -> str:
    """Download a file unless it exists; resume an earlier attempt where it stopped.

    A partial download is kept next to the target as ``.part``. It is resumed only if the server
    confirms that the file has not changed, or if there is a checksum to verify; if the checksum of
    a resumed download differs, it is repeated once from the start. `pause` is in seconds and
    doubles with each try; a server that limits requests may ask for a longer one. `refresh` also
    replaces an existing file, once the new one is complete. Returns the file's SHA-256.
    """
    _check_address(url)
    lock, part = (target.with_name(f"{target.name}.{ending}") for ending in ("lock", "part"))
    with in_cache(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(lock), progress("bytes downloaded") as task:
            if target.exists() and not refresh:
                digest = _sha256(target)
                if sha256 is None or digest == sha256.lower():
                    return digest
            again = True
            while True:
                attempt = _Download(url, part, bool(sha256), task, pause)
                attempt.run()
                try:
                    digest = check_sha256(part, sha256, url)
                except TreegaugeError:
                    attempt.forget()
                    if not (attempt.resumed and again):
                        raise
                    again = False
                else:
                    replace_file(part, target)
                    attempt.forget()
                    return digest


def _check_address(url: str) -> None:
    parts = url_parts(url)
    if parts.scheme not in {"http", "https"}:
        raise TreegaugeError(f"found the address {url!r}, expected one with http or https")
    if not url.isascii():
        sign = next(sign for sign in url if not sign.isascii())
        written = quote(sign) if parts.netloc.isascii() else "the form of the host with xn--"
        raise TreegaugeError(f"found {sign!r} in the address {url}, expected ASCII: {written}")
    if "\0" in unquote(url):
        raise TreegaugeError(f"found %00 in the address {url}, expected the name of a file")


class _BrokenError(Exception):
    """The download ended early; a retry may get further, after `wait` seconds."""

    wait = 0.0


def _asked_to_wait(headers: Any) -> float | None:
    """Return for how many seconds a server that limits requests asks to wait; None if it does not."""
    after = headers.get("Retry-After", "").strip()
    if after.isdecimal():
        return float(after[:9])
    if after:
        with suppress(ValueError, TypeError, OverflowError):
            return max(parsedate_to_datetime(after).timestamp() - time.time(), 1.0)
    reset = headers.get("X-RateLimit-Reset", "")
    if headers.get("X-RateLimit-Remaining") == "0" and _LENGTH.fullmatch(reset):
        return max(float(reset) - time.time(), 1.0)
    return None


class _Download:
    """Requests for one file, repeated after failures from where the last one stopped."""

    def __init__(self, url: str, part: Path, checked: bool, task: ProgressTask, pause: float) -> None:
        self.url, self.part, self.checked, self.task, self.pause = url, part, checked, task, pause
        self.tag_file = part.with_name(f"{part.name}.tag")
        self.resumed = False
        self.end = time.monotonic() + LONGEST

    def run(self) -> None:
        """Complete the partial file."""
        most = self.size
        failures = requests = 0
        while True:
            requests += 1
            try:
                self.pull()
                return
            except _BrokenError as error:
                failures = 0 if self.size >= most + SLOWEST else failures + 1
                most = max(most, self.size)
                alone = isinstance(error.__cause__, URLError) and not most  # unreachable
                if alone:
                    raise UnreachableError(
                        f"{self.url}: cannot download: no connection to {url_parts(self.url).hostname}: {error}; check "
                        "the network, or name a file or folder that you have with --source"
                    ) from None
                if error.wait > LONGEST_WAIT:
                    raise self.gave_up(
                        f"{error}; it limits requests: try again in {math.ceil(error.wait / 60):,} minutes"
                    ) from None
                if failures >= TRIES or requests >= REQUESTS:
                    raise self.gave_up(f"{error} (request {requests})") from None
                wait = error.wait
            pause = max(min(self.pause * 2**failures, 30), wait)
            if time.monotonic() + pause > self.end:
                raise self.gave_up(f"not complete after {LONGEST:g} s") from None
            time.sleep(pause)

    def gave_up(self, problem: str) -> TreegaugeError:
        """Return an error that says what is kept; what cannot be resumed is removed."""
        kept = ""
        if not (self.checked or self.tag):
            self.forget()
        elif self.size:
            kept = f"; {self.size:,} bytes are kept for the next try"
        return TreegaugeError(f"{self.url}: cannot download: {problem}{kept}")

    def forget(self) -> None:
        """Remove the partial file."""
        self.part.unlink(missing_ok=True)
        self.tag_file.unlink(missing_ok=True)

    @property
    def size(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    @property
    def tag(self) -> str:
        """What the server calls this state of the file; empty if unknown."""
        text = self.tag_file.read_bytes() if self.tag_file.exists() else b""
        return text.decode("latin-1")

    def pull(self) -> None:
        """Request the missing part and append it."""
        have, tag = self.size, self.tag
        headers = {"User-Agent": f"treegauge/{__version__}", "Accept-Encoding": "identity"}
        if have and (tag or self.checked):
            headers |= {"Range": f"bytes={have}-"} | ({"If-Range": tag} if tag else {})
        try:
            request = Request(self.url, headers=headers)  # noqa: S310 -- the scheme was checked
            with open_connection(request) as answer:
                self.receive(answer, have)
        except HTTPError as error:
            error.close()
            problem = f"the server answers {error.code} {' '.join(str(error.reason).split())}"
            if error.code == 416:  # complete, or the file has changed
                if have and error.headers.get("Content-Range") == f"bytes */{have}":
                    return
                self.forget()
            wait = _asked_to_wait(error.headers) if error.code in _LIMITED else None
            if error.code in _AGAIN or wait is not None:
                broken = _BrokenError(problem)
                broken.wait = wait or 0.0
                raise broken from None
            kind = MissingFileError if error.code in {404, 410} else TreegaugeError
            raise kind(f"{self.url}: cannot download: {problem}") from None
        except InvalidURL as error:
            raise TreegaugeError(f"{self.url}: not an address: {error}") from None
        except (HTTPException, OSError) as error:
            raise _BrokenError(str(error) or type(error).__name__) from error
        except (ValueError, OverflowError) as error:  # numbers and names that Python refuses
            raise TreegaugeError(f"{self.url}: cannot download: {error}") from None

    def receive(self, answer: Answer, have: int) -> None:
        """Append what the server sends."""
        have, total = self.begin(answer, have)
        mark, began = have, have
        with self.opened("ab" if have else "wb") as file:
            while data := answer.read1(STEP):
                have += self.write(file, data)
                if max(have, total or 0) > LARGEST:
                    raise TreegaugeError(f"{self.url}: more than {LARGEST:,} bytes")
                if have >= mark + SLOWEST:
                    mark = have
                    answer.pace.extend()
                if time.monotonic() > self.end:
                    raise self.gave_up(f"not complete after {LONGEST:g} s")
                self.task.update(have, total)
        if total is not None and have != total:
            raise _BrokenError(f"the connection ended after {have:,} of {total:,} bytes")
        if have == began == 0:
            raise UnusableError(f"{self.url}: the server sent an empty file")

    def opened(self, mode: str) -> IO[bytes]:
        with in_cache(self.part.parent):
            return self.part.open(mode, buffering=0)  # nothing fails when it is closed

    def write(self, file: IO[bytes], data: bytes) -> int:
        rest = memoryview(data)
        with in_cache(self.part.parent):
            while rest:
                rest = rest[file.write(rest) :]
        return len(data)

    def begin(self, answer: Answer, have: int) -> tuple[int, int | None]:
        """Return the byte that an answer begins with, and the size of the file, if known."""
        headers = answer.headers
        if answer.status not in {_OK, _PART}:
            raise UnusableError(
                f"{self.url}: the server answers {answer.status} {answer.reason}, expected 200 and a file"
            )
        coding = headers.get("Content-Encoding", "identity")
        if coding != "identity":
            raise TreegaugeError(f"{self.url}: found Content-Encoding {coding!r}, expected none")
        length = None if answer.chunked else headers.get("Content-Length")
        if length is not None and not _LENGTH.fullmatch(length):
            raise TreegaugeError(f"{self.url}: found Content-Length {length[:40]!r}, expected a number of bytes")
        size = None
        if answer.status == _PART:
            match = _RANGE.fullmatch(headers.get("Content-Range", ""))
            if match is None or int(match[1]) != have:
                self.forget()
                raise _BrokenError("the server sent a different part of the file than requested")
            self.resumed = self.resumed or have > 0
            size = None if match[2] == "*" else int(match[2])
        else:
            have = 0
        if size is None and length is not None:
            size = have + int(length)
        etag = headers.get("ETag") or "W/"
        tag = headers.get("Last-Modified") or "" if etag.startswith("W/") else etag
        tag = tag if tag.isprintable() else ""  # it must fit into the header of the next request
        if tag or not have:
            with in_cache(self.part.parent):
                self.tag_file.write_bytes(tag.encode("latin-1", "replace"))
        return have, size


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Prevent other processes from downloading the same file at the same time."""
    with path.open("w", encoding="utf-8") as file:
        take_lock(file, wait=True)
        yield
