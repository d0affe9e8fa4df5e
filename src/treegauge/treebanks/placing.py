"""Where fetched treebanks are put, and that they appear there whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.languages import release_of

K = TypeVar("K")


def home(into: Path, release: str | None) -> Path:
    """Return the folder for a release: the one there is, or a new one named like ``r2.9``."""
    if release is None or release_of(into.resolve().name) == release:
        return into
    known = [child for child in sorted(into.glob("*")) if release_of(child.name) == release]
    return next(filter(Path.is_dir, known), into / f"r{release}")


@contextmanager
def fresh_folders(targets: Mapping[K, Path], *, replace: bool) -> Iterator[dict[K, Path]]:
    """Give empty folders that take the names of the targets when all went well."""
    fresh: dict[K, Path] = {}
    try:
        for key, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists() and not replace:
                raise TreegaugeError(f"{target}: is there already; replace it, or fetch elsewhere")
            fresh[key] = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        yield fresh
        for key, target in targets.items():
            mask = os.umask(0)
            os.umask(mask)
            fresh[key].chmod(0o777 & ~mask)
            if target.exists():
                old = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.old."))
                target.rename(old / target.name)
                fresh[key].rename(target)
                shutil.rmtree(old)
            else:
                fresh[key].rename(target)
    finally:
        for folder in fresh.values():
            shutil.rmtree(folder, ignore_errors=True)
