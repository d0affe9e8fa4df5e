"""Badges: the profile of a treebank in one line of SVG, for a README."""

from collections.abc import Sequence

from treegauge.auditing.profiles.profile import Profile, State
from treegauge.treebanks.drawing.svg import number, text_width, xml

_COLOURS: dict[State, str] = {"good": "#1a7f37", "fair": "#8a5a00", "poor": "#b3261e", "plain": "#4a5560"}
_NAME = "#24292f"
_WORDS: dict[State, str] = {"good": "good", "fair": "fair", "poor": "poor", "plain": ""}
_SIZE, _HEIGHT, _PADDING, _GAP = 11, 20, 7, 4


def badges(profiles: Sequence[Profile]) -> str:
    """Return one badge per treebank, one below the other, as one SVG image.

    White text has a contrast of at least 4.5 with each colour; the badge's title has the meaning of
    the colours. Nothing is loaded from other sites.
    """
    drawn = [_badge(profile, row * (_HEIGHT + _GAP)) for row, profile in enumerate(profiles)]
    width = max((right for _, right, _ in drawn), default=0)
    height = max(len(drawn) * (_HEIGHT + _GAP) - _GAP, 0)
    label = "; ".join(description for _, _, description in drawn)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" height="{height}" '
            f'viewBox="0 0 {number(width)} {height}" role="img" aria-label="{xml(label)}" '
            f'font-family="Verdana, DejaVu Sans, sans-serif" font-size="{_SIZE}" fill="#fff">',
            f"<title>{xml(label)}</title>",
            *(line for lines, _, _ in drawn for line in lines),
            "</svg>",
        ]
    )


def _badge(profile: Profile, top: float) -> tuple[list[str], float, str]:
    """Return the lines of a badge, its width, and its description."""
    cells = [(profile.treebank, _NAME)]
    descriptions = []
    for name, aspect in profile.aspects.items():
        if aspect.short:
            cells.append((aspect.short, _COLOURS[aspect.state]))
            verdict = f" ({_WORDS[aspect.state]})" if _WORDS[aspect.state] else ""
            descriptions.append(f"{name}: {aspect.short}{verdict}")
    lines, left = [], 0.0
    for text, colour in cells:
        width = text_width(text, _SIZE) + 2 * _PADDING
        lines.append(
            f'<rect x="{number(left)}" y="{number(top)}" width="{number(width)}" height="{_HEIGHT}" fill="{colour}"/>'
        )
        lines.append(
            f'<text x="{number(left + width / 2)}" y="{number(top + 14)}" text-anchor="middle">{xml(text)}</text>'
        )
        left += width
    return lines, left, f"{profile.treebank}: {', '.join(descriptions)}"
