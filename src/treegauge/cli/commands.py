"""From a verb to a command: options, help and defaults come from the function itself."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from treegauge.cli.defaulting import defaulting
from treegauge.cli.output import FORMATS, check_out, emit
from treegauge.cli.progress import showing
from treegauge.cli.verbs import Command
from treegauge.core.files import check_overwriting
from treegauge.core.result import Result
from treegauge.core.verbs import Verb, VerbParameter, verb_parameters

FORMAT: Any = Annotated[
    StrEnum("Format", {word: word for word in FORMATS}),
    typer.Option("--format", help="How to print."),
]
OUT = Annotated[Path | None, typer.Option("--out", "-o", help="Write the result to this file.")]
PLOT = Annotated[
    Path | None,
    typer.Option(help="Write a figure to this file: .svg .png .pdf .html .json (Vega-Lite)."),
]
#: What the verb itself is called among its subverbs.
DEFAULT = "show"
#: Parameters of Python that a command line cannot give.
OBJECTS = frozenset({"progress", "say"})


def command_of(name: str, command: Command) -> Any:
    """Return the command of a verb, or the group of it and its subverbs."""
    function = getattr(import_module("treegauge"), name)
    single = typer.Typer(add_completion=False)
    if not command.subverbs:
        single.command(name)(make_command(function, command))
        return typer.main.get_command(single)
    single = typer.Typer(
        cls=defaulting(DEFAULT), add_completion=False, no_args_is_help=True,
        help=f"{command.help} `{name} ...` means `{name} {DEFAULT} ...`.",
    )  # fmt: skip
    single.command(DEFAULT)(make_command(function, command))
    for sub, one in command.subverbs.items():
        single.command(sub)(make_command(getattr(function, sub), one))
    return typer.main.get_command(single)


def make_command(function: Verb[Any], command: Command) -> Callable[..., None]:
    """Return a function of the command line that calls a verb and prints its result."""
    known = {
        key: one
        for key, one in verb_parameters(function).items()
        if key not in OBJECTS and one.kind is not inspect.Parameter.VAR_KEYWORD
    }
    own_out = "out" in known

    def run(**given: Any) -> None:
        fmt = str(given.pop("fmt"))
        out = None if own_out else given.pop("out", None)
        figure = given.pop("plot", None)
        args: list[Any] = []
        words = {key: _value(known[key], value) for key, value in given.items()}
        inputs = [one for value in words.values()
                  for one in (value if isinstance(value, list | tuple) else [value])]  # fmt: skip
        for target in (out, figure):
            check_overwriting(target, inputs)
        for key, one in known.items():
            if one.kind is inspect.Parameter.VAR_POSITIONAL:
                args = [*(words.pop(k) for k in list(words) if k in _before(known, key)),
                        *(words.pop(key) or ())]  # fmt: skip
        check_out(out, fmt)
        with showing():
            result = function(*args, **words)
        if figure is not None:
            from treegauge.figures.drawing import draw

            draw(result, figure)
        emit(result, fmt, out)
        if isinstance(result, Result) and result.exit_code:
            raise typer.Exit(result.exit_code)

    variadic = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in known.values())
    parameters = [_parameter(one, command, variadic) for one in known.values()]
    keyword = inspect.Parameter.KEYWORD_ONLY
    if command.plot:
        parameters.append(inspect.Parameter("plot", keyword, annotation=PLOT, default=None))
    parameters.append(inspect.Parameter("fmt", keyword, annotation=FORMAT, default="text"))
    if not own_out:
        parameters.append(inspect.Parameter("out", keyword, annotation=OUT, default=None))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__name__ = function.__name__
    run.__doc__ = _summary(inspect.unwrap(function).__doc__)
    run.verb = function  # type: ignore[attr-defined]
    return run


def _before(known: Mapping[str, VerbParameter], key: str) -> set[str]:
    names = list(known)
    return set(names[: names.index(key)])


def _summary(docstring: str | None) -> str:
    """Return what a docstring says before its first section."""
    text = inspect.cleandoc(docstring or "")
    plain = text.partition("\nParameters\n---")[0].replace("``", "`").strip()
    return re.sub(r"(?<!\n)\n(?!\n)", " ", plain)  # help breaks lines itself


def _members(annotation: Any) -> list[Any]:
    """Return the kinds of values of an annotation, unions taken apart."""
    if get_origin(annotation) in {Union, UnionType}:
        return [one for part in get_args(annotation) for one in _members(part)]
    return [annotation]


def _is_list(annotation: Any) -> bool:
    origin = get_origin(annotation) or annotation
    return (
        isinstance(origin, type)
        and issubclass(origin, Sequence | Mapping | set)
        and (origin not in {str, bytes})
    )


def _element(annotation: Any) -> list[Any]:
    if issubclass(get_origin(annotation) or annotation, Mapping):
        return [str]
    return _members((get_args(annotation) or (str,))[0])


def _type(one: VerbParameter) -> tuple[Any, bool]:
    """Return the kind of values a parameter takes on the command line, and whether several."""
    kinds = [kind for kind in _members(one.annotation) if kind is not NoneType]
    lists = [
        kind for kind in kinds
        # An object given by name: the mapping is for Python.
        if _is_list(kind) and not (str in kinds and issubclass(get_origin(kind) or kind, Mapping))
    ]  # fmt: skip
    several = bool(lists) or one.kind is inspect.Parameter.VAR_POSITIONAL
    if lists:
        kinds = [part for kind in lists for part in _element(kind)]
    choices = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    if choices and str not in kinds:
        return StrEnum("Choices", {str(word): str(word) for word in choices}), several
    # A text can say anything; a bool is an int as well.
    return next((kind for kind in (bool, str, float, int) if kind in kinds), str), several


def _parameter(one: VerbParameter, command: Command, variadic: bool) -> inspect.Parameter:
    short, metavar = command.short.get(one.name), command.metavar.get(one.name)
    short = "-o" if one.name == "out" else short
    plain, several = _type(one)
    last = one.kind is inspect.Parameter.VAR_POSITIONAL
    if variadic and one.name in command.arguments and not last:
        several = False  # all further words belong to the last argument
    required = one.default is inspect.Parameter.empty
    more: dict[str, Any] = {"help": one.help} | ({"metavar": metavar} if metavar else {})
    typed: Any = list.__class_getitem__(plain) if several else plain
    if not required and (several or one.default is None):
        typed = typed | None
    default = None if several else one.default
    if several and not required and one.default:
        words = [one.default] if isinstance(one.default, str) else one.default
        more["show_default"] = ", ".join(map(str, words))
    if last or required:
        default = inspect.Parameter.empty
    if one.name in command.arguments or last:
        more.setdefault("metavar", one.name.upper())
        typed = Annotated[typed, typer.Argument(**more)]
    else:
        flag = f"--{one.name.replace('_', '-')}"
        both = plain is bool and one.default is not False
        names = [f"{flag}/--no-{flag[2:]}" if both else flag, *([short] if short else [])]
        typed = Annotated[typed, typer.Option(*names, **more)]
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, annotation=typed, default=default
    )


def _value(one: VerbParameter, value: Any) -> Any:
    """Return a value as the function takes it: nothing given means the default."""
    empty = value is None or (isinstance(value, list | tuple) and not value)
    if empty and one.default is not inspect.Parameter.empty:
        return one.default
    if isinstance(value, list):
        return [str(word) if isinstance(word, StrEnum) else word for word in value]
    return str(value) if isinstance(value, StrEnum) else value
