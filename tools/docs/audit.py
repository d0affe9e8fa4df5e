"""Licences and known vulnerabilities of dependencies: ``python -m tools.docs.audit PIP_AUDIT``.

Lists the licence of each package that treegauge needs to run, and asks an index of vulnerabilities
about each package that is installed, by the program ``pip-audit``. Fails on a licence that would
bind those who pass treegauge on (GPL, AGPL) or that is not stated, on a known vulnerability, and on
a package that the index could not be asked about: an unanswered question is not a good answer.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

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
        one.rpartition(" :: ")[2] for one in about.get_all("Classifier") or () if one.startswith("License ::")
    ]
    text = str(about.get("License") or "").strip().partition("\n")[0]
    return ", ".join(classifiers) or text[:60]


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield name, version and licence of each package."""
    known: dict[str, Distribution] = {}
    needed("treegauge", known)
    for name, package in sorted(known.items()):
        yield name, package.version, licence(package)


def licences() -> int:
    """Print the list; return the number of licences that are missing or binding."""
    bad = 0
    for name, version, words in rows():
        print(f"{name:<22} {version:<14} {words or 'none stated'}")
        bad += not words or bool(BINDING.search(words))
    return bad


def installed() -> list[str]:
    """Return all installed packages but treegauge as requirements, without local versions."""
    pairs = {package.name.lower(): package.version for package in distributions()}
    pairs.pop("treegauge", None)
    return [f"{name}=={Version(version).public}" for name, version in sorted(pairs.items())]


def problems(report: Mapping[str, Any], asked: int) -> list[str]:
    """Return what is wrong by a report of pip-audit: vulnerabilities, and packages not audited.

    Examples
    --------
    >>> problems({"dependencies": [{"name": "a", "skip_reason": "not found on PyPI"}]}, 2)
    ['nothing was audited: the index knows none of 2 packages (a: not found on PyPI)']
    """
    lines, skipped, audited = [], [], 0
    for package in report["dependencies"]:
        if "skip_reason" in package:
            skipped.append(f"{package['name']}: {package['skip_reason']}")
            continue
        audited += 1
        lines += [
            f"{package['name']} {package['version']}: {one['id']}, fixed in "
            f"{', '.join(one['fix_versions']) or 'no version'}"
            for one in package["vulns"]
        ]
    if not audited:
        reason = f" ({skipped[0]})" if skipped else ""
        return [f"nothing was audited: the index knows none of {asked} packages{reason}"]
    if audited < asked:
        skipped.append(f"{asked - audited} of {asked} packages")
    return lines + [f"not audited: {text}" for text in skipped]


def vulnerabilities(program: str) -> int:
    """Ask the index, print what is wrong, and return the number of lines printed."""
    needs = installed()
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "installed.txt"
        listed.write_text("\n".join(needs))
        words = [program, "--requirement", str(listed), "--no-deps", "--disable-pip"]
        done = subprocess.run(
            [*words, "--format", "json", "--progress-spinner", "off"], check=False, capture_output=True, text=True
        )
    if not done.stdout.strip():
        reason = done.stderr.strip().rpartition("\n")[2]
        wrong = [f"nothing was audited: the index of vulnerabilities did not answer ({reason})"]
    else:
        wrong = problems(json.loads(done.stdout), len(needs))
    for line in wrong:
        print(line)
    if not wrong:
        print(f"no known vulnerability in {len(needs)} installed packages")
    return len(wrong)


def main() -> int:
    """Print both lists; return 1 if anything is wrong."""
    return int(licences() + vulnerabilities(sys.argv[1]) > 0)


if __name__ == "__main__":
    sys.exit(main())
