"""A cell of a grid: one task on one treebank by one parser, identified by a hash."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from treegauge import __version__
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.treebanks.sources.files import Errors, split_of
from treegauge.treebanks.sources.resolver import find

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

Scalar = float | int | str | None


def shown_settings(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return settings on one line, without those that have their default.

    Examples
    --------
    >>> options = {"beam": 16, "epochs": 10, "labelled": False}
    >>> shown_settings(options, {"epochs": 10, "labelled": True})
    'beam=16 labelled=false'
    """
    words = {
        name: json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
        for name, value in values.items()
        if name not in defaults or defaults[name] != value
    }
    return " ".join(f"{name}={word}" for name, word in sorted(words.items()))


@dataclass(frozen=True, eq=False)
class Setup:
    """The common part of cells that differ only in size, sample and seed.

    The task is a built-in one's name or ``module:function``; the treebank a folder such as
    ``UD_Greek-GDT``, or a file; the parser's name is empty if the task needs none. `options` and
    `extra` have all options of the parser and parameters of the task, with defaults;
    `usual_options` and `usual_extra` are not shown. `files` has the SHA-256 of each file's content.

    `sentences` and `words` are numbers in each split, for estimates of time. `places` are paths of
    further treebanks that the task reads, by name. `inputs` are treebanks given as objects instead
    of paths, by split: ``train``, or ``UD_X/train`` of a further one.
    """

    task: str
    treebank: str
    parser: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    usual_options: Mapping[str, Any] = field(default_factory=dict)
    usual_extra: Mapping[str, Any] = field(default_factory=dict)
    sentences: Mapping[str, int] = field(default_factory=dict)
    words: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    inputs: "Mapping[str, Treebank]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("options", "extra", "files"):
            object.__setattr__(self, name, dict(sorted(getattr(self, name).items())))

    @property
    def name(self) -> str:
        """The treebank's name."""
        return Path(self.treebank).name.partition(".conllu")[0]

    @cached_property
    def split_files(self) -> dict[str, list[str]]:
        """The treebank's files by split."""
        files: dict[str, list[str]] = {}
        for path in find(self.treebank):
            files.setdefault(split_of(path) or "", []).append(path)
        return files

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that a result depends on: no paths, no clock, no host."""
        return {
            "task": self.task, "treebank": self.name, "parser": self.parser,
            "options": self.options, "extra": self.extra, "files": self.files,
            "major": int(__version__.partition(".")[0]),  # results are not reused across these
        }  # fmt: skip

    @cached_property
    def digest(self) -> bytes:
        """Hash of :attr:`identity`."""
        try:
            text = json.dumps(self.identity, sort_keys=True, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise TreegaugeError(
                f"a cell of task {self.task} cannot be identified: {error}; options and parameters "
                "are numbers, texts, true or false, and lists of these"
            ) from None
        return hashlib.blake2b(text.encode(), digest_size=16).digest()

    @property
    def data(self) -> str:
        """A short checksum of the files, which distinguishes releases of one treebank."""
        return hashlib.sha256(json.dumps(dict(self.files)).encode()).hexdigest()[:8]

    @property
    def shown_options(self) -> str:
        """The parser's options on a line, defaults left out."""
        return shown_settings(self.options, self.usual_options)

    @property
    def shown_extra(self) -> str:
        """The task's parameters on a line, defaults left out."""
        return shown_settings(self.extra, self.usual_extra)


_read: "WeakKeyDictionary[Setup, dict[tuple[str, str], Treebank]]" = WeakKeyDictionary()
"""The treebanks of the setup whose cells are being run; cells check that files are unchanged."""


