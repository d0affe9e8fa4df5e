"""Planted near-duplicates: edited copies of real sentences among uncopied ones.

``python -m tools.bench.planted [tuned]`` prints how many `audit` finds in each treebank; with
`tuned`, in the treebanks on which its settings were chosen.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from studies.treebanks import TREEBANKS, treebank_folders

if TYPE_CHECKING:
    from treegauge.auditing.near_duplicates import Texts

TUNED = (
    "UD_Afrikaans-AfriBooms UD_Turkish-IMST UD_French-Sequoia UD_Korean-GSD UD_Slovenian-SST "
    "UD_Uyghur-UDT UD_Telugu-MTG UD_Czech-CLTT"
).split()
"""The treebanks on which the settings were chosen; all others are for evaluation."""
RATES = (0.05, 0.1, 0.2)
LEAST = 100
"""Sentences of at least five words that a treebank needs on each side."""
ALIKE = 0.5
"""Minimum share of common words, in order, for sentences of one template."""
Words = Sequence[str]


def edit_characters(words: Words, rate: float, pool: Sequence[Words], random: np.random.Generator) -> Words:
    """Replace, insert or delete a share of the characters, blanks between words included."""
    text = " ".join(words)
    letters = " ".join(pool[int(random.integers(len(pool)))])
    edited = _edited(list(text), rate, lambda: letters[int(random.integers(len(letters)))], random)
    return "".join(edited).split()


def edit_words(words: Words, rate: float, pool: Sequence[Words], random: np.random.Generator) -> Words:
    """Replace, insert or delete a share of the words, by others of the treebank."""

    def other() -> str:
        sentence = pool[int(random.integers(len(pool)))]
        return sentence[int(random.integers(len(sentence)))]

    return _edited(list(words), rate, other, random)


def _edited(items: list[str], rate: float, other: Callable[[], str], random: np.random.Generator) -> list[str]:
    """Edit a share of the items, rounded; nothing if that is 0."""
    number = round(rate * len(items))
    chosen = set(random.choice(len(items), number, replace=False).tolist())
    edited: list[str] = []
    for place, item in enumerate(items):
        if place not in chosen:
            edited.append(item)
            continue
        kind = int(random.integers(3))  # replaced, inserted after, deleted
        edited += [[other()], [item, other()], []][kind]
    return edited


EDITS = {"characters": edit_characters, "words": edit_words}


@dataclass
class Judged:
    """Results in one treebank: planted edits and decoys found."""

    treebank: str
    edits: str
    rate: float
    planted: int = 0
    found: int = 0
    decoys: int = 0
    reported: int = 0
    alike: int = 0
    mistaken: int = 0

    @property
    def recall(self) -> float:
        """Share of the planted edits that are reported with the sentence they were made from."""
        return self.found / self.planted

    @property
    def precision(self) -> float:
        """Share of the reported sentences that were planted and have the correct source."""
        return self.found / (self.found + self.mistaken + self.reported)

    @property
    def precision_aside(self) -> float:
        """The same without decoys that share half of their words with what they match."""
        return self.found / (self.found + self.mistaken + self.reported - self.alike)


def judge(folder: Path, *, seed: int = 0) -> Iterator[Judged]:
    """Yield the results for each kind and rate of edits in one treebank.

    Half of its different sentences are training data. Edited copies of them, and the other half as
    decoys, are the test set; so there are about as many decoys as planted edits.
    """
    from treegauge.auditing.near_duplicates import find_matches

    random = np.random.default_rng([seed, *folder.name.encode()])
    sentences = _sentences(folder)
    order = random.permutation(len(sentences))
    half = len(order) // 2
    source, decoys = ([sentences[i] for i in part] for part in (order[:half], order[half:]))
    if half < LEAST:
        return
    for edits, edit in EDITS.items():
        for rate in RATES:
            copies = [(n, edit(one, rate, source, random)) for n, one in enumerate(source)]
            # An edit that undid itself, or none at all, would be a copy.
            planted = [(n, one) for n, one in copies if _text(one) not in ("", _text(source[n]))]
            test = [one for _, one in planted] + decoys
            matches = find_matches([_texts("train", source), _texts("test", test)])
            result = Judged(folder.name, edits, rate, planted=len(planted), decoys=len(decoys))
            for part, number, other_part, other in zip(
                matches.part, matches.number, matches.other_part, matches.other, strict=True
            ):
                if (part, other_part) != (1, 0):
                    continue
                if number >= len(planted):
                    result.reported += 1
                    result.alike += _alike(test[number], source[other])
                elif planted[number][0] == other:
                    result.found += 1
                else:
                    result.mistaken += 1
            yield result


def _sentences(folder: Path) -> list[Words]:
    """Return the different sentences of at least five words, as tokens."""
    from treegauge.treebanks.data.conllu import read_conllu

    treebank = read_conllu(folder)
    rows = np.where(treebank.multiword < 0, treebank.rows, treebank.multiword)
    distinct: dict[str, Words] = {}
    for start, stop in zip(treebank.offsets[:-1], treebank.offsets[1:], strict=True):
        if stop - start >= 5:
            tokens = dict.fromkeys(rows[start:stop].tolist())
            words = [treebank.field(row, 1) for row in tokens]
            distinct.setdefault(_text(words), words)
    return list(distinct.values())


def _text(words: Words) -> str:
    return "".join("".join(words).casefold().split())


def _texts(split: str, sentences: Sequence[Words]) -> "Texts":
    """Return sentences as the audit reads them from plain text."""
    from treegauge.auditing.near_duplicates import plain_texts

    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.writelines(f"{' '.join(words)}\n" for words in sentences)
        file.flush()
        return plain_texts(file.name, split, split=split)


def _alike(one: Words, two: Words) -> bool:
    """Whether two sentences share half of the longer one's words, in order."""
    row = [0] * (len(two) + 1)
    for word in one:
        previous = 0
        for place, other in enumerate(two, 1):
            previous, row[place] = (row[place], (previous + 1 if word == other else max(row[place], row[place - 1])))
    return row[-1] >= ALIKE * max(len(one), len(two))


def folders(*, tuned: bool = False) -> list[Path]:
    """Return the treebanks for evaluation, or those for tuning, in their newest release."""
    named = [one for release in sorted(TREEBANKS) for one in treebank_folders(release)]
    newest = {one.name: one for one in named if one.is_dir()}
    return [newest[name] for name in sorted(newest) if (name in TUNED) == tuned]


def total(results: Sequence[Judged], edits: str, rate: float) -> Judged:
    """Return the sum of all treebanks for one kind and rate of edits."""
    summed = Judged("all", edits, rate)
    for one in results:
        if (one.edits, one.rate) == (edits, rate):
            for name in ("planted", "found", "decoys", "reported", "alike", "mistaken"):
                setattr(summed, name, getattr(summed, name) + getattr(one, name))
    return summed


def main() -> None:
    """Print the results per treebank and in total."""
    results = [one for folder in folders(tuned="tuned" in sys.argv[1:]) for one in judge(folder)]
    sums = [total(results, edits, rate) for edits in EDITS for rate in RATES]
    for one in [*results, *sums]:
        print(
            f"{one.treebank:32} {one.edits:10} {one.rate:4.0%}  {one.planted:6} planted  "
            f"recall {one.recall:.4f}  precision {one.precision:.4f}  "
            f"templates aside {one.precision_aside:.4f}  "
            f"decoys reported {one.reported / one.decoys:.4f} of {one.decoys}"
        )


if __name__ == "__main__":
    main()
