"""Write ``docs/validation_tests.md``: every test of UD validation in one sentence.

``python -m tools.docs.validation_tests`` writes the page from the rules in the package.
"""

from itertools import groupby
from pathlib import Path

from tools.docs import tables
from treegauge.validation.problems import RULES

TARGET = Path(__file__).parents[2] / "docs" / "validation_tests.md"
LEVELS = {
    0: "The repository",
    1: "CoNLL-U",
    2: "UD format",
    3: "Contents, all languages",
    4: "Labels of a language",
    5: "Contents, one language",
}
START = """# Tests of UD validation

All tests of [`treegauge check`](howto/check.md), by level, under their official names. Written from
the package by `python -m tools.docs.validation_tests`.

A test that fails as an *error* makes a treebank invalid; a *warning* does not. The class is what
official reports count problems by. What the levels mean, and when a sentence is not tested any
further: [UD validation](validation.md).
"""


def text() -> str:
    """Return the page."""
    parts = [START]
    for level, rules in groupby(RULES, key=lambda rule: rule.level):
        parts.append(f"## Level {level}: {LEVELS[level]}\n")
        parts.append("| test | class | severity | expected | what to do |\n|---|---|---|---|---|")
        for rule in rules:
            cells = (rule.test_class, rule.severity, rule.expected, rule.hint)
            row = " | ".join(cell.replace("|", "\\|").replace("_", "\\_") for cell in cells)
            parts.append(f"| `{rule.id}` | {row} |")
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    tables.write(TARGET, text())
