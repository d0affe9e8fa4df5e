"""Texts of sentences, normalised for comparison."""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import fingerprints as _fingerprints
from treegauge.kernels import isomorphism as _isomorphism
from treegauge.treebanks.data.columns import Treebank

Symbols = npt.NDArray[np.uint32]
Longs = npt.NDArray[np.int64]
LONGEST = 2000
"""Number of characters compared per text; the rest is ignored."""
_SENT_ID = re.compile(rb"^#\s*sent_id\s*=\s*(.*?)\s*$", re.M)
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
    ids = [f"#{number + 1}" for number in range(len(treebank))]
    raw = treebank.raw.tobytes()
    matches = list(_SENT_ID.finditer(raw))
    starts = [match.start() for match in matches]
    # Sentences may be in a different order from their bytes, and occur several times.
    firsts = np.searchsorted(starts, treebank.spans[:, 0])
    for number, (first, stop) in enumerate(zip(firsts, treebank.spans[:, 1], strict=True)):
        if first < len(matches) and starts[first] < stop:
            ids[number] = matches[first][1].decode(errors="replace")
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
