"""The leaderboard of a shared task of twelve parsers on twenty treebanks, and its updates.

``python -m tools.bench.leaderboard FOLDER`` trains the parsers and writes the task: gold files in
``FOLDER/gold``, a folder per team in ``FOLDER/teams``. ``python -m tools.bench.leaderboard
--share`` prints what an added team costs, on outputs that are gold with incorrect relations.
"""

import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies.treebanks import treebank_files
from tools.bench.measuring import TREEGAUGE, Measured, process, tell
from tools.bench.tables import Section, Target, took

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

TREEBANKS = 20
LEAST = 500_000
"""Minimum size of a training set in bytes."""
SIZES = (20, 50, 100, 200, 400, 800)
"""Maximum numbers of training sentences of the teams."""
PARSERS: dict[str, dict[str, Any]] = {"beam": {"learners": 1, "epochs": 5}, "mst": {"epochs": 2, "label_epochs": 2}}
LATE = "beam-800"
"""The team that submits after all others have been scored."""


def treebanks() -> Iterator[tuple[str, "Treebank", "Treebank"]]:
    """Yield names, training sets and test sets, of real treebanks if available."""
    from treegauge.testing.grammar import Grammar
    from treegauge.testing.synthetic import synthetic
    from treegauge.treebanks.data.conllu import read_conllu

    files = treebank_files("*-ud-train.conllu", releases=["r2.9"])
    found = [one for one in files if one.stat().st_size >= LEAST]
    for path in sorted(found, key=lambda one: one.stat().st_size)[:TREEBANKS]:
        test = path.with_name(path.name.replace("train", "test"))
        yield test.stem, read_conllu(path), read_conllu(test)
    for number in range(0 if len(found) >= TREEBANKS else TREEBANKS):
        whole = synthetic(1200, Grammar(language=number), seed=number)
        yield f"x{number:02}_made-ud-test", whole[:800], whole[800:]


def make(folder: Path) -> None:
    """Train the parsers and write the task."""
    from treegauge.parsing.registry import make_parser
    from treegauge.treebanks.data.conllu import write_conllu

    (folder / "gold").mkdir()
    for name, training, test in treebanks():
        write_conllu(test, folder / "gold" / f"{name}.conllu")
        for parser, options in PARSERS.items():
            for size in SIZES:
                tell(f"{name}: {parser} on {size} sentences")
                model = make_parser(parser, **options).fit(training[:size], seed=0)
                team = folder / "teams" / f"{parser}-{size}"
                team.mkdir(parents=True, exist_ok=True)
                code = name.removesuffix("-ud-test")  # names as teams give them
                write_conllu(model.parse(test), team / f"{code}.conllu")


def run(repeats: int) -> Section:
    """Make the task, and time the whole command in four situations."""
    with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as made:
        subprocess.run([sys.executable, "-m", "tools.bench.leaderboard", made], check=True)
        return timed(Path(made), repeats)


def timed(folder: Path, repeats: int) -> Section:
    """Time the whole command on an existing task."""
    found: dict[str, list[Measured]] = {name: [] for name in SITUATIONS}
    counts: dict[str, int] = {}
    for _ in range(repeats):
        for name, cells, one in _round(folder):
            found[name].append(one)
            counts[name] = cells
    outputs = {path: path.read_bytes() for path in (folder / "teams").rglob("*.conllu")}
    treebanks, size = len(list((folder / "gold").iterdir())), sum(map(len, outputs.values()))
    late = {text for path, text in outputs.items() if path.parent.name == LATE}
    fresh = late - {text for path, text in outputs.items() if path.parent.name != LATE}
    middle = {name: Measured.middle(runs) for name, runs in found.items()}
    rows = [
        [name, str(counts[name]), took(one.processor), took(one.seconds), f"{one.peak:.0f}"]
        for name, one in middle.items()
    ]
    teams = len(PARSERS) * len(SIZES)
    text = (
        f"`treegauge leaderboard gold teams -o out` for {teams} invented teams "
        f"({' and '.join(PARSERS)}, trained on {', '.join(map(str, SIZES))} sentences) on the test "
        f"sets of {treebanks} treebanks ({size / 1e6:.0f} MB of output). Identical outputs are "
        "scored once. If nothing has changed, checksums, ranking and the page remain; an added "
        "team also pays for reading gold (its share: `python -m tools.bench.leaderboard --share`)."
    )
    share = added_share(folder)
    expected = {NOTHING: len(set(outputs.values())), SAME: 0, CHANGED: 1, ADDED: len(fresh)}
    targets = [
        Target(
            "only what is new is scored",
            f"{counts[ADDED]} of {counts[NOTHING]} outputs after one team was added",
            counts == expected,
        ),
        Target("an added team costs at most 1.5 times its share of the scoring", f"{share:.2f} times", share <= 1.5),
    ]
    head = ("leaderboard", "outputs scored", "processor s", "wall s", "peak MB")
    return Section("Leaderboard", text, head, rows, targets)


