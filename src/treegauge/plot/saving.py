"""Figures as files."""

import json
import os
from pathlib import Path

from treegauge.errors import ChoiceError
from treegauge.files import atomic
from treegauge.plot.theme import Spec


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


def save(spec: Spec, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file that appears whole or not at all.

    Parameters
    ----------
    spec
        A Vega-Lite dictionary.
    path
        A name that ends in ``.json`` or ``.vl.json``.
    """
    if Path(path).suffix.lower() != ".json":
        raise ChoiceError("kind of figure file", Path(path).name, ["*.json (Vega-Lite)"])
    with atomic(path) as file:
        file.write(f"{to_json(spec)}\n".encode())
