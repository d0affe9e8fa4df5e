"""What the project's own files say of each other: versions, dependencies, targets of make."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import treegauge
from tests.test_docs import page_script

audit = page_script("_audit")
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


def makefile_recipes() -> set[str]:
    rules = re.findall(r"^([a-z]+):.*\n\t\S", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return set(rules)


def named_targets() -> dict[str, set[str]]:
    """Targets of make by the file that names them as a command."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
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
    assert "audit" in named["SECURITY.md"]
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
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "_audit.py", program], capture_output=True, text=True
    )
    assert found in done.stdout.splitlines()[-1]
    assert done.returncode == code
    assert re.search(r"^numpy +\S+ +.*BSD", done.stdout, re.MULTILINE)


def test_packages_that_were_not_audited_are_named():
    vulns = {"name": "a", "version": "1", "vulns": []}
    skipped = {"name": "b", "skip_reason": "not found"}
    assert audit.problems({"dependencies": [vulns, skipped]}, 2) == [
        "not audited: b: not found", "not audited: 1 of 2 packages",
    ]  # fmt: skip
    assert audit.problems({"dependencies": [vulns]}, 2) == ["not audited: 1 of 2 packages"]
