"""Plans: grids, and what becomes of them on the treebanks that are there."""

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from treegauge.experiments.cells import CellBatch, Expansion, Setup, merged
from treegauge.experiments.grids import Grid, ParserChoice, grid, products
from treegauge.experiments.inventory import Inventory, inventory, parser_files, treebank_files
from treegauge.experiments.tasks import Task, find_task
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank

__all__ = ["CellBatch", "Expansion", "Grid", "Plan", "grid", "make_setup"]


@dataclass(frozen=True)
class Plan:
    """Grids under a name; `root` is where the treebanks' names begin."""

    grids: tuple[Grid, ...]
    name: str = "plan"
    root: str | None = None

    def expand(self, root: str | os.PathLike[str] | None = None) -> Expansion:
        """Look at the treebanks and list the cells.

        Parameters
        ----------
        root
            Where relative names of treebanks begin: instead of the plan's own root, else that
            folder, else the one named by TREEGAUGE_UD, else the current one.

        Returns
        -------
        Expansion
            Cells that ask for more sentences than there are, or for a part that is not there, are
            left out and named.
        """
        place = root or self.root or os.environ.get("TREEGAUGE_UD") or "."
        refused: dict[str, int] = {}
        batches = [b for one in self.grids for b in _batches(one, Path(place), refused)]
        return Expansion(merged(batches), tuple(refused), sum(refused.values()))


def _batches(one: Grid, root: Path, refused: dict[str, int]) -> Iterator[CellBatch]:
    task = find_task(one.task)
    sizes = _sizes(task, one)
    if task.parser is True and not one.parsers:
        raise TreegaugeError(f"task {one.task} needs parsers, such as parsers = ['beam']")
    if task.parser is False and one.parsers:
        raise TreegaugeError(f"task {one.task} takes no parser")
    if ":" in one.task:
        task.function()  # a name that cannot be imported is told before the first cell
    free = ":" in one.task
    parsers = [made for choice in one.parsers for made in _parsers(choice, free)] or [_Made()]
    parameters = [task.complete(values) for values in products(one.parameters)]
    for path in _treebanks(one.treebanks, root):
        stock = inventory(path)
        if lacking := [part for part in task.parts if not stock.sentences.get(part)]:
            reason = f"{Path(path).name} has no {' and no '.join(lacking)} part"
            count = max(1, len(sizes)) * len(one.samples) * len(one.seeds)
            refused[reason] = refused.get(reason, 0) + count * len(parsers) * len(parameters)
            continue
        for parser, extra in product(parsers, parameters):
            fitting = _fitting(
                path, sizes, extra, stock, refused, len(one.samples) * len(one.seeds)
            )
            if fitting:
                setup = _setup(task, path, parser, extra, root)
                yield CellBatch(setup, fitting, one.samples, one.seeds)


