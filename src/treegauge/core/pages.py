"""Web pages that verbs of lower rooms write: they are made by the room of the page, by name."""

from importlib import import_module
from typing import Any

#: The function that makes each kind of page; its module is loaded when a page is asked for.
MAKERS = {"candidates": ("treegauge.reporting.candidates", "candidates_page")}


def make_page(kind: str, *contents: Any) -> str:
    """Return the HTML of a page of this kind.

    Lower rooms must not know the room of the page, and readers must not see two styles: both hold
    if the maker is looked up here.
    """
    module, name = MAKERS[kind]
    return str(getattr(import_module(module), name)(*contents))
