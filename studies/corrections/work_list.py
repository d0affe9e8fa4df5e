"""Precision of the work list of ``review``, as it is ordered, on real corrections between releases.

``python -m studies.corrections.work_list`` judges the order on six treebanks; with ``choose`` it estimates the
weights of the order on five others, and compares ways of ordering there, each treebank left out in turn. Listed are
training sets of UD 2.5 (Welsh: 2.6, its first is not at hand) that are also in UD 2.9, with at least 50 words whose
head or relation is another one in 2.9. Judged are those of at most 25,000 words, which an earlier version of the
list was judged on; chosen is on the others of at most 60,000.

The list has the kinds that need nobody else: inconsistent words, near-duplicates, validation, and as many candidates
of ``map`` as 2 % of the words. A word counts if its head or relation was changed; in the first table, and for the
weights, if the change was not systematic as ``diff`` decides, in lists without systematic changes. Chance is the share
of all words that count, in sentences with the same words in both releases. Before, lists were joined by reciprocal
ranks, as Cormack, Clarke and Buettcher (2009) published it.
"""

import math
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.corrections.annotation_errors import FOLDS, held_out, training_set
from studies.corrections.attachment_changes import attachment_changes
from studies.treebanks import release_folder
from treegauge.auditing.changes.changed_words import pair_words
from treegauge.auditing.review import listed_items, work_files
from treegauge.auditing.work_items import WorkItem, fused
from treegauge.learning.dynamics.candidates import error_candidates, tree_context
from treegauge.statistics.student_intervals import wilson

CHOOSE = (
    "r2.5/UD_Afrikaans-AfriBooms", "r2.5/UD_Czech-CLTT", "r2.5/UD_English-LinES", "r2.5/UD_Turkish-IMST",
    "r2.6/UD_Welsh-CCG",
)  # fmt: skip
JUDGE = (
    "r2.5/UD_Coptic-Scriptorium", "r2.5/UD_French-ParTUT", "r2.5/UD_Hungarian-Szeged", "r2.5/UD_Marathi-UFAL",
    "r2.5/UD_North_Sami-Giella", "r2.5/UD_Uyghur-UDT",
)  # fmt: skip
SHARE = 0.02
FIRST = (25, 100, 400)
#: Ridge of the weights; that of single tests was chosen among 3, 10, 30 and 100.
RIDGE, RIDGE_OF_TESTS = 1.0, 10.0


@dataclass
class Listed:
    """The lists of one treebank, and the words that count."""

    name: str
    words: int
    among: int
    groups: list[list[WorkItem]]
    number: dict[tuple[int, int], int]
    single: set[int]
    systematic: set[int]
    evidence: dict[int, dict[str, float]] = field(default_factory=dict)

    def order(self, items: Sequence[WorkItem]) -> list[int]:
        """Return the words of items in their order, each once."""
        places = [(item.sentence, item.word) for item in items if item.word]
        return list(dict.fromkeys(self.number[place] for place in places if place in self.number))

    def first(self, order: Sequence[int], count: int, systematic: bool) -> tuple[int, int]:
        """Return how many of the first words were corrected, and their number."""
        wanted = self.single | self.systematic if systematic else self.single
        kept = [word for word in order if systematic or word not in self.systematic][:count]
        return sum(word in wanted for word in kept), len(kept)

    def chance(self, systematic: bool) -> float:
        """Return the share of words that count."""
        lost = 0 if systematic else len(self.systematic)
        return (len(self.single) + (len(self.systematic) if systematic else 0)) / (self.among - lost)


def listed(place: str) -> Listed:
    """Return the lists of a training set, and its corrections in UD 2.9."""
    release, name = place.split("/UD_")
    old, new = training_set(name, release), training_set(name, "r2.9")
    pairs = pair_words(old, new)
    changes = attachment_changes(old, new, pairs=pairs).filter(pl.col("same_words"))
    among = pairs.same_words[old.sentence_of]
    found = error_candidates(
        held_out(old), old, count=max(int(SHARE * old.n_words), 1), context=tree_context(old, folds=FOLDS)
    )
    folder = release_folder(release) / f"UD_{name}"
    (file,) = folder.glob("*-train.conllu")
    groups = listed_items(work_files(file), findings=[found])
    places = zip((old.sentence_of + 1).tolist(), old.positions.tolist(), strict=True)
    number = {one: i for i, one in enumerate(places) if among[i]}
    made = {flag: set(changes.filter(pl.col("systematic") == flag)["old_word"].to_list()) for flag in (False, True)}
    result = Listed(name, old.n_words, int(among.sum()), groups, number, made[False], made[True])
    result.evidence = evidence(result)
    return result


def ranks(group: Sequence[WorkItem]) -> list[float]:
    """Return the rank of each item of a list; equal scores share the mean."""
    _, which, counts = np.unique(-np.array([item.score for item in group]), return_inverse=True, return_counts=True)
    mean: list[float] = (np.cumsum(counts) - (counts - 1) / 2)[which].tolist()
    return mean


def reciprocal(found: Listed) -> list[WorkItem]:
    """Return the items as they were ordered before: by sums of 61 / (60 + rank)."""
    scores: dict[tuple[int, str], float] = defaultdict(float)
    items: dict[tuple[int, str], WorkItem] = {}
    for group in found.groups:
        seen = set()
        for item, rank in zip(group, ranks(group), strict=True):
            place = item.line, item.key
            if place not in seen:
                seen.add(place)
                scores[place] += 61 / (60 + rank)
                items.setdefault(place, item)
    return [items[place] for place in sorted(scores, key=lambda one: (-scores[one], *one))]


