"""Importing the package and asking for help stay light: no heavy library is loaded.

Seconds are of a noisy machine, so the rule is on the modules loaded. Time is measured too: the
CPU time of the child, beside that of an interpreter that does nothing, with room to spare.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import treegauge
from treegauge.testing.synthetic import synthetic

HEAVY = {"torch", "polars", "scipy", "pandas", "pyarrow"}

IMPORT = "import treegauge"
RUN = "from treegauge.cli.app import run_command\n"
HELP = """
from treegauge.cli.app import run_command
assert run_command(["--help"]) == 0
"""
HELP_OF_VERBS = """
from treegauge.cli.app import run_command
from treegauge.cli.verbs import QUESTION
for verb in QUESTION:
    assert run_command([verb, "--help"]) == 0, verb
"""
LIST = """
import json, sys
print("MODULES" + json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded(code: str) -> set[str]:
    return set(json.loads(run(code + LIST).rpartition("MODULES")[2]))


def cpu_seconds(code: str) -> float:
    before = os.times()
    run(code)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


@pytest.mark.parametrize("code", [IMPORT, HELP, HELP_OF_VERBS], ids=["import", "help", "verbs"])
def test_nothing_heavy_is_loaded(code):
    assert not loaded(code) & HEAVY


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, str]:
    """A gold file, a system's, and one that is malformed."""
    folder = tmp_path_factory.mktemp("files")
    gold = synthetic(20, seed=1)
    wrong = gold.with_columns({"deprel": ["dep" if d != "root" else d for d in gold["deprel"]]})
    texts = {"gold": gold.to_bytes(), "system": wrong.to_bytes(), "broken": b"1\ta\n\n"}
    for name, text in texts.items():
        (folder / f"{name}.conllu").write_bytes(text)
    return {name: str(folder / f"{name}.conllu") for name in texts}


#: What everyday commands never need to print a table.
UNNEEDED = {
    "numba", "polars", "scipy", "pandas", "pyarrow", "torch", "rich", "typer", "click",
    "pooch", "multiprocessing", "asyncio", "email", "logging", "tempfile",
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--version", 0), ("--help", 0), ("--complete score --m", 0), ("score --nope", 2),
        ("score gold system", 0), ("score gold a=system b=gold", 0), ("check gold", 0),
        ("check gold broken", 1), ("measure mdd,ttr gold", 0), ("measure", 0),
        ("train --list", 0), ("show gold --sentence 1", 0), ("nothing", 2),
    ],
)  # fmt: skip
def test_a_command_loads_only_what_it_uses(files, words, code):
    given = [files.get(word, word) for word in words.split()]
    given = [f"{word[:2]}{files[word[2:]]}" if word[2:] in files else word for word in given]
    found = loaded(f"{RUN}assert run_command({given!r}) == {code}\n")
    assert not found & (UNNEEDED - ({"rich"} if "show" in words else set()))
    if words.startswith("-") or code == 2:
        assert "numpy" not in found


def test_rank_loads_frames_and_special_functions_and_nothing_heavier():
    words = "rank conll18 --subsets 20".split()
    found = loaded(f"{RUN}assert run_command({words!r}) == 0\n")
    assert not found & ((HEAVY | {"rich", "pooch"}) - {"polars", "scipy"})


def test_a_heavy_module_would_be_noticed():
    assert "polars" in loaded("import polars") & HEAVY


def test_the_installed_command_gives_help():
    command = Path(sys.executable).with_name("treegauge")
    if not command.exists():
        pytest.skip(f"no {command}: the package is not installed as a command here")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Usage: treegauge" in done.stdout


@pytest.mark.parametrize(("code", "budget"), [(IMPORT, 0.05), (HELP, 0.15)], ids=["import", "help"])
def test_it_starts_quickly(code, budget, record_property):
    # Taken in turns, so that a slow minute of the machine hits both alike.
    pairs = [(cpu_seconds("pass"), cpu_seconds(code)) for _ in range(5)]
    bare, full = (statistics.median(column) for column in zip(*pairs, strict=True))
    report = f"{full:.3f} s, interpreter alone {bare:.3f} s, ratio {full / max(bare, 1e-3):.1f}"
    record_property("cpu", report)
    print(report)
    fastest = min(seconds for _, seconds in pairs)
    assert fastest < 3 * budget, f"budget {budget} s on a quiet machine; median of five: {report}"


def test_public_names_load():
    for name in dir(treegauge):
        assert getattr(treegauge, name) is not None
