"""The section on scores: intervals, paired tests, and where each system fails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.reporting.maths import equation, fraction
from treegauge.reporting.packing import heads, texts, trees
from treegauge.reporting.section import Method, Section
from treegauge.results.result import Result
from treegauge.scoring.align import Alignment, align
from treegauge.scoring.breakdown import Breakdown, breakdown
from treegauge.scoring.comparisons import Comparisons, compare
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics import MORE
from treegauge.scoring.scores import Scores
from treegauge.treebanks.columns import Treebank

#: What the heat maps break scores down by.
CLASSES = ("relation", "upos", "distance", "direction", "depth", "length", "projectivity")
#: Sentences behind a cell; fewer where a page would hold more words than `WORDS`.
EXAMPLES = (8, 4, 2, 1)
WORDS = 40_000
#: Differences with a corrected p of at most this are called hardly chance.
CHANCE = 0.05
#: Of so many treebanks the top of the page tells who leads.
TOLD = 3


@dataclass(frozen=True)
class Scored:
    """A gold treebank and what systems made of it, by name; files as commands name them."""

    gold: Treebank
    systems: Mapping[str, Treebank]
    files: Sequence[str]

    def command(self, *more: str) -> str:
        """Return the command that scores them."""
        return " ".join(["treegauge score", *self.files, *more])


def scores_section(scored: Sequence[Scored]) -> Section:
    """Score systems and make the section.

    Parameters
    ----------
    scored
        One for each gold treebank.
    """
    parts, tables, methods, short = [], list[tuple[str, Result]](), list[Method](), list[str]()
    budget = WORDS // len(scored)
    for one in scored:
        scores = evaluate(one.gold, one.systems)
        tests = compare(scores) if len(scores.systems) > 1 else None
        parts.append(_part(one, scores, tests, budget))
        tables.append((f"All metrics on {one.gold.name}", scores))
        if tests:
            tables.append((f"Paired tests on {one.gold.name}", tests))
        methods += _methods(one, scores, tests)
        short.append(_short(one.gold.name, scores, tests))
    plural = "treebanks" if len(scored) > 1 else "treebank"
    text = (
        f"What the systems score on the {plural}, with 95 % intervals over sentences, and whether "
        "their differences could be chance.\nChoose a cell of the heat map to read the sentences "
        "behind it: the gold tree above, the system's below."
    )
    return Section("scores", "Scores", text, {"treebanks": parts}, tables, methods, short[:TOLD])


def _short(name: str, scores: Scores, tests: Comparisons | None) -> str:
    """Say who leads in LAS, by how much, and whether that could be chance."""
    order = sorted(scores.systems, key=lambda one: -one["LAS"].f1)
    best = order[0]
    text = f"On {name}, {best.system} has a LAS of {best['LAS'].f1:.2f}"
    interval = best["LAS"].interval
    if interval is not None:
        text += f" ({interval[0]:.2f} to {interval[1]:.2f})"
    if tests is None:
        return f"{text}."
    ahead = best["LAS"].f1 - order[1]["LAS"].f1
    pair = {best.system, order[1].system}
    p = next(row["p_corrected"] for row in tests.pairs if {row["a"], row["b"]} == pair)
    judged = "hardly chance" if p <= CHANCE else "which could be chance"
    return f"{text}, {ahead:.2f} above {order[1].system}, {judged} (p = {p:.4f}, corrected)."


def _part(one: Scored, scores: Scores, tests: Comparisons | None, budget: int) -> dict[str, Any]:
    metrics = [name for name in scores.systems[0].metrics if name not in MORE]
    alignments = {name: align(one.gold, system) for name, system in one.systems.items()}
    breakdowns = {
        by: {name: breakdown(found, by=by) for name, found in alignments.items()} for by in CLASSES
    }
    for limit in EXAMPLES:
        examples = _examples(breakdowns, limit)
        chosen = sorted({place[0] for cell in examples.values() for place in cell})
        if one.gold.lengths[chosen].sum() <= budget:
            break
    local = {sentence: i for i, sentence in enumerate(chosen)}
    kept = one.gold.take(np.array(chosen, np.int64))
    words = np.flatnonzero(np.isin(one.gold.sentence_of, chosen))
    cells = _cells(breakdowns)
    for (by, name, system), places in examples.items():
        if name in cells[by]:  # a step of a scale may have no words
            here = cells[by][name]["systems"][system]
            here["examples"] = [[local[i], list(at)] for i, at in places]
    return {
        "name": one.gold.name,
        "signature": scores.signature,
        "sentences": scores.sentences,
        "words": one.gold.n_words,
        "systems": list(one.systems),
        "metrics": [
            {
                "name": metric,
                "systems": [
                    {"f1": s[metric].f1, "interval": s[metric].interval} for s in scores.systems
                ],
            }
            for metric in metrics
        ],
        "tests": [] if tests is None else list(tests.pairs),
        "breakdowns": [{"by": by, "rows": list(rows.values())} for by, rows in cells.items()],
        "gold": trees(kept),
        "parsed": [_parsed(found, words) for found in alignments.values()],
    }


Places = dict[tuple[str, str, int], list[tuple[int, tuple[int, ...]]]]


def _examples(breakdowns: Mapping[str, Mapping[str, Breakdown]], limit: int) -> Places:
    found: Places = {}
    for by, systems in breakdowns.items():
        for number, cells in enumerate(systems.values()):
            for name in cells.gold.names:
                places = cells.errors(name, limit=limit)
                found[by, name, number] = [(place.sentence, place.words) for place in places]
    return found


Rows = dict[str, dict[str, Any]]


def _cells(breakdowns: Mapping[str, Mapping[str, Breakdown]]) -> dict[str, Rows]:
    """Return rows of classes, the systems' counts in each."""
    found: dict[str, Rows] = {}
    for by, systems in breakdowns.items():
        frames = [cells.table for cells in systems.values()]
        rows: Rows = {}
        for number, frame in enumerate(frames):
            for row in frame.iter_rows(named=True):
                if not row["gold"]:
                    continue
                empty: list[dict[str, Any]] = [{"examples": []} for _ in frames]
                here = rows.setdefault(
                    row["class"], {"class": row["class"], "gold": row["gold"], "systems": empty}
                )
                names = ("correct", "precision", "recall", "f1")
                here["systems"][number] |= {name: row[name] for name in names}
        found[by] = rows
    return found


