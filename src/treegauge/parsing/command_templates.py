"""Templates of the commands that train an external program and parse with it.

A template is a table in a TOML file. Those of well-known parsers come with the package; users add
their own, and say where programs are, in a file named by ``$TREEGAUGE_PARSERS`` (by default
``treegauge/parsers.toml`` in the user's folder of settings).
"""

import hashlib
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.text_formats import parse_toml
from treegauge.treebanks.sources import Source

Steps = tuple[tuple[str, ...], ...]

FORMATS = ("conllu", "conllx")
KINDS = ("file", "folder")
FORMS = ("same", "any")
_GAP = re.compile(r"\{([^{}]*)\}")
_TRAIN_GAPS = ("train", "dev", "model", "program", "script", "seed", "arguments")
ARGUMENTS = "{arguments}"
PYTHON = "{python}"
_PARSE_GAPS = ("model", "input", "output", "program", "script")


@dataclass(frozen=True)
class CommandTemplate:
    """How an external parser is trained and run.

    `train` and `parse` are commands, each a list of words with gaps such as ``{train}``; they run
    one after the other in a folder of their own. Without ``{input}`` the last command of `parse`
    reads standard input, without ``{output}`` its standard output is taken. A program that is
    trained already has no `train`. `program` fills ``{program}``, where ``{python}`` is the Python
    that runs treegauge, and the text `script` a file ``{script}``, for programs without a command
    line. A word ``{arguments}`` of `train` is replaced by the words that users add, if any.
    ``{model}`` is one ``"file"``, or a ``"folder"`` that is there and empty at first. `heads`
    is written into HEAD of sentences to be parsed. Words must come back the ``"same"``, or in
    `forms` ``"any"`` where there are as many.
    """

    name: str
    about: str = ""
    train: Steps = ()
    parse: Steps = ()
    program: str = ""
    format: str = "conllu"
    model: str = "file"
    heads: str = "_"
    forms: str = "same"
    script: str = ""

    def __post_init__(self) -> None:
        if not self.parse:
            raise TreegaugeError(f"template {self.name}: parse has no command")
        for key, choices in (("format", FORMATS), ("model", KINDS), ("forms", FORMS)):
            if getattr(self, key) not in choices:
                raise ChoiceError(f"{key} of template {self.name}", getattr(self, key), choices)
        for key, gaps in (("train", _TRAIN_GAPS), ("parse", _PARSE_GAPS)):
            for gap in _gaps(getattr(self, key)):
                if gap not in gaps:
                    raise ChoiceError(
                        f"gap in {key} of template {self.name}", f"{{{gap}}}",
                        [f"{{{one}}}" for one in gaps],
                    )  # fmt: skip
        for word in (word for step in self.train for word in step):
            if ARGUMENTS in word and word != ARGUMENTS:
                raise TreegaugeError(
                    f"template {self.name}: found {word!r}, expected {ARGUMENTS} as a word of its "
                    "own, since it may be several words or none"
                )

    @property
    def digest(self) -> str:
        """The digest of the commands; the path of the program does not count."""
        content = {k: v for k, v in asdict(self).items() if k not in {"about", "program", "name"}}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def needs(self, gap: str) -> bool:
        """Whether a gap such as ``"dev"`` must be filled to train or to parse."""
        return gap in _gaps(self.train) or gap in _gaps(self.parse)


def _gaps(steps: Steps) -> list[str]:
    return [gap for step in steps for word in step for gap in _GAP.findall(word)]


def fill(
    step: Sequence[str], values: Mapping[str, object], arguments: Sequence[str] = ()
) -> list[str]:
    """Return a command with its gaps filled; each word stays one word, whatever it contains.

    Examples
    --------
    >>> fill(["train", "--out={model}", "{arguments}"], {"model": "a b"}, ["--steps", "5"])
    ['train', '--out=a b', '--steps', '5']
    """
    words: list[str] = []
    for word in step:
        if word == ARGUMENTS:
            words += arguments
        else:
            words.append(_GAP.sub(lambda gap: str(values[gap[1]]), word))
    return words


def user_file() -> Path:
    """Return the path of the user's templates, whether or not the file exists."""
    if named := os.environ.get("TREEGAUGE_PARSERS"):
        return Path(named)
    settings = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA")
    return (Path(settings) if settings else Path.home() / ".config") / "treegauge/parsers.toml"


def command_templates(path: Source | None = None) -> dict[str, CommandTemplate]:
    """Return all templates by name: those of the package, overridden and extended by the user's."""
    tables = _read(Path(__file__).with_name("command_templates.toml"))
    if path is None and os.environ.get("TREEGAUGE_PARSERS") is None and not user_file().exists():
        own = {}
    else:
        own = _read(Path(path or user_file()))
    for name, table in own.items():
        tables[name] = {**tables.get(name, {}), **table}
    return {name: _template(name, table) for name, table in tables.items()}


def find_template(name: str) -> CommandTemplate:
    """Return a template by name; unknown names get the choices."""
    known = command_templates()
    if name not in known:
        raise ChoiceError("template", name, known)
    return known[name]


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        found = parse_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TreegaugeError(f"{path}: cannot read templates: {error}") from error
    for name, table in found.items():
        if not isinstance(table, dict):
            raise TreegaugeError(f"{path}: found {name} = {table!r}, expected tables [{name}]")
        if "program" in table:
            program = table["program"] = str(table["program"])
            if program == PYTHON:
                table["program"] = sys.executable
            if "/" in program:  # the system looks up a bare command
                table["program"] = str((path.parent / Path(program).expanduser()).resolve())
    return found


def _template(name: str, table: Mapping[str, Any]) -> CommandTemplate:
    known = [field.name for field in fields(CommandTemplate) if field.name != "name"]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise ChoiceError(f"key of template {name}", key, known)
        if key in {"train", "parse"}:
            if not _is_steps(value):
                raise TreegaugeError(
                    f"template {name}: {key} is {value!r}; expected a list of commands, each a "
                    'list of words, such as [["java", "-jar", "{program}"]]'
                )
            values[key] = tuple(tuple(step) for step in value)
        elif isinstance(value, str):
            values[key] = value
        else:
            raise TreegaugeError(f"template {name}: {key} is {value!r}; expected text")
    return CommandTemplate(name, **values)


def _is_steps(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(step, list) and step and all(isinstance(word, str) for word in step)
        for step in value
    )
