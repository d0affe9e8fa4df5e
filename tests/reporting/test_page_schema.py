"""The data of pages are what the published schema says, no more and no less."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.reporting.browsing import page_data

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "page_schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def faults(data):
    return [f"{error.json_path}: {error.message[:300]}" for error in VALIDATOR.iter_errors(data)]


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("made", ["small/page.html", "scored/page.html", "demo/index.html"])
def test_pages_keep_to_the_schema(made, request):
    name, _, file = made.partition("/")
    data = page_data((request.getfixturevalue(name) / file).read_text(encoding="utf-8"))
    assert not faults(data), "\n".join(faults(data))


def test_the_check_finds_what_is_missing_extra_and_of_another_kind():
    found = "\n".join(faults({"scores": {"treebanks": [{"treebank": 1}], "more": 0}, "page2": {}}))
    assert "'page2' was unexpected" in found
    assert "'more' was unexpected" in found
    assert "$.scores.treebanks[0].treebank: 1 is not of type 'string'" in found
    assert "$.scores.treebanks[0]: 'gold' is a required property" in found
