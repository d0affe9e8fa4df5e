"""Where and with what a cell was run."""

import json
import platform
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import treegauge.results.errors
from treegauge import __version__
from treegauge.parsers.registry import PARSERS

PACKAGES = ("numpy", "numba", "polars", "scipy")
#: What lies behind the extras that parsers need.
LIBRARIES = {"udpipe": "ufal.udpipe", "neural": "torch"}


@lru_cache
def environment(parser: str) -> str:
    """Return host, commit and versions as one line of JSON; the same facts, the same line."""
    facts = {
        "host": platform.node(),
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "treegauge": __version__,
        "commit": commit(Path(treegauge.results.errors.__file__).parents[2]),
    }
    needed = PARSERS[parser].needs if parser in PARSERS else None
    library = LIBRARIES.get(needed or "", needed)
    for package in (*PACKAGES, *([library] if library else [])):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = None
    return json.dumps(facts, sort_keys=True)


def commit(root: Path) -> str | None:
    """Return the commit of a checkout, read from its files; None where there is no checkout."""
    git = root / ".git"
    try:
        if git.is_file():  # a linked work tree
            git = (root / git.read_text().partition("gitdir:")[2].strip()).resolve()
        head = (git / "HEAD").read_text().strip()
        if not head.startswith("ref:"):
            return head
        reference = head.partition(":")[2].strip()
        shared = git / "commondir"
        common = (git / shared.read_text().strip()).resolve() if shared.exists() else git
        loose = common / reference
        if loose.exists():
            return loose.read_text().strip()
        for line in (common / "packed-refs").read_text().splitlines():
            if line.endswith(f" {reference}"):
                return line.split()[0]
    except OSError:
        pass
    return None
