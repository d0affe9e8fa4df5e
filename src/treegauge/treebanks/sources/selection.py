"""Sizes of treebanks, and criteria with a reason for each treebank that does not meet them."""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import astuple, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from treegauge.core.conditions import Condition
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import progress
from treegauge.treebanks.sources.entries import COLUMNS, SHARES, SIZES, TreebankEntry
from treegauge.treebanks.sources.files import SPLITS
from treegauge.treebanks.sources.languages import UNKNOWN

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

Prefer = Literal["size", "annotation"]
LAYERS = ("text", "lemmas", "features", "xpos")
ENOUGH = 0.25
"""Minimum share of words with a layer for a treebank to count as having it."""

ANNOTATIONS = (
    "manual native", "converted from manual", "converted with corrections",
    "automatic with corrections", "automatic",
)  # fmt: skip
"""Origins of relations, the most reliable first."""

NUMBERS = (*SIZES, *SHARES)
"""Columns of the catalogue that are counted."""


Reasons = dict[TreebankEntry, list[str]]
"""For each treebank, why it does not meet the criteria; empty if it does."""


def reasons_against(
    entries: Sequence[TreebankEntry],
    *,
    has: Sequence[str] = (),
    needs: Sequence[str] = (),
    where: Sequence[str] = (),
    licence: str | None = None,
    one_per_language: Prefer | None = None,
) -> Reasons:
    """Return why each treebank does not meet the criteria; see :func:`treegauge.catalogue`."""
    for what, values, choices in (("layer", has, LAYERS), ("split", needs, SPLITS)):
        for value in values:
            if value not in choices:
                raise ChoiceError(what, value, choices)
    if one_per_language not in {None, *get_args(Prefer)}:
        raise ChoiceError("preference", one_per_language, get_args(Prefer))
    conditions = [Condition.parse(text, COLUMNS) for text in where]
    counted = any(condition.column in NUMBERS for condition in conditions)
    counting = has or needs or counted or one_per_language
    if counting and any(entry.counts is None for entry in entries):
        raise TreegaugeError("these criteria need sizes; leave out --no-count (count=False)")

    def unmet(entry: TreebankEntry) -> Iterable[str]:
        total, row = entry.total, entry.row()
        for layer in has:
            share = total.share(layer) or 0.0
            if share < ENOUGH:
                yield f"no {layer} ({share:.1%} of words)"
        filled = [split for split, counts in (entry.counts or {}).items() if counts.sentences]
        yield from (f"no {split} set" for split in needs if split not in filled)
        yield from filter(None, (condition.reason(row[condition.column]) for condition in conditions))
        entry_licence = entry.metadata.licence
        if licence is not None and not fnmatchcase(entry_licence.casefold(), licence.casefold()):
            yield f"licence {entry_licence}, expected {licence}"

    reasons: Reasons = {entry: list(unmet(entry)) for entry in entries}
    if one_per_language is not None:
        _rivals(reasons, one_per_language)
    return reasons


def _rivals(reasons: Reasons, prefer: Prefer) -> None:
    """Return the reason for leaving out all but the best treebank per language and release."""

    def rank(entry: TreebankEntry) -> tuple[int, int, str]:
        trust = 0
        if prefer == "annotation":
            trust = (*ANNOTATIONS, entry.metadata.annotation).index(entry.metadata.annotation)
        return trust, -entry.total.words, entry.name

    groups: dict[tuple[str | None, str], list[TreebankEntry]] = {}
    for entry, why in reasons.items():
        language = entry.language.name
        if not why and language != UNKNOWN:
            groups.setdefault((entry.release, language), []).append(entry)
    for (_, language), rivals in groups.items():
        best, *others = sorted(rivals, key=rank)
        for entry in others:
            reasons[entry].append(f"{best.name} is preferred for {language} by {prefer}")


# sizes


@dataclass(frozen=True)
class Tally:
    """Additive counts over the readable sentences and words.

    `text`, `lemmas`, `xpos` and `features` count the words whose column is not ``_``,
    `nonprojective` and `skipped` sentences.
    """

    sentences: int = 0
    words: int = 0
    nonprojective: int = 0
    text: int = 0
    lemmas: int = 0
    xpos: int = 0
    features: int = 0
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*map(int.__add__, astuple(self), astuple(other)))

    def share(self, name: str) -> float | None:
        """Return a count divided by words, or by sentences for `nonprojective`."""
        whole = self.sentences if name == "nonprojective" else self.words
        return getattr(self, name) / whole if whole else None


TALLIED = {"text": "form", "lemmas": "lemma", "xpos": "xpos", "features": "feats"}
"""Names of tallies and the columns they count."""


def _tally(path: str) -> Tally:
    """Count a file, leaving out sentences that cannot be read."""
    from treegauge.treebanks.data.conllu import TOLERABLE, stream_conllu

    total = Tally()
    for piece in stream_conllu(path, errors="skip", need_heads=False, allow=TOLERABLE):
        total += _count(piece)
    return total


def _count(piece: "Treebank") -> Tally:
    import numpy as np

    from treegauge.treebanks.data.columns import NUMBER
    from treegauge.treebanks.data.trees import is_projective

    def filled(column: int) -> int:
        start = piece.fields[piece.rows, column]
        stop = piece.fields[piece.rows, column + 1]  # one after the tab
        return int(np.count_nonzero((stop - start != 2) | (piece.raw[start] != ord("_"))))

    lost = {p.sentence for p in piece.problems if p.action == "skipped"}
    return Tally(
        sentences=len(piece),
        words=piece.n_words,
        nonprojective=int(np.count_nonzero(~is_projective(piece.head, piece.offsets))),
        skipped=len(lost),
        **{name: filled(NUMBER[column]) for name, column in TALLIED.items()},
    )


def tally_files(paths: Iterable[str], *, workers: int | None = None) -> dict[str, Tally | str]:
    """Return the counts of each file, or why it cannot be read; runs in parallel."""
    sizes = dict.fromkeys(paths, 0)
    for path in sizes:
        with suppress(OSError):
            sizes[path] = Path(path).stat().st_size
    counts: dict[str, Tally | str] = {}
    pool = ThreadPoolExecutor(workers or os.cpu_count())
    with pool, progress("bytes of treebanks", sum(sizes.values())) as task:
        try:
            # Start with the largest, so that no long job is left at the end.
            waiting = {pool.submit(_tally_or_reason, path): path for path in sorted(sizes, key=lambda p: -sizes[p])}
            for future in as_completed(waiting):
                path = waiting[future]
                counts[path] = future.result()
                task.advance(sizes[path])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return counts


def _tally_or_reason(path: str) -> Tally | str:
    try:
        return _tally(path)
    except TreegaugeError as error:
        return str(error).splitlines()[0]
