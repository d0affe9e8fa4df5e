"""Downloading files that may break off: resumed, checked, and there whole or not at all."""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, InvalidURL
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from treegauge import __version__
from treegauge.results.errors import TreegaugeError

if TYPE_CHECKING:
    from treegauge.treebanks.tally import Progress

STEP = 1 << 18
LARGEST = 32 << 30
TRIES = 5
"""How often in a row a download may break off without a byte gained."""
_ROUNDS = 200
_PIECE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_AGAIN = {408, 425, 429, 500, 502, 503, 504}


class NotThereError(TreegaugeError):
    """The server has no such file."""


class _BrokenError(Exception):
    """The download ended early, and another try may get further."""


class _StaleError(Exception):
    """What has arrived so far belongs to another file."""


def cache_folder() -> Path:
    """Return where downloads are kept: ``$TREEGAUGE_CACHE``, or the user's cache folder."""
    if told := os.environ.get("TREEGAUGE_CACHE"):
        return Path(told)
    user = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(user) if user else Path.home() / ".cache") / "treegauge"


def address(url: str) -> SplitResult:
    """Take an address apart; an error if it is none."""
    try:
        return urlsplit(url)
    except ValueError as error:
        raise TreegaugeError(f"{url}: no address: {error}") from None


def cached_name(url: str) -> str:
    """Return the name under which a download is kept: of its own for every address.

    Examples
    --------
    >>> cached_name("https://example.org/ud-treebanks-v2.9.tgz?isAllowed=y")
    '97999f216a9066ca-ud-treebanks-v2.9.tgz'
    """
    last = re.sub(r"[^\w.-]", "_", address(url).path.rpartition("/")[2], flags=re.ASCII)
    return f"{hashlib.sha256(url.encode()).hexdigest()[:16]}-{last[-100:]}".rstrip("-.")


