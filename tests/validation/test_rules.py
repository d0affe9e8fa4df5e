"""The list of rules: complete, in plain sentences, and on the page of the documentation."""

import re
from collections import Counter
from pathlib import Path

import pytest

from treegauge.validation.problems import BY_ID, RULES

DOCS = Path(__file__).parents[2] / "docs"


def test_numbers_of_rules_by_level():
    # The specification counts 24, 57, 50, 10 and 2; three of these can never fail on a file.
    assert Counter(rule.level for rule in RULES) == {0: 28, 1: 22, 2: 56, 3: 50, 4: 10, 5: 2}
    assert len(BY_ID) == len(RULES)
    warnings = Counter(rule.level for rule in RULES if rule.severity == "warning")
    assert warnings == {0: 8, 2: 4, 3: 6, 4: 1}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_speaks_plainly(rule):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id)
    assert re.match(r"[^.]", rule.expected[-1:])  # it ends a clause, not a sentence
    assert rule.hint[0].isupper()
    assert rule.hint.endswith(".")
    assert "http" not in rule.hint + rule.expected
    assert "\n" not in rule.hint + rule.expected


def test_the_page_lists_them_all():
    from tools.docs import validation_tests as page

    written = (DOCS / "validation_tests.md").read_text("utf-8")
    text, files = page.tables.moved(page.text(), page.TARGET)
    assert text == written, "python -m tools.docs.validation_tests writes it again"
    assert {name: (page.tables.HOME / f"{name}.csv").read_text("utf-8") for name in files} == files
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", page.tables.shown(written), re.M) == [rule.id for rule in RULES]
