"""The contents and the main findings of a page, in sentences."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treegauge.reporting.page import Section


#: The number of sentences at the top of the overview.
SENTENCES = 3


def counted(number: int, noun: str) -> str:
    """Return a number and its noun.

    Examples
    --------
    >>> counted(1, "treebank"), counted(12_000, "word")
    ('one treebank', '12,000 words')
    """
    return f"one {noun}" if number == 1 else f"{number:,} {noun}s"


def what_was_given(sections: "Sequence[Section]") -> str:
    """Return one sentence on the contents of the page."""
    data = {one.key: one.data for one in sections}
    parts = []
    if "scores" in data:
        scored = data["scores"]["treebanks"]
        systems = {name for one in scored for name in one["systems"]}
        words = sum(one["words"] for one in scored)
        numbers = [number for one in scored for number in one["runs"]]
        ends = dict.fromkeys((min(numbers), max(numbers)))
        runs = f", means over {' to '.join(map(str, ends))} runs," * (max(numbers) > 1)
        parts.append(
            f"scores of {counted(len(systems), 'system')}{runs} on {counted(len(scored), 'treebank')} "
            f"({counted(words, 'word')})"
        )
    saved = [one for one in sections if one.key == "saved"]
    parts += [f"saved scores on {counted(len(one.tables), 'treebank')}" for one in saved]
    if "findings" in data:
        parts.append("saved results")
    for board in data.get("ranking", {}).get("boards", ()):
        size = counted(len(board["systems"]), "system")
        over = counted(len(board["treebanks"]), "treebank")
        if "scores" not in data or not board["scored"]:
            parts.append(f"a ranking of {size} over {over} ({board['name']})")
    if "treebanks" in data:
        parts.append(f"profiles of {counted(len(data['treebanks']['treebanks']), 'treebank')}")
    if "maps" in data:
        words = sum(one["total"] for one in data["maps"]["maps"])
        parts.append(f"data maps of {counted(words, 'word')}")
    if data.get("learning", {}).get("curves"):
        parts.append("learning curves")
    if data.get("learning", {}).get("transfers"):
        parts.append("results of transfer")
    *first, last = parts or [""]
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"This page shows {listed}." if parts else ""


def stands_out(sections: "Sequence[Section]") -> list[str]:
    """Return the main finding of each section, the most general first.

    If systems were compared over several treebanks, findings on single treebanks are left out.
    """
    over_all = any(one.key == "overview" and one.short for one in sections)
    return [one.short[0] for one in sections if one.short and not (over_all and one.key == "scores")]


def treebank_of(name: str) -> str:
    """Return the treebank that a set belongs to; readers filter all views by it.

    Examples
    --------
    >>> treebank_of("UD_Greek-GDT/test"), treebank_of("UD_Greek-GDT@2.5/dev"), treebank_of("gold")
    ('UD_Greek-GDT', 'UD_Greek-GDT@2.5', 'gold')
    """
    return re.sub(r"/(?:train|dev|test)$", "", name)
