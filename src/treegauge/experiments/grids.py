"""Grids: every combination of treebanks, parsers, parameters, sizes, samples and seeds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from treegauge.results.errors import ChoiceError, TreegaugeError


@dataclass(frozen=True)
class ParserChoice:
    """A parser by name with options; a list stands for one parser for each of its values."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


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
    """Make a grid of cells.

    Parameters
    ----------
    task
        A built-in task, or ``module:function``.
    treebanks
        Folders, files or patterns such as ``"UD_*"``.
    parsers
        Names, or names with options: ``{"name": "beam", "options": {"beam": [1, 8]}}``. A list as
        an option's value stands for one parser for each of its members.
    sizes
        Numbers of train sentences, for tasks that sample.
    samples
        How many samplings, or which.
    seeds
        Seeds of the parser.
    parameters
        The task's own; a list stands for one cell for each of its members.

    Examples
    --------
    >>> grid("curve", "UD_*", parsers=["beam"], sizes=[50, 100], samples=3).samples
    (0, 1, 2)
    """
    if isinstance(samples, int) and not isinstance(samples, bool):
        if samples < 1:
            raise TreegaugeError(f"samples is {samples}; expected at least 1, or a list")
        samples = range(samples)
    return Grid(
        task,
        _texts("treebanks", [treebanks] if isinstance(treebanks, str) else treebanks),
        tuple(map(_choice, [parsers] if isinstance(parsers, str) else parsers)),
        _wholes("sizes", sizes, 1),
        _wholes("samples", samples, 0, needed=True),
        _wholes("seeds", seeds, 0, needed=True),
        dict(parameters or {}),
    )


def _choice(parser: str | ParserChoice | Mapping[str, Any]) -> ParserChoice:
    if isinstance(parser, ParserChoice):
        return parser
    if isinstance(parser, str):
        return ParserChoice(parser)
    if not isinstance(parser, Mapping):
        raise TreegaugeError(f"a parser is {parser!r}; expected a name, or name and options")
    for name in parser:
        if name not in {"name", "options"}:
            raise ChoiceError("key of a parser", name, ["name", "options"])
    if "name" not in parser:
        raise TreegaugeError(f"a parser has no name: {dict(parser)!r}; expected name and options")
    options = parser.get("options", {})
    if not isinstance(options, Mapping):
        raise TreegaugeError(f"options of a parser are {options!r}; expected names and values")
    return ParserChoice(parser["name"], dict(options))


def _listed(what: str, values: object, members: str) -> Sequence[Any]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise TreegaugeError(f"{what} is {values!r}; expected a list of {members}")
    return values


def _texts(what: str, values: object) -> tuple[str, ...]:
    for value in (listed := _listed(what, values, "texts")):
        if not isinstance(value, str):
            raise TreegaugeError(f"{what} has {value!r}; expected texts")
    return tuple(listed)


def _wholes(what: str, values: object, least: int, *, needed: bool = False) -> tuple[int, ...]:
    listed = _listed(what, values, "whole numbers")
    if needed and not listed:
        raise TreegaugeError(f"{what} is an empty list; expected at least one whole number")
    for value in listed:
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not (whole and least <= value < 1 << 63):  # what a ledger has room for
            raise TreegaugeError(
                f"{what} has {value!r}; expected whole numbers of at least {least} and below 2^63"
            )
    return tuple(sorted(set(listed)))


def products(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every combination of values that are lists.

    Examples
    --------
    >>> list(products({"beam": [1, 8], "epochs": 5}))
    [{'beam': 1, 'epochs': 5}, {'beam': 8, 'epochs': 5}]
    """
    lists = [value if isinstance(value, list | tuple) else [value] for value in values.values()]
    for name, value in zip(values, lists, strict=True):
        if not value:
            raise TreegaugeError(f"{name} is an empty list; expected at least one value")
    for combination in product(*lists):
        yield dict(zip(values, combination, strict=True))
