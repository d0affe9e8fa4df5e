"""Duplicates and near-duplicates of sentences, within and across parts of treebanks."""

import hashlib
import os
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.platforms import map_threads
from treegauge.kernels import fingerprints as _fingerprints
from treegauge.kernels import isomorphism as _isomorphism
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.sentence_pairing import sentence_ids

Symbols = npt.NDArray[np.uint32]
Longs = npt.NDArray[np.int64]
LONGEST = 2000
"""Number of characters compared per text; the rest is ignored."""
_SPACES = np.array([ord(c) for c in map(chr, range(0x3001)) if c.isspace() and c != "\n"])


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of one part of a treebank, or of one file.

    Attributes
    ----------
    part, file
        Name of the part in tables, and its file.
    split
        train, dev, test, or empty if unknown.
    ids
        The sent_id of each sentence, or its number (``#12``); of plain text its line (``line 12``).
    words
        The number of words of each sentence; 0 in plain text, where it is unknown.
    trees
        A number per sentence, equal for sentences with the same heads and relations; 0 in plain
        text.
    symbols, offsets
        The characters of all texts without white space and in lower case, as code points, and where
        each text begins.
    digest
        The start of the SHA-256 of what was read.
    plain
        Whether this is plain text.
    """

    part: str
    file: str
    split: str
    ids: Sequence[str]
    words: npt.NDArray[np.int32]
    trees: npt.NDArray[np.uint64]
    symbols: Symbols
    offsets: Longs
    digest: str
    plain: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    def text(self, number: int) -> str:
        """Return one text, normalised for comparison."""
        part = self.symbols[self.offsets[number] : self.offsets[number + 1]]
        return part.astype("<u4").tobytes().decode("utf-32-le", errors="replace")


def treebank_texts(treebank: Treebank, part: str, *, file: str = "", split: str = "") -> Texts:
    r"""Return the texts of a treebank's sentences, from their tokens.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> tail = "_\t_\t_\t_\t0\troot\t_\t_"
    >>> texts = treebank_texts(parse_conllu(f"# sent_id = a\n1\tAye\t{tail}\n\n"), "some")
    >>> texts.ids, texts.text(0)
    (['a'], 'aye')
    """
    joined = _fingerprints.join_tokens(
        treebank.raw, treebank.fields, treebank.rows, treebank.multiword, treebank.offsets
    )
    symbols, offsets = _compared(joined.tobytes())
    ids = [name or f"#{number}" for number, name in enumerate(sentence_ids(treebank), 1)]
    return Texts(part, file, split, ids, treebank.lengths, _trees(treebank), symbols, offsets, treebank.digest[:6])


def _trees(treebank: Treebank) -> npt.NDArray[np.uint64]:
    codes, names = treebank.codes("deprel")
    digests = [hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names]
    values = treebank.head * 1_000_003 + np.frombuffer(b"".join(digests), np.int64)[codes]
    return _isomorphism.sequences(values, treebank.sentence_of, len(treebank))


def plain_texts(path: str | PathLike[str], part: str, *, split: str = "") -> Texts:
    """Return the texts of a plain text file, one per line; empty lines are left out."""
    from treegauge.treebanks.sources.files import open_bytes

    with open_bytes(path) as file:
        data = file.read().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in data[:65536]:
        raise TreegaugeError(f"{fspath(path)}: found binary data, expected CoNLL-U or plain text")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    symbols, offsets = _compared(data)
    filled = np.diff(offsets) > 0
    lines = np.flatnonzero(filled)
    kept = np.concatenate(([0], np.cumsum(np.diff(offsets)[filled])))
    ids = [f"line {line + 1}" for line in lines.tolist()]
    words, trees = np.zeros(len(lines), np.int32), np.zeros(len(lines), np.uint64)
    return Texts(
        part, fspath(path), split, ids, words, trees, symbols, kept.astype(np.int64),
        hashlib.sha256(data).hexdigest()[:6], plain=True,
    )  # fmt: skip


def _compared(data: bytes) -> tuple[Symbols, Longs]:
    """Return the characters of lines, and the start of each line.

    White space is left out, since tokenisers and typesetters add it; case is folded, and characters
    of several code points are composed. Lines are cut after the first `LONGEST` characters.
    """
    text = data.decode(errors="replace")
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    codes = np.frombuffer(text.casefold().encode("utf-32-le", errors="replace"), np.uint32)
    space = np.zeros(0x3001, bool)
    space[_SPACES] = True
    kept = codes[(codes > 0x3000) | ~space[np.minimum(codes, 0x3000)]]
    ends = np.flatnonzero(kept == ord("\n"))
    symbols = kept[kept != ord("\n")]
    offsets = np.concatenate(([0], ends - np.arange(len(ends)))).astype(np.int64)
    lengths = np.diff(offsets)
    if (lengths > LONGEST).any():
        within = np.arange(len(symbols)) - np.repeat(offsets[:-1], lengths)
        symbols = symbols[within < LONGEST]
        offsets = np.concatenate(([0], np.cumsum(np.minimum(lengths, LONGEST))))
    return np.ascontiguousarray(symbols), offsets


SIMILARITY = 0.7
"""Minimum similarity of near-duplicates."""
SHORT = 5
"""Shorter sentences are left out: greetings and headings repeat in any corpus."""

# Tuned on the treebanks TUNED of tools/bench/planted.py, evaluated there on others.
_NGRAM = 4  # characters
_SHARE = 0.1  # number of shared n-grams for two texts to be compared
_VISITS = 10_000  # candidates per text, the rarest n-grams first
_KEPT = 200  # near-duplicates per text
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Matches:
    """Sentences, each with the most similar one in another part or earlier in its own.

    Attributes
    ----------
    parts
        What was compared.
    part, number
        The sentence: its part and its number there, from 0.
    other_part, other
        The most similar sentence of another part, or the most similar one before it in its own.
    similarity
        1 - edit distance / length of the longer text, in characters; 1 if the texts are the same.
    """

    parts: Sequence[Texts]
    part: Longs
    number: Longs
    other_part: Longs
    other: Longs
    similarity: Floats

    def __len__(self) -> int:
        return len(self.similarity)

    def take(self, rows: Longs) -> "Matches":
        """Return the given rows in the given order."""
        names = ("part", "number", "other_part", "other", "similarity")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def find_matches(parts: Sequence[Texts], *, similarity: float = SIMILARITY, training: Sequence[int] = ()) -> Matches:
    """Return duplicates and near-duplicates.

    Between two parts, matches are listed for the part on which systems are tested: test set against
    dev or training set, dev set against training set; otherwise the later part against the earlier
    one. Sentences with fewer than five words are left out, and so are those with hidden text (most
    forms are ``_``).

    A `similarity` of 1 finds only equal texts; `training` has the numbers of parts that are training data,
    whatever their names.
    """
    if not 0 < similarity <= 1:
        raise TreegaugeError(f"similarity: expected a number above 0, up to 1; found {similarity}")
    starts = np.cumsum([0, *map(len, parts)])
    part_of = np.repeat(np.arange(len(parts)), np.diff(starts))
    sentences, text_of, symbols, offsets = _distinct(parts, part_of)
    pairs, near = _near(symbols, offsets, similarity)
    rank = np.array([_rank(part, number in training) for number, part in enumerate(parts)])
    between = _between(sentences, text_of, part_of, pairs, near, rank)
    within = _within(sentences, text_of, part_of, pairs, near)
    rows = np.concatenate([between[0], within[0]])
    values = np.concatenate([between[1], within[1]])
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    sentence, other = rows[order].T
    return Matches(
        parts, part_of[sentence], sentence - starts[part_of[sentence]],
        part_of[other], other - starts[part_of[other]], values[order],
    )  # fmt: skip


def leaked_sentences(treebank: Treebank, training: Sequence[Treebank]) -> npt.NDArray[np.bool_]:
    """Return which sentences of a treebank are also, exactly or nearly, in training data, as ``audit`` finds them."""
    parts = [treebank_texts(one, f"train{number}", split="train") for number, one in enumerate(training)]
    matches = find_matches([*parts, treebank_texts(treebank, "test", split="test")], training=range(len(parts)))
    leaked = np.zeros(len(treebank), bool)
    leaked[matches.number[(matches.part == len(parts)) & (matches.other_part < len(parts))]] = True
    return leaked


def _rank(part: Texts, training: bool) -> int:
    """Return the rank of a part, from training data to test data."""
    return -1 if training else {"train": 0, "dev": 2, "test": 3}.get(part.split, 1)


def _distinct(parts: Sequence[Texts], part_of: Longs) -> tuple[Longs, Longs, Symbols, Longs]:
    """Return the sentences that count, the text of each, and all distinct texts."""
    empty = np.empty(0, np.int64)
    if not len(part_of):
        return empty, empty, np.empty(0, np.uint32), np.zeros(1, np.int64)
    symbols = np.concatenate([part.symbols for part in parts])
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    words = np.concatenate([part.words for part in parts])
    hidden = np.concatenate(([0], np.cumsum(symbols == ord("_"))))
    hidden = 2 * (hidden[offsets[1:]] - hidden[offsets[:-1]]) >= lengths
    plain = np.array([part.plain for part in parts])[part_of]
    sentences = np.flatnonzero(((words >= SHORT) | plain) & ~hidden)
    hashes = _fingerprints.text_hashes(symbols, offsets)[sentences]
    _, firsts, text_of = np.unique(hashes, return_index=True, return_inverse=True)
    chosen = sentences[firsts]
    sizes = lengths[chosen]
    ends = np.cumsum(sizes)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
    chosen_symbols = symbols[np.repeat(offsets[chosen], sizes) + within]
    return sentences, text_of, chosen_symbols, np.concatenate(([0], ends))


def _near(symbols: Symbols, offsets: Longs, similarity: float) -> tuple[Longs, Floats]:
    """Return pairs of different texts that are nearly the same, and their similarity."""
    if similarity == 1 or len(symbols) < _NGRAM:
        return np.empty((0, 2), np.int64), np.empty(0)
    known = np.zeros(0x110000, bool)
    known[symbols] = True
    coded = (np.cumsum(known, dtype=np.uint32) - 1)[symbols]
    bits = min(max(len(symbols).bit_length(), 12), 26)
    index = _fingerprints.index_ngrams(coded, offsets, _NGRAM, bits)
    workers = (os.cpu_count() or 1) if len(symbols) > 1_000_000 else 1

    def search(first: int) -> npt.NDArray[np.int32]:
        return _fingerprints.near_pairs(
            coded, offsets, int(known.sum()), *index, _NGRAM, bits, first, workers, _VISITS, _SHARE, similarity, _KEPT
        )

    pairs = np.concatenate(list(map_threads(search, range(workers), workers))).astype(np.int64)
    sizes = np.diff(offsets)
    longer = np.maximum(sizes[pairs[:, 0]], sizes[pairs[:, 1]])
    return pairs[:, :2], 1 - pairs[:, 2] / longer


def _between(
    sentences: Longs, text_of: Longs, part_of: Longs, pairs: Longs, near: Floats, rank: Longs
) -> tuple[Longs, Floats]:
    """Return sentences with the most similar one of each other part, and the similarities."""
    owner, first = _first_uses(sentences, text_of, part_of)  # of each text in each part
    texts = np.arange(int(text_of.max(initial=-1)) + 1)
    own = np.concatenate([texts, pairs[:, 0], pairs[:, 1]])
    other = np.concatenate([texts, pairs[:, 1], pairs[:, 0]])
    value = np.concatenate([np.ones(len(texts)), near, near])
    edge, use = _join(other, owner)
    text, part, value, target = own[edge], part_of[first[use]], value[edge], first[use]
    order = np.lexsort((target, -value, part, text))
    best = order[_is_first(text[order], part[order])]
    row, sentence = _join(text[best], *_sorted(text_of, sentences))
    target, value = target[best][row], value[best][row]
    mine, theirs = part_of[sentence], part_of[target]
    tested = (rank[mine] > rank[theirs]) | ((rank[mine] == rank[theirs]) & (mine > theirs))
    return np.column_stack([sentence, target])[tested], value[tested]


def _within(sentences: Longs, text_of: Longs, part_of: Longs, pairs: Longs, near: Floats) -> tuple[Longs, Floats]:
    """Return sentences with the most similar one before them in their part."""
    owner, first = _first_uses(sentences, text_of, part_of)
    # Later uses of a text repeat its first use; a first use may nearly equal another text.
    order = np.lexsort((sentences, part_of[sentences], text_of))
    new = _is_first(text_of[order], part_of[sentences][order])
    leader = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    repeats = np.column_stack([sentences[order], sentences[order][leader]])[~new]
    edge, neighbour = _join(np.concatenate([pairs[:, 0], pairs[:, 1]]), owner)
    side, two = _join(np.concatenate([pairs[:, 1], pairs[:, 0]])[edge], owner)
    later, earlier = first[neighbour[side]], first[two]
    value = np.concatenate([near, near])[edge[side]]
    same = (part_of[later] == part_of[earlier]) & (earlier < later)
    later, earlier, value = later[same], earlier[same], value[same]
    order = np.lexsort((earlier, -value, later))
    best = order[_is_first(later[order])]
    rows = np.concatenate([repeats, np.column_stack([later, earlier])[best]])
    return rows, np.concatenate([np.ones(len(repeats)), value[best]])


def _first_uses(sentences: Longs, text_of: Longs, part_of: Longs) -> tuple[Longs, Longs]:
    """Return the first sentence of each text in each part that has it, ordered by text."""
    order = np.lexsort((sentences, part_of[sentences], text_of))
    new = order[_is_first(text_of[order], part_of[sentences][order])]
    return text_of[new], sentences[new]


def _is_first(*keys: Longs) -> npt.NDArray[np.bool_]:
    """Return which sorted rows differ in their key from the previous row."""
    changed = np.ones(len(keys[0]), bool)
    if len(changed):
        changed[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return changed


def _sorted(keys: Longs, values: Longs) -> tuple[Longs, Longs]:
    order = np.argsort(keys, kind="stable")
    return keys[order], values[order]


def _join(keys: Longs, ordered: Longs, values: Longs | None = None) -> tuple[Longs, Longs]:
    """Return the indices of matching keys in both arrays, with repetitions in `ordered`.

    Examples
    --------
    >>> [places.tolist() for places in _join(np.array([3, 5, 4]), np.array([3, 3, 4]))]
    [[0, 0, 2], [0, 1, 2]]
    """
    low, high = np.searchsorted(ordered, keys), np.searchsorted(ordered, keys, side="right")
    counts = high - low
    ends = np.cumsum(counts)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    places = np.repeat(low, counts) + within
    return np.repeat(np.arange(len(keys)), counts), places if values is None else values[places]
