"""Treebanks for the tests: real ones, where they are at hand, and invented ones."""

import os
import sys
from pathlib import Path

import pytest

from studies.treebanks import TREEBANKS, treebank_files
from treegauge.cli.app import main
from treegauge.testing.synthetic import synthetic_conllu
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import parse_conllu

from .perturb import perturb

UD = Path(os.environ.get("TREEGAUGE_UD", Path(__file__).parents[2] / "../shared/ud"))


def real_test_files() -> dict[str, Path]:
    """Return the test file of every named treebank, of the newest release that has it."""
    files = treebank_files("*-ud-test.conllu", releases=sorted(TREEBANKS))
    return {path.parent.name: path for path in files}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `real` on every treebank, or skip it with a reason."""
    if "real" not in metafunc.fixturenames:
        return
    files = real_test_files()
    reason = f"no real treebanks in {UD} (set TREEGAUGE_UD)"
    absent = pytest.param(None, marks=pytest.mark.skip(reason=reason), id="absent")
    metafunc.parametrize("real", files.values() or [absent], ids=files or None)


@pytest.fixture
def real_text(real: Path) -> str:
    """Return the text of a real treebank's test file."""
    return real.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def invented() -> dict[str, str]:
    """Return an invented treebank, and analyses of it that are a little and much worse."""
    gold = synthetic_conllu(120, seed=3)
    good = perturb(gold, "annotation", seed=1, rate=0.03)
    poor = perturb(gold, "annotation", seed=2, rate=0.25)
    cut = perturb(gold, "everything", seed=3, rate=0.05)
    return {"gold": gold, "good": good, "poor": poor, "cut": cut}


@pytest.fixture(scope="session")
def treebanks(invented: dict[str, str]) -> dict[str, Treebank]:
    """Return the same as treebanks."""
    return {name: parse_conllu(text, name=name) for name, text in invented.items()}


@pytest.fixture(scope="session")
def files(invented, tmp_path_factory):
    """Write gold, three systems and a second run of one."""
    folder = tmp_path_factory.mktemp("files")
    texts = invented | {"again": perturb(invented["gold"], "annotation", seed=9, rate=0.25)}
    for name, text in texts.items():
        (folder / f"{name}.conllu").write_text(text, encoding="utf-8")
    return {name: str(folder / f"{name}.conllu") for name in texts}


@pytest.fixture
def cli(monkeypatch, capsys):
    """Run the command in this process; gives exit code, standard output and error."""

    def run(*words: str, verb: str = "score") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["treegauge", verb, *words])
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        return caught.value.code or 0, out, err

    return run
