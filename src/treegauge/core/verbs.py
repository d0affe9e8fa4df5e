"""Verbs: functions that are also commands, with every parameter declared once.

A verb is an ordinary function with a numpydoc docstring. Sets of parameters that several verbs
share are :class:`Settings`; :func:`verb` lets callers give their fields as plain keywords, and the
command line reads names, types, defaults and help from the same place.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any, NamedTuple, Protocol, TypeVar, cast, get_type_hints

from treegauge.core.arguments import check_arguments
from treegauge.core.outputs import OUTPUTS, guarded_call

FORCE = "Overwrite an existing file of another kind; an input is never overwritten."
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Settings:
    """Base of frozen dataclasses whose fields are parameters of several verbs.

    A verb takes one as a parameter with a default instance; its callers give the fields.
    """


class VerbParameter(NamedTuple):
    """One parameter of a verb, as Python and the command line both know it."""

    name: str
    annotation: Any
    default: Any
    kind: Any
    help: str


class Verb(Protocol[R_co]):
    """A function whose settings are flat; its subverbs are attributes: ``tg.curve.fit``."""

    __name__: str
    settings: Mapping[str, Settings]
    subverbs: "Mapping[str, Verb[Any]]"

    def __call__(self, *args: Any, **given: Any) -> R_co:
        """Do it."""

    def __getattr__(self, name: str) -> Any:
        """Return a subverb."""


def verb_with(**subverbs: "Verb[Any]") -> Callable[[Callable[..., R]], Verb[R]]:
    """Return what :func:`verb` does for a verb with subverbs, which become attributes of it."""

    def made(function: Callable[..., R]) -> Verb[R]:
        call = verb(function)
        call.subverbs = subverbs
        for name, value in subverbs.items():
            setattr(call, name, value)
        return call

    return made


def verb(function: Callable[..., R]) -> Verb[R]:
    """Return a function that takes the fields of its settings as keywords.

    Parameters
    ----------
    function
        A function; every parameter whose default is a :class:`Settings` object is replaced by the
        fields of that object. The object itself may be given, too, by the parameter's name.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Drawing(Settings):
    ...     width: int = 3
    >>> @verb
    ... def line(mark, *, drawing: Drawing = Drawing()):
    ...     return mark * drawing.width
    >>> line("-"), line("=", width=5), line("+", drawing=Drawing(2))
    ('---', '=====', '++')
    >>> line("-", widht=5)
    Traceback (most recent call last):
    TypeError: line() has no parameter 'widht'; did you mean 'width'?
    """
    plain = inspect.signature(function)
    groups = {
        name: parameter.default
        for name, parameter in plain.parameters.items()
        if isinstance(parameter.default, Settings)
    }
    homes = {one.name: group for group, value in groups.items() for one in fields(value)}  # type: ignore[arg-type]
    known = [*plain.parameters.keys() - groups.keys(), *homes]
    writes = not OUTPUTS.keys().isdisjoint(known)
    defaults: dict[str, Any] = {}

    @wraps(function)
    def call(*args: Any, **given: Any) -> R:
        force = bool(given.pop("force", False)) if writes else False
        chosen: dict[str, dict[str, Any]] = {group: {} for group in groups}
        rest: dict[str, Any] = {}
        for name, value in given.items():
            if name in homes:
                chosen[homes[name]][name] = value
            elif name in plain.parameters:
                rest[name] = value
            else:
                from difflib import get_close_matches

                near = get_close_matches(name, known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"{function.__name__}() has no parameter {name!r}{hint}")
        for group, default in groups.items():
            base = rest.get(group, default)
            rest[group] = type(base)(**(vars(base) | chosen[group])) if chosen[group] else base
        named = _named(plain, args, given)
        check_arguments(function.__name__, named, defaults)
        with guarded_call(function.__name__, named, force=force):
            return function(*args, **rest)

    flat = []
    for name, parameter in plain.parameters.items():
        if name not in groups:
            flat.append(parameter)
            continue
        flat += [
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=one.type,
                default=getattr(groups[name], one.name),
            )
            for one in fields(groups[name])  # type: ignore[arg-type]
        ]
    if writes:
        kind = inspect.Parameter.KEYWORD_ONLY
        flat.append(inspect.Parameter("force", kind, annotation=bool, default=False))
    flat.sort(key=lambda parameter: parameter.kind)
    defaults |= {parameter.name: parameter.default for parameter in flat}
    call.__signature__ = plain.replace(parameters=flat)  # type: ignore[attr-defined]
    call.settings = groups  # type: ignore[attr-defined]
    call.subverbs = {}  # type: ignore[attr-defined]
    return cast("Verb[R]", call)


def _named(
    plain: inspect.Signature, args: Sequence[Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return all arguments of a call by parameter."""
    try:
        return {**plain.bind_partial(*args).arguments, **given}
    except TypeError:  # the call itself says what is wrong with it
        return dict(given)


class _AnyAttribute(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls


class _Anything(metaclass=_AnyAttribute):
    """What only type checkers import, and whatever is in it, such as a frame."""


class _Names(dict[str, Any]):
    """Names for annotations; those that only type checkers import stand for anything."""

    def __missing__(self, name: str) -> Any:
        return _Anything


def _hints(owner: Any, module: str) -> dict[str, Any]:
    import builtins
    import sys

    names = _Names(vars(builtins) | vars(sys.modules[module]))
    return get_type_hints(owner, globalns={}, localns=names)


def parameter_help(docstring: str | None) -> dict[str, str]:
    """Return what the Parameters or Attributes section of a numpydoc docstring says of each name.

    Examples
    --------
    >>> parameter_help('''Do.
    ...
    ...     Parameters
    ...     ----------
    ...     a, b
    ...         Two
    ...         numbers.
    ...     ''')
    {'a': 'Two numbers.', 'b': 'Two numbers.'}
    """
    text = inspect.cleandoc(docstring or "")
    meanings: dict[str, str] = {}
    for section in re.finditer(
        r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w[^\n]*\n---|\Z)", text, re.M | re.S
    ):
        for names, body in re.findall(r"^(\S[^\n]*)\n((?:[ ]+[^\n]+\n?|\n)+)", section[1], re.M):
            meaning = " ".join(body.split()).replace("``", "")
            for name in names.replace("*", "").split(","):
                meanings[name.strip()] = meaning
    return meanings


def verb_parameters(function: Callable[..., Any]) -> dict[str, VerbParameter]:
    """Return all parameters of a verb with their types, defaults and help.

    Examples
    --------
    >>> def double(x: int = 1):
    ...     '''Double a number.
    ...
    ...     Parameters
    ...     ----------
    ...     x
    ...         The number.
    ...     '''
    >>> verb_parameters(double)["x"][1:3], verb_parameters(double)["x"].help
    ((<class 'int'>, 1), 'The number.')
    """
    inner = inspect.unwrap(function)
    hints, said = _hints(inner, inner.__module__), parameter_help(inner.__doc__)
    said, hints = {"force": FORCE} | said, {"force": bool} | hints
    groups: Mapping[str, Settings] = getattr(function, "settings", {})
    for value in groups.values():
        kind = type(value)
        for base in reversed(kind.__mro__[:-1]):
            said = said | parameter_help(base.__doc__)
        hints = hints | _hints(kind, kind.__module__)
    return {
        name: VerbParameter(name, hints.get(name, Any), one.default, one.kind, said.get(name, ""))
        for name, one in inspect.signature(function).parameters.items()
    }
