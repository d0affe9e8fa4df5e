"""The checklist of a release: ``python -m tools.release [--dry-run] [--quick]``.

Each line is a check that prints ``ok`` or ``MISS`` and what was found. ``--quick`` leaves out what builds and
installs. Without ``--dry-run``, a checklist that passes ends with the tag; the workflow ``release.yml`` does the rest.
Wheel, source distribution and bill of materials (CycloneDX) are in ``dist/``.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from packaging.version import Version

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
LARGEST_INSTALLATION = 460  # MB in site-packages, compiled by pip as users have it, without installers
MOST_PACKAGES = 12  # treegauge does not count
SMOKE = """
import pathlib
import re
import treegauge as tg
scores = tg.score("demo/gold.conllu", "demo/careful.conllu")
assert round(scores["careful"]["LAS"].f1, 2) == 87.40, scores
assert tg.check("demo/gold.conllu", ud_level=2).errors == 0
lines = re.findall(r"^[0-9]+\\t", pathlib.Path("demo/gold.conllu").read_text(encoding="utf-8"), re.MULTILINE)
(words,) = tg.measure("words", "demo/gold.conllu").measured
assert words.value == len(lines) > 0, (words, len(lines))
"""
INSTALLERS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")  # come with Python

Check = Callable[[], str]


class MissError(Exception):
    """A check found something else than it expected."""


def run(*words: str | Path, cwd: Path | None = None, **environment: str) -> str:
    """Run a program and return its output; its last lines are the reason if it fails."""
    settings = {**os.environ, **environment}
    settings.pop("PYTHONPATH", None)
    done = subprocess.run(
        list(map(str, words)), cwd=cwd or ROOT, env=settings, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stdout + done.stderr).strip().splitlines()[-4:]
        raise MissError(f"{Path(words[0]).name} {words[-1]} ended with {done.returncode}: " + " | ".join(last))
    return done.stdout


def project() -> dict[str, str]:
    """Return the table [project] of pyproject.toml."""
    table: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return table


def versions() -> str:
    """One version in the package, its metadata and the citation, larger than that of any tag."""
    version = project()["version"]
    module = re.search(r'__version__ = "([^"]+)"', (ROOT / "src/treegauge/__init__.py").read_text())
    cited = re.search(r'^version: "?([^"\n]+)', (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    found = {"pyproject.toml": version, "__init__.py": module and module[1], "CITATION.cff": cited and cited[1]}
    if set(found.values()) != {version}:
        raise MissError(f"found {found}, expected one version")
    tags = [tag.removeprefix("v") for tag in run("git", "tag", "--list", "v*").split()]
    if later := [tag for tag in tags if Version(tag) >= Version(version)]:
        raise MissError(f"version {version} is not larger than that of the tag v{later[0]}")
    return version


def changelog() -> str:
    """Find the section of the changelog for the version."""
    version, text = project()["version"], (ROOT / "CHANGELOG.md").read_text()
    headings = re.findall(r"^## \[([^\]]+)\](?: - (\S+))?", text, re.MULTILINE)
    if not headings or headings[0][0] not in {version, "Unreleased"}:
        raise MissError(f"the first section is {headings[:1]}, expected [Unreleased] or [{version}] - DATE")
    return f"{headings[0][0]} {headings[0][1]}".strip()


def clean() -> str:
    """Nothing is uncommitted."""
    if changed := run("git", "status", "--porcelain").splitlines():
        raise MissError(f"{len(changed)} files are not committed, the first is {changed[0][3:]}")
    return run("git", "rev-parse", "--short", "HEAD").strip()


def pinned() -> str:
    """Each action of the workflows is named by digest."""
    files = sorted((ROOT / ".github/workflows").glob("*.yml"))
    uses = [line for path in files for line in re.findall(r"uses: (\S+)", path.read_text())]
    if loose := [name for name in uses if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)]:
        raise MissError(f"not named by digest: {', '.join(sorted(set(loose)))}")
    return f"{len(uses)} uses of {len(set(uses))} actions"


def stubs() -> str:
    """Write the stub and the schema again; they were those of the verbs."""
    run(sys.executable, "-m", "tools.face")
    if changed := run("git", "status", "--porcelain", "src/treegauge/__init__.pyi", "docs/schema.json"):
        raise MissError(f"stale: {changed.split()[1]}; `python -m tools.face` wrote it again")
    return "__init__.pyi, schema.json"


def docs() -> str:
    """Build the site without a warning."""
    with tempfile.TemporaryDirectory() as folder:
        run(Path(sys.executable).with_name("mkdocs"), "build", "--strict", "--quiet", "--site-dir", folder)
        return f"{sum(1 for _ in Path(folder).rglob('*.html'))} pages"


def build() -> str:
    """Source distribution and wheel are built, and their metadata can be read by the index."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST)
    run(sys.executable, "-m", "twine", "check", "--strict", *sorted(DIST.iterdir()))
    return ", ".join(f"{path.name} {path.stat().st_size / 1e6:.1f} MB" for path in sorted(DIST.iterdir()))


def wheel() -> Path:
    """Return the wheel."""
    (path,) = DIST.glob("*.whl")
    return path


def contents() -> str:
    """Find licence, types and kernels in the wheel, and neither tests nor folders of this machine."""
    with zipfile.ZipFile(wheel()) as archive:
        names = archive.namelist()
        local = [name for name in names if str(ROOT).encode() in archive.read(name)]
    for needed in ("treegauge/py.typed", "treegauge/__init__.pyi", "licenses/LICENSE", "kernels/scan."):
        if not any(needed in name for name in names):
            raise MissError(f"no {needed}")
    if odd := [name for name in names if re.match(r"(tests|tools|studies)/|.*\.(pyx|c|conllu)$", name)]:
        raise MissError(f"holds {odd[0]}")
    if local:
        raise MissError(f"{local[0]} names the folder of this checkout")
    return f"{len(names)} files"


