"""Options of parsers: frozen dataclasses whose values are checked and named in errors.

The option ``tags``, which several parsers share, is declared here.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from treegauge.core.arguments import MOST
from treegauge.core.errors import ChoiceError, TreegaugeError

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

T = TypeVar("T")

_MOST = {"threads": 1024, "beam": 10**4, "epochs": 10**5, "iterations": 10**5}
"""Largest values of options that parsers share, where an option names none."""


def option(
    default: Any, meaning: str, *, low: float | None = None, high: float | None = None,
    choices: Sequence[str] | None = None,
) -> Any:  # fmt: skip
    """Declare an option with its help text in ``treegauge train --list``; bounds are inclusive."""
    legal = {"meaning": meaning, "low": low, "high": high, "choices": choices}
    return field(default=default, metadata=legal)


@dataclass(frozen=True)
class ParserOptions:
    """Base of a parser's options; checks every value.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Mine(ParserOptions):
    ...     epochs: int = option(10, "passes over the data", low=1)
    >>> Mine(epochs=0)
    Traceback (most recent call last):
    ...
    treegauge.core.errors.TreegaugeError: option epochs is 0; expected a whole number ...
    """

    def __post_init__(self) -> None:
        for one in fields(self):
            _check(one.name, getattr(self, one.name), one.default, one.metadata)


def _check(name: str, value: Any, default: Any, legal: Mapping[str, Any]) -> None:
    if legal.get("choices") is not None:
        if value not in legal["choices"]:
            raise ChoiceError(f"value of option {name}", value, legal["choices"])
        return
    low, high = legal.get("low"), legal.get("high")
    kind = type(default)
    right = isinstance(value, bool) if kind is bool else not isinstance(value, bool)
    number = (int, float) if kind is float else kind
    inside = right and isinstance(value, number)
    if inside and kind in {int, float}:
        most = _MOST.get(name, MOST) if high is None and kind is int else high
        if low is None or value >= low:
            high = most  # if the value is too small, naming the lower limit is enough
        inside = (low is None or value >= low) and (most is None or value <= most)
        inside = inside and math.isfinite(value)
    if not inside:
        nouns = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
        bounds = " from " + f"{low:g} to {high:g}" if None not in {low, high} else ""
        if low is not None and high is None:
            bounds = f" of at least {low:g}"
        raise TreegaugeError(f"option {name} is {value!r}; expected {nouns[kind]}{bounds}")


def read_options(kind: type[T], given: Sequence[str] | Mapping[str, Any]) -> T:
    """Return options from words such as ``epochs=5`` (booleans: true, yes, 1), or a mapping."""
    return kind(**given_options(kind, given))


def given_options(kind: type[Any], given: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return only the options that are set by words such as ``epochs=5`` or a mapping, checked."""
    known = {one.name: one.default for one in fields(kind)}
    choices = [f"{name}={value}" for name, value in known.items()]
    values: dict[str, Any] = {}
    if isinstance(given, Mapping):
        for name in given:
            if name not in known:
                raise ChoiceError("option", name, choices)
        values = dict(given)
    else:
        for word in given:
            name, equals, text = word.partition("=")
            if name not in known or not equals:
                raise ChoiceError("option", word, choices)
            value = _read(name, text, known[name])
            if name in values and values[name] != value:
                raise TreegaugeError(f"option {name} was given twice: {values[name]!r} and {value!r}; give one")
            values[name] = value
    kind(**values)
    return values


def _read(name: str, text: str, default: Any) -> Any:
    if default is MISSING or isinstance(default, str):
        return text
    if isinstance(default, bool):
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() not in words:
            raise ChoiceError(f"value of option {name}", text, words)
        return words[text.lower()]
    try:
        return type(default)(text)
    except ValueError:
        raise TreegaugeError(f"option {name} is {text!r}; expected a value such as {default!r}") from None


TAGS = ("gold", "predicted", "mixed", "none")
"""The tags that a parser is trained on: the file's, a tagger's, either, or none."""


def tags_option() -> Any:
    """Declare the option ``tags`` of a parser."""
    return option("gold", "UPOS to learn from: the file's (gold), a tagger's (predicted, mixed), or none", choices=TAGS)


def lacks_tags(treebank: "Treebank") -> bool:
    """Return whether no word of a treebank has a UPOS tag."""
    return set(treebank.codes("upos").values) <= {"_"}


def no_tags_error(treebank: "Treebank") -> TreegaugeError:
    """Return the error for sentences without tags if a model needs them."""
    return TreegaugeError(
        f"{treebank.name} has no UPOS tags, but the parser learned from gold tags and the model "
        "has no tagger: train it with the option tags=predicted or tags=mixed, or tag the file "
        "with 'treegauge tag'"
    )
