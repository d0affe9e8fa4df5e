"""Verbs: functions that are also commands, with every parameter declared once.

A verb is an ordinary function with a numpydoc docstring. Parameters that several verbs share are
grouped in :class:`Settings`; :func:`verb` accepts their fields as plain keywords, and the command
line reads names, types, defaults and help from the same function.
"""

import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial, wraps
from textwrap import fill
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeVar, cast, get_type_hints, overload

from treegauge.core.arguments import SHARED, check_arguments
from treegauge.core.files import guarded_call

#: Options of every command that are not parameters of its verb.
_COMMAND_ONLY = ("format", "out", "plot")
_NONE: Mapping[str, Any] = MappingProxyType({})
Limits = Mapping[str, tuple[int, int]]
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Settings:
    """Base of frozen dataclasses whose fields are parameters of several verbs.

    A verb has such a parameter with a default instance; its callers pass the fields. The fields
    that name outputs, and the limits of those that are numbers, are declared here once for all
    verbs: see :func:`verb`.
    """

    outputs: ClassVar[Mapping[str, str]] = _NONE
    limits: ClassVar[Limits] = _NONE


class Verb(Protocol[R_co]):
    """A function with flat settings; its subverbs are attributes: ``tg.curve.advise``."""

    __name__: str
    command_name: str
    settings: Mapping[str, Settings]
    outputs: Mapping[str, str]
    limits: Limits
    spelled: Mapping[str, Sequence[str]]
    subverbs: "Mapping[str, Verb[Any]]"

    def __call__(self, *args: Any, **given: Any) -> R_co:
        """Call the verb."""

    def __getattr__(self, name: str) -> Any:
        """Return a subverb."""


@overload
def verb(function: Callable[..., R], /) -> Verb[R]: ...
@overload
def verb(
    *,
    outputs: Mapping[str, str] = ...,
    limits: Limits = ...,
    spelled: Mapping[str, Sequence[str]] = ...,
    subverbs: Mapping[str, Verb[Any]] = ...,
) -> Callable[[Callable[..., R]], Verb[R]]: ...
def verb(
    function: Callable[..., R] | None = None,
    /,
    *,
    outputs: Mapping[str, str] = _NONE,
    limits: Limits = _NONE,
    spelled: Mapping[str, Sequence[str]] = _NONE,
    subverbs: Mapping[str, Verb[Any]] = _NONE,
) -> Verb[R] | Callable[[Callable[..., R]], Verb[R]]:
    """Return a function that takes the fields of its settings as keywords.

    Parameters
    ----------
    function
        A function; every parameter whose default is a :class:`Settings` object is replaced by the
        fields of that object. The object itself may be given, too, by the parameter's name.
    outputs
        Parameters that name a file or folder to write, and its kind; empty if the ending of the
        name decides. Such a verb also takes ``force``. All other parameters name inputs, which
        are never overwritten.
    limits
        Smallest and largest value of whole numbers by parameter, where they differ from those of
        the shared words in :mod:`treegauge.core.arguments`.
    spelled
        Other spellings of words of the command line, such as former options, which still work:
        ``{"--baselines": ("--context", "baselines")}``, in Python ``baselines=True``.
    subverbs
        Verbs that become attributes: ``tg.rank.compare``.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Drawing(Settings):
    ...     width: int = 3
    >>> @verb(limits={"times": (1, 9)})
    ... def line(mark, *, times: int = 1, drawing: Drawing = Drawing()):
    ...     return mark * drawing.width * times
    >>> line("-"), line("=", width=5), line("+", drawing=Drawing(2))
    ('---', '=====', '++')
    >>> line("-", widht=5)
    Traceback (most recent call last):
    TypeError: line() has no parameter 'widht'; did you mean 'width'?
    >>> line("-", times=10)
    Traceback (most recent call last):
    treegauge.core.errors.TreegaugeError: times: expected a whole number of at most 9, found 10
    """
    if function is None:
        return partial(_verb, outputs=outputs, limits=limits, spelled=spelled, subverbs=subverbs)
    return _verb(function, outputs=outputs, limits=limits, spelled=spelled, subverbs=subverbs)


