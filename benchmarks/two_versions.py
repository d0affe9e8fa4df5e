"""Training and parsing with gold tags in this version and another one, in the same run.

``python -m benchmarks.two_versions OTHER/src [TREEBANK...]``: OTHER is a checkout with compiled
kernels. Processes of both versions take turns; the fastest of several runs counts, in processor
seconds. The trees must be identical.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from replications.parts import release_folder

REPEATS = 3
TREEBANKS = ("UD_Telugu-MTG", "UD_Hungarian-Szeged")
CODE = """
import json, sys, time
from hashlib import sha256
from treegauge.parsing.registry import make_parser
from treegauge.treebanks.conllu import read_splits
parser, folder = sys.argv[1:]
sets = read_splits(folder)
start = time.process_time()
model = make_parser(parser).fit(sets["train"], seed=0)
trained = time.process_time()
for _ in range(5):
    parsed = model.parse(sets["test"])
done = time.process_time()
trees = sha256(parsed.to_bytes()).hexdigest()
print(json.dumps([trained - start, (done - trained) / 5, trees]))
"""


def timed(source: str, parser: str, folder: Path) -> tuple[float, float, str]:
    """Return seconds of training and of parsing the test set once, and a digest of the trees."""
    words = [sys.executable, "-c", CODE, parser, str(folder)]
    env = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(words, env=env, check=True, capture_output=True, text=True)
    train, parse, trees = json.loads(done.stdout)
    return train, parse, trees


def main() -> None:
    """Print one line per treebank and parser."""
    other, *names = sys.argv[1:]
    own = str(Path(__file__).parents[1] / "src")
    print("| treebank | parser | train before | now | parse before | now | same trees |")
    print("|---|---|---:|---:|---:|---:|---|")
    for name in names or TREEBANKS:
        for parser in ("beam", "mst"):
            runs: dict[str, list[tuple[float, float, str]]] = {other: [], own: []}
            for _ in range(REPEATS):
                for source, times in runs.items():
                    times.append(timed(source, parser, release_folder("r2.5") / name))
            cells = [
                f"{min(run[kind] for run in runs[source]):.3f} s"
                for kind in (0, 1)
                for source in (other, own)
            ]
            same = len({run[2] for times in runs.values() for run in times}) == 1
            shown = [name, parser, *cells, "yes" if same else "NO"]
            print(f"| {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
