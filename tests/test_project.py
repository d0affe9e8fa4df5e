"""What the project's own files say of each other: versions and the oldest dependencies."""

import ast
import re
import runpy
import sys
import sysconfig
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
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


def folders_imported_by_tests() -> set[str]:
    """Return the folders beside the package whose modules the tests import."""
    names = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and not node.level:
                names.add((node.module or "").partition(".")[0])
            elif isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
    return {name for name in names if (ROOT / name).is_dir()}


def test_the_source_distribution_holds_what_its_tests_need():
    lines = [line.split() for line in (ROOT / "MANIFEST.in").read_text().splitlines()]
    grafted = {line[1] for line in lines if line[:1] == ["graft"]}
    pytest_options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    imported = folders_imported_by_tests()
    assert {"calibration", "fuzz", "replications"} <= imported
    assert {*pytest_options["ini_options"]["testpaths"], *imported} <= grafted


@pytest.mark.parametrize("free_threaded", [False, True])
def test_free_threaded_python_gets_no_limited_api(monkeypatch, free_threaded):
    """Its headers refuse Py_LIMITED_API, and no other version could load the build."""
    build = ModuleType("Cython.Build")
    build.cythonize = None
    monkeypatch.setitem(sys.modules, "Cython", ModuleType("Cython"))
    monkeypatch.setitem(sys.modules, "Cython.Build", build)
    found = {}
    monkeypatch.setattr("setuptools.setup", lambda **options: found.update(options))
    known = sysconfig.get_config_var
    monkeypatch.setattr(
        sysconfig,
        "get_config_var",
        lambda name: int(free_threaded) if name == "Py_GIL_DISABLED" else known(name),
    )
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    macros = {name for one in found["ext_modules"] for name, _ in one.define_macros}
    assert len(found["ext_modules"]) > 20
    assert macros == (set() if free_threaded else {"Py_LIMITED_API"})
    assert {one.py_limited_api for one in found["ext_modules"]} == {not free_threaded}
    assert ("bdist_wheel" in found["options"]) is not free_threaded
