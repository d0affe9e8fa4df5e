"""A million sentences through the command line, in constant memory."""

import shutil
from pathlib import Path

from tools.bench.corpus import Corpus
from tools.bench.measuring import command, tell
from tools.bench.tables import Section, Target

SENTENCES = 1_000_000
GROWTH = 50  # bytes per sentence
COMMANDS = {"`treegauge score --resamples 0`": (("score", "--resamples", "0"), 2), "`treegauge score`": (("score",), 2)}


def run(corpus: Corpus, repeats: int) -> Section:
    """Score the corpus, and the corpus repeated up to a million sentences."""
    del repeats  # minutes of one run are steadier than seconds
    times = -(-SENTENCES // corpus.sentences)
    pair = (corpus.gold, corpus.system)
    needed = times * sum(path.stat().st_size for path in pair)
    if shutil.disk_usage(corpus.folder).free < 1.1 * needed:
        raise SystemExit(f"{corpus.folder} has no room for {needed / 1e9:.1f} GB: set TMPDIR to a larger disk")
    many = [repeated(path, times) for path in pair]
    rows, targets = [], []
    for name, (arguments, files) in COMMANDS.items():
        small = command(*arguments, *pair[:files])
        large = command(*arguments, *many[:files])
        size = sum(path.stat().st_size for path in many[:files])
        rows.append(
            [
                name,
                f"{size / 1e9:.2f}",
                f"{large.seconds:.1f}",
                f"{size / 1e6 / large.seconds:.0f}",
                f"{large.peak:.0f}",
                f"{small.peak:.0f}",
            ]
        )
        grown = 1e6 * (large.peak - small.peak) / ((times - 1) * corpus.sentences)
        if arguments[1:]:  # without intervals
            aim = f"{name}: at most {GROWTH} additional bytes per sentence of a long file"
            targets.append(Target(aim, f"{grown:.0f} bytes", grown <= GROWTH))
    for path in many:
        path.unlink()
    sentences = times * corpus.sentences
    text = (
        f"{times} copies of the same files: {sentences:,} sentences, {times * corpus.words:,} "
        f"words, read in pieces. Intervals keep counts per sentence, {grown:.0f} bytes each."
    )
    head = ("a million sentences", "GB", "s", "MB/s", "peak MB", "peak MB of one copy")
    return Section("Streaming", text, head, rows, targets)


def repeated(path: Path, times: int) -> Path:
    """Write many copies of a file, each with different sent_ids."""
    tell(f"writing {path.name} {times} times")
    many = path.with_name(f"many-{path.name}")
    data = path.read_bytes()
    with many.open("wb") as file:
        for copy in range(times):
            file.write(data.replace(b"# sent_id = ", b"# sent_id = %d." % copy))
    return many
