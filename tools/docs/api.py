"""The library as pages of the site: one of all verbs, then one per room, made when it is built."""

from importlib import import_module
from inspect import getdoc

import treegauge
from treegauge.cli.verbs import QUESTION, VERBS

#: What is shown of each room besides verbs and the modules of all other names in front.
FURTHER = {
    "treebanks": "sources.inputs data.decoding data.relations data.trees svg text_trees",
    "validation": "",
    "auditing": "leaks near_duplicates profile",
    "measures": "displacement registry similarity structure vocabulary",
    "splitting": "assignment",
    "scoring": (
        "metrics.correct_words metrics.enhanced metrics.mslas alignment.paired_reading classes.class_tests "
        "calibration confidence paired_tests evaluation paper suite"
    ),
    "ranking": "claims compare pairs strengths stability.exact_win_rates stability.outliers stability.named_subsets",
    "statistics": (
        "bootstrap correlation correlation_coefficients hierarchy kappa_and_alpha linear_model models.mixed_model "
        "multiple permutation planning probabilities student_intervals units"
    ),
    "parsing": "base",
    "experiments": "cells training tasks",
    "learning": (
        "dynamics.candidates dynamics.cartography dynamics.recording curves.advising curves.class_counts "
        "curves.complexity curves.equivalents curves.fits contribution weights"
    ),
    "papers": "",
    "reporting": "methods page figures.analysis figures.curves figures.drawing figures.scores figures.treebanks",
    "testing": "simulated_parser synthetic",
    "core": "files lazy paper_tables result verbs",
}
HEAD = """# Python library

`import treegauge as tg` has everything that most people need; `dir(tg)` lists the names. Each
command is a function with the same name and parameters: `treegauge score` is `tg.score`. Every
verb returns a [`Result`](core.md#result). The examples below each function are run by the tests.
"""
DATA = """## Data

[`treegauge.data`](data.md) has published figures, one call each.
"""


def pages() -> dict[str, str]:
    """Return the pages by name: verbs first, then the rooms."""
    made = {"api/index.md": verbs_page(), "api/data.md": data_page()}
    return made | {f"api/{room}.md": room_page(room) for room in FURTHER}


def homes() -> dict[str, tuple[str, str]]:
    """Return the room and module of every name in front of the package."""
    found = {}
    for name in dir(treegauge):
        home = getattr(treegauge, "_HOME").get(name)  # noqa: B009 -- private, read for the docs
        if home:
            room, _, module = home.partition(".")
            found[name] = (room, module)
    return found


def verbs_page() -> str:
    """Return the page that lists verbs and all other names in front, with their pages."""
    at = homes()
    parts = [HEAD]
    for question, commands in VERBS.items():
        rows = [
            f"| [`tg.{name}`]({at[name][0]}.md#{anchor(at[name][1])}) | {command.help} | [guide](../howto/{name}.md) |"
            for name, command in commands.items()
        ]
        parts.append("\n".join([f"## {question}\n", "| verb | what it does | |\n|---|---|---|", *rows]))
    others = [
        f"| [`tg.{name}`]({room}.md#{anchor(module)}) | {_first_line(name)} |"
        for name, (room, module) in sorted(at.items(), key=lambda one: one[0].lower())
        if name not in QUESTION
    ]
    parts.append("\n".join(["## Other names\n", "| name | what it is |\n|---|---|", *others]))
    return "\n\n".join([*parts, DATA])


def anchor(module: str) -> str:
    """Return the anchor of a module on the page of its room.

    Examples
    --------
    >>> anchor("stability.outliers")
    'stability-outliers'
    """
    return module.replace(".", "-")


def _first_line(name: str) -> str:
    return (getdoc(getattr(treegauge, name)) or "").partition("\n")[0].replace("|", "\\|")


def room_page(room: str) -> str:
    """Return the page of a room: what it is for, its verbs, then its other modules."""
    here = {name: module for name, (home, module) in homes().items() if home == room}
    verbs = [name for name in QUESTION if name in here]
    named = sorted({module for name, module in here.items() if name not in QUESTION})
    modules = [*verbs, *(one for one in [*named, *FURTHER[room].split()] if one not in verbs)]
    about = getdoc(import_module(f"treegauge.{room}")) or ""
    parts = [f"# treegauge.{room}", about]
    for module in dict.fromkeys(modules):
        home = f"treegauge.{room}.{module}"
        shown = _verb(module, home) if module in verbs else f"::: {home}"
        parts.append(f"## {module} {{#{anchor(module)}}}\n\n{shown}")
    return "\n\n".join(parts) + "\n"


def _verb(name: str, home: str) -> str:
    """Return the function first, then whatever else its module has."""
    options = f'    options:\n      filters: ["!^_", "!^{name}$"]'
    guide = f"[How to use it](../howto/{name}.md)"
    function = f"::: {home}.{name}\n    options:\n      show_root_heading: true"
    return f"{guide}\n\n{function}\n\n::: {home}\n{options}"


def data_page() -> str:
    """Return the page of the published figures."""
    return "# treegauge.data\n\n::: treegauge.data\n"
