"""Imports only point downwards, and every room has its place.

Read statically, so that imports inside functions and under ``TYPE_CHECKING`` count as well.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"

# From the bottom to the top. Rooms on one line do not know each other.
LAYERS = [
    ["core"],
    ["kernels", "data"],
    ["treebanks"],
    ["statistics"],
    ["measures", "splitting", "testing", "validation"],
    ["scoring"],
    ["auditing"],
    ["parsing"],
    ["experiments"],
    ["ranking"],
    ["learning"],
    ["reporting"],
    ["papers"],
    ["cli"],
    ["__main__"],
]
HEIGHT = {room: height for height, rooms in enumerate(LAYERS) for room in rooms}

TORCH_HOME = "treegauge.parsing.neural"
# Asked for only by users who already have it: conversions to and from its frames.
OPTIONAL = {"pandas", "vl_convert"}


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted((SOURCE / "treegauge").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def literal_start(node: ast.expr) -> str:
    """Return the part of a string expression that is known without running it."""
    if isinstance(node, ast.JoinedStr) and node.values:
        return literal_start(node.values[0])
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def imported(module: str, source: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Yield line and absolute dotted name of all that a module imports, names included."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = parents[: len(parents) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{origin}.{alias.name}"
        elif isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func).rpartition(".")[2]
            name = literal_start(node.args[0])
            if called in {"import_module", "__import__"} and name and not name.startswith("."):
                yield node.lineno, name


def complaints(module: str, source: str, *, is_package: bool = False) -> list[str]:
    """Return what a module's imports do against the rules, one sentence each."""
    room = module.partition(".")[2].partition(".")[0]
    if room and room not in HEIGHT:
        return [f"{module}: room {room!r} has no layer; give it one in LAYERS"]
    found = []
    for line, name in imported(module, source, is_package=is_package):
        root, _, rest = name.partition(".")
        where = f"{module}:{line}"
        if root == "torch" and not f"{module}.".startswith(f"{TORCH_HOME}."):
            found.append(f"{where}: only {TORCH_HOME} may import torch")
        if root != "treegauge" or not room or rest == "__version__":
            continue
        target = rest.partition(".")[0]
        if room == "cli" and not rest:  # commands are made of the functions in front
            continue
        if target not in HEIGHT:
            found.append(f"{where}: import {name!r} from its home, not from the package's front")
        elif target != room and HEIGHT[target] >= HEIGHT[room]:
            found.append(f"{where}: {room} must not import {target}")
    return found


NAMED = re.compile(r"(?:treegauge\.)?(?P<room>[a-z_]+)\.[a-z_]+[\w.]*(?::\w+)?")


def named_above(module: str, source: str) -> list[str]:
    """Return the strings of a module that name something in a room above it, one sentence each.

    A name starts with ``treegauge.`` or ends with ``:object``; prose and references in docstrings
    are no names.
    """
    room = module.partition(".")[2].partition(".")[0]
    found = []
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        name = NAMED.fullmatch(text.rstrip("."))
        if not room or name is None or not (text.startswith("treegauge.") or ":" in text):
            continue
        if HEIGHT.get(name["room"], -1) > HEIGHT[room]:
            found.append(f"{module}:{node.lineno}: {room} names {text!r}; see treegauge.core.lazy")
    return found


