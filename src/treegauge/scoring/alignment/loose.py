"""Loose alignment of gold and system words where characters differ.

Language models often change, drop or add a few characters, and the official script then refuses the
whole file. Here characters are aligned first, with the smallest number of edits, then words.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels import alignment as _align
from treegauge.scoring.alignment.align import Alignment, align, judge
from treegauge.scoring.alignment.segmentation import Side, segmentation
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import TOLERABLE, parse_conllu
from treegauge.treebanks.data.sentence_pairing import pair_sentences, sentence_texts

ANCHOR = 16
"""Length in bytes of an anchor: a string that occurs exactly once on either side."""
SPARSE = 8
REACH = 200
"""How many bytes an unaligned range may move."""
MOST_CELLS = 1 << 24
"""Ranges without an anchor that are larger than this are not aligned."""
_SPACE, _LINE_END = 0x20, 0x0A  # after tokens, which have none, and after sentences
_MULTIWORD, _FORM = 1, 1

Bytes = npt.NDArray[np.uint8]


def align_loosely(gold: Treebank | Side, system: Treebank | Side, pairs: Sequence[tuple[int, int]] = ()) -> Alignment:
    """Align two treebanks whose characters may differ.

    Tokens that share aligned characters form a group. A group of one token on either side is a pair
    of partners if at least half of their characters are aligned, counting aligned ones once. In a
    group with a multiword token, words are matched by form: equal ones first, then similar ones.
    Other groups are text that was tokenised differently and have no partners, as in exact
    alignment. If all characters are the same, alignment is exact. Words of `pairs` of sentences
    have no partners outside of their pair.
    """
    left, right = (segmentation(one) if isinstance(one, Treebank) else one for one in (gold, system))
    if np.array_equal(left.text, right.text):
        return align(left, right)
    groups, moved = grouped(left, right, pairs)
    gold, system = left.treebank, right.treebank
    to_system = np.full(gold.n_words, -1, np.int32)
    to_gold = np.full(system.n_words, -1, np.int32)
    g_words, s_words = _words(left), _words(right)
    stretches = np.column_stack((g_words[groups[:, :2]], s_words[groups[:, 2:]]))
    several = _has_several(left, groups[:, :2]) | _has_several(right, groups[:, 2:])
    single = (np.diff(groups)[:, ::2] == 1).all(axis=1) & ~several
    to_system[stretches[single, 0]] = stretches[single, 2]
    to_gold[stretches[single, 2]] = stretches[single, 0]
    for g, g_end, s, s_end in stretches[several].tolist():
        forms = [
            [tb.field(row, _FORM).lower() for row in tb.rows[first:last].tolist()]
            for tb, first, last in ((gold, g, g_end), (system, s, s_end))
        ]
        for ours, theirs in similar_words(*forms):
            to_system[g + ours], to_gold[s + theirs] = s + theirs, g + ours
    return judge(left, moved, to_system, to_gold)


_SPANS = "multiword tokens of {:,} sentences, whose words are written"


class Arranged(NamedTuple):
    """A system's sentences in the order of gold, their old numbers, and what was done.

    `pairs` are gold and system sentences that have about the same text, both in ascending order.
    """

    treebank: Treebank
    numbers: list[int]
    remarks: tuple[str, ...]
    pairs: list[tuple[int, int]]


def in_gold_order(gold: Treebank, system: Treebank) -> Arranged:
    """Put a system's sentences in the order of gold; nothing is done to a text that is the same.

    Sentences are paired as ``diff`` pairs them. Of a sentence that was written again the first is
    kept. Forms that differ from a gold form in Unicode normalisation only become this form. A
    sentence of a language model's answer with exactly gold's words gets gold's multiword tokens.
    """
    answer = system.policy == "answer"
    numbers = list(range(len(system)))
    ours, theirs = sentence_texts(gold), sentence_texts(system)
    if ours == theirs or (not answer and b"".join(ours) == b"".join(theirs)):
        system, spans = _with_tokens(gold, system, numbers) if answer else (system, 0)
        return Arranged(system, numbers, (_SPANS.format(spans),) if spans else (), [])
    said: list[str] = []
    system, changed = _respelled(gold, system)
    if changed:
        said.append(f"{changed:,} forms with another Unicode normalisation")
    texts = sentence_texts(system)
    pairs = pair_sentences(gold, system)
    homes = {int(j): i for i, j in enumerate(pairs.to_new.tolist()) if j >= 0}
    homes |= {j: min(group.old) for group in pairs.groups for j in group.new}
    to_old = pairs.to_old.copy()
    blocks = _recut(ours, texts, to_old)
    lost = {*np.flatnonzero((pairs.to_old >= 0) & (to_old < 0)).tolist()}
    homes = {j: i for j, i in homes.items() if j not in lost}
    for old, new in blocks:
        homes |= dict.fromkeys(new, old[0])
    known = {texts[j] for j in homes}
    keys: list[tuple[int, int]] = []
    before = -1
    for j in numbers:
        before = homes.get(j, before)
        keys.append((before, j))
    kept = [j for j in numbers if j in homes or texts[j] not in known]
    order = sorted(kept, key=keys.__getitem__)
    if len(kept) < len(numbers):
        said.append(f"{len(numbers) - len(kept):,} sentences written again, of which the first counts")
    if order != kept:
        said.append("sentences in another order")
    system = system if order == numbers else system.take(order)
    system, spans = _with_tokens(gold, system, [homes.get(j, -1) for j in order]) if answer else (system, 0)
    if spans:
        said.append(_SPANS.format(spans))
    partners = to_old.tolist()
    lengths = [[len(text) for text in sentence_texts(one)] for one in (gold, system)]
    both = [(partners[old], j) for j, old in enumerate(order) if partners[old] >= 0]
    return Arranged(system, order, tuple(said), [(i, j) for i, j in both if _alike(lengths[0][i], lengths[1][j])])


def _recut(ours: list[bytes], theirs: list[bytes], to_old: npt.NDArray[np.int32]) -> list[tuple[range, range]]:
    """Return ranges of sentences with the same characters, in texts that are cut at other places.

    A piece of a sentence may be similar to the whole, or equal to a sentence elsewhere, so here
    `to_old` becomes what the order of the characters says: single sentences are partners, and
    those that were cut or joined have none.
    """
    exact = [(i, j) for j, i in enumerate(to_old.tolist()) if i >= 0 and ours[i] == theirs[j]]
    n, m = len(ours), len(theirs)
    runs = _same_text(ours, theirs, [(0, 0), *((i + 1, j + 1) for i, j in exact)])
    turned = [[text[::-1] for text in reversed(side)] for side in (ours, theirs)]
    for run in _same_text(turned[0], turned[1], [(0, 0), *((n - i, m - j) for i, j in reversed(exact))]):
        runs.append([(range(n - a.stop, n - a.start), range(m - b.stop, m - b.start)) for a, b in run])
    blocks: list[tuple[range, range]] = []
    taken: tuple[set[int], set[int]] = (set(), set())
    for run in sorted(runs, key=len, reverse=True):
        if all(len(old) == len(new) == 1 for old, new in run):
            continue
        for old, new in run:
            if taken[0].isdisjoint(old) and taken[1].isdisjoint(new):
                blocks.append((old, new))
                taken[0].update(old)
                taken[1].update(new)
    if blocks:
        to_old[np.isin(to_old, [*taken[0]])] = -1
        to_old[[*taken[1]]] = -1
    for old, new in blocks:
        if len(old) == len(new) == 1:
            to_old[new[0]] = old[0]
    return blocks


def _same_text(
    ours: list[bytes], theirs: list[bytes], starts: Sequence[tuple[int, int]]
) -> list[list[tuple[range, range]]]:
    """Return, from each start, the shortest ranges of sentences with the same characters, one after another."""
    seen: set[tuple[int, int]] = set()
    runs = []
    for start in starts:
        i, j = start
        run: list[tuple[range, range]] = []
        while i < len(ours) and j < len(theirs) and (i, j) not in seen:
            seen.add((i, j))
            a, b = ours[i], theirs[j]
            i_stop, j_stop = i + 1, j + 1
            while a.startswith(b) or b.startswith(a):
                a, b = a[len(b) :], b[len(a) :]
                if not a and not b:
                    break
                if not a and i_stop < len(ours):
                    a, i_stop = ours[i_stop], i_stop + 1
                elif not b and j_stop < len(theirs):
                    b, j_stop = theirs[j_stop], j_stop + 1
                else:
                    break
            if a or b:
                break
            run.append((range(i, i_stop), range(j, j_stop)))
            i, j = i_stop, j_stop
        runs.append(run)
    return runs


def _alike(one: int, other: int) -> bool:
    """Whether texts of these lengths can be one sentence, none of which is in another one."""
    return 4 * min(one, other) >= 3 * max(one, other)


def _respelled(gold: Treebank, system: Treebank) -> tuple[Treebank, int]:
    """Return the system with gold's spelling of forms that differ in normalisation, and their number."""
    ours, theirs = ({*_token_forms(one)} for one in (gold, system))
    spellings: dict[str, set[str]] = {}
    for form in ours:
        spellings.setdefault(unicodedata.normalize("NFKC", form), set()).add(form)
    found = {form: spellings.get(unicodedata.normalize("NFKC", form), set()) for form in theirs - ours}
    new = {form: min(forms) for form, forms in found.items() if len(forms) == 1}
    if not new:
        return system, 0
    changed = 0
    lines = system.to_bytes().decode(errors="surrogatepass").split("\n")
    for i, line in enumerate(lines):
        cells = line.split("\t")
        if len(cells) > 1 and line[0] != "#" and cells[_FORM] in new:
            cells[_FORM] = new[cells[_FORM]]
            lines[i] = "\t".join(cells)
            changed += 1
    return _again(system, "\n".join(lines)), changed


