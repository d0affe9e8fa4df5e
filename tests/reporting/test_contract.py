"""The data of pages are what the schema says, no more and no less."""

from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from tests.reporting.browsing import page_data
from treegauge.reporting.figures.contract import PAGE_DATA, ScoresData


def faults(value: Any, kind: Any, at: str) -> list[str]:
    """Return where data differ from a type."""
    if kind is Any:
        return []
    if is_typeddict(kind):
        if not isinstance(value, dict):
            return [f"{at}: expected {kind.__name__}"]
        hints = get_type_hints(kind)
        found = [f"{at}: lacks {name}" for name in kind.__required_keys__ - set(value)]
        found += [f"{at}: {name} is not in the schema" for name in set(value) - set(hints)]
        return found + [
            one for name in set(value) & set(hints) for one in faults(value[name], hints[name], f"{at}.{name}")
        ]
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        tries = [faults(value, part, at) for part in parts]
        return [] if any(not one for one in tries) else min(tries, key=len)
    if origin is list:
        if not isinstance(value, list):
            return [f"{at}: expected a list"]
        return [one for i, part in enumerate(value) for one in faults(part, parts[0], f"{at}[{i}]")]
    if origin is dict:
        if not isinstance(value, dict):
            return [f"{at}: expected an object"]
        return [one for key, part in value.items() for one in faults(part, parts[1], f"{at}.{key}")]
    if origin is tuple:
        return [] if isinstance(value, list) and len(value) == len(parts) else [f"{at}: a tuple"]
    if kind is float:
        return [] if isinstance(value, int | float) else [f"{at}: expected a number"]
    if kind in (None, NoneType):
        return [] if value is None else [f"{at}: expected null"]
    return [] if isinstance(value, kind) else [f"{at}: expected {kind.__name__}, found {value!r}"]


@pytest.mark.parametrize("made", ["small/page.html", "scored/page.html", "demo/index.html"])
def test_pages_keep_to_the_schema(made, request):
    name, _, file = made.partition("/")
    data = page_data((request.getfixturevalue(name) / file).read_text(encoding="utf-8"))
    assert set(data) <= set(PAGE_DATA)
    found = [one for key, value in data.items() for one in faults(value, PAGE_DATA[key], key)]
    assert found == [], "\n".join(found)


def test_the_check_finds_what_is_missing_extra_and_of_another_kind():
    found = faults({"treebanks": [{"treebank": 1}], "more": 0}, ScoresData, "scores")
    assert "scores: more is not in the schema" in found
    assert "scores.treebanks[0].treebank: expected str, found 1" in found
    assert "scores.treebanks[0]: lacks gold" in found
