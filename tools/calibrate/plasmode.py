"""Plasmode data: real documents, sentences and genera, drawn again, so that the truth is known.

The whole treebank (or table of scores) is the population: units are drawn from it with replacement,
and its own value is the truth. Real texts have the dependence that simulations leave out: sentences
of one document resemble each other, treebanks of one genus, too.

Treebanks are read from the folder that ``TREEGAUGE_UD`` names. A case whose data are not there
raises :class:`Absent`: it is skipped, and the results and the page say so. Settings are chosen on
:data:`CHOOSING`, statements are judged on :data:`JUDGING`; no treebank is in both, in any release.
"""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.ranking.reading import read_leaderboard
from treegauge.treebanks.data.columns import Treebank, concat
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.treebanks.data.indexing import document_starts

#: Treebanks with marked documents: those to choose settings on, and those to judge statements on.
CHOOSING = ("r2.9/UD_Greek-GDT", "r2.6/UD_Old_Russian-RNC", "r2.6/UD_Russian-Taiga", "r2.6/UD_English-LinES")
JUDGING = ("r2.5/UD_Estonian-EWT", "r2.5/UD_Wolof-WTB", "r2.9/UD_Coptic-Scriptorium", "r2.5/UD_English-GUM")
#: Two more to judge measures on, of a release that may have to be unpacked first.
JUDGING_MORE = ("r2.0/UD_Romanian-RRT", "r2.0/UD_Swedish-Talbanken")
#: The same for single sentences.
CHOOSING_SENTENCES = (
    "r2.9/UD_Hungarian-Szeged", "r2.9/UD_Welsh-CCG", "r2.9/UD_Turkish-IMST", "r2.9/UD_Norwegian-NynorskLIA",
)  # fmt: skip
JUDGING_SENTENCES = (
    "r2.5/UD_Gothic-PROIEL", "r2.5/UD_Telugu-MTG", "r2.5/UD_Vietnamese-VTB", "r2.5/UD_Uyghur-UDT",
    "r2.5/UD_French-Sequoia",
)  # fmt: skip
#: Tables of scores: packaged, or a file next to the treebanks (TREEGAUGE_FIGURES, or ../figures).
PUBLISHED = "published_scores.csv"
Floats = npt.NDArray[np.float64]


class Absent(Exception):
    """The real data of a case are not on this machine."""


@dataclass(frozen=True, eq=False)
class Population:
    """A treebank as a population of sentences and, if any are marked, of documents.

    `bounds` has the first sentence of each document and the number of sentences; sentences before
    the first mark of a file are left out.
    """

    treebank: Treebank
    bounds: npt.NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.treebank)

    @property
    def documents(self) -> int:
        """The number of documents."""
        return max(len(self.bounds) - 1, 0)


def home() -> Path:
    """Return the folder of treebanks."""
    named = os.environ.get("TREEGAUGE_UD")
    if not named or not Path(named).is_dir():
        raise Absent("TREEGAUGE_UD names no folder of treebanks")
    return Path(named)


@cache
def population(treebank: str) -> Population:
    """Return all sets of a treebank as one population."""
    files = sorted((home() / treebank).glob("*.conllu"))
    if not files:
        raise Absent(f"TREEGAUGE_UD has no {treebank}")
    parts = [read_conllu(file) for file in files]
    starts = [document_starts(part) for part in parts]
    if any(each.any() for each in starts):
        kept = [int(np.argmax(each)) if each.any() else len(each) for each in starts]
        parts = [part[first:] for part, first in zip(parts, kept, strict=True)]
        starts = [each[first:] for each, first in zip(starts, kept, strict=True)]
    whole = concat([part for part in parts if len(part)], name=treebank.rpartition("/")[2])
    marked = np.flatnonzero(np.concatenate(starts))
    return Population(whole, np.append(marked, len(whole)) if len(marked) else marked)


def sentences(treebank: str, random: np.random.Generator, number: int) -> Treebank:
    """Draw real sentences, each independently, with replacement."""
    real = population(treebank)
    return real.treebank[random.integers(len(real), size=number)]


def documents(treebank: str, random: np.random.Generator, number: int) -> Treebank:
    """Draw whole real documents with replacement; they keep their ``# newdoc`` comments."""
    real = population(treebank)
    if not real.documents:
        raise Absent(f"{treebank} marks no documents")
    drawn = random.integers(real.documents, size=number)
    return real.treebank[np.concatenate([np.arange(real.bounds[i], real.bounds[i + 1]) for i in drawn])]


def random_split(treebank: str, random: np.random.Generator, share: float) -> tuple[Treebank, Treebank]:
    """Divide the documents of a treebank at random: a share of them, and the others."""
    real = population(treebank)
    order = random.permutation(real.documents)
    cut = round(share * real.documents)
    first, second = (
        np.concatenate([np.arange(real.bounds[i], real.bounds[i + 1]) for i in np.sort(part)])
        for part in (order[:cut], order[cut:])
    )
    return real.treebank[first], real.treebank[second]


@dataclass(frozen=True)
class ScoreTable:
    """Real scores, with the genus of each treebank as a number.

    `scores` has shape (systems, treebanks), in percent; scores that were not published are NaN.
    """

    systems: tuple[str, ...]
    treebanks: tuple[str, ...]
    scores: Floats
    genera: npt.NDArray[np.intp]

    def at(self, columns: npt.NDArray[np.intp], genera: npt.NDArray[np.intp]) -> "ScoreTable":
        """Return the table of some treebanks, each under its number of a genus."""
        names = tuple(f"{self.treebanks[i]} {genus}" for i, genus in zip(columns, genera, strict=True))
        return ScoreTable(self.systems, names, self.scores[:, columns], genera)


@cache
def score_table(source: str = "conll18", metric: str = "las") -> ScoreTable:
    """Return the scores of ``conll18`` (packaged), or of ``published`` where the file is there."""
    if source == "conll18":
        board = read_leaderboard(source, metric=metric)
    elif source == "published":
        folder = os.environ.get("TREEGAUGE_FIGURES")
        path = (Path(folder) if folder else home().parent / "figures") / PUBLISHED
        if not path.is_file():
            raise Absent(f"no {PUBLISHED}: TREEGAUGE_FIGURES names no folder that has it")
        parts = [pl.col(part).cast(str).fill_null("") for part in ("system", "version", "release", "input")]
        name = pl.concat_str(parts, separator=" ").alias("system")
        rows = pl.read_csv(path).filter(pl.col("metric").str.to_lowercase() == metric)
        board = read_leaderboard(rows.select("treebank", name, "score"), metric=metric, missing="keep")
    else:
        raise ValueError(f"source {source!r}: expected conll18 or published")
    kin = board.metadata["genus"].to_list()
    named = [f"{genus}" if genus else f"alone {i}" for i, genus in enumerate(kin)]
    codes = np.unique(named, return_inverse=True)[1]
    return ScoreTable(tuple(board.systems), tuple(board.treebanks), board.values, codes)


def tables_by_genus(random: np.random.Generator, genera: int, source: str = "conll18") -> ScoreTable:
    """Draw whole genera of a table of scores with replacement; each draw is a genus of its own."""
    real = score_table(source)
    drawn = random.integers(real.genera.max() + 1, size=genera)
    columns = [np.flatnonzero(real.genera == genus) for genus in drawn]
    numbers = np.repeat(np.arange(genera), [len(each) for each in columns])
    return real.at(np.concatenate(columns), numbers)
