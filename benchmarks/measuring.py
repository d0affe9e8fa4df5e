"""Time and memory of contenders, each in a fresh process of its own.

``python -m benchmarks.measuring JOB`` is such a process; what it prints last is a line of JSON.
"""

import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

TREEGAUGE = (sys.executable, "-c", "from treegauge.cli import main; main()")


class Contender(NamedTuple):
    """What is timed, and what is asked of its result afterwards.

    The answer shows that all contenders did the same work; it is not part of the time.
    """

    action: Callable[..., Any]
    answer: Callable[[Any], int]


@dataclass(frozen=True)
class Measured:
    """Seconds, the most memory the process ever held (MB = 10^6 bytes), and the answer."""

    seconds: float
    peak: float
    answer: int = 0

    def best(self, other: "Measured | None") -> "Measured":
        """Return the better of two runs; they must agree on the answer."""
        if other is None:
            return self
        if self.answer != other.answer:
            raise SystemExit(f"two runs, two answers: {self.answer} and {other.answer}")
        return Measured(min(self.seconds, other.seconds), min(self.peak, other.peak), self.answer)


def contest(
    part: str, names: Sequence[str], small: Sequence[Path], files: Sequence[Path], repeats: int
) -> dict[str, Measured]:
    """Measure the contenders of a part, taking turns, so that a slow minute hits all alike.

    Contenders whose package is not installed are left out.
    """
    found: dict[str, Measured] = {}
    missing: set[str] = set()
    for turn in range(repeats):
        for name in names:
            if name in missing:
                continue
            tell(f"{part}, round {turn + 1} of {repeats}: {name}")
            one = _in_fresh_process(part, name, small, files)
            if one is None:
                missing.add(name)
                tell(f"{name} is not installed and left out")
            else:
                found[name] = one.best(found.get(name))
    answers = {name: one.answer for name, one in found.items()}
    if len(set(answers.values())) > 1:
        raise SystemExit(f"{part}: the contenders' answers differ: {answers}")
    return found


def _in_fresh_process(
    part: str, name: str, small: Sequence[Path], files: Sequence[Path]
) -> Measured | None:
    job = {
        "part": part,
        "name": name,
        "small": [str(path) for path in small],
        "files": [str(path) for path in files],
    }
    command = [sys.executable, "-m", "benchmarks.measuring", json.dumps(job)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{part}, {name} failed:\n{done.stderr}")
    values = json.loads(done.stdout.splitlines()[-1])
    return None if "missing" in values else Measured(**values)


def command(
    *arguments: str | Path, environment: Mapping[str, str] | None = None, repeats: int = 1
) -> Measured:
    """Measure the treegauge command line as a whole, from starting Python to its end."""
    best: Measured | None = None
    for _ in range(repeats):
        tell(f"treegauge {' '.join(getattr(a, 'name', str(a)) for a in arguments)}")
        start = time.perf_counter()
        with subprocess.Popen(
            [*TREEGAUGE, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | (environment or {}),
        ) as process:
            assert process.stdout is not None
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        took = time.perf_counter() - start
        if process.returncode:
            raise SystemExit(f"treegauge {arguments} failed:\n{output.decode()}")
        best = Measured(took, _bytes(usage.ru_maxrss) / 1e6).best(best)
    assert best is not None, "repeats is at least 1"
    return best


def tell(text: str) -> None:
    """Say on standard error what is going on: some peers take minutes."""
    print(f"... {text}", file=sys.stderr, flush=True)


def _peak() -> float:
    """Return this process's peak memory in MB, without what its parent held when it forked."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024 / 1e6
    return _bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1e6


def _bytes(ru_maxrss: int) -> int:
    return ru_maxrss if sys.platform == "darwin" else ru_maxrss * 1024


def main() -> None:
    """Run one contender: first on small files, untimed, then on the large ones."""
    job = json.loads(sys.argv[1])
    module = importlib.import_module(f"benchmarks.{job['part']}")
    try:
        contender: Contender = module.CONTENDERS[job["name"]]()
    except ModuleNotFoundError as error:
        print(json.dumps({"missing": error.name}))
        return
    contender.action(*job["small"])
    start = time.perf_counter()
    result = contender.action(*job["files"])
    took = time.perf_counter() - start
    values = {"seconds": took, "peak": _peak(), "answer": int(contender.answer(result))}
    print("\n" + json.dumps(values))


if __name__ == "__main__":
    main()
