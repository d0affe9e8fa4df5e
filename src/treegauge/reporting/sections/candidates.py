"""The work list of candidates for annotation errors, in a report and as a separate page."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from treegauge.auditing.changes.unified_diff import CONTEXT
from treegauge.learning.maps.candidates import ErrorCandidates
from treegauge.reporting.inputs import Recorded
from treegauge.reporting.page.methods import Method
from treegauge.reporting.page.packing import trees
from treegauge.reporting.page.page import Section, page
from treegauge.reporting.sections.maps import candidates_method, find_suspects
from treegauge.reporting.sections.summary import counted
from treegauge.reporting.sections.treebank_names import treebank_of
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import is_conllu, short_name


class CandidateList(NamedTuple):
    """Candidates of a treebank, the name of the list, and the path of its file in commands."""

    treebank: Treebank
    candidates: ErrorCandidates
    name: str
    source: str = ""


def candidates_section(lists: Sequence[CandidateList], methods: Sequence[Method] = ()) -> Section:
    """Return the section on candidates; its lists have a tree for every candidate."""
    total = sum(len(listed.candidates) for listed in lists)
    names = [treebank_of(listed.treebank.name) for listed in lists]
    text = (
        f"{counted(total, 'word').capitalize()} whose annotation parsers contradict, the most "
        "suspicious first. Accept, reject or skip each suggestion, and export your decisions as "
        "CSV or as a unified diff."
    )
    which = "it" if total == 1 else "these"
    short = [f"Parsers contradict {counted(total, 'annotation')}; check {which} first."]
    return Section(
        "candidates", "Candidates", text, {"lists": [_data(listed) for listed in lists]},
        [(f"Candidates in {listed.name}", listed.candidates) for listed in lists], methods, short,
        treebanks=names,
    )  # fmt: skip


def recorded_candidates(recorded: Sequence[Recorded]) -> Section | None:
    """Return the section made from recordings of training; None if they have no candidates."""
    lists, methods = [], []
    for mark in dict.fromkeys(recording.archive.treebank for recording in recorded):
        suspects = find_suspects([item for item in recorded if item.archive.treebank == mark])
        if suspects is None or not len(suspects[1]):
            continue
        source, candidates = suspects
        name = source.treebank.name
        lists.append(CandidateList(source.treebank, candidates, name, source.home))
        methods.append(candidates_method(name, source, candidates))
    return candidates_section(lists, methods) if lists else None


def _data(listed: CandidateList) -> dict[str, Any]:
    """Return the sentences with candidates, once each, and the candidates in order."""
    words = listed.candidates.words
    numbers = sorted({word.sentence - 1 for word in words})
    place = {number: i for i, number in enumerate(numbers)}
    lines, excerpts = file_excerpts(listed.treebank, [word.number for word in words])
    items = [
        {
            "sentence": place[word.sentence - 1], "line": line, "word": word.word,
            "of": word.of, "instead": word.instead, "p_gold": word.p_gold,
            "p_instead": word.p_instead, "score": word.score,
        }
        for word, line in zip(words, lines, strict=True)
    ]  # fmt: skip
    return {
        "treebank": treebank_of(listed.treebank.name),
        "name": listed.name,
        "signature": listed.candidates.signature,
        # Models trained on the other folds never saw the words that they judge.
        "held_out": "|folds:" in listed.candidates.signature,
        "file": _file_name(listed),
        "context": CONTEXT,
        "excerpts": excerpts,
        "words": trees(listed.treebank.take(np.array(numbers, np.int64))),
        "items": items,
    }


def file_excerpts(treebank: Treebank, words: Sequence[int]) -> tuple[list[int], list[tuple[int, list[str]]]]:
    r"""Return the line of each word in its file, and these lines in their context for a unified diff.

    Lines count from 1. An excerpt has the number of its first line, and the lines with their ends.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> lines, [(first, excerpt)] = file_excerpts(synthetic(3, seed=1), [0])
    >>> lines, first, len(excerpt), excerpt[0]
    ([4], 1, 7, '# newdoc id = syn-d1\n')
    """
    raw = treebank.raw
    ends = np.append(np.flatnonzero(raw[:-1] == ord("\n")) + 1, raw.size)
    starts = np.append(0, ends[:-1])
    places = np.searchsorted(ends, treebank.fields[treebank.rows[np.asarray(words, np.int64)], 0], side="right")
    around = np.unique(places[:, None] + np.arange(-CONTEXT, CONTEXT + 1))
    shown = around[(around >= 0) & (around < len(ends))]
    excerpts = []
    for part in np.split(shown, np.flatnonzero(np.diff(shown) > 1) + 1) if len(shown) else ():
        lines = [raw[starts[i] : ends[i]].tobytes().decode(errors="replace") for i in part]
        excerpts.append((int(part[0]) + treebank.first_line, lines))
    return (places + treebank.first_line).tolist(), excerpts


def _file_name(listed: CandidateList) -> str:
    """Return the name of the CoNLL-U file, as it is in a diff; a set of a folder has an unknown name."""
    if listed.source and is_conllu(listed.source):
        return f"{short_name(listed.source)}.conllu"
    return "TREEBANK.conllu" if "/" in listed.treebank.name else f"{listed.treebank.name}.conllu"


def candidates_page(treebank: Treebank, candidates: ErrorCandidates) -> str:
    """Return a page with only the work list, which ``map --candidates-out FILE.html`` writes."""
    section = candidates_section([CandidateList(treebank, candidates, treebank.name)])
    introduction = (
        f"{section.text}\nDecisions are kept in this browser. The URL records your place, so you "
        "can share this exact view."
    )
    title = f"Candidates for annotation errors in {treebank.name}"
    return page(title, introduction, [section], start="candidates")