def _token_forms(treebank: Treebank) -> list[str]:
    return [treebank.field(row, _FORM) for row in range(len(treebank.fields))]


def _with_tokens(gold: Treebank, system: Treebank, homes: list[int]) -> tuple[Treebank, int]:
    """Give sentences with exactly gold's words gold's multiword tokens; return their number."""
    if not (gold.kinds == _MULTIWORD).any():
        return system, 0
    bare = np.bincount(_sentences_of_tokens(system), minlength=len(system)) == 0
    marked = np.bincount(_sentences_of_tokens(gold), minlength=len(gold)) > 0
    parts, changed = [], 0
    for number, home in enumerate(homes):
        start, stop = system.spans[number].tolist()
        part = system.raw[start:stop].tobytes().decode(errors="surrogatepass")
        if home >= 0 and marked[home] and bare[number]:
            left, right = gold.spans[home].tolist()
            rows = [line.split("\t") for line in gold.raw[left:right].tobytes().decode().split("\n")]
            lines = [line for line in part.split("\n") if line and (line[0] == "#" or _is_word(line))]
            words = [line.split("\t")[_FORM] for line in lines if line[0] != "#"]
            if words == [row[_FORM] for row in rows if row[0].isdigit()]:
                spans = {row[0].partition("-")[0]: "\t".join(row) for row in rows if "-" in row[0] and row[0][0] != "#"}
                for i in range(len(lines) - 1, -1, -1):
                    if span := spans.get(lines[i].partition("\t")[0]):
                        lines.insert(i, span)
                part = "\n".join([*lines, "", ""])
                changed += 1
        parts.append(part)
    return (_again(system, "".join(parts)), changed) if changed else (system, 0)


