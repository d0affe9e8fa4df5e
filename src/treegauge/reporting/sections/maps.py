"""The section on data maps: one point per word, linked to its sentence."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.auditing.changes.unified_diff import CONTEXT
from treegauge.learning.dynamics.candidates import Candidate, ErrorCandidates, error_candidates
from treegauge.learning.dynamics.cartography import REGIONS, DataMap, mean_map
from treegauge.learning.dynamics.jobs import HELD_OUT
from treegauge.learning.dynamics.recording import LAYERS, Recording
from treegauge.reporting.figures.treebanks import data_map_data
from treegauge.reporting.inputs import Recorded
from treegauge.reporting.methods import Method, literal, make_method, python
from treegauge.reporting.packing import numbers, trees
from treegauge.reporting.page import Section, page
from treegauge.reporting.sections.summary import counted, treebank_of
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import is_conllu, short_name

#: The number of steps from 0 to 1 to which confidence and variability are rounded.
STEPS = 65_535
#: The number of candidates for annotation errors that are listed.
CANDIDATES = 100
#: The largest number of words on a page; larger maps are represented by random sentences.
MOST = 60_000


def maps_section(recorded: Sequence[Recorded]) -> Section:
    """Return the section with one map per treebank and set of words, averaged over recordings."""
    groups: dict[tuple[str, str], list[Recorded]] = {}
    for one in recorded:
        groups.setdefault((one.archive.treebank, one.archive.recordings[0].split), []).append(one)
    data, tables, methods, short = [], [], [], []
    for (mark, split), group in groups.items():
        treebank = group[0].treebank
        found = mean_map([one for own in group for one in own.archive.recordings])
        own = [one for one in recorded if one.archive.treebank == mark]
        suspects = find_suspects(own)
        words = suspects[1].words if suspects else ()
        name = f"{treebank.name} ({split})"
        data.append(_map(name, found, treebank, words, MOST // len(groups)))
        tables.append((f"Data map of {name}", found))
        methods += _methods(name, found, group)
        number = round((found.values["head"]["hard"] or 0) / 100 * treebank.n_words)
        hard = f"The heads of {number:,} of {treebank.n_words:,} words in {name} stayed hard"
        listed = counted(len(words), "candidate")
        are = "is" if len(words) == 1 else "are"
        more = f"; {listed} for annotation errors {are} listed" if words else ""
        short.append(f"{hard}{more}.")
    total = sum({one.archive.treebank: one.treebank.n_words for one in recorded}.values())
    text = (
        f"{total:,} words by a parser's confidence in their annotation during training, and its "
        "variability.\nDraw a frame on the map, or choose a region, and read the words in it "
        "in their sentences; export them as CSV or CoNLL-U."
    )
    contents = {"maps": data, "steps": STEPS}
    names = [one["treebank"] for one in data]
    return Section("maps", "Data maps", text, contents, tables, methods, short[:1], treebanks=names)


#: Candidates for annotation errors, and the recordings that they are from.
Suspects = tuple[Recorded, ErrorCandidates] | None


def find_suspects(recorded: Sequence[Recorded]) -> Suspects:
    """Return the candidates in the archives, or compute them if the archives have none.

    Recordings of parsers that were not trained on the words are preferred.
    """
    for one in recorded:
        if one.archive.candidates is not None:
            return one, one.archive.candidates
    able: list[tuple[Recorded, Recording]] = [
        (own, one)
        for own in recorded
        for one in (own.archive.held_out, *own.archive.recordings)
        if one is not None and one.head_rival is not None and one.relation_rival is not None
    ]
    if not able:
        return None
    own, best = min(able, key=lambda pair: pair[1].split != HELD_OUT)
    context = own.archive.context if best.split == HELD_OUT else None
    return own, error_candidates(best, own.treebank, count=CANDIDATES, context=context)


def quantised(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return numbers from 0 to 1 as integers, as the page stores them.

    Examples
    --------
    >>> quantised([0.0, 0.5, 1.0]).tolist()
    [0, 32768, 65535]
    """
    return np.rint(np.asarray(values, np.float64) * STEPS).astype(np.int64)


def _sentences(treebank: Treebank, suspects: Sequence[Candidate], most: int) -> Any:
    """Return the sentences for the page: all, or those of candidates and a random sample."""
    if treebank.n_words <= most:
        return np.arange(len(treebank))
    first = [one.sentence - 1 for one in suspects]
    drawn = np.random.default_rng(0).permutation(len(treebank)).tolist()
    order = np.array(list(dict.fromkeys([*first, *drawn])))
    return np.sort(order[np.cumsum(treebank.lengths[order]) <= most])


def _map(name: str, found: DataMap, treebank: Treebank, suspects: Sequence[Candidate], most: int) -> dict[str, Any]:
    sentences = _sentences(treebank, suspects, most)
    words = np.isin(treebank.sentence_of, sentences)
    layers = {}
    for layer in LAYERS:
        points = data_map_data(found, layer)
        correctness = points["correctness"]
        layers[layer] = {
            "confidence": numbers(quantised(points["confidence"][words])),
            "variability": numbers(quantised(points["variability"][words])),
            "region": numbers(points["region"][words]),
            "correctness": None if correctness is None else numbers(np.rint(100 * correctness[words])),
        }
    return {
        "treebank": treebank_of(treebank.name),
        "name": name,
        "signature": found.signature,
        "total": treebank.n_words,
        "words": trees(treebank if words.all() else treebank.take(sentences)),
        "layers": layers,
        "regions": list(REGIONS),
        "bounds": vars(found.regions),
        "values": found.values,
    }


def _loader(one: Recorded) -> str:
    return "MapArchive" if one.number is None else "stored_maps"


def _loaded(one: Recorded) -> str:
    """Return the Python expression that loads an archive from its file or from a store."""
    call = f"({literal(one.file)})"
    return f"MapArchive.load{call}" if one.number is None else f"stored_maps{call}[{one.number}]"


def _methods(name: str, found: DataMap, group: Sequence[Recorded]) -> list[Method]:
    loaded = ", ".join(f"*{_loaded(one)}.recordings" for one in group)
    names = ", ".join(sorted({_loader(one) for one in group} | {"mean_map"}))
    command = python(f"from treegauge.learning.dynamics.cartography import {names}", f"print(mean_map([{loaded}]))")
    values = {"steps": STEPS, **vars(found.regions)}
    return [make_method("data_map", found.signature, command, of=name, **values)]


def candidates_method(name: str, source: Recorded, candidates: ErrorCandidates) -> Method:
    """Return the method that found candidates for annotation errors in recordings."""
    lines = [f"print({_loaded(source)}.candidates)"]
    if source.archive.candidates is None:
        lines = [
            "from treegauge import read_conllu",
            "from treegauge.learning.dynamics.candidates import error_candidates",
            f"archive = {_loaded(source)}",
            f"treebank = read_conllu({literal(source.home)})",
            "recording = archive.held_out or archive.recordings[0]",
            "context = archive.context if archive.held_out else None",
            f"count = {CANDIDATES}",
            "print(error_candidates(recording, treebank, count=count, context=context))",
        ]
    command = python(f"from treegauge.learning.dynamics.cartography import {_loader(source)}", *lines)
    return make_method("candidates", candidates.signature, command, of=name, count=len(candidates))


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