def declared() -> set[str]:
    """Return the modules that the run-time dependencies and the users' extras provide."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"]]
    wanted += [need for name in extras for need in extras[name]]
    names = set()
    for need in wanted:
        distribution, bracketed = re.match(r"([\w.-]+)(?:\[([\w,]+)\])?", need).groups()
        names.add(distribution.replace("-", "_").partition(".")[0])
        names.update((bracketed or "").split(","))
    return names - {""}


def test_the_source_is_found():
    assert {"treegauge", "treegauge.core.errors", "treegauge.cli"} <= MODULES.keys()


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_downwards(module):
    path = MODULES[module]
    found = complaints(module, path.read_text(), is_package=path.name == "__init__.py")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("module", MODULES)
def test_no_room_names_one_above_it_by_a_string(module):
    found = named_above(module, MODULES[module].read_text())
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source", "count"),
    [
        ("treegauge.core.lazy", "HOMES = {'map': 'treegauge.learning.map:MAP'}", 1),
        ("treegauge.core.lazy", "load('learning.map:MAP')", 1),
        ("treegauge.experiments.tasks", "f'treegauge.reporting.figures.{name}'", 1),
        ("treegauge.experiments.tasks", "'treegauge.experiments.builtin:score_of_cell'", 0),
        ("treegauge.learning.map", "'treegauge.core.errors'", 0),
        ("treegauge.core.errors", "'See :mod:`treegauge.cli.app`.'", 0),
        ("treegauge.measures.registry", "'treegauge.measures'", 0),
        ("treegauge", "register(map='learning.map:MAP')", 0),
    ],
)
def test_a_name_of_an_upper_room_is_noticed(module, source, count):
    assert len(named_above(module, source)) == count


@pytest.mark.parametrize("module", MODULES)
def test_only_declared_packages_are_imported(module):
    path = MODULES[module]
    names = imported(module, path.read_text(), is_package=path.name == "__init__.py")
    roots = {name.partition(".")[0] for _, name in names}
    legal = {"treegauge", "compression", *declared(), *OPTIONAL, *sys.stdlib_module_names}  # in Python from 3.14
    assert roots <= legal, f"{module} imports {sorted(roots - legal)}: not declared in pyproject.toml"


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("treegauge.treebanks.data.conllu", "from treegauge.scoring import score"),
        ("treegauge.treebanks.data.conllu", "import treegauge.cli.app"),
        ("treegauge.treebanks.data.conllu", "from treegauge import scoring"),
        ("treegauge.treebanks.data.conllu", "from ...scoring import align"),
        ("treegauge.treebanks.data.conllu", "from ... import scoring"),
        ("treegauge.kernels.scan", "from ..treebanks import columns"),
        ("treegauge.statistics.bootstrap", "def f():\n    from treegauge.ranking import exact"),
        ("treegauge.scoring.alignment.align", "if TYPE_CHECKING:\n    from treegauge.reporting import page"),
        (
            "treegauge.scoring.alignment.align",
            "try:\n    import treegauge.reporting.figures\nexcept OSError:\n    pass",
        ),
        ("treegauge.scoring.alignment.align", "import_module('treegauge.reporting')"),
        ("treegauge.scoring.alignment.align", "importlib.import_module(f'treegauge.parsing.{name}')"),
        ("treegauge.measures.structure", "from treegauge.splitting import random"),
        ("treegauge.scoring.alignment.align", "from treegauge import read_conllu"),
        ("treegauge.scoring.alignment.align", "from treegauge import *"),
        ("treegauge.scoring.alignment.align", "import treegauge"),
        ("treegauge.scoring.alignment.align", "importlib.import_module(f'treegauge.{name}')"),
        ("treegauge.attic", ""),
        ("treegauge.attic.old", ""),
        ("treegauge.parsing.base", "import torch"),
        ("treegauge.parsing.neurally", "from torch.nn import Module"),
        ("treegauge.cli.train", "def f():\n    import torch.cuda"),
        ("treegauge.learning.dynamics.recorder", "if TYPE_CHECKING:\n    from torch import Tensor"),
        ("treegauge", "import torch"),
    ],
)
def test_a_wrong_import_is_noticed(module, source):
    assert len(complaints(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("treegauge.treebanks.data.conllu", "from treegauge.treebanks.data.trees import depth"),
        ("treegauge.treebanks.data.conllu", "from . import trees\nfrom .trees import depth"),
        ("treegauge.treebanks.data.conllu", "from ...core.errors import TreegaugeError"),
        ("treegauge.core.result", "from treegauge import __version__"),
        ("treegauge.cli.score", "import treegauge.scoring.alignment.align as align"),
        ("treegauge.parsing.neural.encoder", "import torch.nn as nn\nfrom torch import Tensor"),
        ("treegauge.parsing.neural", "import torch"),
        ("treegauge.scoring.alignment.align", "import torchless\nimport treegaugelike"),
        ("treegauge", "from treegauge.cli import main"),
    ],
)
def test_a_right_import_passes(module, source):
    assert complaints(module, source) == []


def test_a_packages_relative_imports_start_at_itself():
    assert complaints("treegauge.scoring", "from .align import align", is_package=True) == []
    assert complaints("treegauge.scoring", "from ..cli import main", is_package=True) != []
    assert complaints("treegauge", "from .scoring import align", is_package=True) == []
