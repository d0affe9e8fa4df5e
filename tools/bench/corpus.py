"""The files to read and score: real treebanks if available, else synthetic ones.

``python -m tools.bench.corpus FOLDER`` writes them in a separate process, so that the process that
starts the contenders stays small.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studies.treebanks import treebank_files
from tools.bench.measuring import tell

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

SIZE = 41_300_000
"""Approximate size of the gold file in bytes."""

SMALL = 200_000
"""Approximate size of the warm-up file in bytes."""

TENTH = SIZE // 10
"""Approximate size, in bytes, of the file for work that takes peers minutes on the whole corpus."""

EVERYDAY = {"megabyte": 1_000_000, "kilobytes": 100_000, "sentence": 0}
"""Approximate sizes of everyday pairs of files in bytes; the last is one sentence."""

DRAWN = 6_000
"""Number of synthetic sentences, which are repeated up to the size."""

CHANGED = 0.1
"""Share of words with an incorrect head or relation in the system file."""


@dataclass(frozen=True)
class Corpus:
    """Gold and system files, a tenth of both, and their first sentences for warming up."""

    folder: Path
    source: str
    sentences: int
    words: int
    size: int

    @property
    def gold(self) -> Path:
        """The gold file."""
        return self.folder / "gold.conllu"

    @property
    def system(self) -> Path:
        """The same text with other heads and relations."""
        return self.folder / "system.conllu"

    @property
    def small(self) -> tuple[Path, Path]:
        """The first sentences of both."""
        return self.folder / "small-gold.conllu", self.folder / "small-system.conllu"

    @property
    def tenth(self) -> tuple[Path, Path]:
        """A tenth of both."""
        return self.folder / "tenth-gold.conllu", self.folder / "tenth-system.conllu"

    def everyday(self, size: str) -> tuple[Path, Path]:
        """Return the first sentences of both, up to this size."""
        return self.folder / f"{size}-gold.conllu", self.folder / f"{size}-system.conllu"

    def __str__(self) -> str:
        return f"{self.size / 1e6:.1f} MB, {self.sentences:,} sentences, {self.words:,} words: {self.source}"


def make(folder: Path) -> Corpus:
    """Write the files into a folder."""
    tell("making the files")
    done = subprocess.run([sys.executable, "-m", "tools.bench.corpus", str(folder)], stdout=subprocess.PIPE, check=True)
    return Corpus(folder, **json.loads(done.stdout))


def main() -> None:
    """Write the files and print their description."""
    from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

    folder = Path(sys.argv[1])
    text, source = _real() or _synthetic()
    text = (text * -(-SIZE // len(text)))[:SIZE]
    gold = parse_conllu(text[: text.rindex(b"\n\n") + 2], name="gold")
    system = _system(gold)
    for name, treebank in (("gold", gold), ("system", system)):
        write_conllu(treebank, folder / f"{name}.conllu")
        for part, size in {"small": SMALL, "tenth": TENTH, **EVERYDAY}.items():
            first = treebank[: max(1, int(len(gold) * size / SIZE))]
            write_conllu(first, folder / f"{part}-{name}.conllu")
    size = (folder / "gold.conllu").stat().st_size
    found = {"source": source, "sentences": len(gold), "words": gold.n_words, "size": size}
    print(json.dumps(found))


def _real() -> tuple[bytes, str] | None:
    """Return the files of the named treebanks of UD 2.9, by name, up to the size."""
    parts: list[bytes] = []
    treebanks: dict[str, None] = {}
    for path in treebank_files(releases=["r2.9"]):
        if sum(map(len, parts)) < SIZE:
            parts.append(path.read_bytes())
            treebanks[path.parent.name] = None
    if not parts:
        return None
    names = list(treebanks)
    return b"".join(parts), f"{len(names)} UD treebanks, {names[0]} to {names[-1]}"


def _synthetic() -> tuple[bytes, str]:
    from treegauge.testing.synthetic import synthetic_conllu

    text = synthetic_conllu(DRAWN, seed=0).encode()
    return text, f"{DRAWN:,} synthetic sentences, repeated (no treebanks under TREEGAUGE_UD)"


def _system(gold: "Treebank") -> "Treebank":
    """Attach words higher up or change their relation; moving up its own path keeps a tree."""
    import numpy as np

    random = np.random.default_rng(0)
    changed = random.random(gold.n_words) < CHANGED
    parents = gold.parents
    above = np.where(parents >= 0, gold.head[parents], 0)
    moved = changed & (above > 0) & (random.random(gold.n_words) < 0.5)
    relabelled = changed & ~moved & (gold.head > 0)
    codes, values = gold.codes("deprel")
    others = [i for i, value in enumerate(values) if value != "root"]
    drawn = np.array(others)[random.integers(len(others), size=gold.n_words)]
    relations = np.where(relabelled, drawn, codes)
    return gold.with_columns(
        {"head": np.where(moved, above, gold.head).tolist(), "deprel": [values[code] for code in relations.tolist()]}
    )


if __name__ == "__main__":
    main()
