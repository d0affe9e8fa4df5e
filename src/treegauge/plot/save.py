"""Figures to files."""

import json
from pathlib import Path

from treegauge.errors import ChoiceError
from treegauge.files import atomic
from treegauge.plot.theme import Spec


def save(spec: Spec, path: str | Path) -> None:
    """Write a figure as Vega-Lite JSON, which notebooks and vega's tools draw.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "figure.json"
    >>> save({"mark": "point"}, target)
    >>> json.loads(target.read_text())
    {'mark': 'point'}
    """
    if Path(path).suffix.lower() != ".json":
        raise ChoiceError("kind of figure file", Path(path).name, ["*.json (Vega-Lite)"])
    with atomic(path) as file:
        file.write(json.dumps(spec, ensure_ascii=False, allow_nan=False, indent=1).encode() + b"\n")
