"""The option of parsers that says where their tags come from, and whether a treebank has tags."""

from typing import TYPE_CHECKING, Any

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.options import option

if TYPE_CHECKING:
    from treegauge.treebanks.columns import Treebank

TAGS = ("gold", "predicted", "mixed", "none")
"""The tags that a parser is trained on: the file's, a tagger's, either, or none."""


def tags_option() -> Any:
    """Declare the option ``tags`` of a parser."""
    return option(
        "gold", "UPOS to learn from: the file's (gold), a tagger's (predicted, mixed), or none",
        choices=TAGS,
    )  # fmt: skip


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
