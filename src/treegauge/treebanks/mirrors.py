"""Treebanks out of git repositories, without ever checking one out.

A tag is fetched into an empty store and written as a tar file, which then goes the same careful
way as every archive: no hook, filter or link of the repository takes effect.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.downloads import cached_name
from treegauge.treebanks.languages import release_key

_PROTOCOLS = "file:git:http:https:ssh"
_TAG = re.compile(r"refs/tags/r(\d+\.\d+)$", re.MULTILINE)


def export(
    url: str, release: str | None, cache: Path, *, refresh: bool = False
) -> tuple[Path, str]:
    """Write a release of a repository as a tar file into a folder.

    Parameters
    ----------
    url
        Address or path of the repository.
    release
        Such as ``"2.9"``, which UD tags ``r2.9``; None is the newest state.
    cache
        The folder. An export of the same release is taken from there.
    refresh
        Whether to ask the repository even so.

    Returns
    -------
    Path, str
        The tar file and the commit it was made from.
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
            raise _explain(store, url, release, problem)
        commit = _git(store, "rev-parse", "--verify", "FETCH_HEAD^{commit}")[0].strip()
        packed = Path(store, "export.tar")
        _git(store, "archive", "--format=tar", f"--output={packed}", commit)
        for old in kept:
            old.unlink(missing_ok=True)
        target = cache / f"{start}-{commit}.tar"
        packed.replace(target)
    return target, commit


def _explain(store: str, url: str, release: str | None, problem: str) -> TreegaugeError:
    """Say which releases there are if the one asked for is not."""
    listed, trouble = _git(store, "ls-remote", "--tags", "--", url, check=False)
    tags = sorted(set(_TAG.findall(listed)), key=release_key)
    if release and tags and not trouble and release not in tags:
        return ChoiceError(f"release of {url}", release, tags)
    return TreegaugeError(f"{url}: git cannot fetch: {problem}")


def _git(folder: str, *arguments: str, check: bool = True) -> tuple[str, str]:
    """Run git in a folder; give what it prints, and why it failed if it did."""
    program = shutil.which("git")
    if program is None:
        raise TreegaugeError("found no git; install it, or fetch from an archive")
    # Variables that point git elsewhere, as hooks have them, stay out.
    surroundings = {key: value for key, value in os.environ.items() if key not in _ELSEWHERE}
    surroundings |= {
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(  # noqa: S603 -- no shell, and addresses stand after "--"
        [program, "-c", "core.hooksPath=/dev/null", *arguments],
        cwd=folder, env=surroundings, stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    said = done.stderr.decode(errors="replace").strip()
    problem = (said or f"it ended with {done.returncode}") if done.returncode else ""
    if problem and check:
        raise TreegaugeError(f"git {arguments[0]} failed: {problem}")
    return done.stdout.decode(errors="replace"), problem


_ELSEWHERE = {
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES",
}  # fmt: skip
