"""Figures of results: Vega-Lite specifications that notebooks show and files keep.

They are drawn in a room above (:mod:`treegauge.core.extensions`).
"""

from os import PathLike
from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.extensions import load_extension
from treegauge.core.files import guarding

DRAWN = (".pdf", ".png", ".svg")
"""File formats of figures that no table has."""


class Figure(dict[str, Any]):
    """A Vega-Lite specification with its data, which a notebook shows as a picture."""

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write the figure to a file atomically, in the format of its ending.

        Parameters
        ----------
        path
            ``.svg``, ``.png``, ``.pdf``, ``.html`` or ``.json`` (Vega-Lite). All but the last need
            the extra ``plot``.
        force
            Overwrite an existing file of another kind.
        """
        with guarding(force=force):
            load_extension("figures", "save")(self, path)

    def to_svg(self) -> str:
        """Return the picture as SVG; this needs the extra ``plot``."""
        return str(load_extension("figures", "to_svg")(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        try:
            picture: dict[str, Any] = {"image/svg+xml": self.to_svg()}
        except TreegaugeError:  # without vl-convert, notebooks draw the specification themselves
            picture = {"application/vnd.vegalite.v5+json": dict(self)}
        return {**picture, "text/plain": repr(self)}

    def __repr__(self) -> str:
        title = self.get("title", "")
        text = title.get("text", "") if isinstance(title, dict) else title
        return f"<figure {str(text)!r}: notebooks show it, .save('figure.svg') writes it>"
