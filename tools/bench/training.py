"""Training on 500 sentences: the beam parser and UDPipe's trainer, in the same run.

``python -m tools.bench.training [--full]``: with ``--full``, UDPipe goes through all iterations of
the published options on Greek, which takes a quarter of an hour; without, through a tenth of them.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.bench.measuring import tell
from tools.bench.tables import Section, Target

RELEASE = "r2.9"
SENTENCES = 500
TREEBANKS = {"Telugu": "UD_Telugu-MTG", "Greek": "UD_Greek-GDT"}
BEAM: dict[str, Any] = {"beam": 8, "epochs": 10}
# Options of the UDPipe 1.2 models of UD 2.0; Telugu had none and gets the most common ones.
PUBLISHED: dict[str, dict[str, Any]] = {"Telugu": {}, "Greek": {"treebank": "el"}}
FAST: dict[str, Any] = {"preset": "fast"}
SIZED: dict[str, Any] = {"preset": "sized"}
TENTH: dict[str, Any] = {"iterations": 3}
BEAM_NAME, PUBLISHED_NAME, FAST_NAME, SIZED_NAME = (
    "treegauge beam", "UDPipe, published options", "UDPipe, fast", "UDPipe, sized",
)  # fmt: skip


@dataclass(frozen=True)
class Trained:
    """Processor seconds of training, and the model's scores on the test set."""

    seconds: float
    uas: float
    las: float
    parsed: float = 0.0


def run(repeats: int = 3, *, full: bool = False) -> Section:
    """Train everything; the beam parser `repeats` times, of which the fastest counts."""
    root = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")) / RELEASE
    if not all((root / name).is_dir() for name in TREEBANKS.values()):
        return Section("Training", f"Left out: no treebanks in {root} (set TREEGAUGE_UD).")
    rows, targets = [], []
    for language, name in TREEBANKS.items():
        found: dict[str, Trained] = {}
        tell(f"training, {language}: {BEAM_NAME}")
        runs = [_trained(root / name, "beam", BEAM) for _ in range(repeats)]
        found[BEAM_NAME] = min(runs, key=lambda one: one.seconds)
        short = language == "Greek" and not full
        for peer, options in (
            (FAST_NAME, FAST),
            (SIZED_NAME, SIZED),
            (PUBLISHED_NAME, PUBLISHED[language] | (TENTH if short else {})),
        ):
            tell(f"training, {language}: {peer}")
            found[peer] = _trained(root / name, "udpipe", options)
        rows += _rows(language, found, short)
        targets += _targets(language, found, short)
        if language == "Greek":
            greedy = [_trained(root / name, "beam", BEAM | {"beam": 1}) for _ in range(repeats)]
            for beam, trained, least in ((BEAM["beam"], runs, 3000), (1, greedy, 5000)):
                speed = max(one.parsed for one in trained)
                aim = f"Greek, beam {beam}: at least {least:,} sentences parsed in a second"
                targets.append(Target(aim, f"{speed:,.0f}", speed >= least))
    text = (
        f"The first {SENTENCES} sentences of the training set with gold tags, scored on the test "
        "set; processor seconds on one core. UDPipe: 30 iterations and 200 hidden units "
        "(published), 10 and 100 without the search-based oracle (fast), or fast with smaller "
        "networks for long sentences (sized)."
    )
    return Section("Training", text, ("", "seconds", "times ours", "UAS", "LAS"), rows, targets)


def _rows(language: str, found: dict[str, Trained], short: bool) -> list[list[str]]:
    ours = found[BEAM_NAME].seconds
    rows = []
    for name, one in found.items():
        part = short and name == PUBLISHED_NAME
        seconds = one.seconds * (10 if part else 1)
        scores = ["", ""] if part else [f"{100 * one.uas:.2f}", f"{100 * one.las:.2f}"]
        shown = f"{language}: {name}{', ten times a tenth' if part else ''}"
        rows.append([shown, f"{seconds:.2f}", f"{seconds / ours:.1f}", *scores])
    return rows


def _targets(language: str, found: dict[str, Trained], short: bool) -> list[Target]:
    ours = found[BEAM_NAME]
    targets = []
    for name, least in ((PUBLISHED_NAME, 50), (FAST_NAME, 15)):
        peer = found[name]
        part = short and name == PUBLISHED_NAME
        ratio = peer.seconds * (10 if part else 1) / ours.seconds
        aim = f"{language}: at least {least} times as fast as {name}"
        targets.append(Target(aim, f"{ratio:.0f} times", ratio >= least))
        if not part:
            gain = 100 * (ours.uas - peer.uas)
            aim = f"{language}: UAS not below that of {name}"
            targets.append(Target(aim, f"{gain:+.2f}", gain >= 0))
    return targets


def _trained(folder: Path, parser: str, options: dict[str, Any]) -> Trained:
    """Train and test in a separate process."""
    return Trained(**_process({"folder": str(folder), "parser": parser, "options": options}))


def _process(job: dict[str, Any]) -> dict[str, float]:
    command = [sys.executable, "-m", "tools.bench.training", json.dumps(job)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return values


def _do(job: dict[str, Any]) -> dict[str, float]:
    from treegauge.parsing.registry import make_parser
    from treegauge.treebanks.data.conllu import read_conllu

    train, test = (read_conllu(job["folder"], split=part) for part in ("train", "test"))
    parser = make_parser(job["parser"], **job["options"])
    start = time.process_time()
    model = parser.fit(train[:SENTENCES], seed=1)
    seconds = time.process_time() - start
    model.parse(test[:1])  # tables for parsing are made on first use
    start = time.process_time()
    parsed = model.parse(test)
    speed = len(test) / (time.process_time() - start)
    heads = parsed.head == test.head
    both = heads & (parsed["deprel"] == test["deprel"]).to_numpy()
    found = (seconds, float(heads.mean()), float(both.mean()), speed)
    return dict(zip(("seconds", "uas", "las", "parsed"), found, strict=True))


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments and arguments[0] != "--full":
        print(json.dumps(_do(json.loads(arguments[0]))))
    else:
        print(run(full=bool(arguments)))
