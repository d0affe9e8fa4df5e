"""Coverage-guided runs with Atheris, which vary inputs by the fuzzer's own function.

``python -m tools.fuzz --guided SECONDS NAME`` starts ``python -m tools.fuzz.guided NAME`` with the options of
libFuzzer, and stores the number of inputs tried. Atheris sees only the Python code; the structured
runs cover kernels.
"""

import re
import subprocess
import sys
from pathlib import Path
from random import Random

from tools.fuzz import results

FOUND = Path(__file__).with_name("found")
"""Inputs that reached new code, and those that failed; not stored in the repository."""
_DONE = re.compile(r"Done (\d+) (?:runs )?in (\d+) second")
_COVERAGE = re.compile(r"cov: (\d+)")


def guided(name: str, seconds: int) -> int:
    """Run Atheris for some seconds; return 1 if it found something."""
    corpus = FOUND / name
    corpus.mkdir(parents=True, exist_ok=True)
    seed = 1 + sum("inputs" in row for row in results.read(name))
    line = [
        sys.executable, "-m", "tools.fuzz.guided", name, f"-max_total_time={seconds}", f"-seed={seed}",
        "-max_len=4096", "-timeout=30", f"-artifact_prefix={FOUND}/{name}-", str(corpus),
    ]  # fmt: skip
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    ended, covered = _DONE.search(done.stderr), _COVERAGE.findall(done.stderr)
    if done.returncode or not ended:
        print(done.stderr[-3000:], file=sys.stderr)
        return 1
    row = {
        "guided": "Atheris", "seed": seed, "inputs": int(ended[1]), "seconds": int(ended[2]),
        "covered": int(covered[-1]) if covered else 0, "findings": [],
    }  # fmt: skip
    results.add(name, [row])
    print(f"{name}: guided by coverage, seed {seed}, {row['inputs']:,} inputs in {ended[2]} s")
    return 0


def main() -> None:
    """Run Atheris in this process; it does not return."""
    import atheris

    from tools.fuzz.targets import load

    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=["treegauge"]):
        target = load(name)
    for seed in range(200):
        (FOUND / name / f"seed-{seed}").write_bytes(target.make(Random(seed)))

    def varied(data: bytes, most: int, seed: int) -> bytes:
        return target.vary(data, Random(seed))[:most]

    atheris.Setup(sys.argv, target.check, custom_mutator=varied)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
