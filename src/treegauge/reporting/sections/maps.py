"""The section on data maps: one point per word, linked to its sentence."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.auditing.changes.unified_diff import CONTEXT, FileText
from treegauge.auditing.review import WorkList
from treegauge.auditing.work_items import WorkFile, WorkItem
from treegauge.core.result import RowsResult
from treegauge.learning.dynamics.candidates import Candidate, ErrorCandidates, error_candidates
from treegauge.learning.dynamics.cartography import REGIONS, DataMap, mean_map
from treegauge.learning.dynamics.jobs import HELD_OUT
from treegauge.learning.dynamics.recording import LAYERS, Recording
from treegauge.reporting.figures.treebanks import data_map_data
from treegauge.reporting.inputs import Recorded
from treegauge.reporting.methods import Method, literal, make_method, python, treebank_of
from treegauge.reporting.packing import numbers, trees
from treegauge.reporting.page import Section, counted, page
from treegauge.treebanks.data.columns import Treebank, concat
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


class WorkTable(NamedTuple):
    """A work list of a treebank for the page: its files, its items, and decisions about what is not listed."""

    name: str
    files: Sequence[WorkFile]
    items: Sequence[WorkItem]
    signature: str
    others: Sequence[Mapping[str, str]] = ()
    counted: str = "item"


def _candidate_table(treebank: Treebank, candidates: ErrorCandidates, name: str, source: str = "") -> WorkTable:
    """Return candidates as a work list; `source` is the file of the treebank as written in commands."""
    file = WorkFile(FileText(_file_name(treebank, source), treebank.raw.tobytes()), treebank)
    # Models trained on the other folds never saw the words that they judge.
    held_out = "|folds:" in candidates.signature
    items = [
        file.item(
            "candidates", word.number, {"head" if word.of == "head" else "deprel": word.instead},
            _reason(word, held_out), word.score,
        )
        for word in candidates.words
    ]  # fmt: skip
    return WorkTable(name, [file], items, candidates.signature, counted="candidate")


def _reason(word: Candidate, held_out: bool) -> str:
    """Return why a candidate is listed, and how certain that is, in two sentences."""
    what = "head" if word.of == "head" else "relation"
    known = "Parsers that never saw this sentence prefer" if held_out else "The parser prefers"
    though = "" if held_out else ", although it was trained on this sentence"
    ratio = word.p_instead / max(word.p_gold, 1e-6)
    times = "more than 1,000" if ratio >= 1000 else f"{ratio:.{1 if ratio < 10 else 0}f}"
    now, then = ("< 0.1 %" if p < 0.001 else f"{100 * p:.1f} %" for p in (word.p_gold, word.p_instead))
    return (
        f"{known} another {what}{though}. The annotated {what} has a probability of {now}, the suggested one of "
        f"{then}: {times} times as likely (suspicion score {word.score:.2f})."
    )


def work_section(lists: Sequence[WorkTable], text: str, short: str, methods: Sequence[Method] = ()) -> Section:
    """Return the section on work lists, which has a tree for every item."""
    names = [treebank_of(listed.name) for listed in lists]
    tables = [(f"{listed.counted.capitalize()}s in {listed.name}", _table(listed)) for listed in lists]
    contents = {"lists": [_data(listed) for listed in lists]}
    return Section("candidates", "Work list", text, contents, tables, methods, [short], treebanks=names)


def _table(listed: WorkTable) -> RowsResult:
    names = ("kind", "sent_id", "word", "form", "annotated", "proposed", "score", "reason")
    rows = [{name: row[name] for name in names} for row in (item.to_row() for item in listed.items)]
    return RowsResult(rows, listed.signature)


def recorded_candidates(recorded: Sequence[Recorded]) -> Section | None:
    """Return the section made from recordings of training; None if they have no candidates."""
    lists, methods = [], []
    for mark in dict.fromkeys(recording.archive.treebank for recording in recorded):
        suspects = find_suspects([item for item in recorded if item.archive.treebank == mark])
        if suspects is None or not len(suspects[1]):
            continue
        source, candidates = suspects
        name = source.treebank.name
        lists.append(_candidate_table(source.treebank, candidates, name, source.home))
        methods.append(candidates_method(name, source, candidates))
    return _candidates_section(lists, methods) if lists else None


def _candidates_section(lists: Sequence[WorkTable], methods: Sequence[Method] = ()) -> Section:
    total = sum(len(listed.items) for listed in lists)
    text = (
        f"{counted(total, 'word').capitalize()} whose annotation parsers contradict, the most "
        "suspicious first. Accept, edit, reject or skip each suggestion, and export your decisions as "
        "TSV or as a unified diff."
    )
    which = "it" if total == 1 else "these"
    short = f"Parsers contradict {counted(total, 'annotation')}; check {which} first."
    return work_section(lists, text, short, methods)


def _data(listed: WorkTable) -> dict[str, Any]:
    """Return the sentences with items, once each, and the items in order."""
    place: dict[tuple[str, int], int] = {}
    parts, files = [], []
    for file in listed.files:
        own = [item for item in listed.items if item.file == file.name]
        if not own:
            continue
        sentences = sorted({item.sentence - 1 for item in own})
        place |= {(file.name, number + 1): len(place) + i for i, number in enumerate(sentences)}
        parts.append(file.treebank.take(np.array(sentences, np.int64)))
        starts = file.treebank.offsets
        words = [int(starts[item.sentence - 1]) + max(item.word, 1) - 1 for item in own]
        files.append((file.name, file_excerpts(file.treebank, words)[1]))
    return {
        "treebank": treebank_of(listed.name),
        "name": listed.name,
        "signature": listed.signature,
        "held_out": "|folds:" in listed.signature,
        "counted": listed.counted,
        "context": CONTEXT,
        "files": files,
        "words": trees(parts[0] if len(parts) == 1 else concat(parts, name=listed.name)),
        "items": [item.to_row() | {"at": place[item.file, item.sentence]} for item in listed.items],
        "others": list(listed.others),
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


def _file_name(treebank: Treebank, source: str) -> str:
    """Return the name of the CoNLL-U file, as it is in a diff; a set of a folder has an unknown name."""
    if source and is_conllu(source):
        return f"{short_name(source)}.conllu"
    return "TREEBANK.conllu" if "/" in treebank.name else f"{treebank.name}.conllu"


_KEPT = "Decisions are kept in this browser. The URL records your place, so you can share this exact view."


def candidates_page(treebank: Treebank, candidates: ErrorCandidates) -> str:
    """Return a page with only the work list, which ``map --candidates-out FILE.html`` writes."""
    section = _candidates_section([_candidate_table(treebank, candidates, treebank.name)])
    title = f"Candidates for annotation errors in {treebank.name}"
    return page(title, f"{section.text}\n{_KEPT}", [section], start="candidates")


def review_page(found: WorkList) -> str:
    """Return the page of a work list, which ``review -o FILE.html`` writes."""
    name = found.name
    kinds = Counter(kind for item in found.items for kind in item.kind.split("+"))
    listed = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    text = (
        f"{counted(len(found), 'item').capitalize()} to check ({listed or 'none'}), those that several "
        "sources found first. Accept, edit, reject or skip each, and export your decisions as TSV or as a unified diff."
    )
    table = WorkTable(name, found.files, found.items, found.signature, found.others)
    section = work_section([table], text, f"{counted(len(found), 'item').capitalize()} to check.")
    return page(f"Work list of {name}", f"{text}\n{_KEPT}", [section], start="candidates")