NOTHING, SAME = "from nothing", "again, nothing has changed"
CHANGED, ADDED = "again, one output has changed", "again, one team was added"
SITUATIONS = (NOTHING, SAME, CHANGED, ADDED)


def _round(folder: Path) -> Iterator[tuple[str, int, Measured]]:
    """Yield every situation with the number of scored outputs and the measurement."""
    teams, late, out = folder / "teams", folder / "late", folder / "out"
    command = [*TREEGAUGE, "leaderboard", *map(str, (folder / "gold", teams, "-o", out))]

    def measured() -> tuple[int, Measured]:
        before = len(list((out / "cells").glob("*.json"))) if out.exists() else 0
        one = process(*command)
        return len(list((out / "cells").glob("*.json"))) - before, one

    shutil.rmtree(out, ignore_errors=True)
    yield NOTHING, *measured()
    yield SAME, *measured()
    file = sorted((teams / "mst-20").iterdir())[0]
    text = file.read_bytes()
    file.write_bytes(b"# changed = yes\n" + text)
    yield CHANGED, *measured()
    file.write_bytes(text)
    shutil.rmtree(out)
    (teams / LATE).rename(late)
    process(*command)
    late.rename(teams / LATE)
    yield ADDED, *measured()


def added_share(folder: Path, repeats: int = 5) -> float:
    """Return what the last team costs, in its share of the scoring of all (processor time, the median).

    Reading checksums of files whose scores are known is in neither.
    """
    from treegauge.scoring.settings import ScoreOptions
    from treegauge.scoring.submissions import find_submissions, score_submissions

    def seconds(teams: list[Path], cache: Path) -> tuple[float, int]:
        files, _ = find_submissions(str(folder / "gold"), [{team.name: str(team) for team in teams}])
        start = time.process_time()
        done = score_submissions(files, ScoreOptions(), cache=cache, workers=1)
        return time.process_time() - start, done.new

    shares, teams = [], sorted((folder / "teams").iterdir())
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            (nothing, outputs), (same, _) = (seconds(teams, Path(one)) for _ in range(2))
            seconds(teams[:-1], Path(two))
            added, new = seconds(teams, Path(two))
        shares.append((added - same) / new / ((nothing - same) / outputs))
    return sorted(shares)[repeats // 2]


def make_quickly(folder: Path) -> None:
    """Write a task whose outputs are gold with 5 to 27 % incorrect relations."""
    from treegauge.treebanks.data.conllu import write_conllu

    (folder / "gold").mkdir()
    for name, _, test in treebanks():
        write_conllu(test, folder / "gold" / f"{name}.conllu")
        lines = test.to_bytes().decode().split("\n")
        for number in range(len(PARSERS) * len(SIZES)):
            draw, written = random.Random(f"{name} {number}"), []
            for line in lines:
                cells = line.split("\t")
                if len(cells) == 10 and cells[6] != "0" and draw.random() < 0.05 + 0.02 * number:
                    cells[7] = "dep"
                written.append("\t".join(cells))
            team = folder / "teams" / f"team{number:02}"
            team.mkdir(parents=True, exist_ok=True)
            (team / f"{name.removesuffix('-ud-test')}.conllu").write_text("\n".join(written), "utf-8")


if __name__ == "__main__" and sys.argv[1] == "--share":
    with tempfile.TemporaryDirectory() as made:
        make_quickly(Path(made))
        print(f"an added team costs {added_share(Path(made)):.2f} times its share of the scoring")
elif __name__ == "__main__":
    make(Path(sys.argv[1]))
