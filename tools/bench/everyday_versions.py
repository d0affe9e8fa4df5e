"""Everyday commands in this version and another one, in turns.

``python -m tools.bench.everyday_versions OTHER/src [REPEATS]``: OTHER is a checkout with compiled
kernels. Each command runs in processes of its own, of both versions in turns, once before the
clock counts; the fastest of several runs counts, in seconds of the processor.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

SYSTEMS = ("careful.conllu", "average.conllu", "hasty.conllu")
COMMANDS: dict[str, Sequence[str]] = {
    "--help": ("--help",),
    "score": ("score", "gold.conllu", *SYSTEMS),
    "score, 4 MB": ("score", "large.conllu", "large_system.conllu"),
    "breakdown --by": ("breakdown", "gold.conllu", *SYSTEMS[:2], "--by", "relation"),
    "check": ("check", "gold.conllu", "--ud-level", "3"),
    "measure": ("measure", "all", "UD_Imaginary-SVO"),
    "rank": ("rank", "conll18", "--metric", "LAS", "--size", "10"),
}
BEFORE: dict[str, Sequence[str]] = {
    "breakdown --by": ("score", "gold.conllu", *SYSTEMS[:2], "--by", "relation"),
    "check": ("check", "gold.conllu", "--level", "3"),
}
"""Words of versions before the redesign, where they differ."""
TIMES = 6
"""How often the demo's test set is in the large file."""


def spent(source: str, words: Sequence[str], folder: Path) -> float:
    """Return the processor seconds of a command in a version."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "treegauge", *words], cwd=folder, env={**os.environ, "PYTHONPATH": source},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in {0, 1} or not done.stdout:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print one line per command."""
    from treegauge.reporting.demo import make_inputs

    other, repeats = sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 9
    versions = (other, str(Path(__file__).parents[2] / "src"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_inputs(folder, seed=1)
        for name, small in (("large.conllu", "gold.conllu"), ("large_system.conllu", SYSTEMS[0])):
            (folder / name).write_bytes((folder / small).read_bytes() * TIMES)
        print("| command | before | now | now / before |\n|---|---:|---:|---:|")
        for name, words in COMMANDS.items():
            times: dict[str, list[float]] = {source: [] for source in versions}
            for _ in range(repeats + 1):
                for source, found in times.items():
                    redesigned = (Path(source) / "treegauge" / "__init__.pyi").exists()
                    found.append(spent(source, words if redesigned else BEFORE.get(name, words), folder))
            before, now = (min(times[source][1:]) for source in versions)
            print(f"| {name} | {before:.3f} s | {now:.3f} s | {now / before:.2f} |", flush=True)


if __name__ == "__main__":
    main()
