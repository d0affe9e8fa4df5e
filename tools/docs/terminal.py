"""Draw the terminal of the README from commands on the first pages: `python -m tools.docs.terminal`.

What the drawing shows is what the page shows, and the tests run the commands of the page.
"""

import re
from html import escape
from pathlib import Path
from textwrap import wrap

HOME = Path(__file__).parents[2] / "docs"
OUT = HOME / "images" / "terminal.svg"
#: The page and how the commands begin that are drawn, in this order.
PAGE = HOME / "parser.md"
DRAWN = ("treegauge score gold.conllu mine=careful.conllu baseline=average.conllu --metric UAS,LAS", "treegauge show ")
COLUMNS = 108
"""Columns of the terminal; longer lines are wrapped."""
#: Pixels of a column, a line, the margin and the bar above.
COLUMN, LINE, MARGIN, BAR = 7.8, 16, 16, 30
PLAIN, QUIET, PROMPT, FAILED = "#24292f", "#6e7781", "#1a7f37", "#cf222e"


def shown(text: str) -> list[tuple[str, str]]:
    """Return the lines of the terminal with their colours: commands and what they print."""
    blocks = "".join(re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    parts = re.split(r"^\$ (.*)\n", blocks, flags=re.MULTILINE)
    printed = dict(zip(parts[1::2], parts[2::2], strict=True))
    lines: list[tuple[str, str]] = []
    for start in DRAWN:
        command = next(one for one in printed if one.startswith(start))
        for line in [f"$ {command}", *printed[command].rstrip().split("\n"), ""]:
            short = wrap(line, COLUMNS) if len(line) > COLUMNS else [line]
            lines += [(piece, colour(line)) for piece in short]
    return lines[:-1]


def svg(lines: list[tuple[str, str]]) -> str:
    """Draw lines as a terminal.

    Examples
    --------
    >>> drawing = svg([("$ treegauge check a.conllu", PROMPT), ("0 errors, 0 warnings", PLAIN)])
    >>> drawing.count("<text"), "treegauge check a.conllu" in drawing
    (2, True)
    """
    width = round(COLUMNS * COLUMN + 2 * MARGIN)
    height = BAR + LINE * len(lines) + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-size="13" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace">',
        "<title>treegauge in a terminal: two parsers compared, and a tree</title>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="#ffffff" stroke="#d0d7de"/>',
        f'<path d="M.5 {BAR}h{width - 1}" stroke="#d0d7de"/>',
    ]
    parts += [f'<circle cx="{18 + 18 * n}" cy="15" r="5" fill="#d0d7de"/>' for n in range(3)]
    for number, (line, ink) in enumerate(lines):
        if not line.strip():
            continue
        y = BAR + MARGIN + LINE * number + 13
        room = f'textLength="{len(line) * COLUMN:.1f}" lengthAdjust="spacingAndGlyphs"'
        weight = 600 if ink == PROMPT else 400
        parts.append(
            f'<text x="{MARGIN}" y="{y}" {room} fill="{ink}" font-weight="{weight}" '
            f'xml:space="preserve">{escape(line)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def colour(line: str) -> str:
    """Return the colour of a line: commands, rules and signatures differ from the rest."""
    if line.startswith("$ "):
        return PROMPT
    if re.match(r"[-\s]+$|treegauge:\d", line):
        return QUIET
    return FAILED if line.startswith("error") else PLAIN


def main() -> None:
    """Write the drawing."""
    OUT.write_text(svg(shown(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
