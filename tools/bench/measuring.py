"""Time and memory of contenders, each in a fresh process.

``python -m tools.bench.measuring JOB`` is such a process; it prints a line of JSON at the end.
"""

import importlib
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

TREEGAUGE = (sys.executable, "-c", "from treegauge.cli import main; main()")
LAUNCHER = """
import json, os, sys, time
start = time.perf_counter()
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ), 0)
seconds, processor = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
with open(sys.argv[1], "w") as file:
    json.dump([os.waitstatus_to_exitcode(status), seconds, processor, usage.ru_maxrss], file)
"""
"""Starts a program and writes its exit code, seconds and peak memory to a file.

The peak of a process is at least the memory of the process that started it. That of the benchmarks
is larger than that of many programs; a bare interpreter has 8 MB.
"""
SLOW, SHORT = 5.0, 0.05
"""Seconds above which two rounds are enough, and below which work is repeated."""


class Contender(NamedTuple):
    """The function to time, and the function that checks its result.

    The answer shows that all contenders did the same work; it is not timed. None means that this
    contender's answer is different by definition.
    """

    action: Callable[..., Any]
    answer: Callable[[Any], float | None]


Makers = Mapping[str, Callable[[], Contender]]
"""Contenders by name, ours first; each is created in its own process, with its imports."""


@dataclass(frozen=True)
class Measured:
    """Seconds, peak memory of the process (MB = 10^6 bytes), and the answer.

    `processor` is the processor time of a whole process; 0 if a call was timed.
    """

    seconds: float
    peak: float
    answer: float | None = None
    processor: float = 0.0

    @classmethod
    def middle(cls, runs: Sequence["Measured"], tolerance: float = 0.0) -> "Measured":
        """Return the median of runs; their answers must be the same, up to `tolerance`."""
        answers = [one.answer for one in runs if one.answer is not None]
        if any(not math.isclose(one, answers[0], rel_tol=tolerance) for one in answers):
            raise SystemExit(f"the same run, different answers: {answers}")
        seconds, peaks = [one.seconds for one in runs], [one.peak for one in runs]
        answer = median(answers) if answers else None
        return cls(median(seconds), median(peaks), answer, median(one.processor for one in runs))


def contest(
    part: str,
    job: str,
    names: Iterable[str],
    *given: str | Path | float,
    small: Sequence[str | Path | float] = (),
    repeats: int = 3,
    tolerance: float = 1e-6,
) -> dict[str, Measured]:
    """Measure contenders for a job in turns, so that a slow minute affects all equally.

    Each gets `given`, after the same work on `small` or, if that is empty, on `given`. Contenders
    whose package is not installed are left out, and slow ones run only two rounds.

    Raises
    ------
    SystemExit
        If answers differ by more than `tolerance`, relative to the first.
    """
    found: dict[str, list[Measured]] = {name: [] for name in names}
    for turn in range(repeats):
        for name in list(found):
            if turn > 1 and min(one.seconds for one in found[name]) > SLOW:
                continue
            tell(f"{part}, {job}, round {turn + 1} of {repeats}: {name}")
            one = _in_fresh_process(part, job, name, small, given)
            if one is None:
                del found[name]
            else:
                found[name].append(one)
    middle = {name: Measured.middle(runs, tolerance) for name, runs in found.items()}
    answers = {name: one.answer for name, one in middle.items() if one.answer is not None}
    first = next(iter(answers.values()), 0.0)
    if any(not math.isclose(one, first, rel_tol=tolerance) for one in answers.values()):
        raise SystemExit(f"{part}, {job}: the contenders' answers differ: {answers}")
    return middle


def _in_fresh_process(
    part: str, job: str, name: str, small: Sequence[str | Path | float], given: Sequence[str | Path | float]
) -> Measured | None:
    """Run one contender; return None if its package is not installed."""
    wanted = {"part": part, "job": job, "name": name, "small": small, "given": given}
    command = [sys.executable, "-m", "tools.bench.measuring", json.dumps(wanted, default=str)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{part}, {name} failed:\n{done.stderr}")
    values = json.loads(done.stdout.splitlines()[-1])
    if "missing" in values:
        tell(f"{values['missing']} is not installed: {name} is left out")
        return None
    return Measured(**values)


def command(*arguments: str | Path, repeats: int = 1, codes: Sequence[int] = (0,)) -> Measured:
    """Measure the treegauge command line as a whole, from starting Python to its end."""
    return Measured.middle([process(*TREEGAUGE, *arguments, codes=codes) for _ in range(repeats)])


def process(
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    codes: Sequence[int] = (0,),
    folder: Path | None = None,
) -> Measured:
    """Measure a program as a whole, from its start to its end, with one of these exit codes.

    It runs in `folder`, by default the current one.
    """
    tell(" ".join(getattr(a, "name", str(a)) for a in arguments))
    launcher = (sys.executable, "-I", "-S", "-c", LAUNCHER)
    # Bytecode is kept, as for every installed package.
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **(environment or {})}
    with tempfile.TemporaryDirectory() as place:
        usage = Path(place) / "usage.json"
        words = map(str, (*launcher, usage, *arguments))
        done = subprocess.run([*words], capture_output=True, cwd=folder, env=env, check=False)
        if not usage.exists():
            raise SystemExit(f"{arguments} could not be started:\n{done.stderr.decode()}")
        code, seconds, processor, peak = json.loads(usage.read_text("utf-8"))
    if code not in codes:
        output = (done.stdout + done.stderr).decode(errors="replace")
        raise SystemExit(f"{arguments} failed:\n{output}")
    return Measured(seconds, _bytes(peak) / 1e6, processor=processor)


def tell(text: str) -> None:
    """Report progress on standard error, since some peers take minutes."""
    print(f"... {text}", file=sys.stderr, flush=True)


def _peak() -> float:
    """Return this process's peak memory in MB, without that of its parent at the fork."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024 / 1e6
    return _bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1e6


def _bytes(ru_maxrss: int) -> int:
    return ru_maxrss if sys.platform == "darwin" else ru_maxrss * 1024


def main() -> None:
    """Run one contender: an untimed warm-up on the small input (or the given one), then timed.

    Short work is repeated for a twentieth of a second, and the median counts.
    """
    wanted = json.loads(sys.argv[1])
    jobs: Mapping[str, Makers] = importlib.import_module(f"tools.bench.{wanted['part']}").JOBS
    try:
        contender = jobs[wanted["job"]][wanted["name"]]()
    except ModuleNotFoundError as error:
        print(json.dumps({"missing": error.name}))
        return
    contender.action(*(wanted["small"] or wanted["given"]))
    times: list[float] = []
    while sum(times) < SHORT:
        result = None  # the previous result must be deleted before the next turn
        start = time.perf_counter()
        result = contender.action(*wanted["given"])
        times.append(time.perf_counter() - start)
    peak, answer = _peak(), contender.answer(result)
    values = {"seconds": median(times), "peak": peak, "answer": answer}
    print("\n" + json.dumps(values, default=float))


if __name__ == "__main__":
    main()