def sha256_of(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_sha256(path: Path, expected: str | None, source: str) -> str:
    """Return a file's SHA-256; an error if another was expected."""
    found = sha256_of(path)
    if expected is not None and found != expected.lower():
        raise TreegaugeError(
            f"{source}: checksum differs: found SHA-256 {found}, expected {expected.lower()}"
        )
    return found


def download(
    url: str,
    target: Path,
    *,
    sha256: str | None = None,
    progress: "Progress | None" = None,
    timeout: float = 30,
    pause: float = 0.5,
) -> str:
    """Download a file unless it is there; pick up an earlier attempt where it broke off.

    What has arrived stays beside the target as ``.part``. It is continued only if the server says
    that the file is still the same one, or if a checksum will tell.

    Parameters
    ----------
    url
        An ``http`` or ``https`` address.
    target
        Where the file shall be. It takes this name when it is complete and checked.
    sha256
        The checksum that it must have.
    progress
        Told of the bytes there are so far, and of all, where the server says how many.
    timeout
        Seconds of silence after which a connection counts as broken.
    pause
        Seconds before the second try; doubled for each further one.

    Returns
    -------
    str
        The file's SHA-256.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    with _locked(target.with_name(f"{target.name}.lock")):
        if target.exists():
            try:
                return check_sha256(target, sha256, url)
            except TreegaugeError:
                target.unlink()  # an old one, or a damaged one
        resumed = _pull_all(url, part, sha256, progress, timeout, pause)
        try:
            found = check_sha256(part, sha256, url)
        except TreegaugeError:
            part.unlink()
            if not resumed:
                raise
            # The beginning may have been another file's.
            _pull_all(url, part, sha256, progress, timeout, pause)
            try:
                found = check_sha256(part, sha256, url)
            except TreegaugeError:
                part.unlink()
                raise
        part.replace(target)
        _notes(part).unlink(missing_ok=True)
    return found


def _pull_all(
    url: str, part: Path, sha256: str | None, progress: "Progress | None",
    timeout: float, pause: float,
) -> bool:  # fmt: skip
    """Try until all bytes are there; say whether they came in more than one go."""
    most, barren = _length(part), 0
    reason = ""
    for number in range(_ROUNDS):
        try:
            return _pull(url, part, sha256, progress, timeout) or number > 0
        except _BrokenError as broken:
            reason = str(broken)
            if number == 0 and isinstance(broken.__cause__, URLError):
                break  # nobody there: waiting would not help
        except _StaleError:
            reason = "the server sends another piece of the file than the one asked for"
            part.unlink(missing_ok=True)
        barren = 0 if _length(part) > most else barren + 1
        most = max(most, _length(part))
        if barren >= TRIES:
            break
        time.sleep(min(pause * 2**barren, 30))
    kept = f"; {_length(part):,} bytes are kept, and the next try goes on from there"
    raise TreegaugeError(f"{url}: cannot download: {reason}{kept if _length(part) else ''}")


def _pull(
    url: str, part: Path, sha256: str | None, progress: "Progress | None", timeout: float
) -> bool:
    """Ask for what is missing and append it; say whether anything was there before."""
    have = _length(part)
    validator = _validator(part, url)
    headers = {"User-Agent": f"treegauge/{__version__}", "Accept-Encoding": "identity"}
    if have and (validator or sha256):
        headers["Range"] = f"bytes={have}-"
        if validator:
            headers["If-Range"] = validator
    try:
        answer = _open(url, headers, timeout)
    except HTTPError as error:
        with error:
            return _judge(error, url, have)
    except (HTTPException, OSError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise _BrokenError(str(reason) or type(error).__name__) from error
    with answer:
        return _receive(answer, url, part, have, progress)


def _judge(error: HTTPError, url: str, have: int) -> bool:
    """Say what an answer that is no file means."""
    if error.code == 416:  # nothing after what we have: complete, or another file
        if error.headers.get("Content-Range") == f"bytes */{have}":
            return True
        raise _StaleError
    if error.code in _AGAIN:
        raise _BrokenError(f"the server answers {error.code} {error.reason}")
    kind = NotThereError if error.code in {404, 410} else TreegaugeError
    raise kind(f"{url}: cannot download: the server answers {error.code} {error.reason}")


def _receive(answer: Any, url: str, part: Path, have: int, progress: "Progress | None") -> bool:
    headers = answer.headers
    if (coding := headers.get("Content-Encoding", "identity")) != "identity":
        raise TreegaugeError(f"{url}: found Content-Encoding {coding!r}, expected the file as is")
    if answer.status == 206:
        piece = _PIECE.fullmatch(headers.get("Content-Range", ""))
        if not piece or int(piece[1]) != have:
            raise _StaleError
        total = int(piece[2]) if piece[2] != "*" else None
    else:
        have = 0
        told = headers.get("Content-Length", "")
        total = int(told) if told.isdigit() else None
    if (total or 0) > LARGEST:
        raise TreegaugeError(f"{url}: found {total:,} bytes, expected at most {LARGEST:,}")
    tags = {"url": url, "etag": headers.get("ETag"), "modified": headers.get("Last-Modified")}
    _notes(part).write_text(json.dumps(tags), encoding="utf-8")
    done = have
    with part.open("ab" if have else "wb") as file:
        while data := _read(answer):
            done += file.write(data)
            if done > LARGEST:
                raise TreegaugeError(f"{url}: found more than {LARGEST:,} bytes")
            if progress:
                progress(done, total)
    if total is not None and done != total:
        raise _BrokenError(f"the connection ended after {done:,} of {total:,} bytes")
    return have > 0


def _read(answer: Any) -> bytes:
    try:
        return bytes(answer.read(STEP))
    except (HTTPException, OSError) as error:
        raise _BrokenError(str(error) or type(error).__name__) from error


class _Redirects(HTTPRedirectHandler):
    """Follow redirections, but never from a safe address to an open one."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        schemes = {"http", "https"} if req.type == "http" else {"https"}
        if address(newurl).scheme not in schemes:
            raise TreegaugeError(f"{req.full_url}: refused to be sent on to {newurl}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _open(url: str, headers: dict[str, str], timeout: float) -> Any:
    if address(url).scheme not in {"http", "https"}:
        raise TreegaugeError(f"found the address {url!r}, expected one with http or https")
    try:
        request = Request(url, headers=headers)  # noqa: S310 -- the scheme was checked
        return build_opener(_Redirects).open(request, timeout=timeout)
    except (ValueError, InvalidURL) as error:
        raise TreegaugeError(f"{url}: no address: {error}") from error


def _validator(part: Path, url: str) -> str | None:
    """Return what the server said of the file that has begun to arrive, if it was this one."""
    try:
        tags = json.loads(_notes(part).read_text(encoding="utf-8"))
        if tags["url"] != url:
            return None
        strong = tags["etag"] and not tags["etag"].startswith("W/")
        return str(tags["etag"]) if strong else tags["modified"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _notes(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _length(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other processes from downloading the same file at the same time."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
