"""Web pages for verbs of lower rooms, made by the reporting room and looked up by name."""

from importlib import import_module
from typing import Any

#: The function that makes each kind of page; its module is loaded on first use.
MAKERS = {"candidates": ("treegauge.reporting.sections.candidates", "candidates_page")}


def make_page(kind: str, *contents: Any) -> str:
    """Return the HTML of a page of this kind.

    Lower rooms must not import the reporting room, but all pages should have one style; so the
    function is looked up here.
    """
    module, name = MAKERS[kind]
    return str(getattr(import_module(module), name)(*contents))