def _verb(
    function: Callable[..., R],
    *,
    outputs: Mapping[str, str],
    limits: Limits,
    spelled: Mapping[str, Sequence[str]],
    subverbs: Mapping[str, Verb[Any]],
) -> Verb[R]:
    plain = inspect.signature(function)
    groups = {
        name: parameter.default
        for name, parameter in plain.parameters.items()
        if isinstance(parameter.default, Settings)
    }
    homes = {field.name: group for group, value in groups.items() for field in fields(value)}  # type: ignore[arg-type]
    known = [*plain.parameters.keys() - groups.keys(), *homes]
    for group in groups.values():
        outputs, limits = {**group.outputs, **outputs}, {**group.limits, **limits}
    if unknown := (outputs.keys() | limits.keys()) - set(known):
        raise TypeError(f"{function.__name__}() has no parameter {min(unknown)!r} to declare")
    defaults: dict[str, Any] = {}
    former = {flag[2:]: words for flag, words in spelled.items() if len(words) == 2}

    @wraps(function)
    def call(*args: Any, **given: Any) -> R:
        for name in former.keys() & given.keys():
            option, value = former[name]
            given |= {option[2:]: value} if given.pop(name) else {}
        force = bool(given.pop("force", False)) if outputs else False
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
        check_arguments(named, defaults, limits)
        with guarded_call(outputs, named, force=force):
            return function(*args, **rest)

    flat = []
    for name, parameter in plain.parameters.items():
        if name not in groups:
            flat.append(parameter)
            continue
        flat += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=field.type,
                default=getattr(groups[name], field.name),
            )
            for field in fields(groups[name])  # type: ignore[arg-type]
        ]
    if outputs:
        kind = inspect.Parameter.KEYWORD_ONLY
        flat.append(inspect.Parameter("force", kind, annotation=bool, default=False))
    flat.sort(key=lambda parameter: parameter.kind)
    defaults |= {parameter.name: parameter.default for parameter in flat}
    if function.__doc__:
        call.__doc__ = complete_docstring(function.__doc__, groups.values(), map(_starred, flat))
    call.__signature__ = plain.replace(parameters=flat)  # type: ignore[attr-defined]
    call.command_name = function.__name__  # type: ignore[attr-defined]
    call.settings = groups  # type: ignore[attr-defined]
    call.outputs = outputs  # type: ignore[attr-defined]
    call.limits = limits  # type: ignore[attr-defined]
    call.spelled = spelled  # type: ignore[attr-defined]
    call.subverbs = subverbs  # type: ignore[attr-defined]
    for name, value in subverbs.items():
        value.command_name = f"{function.__name__} {name}"
        setattr(call, name, value)
    return cast("Verb[R]", call)


def _starred(parameter: inspect.Parameter) -> str:
    return f"*{parameter.name}" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else parameter.name


def command(verb: Verb[Any], *words: object, **options: object) -> str:
    """Return the command line of a call, quoted for a shell.

    `words` are arguments, `options` are parameters by name; None leaves an option out. Every verb
    also has ``format``, ``out`` and ``plot``. A call that the signature does not allow is an error.

    Examples
    --------
    >>> @verb
    ... def draw(source, *others, width: int, dark: bool = False, label: str = ""):
    ...     pass
    >>> command(draw, "my trees.conllu", "b", width=3, dark=True, format="json")
    "treegauge draw 'my trees.conllu' b --width 3 --dark --format json"
    >>> command(draw, "a", "b")
    Traceback (most recent call last):
    TypeError: treegauge draw: missing a required argument: 'width'
    """
    known = inspect.signature(verb).parameters
    given = {name: value for name, value in options.items() if value is not None}
    checked = {name: given[name] for name in given if name in known or name not in _COMMAND_ONLY}
    name = f"treegauge {verb.command_name}"
    try:
        bound = inspect.signature(verb).bind(*words, **checked)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    empty, several = inspect.Parameter.empty, inspect.Parameter.VAR_POSITIONAL
    variadic = any(parameter.kind is several for parameter in known.values())  # words before it are arguments, too
    for one in bound.arguments.keys() - checked.keys():
        if known[one].default is not empty and known[one].default != "" and not variadic:  # "": may be left out
            raise TypeError(f"{name}: {one!r} is an option; give it by name")
    first = next(iter(known.values()), None)
    bare = first is not None and first.default is not empty  # then further words are not needed either
    for one, parameter in known.items():
        if parameter.kind is several and one not in bound.arguments and not bare:
            raise TypeError(f"{name}: missing a required argument: {one!r}")
    parts = [name, *(shlex.quote(str(word)) for word in words)]
    for one, value in given.items():
        flag = one.replace("_", "-")
        if isinstance(value, bool):
            default = known[one].default if one in known else False
            parts += [] if value == default else [f"--{flag}" if value else f"--no-{flag}"]
        else:
            values = value if isinstance(value, list | tuple) else [value]
            parts += [f"--{flag} {shlex.quote(str(each))}" for each in values]
    return " ".join(parts)


