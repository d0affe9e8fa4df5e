"""The official files of language data, fetched into a folder that `check` reads."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from treegauge.core.errors import TreegaugeError
from treegauge.core.text_formats import parse_json
from treegauge.treebanks.fetching.archives import Unpacked
from treegauge.treebanks.fetching.downloads import UnusableError
from treegauge.treebanks.fetching.places import fresh_folders, local

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
    place: str, target: Path, using: Callable[[str], AbstractContextManager[tuple[Path, str]]], *, replace: bool
) -> list[Unpacked]:
    """Collect the five files in a folder, all or none of them.

    Parameters
    ----------
    place
        A folder, or an address with ``{file}`` for the names of the files.
    target
        The folder to make.
    using
        Yields the file of an address, downloaded or on this machine, and its checksum.
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
    contents: dict[Unpacked, bytes] = {}
    for name, key in OFFICIAL.items():
        source = place.replace("{file}", name)
        with using(source) as (path, digest):
            data = path.read_bytes()
            try:
                parse_json(data)[key]
            except (ValueError, KeyError, TypeError):
                raise UnusableError(
                    f"{source}: found no table {key!r}; expected the official file of that name"
                ) from None
            contents[Unpacked(name, len(data), digest)] = data
    with fresh_folders({None: target}, replace=replace) as fresh:
        for file, data in contents.items():
            (fresh[None] / file.name).write_bytes(data)
    return list(contents)
