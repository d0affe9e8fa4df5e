"""The treebank as a table: word columns and sentence offsets over the bytes of a file."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.kernels import columns as _columns
from treegauge.kernels import scan as _scan
from treegauge.kernels.arrow_strings import StringViews
from treegauge.treebanks.data.problems import ReadingProblem
from treegauge.treebanks.data.sentence import Sentence

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
NUMBER = {name: i for i, name in enumerate(COLUMNS)}
Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]


def _fixed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make an array read-only, since it is shared."""
    array.flags.writeable = False
    return array


MOSTLY = 0.5  # a column with a larger share of ``_`` counts as not annotated


class Codes(NamedTuple):
    """A column as whole numbers: ``values[codes[i]]`` is the value of word ``i``."""

    codes: Ints
    values: list[str]


@dataclass(frozen=True, eq=False, repr=False)
class Treebank:
    r"""Sentences of a CoNLL-U file, immutable and cheap to slice.

    The bytes of the file stay unchanged; everything else is positions in them. Slices and samples
    share the bytes, columns are created on first use, and writing is exact.

    Parameters
    ----------
    name
        A short name for messages and signatures.
    raw
        The bytes of the file.
    fields
        Start of each of the ten fields of every row, and the end of the last one plus one.
        Rows are words, multiword tokens and empty nodes.
    kinds
        For each row 0 (word), 1 (multiword token) or 2 (empty node).
    rows, head, multiword
        For each word: its row, its head (0 is the root, -1 is missing) and the row of the multiword
        token that contains it, or -1.
    offsets, row_offsets, spans
        For each sentence: its first word, its first row, and its bytes.
    tail
        Bytes after the last sentence (comments without words).
    problems, policy
        Problems of the file, and how they were treated.
    first_line
        Number of the first line of `raw` in its file.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> tb = parse_conllu("1\tHello\thello\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
    >>> len(tb), tb.n_words, tb["form"].to_list(), tb.head.tolist()
    (1, 1, ['Hello'], [0])
    """

    name: str
    raw: Bytes
    fields: Ints
    kinds: Bytes
    rows: Ints
    head: Ints
    multiword: Ints
    offsets: Ints
    row_offsets: Ints
    spans: Ints
    tail: bytes = b""
    problems: tuple[ReadingProblem, ...] = ()
    policy: str = "strict"
    first_line: int = 1
    _codes: dict[str, Codes] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        """Return what was read; what is derived from it is computed again where it is needed."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.init}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _codes={})
        self.__post_init__()

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def n_words(self) -> int:
        """Number of syntactic words."""
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Treebank {self.name}: {len(self):,} sentences, {self.n_words:,} words>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Treebank) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def digest(self) -> str:
        """Hexadecimal SHA-256 of the output of :meth:`to_bytes`."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @property
    def mark(self) -> str:
        """Name and the start of :attr:`digest`, as signatures show them."""
        return f"{self.name}#{self.digest[:6]}"

    # columns

    @overload
    def __getitem__(self, key: str) -> "pl.Series": ...
    @overload
    def __getitem__(self, key: int) -> Sentence: ...
    @overload
    def __getitem__(self, key: slice | Sequence[int] | npt.NDArray[Any]) -> "Treebank": ...
    def __getitem__(self, key: Any) -> "pl.Series | Sentence | Treebank":
        """Return a column by name, a sentence by number, or a treebank by slice, mask or list."""
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, int | np.integer):
            index = int(key) + (len(self) if key < 0 else 0)
            if not 0 <= index < len(self):
                raise IndexError(f"{self.name} has {len(self)} sentences; none has number {key}")
            return Sentence(self, index)
        if isinstance(key, slice) and key.step in {None, 1}:
            from treegauge.treebanks.data.frames import cut

            return cut(self, *key.indices(len(self))[:2])
        return self.take(np.arange(len(self))[key] if isinstance(key, slice) else key)

    def __iter__(self) -> Iterator[Sentence]:
        return (Sentence(self, i) for i in range(len(self)))

    def column(self, name: str) -> "pl.Series":
        """Return a column of the words as a polars series; ``id`` and ``head`` are integers."""
        if name == "head":
            return pl.Series("head", self.head)
        if name == "id":
            return pl.Series("id", self.positions)
        return self._text(name, self.rows)

    def _text(self, name: str, rows: Ints) -> "pl.Series":
        """Return a column of the given rows as it is in the file."""
        return pl.Series(StringViews(self.raw, self.fields, rows, self._number(name))).alias(name)

    def codes(self, name: str) -> Codes:
        """Return a column as codes and the list of its values, in order of first use."""
        if name not in self._codes:
            codes = np.empty(self.n_words, np.int32)
            number = self._number(name)
            firsts = _columns.encode(self.raw, self.fields, self.rows, number, codes)
            codes.flags.writeable = False
            self._codes[name] = Codes(codes, self.texts(firsts, number))
        return self._codes[name]

    def blank(self, column: str) -> npt.NDArray[np.bool_]:
        """Return which words have no value in a column; ``_`` is an ordinary form unless most are.

        Most forms are ``_`` in treebanks whose text may not be distributed.
        """
        codes, values = self.codes(column)
        if "_" not in values:
            return np.zeros(self.n_words, bool)
        empty: npt.NDArray[np.bool_] = codes == values.index("_")
        if column in {"form", "lemma"}:
            forms, names = self.codes("form")
            underscores = forms == (names.index("_") if "_" in names else -1)
            empty = empty & ~underscores if underscores.mean() <= MOSTLY else empty
        return empty

    @cached_property
    def blank_shares(self) -> "_BlankShares":
        """The share of words without a value, by column."""
        return _BlankShares(self)

    def texts(self, rows: Ints, number: int) -> list[str]:
        """Return one field of each of these rows as text."""
        starts, stops = self.fields[rows, number].tolist(), self.fields[rows, number + 1].tolist()
        raw = self.raw.data
        return [str(raw[a : b - 1], "utf-8", "replace") for a, b in zip(starts, stops, strict=True)]

    def field(self, row: int, number: int) -> str:
        """Return one field of one row as text."""
        start, stop = self.fields[row, number], self.fields[row, number + 1] - 1
        return self.raw[start:stop].tobytes().decode(errors="replace")

    @cached_property
    def line_starts(self) -> npt.NDArray[np.int64]:
        """Position of the first byte of each line."""
        return _fixed(_scan.line_starts(self.raw, _scan.count_lines(self.raw)))

    def line(self, row: int) -> int:
        """Return the number of a row's line in its file."""
        return self.line_at(self.fields[row, 0])

    def line_at(self, position: int) -> int:
        """Return the number of the line of a position in `raw`."""
        return int(self.line_starts.searchsorted(position, "right")) - 1 + self.first_line

    @property
    def first_sentence_line(self) -> int:
        """Number of the line where the first sentence starts; counts only the lines before it."""
        before = self.raw[: self.spans[0, 0]] if len(self) else self.raw[:0]
        return int(_scan.count_lines(before)) - 1 + self.first_line

    @staticmethod
    def _number(name: str) -> int:
        if name not in NUMBER:
            raise ChoiceError("column", name, COLUMNS)
        return NUMBER[name]

    @cached_property
    def sentence_of(self) -> Ints:
        """Number of the sentence of each word."""
        return _fixed(np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets)))

    @cached_property
    def positions(self) -> Ints:
        """Position of each word in its sentence, from 1."""
        first = self.offsets[self.sentence_of]
        return _fixed(np.arange(1, self.n_words + 1, dtype=np.int32) - first)

    @cached_property
    def parents(self) -> Ints:
        """Index of each word's head in the whole treebank, -1 for a root."""
        absolute = self.offsets[self.sentence_of] + self.head - 1
        return _fixed(np.where(self.head > 0, absolute, -1).astype(np.int32))

    @cached_property
    def lengths(self) -> Ints:
        """Number of words of each sentence."""
        return _fixed(np.diff(self.offsets).astype(np.int32))

    @property
    def table(self) -> "pl.DataFrame":
        """The words as a polars frame: ``sentence`` and the ten columns."""
        return pl.DataFrame([pl.Series("sentence", self.sentence_of), *(self.column(name) for name in COLUMNS)])

    def to_rows(self) -> "pl.DataFrame":
        """Return all rows and comments as text columns; see :mod:`treegauge.treebanks.data.frames`."""
        from treegauge.treebanks.data.frames import to_rows

        return to_rows(self)

    def to_pandas(self) -> Any:
        """Return :attr:`table` as a pandas frame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.table.to_dict(as_series=False))

    def to_arrow(self) -> Any:
        """Return :attr:`table` as an Arrow table (needs pyarrow)."""
        return self.table.to_arrow()

    # sentences

    def comment_lines(self, sentence: int) -> list[str]:
        """Return the comment lines of a sentence as they are in the file."""
        first, last = self.row_offsets[sentence], self.row_offsets[sentence + 1]
        start, stop = self.spans[sentence]
        if last > first:
            stop = self.fields[first, 0]
        text = bytes(self.raw[start:stop]).decode(errors="replace")
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return [line for line in lines if line.startswith("#")]

    def metadata(self, key: str) -> list[str | None]:
        """Return the value of ``# key = value`` for each sentence, or None."""
        return [self[i].metadata.get(key) for i in range(len(self))]

    def take(self, sentences: npt.ArrayLike) -> "Treebank":
        """Return these sentences in this order: numbers, also repeated ones, or a mask."""
        from treegauge.treebanks.data.frames import take

        return take(self, sentences)

    def sample(self, sentences: int, *, seed: int) -> "Treebank":
        """Return a random sample of sentences, without replacement, in the order of the file."""
        if not 0 <= sentences <= len(self):
            raise TreegaugeError(f"cannot sample {sentences} sentences from {self.name}, which has {len(self)}")
        drawn = np.random.default_rng(seed).choice(len(self), sentences, replace=False)
        return self.take(np.sort(drawn))

    def with_columns(self, values: Mapping[str, Sequence[Any] | Any]) -> "Treebank":
        """Return a copy with columns of the words replaced; all other bytes stay.

        Parameters
        ----------
        values
            One value per word for each column name (a list, an array or a polars series). None
            becomes ``_``, and so does a head of -1 where there was none before.
        """
        from treegauge.treebanks.data.frames import with_columns

        return with_columns(self, values)

    def to_bytes(self) -> bytes:
        """Return the treebank as CoNLL-U; each sentence is byte for byte as it was read."""
        if len(self) == 0:
            return self.tail
        edges = np.flatnonzero(self.spans[1:, 0] != self.spans[:-1, 1]) + 1
        starts = self.spans[np.concatenate(([0], edges)), 0].tolist()
        stops = self.spans[np.concatenate((edges - 1, [len(self) - 1])), 1].tolist()
        parts = [self.raw[a:b].tobytes() for a, b in zip(starts, stops, strict=True)]
        return b"".join([*map(closed, parts[:-1]), parts[-1], self.tail])

    def _repr_html_(self) -> str:
        from html import escape

        head = f"<p><b>{escape(self.name)}</b>: {len(self):,} sentences, {self.n_words:,} words</p>"
        return head + (self[0]._repr_svg_() if len(self) else "")


