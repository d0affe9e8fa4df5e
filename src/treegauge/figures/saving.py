"""Figures as files: Vega-Lite JSON, and drawings and pages that need no browser and no network.

Drawings are made by `vl-convert`_, the one package that reads the dictionaries as they are; with
matplotlib every figure would have to be written a second time. It comes with the extra ``plot``.

.. _vl-convert: https://github.com/vega/vl-convert
"""

import json
import os
from collections.abc import Callable
from html import escape
from pathlib import Path
from types import ModuleType

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.files import atomic
from treegauge.figures.theme import Spec

#: The release of Vega-Lite that figures are written for; drawings do not change with the package.
VERSION = "5.20"
#: Pixels of a PNG for each unit of the figure: sharp on paper at the size of a column.
SCALE = 3.0


def to_json(spec: Spec) -> str:
    """Write a figure as Vega-Lite JSON, with all its data inside.

    Examples
    --------
    >>> print(to_json({"mark": "bar"}))
    {
     "mark": "bar"
    }
    """
    return json.dumps(spec, ensure_ascii=False, indent=1, allow_nan=False)


def to_svg(spec: Spec) -> str:
    """Draw a figure as SVG."""
    drawn: str = _converter().vegalite_to_svg(_plain(spec), VERSION, allowed_base_urls=[])
    return drawn


def to_png(spec: Spec) -> bytes:
    """Draw a figure as PNG, three pixels for each unit."""
    drawn: bytes = _converter().vegalite_to_png(
        _plain(spec), VERSION, scale=SCALE, allowed_base_urls=[]
    )
    return drawn


def to_pdf(spec: Spec) -> bytes:
    """Draw a figure as PDF, its fonts inside; the converter writes them in any order."""
    drawn: bytes = _converter().vegalite_to_pdf(_plain(spec), VERSION, allowed_base_urls=[])
    return drawn


def to_html(spec: Spec) -> str:
    """Put a drawing on a page of its own that loads nothing and runs nothing."""
    head = spec.get("title")
    title = head.get("text", "figure") if isinstance(head, dict) else str(head or "figure")
    paper = escape(str(spec.get("background", "#ffffff")))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(str(title))}</title>\n"
        f"<style>body {{ margin: 1rem; background: {paper}; }} "
        "svg { max-width: 100%; height: auto; }</style>\n</head>\n"
        f"<body>\n{to_svg(spec)}\n</body>\n</html>\n"
    )


_WRITERS: dict[str, Callable[[Spec], str | bytes]] = {
    ".json": lambda spec: f"{to_json(spec)}\n",
    ".svg": to_svg,
    ".png": to_png,
    ".pdf": to_pdf,
    ".html": to_html,
}


def save(spec: Spec, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file, atomically.

    Parameters
    ----------
    spec
        A Vega-Lite dictionary.
    path
        Its ending says what is written: ``.json`` (Vega-Lite), ``.svg``, ``.png``, ``.pdf`` or
        ``.html``. All but the first need the extra ``plot``.

    Examples
    --------
    >>> save({}, "figure.bmp")
    Traceback (most recent call last):
    ...
    treegauge.core.errors.ChoiceError: unknown kind of figure file 'figure.bmp'; choices: ...
    """
    write = _WRITERS.get(Path(path).suffix.lower())
    if write is None:
        raise ChoiceError("kind of figure file", Path(path).name, [f"*{end}" for end in _WRITERS])
    drawn = write(spec)
    with atomic(path) as file:
        file.write(drawn if isinstance(drawn, bytes) else drawn.encode())


def _plain(spec: Spec) -> Spec:
    """Refuse numbers that JSON cannot hold here, where they can still be named."""
    try:
        to_json(spec)
    except ValueError as error:
        raise TreegaugeError(f"cannot draw this figure: {error}") from error
    return spec


def _converter() -> ModuleType:
    try:
        import vl_convert
    except ImportError as error:
        raise TreegaugeError(
            "drawings need vl-convert: pip install 'treegauge[plot]'; without it figures are "
            "written as Vega-Lite (*.json)"
        ) from error
    module: ModuleType = vl_convert
    return module
