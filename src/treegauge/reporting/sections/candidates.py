"""The work list of candidates for annotation errors, in a report and as a separate page."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from treegauge.core.verbs import command
from treegauge.learning.maps.candidates import ErrorCandidates
from treegauge.reporting.inputs import Recorded
from treegauge.reporting.page.methods import Method
from treegauge.reporting.page.packing import trees
from treegauge.reporting.page.page import Section, page
from treegauge.reporting.sections.maps import candidates_method, find_suspects
from treegauge.reporting.sections.summary import counted
from treegauge.reporting.sections.treebank_names import treebank_of
from treegauge.treebanks.convert import convert
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import is_conllu, short_name

#: Stands for the file of exported decisions in the command that applies them.
PATCH = "@patch@"


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
        "CSV or as a patch."
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
    addresses = patch_addresses(listed.treebank, numbers)
    items = [
        {
            "sentence": place[word.sentence - 1], "address": addresses[word.sentence - 1],
            "word": word.word, "of": word.of, "instead": word.instead, "p_gold": word.p_gold,
            "p_instead": word.p_instead, "score": word.score,
        }
        for word in words
    ]  # fmt: skip
    numbered = any(address.startswith("#") for address in addresses.values())
    return {
        "treebank": treebank_of(listed.treebank.name),
        "name": listed.name,
        "signature": listed.candidates.signature,
        # Models trained on the other folds never saw the words that they judge.
        "held_out": "|folds:" in listed.candidates.signature,
        "command": command(convert, listed.source or "TREEBANK.conllu", apply=PATCH, out="corrected.conllu"),
        "file": _file(listed.source) if numbered else None,
        "words": trees(listed.treebank.take(np.array(numbers, np.int64))),
        "items": items,
    }


def patch_addresses(treebank: Treebank, numbers: Sequence[int]) -> dict[int, str]:
    """Return the sentences' addresses in patches: the sent_id if it is unique, else the number.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> patch_addresses(synthetic(3, seed=1), [0, 2])
    {0: 'syn-1', 2: 'syn-3'}
    """
    ids = treebank.metadata("sent_id")
    counts = Counter(ids)
    return {
        number: name
        if (name := ids[number]) and counts[name] == 1 and name[0] != "#" and "\t" not in name
        else f"#{number + 1}"
        for number in numbers
    }


def _file(source: str) -> str | None:
    """Return the name of a CoNLL-U file as it appears in patches."""
    return f"{short_name(source)}.conllu" if source and is_conllu(source) else None


def candidates_page(treebank: Treebank, candidates: ErrorCandidates) -> str:
    """Return a page with only the work list, which ``map --candidates-out FILE.html`` writes."""
    section = candidates_section([CandidateList(treebank, candidates, treebank.name)])
    introduction = (
        f"{section.text}\nDecisions are kept in this browser. The URL records your place, so you "
        "can share this exact view."
    )
    title = f"Candidates for annotation errors in {treebank.name}"
    return page(title, introduction, [section], start="candidates")
