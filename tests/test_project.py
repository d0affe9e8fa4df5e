"""What the project's own files say of each other: versions and the oldest dependencies."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

import treegauge

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pins() -> dict[str, Version]:
    lines = (ROOT / "constraints-oldest.txt").read_text().splitlines()
    needs = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {need.name: Version(str(need.specifier).removeprefix("==")) for need in needs}


def test_one_version_everywhere():
    citation = (ROOT / "CITATION.cff").read_text()
    cited = re.search(r"^version: \"?([^\"\n]+)", citation, re.MULTILINE)
    assert PROJECT["version"] == treegauge.__version__ == cited[1]


def test_the_oldest_job_installs_the_lower_bounds():
    bounds = {}
    for text in PROJECT["dependencies"]:
        need = Requirement(text)
        (bound,) = need.specifier
        assert bound.operator == ">=", f"{need.name}: one lower bound and nothing else"
        bounds[need.name] = Version(bound.version)
    assert {name: pins()[name] for name in bounds} == bounds
