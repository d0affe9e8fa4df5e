"""Files from servers and git repositories, kept in a cache.

Pooch checks downloads and renames them when they are complete; this module adds that an interrupted
download resumes where it stopped. A git tag is fetched into an empty store and written as a tar
file, so that no hook, filter or link of a repository takes effect.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, InvalidURL
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from treegauge import __version__
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import ProgressTask, progress
from treegauge.core.platforms import take_lock
from treegauge.treebanks.languages import release_key

STEP = 1 << 18
LARGEST = 32 << 30
TRIES = 5
"""Number of consecutive failures without progress after which a download is given up."""
SILENCE = 30.0
"""Seconds without a byte after which a connection counts as broken."""
_AGAIN = {408, 416, 425, 429, 500, 502, 503, 504}
_TAG = re.compile(r"refs/tags/r(\d+\.\d+)$", re.MULTILINE)
_GIT_SETTINGS = {
    "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
}
# Variables that redirect git to another repository, as set in hooks.
_ELSEWHERE = {
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES",
}  # fmt: skip


class MissingFileError(TreegaugeError):
    """The server has no such file."""


def cache_folder() -> Path:
    """Return the folder of downloads: ``$TREEGAUGE_CACHE``, or the user's cache folder."""
    import pooch

    return Path(os.environ.get("TREEGAUGE_CACHE") or pooch.os_cache("treegauge"))


def address(url: str) -> SplitResult:
    """Return the parts of a URL; raise an error if it is invalid."""
    try:
        return urlsplit(url)
    except ValueError as error:
        raise TreegaugeError(f"{url}: not an address: {error}") from None


def cached_name(url: str) -> str:
    """Return the file name of a download in the cache, unique per address."""
    last = re.sub(r"[^\w.-]", "_", address(url).path.rpartition("/")[2], flags=re.ASCII)
    return f"{hashlib.sha256(url.encode()).hexdigest()[:16]}-{last[-100:]}".rstrip("-.")