def _sentences_of_tokens(treebank: Treebank) -> npt.NDArray[np.int64]:
    """Return the sentence of each multiword token."""
    return np.searchsorted(treebank.row_offsets, np.flatnonzero(treebank.kinds == _MULTIWORD), "right") - 1


def _is_word(line: str) -> bool:
    return line.partition("\t")[0].isdigit()


def _again(treebank: Treebank, text: str) -> Treebank:
    """Read a treebank with other forms or tokens; what was known of its reading stays."""
    data = text.encode(errors="surrogatepass")
    new = parse_conllu(data, name=treebank.name, need_heads=False, allow=TOLERABLE)
    return replace(new, problems=treebank.problems, policy=treebank.policy)


def similar_words(gold: list[str], system: list[str]) -> list[tuple[int, int]]:
    """Pair words in order: as many equal ones as possible, then similar ones.

    Words are similar if more than half of the characters of the longer one are the same. Where
    both sides have the same number of words, any two can be a pair.

    Examples
    --------
    >>> similar_words(["de", "le", "pain"], ["de", "pains"])
    [(0, 0), (2, 1)]
    """
    if gold == system:
        return [(i, i) for i in range(len(gold))]
    best = np.zeros((len(gold) + 1, len(system) + 1))
    least = 0.0 if len(gold) == len(system) else 0.5
    gains = np.array([[_gain(a, b, least) for b in system] for a in gold])
    for i in range(len(gold) - 1, -1, -1):
        for j in range(len(system) - 1, -1, -1):
            paired = gains[i, j] + best[i + 1, j + 1] if gains[i, j] else 0
            best[i, j] = max(paired, best[i + 1, j], best[i, j + 1])
    pairs = []
    i = j = 0
    while i < len(gold) and j < len(system):
        if gains[i, j] and best[i, j] == gains[i, j] + best[i + 1, j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i, j] == best[i + 1, j]:
            i += 1
        else:
            j += 1
    return pairs


