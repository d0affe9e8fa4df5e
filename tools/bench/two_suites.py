"""The tests that two versions share, run by both in turn: how much faster the suite became.

``python -m tools.bench.two_suites OLD NEW [--processes 2]``: two checkouts, each with its own
``.venv`` as ``make test`` sets it up. Tests with the same name in both are run, files that numba
compiled are removed before, and seconds of the processor, of all processes, are printed.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ONLY = """
from os import environ
from pathlib import Path

def pytest_collection_modifyitems(items):
    names = set(Path(environ["ONLY"]).read_text("utf-8").splitlines())
    items[:] = [item for item in items if item.nodeid in names]
"""


def test_names(checkout: Path) -> set[str]:
    """Return the names of all tests of a checkout."""
    words = [str(checkout / ".venv/bin/pytest"), "--collect-only", "-q"]
    listed = subprocess.run(words, cwd=checkout, check=True, capture_output=True, text=True)
    return {line for line in listed.stdout.splitlines() if "::" in line}


def processor_seconds(checkout: Path, folder: Path, processes: str) -> tuple[float, str]:
    """Run the shared tests; return seconds of the processor and pytest's last line."""
    for path in (checkout / "src").rglob("*.nb[ic]"):
        path.unlink()
    shared = (folder / "names").read_text("utf-8").splitlines()
    files = sorted({name.partition("::")[0] for name in shared})
    words = [str(checkout / ".venv/bin/pytest"), "-q", "-n", processes, "--dist", "worksteal", "-p", "only", *files]
    env = {**os.environ, "CI": "true", "PYTHONPATH": str(folder), "ONLY": str(folder / "names")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, cwd=checkout, env=env, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout.strip().splitlines()[-1]


def main() -> None:
    """Print seconds of both versions and their ratio."""
    old, new, *more = sys.argv[1:]
    processes = more[1] if more else "2"
    checkouts = [Path(old).resolve(), Path(new).resolve()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        names = [test_names(checkout) for checkout in checkouts]
        shared = names[0] & names[1]
        (folder / "names").write_text("\n".join(sorted(shared)), "utf-8")
        (folder / "only.py").write_text(ONLY, "utf-8")
        print(f"tests: {len(names[0])} old, {len(names[1])} new, {len(shared)} in both", flush=True)
        seconds = []
        for checkout in checkouts:
            spent, said = processor_seconds(checkout, folder, processes)
            seconds.append(spent)
            print(f"{checkout.name}: {spent:.0f} s of the processor; {said}", flush=True)
        print(f"new / old: {seconds[1] / seconds[0]:.2f}")


if __name__ == "__main__":
    main()