def abi() -> str:
    """Only the limited interface of Python is used."""
    run(Path(sys.executable).with_name("abi3audit"), "--strict", wheel())
    return wheel().name.split("-", 2)[2].removesuffix(".whl")


def environment(folder: Path, *words: str | Path, path: str, python: str = sys.executable) -> Path:
    """Install into a fresh environment and return its Python."""
    run(python, "-m", "venv", folder)
    inside = folder / "bin" / "python"
    quiet = ("--quiet", "--disable-pip-version-check", "--no-cache-dir", "--compile")
    run(inside, "-m", "pip", "install", *quiet, *words, PATH=path)
    return inside


def smoke(inside: Path, folder: Path) -> None:
    """Run the demo, then score, check and measure its files."""
    run(inside, "-m", "treegauge", "demo", "--out", folder / "demo", cwd=folder, PATH="")
    run(inside, "-c", SMOKE, cwd=folder, PATH="")
    for words in (("score", "demo/gold.conllu", "demo/careful.conllu"), ("measure", "demo/gold.conllu")):
        run(inside, "-m", "treegauge", *words, cwd=folder, PATH="")
    run(inside, "-m", "treegauge", "check", "demo/gold.conllu", "--ud-level", "2", cwd=folder, PATH="")


def installed() -> str:
    """Install and use the wheel without a compiler, with few packages; write the bill of materials."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = time.monotonic()
        inside = environment(folder / "fresh", wheel(), path="")
        seconds = time.monotonic() - start
        (home,) = (folder / "fresh/lib").glob("python*/site-packages")
        ours = [part for part in home.iterdir() if not part.name.startswith(INSTALLERS)]
        files = [path for part in ours for path in (part, *part.rglob("*")) if path.is_file()]
        size = sum(path.stat().st_size for path in files) / 1e6
        listed = json.loads(run(inside, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"))
        packages = {one["name"]: one["version"] for one in listed if one["name"] not in {"pip", "setuptools"}}
        (DIST / f"treegauge-{project()['version']}.cdx.json").write_text(bill(packages))
        smoke(inside, folder)
    found = f"{size:.0f} MB, {len(packages) - 1} packages without treegauge, in a new environment in {seconds:.0f} s"
    if size > LARGEST_INSTALLATION or len(packages) - 1 > MOST_PACKAGES:
        raise MissError(f"{found}; expected at most {LARGEST_INSTALLATION} MB and {MOST_PACKAGES} packages")
    return found


def bill(packages: dict[str, str]) -> str:
    """Return a bill of materials in the format of CycloneDX."""
    parts = [
        {"type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}"}
        for name, version in packages.items()
    ]
    main = next(part for part in parts if part["name"] == "treegauge")
    rest = [part for part in parts if part is not main]
    facts = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": main},
        "components": rest,
    }
    return json.dumps(facts, indent=2) + "\n"


def other_pythons() -> Iterator[tuple[str, str]]:
    """Yield the other interpreters on this machine that the package promises to work with, by version."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for minor in (12, 13, 14):
        for name in (f"python3.{minor}", f"python3.{minor}t"):
            homes = sorted(pyenv.glob(f"versions/3.{minor}.*/bin/python3"))
            found = shutil.which(name) if name.endswith("t") else next(map(str, homes), shutil.which(name))
            if found and not subprocess.run([found, "-c", "import venv"], capture_output=True, check=False).returncode:
                yield name, found


def pythons() -> str:
    """Use the wheel with the other versions of Python at hand."""
    works = []
    for name, python in other_pythons():
        with tempfile.TemporaryDirectory() as folder:
            smoke(environment(Path(folder) / "fresh", wheel(), path="", python=python), Path(folder))
        works.append(name)
    absent = [f"python3.{minor}" for minor in (12, 13, 14) if f"python3.{minor}" not in works]
    return f"{', '.join(works) or 'none'}; not on this machine: {', '.join(absent) or 'none'}"


def source() -> str:
    """Compile the source distribution, and run its own tests of numbers."""
    (archive,) = DIST.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        (home,) = (path for path in folder.iterdir() if path.is_dir())
        inside = environment(folder / "fresh", "--no-binary", "treegauge", archive, path=os.environ["PATH"])
        run(inside, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")
        run(inside, "-m", "pip", "install", "--quiet", "--group", "core", cwd=home)
        smoke(inside, folder)
        # Compiled kernels are in the installation, not in the unpacked folder.
        shutil.rmtree(home / "src")
        tested = run(
            inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/scoring", "tests/statistics", cwd=home
        )
    return tested.strip().splitlines()[-1]


QUICK: tuple[Check, ...] = (versions, changelog, clean, pinned, stubs)
SLOW: tuple[Check, ...] = (docs, build, contents, abi, installed, pythons, source)


def main() -> int:
    """Run the checklist; make the tag if all is well and it was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="check everything and make no tag")
    parser.add_argument("--quick", action="store_true", help="leave out what builds and installs")
    given = parser.parse_args()
    missed = 0
    for check in QUICK if given.quick else QUICK + SLOW:
        try:
            found, state = check(), "ok"
        except MissError as error:
            found, state, missed = str(error), "MISS", missed + 1
        print(f"{state:4}  {check.__name__:10}  {found}", flush=True)
    if missed or given.dry_run or given.quick:
        return int(bool(missed))
    tag = f"v{project()['version']}"
    run("git", "tag", "--annotate", tag, "--message", f"treegauge {tag}")
    print(f"tagged {tag}; `git push origin {tag}` publishes it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