class _BlankShares(dict[str, float]):
    def __init__(self, treebank: Treebank) -> None:
        self.treebank = treebank

    def __missing__(self, column: str) -> float:
        self[column] = share = float(self.treebank.blank(column).mean())
        return share


def concat(treebanks: Iterable[Treebank], *, name: str | None = None) -> Treebank:
    r"""Join treebanks into one; comments after their last sentences go to the end.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> a = parse_conllu("1\tA\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    >>> concat([a, a[:1], a])["form"].to_list()
    ['A', 'A', 'A']
    """
    from treegauge.treebanks.data.indexing import index

    parts = list(treebanks)
    title = name or "+".join(dict.fromkeys(part.name for part in parts)) or "empty"
    bodies = [replace(part, tail=b"").to_bytes() for part in parts if len(part)]
    tails = [part.tail for part in parts if part.tail]
    joined = b"".join([*map(closed, bodies[:-1]), *bodies[-1:]])
    if tails:
        ended = [tail if tail.endswith((b"\n", b"\r")) else tail + b"\n" for tail in tails[:-1]]
        joined = b"".join([closed(joined), *ended, tails[-1]])
    first = next((part for part in parts if len(part)), None)
    line = first.first_sentence_line if first is not None else 1
    collected = {id(part.problems): part.problems for part in parts}.values()
    return replace(
        index(joined, title, first_line=line),
        problems=tuple(problem for problems in collected for problem in problems),
        policy="+".join(dict.fromkeys(part.policy for part in parts)) or "strict",
    )


def closed(text: bytes) -> bytes:
    r"""Return a sentence that ends with a blank line.

    Examples
    --------
    >>> closed(b"1\tHi\n"), closed(b"1\tHi\r\n\r\n")
    (b'1\tHi\n\n', b'1\tHi\r\n\r\n')
    """
    if not text or text.endswith((b"\n\n", b"\n\r\n", b"\r\r\n", b"\r\r", b"\n\r")):
        return text
    return text + (text[-1:] if text.endswith((b"\n", b"\r")) else b"\n\n")
