"""What editors and type checkers know of the front: signatures, types, and what they say of users' code."""

import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jedi
import pytest

import treegauge as tg
from tools.face import STUB, stub_text

ROOT = Path(__file__).parents[1]
TYPING = Path(__file__).with_name("typing")
VERBS = {name: value for name in dir(tg) if hasattr(value := getattr(tg, name), "subverbs")}
FUNCTIONS = VERBS | {f"{name}.{sub}": one for name, verb in VERBS.items() for sub, one in verb.subverbs.items()}


def test_the_stub_is_what_the_verbs_are():
    assert STUB.read_text(encoding="utf-8") == stub_text(), "run `python -m tools.face`"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_describes_every_parameter(name):
    text = inspect.getdoc(FUNCTIONS[name])
    section = re.search(r"\nParameters\n-+\n(.*?)(?=\n\w[^\n]*\n---|\Z)", text, re.DOTALL)
    described = re.findall(r"^\*{0,2}(\w+)\n    \S", section[1], re.MULTILINE) if section else []
    assert described == list(inspect.signature(FUNCTIONS[name]).parameters)


#: The file of a plug-in, which is not a user's code.
PLUGIN_PAGES = {"own_parser"}


def written(folder: Path) -> list[Path]:
    """Write the Python of the README, of the pages of docs and of the notebooks into files."""
    texts = {}
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))):
        if page.stem in PLUGIN_PAGES:
            continue
        blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        texts |= {page.stem: "\n".join(blocks)} if blocks else {}
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        texts[notebook.stem] = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert len(texts) > 20
    for name, text in texts.items():
        (folder / f"user_{name}.py").write_text(text, encoding="utf-8")
    return [*sorted(folder.iterdir()), TYPING / "user_code.py"]


def mypy(*paths: Path) -> list[str]:
    """Return the errors that mypy reports, as ``file:line: message``."""
    words = [
        "mypy",
        "--no-error-summary",
        "--hide-error-context",
        "--ignore-missing-imports",
        "--allow-redefinition",
        *map(str, paths),
    ]
    words += ["--config-file=", f"--cache-dir={ROOT / '.mypy_cache' / 'users'}", "--follow-imports=silent"]
    places = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, env=places, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return re.findall(r"([\w.]+:\d+: error: .*)", done.stdout)


def pyright(*paths: Path) -> list[str]:
    """Return the errors that pyright reports, as ``file:line: message``."""
    words = ["pyright", "--outputjson", "--pythonpath", sys.executable, *map(str, paths)]
    places = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run([sys.executable, "-m", *words], cwd=TYPING, env=places, capture_output=True, text=True)
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert all("file" in one for one in found), done.stdout
    return [
        f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: error: {one['message']}"
        for one in found
        if one["severity"] == "error"
    ]


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_five_planted_mistakes_are_found(checker):
    lines = (TYPING / "mistakes.py").read_text(encoding="utf-8").splitlines()
    planted = {number for number, line in enumerate(lines, 1) if "# mistake" in line}
    assert len(planted) == 5
    assert {int(one.split(":")[1]) for one in checker(TYPING / "mistakes.py")} == planted


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_the_code_of_the_docs_has_no_errors_of_type(checker, tmp_path):
    assert not checker(*written(tmp_path))


@pytest.mark.parametrize(
    ("code", "parameters", "says"),
    [
        ("tg.score(", {"gold", "metric", "units", "seed"}, "confidence intervals"),
        ("tg.curve.advise(", {"sources", "budget"}, "budget"),
        ("tg.rank(", {"scores", "size", "metric"}, "subsets of treebanks"),
        ("tg.rank.compare(", {"scores", "level"}, "Critical differences"),
    ],
)
def test_a_language_server_shows_signature_and_docstring(code, parameters, says):
    script = jedi.Script(f"import treegauge as tg\n{code}")
    (signature,) = script.get_signatures()
    assert parameters <= {one.name for one in signature.params}
    assert says in signature.docstring()
    assert "Parameters\n----------" in signature.docstring()


@pytest.mark.parametrize(("code", "says"), [("tg.score", "Parameters\n----------"), ("tg.curve.advise", "budget")])
def test_a_language_server_describes_what_the_pointer_is_on(code, says):
    (found,) = jedi.Script(f"import treegauge as tg\n{code}").help(2, len(code))
    assert says in found.docstring()
    assert found.docstring().startswith(code.rpartition(".")[2] + "(")


def test_the_stub_is_in_the_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    assert STUB.parent.joinpath("py.typed").exists()
    assert {"py.typed", "*.pyi"} <= set(settings["package-data"]["treegauge"])


def test_a_language_server_completes_verbs_subverbs_and_parameters():
    def completed(code: str) -> set[str]:
        return {one.name for one in jedi.Script(f"import treegauge as tg\n{code}").complete()}

    assert {"score", "rank", "read_conllu"} <= completed("tg.")
    assert {"compare", "outliers"} <= completed("tg.rank.")
    assert "metric=" in completed("tg.score('a', 'b', met")