def _named(plain: inspect.Signature, args: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all arguments of a call by parameter."""
    try:
        return {**plain.bind_partial(*args).arguments, **given}
    except TypeError:  # the call itself reports the error
        return dict(given)


class _AnyAttribute(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls


class _Anything(metaclass=_AnyAttribute):
    """A stand-in for names that only type checkers import."""


def _hints(owner: Any, module: str) -> dict[str, Any]:
    import builtins
    import sys

    names = vars(builtins) | vars(sys.modules[module]) | {"pl": _Anything}  # a frame is not loaded for help
    while True:
        try:
            return get_type_hints(owner, globalns={}, localns=names)
        except NameError as error:  # Python 3.14 copies the names, so a dictionary cannot make them up
            if not error.name or error.name in names:
                raise
            names[error.name] = _Anything


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
    return {name: " ".join(body.split()).replace("``", "") for name, body in _entries(docstring).items()}


_SECTION = re.compile(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w[^\n]*\n---|\Z)", re.M | re.S)
_ENTRY = re.compile(r"^(\S[^\n]*)\n((?:[ ]+[^\n]+\n?|\n)+)", re.M)


def _entries(docstring: str | None) -> dict[str, str]:
    """Return the entries of the Parameters or Attributes section by name, indented as they are."""
    entries: dict[str, str] = {}
    for section in _SECTION.finditer(inspect.cleandoc(docstring or "")):
        for names, body in _ENTRY.findall(section[1]):
            entries |= {name.strip(): body.rstrip() for name in names.replace("*", "").split(",")}
    return entries


def complete_docstring(docstring: str | None, groups: Iterable[Settings], names: Iterable[str]) -> str:
    """Return a verb's docstring with every parameter, also those of its settings, in order.

    `groups` are its settings, whose fields are described in their classes; `names` has a star before a
    parameter that takes several values.
    """
    text = inspect.cleandoc(docstring or "")
    entries = {name: fill(text, 96, initial_indent="    ", subsequent_indent="    ") for name, text in SHARED.items()}
    for group in groups:
        for base in reversed(type(group).__mro__[:-1]):
            entries |= _entries(base.__doc__)
    entries |= _entries(docstring)
    shown = [f"{name}\n{entries[name.strip('*')]}" for name in names if name.strip("*") in entries]
    section = "\n".join(["Parameters", "----------", *shown])
    own = _SECTION.search(text)
    start, end = own.span() if own else (len(text), len(text))
    if own is None and (first := re.search(r"^\w[^\n]*\n---", text, re.M)):
        start = end = first.start()
    return f"{text[:start].rstrip()}\n\n{section}\n\n{text[end:]}".rstrip() + "\n"


def verb_parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return all parameters of a verb, with their types as objects.

    Examples
    --------
    >>> def double(x: "int" = 1):
    ...     pass
    >>> verb_parameters(double)["x"].annotation
    <class 'int'>
    """
    inner = inspect.unwrap(function)
    hints = {"force": bool} | _hints(inner, inner.__module__)
    for value in getattr(function, "settings", {}).values():
        hints |= _hints(type(value), type(value).__module__)
    given = inspect.signature(function).parameters
    return {name: parameter.replace(annotation=hints.get(name, Any)) for name, parameter in given.items()}


def verb_help(function: Callable[..., Any]) -> dict[str, str]:
    """Return what the docstrings of a verb and of its settings say of each parameter.

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
    >>> verb_help(double)["x"]
    'The number.'
    """
    said = dict(SHARED)
    for value in getattr(function, "settings", {}).values():
        for base in reversed(type(value).__mro__[:-1]):
            said |= parameter_help(base.__doc__)
    return said | parameter_help(inspect.unwrap(function).__doc__)