def _gain(a: str, b: str, least: float) -> float:
    """Return 1000 for equal words, their similarity if it is above the minimum, else 0."""
    if a == b:
        return 1000.0
    first, second = (np.frombuffer(form.encode("utf-32-le"), np.uint32) for form in (a, b))
    _, codes = np.unique(np.concatenate((first, second)), return_inverse=True)
    if codes.max() >= 200:
        return 0.0
    numbers = (codes + 33).astype(np.uint8)  # no spaces
    left, right = numbers[: len(first)], numbers[len(first) :]
    path = _align.edit_path(left, right)
    known = path >= 0
    same = int((left[path[known]] == right[known]).sum())
    share = same / max(len(left), len(right))
    return share + 0.01 if share > least or not least else 0.0


def grouped(gold: Side, system: Side, pairs: Sequence[tuple[int, int]] = ()) -> tuple[npt.NDArray[np.int64], Side]:
    """Return groups of tokens, and the system's segmentation in positions of gold.

    A group is a range of gold tokens (first, and one past the last) and a range of system tokens.
    Groups with less than half of the characters aligned are left out.
    """
    (a, a_token), (b, b_token) = _spaced(gold), _spaced(system)
    stands_for = _mapped_by_pairs(a, _edges(gold), b, _edges(system), pairs) if pairs else character_map(a, b)
    shared = np.flatnonzero((stands_for >= 0) & (b_token >= 0))
    shared = shared[a_token[stands_for[shared]] >= 0]
    ours, theirs = a_token[stands_for[shared]], b_token[shared]
    places = stands_for[shared] - ours  # without the spaces before
    # Characters keep their order, so a group ends where both sides start new tokens.
    new = np.flatnonzero((np.diff(ours, prepend=-1) > 0) & (np.diff(theirs, prepend=-1) > 0))
    new = new[_closed(new, ours) & _closed(new, theirs)] if len(new) else new
    last = np.append(new[1:], len(ours))[: len(new)] - 1  # none where no character is shared
    groups = np.column_stack((ours[new], ours[last] + 1, theirs[new], theirs[last] + 1))
    g_edges, s_edges = (np.append(0, side.token_ends).astype(np.int64) for side in (gold, system))
    g_edge, s_edge = g_edges[groups[:, :2]], s_edges[groups[:, 2:]]
    enough = 3 * (last - new + 1) >= np.diff(g_edge)[:, 0] + np.diff(s_edge)[:, 0]
    ends = np.full(len(s_edges), -1, np.int64)
    ends[theirs + 1] = places + 1
    ends[groups[:, 2]], ends[groups[:, 3]] = g_edge[:, 0], g_edge[:, 1]
    ends[0] = 0
    ends[-1] = len(gold.text) if ends[-1] < 0 else ends[-1]
    known = np.flatnonzero(ends >= 0)
    filled = np.interp(np.arange(len(ends)), known, np.maximum.accumulate(ends[known]))
    token_ends = filled[1:].astype(np.int32)
    stops = token_ends[np.searchsorted(system.token_ends, system.sentence_ends)]
    return groups[enough], Side(system.treebank, gold.text, system.token_rows, token_ends, stops)


