"""Plans: grids of cells, and their expansion on existing treebanks."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.experiments.cells import CellBatch, Expansion, Setup, merged
from treegauge.experiments.grid import available_sentences, batches_of
from treegauge.experiments.tasks import Task, find_task, inventory, parser_files, treebank_files
from treegauge.treebanks.sources.files import Source
from treegauge.treebanks.sources.resolver import resolve_treebanks

if TYPE_CHECKING:
    from treegauge.experiments.ledger import Ledger
    from treegauge.treebanks.data.columns import Treebank


MOST_SAMPLES = 1_000_000
"""The largest number of samples of a grid; the largest ledgers have about this many cells."""


@dataclass(frozen=True)
class ParserChoice:
    """A parser by name with options; a list of values means one parser per value.

    For a parser with all options, also their defaults, and hashes of files that it depends on.
    """

    name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    usual: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Grid:
    """Every combination of treebanks, parsers, parameters, sizes, samples and seeds."""

    task: str
    treebanks: tuple[str, ...]
    parsers: tuple[ParserChoice, ...] = ()
    sizes: tuple[int, ...] = ()
    samples: tuple[int, ...] = (0,)
    seeds: tuple[int, ...] = (0,)
    parameters: Mapping[str, Any] = field(default_factory=dict)


def grid(
    task: str,
    treebanks: str | Sequence[str],
    *,
    parsers: str | Sequence[str | ParserChoice | Mapping[str, Any]] = (),
    sizes: Sequence[int] = (),
    samples: int | Sequence[int] = 1,
    seeds: Sequence[int] = (0,),
    parameters: Mapping[str, Any] | None = None,
) -> Grid:
    """Return a grid of cells.

    Parameters
    ----------
    task
        A built-in task, one of a plug-in, or ``module:function``.
    treebanks
        Folders, files, patterns such as ``"UD_*"``, or names and codes under ``TREEGAUGE_UD``.
    parsers
        Names, or names with options: ``{"name": "beam", "options": {"beam": [1, 8]}}``. A list as
        an option's value means one parser per item. ``"preset": "panparser"`` starts from the
        options of a publication.
    sizes
        Numbers of training sentences, for tasks that sample.
    samples
        Number of samples, or a list of them. Where all training sentences are used, the seed varies
        instead.
    seeds
        Seeds of the parser.
    parameters
        Parameters of the task; a list means one cell per item.

    Examples
    --------
    >>> grid("curve", "UD_*", parsers=["beam"], sizes=[50, 100], samples=3).samples
    (0, 1, 2)
    """
    if isinstance(samples, int) and not isinstance(samples, bool):
        if not 1 <= samples <= MOST_SAMPLES:
            raise TreegaugeError(f"samples is {samples}; expected a number from 1 to {MOST_SAMPLES:,}, or a list")
        samples = range(samples)
    names = [treebanks] if isinstance(treebanks, str) else treebanks
    if wrong := [name for name in _listed("treebanks", names, "texts") if not isinstance(name, str)]:
        raise TreegaugeError(f"treebanks has {wrong[0]!r}; expected texts")
    return Grid(
        task,
        tuple(names),
        tuple(map(_parser_choice, [parsers] if isinstance(parsers, str) else parsers)),
        _numbers("sizes", sizes, 1),
        _numbers("samples", samples, 0, needed=True),
        _numbers("seeds", seeds, 0, needed=True),
        dict(parameters or {}),
    )


def _parser_choice(parser: str | ParserChoice | Mapping[str, Any]) -> ParserChoice:
    if isinstance(parser, ParserChoice):
        return parser
    if isinstance(parser, str):
        return ParserChoice(parser)
    if not isinstance(parser, Mapping):
        raise TreegaugeError(f"a parser is {parser!r}; expected a name, or name and options")
    for key in parser:
        if key not in {"name", "options", "preset"}:
            raise ChoiceError("key of a parser", key, ["name", "options", "preset"])
    if "name" not in parser:
        raise TreegaugeError(f"a parser has no name: {dict(parser)!r}; expected name and options")
    options = parser.get("options", {})
    if not isinstance(options, Mapping):
        raise TreegaugeError(f"options of a parser are {options!r}; expected names and values")
    from treegauge.parsing.options import preset_options

    return ParserChoice(parser["name"], dict(preset_options(parser["name"], parser.get("preset"), options)))


def _listed(what: str, values: object, members: str) -> Sequence[Any]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise TreegaugeError(f"{what} is {values!r}; expected a list of {members}")
    return values


def _numbers(what: str, values: object, least: int, *, needed: bool = False) -> tuple[int, ...]:
    numbers = _listed(what, values, "whole numbers")
    if needed and not numbers:
        raise TreegaugeError(f"{what} is an empty list; expected at least one whole number")
    for number in numbers:
        is_whole = isinstance(number, int) and not isinstance(number, bool)
        if not (is_whole and least <= number < 1 << 63):  # the largest number that a ledger can store
            raise TreegaugeError(f"{what} has {number!r}; expected whole numbers of at least {least} and below 2^63")
    return tuple(sorted(set(numbers)))


def _combinations(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every combination of values that are lists.

    Examples
    --------
    >>> list(_combinations({"beam": [1, 8], "epochs": 5}))
    [{'beam': 1, 'epochs': 5}, {'beam': 8, 'epochs': 5}]
    """
    lists = [value if isinstance(value, list | tuple) else [value] for value in values.values()]
    for name, value in zip(values, lists, strict=True):
        if not value:
            raise TreegaugeError(f"{name} is an empty list; expected at least one value")
    for combination in product(*lists):
        yield dict(zip(values, combination, strict=True))


