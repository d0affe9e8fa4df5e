"""The list of parsers and their options."""

from dataclasses import dataclass, fields
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.core.result import RowsResult, sign
from treegauge.core.tables import to_text
from treegauge.core.verbs import verb

if TYPE_CHECKING:
    from treegauge.parsing.presets import Preset
    from treegauge.parsing.registry import ParserEntry

WIDTH = 90
"""The width of a line that lists the options of a preset."""


@dataclass(frozen=True)
class ParserList(RowsResult):
    """Parsers, one row each, or the options of some of them, one row per parser and option."""

    kind: ClassVar[str] = "parsers"

    def own_text(self) -> str:
        """Return the table without its signature."""
        return to_text(self.rows)


@verb
def parsers(parser: str | None = None, *, all: bool = False) -> ParserList:
    """List the parsers and their options.

    Parameters
    ----------
    parser
        Show the options of this parser.
    all
        Show the options of all parsers.

    Examples
    --------
    >>> parsers().table["parser"].to_list()[:3]
    ['beam', 'mst', 'udpipe']
    >>> parsers("beam").table["option"].to_list()[:2]
    ['beam', 'epochs']
    """
    from treegauge.parsing.registry import find_parser, known_parsers

    if parser is not None:
        rows = _option_rows(find_parser(parser))
    elif all:
        rows = [row for entry in known_parsers().values() for row in _rows_or_note(entry)]
    else:
        rows = [
            {
                "parser": entry.name, "paradigm": entry.paradigm, "method": entry.meaning,
                "trains_in": entry.trains_in,
                "needs": f"pip install 'treegauge[{entry.needs}]'" if entry.needs else "",
            }
            for entry in known_parsers().values()
        ]  # fmt: skip
    return ParserList(rows, sign(v="parsers", parser=parser, all=all or None))


def _rows_or_note(entry: "ParserEntry") -> list[dict[str, Any]]:
    """Return the options of a parser; of a plug-in that cannot be loaded, report the error."""
    try:
        return _option_rows(entry)
    except TreegaugeError as error:
        note(str(error))
        return []


def _option_rows(entry: "ParserEntry") -> list[dict[str, Any]]:
    """Return one row per option, template of an external program, and preset."""
    from treegauge.parsing.presets import presets_of

    rows = [
        {
            "parser": entry.name, "option": field.name, "default": _shown(field.default),
            "meaning": field.metadata.get("meaning", ""),
        }
        for field in fields(entry.options)
    ]  # fmt: skip
    if entry.name == "command":
        rows += _template_rows(entry.name)
    return rows + [row for preset in presets_of(entry.name) for row in _preset_rows(preset)]


def _template_rows(parser: str) -> list[dict[str, Any]]:
    """Return one row per template of an external program; an invalid one says why."""
    from treegauge.parsing.programs.command_templates import find_template, template_names

    meanings = {}
    for name in template_names():
        try:
            meanings[name] = find_template(name).about
        except TreegaugeError as error:
            meanings[name] = f"cannot be used: {error}"
    return [
        {"parser": parser, "option": f"template={name}", "default": "", "meaning": meaning}
        for name, meaning in meanings.items()
    ]


def _preset_rows(preset: "Preset") -> list[dict[str, Any]]:
    """Return the rows of a preset: source, options, and differences from the publication."""
    words = " ".join(f"{key}={_shown(value)}" for key, value in preset.options.items())
    lines = [
        preset.source,
        *(f"sets {line}" for line in wrap(words, WIDTH)),
        *(f"differs: {line}" for line in preset.differences),
    ]
    names = " or ".join((preset.name, *preset.aliases))
    return [
        {"parser": preset.parser, "option": f"--preset {names}" if not number else "", "default": "", "meaning": line}
        for number, line in enumerate(lines)
    ]


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