def evidence(found: Listed) -> dict[int, dict[str, float]]:
    """Return what lists each word: sources, the logarithm of the rank as a candidate, and tests of validation."""
    words: dict[int, dict[str, float]] = defaultdict(dict)
    for group in found.groups:
        for item, rank in zip(group, ranks(group), strict=True):
            if (word := found.number.get((item.sentence, item.word))) is None:
                continue
            if item.kind == "check":
                level, _, test = item.reason.partition(":")[0].partition(" ")
                words[word] |= {level: 1.0, f"test {test}": 1.0}
            else:
                words[word][item.kind] = 1.0
            if item.kind == "candidates":
                words[word]["doublings"] = math.log2(1 + 1000 * rank / found.words)
                words[word]["candidates of a head"] = float("head" in item.changes)
    for known in words.values():
        if "error" in known:
            known.pop("warning", None)
    return words


def weights(lists: Sequence[Listed], *, tests: bool = True, ranked: bool = True) -> dict[str, float]:
    """Fit the log-odds of single corrections; every treebank has a base of its own and the same weight."""

    def kept(name: str) -> bool:
        return (tests or not name.startswith("test ")) and (ranked or name not in ("doublings", "candidates of a head"))

    names: dict[str, int] = {}
    rows: list[tuple[int, dict[str, float], bool, float]] = []
    for number, found in enumerate(lists):
        own = [(word, known) for word, known in found.evidence.items() if word not in found.systematic]
        for word, known in own:
            used = {name: value for name, value in known.items() if kept(name)}
            for name in used:
                names.setdefault(name, len(names))
            rows.append((number, used, word in found.single, 1000 / len(own)))
    table = np.zeros((len(rows), len(lists) + len(names)))
    for row, (number, used, _, _) in enumerate(rows):
        table[row, number] = 1
        for name, value in used.items():
            table[row, len(lists) + names[name]] = value
    hit, weight = (np.array([row[place] for row in rows], np.float64) for place in (2, 3))
    ridge = np.array([0.01] * len(lists) + [RIDGE_OF_TESTS if name.startswith("test ") else RIDGE for name in names])
    found_weights: npt.NDArray[np.float64] = np.zeros(table.shape[1])
    for _ in range(25):
        chance = 1 / (1 + np.exp(-np.clip(table @ found_weights, -20, 20)))
        curved = (table * (weight * chance * (1 - chance) + 1e-9)[:, None]).T @ table + np.diag(ridge)
        found_weights = found_weights + np.linalg.solve(
            curved, table.T @ (weight * (hit - chance)) - ridge * found_weights
        )
    base = float(found_weights[: len(lists)].mean())
    return {"base": base} | {name: float(found_weights[len(lists) + place]) for name, place in names.items()}


def by_weights(found: Listed, known: dict[str, float]) -> list[int]:
    """Return words by the sum of weights; equal ones in random order."""
    luck = np.random.default_rng(0).permutation(len(found.evidence)).tolist()
    sums = [
        (-sum(known.get(name, 0.0) * value for name, value in own.items()), place, word)
        for (word, own), place in zip(found.evidence.items(), luck, strict=True)
    ]
    return [word for _, _, word in sorted(sums)]


def report(label: str, lists: Sequence[Listed], orders: Sequence[Sequence[int]], systematic: bool) -> None:
    """Print the precision of the first words of all lists together, with Wilson's interval."""
    for count in FIRST:
        each = [one.first(order, count, systematic) for one, order in zip(lists, orders, strict=True)]
        hits, words = (sum(column) for column in zip(*each, strict=True))
        low, high = map(float, wilson(hits, words))
        print(f"  {label:28} first {count:3}: {hits:4} of {words:5}: {hits / words:.3f} ({low:.3f} to {high:.3f})")


def choose() -> None:
    """Compare ways of ordering where each treebank in turn is left out, then print the weights of all."""
    lists = [listed(place) for place in CHOOSE]
    ways = {"sources": {"tests": False, "ranked": False}, "and ranks": {"tests": False}, "and single tests": {}}
    report("reciprocal ranks", lists, [one.order(reciprocal(one)) for one in lists], False)
    for label, how in ways.items():
        orders = [by_weights(one, weights([other for other in lists if other is not one], **how)) for one in lists]
        report(label, lists, orders, False)
    for name, value in sorted(weights(lists).items(), key=lambda one: -one[1]):
        print(f"  {name:32} {value:6.2f}")


def judge() -> None:
    """Print precision before and after, for single corrections and for all changes."""
    lists = [listed(place) for place in JUDGE]
    for systematic in (False, True):
        chance = np.mean([one.chance(systematic) for one in lists])
        print(f"{'all changes' if systematic else 'single corrections'}, {len(lists)} treebanks, chance {chance:.3f}")
        report("before: reciprocal ranks", lists, [one.order(reciprocal(one)) for one in lists], systematic)
        orders = [one.order(fused(one.groups, one.words)) for one in lists]
        report("as review orders it", lists, orders, systematic)
        for one, order in zip(lists, orders, strict=True):
            print(f"    {one.name}:", *(f"{hits} of {size}" for hits, size in
                                      (one.first(order, count, systematic) for count in FIRST)))  # fmt: skip


if __name__ == "__main__":
    choose() if "choose" in sys.argv[1:] else judge()
