"""The figure of each kind of result, and files of figures.

Files are Vega-Lite JSON, pictures, or pages that need no network. `vl-convert`_ draws the pictures
directly from Vega-Lite; with matplotlib every figure would have to be written a second time. It
comes with the extra ``plot``.

.. _vl-convert: https://github.com/vega/vl-convert
"""

import os
import re
from collections.abc import Callable
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from treegauge.core.errors import ChoiceError, TreegaugeError, one_line
from treegauge.core.files import atomic
from treegauge.core.result import Figure, Result
from treegauge.core.text_formats import json_text
from treegauge.reporting.figures.fitting import INCH, fitted
from treegauge.reporting.figures.theme import Spec

#: The function that draws each kind of result, as ``module.function`` in this package.
FIGURES: dict[str, str] = {
    "breakdown": "scores.class_heat",
    "breakdowns": "scores.class_heat",
    "bradley-terry": "ranking.confidence_sets",
    "calibration": "scores.calibration",
    "comparisons": "scores.forest",
    "confusion": "scores.confusion_heat",
    "complexity": "curves.scores_by_complexity",
    "curve": "curves.learning",
    "differences": "ranking.pair_heat",
    "equivalent": "curves.placed_scores",
    "improvement": "ranking.pair_heat",
    "measures": "treebanks.measured",
    "correlation": "analysis.correlation",
    "correlation matrix": "analysis.matrix",
    "regression": "analysis.predictions",
    "predictions": "analysis.predictions",
    "critical difference": "ranking.critical_differences",
    "exact ranks": "ranking.pair_matrix",
    "profiles": "ranking.profile_lines",
    "ranks": "ranking.ranks_figure",
    "score": "scores.score_intervals",
    "standings": "ranking.confidence_sets",
    "suite": "scores.suite",
    "difficulty": "treebanks.difficulty_figure",
    "map": "treebanks.data_maps",
    "mdl": "treebanks.code_lengths",
    "vinfo": "treebanks.pvi_densities",
}


def draw(
    result: Result, path: str | os.PathLike[str] | None = None, *, width: float | None = None, **how: Any
) -> Figure:
    """Draw the figure of a result, or of its featured part if that has a figure.

    It is written to `path`, if there is one: ``.svg``, ``.png``, ``.pdf``, ``.html`` or ``.json`` (Vega-Lite).
    With a `width` in inches, it fits a column of a paper: 3.3 or 6.8 in most styles.
    `how` are options of the function that draws it; ``dark=True`` draws light on dark.
    """
    if width is not None and not LEAST_WIDTH <= width <= MOST_WIDTH:
        raise TreegaugeError(f"width of a figure: expected {LEAST_WIDTH} to {MOST_WIDTH} inches, found {width:g}")
    part: Any = result
    if result.featured:
        featured: Any = result.attached[result.featured]
        first = featured if isinstance(featured, Result) else featured[0]
        part = first if first.kind in FIGURES else result
    if part.kind not in FIGURES:
        raise ChoiceError("kind of result with a figure", part.kind, FIGURES)
    module, _, name = FIGURES[part.kind].partition(".")
    function = getattr(import_module(f"treegauge.reporting.figures.{module}"), name)
    spec = Figure(function(part, **how))
    if width is not None:
        spec = Figure(fitted(spec, width, to_svg))
    if path is not None:
        save(spec, path)
    return spec


#: The version of Vega-Lite that figures use; pictures do not change with the package.
VERSION = "5.20"
#: Pixels of a PNG per unit of the figure: sharp in print at the width of a column.
SCALE = 3.0
#: Points of a PDF per unit of the figure: it is as wide as the SVG.
_POINTS = 72 / INCH
LEAST_WIDTH, MOST_WIDTH = 2, 40


def figure_json(spec: Spec) -> str:
    """Write a figure as Vega-Lite JSON, with all its data inside."""
    return json_text(spec, indent=1)


def _drawn(spec: Spec, kind: str, **how: float) -> Any:
    """Draw a figure; refuse numbers that JSON cannot represent, with a clear message."""
    try:
        import vl_convert
    except ImportError as error:
        raise TreegaugeError(
            "drawings need vl-convert: pip install 'treegauge[plot]'; without it figures are "
            "written as Vega-Lite (*.json)"
        ) from error
    try:
        figure_json(spec)
    except ValueError as error:
        raise TreegaugeError(f"cannot draw this figure: {error}") from error
    plain = _plain(spec)  # the converter ends the process at some control characters
    return getattr(vl_convert, f"vegalite_to_{kind}")(plain, VERSION, allowed_base_urls=[], **how)


def _plain(part: Any) -> Any:
    """Return a part of a figure with all texts, also names of fields, on one line."""
    if isinstance(part, dict):
        return {one_line(key): _plain(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_plain(value) for value in part]
    return one_line(part) if isinstance(part, str) else part


def to_svg(spec: Spec) -> str:
    """Draw a figure as SVG; the same figure gives the same bytes."""
    drawing = str(_drawn(spec, "svg"))
    # The converter numbers gradients across all figures it has drawn.
    names = dict.fromkeys(re.findall(r"\bgradient_\d+\b", drawing))
    places = {name: f"gradient_{place}" for place, name in enumerate(names)}
    return re.sub(r"\bgradient_\d+\b", lambda found: places[found[0]], drawing)


def to_png(spec: Spec) -> bytes:
    """Draw a figure as PNG, with three pixels per unit."""
    return bytes(_drawn(spec, "png", scale=SCALE))


def to_pdf(spec: Spec) -> bytes:
    """Draw a figure as PDF with embedded fonts; their order may differ between runs."""
    drawing = to_svg(spec)
    import vl_convert

    # The converter takes a unit for a point.
    smaller = re.sub(r' (width|height)="([\d.]+)"', _in_points, drawing, count=2)
    return bytes(vl_convert.svg_to_pdf(smaller))


def _in_points(size: re.Match[str]) -> str:
    return f' {size[1]}="{float(size[2]) * _POINTS:g}"'


def figure_page(spec: Spec) -> str:
    """Return an HTML page with the drawing, which loads nothing and runs no script."""
    head = spec.get("title")
    title = head.get("text", "figure") if isinstance(head, dict) else str(head or "figure")
    title = " ".join(title) if isinstance(title, list) else title
    paper = escape(str(spec.get("background", "#ffffff")))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(one_line(str(title)))}</title>\n"
        f"<style>body {{ margin: 1rem; background: {paper}; }} "
        "svg { max-width: 100%; height: auto; }</style>\n</head>\n"
        f"<body>\n{to_svg(spec)}\n</body>\n</html>\n"
    )


_WRITERS: dict[str, Callable[[Spec], str | bytes]] = {
    ".json": lambda spec: f"{figure_json(spec)}\n",
    ".svg": to_svg,
    ".png": to_png,
    ".pdf": to_pdf,
    ".html": figure_page,
}


def save(spec: Spec, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file, atomically.

    The file's ending decides the format: ``.json`` (Vega-Lite), ``.svg``, ``.png``, ``.pdf`` or
    ``.html``. All but the first need the extra ``plot``.
    """
    write = _WRITERS.get(Path(path).suffix.lower())
    if write is None:
        raise ChoiceError("kind of figure file", Path(path).name, [f"*{end}" for end in _WRITERS])
    drawn = write(spec)
    with atomic(path) as file:
        file.write(drawn if isinstance(drawn, bytes) else drawn.encode())
