"""Our problems equal the official validator's: on invented cases, its own cases and treebanks."""

from tests.validation.cases import LEVEL_1, LEVEL_2, UNREACHABLE
from tests.validation.cases_content import LEVEL_3, LEVELS_4_AND_5
from treegauge.validation.rules import BY_ID


def test_every_test_that_a_file_can_fail_has_a_case():
    cases = {
        name for name in {**LEVEL_1, **LEVEL_2, **LEVEL_3, **LEVELS_4_AND_5} if ":" not in name
    }
    assert cases == set(BY_ID)
    assert len(cases) == 140
    assert len(cases | set(UNREACHABLE)) == 143
