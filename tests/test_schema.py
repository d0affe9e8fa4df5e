"""The published schema describes every kind of result; `tests.commands.invoke` validates what commands print."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import treegauge as tg
from tests.commands import schema_errors
from tools.schema import PATH, schema_text
from treegauge.testing.synthetic import synthetic

ROOT = Path(__file__).parents[1]
GOLD = synthetic(30, seed=1)


def test_the_schema_is_what_the_classes_are():
    assert PATH.read_text(encoding="utf-8") == schema_text(), "run `python -m tools.face`"


def test_the_schema_is_one_and_has_the_version_of_the_package():
    schema = json.loads(PATH.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["version"] == tg.__version__


def test_every_kind_of_result_is_described():
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    kinds = {kind for text in texts for kind in re.findall(r'^class [^:]*\bkind="(.*?)"', text, re.MULTILINE)}
    described = json.loads(PATH.read_text(encoding="utf-8"))["$defs"]["result"]["properties"]["kind"]["enum"]
    assert set(described) == kinds
    assert len(kinds) > 70


@pytest.mark.parametrize(
    "result",
    [
        lambda: tg.score(GOLD, {"a": GOLD, "b": GOLD}, resamples=20),
        lambda: tg.measure("mdd,ttr", GOLD),
        lambda: tg.rank("conll18", size=10, subsets=20),
        lambda: tg.rank.compare("conll18"),
        lambda: tg.certify("conll18", claim="TurkuNLP > Stanford"),
        lambda: tg.audit({"train": GOLD, "test": GOLD}, resamples=19),
        lambda: tg.analyse("ud25", "las"),
    ],
)
def test_results_are_valid(result):
    assert not schema_errors(json.loads(result().to_json()))


@pytest.mark.parametrize(
    "change",
    [
        lambda result: result.pop("signature"),
        lambda result: result.update(kind="scores"),
        lambda result: result.update(sentences="30"),
        lambda result: result.update(surprise=1),
        lambda result: result["comparisons"].pop("rows"),
    ],
)
def test_a_result_of_another_form_is_refused(change):
    result = json.loads(tg.score(GOLD, {"a": GOLD, "b": GOLD}, resamples=20).to_json())
    change(result)
    assert schema_errors(result)
