"""The section on scores: intervals, paired tests, and errors by class of words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.result import Result
from treegauge.core.verbs import command
from treegauge.reporting.figures.scores import SURE, UNSURE, class_data, interval_data
from treegauge.reporting.inputs import ScoredTreebank
from treegauge.reporting.methods import Method, make_method, treebank_of
from treegauge.reporting.packing import heads, texts, trees
from treegauge.reporting.page import Section
from treegauge.reporting.saved import SavedClaim, saved_parts, signed_choices
from treegauge.reporting.sections.overview import pair_rows
from treegauge.reporting.sections.scores_details import (
    MOST_TESTED,
    calibration_data,
    class_pairs,
    joined_places,
    kinds_by_class,
    mean_confusions,
    page_calibration,
    system_confusions,
)
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.breakdown import breakdown
from treegauge.scoring.calibration import Calibration
from treegauge.scoring.classes.class_scores import Breakdown, Breakdowns
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.paired_tests import Comparisons
from treegauge.scoring.score import score
from treegauge.scoring.scores import Scores
from treegauge.statistics.probabilities import BINS

#: The classes of words by which heat maps break scores down.
CLASSES = ("relation", "upos", "distance", "direction", "depth", "length", "projectivity")
#: Numbers of sentences per cell; the first with which a page has at most `WORDS` words is used.
EXAMPLES = (8, 4, 2, 1)
WORDS = 40_000
#: The largest number of rows of paired tests that readers without JavaScript get as tables.
MOST_ROWS = 2000
#: The number of treebanks whose best system is named at the top of the page.
NAMED = 3


def score_all(scored: Sequence[ScoredTreebank], convention: Convention) -> list[Scores]:
    """Score the systems on each treebank, with tests and breakdowns by class of words."""
    results = []
    for one in scored:
        systems = dict(one.systems)
        broken = breakdown(one.gold, systems, by=CLASSES, convention=convention)
        scores = score(one.gold, systems, convention=convention)
        others: Any = broken.attached["breakdowns"]
        results.append(scores.with_attached({"breakdowns": [replace(broken, attached={}), *others]}))
    return results


def scores_section(scored: Sequence[ScoredTreebank], results: Sequence[Scores]) -> Section:
    """Return the section made from treebanks and the results of :func:`score_all`."""
    parts, tables, methods, short = [], list[tuple[str, Result]](), list[Method](), list[str]()
    budget = WORDS // len(scored)
    for one, result in zip(scored, results, strict=True):
        tests: Any = result.attached.get("comparisons")
        scores = replace(result, attached={}, featured="", all=True)
        breakdowns: Any = result.attached["breakdowns"]
        by_class = {by: found.systems for by, found in zip(CLASSES, breakdowns, strict=True)}
        part = _part(one, scores, tests, by_class, budget, len(scored))
        alone = {name: cells.alignment for name, cells in by_class[CLASSES[0]].items() if len(one.systems[name]) == 1}
        calibrated = page_calibration(alone, scores)
        for own in part["breakdowns"]:
            names = [row["class"] for row in own["rows"]]
            own["pairs"] = class_pairs(by_class[own["by"]], names, scores.units, len(scored))
        parts.append(part | {"calibration": calibration_data(calibrated, list(one.systems))})
        tables.append((f"All metrics on {one.gold.name}", scores))
        if calibrated:
            tables.append((f"Calibration on {one.gold.name}", calibrated))
        if tests and len(tests.pairs) * len(scored) <= MOST_ROWS:
            tables.append((f"Paired tests on {one.gold.name}", tests))
        methods += _methods(one, scores, tests)
        if calibrated:
            methods.append(_calibration_method(one, scores, calibrated))
        short.append(_short(one.gold.name, scores, tests))
    plural = "treebanks" if len(scored) > 1 else "treebank"
    text = (
        f"Scores of the systems on the {plural}, with 95 % confidence intervals, "
        "and the statistical significance of their differences.\nChoose a cell of the heat map to "
        "read the sentences behind it: the gold tree above, the system's below."
    )
    data = {"treebanks": parts, "sure": [SURE, UNSURE]}
    return Section(
        "scores", "Scores", text, data, tables, methods, short[:NAMED],
        view="systems", treebanks=[part["treebank"] for part in parts],
        systems=[name for part in parts for name in part["systems"]],
    )  # fmt: skip


def saved_scores_section(saved: Sequence[Scores]) -> Section:
    """Return the section of scores that were saved; without the output there are no sentences to read."""
    tables, shown, methods, short = list[tuple[str, Result]](), list[tuple[str, Result]](), list[Method](), list[str]()
    for result in saved:
        name = result.treebank.rpartition("#")[0]
        tests: Any = result.attached.get("comparisons")
        scores = replace(result, attached={}, featured="")
        shown.append((f"Scores on {name}", scores))
        tables.append((f"All metrics on {name}", replace(scores, all=True)))
        if tests:
            shown.append((f"Paired tests on {name}", tests))
        own = None if scores.convention.official else scores.convention.name
        made = command(score, name, *(one.system for one in scores.systems), convention=own)
        values = _counted_words(scores.convention)
        methods.append(make_method("scores", scores.signature, made, name, convention=scores.convention.name, **values))
        if tests:
            methods.append(make_method("paired_tests", tests.signature, made, name))
        short.append(_short(name, scores, tests))
    text = "Scores that were saved, with confidence intervals and the statistical significance of differences."
    return Section("saved", "Saved scores", text, {}, tables, methods, short[:NAMED], shown, view="overview")


def saved_findings_section(saved: Sequence[Breakdowns | SavedClaim]) -> Section:
    """Return the section of saved breakdowns and certificates."""
    shown: list[tuple[str, Result]] = []
    text = ["Results of breakdown and certify that were saved."]
    for result in saved:
        if isinstance(result, SavedClaim):
            text.append(f"{result.claim}: {result.text}")
            shown.append((f"{result.claim}: win rates over subsets of treebanks", result))
            continue
        others: Any = result.attached.get("breakdowns", ())
        for one in (replace(result, attached={}), *others):
            signed = signed_choices(one.signature)
            shown.append((f"{signed['m']} by {signed['by']} on {signed['tb'].rpartition('#')[0]}", one))
        parts: Any = result.attached.get("parts") or saved_parts(result.to_dict())
        shown += [(f"{part.title} on {signed['tb'].rpartition('#')[0]}", part) for part in parts]
    return Section("findings", "Saved results", "\n".join(text), {}, shown=shown, view="overview")


def _counted_words(convention: Convention) -> dict[str, str]:
    """Return what a convention counts, for the texts of methods."""
    return {
        "punct": "included" if convention.punct else "left out",
        "subtypes": "with" if convention.subtypes else "without",
    }


def _short(name: str, scores: Scores, tests: Comparisons | None) -> str:
    """Return a sentence on the system with the highest LAS, and the verdict on new text."""
    order = sorted(scores.systems, key=lambda one: -one["LAS"].f1)
    best = order[0]
    text = f"On {name}, {best.system} has the highest {scores.label('LAS')}, {best['LAS'].f1:.2f}"
    interval = best["LAS"].interval
    if interval is not None:
        text += f" (95 % interval {interval[0]:.2f} to {interval[1]:.2f})"
    if tests is None:
        return f"{text}."
    answers = tests.verdicts_of(scores.label("LAS"), best.system, order[1].system)
    return " ".join([f"{text}.", *(one.sentence for one in answers[:1])])


#: Breakdowns by kind of class and system.
ByClass = Mapping[str, Mapping[str, Breakdown]]


def _part(
    one: ScoredTreebank, scores: Scores, tests: Comparisons | None, breakdowns: ByClass, budget: int, treebanks: int
) -> dict[str, Any]:
    alignments = {name: cells.alignment for name, cells in breakdowns[CLASSES[0]].items()}
    runs = [next(iter(cells.runs.values())) for cells in breakdowns[CLASSES[0]].values()]
    all_confusions = [[system_confusions(run.alignment, scores.convention) for run in own] for own in runs]
    confusions = [own[0] for own in all_confusions]

    def rivals(by: str) -> Sequence[Breakdown]:
        """Return the systems with which the page compares; sentences are kept that show each difference."""
        return list(breakdowns[by].values()) if comb(len(one.systems), 2) * treebanks <= MOST_TESTED else []

    for limit in EXAMPLES:
        examples = {
            (by, name, number): joined_places(
                [cells.errors(name, limit=limit), *(cells.errors(name, limit=limit, unlike=one) for one in rivals(by))]
            )
            for by, systems in breakdowns.items()
            for number, cells in enumerate(systems.values())
            for name in cells.gold.names
        }
        confused = (found.examples(one.gold, limit) for own in confusions for found in own.values())
        groups = chain(examples.values(), *confused)
        chosen = sorted({place.sentence for found in groups for place in found})
        if one.gold.lengths[chosen].sum() <= budget:
            break
    chosen = filled(chosen, one.gold.lengths, budget)
    local = {sentence: i for i, sentence in enumerate(chosen)}
    kept = one.gold.take(np.array(chosen, np.int64))
    words = np.flatnonzero(np.isin(one.gold.sentence_of, chosen))
    cells = {by: class_data(systems) for by, systems in breakdowns.items()}
    for row in (row for rows in cells.values() for row in rows.values()):
        row["systems"] = [{**cell, "examples": []} for cell in row["systems"]]
    for by, systems in breakdowns.items():
        for number, found in enumerate(systems.values()):
            kinds = kinds_by_class(all_confusions[number], found.gold.codes, len(found.gold.names))
            for name, counts in zip(found.gold.names, kinds.round(4).tolist(), strict=True):
                if name in cells[by]:
                    cells[by][name]["systems"][number]["kinds"] = [int(n) if n.is_integer() else n for n in counts]
    for (by, name, system), places in examples.items():
        if name in cells[by]:  # a class may have no words
            here = cells[by][name]["systems"][system]
            here["examples"] = [[local[at.sentence], list(at.words)] for at in places]
    return {
        "treebank": treebank_of(one.gold.name),
        "name": one.gold.name,
        "signature": scores.signature,
        "sentences": scores.sentences,
        "words": one.gold.n_words,
        "systems": list(one.systems),
        "metrics": interval_data(scores),
        "tests": pair_rows(tests),
        "breakdowns": [{"by": by, "rows": list(rows.values())} for by, rows in cells.items()],
        "convention": scores.convention.signed,
        "confusion": [mean_confusions(own) for own in all_confusions],
        "runs": [len(own) for own in runs],
        "gold": trees(kept),
        "parsed": [
            _parsed(found, words, tagged=any("upos" in run for run in own))
            for found, own in zip(alignments.values(), all_confusions, strict=True)
        ],
    }


def filled(chosen: Sequence[int], lengths: npt.NDArray[Any], budget: int) -> list[int]:
    """Return the chosen sentences and, while there is room, the others in order.

    Examples
    --------
    >>> filled([2], np.array([3, 9, 2, 4]), 10)
    [0, 2, 3]
    """
    room = budget - int(lengths[list(chosen)].sum())
    kept = set(chosen)
    for number, length in enumerate(lengths.tolist()):
        if number not in kept and length <= room:
            kept.add(number)
            room -= length
    return sorted(kept)


def _parsed(found: Alignment, words: npt.NDArray[np.intp], *, tagged: bool) -> dict[str, Any]:
    """Return a system's heads and relations for gold words, as positions in the gold sentence.

    A head that is not aligned with a gold word counts as none. UPOS is added if `tagged`.
    """
    gold, system = found.gold.treebank, found.system.treebank
    partner = found.to_system[words]
    parents = np.where(partner >= 0, system.parents[np.maximum(partner, 0)], -1)
    rooted = (partner >= 0) & (system.head[np.maximum(partner, 0)] == 0)
    over = np.where(parents >= 0, found.to_gold[np.maximum(parents, 0)], -1)
    sentence = gold.sentence_of[words]
    same = (over >= 0) & (gold.sentence_of[np.maximum(over, 0)] == sentence)
    place = np.where(same, over - gold.offsets[sentence] + 1, -1)
    columns = ("deprel", "upos") if tagged else ("deprel",)
    values = {name: system[name].to_list() for name in columns}
    return {
        "head": heads(np.where(rooted, 0, place)),
        **{name: texts([own[i] if i >= 0 else "–" for i in partner.tolist()]) for name, own in values.items()},
    }


def _methods(one: ScoredTreebank, scores: Scores, tests: Comparisons | None) -> list[Method]:
    convention = scores.convention
    name = one.gold.name
    by = "\n".join(one.breakdown(convention, by=by) for by in CLASSES)
    counted = _counted_words(convention)
    methods = [
        make_method(
            "scores", scores.signature, one.command(convention, metric="all"), of=name,
            convention=convention.name, **counted,
        ),
        make_method("heat_maps", scores.signature, by, of=name),
        make_method(
            "confusions", scores.signature, one.breakdown(convention, confusion="relation", format="csv"),
            of=name, **counted,
        ),
    ]  # fmt: skip
    if tests is not None:
        plain = one.command(convention)
        methods += [
            make_method("paired_tests", tests.signature, plain, of=name),
            make_method("class_tests", scores.signature, by, of=name),
            make_method("equivalence", tests.signature, one.command(convention, margin=1), of=name),
            make_method("detectable", tests.signature, plain, of=name),
        ]
    return methods


def _calibration_method(one: ScoredTreebank, scores: Scores, calibrated: Calibration) -> Method:
    # Systems without probabilities would be refused.
    files = {name: own for name, own in one.files.items() if name in calibrated.systems}
    made = replace(one, files=files).breakdown(scores.convention, calibration=True)
    return make_method("calibration", calibrated.signature, made, of=one.gold.name, bins=BINS)
