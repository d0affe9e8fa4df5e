"""UD validation, compared with the official program."""

import sys
from pathlib import Path
from statistics import median

from tools.bench.corpus import Corpus
from tools.bench.measuring import TREEGAUGE, Measured, process
from tools.bench.streaming import repeated
from tools.bench.tables import Section, Target, took

FAILS = (0, 1)
"""Exit codes of successful validation: treebanks of older releases have errors."""
RATES = {2: 50, 3: 25}
"""Target in MB per second of processor time, by level."""
FASTER = 40
"""Target relative to the rate of the official program, at level 3."""
SENTENCES = 1_000_000
PER_SENTENCE = 150
"""Maximum bytes kept per sentence of a long stream: a hash of its ID, and its problems."""


def _ours(level: int, path: Path) -> tuple[str | Path, ...]:
    return (*TREEGAUGE, "check", "--ud-level", str(level), path)


def _official(level: int, path: Path) -> tuple[str | Path, ...]:
    program = Path(sys.executable).with_name("udvalidate")
    return (program, "--lang", "ud", "--level", str(level), "--max-err", "0", path)


def _rate(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"


def run(corpus: Corpus, repeats: int) -> Section:
    """Validate the corpus, and a tenth of it by the official program, which takes minutes."""
    tenth, _ = corpus.tenth
    programs = {
        (name, level): (command(level, path), path)
        for level in RATES
        for name, command, path in (
            ("`treegauge check`", _ours, corpus.gold),
            ("`treegauge check`, a tenth", _ours, tenth),
            ("`udvalidate`, a tenth", _official, tenth),
        )
    }
    runs: dict[tuple[str, int], list[Measured]] = {key: [] for key in programs}
    for turn in range(repeats):
        for key, (program, _) in programs.items():
            if turn < 2 or "udvalidate" not in key[0]:
                runs[key].append(process(*program, codes=FAILS))
    rows, rates = [], {}
    for (name, level), some in runs.items():
        size = programs[name, level][1].stat().st_size / 1e6
        seconds = median(one.processor for one in some)
        rates[name, level] = size / seconds
        peak = median(one.peak for one in some)
        rows.append([f"level {level}: {name}", f"{size:.1f}", took(seconds), _rate(size / seconds), f"{peak:.0f}"])
    times = -(-SENTENCES // corpus.sentences)
    many = repeated(corpus.gold, times)
    size = many.stat().st_size / 1e6
    stream = process(*_ours(3, many), codes=FAILS)
    many.unlink()
    rows.append(
        [f"level 3: `treegauge check`, {times} times over", f"{size:.1f}", took(stream.processor),
         _rate(size / stream.processor), f"{stream.peak:.0f}"]
    )  # fmt: skip
    once = median(one.peak for one in runs["`treegauge check`", 3])
    grown = 1e6 * (stream.peak - once) / ((times - 1) * corpus.sentences)
    aim = f"level 3: at most {PER_SENTENCE} additional bytes per sentence of a long file"
    targets = [Target(aim, f"{grown:.0f} bytes", grown <= PER_SENTENCE)]
    for level, least in RATES.items():
        rate = rates["`treegauge check`", level]
        aim = f"level {level}: at least {least} MB per second of processor time"
        targets.append(Target(aim, f"{rate:.0f}", rate >= least))
    ratio = rates["`treegauge check`", 3] / rates["`udvalidate`, a tenth", 3]
    aim = f"level 3: at least {FASTER} times the MB per second of `udvalidate`"
    targets.append(Target(aim, f"{ratio:.0f} times", ratio >= FASTER))
    text = (
        "Whole commands that print every problem. Both report the same ones (`tests/validation`). "
        "The official program gets a tenth of the file, since its time is proportional to size. "
        f"The last row is {times} copies with their own IDs: {times * corpus.sentences:,} "
        "sentences."
    )
    head = ("validation", "MB", "processor s", "MB/s", "peak MB")
    return Section("Validation", text, head, rows, targets)