@dataclass(frozen=True)
class Cell:
    """One run: a :class:`Setup`, how much to train on, which sample of it, and the seed.

    The size is None if the task uses all training sentences.

    Examples
    --------
    >>> setup = Setup("curve", "/data/UD_Greek-GDT", "beam", {"beam": 8})
    >>> Cell(setup, 100, 0, 1).name
    'curve UD_Greek-GDT beam beam=8 size=100 sample=0 seed=1'
    >>> moved = Setup("curve", "/elsewhere/UD_Greek-GDT", "beam", {"beam": 8})
    >>> Cell(moved, 100, 0, 1).key == Cell(setup, 100, 0, 1).key
    True
    """

    setup: Setup
    size: int | None = None
    sample: int = 0
    seed: int = 0

    @property
    def task(self) -> str:
        """Name of the task."""
        return self.setup.task

    @property
    def treebank(self) -> str:
        """The path of the treebank."""
        return self.setup.treebank

    @property
    def parser(self) -> str:
        """Name of the parser, or empty."""
        return self.setup.parser

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of the parser."""
        return self.setup.options

    @property
    def extra(self) -> Mapping[str, Any]:
        """Parameters of the task."""
        return self.setup.extra

    @property
    def key(self) -> str:
        """Hash of everything that a result depends on, 32 hexadecimal digits."""
        point = f"|{self.size}|{self.sample}|{self.seed}".encode()
        return hashlib.blake2b(self.setup.digest + point, digest_size=16).hexdigest()

    @property
    def name(self) -> str:
        """The cell in words, for messages."""
        parts = [self.task, self.setup.name, self.parser, self.setup.shown_options]
        parts += [self.setup.shown_extra, "" if self.size is None else f"size={self.size}"]
        return " ".join([*filter(None, parts), f"sample={self.sample}", f"seed={self.seed}"])

    def read(self, split: str, *, errors: Errors = "strict", treebank: str | None = None) -> "Treebank":
        """Read the ``"train"``, ``"dev"`` or ``"test"`` set of this or a further treebank."""
        given = split if treebank is None else f"{treebank}/{split}"
        if given in self.setup.inputs:
            return self.setup.inputs[given]
        if self.setup not in _read:
            _read.clear()
            _read[self.setup] = {}
        read = _read[self.setup]
        if (given, errors) not in read:
            from treegauge.treebanks.data.conllu import read_conllu

            place = self.treebank if treebank is None else self.setup.places[treebank]
            files = self.setup.split_files.get(split) if treebank is None else None
            name = f"{treebank or self.setup.name}/{split}"
            read[given, errors] = read_conllu(files or find(place, split=split), name=name, errors=errors)
        return read[given, errors]

    def has(self, split: str) -> bool:
        """Return whether the treebank has that split."""
        if self.setup.inputs:
            return split in self.setup.inputs
        return split in self.setup.split_files


@dataclass(frozen=True)
class Outcome:
    """The result of a task.

    `scalars` are numbers and short texts by name; scores are in percent, and a number that is not
    finite is kept as missing. `words` is a table with one row per word: of a parse of the test set
    ``head`` and ``deprel`` (:func:`parse_table`), which ``treegauge results --parses`` writes as
    CoNLL-U. `recordings` are contents of ``.npz`` files by name, as of a training.
    """

    scalars: Mapping[str, Scalar]
    words: "pl.DataFrame | None" = None
    recordings: Mapping[str, bytes] = field(default_factory=dict)


def parse_table(parsed: "Treebank") -> "pl.DataFrame":
    """Return heads and relations of all words, in order, as a store keeps them."""
    return pl.DataFrame([pl.Series("head", parsed.head, pl.Int32), parsed["deprel"].cast(pl.String)])


Point = tuple[int | None, int, int]
"""Size, sample and seed."""


@dataclass(frozen=True)
class CellBatch:
    """Cells of one setup: all combinations, or the points named."""

    setup: Setup
    sizes: tuple[int | None, ...] = (None,)
    samples: tuple[int, ...] = (0,)
    seeds: tuple[int, ...] = (0,)
    named: tuple[Point, ...] | None = None

    def points(self) -> Iterator[Point]:
        """Yield size, sample and seed of each cell."""
        every = product(self.sizes, self.samples, self.seeds)
        return every if self.named is None else iter(self.named)

    def cells(self) -> Iterator[Cell]:
        """Yield the cells."""
        return (Cell(self.setup, *point) for point in self.points())

    def __len__(self) -> int:
        if self.named is not None:
            return len(self.named)
        return len(self.sizes) * len(self.samples) * len(self.seeds)


@dataclass(frozen=True)
class Expansion:
    """The cells of a plan, and the reasons why others cannot be run."""

    batches: tuple[CellBatch, ...]
    refused: tuple[str, ...] = ()
    refused_cells: int = 0

    def __len__(self) -> int:
        return sum(map(len, self.batches))

    @property
    def mark(self) -> str:
        """A checksum of all cells: treebanks' bytes, options, parameters, sizes and seeds."""
        setups = b"".join(
            batch.setup.digest + repr(sorted(batch.points(), key=str)).encode()
            for batch in sorted(self.batches, key=lambda batch: batch.setup.digest)
        )
        return hashlib.sha256(setups).hexdigest()[:6]

    def cells(self) -> Iterator[Cell]:
        """Yield all cells."""
        return (cell for batch in self.batches for cell in batch.cells())


def merged(batches: Iterable[CellBatch]) -> tuple[CellBatch, ...]:
    """Join batches of one setup, so that each cell is listed once."""
    groups: dict[bytes, list[CellBatch]] = {}
    for batch in batches:
        groups.setdefault(batch.setup.digest, []).append(batch)
    for digest, own in groups.items():
        if len(own) > 1:
            points = {point for batch in own for point in batch.points()}
            ordered = sorted(points, key=lambda point: (point[0] or 0, *point[1:]))
            groups[digest] = [CellBatch(own[0].setup, named=tuple(ordered))]
    return tuple(batch for (batch,) in groups.values())


def expansion_of(cells: Iterable[Cell]) -> Expansion:
    """Return some cells in batches of their setups."""
    points: dict[bytes, tuple[Setup, dict[Point, None]]] = {}
    for cell in cells:
        points.setdefault(cell.setup.digest, (cell.setup, {}))[1][cell.size, cell.sample, cell.seed] = None
    return Expansion(tuple(CellBatch(setup, named=tuple(named)) for setup, named in points.values()))