def check_sha256(path: Path, expected: str | None, source: str) -> str:
    """Return a file's SHA-256; raise an error if it is not the expected one."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if expected is not None and digest != expected.lower():
        raise TreegaugeError(
            f"{source}: checksum differs: found SHA-256 {digest}, expected {expected.lower()}"
        )
    return digest


def download(url: str, target: Path, *, sha256: str | None = None, pause: float = 0.5) -> str:
    """Download a file unless it exists; resume an earlier attempt where it stopped.

    A partial download is kept next to the target as ``.part``. It is resumed only if the server
    confirms that the file has not changed, or if there is a checksum to verify. `pause` is in
    seconds and doubles with each try. Returns the file's SHA-256.
    """
    import pooch

    if address(url).scheme not in {"http", "https"}:
        raise TreegaugeError(f"found the address {url!r}, expected one with http or https")
    pooch.get_logger().setLevel("WARNING")
    target.parent.mkdir(parents=True, exist_ok=True)
    known = f"sha256:{sha256.lower()}" if sha256 else None
    with _locked(target.with_name(f"{target.name}.lock")), progress("bytes downloaded") as task:
        while True:
            resuming = _Resuming(target.with_name(f"{target.name}.part"), bool(sha256), task, pause)
            try:
                pooch.retrieve(url, known, target.name, target.parent, downloader=resuming)
                break
            except ValueError as error:  # the checksum differs
                if not resuming.resumed:
                    raise TreegaugeError(f"{url}: checksum differs: {error}") from None
    return check_sha256(target, sha256, url)


class _BrokenError(Exception):
    """The download ended early; a retry may get further."""


class _Resuming:
    """Downloader for pooch that retries after failures, from where the last attempt stopped."""

    def __init__(self, part: Path, checked: bool, task: ProgressTask, pause: float) -> None:
        self.part, self.checked, self.task, self.pause = part, checked, task, pause
        self.tag_file = part.with_name(f"{part.name}.tag")
        self.resumed = False

    def __call__(self, url: str, output_file: str, _pooch: Any) -> None:
        most, failures = self.size, 0
        while True:
            try:
                self.pull(url)
                break
            except _BrokenError as error:
                failures = 0 if self.size > most else failures + 1
                most = max(most, self.size)
                alone = isinstance(error.__cause__, URLError) and not most  # unreachable
                if failures >= TRIES or alone:
                    kept = f"; {self.size:,} bytes are kept for the next try" if self.size else ""
                    raise TreegaugeError(f"{url}: cannot download: {error}{kept}") from None
            time.sleep(min(self.pause * 2**failures, 30))
        shutil.move(self.part, output_file)
        self.tag_file.unlink(missing_ok=True)

    @property
    def size(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def pull(self, url: str) -> None:
        """Request the missing part and append it."""
        have = self.size
        headers = {"User-Agent": f"treegauge/{__version__}", "Accept-Encoding": "identity"}
        tag = self.tag_file.read_text(encoding="utf-8") if self.tag_file.exists() else ""
        if have and (tag or self.checked):
            headers |= {"Range": f"bytes={have}-"} | ({"If-Range": tag} if tag else {})
        try:
            request = Request(url, headers=headers)  # noqa: S310 -- the scheme was checked
            with build_opener(_Redirects).open(request, timeout=SILENCE) as answer:
                self.receive(url, answer, have)
        except HTTPError as error:
            error.close()
            problem = f"the server answers {error.code} {error.reason}"
            if error.code == 416:  # complete, or the file has changed
                if error.headers.get("Content-Range") == f"bytes */{have}":
                    return
                self.part.unlink()
            if error.code in _AGAIN:
                raise _BrokenError(problem) from None
            kind = MissingFileError if error.code in {404, 410} else TreegaugeError
            raise kind(f"{url}: cannot download: {problem}") from None
        except InvalidURL as error:
            raise TreegaugeError(f"{url}: not an address: {error}") from None
        except (HTTPException, OSError) as error:
            raise _BrokenError(str(error) or type(error).__name__) from error

    def receive(self, url: str, answer: Any, have: int) -> None:
        """Append what the server sends."""
        coding = answer.headers.get("Content-Encoding", "identity")
        if coding != "identity":
            raise TreegaugeError(f"{url}: found Content-Encoding {coding!r}, expected none")
        if answer.status == 206:
            if not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                self.part.unlink()
                raise _BrokenError("the server sent a different part of the file than requested")
            self.resumed = True
        else:
            have = 0
        length = answer.headers.get("Content-Length", "")
        total = have + int(length) if length.isdigit() else None
        etag = answer.headers.get("ETag") or "W/"
        weak = etag.startswith("W/")
        tag = answer.headers.get("Last-Modified") or "" if weak else etag
        self.tag_file.write_text(tag, encoding="utf-8")
        with self.part.open("ab" if have else "wb") as file:
            while data := answer.read(STEP):
                have += file.write(data)
                if max(have, total or 0) > LARGEST:
                    raise TreegaugeError(f"{url}: more than {LARGEST:,} bytes")
                self.task.update(have, total)
        if total is not None and have != total:
            raise _BrokenError(f"the connection ended after {have:,} of {total:,} bytes")


class _Redirects(HTTPRedirectHandler):
    """Follow redirections, but never from https to http."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        schemes = {"http", "https"} if req.type == "http" else {"https"}
        if address(newurl).scheme not in schemes:
            raise TreegaugeError(f"{req.full_url}: refused to follow the redirection to {newurl}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Prevent other processes from downloading the same file at the same time."""
    with path.open("w", encoding="utf-8") as file:
        take_lock(file, wait=True)
        yield


def export(
    url: str, release: str | None, cache: Path, *, refresh: bool = False
) -> tuple[Path, str]:
    """Write a release of a git repository as a tar file into a folder; return it and its commit.

    UD tags release 2.9 as ``r2.9``; None is the newest state. An existing export in the folder is
    reused unless `refresh` is set.
    """
    if url.startswith("-"):
        raise TreegaugeError(f"found the repository {url!r}, expected an address or a path")
    cache.mkdir(parents=True, exist_ok=True)
    reference = f"refs/tags/r{release}" if release else "HEAD"
    start = cached_name(f"{url}#{reference}").partition("-")[0]
    kept = sorted(cache.glob(f"{start}-*.tar"))
    if kept and release and not refresh:
        return kept[-1], kept[-1].stem.rpartition("-")[2]
    with tempfile.TemporaryDirectory(dir=cache, prefix=".git-") as store:
        _git(store, "init", "--quiet", "--bare", ".")
        fetching = ("fetch", "--quiet", "--depth", "1", "--no-tags", "--", url, reference)
        if problem := _git(store, *fetching, check=False)[1]:
            listed, trouble = _git(store, "ls-remote", "--tags", "--", url, check=False)
            tags = sorted(set(_TAG.findall(listed)), key=release_key)
            if release and tags and not trouble and release not in tags:
                raise ChoiceError(f"release of {url}", release, tags)
            raise TreegaugeError(f"{url}: git cannot fetch: {problem}")
        commit = _git(store, "rev-parse", "--verify", "FETCH_HEAD^{commit}")[0].strip()
        packed = Path(store, "export.tar")
        _git(store, "archive", "--format=tar", f"--output={packed}", commit)
        for old in kept:
            old.unlink(missing_ok=True)
        target = cache / f"{start}-{commit}.tar"
        packed.replace(target)
    return target, commit


def _git(folder: str, *arguments: str, check: bool = True) -> tuple[str, str]:
    """Run git in a folder; return its output, and the reason if it failed."""
    program = shutil.which("git")
    if program is None:
        raise TreegaugeError("git is not installed; install it, or fetch from an archive")
    environment = {key: value for key, value in os.environ.items() if key not in _ELSEWHERE}
    done = subprocess.run(  # noqa: S603 -- no shell, and addresses are after "--"
        [program, "-c", f"core.hooksPath={os.devnull}", *arguments],
        cwd=folder, env=environment | _GIT_SETTINGS, stdin=subprocess.DEVNULL,
        capture_output=True, check=False,
    )  # fmt: skip
    message = done.stderr.decode(errors="replace").strip()
    problem = (message or f"it ended with {done.returncode}") if done.returncode else ""
    if problem and check:
        raise TreegaugeError(f"git {arguments[0]} failed: {problem}")
    return done.stdout.decode(errors="replace"), problem
