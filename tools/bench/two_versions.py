"""Training, parsing and confidence, with gold tags, in this version and another one, in turns.

``python -m tools.bench.two_versions OTHER/src [TREEBANK...]``: OTHER is a checkout with compiled
kernels. Processes of both versions take turns; the fastest of several runs counts, in processor
seconds. The trees must be identical; probabilities need not be.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from studies.treebanks import release_folder

REPEATS = 3
TREEBANKS = ("UD_Telugu-MTG", "UD_Hungarian-Szeged")
KINDS = ("train", "parse", "calibrate", "confidence")
SCRIPT = Path(__file__).with_name("timed_parser.py")


def timed(source: str, parser: str, folder: Path) -> tuple[list[float], str]:
    """Return the seconds of each step of KINDS on a treebank, and a digest of the trees."""
    words = [sys.executable, str(SCRIPT), parser, str(folder)]
    env = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(words, env=env, check=True, capture_output=True, text=True)
    seconds, trees = json.loads(done.stdout)
    return seconds, trees


def main() -> None:
    """Print one line per treebank and parser."""
    other, *names = sys.argv[1:]
    own = str(Path(__file__).parents[2] / "src")
    columns = [f"{kind} before | now" for kind in KINDS]
    print(f"| treebank | parser | {' | '.join(columns)} | same trees |")
    print(f"|---|---|{'---:|' * 2 * len(KINDS)}---|")
    for name in names or TREEBANKS:
        for parser in ("beam", "mst"):
            runs: dict[str, list[tuple[list[float], str]]] = {other: [], own: []}
            for _ in range(REPEATS):
                for source, times in runs.items():
                    times.append(timed(source, parser, release_folder("r2.5") / name))
            cells = [
                f"{min(seconds[kind] for seconds, _ in runs[source]):.3f} s"
                for kind in range(len(KINDS))
                for source in (other, own)
            ]
            same = len({trees for times in runs.values() for _, trees in times}) == 1
            shown = [name, parser, *cells, "yes" if same else "NO"]
            print(f"| {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