@dataclass(frozen=True)
class Plan:
    """Grids under a name; `root` is the folder of the treebanks."""

    grids: tuple[Grid, ...]
    name: str = "plan"
    root: str | None = None

    def expand(self, root: Source | None = None) -> Expansion:
        """Return the cells of the plan on the treebanks that exist.

        Treebanks are in `root`, else the plan's own root, else where all verbs look for them:
        see :mod:`treegauge.treebanks.sources.resolver`. Cells that ask for more sentences than a
        treebank has, or for a split that it lacks, are left out with the reason.
        """
        refused: dict[str, int] = {}
        batches = [b for cells in self.grids for b in _batches(cells, root or self.root, refused)]
        return Expansion(merged(batches), tuple(refused), sum(refused.values()))


def _batches(cells: Grid, root: Source | None, refused: dict[str, int]) -> Iterator[CellBatch]:
    task = find_task(cells.task)
    own = ":" in cells.task
    for wanted, given, needs, takes in (
        (task.parser, cells.parsers, "parsers, such as parsers = ['beam']", "parser"),
        (task.sized, cells.sizes, "sizes, such as sizes = [50, 100, 200]", "sizes: it does not sample training sets"),
    ):
        if wanted is not None and wanted != bool(given):
            what = f"needs {needs}" if wanted else f"takes no {takes}"
            raise TreegaugeError(f"task {cells.task} {what}")
    if own:
        task.function()  # a task that cannot be imported is an error before the first cell
    parsers = [full for choice in cells.parsers for full in _full_parsers(choice, own, curve=bool(cells.sizes))]
    parsers = parsers or [ParserChoice()]
    parameters = [task.complete(values) for values in _combinations(cells.parameters)]
    draws = len(cells.samples) * len(cells.seeds)
    for path in treebank_paths(cells.treebanks, root):
        stock = inventory(path)
        if lacking := [split for split in task.parts if not stock.sentences.get(split)]:
            sets = [f"no {'training' if split == 'train' else split} set" for split in lacking]
            reason = f"{Path(path).name} has {' and '.join(sets)}"
            count = max(1, len(cells.sizes)) * draws * len(parsers) * len(parameters)
            refused[reason] = refused.get(reason, 0) + count
            continue
        for parser, extra in product(parsers, parameters):
            there = stock.sentences.get("train", 0)
            available = available_sentences(stock.sentences, extra)
            large = [size for size in cells.sizes if size > available] if there else []
            if large:
                why = f" (train_limit={available})" if available < there else ""
                reason = (
                    f"{Path(path).name} has {available} training sentences{why}, too few for "
                    f"{'sizes' if len(large) > 1 else 'size'} {', '.join(map(str, large))}"
                )
                refused[reason] = refused.get(reason, 0) + len(large) * draws
            sizes = tuple(size for size in cells.sizes or (None,) if size not in large)
            if sizes:
                setup = _setup(task, path, parser, extra, root)
                samples = tuple(range(extra[task.samples])) if task.samples else cells.samples
                yield from batches_of(setup, sizes, samples, cells.seeds)