def make_setup(
    task: str,
    treebank: str | os.PathLike[str] | Treebank | Mapping[str, Treebank],
    parser: str = "",
    *,
    options: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Setup:
    """Return what cells of one task, treebank and parser share, checked and with all defaults.

    Parameters
    ----------
    task
        Name of a task.
    treebank
        A folder or file; or treebanks as objects, by split (``{"train": ...}``; further ones as
        ``"UD_X/train"``). One object alone is the training set.
    parser, options
        A parser by name and its options; empty where the task needs none.
    parameters
        Parameters of the task.
    name
        What treebanks given as objects are called.
    """
    chosen = find_task(task)
    extra = chosen.complete(parameters or {})
    made = next(_parsers(ParserChoice(parser, options or {}), ":" in task)) if parser else _Made()
    if isinstance(treebank, str | os.PathLike):
        return _setup(chosen, str(Path(treebank).absolute()), made, extra, Path(treebank).parent)
    inputs = {"train": treebank} if isinstance(treebank, Treebank) else dict(treebank)
    return Setup(
        task, name or next(iter(inputs.values())).name, made.name, made.options, extra,
        {**{split: given.digest for split, given in inputs.items()}, **made.files}, made.usual,
        chosen.parameters or {}, {split: len(given) for split, given in inputs.items()},
        {split: given.n_words for split, given in inputs.items()}, inputs=inputs,
    )  # fmt: skip


def _setup(task: Task, path: str, parser: "_Made", extra: dict[str, Any], root: Path) -> Setup:
    """Make a setup of files; parameters that name treebanks become names and places."""
    places = {}
    for parameter in task.treebanks:
        (further,) = _treebanks([extra[parameter]], root)
        name = Path(further).name.partition(".conllu")[0]
        extra, places[name] = extra | {parameter: name}, further
    stock = inventory(path)
    return Setup(
        task.name, path, parser.name, parser.options, extra,
        {**treebank_files(path, places), **parser.files}, parser.usual, task.parameters or {},
        stock.sentences, stock.words, places,
    )  # fmt: skip


def _sizes(task: Task, one: Grid) -> tuple[int | None, ...]:
    if task.sized is True and not one.sizes:
        raise TreegaugeError(f"task {one.task} needs sizes, such as sizes = [50, 100, 200]")
    if task.sized is False and one.sizes:
        raise TreegaugeError(
            f"task {one.task} takes no sizes: it trains on whole parts or not at all"
        )
    return one.sizes or (None,)


def _fitting(
    path: str, sizes: tuple[int | None, ...], extra: Mapping[str, Any], stock: Inventory,
    refused: dict[str, int], each: int,
) -> tuple[int | None, ...]:  # fmt: skip
    """Return the sizes that the train part has sentences for; name the others."""
    there = stock.sentences.get("train", 0)
    limit = extra.get("train_limit", there)
    available = min(there, limit) if isinstance(limit, int) else there
    large = [size for size in sizes if size is not None and size > available]
    if large and there:
        why = f" (train_limit={limit})" if available < there else ""
        reason = (
            f"{Path(path).name} has {available} train sentences{why}, too few for "
            f"{'sizes' if len(large) > 1 else 'size'} {', '.join(map(str, large))}"
        )
        refused[reason] = refused.get(reason, 0) + len(large) * each
        return tuple(size for size in sizes if size not in large)
    return sizes


@dataclass(frozen=True)
class _Made:
    """A parser with all its options, their defaults, and files that it depends on."""

    name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    usual: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


def _parsers(choice: ParserChoice, free: bool) -> Iterator[_Made]:
    """Yield a parser for each combination of options; tasks of users may have parsers of theirs."""
    from treegauge.parsers.registry import find_parser, known_parsers

    for options in products(choice.options):
        if free and choice.name not in known_parsers():
            yield _Made(choice.name, options)
            continue
        entry = find_parser(choice.name)
        files = parser_files(choice.name, options)
        usual = asdict(entry.options())
        full = {
            name: float(value) if isinstance(usual[name], float) else value  # 1 and 1.0 are one
            for name, value in (usual | options).items()
        }
        yield _Made(choice.name, full, usual, files)


def _treebanks(patterns: Sequence[str], root: Path) -> list[str]:
    """Return the treebanks behind names and patterns, each once, in order."""
    if not patterns:
        raise TreegaugeError("a grid has no treebanks; expected such as treebanks = ['UD_*']")
    found: dict[str, None] = {}
    for pattern in patterns:
        full = str(root / Path(os.path.expandvars(pattern)).expanduser())
        matches = sorted(glob.glob(full)) if glob.has_magic(full) else [full]  # noqa: PTH207
        there = [path for path in matches if Path(path).exists()]
        if not there:
            raise TreegaugeError(
                f"no treebank at {full}; name the folder that holds them with --root, in the plan "
                "(root = ...), or in the environment variable TREEGAUGE_UD"
            )
        found |= dict.fromkeys(str(Path(path).absolute()) for path in there)
    return list(found)
