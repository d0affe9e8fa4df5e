"""The figure of a result: which one it is, and where it is saved."""

import os
from importlib import import_module
from typing import Any

from treegauge.figures.saving import save
from treegauge.results.errors import ChoiceError
from treegauge.results.result import Result

#: The function that draws a result of each kind, as ``module.function`` of this room.
FIGURES: dict[str, str] = {
    "measures": "treebanks.measured",
}


def draw(result: Result, path: str | os.PathLike[str] | None = None, **how: Any) -> dict[str, Any]:
    """Draw the figure of a result.

    Parameters
    ----------
    result
        What a verb returned.
    path
        Where to save the figure: ``.svg``, ``.png``, ``.pdf``, ``.html`` or ``.json`` (Vega-Lite).
    **how
        What the figure's own function takes.

    Returns
    -------
    dict
        The figure as a Vega-Lite specification, which notebooks draw.
    """
    if result.kind not in FIGURES:
        raise ChoiceError("kind of result with a figure", result.kind, FIGURES)
    module, _, name = FIGURES[result.kind].partition(".")
    spec: dict[str, Any] = getattr(import_module(f"treegauge.figures.{module}"), name)(
        result, **how
    )
    if path is not None:
        save(spec, path)
    return spec
