"""List the licences of all that treegauge needs to run: ``python docs/_licences.py``.

Fails on a package whose licence would bind those who pass treegauge on (GPL, AGPL), or that states
none.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

#: Licences that ask the same of whatever contains the package; the LGPL does not.
BINDING = re.compile(r"(?<!L)(?<!Lesser )\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)


def needed(name: str, known: dict[str, Distribution]) -> None:
    """Add a package and all that it needs, as they are installed, extras aside."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in known:
        return
    try:
        known[key] = distribution(name)
    except PackageNotFoundError:
        return
    for text in known[key].requires or ():
        need = Requirement(text)
        if need.marker is None or need.marker.evaluate({"extra": ""}):
            needed(need.name, known)


def licence(package: Distribution) -> str:
    """Return what a package says of its licence: expression, classifiers, or a short text."""
    about = package.metadata
    if expression := about.get("License-Expression"):
        return str(expression)
    classifiers = [
        one.rpartition(" :: ")[2]
        for one in about.get_all("Classifier") or ()
        if one.startswith("License ::")
    ]
    text = str(about.get("License") or "").strip().partition("\n")[0]
    return ", ".join(classifiers) or text[:60]


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield name, version and licence of each package."""
    known: dict[str, Distribution] = {}
    needed("treegauge", known)
    for name, package in sorted(known.items()):
        yield name, package.version, licence(package)


def main() -> int:
    """Print the list; return 1 if a licence is missing or binding."""
    bad = 0
    for name, version, words in rows():
        print(f"{name:<22} {version:<14} {words or 'none stated'}")
        bad += not words or bool(BINDING.search(words))
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
