"""What every test may ask for."""

import gc
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

from studies.treebanks import TREEBANKS, absent

# `make test` gives the same result for everyone; `make fuzz` looks for new examples.
settings.register_profile("default", derandomize=True, deadline=None, max_examples=60)
settings.register_profile("fuzz", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("default")

# What commands print does not depend on the terminal in which tests run.
os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")  # readline, which pytest imports, sets it where os.environ does not look

# A reader's own folder may lack treebanks that the tests name; what else it has does not matter.
if (given := os.environ.get("TREEGAUGE_UD")) and absent(*TREEBANKS):
    os.environ["TREEGAUGE_UD"] = f"{given}/without {' and '.join(absent(*TREEBANKS))[:60]}"

# Programs for the type checkers, not tests; to import one runs it.
collect_ignore_glob = ["typing/*"]

gc.disable()  # collecting tests makes many objects and hardly any garbage


def pytest_collection_finish() -> None:
    """Collect garbage again where tests make some."""
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def results_in_json_are_valid() -> Iterator[None]:
    """Hold every result that a test writes as JSON against the published schema."""
    from tests.commands import schema_errors
    from treegauge.core.result import Result

    write = Result.to_json

    def checked(result: Result) -> str:
        text = write(result)
        if type(result).__module__.startswith("treegauge."):
            assert not (errors := schema_errors(json.loads(text))), errors
        return text

    Result.to_json = checked  # type: ignore[method-assign]
    yield
    Result.to_json = write  # type: ignore[method-assign]


Once = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def ud() -> Path:
    """The folder of real treebanks; tests that need it skip with a reason without."""
    root = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud"))
    if not root.is_dir():
        pytest.skip(f"no treebanks at {root}; set TREEGAUGE_UD to a folder of UD releases")
    return root


@pytest.fixture(scope="session")
def once(tmp_path_factory: Any) -> Once:
    """Folders that the first worker to ask for them fills and all others wait for."""
    home = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        home = home.parent

    def filled(name: str, make: Callable[[Path], None]) -> Path:
        folder, done, failed = (home / f"{name}{ending}" for ending in ("", ".done", ".failed"))
        try:
            folder.mkdir()
        except FileExistsError:
            for _ in range(6000):
                if done.exists():
                    return folder
                if failed.exists():
                    break
                time.sleep(0.1)
            raise RuntimeError(f"{name} was begun elsewhere and never finished") from None
        try:
            make(folder)
        except BaseException:
            failed.touch()
            raise
        done.touch()
        return folder

    return filled


@pytest.fixture(scope="session")
def demo(once: Once) -> Path:
    """The folder that `treegauge demo` fills, made as anyone would make it."""

    def make(folder: Path) -> None:
        command = [sys.executable, "-c", "from treegauge.cli import main; main()"]
        done = subprocess.run([*command, "demo", "--out", str(folder)], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        (folder / "said.txt").write_text(done.stderr + done.stdout)

    return once("demo", make)


class Done(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Run ``treegauge ARGS...``; `stdin` is what comes through the pipe."""

    def run(*args: object, stdin: bytes = b"") -> Done:
        from treegauge.cli.app import main

        monkeypatch.setattr(sys, "argv", ["treegauge", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code
        sys.stdout.flush()
        out, err = capsysbinary.readouterr()
        return Done(code if isinstance(code, int) else 0, out.decode(), err.decode())

    return run


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium; tests skip with a reason where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on the path: apt-get install chromium")
    with playwright.sync_playwright() as engine:
        flags = ["--headless", "--no-sandbox", "--disable-gpu"]
        running = engine.chromium.launch(executable_path=chromium, args=flags)
        yield running
        running.close()
