"""The figure of a result: which one it is, and where it is saved."""

import os
from importlib import import_module
from typing import Any

from treegauge.core.errors import ChoiceError
from treegauge.core.result import Result
from treegauge.figures.saving import save

#: The function that draws a result of each kind, as ``module.function`` of this room.
FIGURES: dict[str, str] = {
    "breakdown": "scores.class_heat",
    "breakdowns": "scores.class_heat",
    "complexity": "curves.complexity",
    "curve": "curves.learning",
    "equivalent": "curves.equivalents",
    "measures": "treebanks.measured",
    "correlation": "analysis.correlation",
    "normality": "analysis.normality",
    "correlation matrix": "analysis.matrix",
    "background": "analysis.background",
    "regression": "analysis.predictions",
    "predictions": "analysis.predictions",
    "binned correlation": "analysis.bins",
    "skew-normal curve": "analysis.shape",
    "critical difference": "ranking.critical_differences",
    "exact ranks": "ranking.pair_matrix",
    "ranks": "ranking.ranks_figure",
    "score": "scores.intervals",
    "suite": "scores.suite",
    "difficulty": "dynamics.difficulty",
    "map": "dynamics.data_maps",
    "mdl": "dynamics.code_lengths",
    "vinfo": "dynamics.pvi_densities",
}


def draw(result: Result, path: str | os.PathLike[str] | None = None, **how: Any) -> dict[str, Any]:
    """Draw the figure of a result; of one with a featured part that has a figure, of this part.

    Parameters
    ----------
    result
        The result of a verb.
    path
        Where to save the figure: ``.svg``, ``.png``, ``.pdf``, ``.html`` or ``.json`` (Vega-Lite).
    **how
        Options of the figure's own function; ``dark=True`` draws light on dark.

    Returns
    -------
    dict
        The figure as a Vega-Lite specification.
    """
    part: Any = result
    if result.featured:
        featured: Any = result.attached[result.featured]
        first = featured if isinstance(featured, Result) else featured[0]
        part = first if first.kind in FIGURES else result
    if part.kind not in FIGURES:
        raise ChoiceError("kind of result with a figure", part.kind, FIGURES)
    module, _, name = FIGURES[part.kind].partition(".")
    function = getattr(import_module(f"treegauge.figures.{module}"), name)
    spec: dict[str, Any] = function(part, **how)
    if path is not None:
        save(spec, path)
    return spec