def _parsed(found: Alignment, words: npt.NDArray[np.intp]) -> dict[str, Any]:
    """Return a system's heads and relations for gold words, as positions in the gold sentence.

    A head that is in no gold word's place counts as none.
    """
    gold, system = found.gold.treebank, found.system.treebank
    partner = found.to_system[words]
    parents = np.where(partner >= 0, system.parents[np.maximum(partner, 0)], -1)
    rooted = (partner >= 0) & (system.head[np.maximum(partner, 0)] == 0)
    over = np.where(parents >= 0, found.to_gold[np.maximum(parents, 0)], -1)
    sentence = gold.sentence_of[words]
    same = (over >= 0) & (gold.sentence_of[np.maximum(over, 0)] == sentence)
    place = np.where(same, over - gold.offsets[sentence] + 1, -1)
    relations = system["deprel"].to_list()
    return {
        "head": heads(np.where(rooted, 0, place)),
        "deprel": texts([relations[i] if i >= 0 else "–" for i in partner.tolist()]),
    }


def _methods(one: Scored, scores: Scores, tests: Comparisons | None) -> list[Method]:
    methods = [
        Method(
            f"F1 of every metric on {one.gold.name}",
            equation("F = ", fraction("2 P R", "P + R"), ", P = ", fraction("c", "s"), ", R = ",
                     fraction("c", "g")),
            "c words are right, s words are the system's and g gold's. LAS: head and universal "
            "relation are right; UAS: the head; CLAS: LAS of content words; MLAS: with tags, "
            "features and function words; BLEX: with lemmas. Intervals: percentiles of F1 over "
            "sentences drawn with replacement.",
            "all words, punctuation included; relations without subtypes; 1,000 resamples, seed 0",
            scores.signature,
            one.command(),
            ("zeman2018",),
        ),
        Method(
            f"Heat maps on {one.gold.name}",
            equation("F = ", fraction("2 P R", "P + R")),
            "LAS over words of one class: recall over gold words in the class, precision over "
            "words that the system puts there.",
            "a class is that of the word's gold analysis for recall, of the system's for precision",
            scores.signature,
            "\n".join(one.command(f"--by {by}") for by in CLASSES),
        ),
    ]  # fmt: skip
    if tests is not None:
        pairs = len(list(combinations(one.systems, 2)))
        methods.append(
            Method(
                f"Paired tests on {one.gold.name}",
                equation("p = ", fraction("1 + b", "1 + n")),
                "n times each sentence's two results are swapped by a coin; b times the "
                "difference of LAS came out at least as large as the real one. Holm's correction "
                f"over {pairs} pair{'s'[: pairs > 1]}.",
                "LAS, two-sided, 10,000 draws, seed 0",
                tests.signature,
                one.command(),
            )
        )
    return methods
