"""The tests of UD validation: one :class:`Rule` per official test id, levels 1 to 5.

The kernels test the rules of levels 1 to 3; they identify a rule by its index in
:data:`RULES`; the tables themselves are in `rules_format`, `rules_content` and `rules_language`.
"""

from treegauge.validation.rule_types import Rule
from treegauge.validation.rules_content import CONTENT
from treegauge.validation.rules_format import BACKBONE, FORMAT
from treegauge.validation.rules_language import LANGUAGE

RULES: tuple[Rule, ...] = (*BACKBONE, *FORMAT, *CONTENT, *LANGUAGE)
BY_ID = {rule.id: rule for rule in RULES}
