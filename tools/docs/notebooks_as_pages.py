"""Notebooks as pages of the site, with what they showed when they were last run.

A notebook is a list of cells in JSON; as Markdown it needs no further package.
"""

import json
from html import escape
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[2] / "docs" / "notebooks"


def pages() -> dict[str, str]:
    """Return a page for each notebook; the notebook itself can be downloaded there."""
    return {f"notebooks/{path.stem}.md": as_markdown(path) for path in sorted(HOME.glob("*.ipynb"))}


def as_markdown(path: Path) -> str:
    """Return a notebook as Markdown."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = [_cell(cell) for cell in cells]
    title, parts[0] = parts[0].split("\n", 1)
    link = (
        f"[Download the notebook]({path.name}){{ .md-button download }}\n\n"
        f"Open it with `jupyter lab {path.name}`, or upload it to any notebook service; "
        "`pip install 'treegauge[plot]' jupyterlab` installs what it needs."
    )
    return "\n\n".join([title, link, *parts]) + "\n"


def _cell(cell: dict[str, Any]) -> str:
    source = _joined(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    shown = [_output(output) for output in cell.get("outputs", [])]
    return "\n\n".join([f"```python\n{source}\n```", *shown])


def _output(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            lines = [line for line in _joined(data[kind]).splitlines() if line.strip()]
            return '<div class="output">\n' + "\n".join(lines) + "\n</div>"
    if "image/png" in data:
        code = _joined(data["image/png"]).replace("\n", "")
        return f'<div class="output"><img alt="output" src="data:image/png;base64,{code}"></div>'
    text = _joined(output.get("text", data.get("text/plain", "")))
    return f'<div class="output"><pre>{escape(text)}</pre></div>'


def _joined(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)
