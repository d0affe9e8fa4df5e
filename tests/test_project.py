"""What the project's own files say of each other: versions, dependencies, targets of make."""

import ast
import json
import re
import runpy
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import treegauge
from tests.test_docs import page_script
from tools import release

audit = page_script("audit")
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pins() -> dict[str, Version]:
    lines = (ROOT / "tools" / "constraints-oldest.txt").read_text().splitlines()
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


def makefile_recipes() -> set[str]:
    rules = re.findall(r"^([a-z]+):.*\n\t\S", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return set(rules)


def named_targets() -> dict[str, set[str]]:
    """Targets of make by the file that names them as a command."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    pages += (ROOT / ".github").glob("*.md")
    code = [*(ROOT / ".github").rglob("*.yml"), ROOT / ".ci" / "run"]
    command = re.compile(r"(?:`|^    |^\s+- run: |^)make ([a-z]+)(?=`| [A-Z]+=|$)", re.MULTILINE)
    return {
        str(path.relative_to(ROOT)): set(command.findall(path.read_text(encoding="utf-8")))
        for path in [*pages, *code]
        if path.exists()
    }


def test_every_target_that_is_named_has_a_recipe():
    """make does nothing, and succeeds, for a phony target without one."""
    named = named_targets()
    if (ROOT / ".github").exists():
        assert {"audit", "docs", "demo"} <= named[".github/workflows/test.yml"]
    assert "audit" in named[".github/SECURITY.md"]
    assert {"test", "lint", "fuzz", "bench"} <= named["CONTRIBUTING.md"]
    recipes = makefile_recipes()
    assert {path: found - recipes for path, found in named.items() if found - recipes} == {}
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(phony.split()) == recipes


@pytest.mark.parametrize(
    ("answer", "found", "code"),
    [
        ('{"name": "NAME", "version": "1", "vulns": []}', "no known vulnerability in", 0),
        ('{"name": "NAME", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}',
         "PYSEC-1, fixed in 2", 1),
        ('{"name": "NAME", "skip_reason": "not found"}',
         "nothing was audited: the index knows none of", 1),
        ("", "nothing was audited: the index of vulnerabilities did not answer (no route)", 1),
    ],
)  # fmt: skip
def test_an_audit_passes_only_if_every_package_was_audited(answer, found, code, tmp_path):
    program = tmp_path / "pip-audit"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "needs = open(sys.argv[sys.argv.index('--requirement') + 1]).read().splitlines()\n"
        f"answer = {answer!r}\n"
        "if not answer:\n"
        "    sys.exit('no route')\n"
        "rows = [answer.replace('NAME', need.partition('=')[0]) for need in needs]\n"
        "print('{\"dependencies\": [' + ', '.join(rows) + ']}')\n"
    )
    program.chmod(0o755)
    done = subprocess.run([sys.executable, "-m", "tools.docs.audit", program], capture_output=True, text=True)
    assert found in done.stdout.splitlines()[-1]
    assert done.returncode == code
    assert re.search(r"^numpy +\S+ +.*BSD", done.stdout, re.MULTILINE)


def test_packages_that_were_not_audited_are_named():
    vulns = {"name": "a", "version": "1", "vulns": []}
    skipped = {"name": "b", "skip_reason": "not found"}
    assert audit.problems({"dependencies": [vulns, skipped]}, 2) == [
        "not audited: b: not found",
        "not audited: 1 of 2 packages",
    ]
    assert audit.problems({"dependencies": [vulns]}, 2) == ["not audited: 1 of 2 packages"]


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


def test_the_checklist_of_a_release_misses_what_is_wrong(monkeypatch, tmp_path):
    for place in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "src/treegauge/__init__.py"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text((ROOT / place).read_text())
    (tmp_path / ".github/workflows").mkdir(parents=True)
    (tmp_path / ".github/workflows/a.yml").write_text("uses: actions/checkout@v4\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    assert release.versions() == PROJECT["version"]
    with pytest.raises(release.MissError, match="not named by digest: actions/checkout@v4"):
        release.pinned()
    with pytest.raises(release.MissError, match="files are not committed"):
        release.clean()
    (tmp_path / "CITATION.cff").write_text("version: 0.0.1\n")
    with pytest.raises(release.MissError, match="expected one version"):
        release.versions()
    (tmp_path / "CHANGELOG.md").write_text("## [0.0.1] - 2020-01-01\n")
    with pytest.raises(release.MissError, match="the first section is"):
        release.changelog()


def test_a_bill_of_materials_names_every_package():
    bill = json.loads(release.bill({"numpy": "2.0.0", "treegauge": "1.0"}))
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/treegauge@1.0"
    assert [part["purl"] for part in bill["components"]] == ["pkg:pypi/numpy@2.0.0"]


def test_the_source_distribution_holds_what_its_tests_need():
    lines = [line.split() for line in (ROOT / "MANIFEST.in").read_text().splitlines()]
    grafted = {line[1] for line in lines if line[:1] == ["graft"]}
    pytest_options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    imported = folders_imported_by_tests()
    assert {"studies", "tools"} <= imported
    tested = {path.partition("/")[0] for path in pytest_options["ini_options"]["testpaths"]}
    assert {*tested, *imported} <= grafted


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
        sysconfig, "get_config_var", lambda name: int(free_threaded) if name == "Py_GIL_DISABLED" else known(name)
    )
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    macros = {name for one in found["ext_modules"] for name, _ in one.define_macros}
    assert len(found["ext_modules"]) > 20
    assert macros == (set() if free_threaded else {"Py_LIMITED_API"})
    assert {one.py_limited_api for one in found["ext_modules"]} == {not free_threaded}
    assert ("bdist_wheel" in found["options"]) is not free_threaded
