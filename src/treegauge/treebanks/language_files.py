"""The official files of language data, fetched into a folder that `check` reads."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.archives import Unpacked
from treegauge.treebanks.places import fresh_folders, local

LANGUAGE_DATA = "language-data"
"""What to request instead of a treebank, and the name of the folder."""
OFFICIAL = {
    "feats.json": "features",
    "deprels.json": "deprels",
    "edeprels.json": "edeprels",
    "data.json": "auxiliaries",
    "tospace.json": "expressions",
}
"""The official files, and the key of each that contains the languages."""


def fetch_language_files(
    place: str, target: Path, obtain: Callable[[str], Path], *, replace: bool
) -> list[Unpacked]:
    """Collect the five files in a folder, all or none of them.

    Parameters
    ----------
    place
        A folder, or an address with ``{file}`` for the names of the files.
    target
        The folder to make.
    obtain
        Downloads the file of an address or finds it on this machine.
    replace
        Whether to replace a folder that exists.
    """
    if "{file}" not in place:
        if not local(place).is_dir():
            raise TreegaugeError(
                f"{place}: found no folder, expected one with {', '.join(OFFICIAL)}, or an address "
                "with {file} for their names"
            )
        place = f"{place.rstrip('/')}/{{file}}"
    paths = {name: obtain(place.replace("{file}", name)) for name in OFFICIAL}
    files = []
    with fresh_folders({None: target}, replace=replace) as fresh:
        for name, path in paths.items():
            data = path.read_bytes()
            (fresh[None] / name).write_bytes(data)
            files.append(Unpacked(name, len(data), hashlib.sha256(data).hexdigest()))
    return files