def make_setup(
    task: str,
    treebank: "str | os.PathLike[str] | Treebank | Mapping[str, Treebank]",
    parser: str = "",
    *,
    options: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Setup:
    """Return the setup of cells of one task, treebank and parser, checked, with all defaults.

    The treebank is a folder or file; or treebanks as objects, by split (``{"train": ...}``; further
    ones as ``"UD_X/train"``), called `name`. One object alone is the training set. The parser is
    empty if the task needs none.
    """
    chosen = find_task(task)
    extra = chosen.complete(parameters or {})
    full = ParserChoice()
    if parser:
        full = next(_full_parsers(ParserChoice(parser, options or {}), ":" in task))
    if isinstance(treebank, str | os.PathLike):
        return _setup(chosen, str(Path(treebank).absolute()), full, extra, Path(treebank).parent)
    inputs = {"train": treebank} if not isinstance(treebank, Mapping) else dict(treebank)
    return Setup(
        task, name or next(iter(inputs.values())).name, full.name, full.options, extra,
        {**{split: given.digest for split, given in inputs.items()}, **full.files}, full.usual,
        chosen.parameters or {}, {split: len(given) for split, given in inputs.items()},
        {split: given.n_words for split, given in inputs.items()}, inputs=inputs,
    )  # fmt: skip


def _setup(task: Task, path: str, parser: ParserChoice, extra: dict[str, Any], root: Source | None) -> Setup:
    """Return a setup of files; parameters that name treebanks become names and paths."""
    places = {}
    for parameter in task.treebanks:
        (further,) = treebank_paths([extra[parameter]], root)
        name = Path(further).name.partition(".conllu")[0]
        extra, places[name] = extra | {parameter: name}, further
    stock = inventory(path)
    return Setup(
        task.name, path, parser.name, parser.options, extra,
        {**treebank_files(path, places), **parser.files}, parser.usual, task.parameters or {},
        stock.sentences, stock.words, places,
    )  # fmt: skip


def _full_parsers(choice: ParserChoice, own_task: bool, *, curve: bool = False) -> Iterator[ParserChoice]:
    """Yield one parser per combination of options; users' tasks may have their own parsers.

    In a curve, options whose default depends on the number of sentences are the same at every size.
    """
    from treegauge.parsing.registry import find_parser, known_parsers

    for options in _combinations(choice.options):
        if own_task and choice.name not in known_parsers():
            yield ParserChoice(choice.name, options)
            continue
        entry = find_parser(choice.name)
        files = parser_files(choice.name, options)
        usual = asdict(entry.options())
        fixed = getattr(entry.options(**options), "of_curves", {}) if curve else {}
        full = {
            name: float(value) if isinstance(usual[name], float) else value  # 1 is 1.0
            for name, value in (usual | fixed | options).items()
        }
        yield ParserChoice(choice.name, full, usual, files)


def treebank_paths(words: Sequence[str], root: Source | None) -> list[str]:
    """Return the treebanks of paths, patterns, names and codes, without repeats, in order."""
    if not words:
        raise TreegaugeError("a grid has no treebanks; expected for example treebanks = ['UD_*']")
    return resolve_treebanks(words, root)


def absent_treebanks(
    plan: Plan, ledger: "Ledger", root: str | os.PathLike[str] | None = None
) -> list[tuple[int, str, str, int]]:
    """Return setups with finished cells of treebanks that a plan names and that are not there.

    For each, its number, the recorded path, the pattern that names it, and the number of its
    finished cells. A treebank that lacks a set of sentences that the task needs is not there; one
    whose files have changed is.
    """
    rows = ledger.ask(
        "SELECT id, task, parser, path, sum(done) FROM setups JOIN cells ON setup = id GROUP BY id HAVING sum(done)"
    )
    absent = []
    for grid in plan.grids:
        parsers = {parser.name for parser in grid.parsers} or {""}
        there = [
            Path(one).parts
            for one in treebank_paths(grid.treebanks, root or plan.root)
            if all(inventory(one).sentences.get(split) for split in find_task(grid.task).parts)
        ]
        for setup, task, parser, path, cells in rows:
            if task != grid.task or parser not in parsers:
                continue
            for pattern in grid.treebanks:
                tail = _tail(pattern, path)
                if tail and not any(parts[-len(tail) :] == tail for parts in there):
                    absent.append((setup, path, pattern, cells))
                    break
    return absent


def _tail(pattern: str, path: str) -> tuple[str, ...] | None:
    """Return the end of a path that matches a pattern of a plan, None if it does not match.

    The store may be of another machine, so only the end counts: of an absolute pattern the name.

    Examples
    --------
    >>> _tail("r2.9/UD_*", "/data/r2.9/UD_Greek-GDT"), _tail("r2.9/UD_*", "/data/r2.5/UD_Greek-GDT")
    (('r2.9', 'UD_Greek-GDT'), None)
    """
    place = Path(os.path.expandvars(pattern)).expanduser()
    wanted = [part.partition("@")[0] for part in place.parts if part not in {".", ".."}]
    wanted = wanted[-1:] if place.is_absolute() else wanted
    tail = Path(path).parts[-len(wanted) :] if wanted else ()
    matches = len(tail) == len(wanted) > 0 and all(map(fnmatchcase, tail, wanted))
    return tail if matches else None