def _closed(new: npt.NDArray[np.int64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return which positions are the first of their token."""
    before = np.concatenate(([-1], tokens))[new]
    return np.asarray(before < tokens[new])


def _has_several(side: Side, groups: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return which groups contain a multiword token."""
    before = np.append(0, (side.treebank.kinds[side.token_rows] == _MULTIWORD).cumsum())
    return np.asarray(before[groups[:, 1]] > before[groups[:, 0]])


def _spaced(side: Side) -> tuple[Bytes, npt.NDArray[np.int64]]:
    """Return the text with a mark after each token and sentence, and each byte's token, or -1."""
    lengths = np.diff(side.token_ends, prepend=0)
    tokens = np.repeat(np.arange(len(lengths)), lengths)
    text = np.full(len(side.text) + len(lengths), _SPACE, np.uint8)
    token = np.full(len(text), -1, np.int64)
    places = np.arange(len(side.text)) + tokens
    text[places], token[places] = side.text, tokens
    last = np.searchsorted(side.token_ends, side.sentence_ends)
    text[side.sentence_ends + last] = _LINE_END
    return text, token


def _edges(side: Side) -> npt.NDArray[np.int64]:
    """Return where each sentence begins, and the last one ends, in the text with marks."""
    ends = np.append(0, side.sentence_ends).astype(np.int64)
    return ends + np.searchsorted(side.token_ends, ends, "right")


def _mapped_by_pairs(
    a: Bytes, a_edges: npt.NDArray[np.int64], b: Bytes, b_edges: npt.NDArray[np.int64],
    pairs: Sequence[tuple[int, int]],
) -> npt.NDArray[np.int64]:  # fmt: skip
    """Return the map of characters within each pair of sentences, and between the pairs."""
    stands_for = np.full(len(b), -1, np.int64)
    i = j = 0
    for ours, theirs in [*pairs, (len(a_edges) - 1, len(b_edges) - 1)]:
        last = ours == len(a_edges) - 1
        stops = [(ours, theirs)] if last else [(ours, theirs), (ours + 1, theirs + 1)]
        for i_stop, j_stop in stops:
            first, second = a[a_edges[i] : a_edges[i_stop]], b[b_edges[j] : b_edges[j_stop]]
            if len(first) and len(second):
                found = character_map(first, second)
                stands_for[b_edges[j] : b_edges[j_stop]] = np.where(found < 0, -1, found + a_edges[i])
            i, j = i_stop, j_stop
    return stands_for


def character_map(a: Bytes, b: Bytes) -> npt.NDArray[np.int64]:
    """Return, for each byte of `b`, the position of its partner in `a`, or -1.

    Between anchors the number of edits is minimal. A range without anchors that is too long for
    that, such as a lost document, is left unaligned.
    """
    if np.array_equal(a, b):
        return np.arange(len(b))
    stands_for = np.full(len(b), -1, np.int64)
    i = j = 0
    for start, other_start, size in [*_anchors(a, b), (len(a), len(b), 0)]:
        first, second = a[i:start], b[j:other_start]
        shared = min(len(first), len(second))
        whole = len(first) == len(second) or start == len(a)  # at the end one may be incomplete
        if whole and np.array_equal(first[:shared], second[:shared]):
            stands_for[j : j + shared] = np.arange(i, i + shared)
        elif len(first) and len(second) and len(first) * len(second) <= MOST_CELLS:
            path = _align.edit_path(np.ascontiguousarray(first), np.ascontiguousarray(second))
            stands_for[j:other_start] = np.where(path < 0, -1, path + i)
        stands_for[other_start : other_start + size] = np.arange(start, start + size)
        i, j = start + size, other_start + size
    _slide(a, stands_for)
    turned = np.full(len(a), -1, np.int64)
    turned[stands_for[stands_for >= 0]] = np.flatnonzero(stands_for >= 0)
    _slide(b, turned)
    stands_for[:] = -1
    stands_for[turned[turned >= 0]] = np.flatnonzero(turned >= 0)
    return stands_for


def _slide(a: Bytes, stands_for: npt.NDArray[np.int64]) -> None:
    """Move unaligned ranges of `a` to where a sentence or a token starts.

    If "a cat, a dog" lost some text, this may be "a cat, " or " cat, a". Both need the same number
    of edits, but only the first consists of whole words.
    """
    known = np.flatnonzero(stands_for >= 0)
    gaps = np.flatnonzero((np.diff(known) == 1) & (np.diff(stands_for[known]) > 1))
    for j in known[gaps].tolist():
        first, last = int(stands_for[j]) + 1, int(stands_for[j + 1]) - 1
        # The range may move left over bytes equal to its last ones, and right over
        # those equal to its first ones.
        left = right = 0
        while left < min(REACH, j + 1, first) and (
            stands_for[j - left] == first - 1 - left and a[first - 1 - left] == a[last - left]
        ):
            left += 1
        while right < min(REACH, len(stands_for) - j - 1, len(a) - last - 1) and (
            stands_for[j + 1 + right] == last + 1 + right and a[first + right] == a[last + 1 + right]
        ):
            right += 1
        best = max(range(-left, right + 1), key=lambda t: (_strength(a, first + t), -abs(t)))
        if best < 0:
            stands_for[j + 1 + best : j + 1] = np.arange(last + 1 + best, last + 1)
        elif best:
            stands_for[j + 1 : j + 1 + best] = np.arange(first, first + best)


def _strength(a: Bytes, place: int) -> int:
    """Return 2 where a sentence starts, 1 where a token starts, else 0."""
    if place == 0 or a[place - 1] == _LINE_END:
        return 2
    return int(a[place - 1] == _SPACE)


def _anchors(a: Bytes, b: Bytes) -> list[tuple[int, int, int]]:
    """Return runs of anchors in the order of both texts: their starts and length."""
    (ours, places), (theirs, others) = (_once(_hashes(text)) for text in (a, b))
    _, left, right = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    order = np.argsort(places[left])
    left, right = places[left][order], others[right][order]
    runs: list[tuple[int, int, int]] = []
    for i, j in zip(left[_rising(right)].tolist(), right[_rising(right)].tolist(), strict=True):
        if runs:
            start, other_start, size = runs[-1]
            if i - start == j - other_start and i <= start + size:
                runs[-1] = (start, other_start, i - start + ANCHOR)
                continue
            if i < start + size or j < other_start + size:
                continue
        runs.append((i, j, ANCHOR))
    return runs


def _hashes(text: Bytes) -> npt.NDArray[np.uint64]:
    """Return a hash of each substring of the length of an anchor."""
    hashes = np.zeros(max(len(text) - ANCHOR + 1, 0), np.uint64)
    for t in range(ANCHOR if len(hashes) else 0):
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes += text[t : t + len(hashes)]
    return hashes ^ (hashes >> np.uint64(29))


def _once(hashes: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Return a subset of the hashes that occur once, with their positions."""
    places = np.flatnonzero(hashes % np.uint64(SPARSE) == 0)
    values, first, counts = np.unique(hashes[places], return_index=True, return_counts=True)
    return values[counts == 1], places[first[counts == 1]]


def _rising(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the indices of a longest increasing subsequence."""
    ends: list[int] = []
    last: list[int] = []
    before = np.full(len(numbers), -1, np.int64)
    for place, number in enumerate(numbers.tolist()):
        rank = bisect_left(ends, number)
        before[place] = last[rank - 1] if rank else -1
        if rank == len(ends):
            ends.append(number)
            last.append(place)
        else:
            ends[rank], last[rank] = number, place
    chosen = []
    place = last[-1] if last else -1
    while place >= 0:
        chosen.append(place)
        place = int(before[place])
    return np.array(chosen[::-1], np.int64)


def _words(side: Side) -> npt.NDArray[np.int64]:
    """Return the number of the first word of each token, and the number of words."""
    return np.searchsorted(side.word_tokens, np.arange(len(side.token_rows) + 1))
