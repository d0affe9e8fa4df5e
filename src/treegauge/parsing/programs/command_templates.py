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
from treegauge.treebanks.sources.files import Source

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
                        f"gap in {key} of template {self.name}", f"{{{gap}}}", [f"{{{one}}}" for one in gaps]
                    )
        for word in (word for step in self.train for word in step):
            if ARGUMENTS in word and word != ARGUMENTS:
                raise TreegaugeError(
                    f"template {self.name}: found {word!r}, expected {ARGUMENTS} as a word of its "
                    "own, since it may be several words or none"
                )

    @property
    def digest(self) -> str:
        """The digest of what the template runs: its commands, its script and its program.

        Programs in files count by their contents, so that their paths may differ; the Python that
        runs treegauge (``{python}``) counts by that name.
        """
        content = {k: v for k, v in asdict(self).items() if k not in {"about", "name"}}
        parts = self.program.split(os.pathsep)  # Java takes several files
        content["program"] = [_program_mark(part) for part in parts]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def needs(self, gap: str) -> bool:
        """Whether a gap such as ``"dev"`` must be filled to train or to parse."""
        return gap in _gaps(self.train) or gap in _gaps(self.parse)


def _program_mark(program: str) -> str:
    """Return the contents of a program's file as a checksum; other programs by their names."""
    if program == sys.executable:
        return PYTHON
    path = Path(program)
    if not path.is_file():
        return program
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise TreegaugeError(f"{program}: cannot read the program: {error.strerror}") from error


def _gaps(steps: Steps) -> list[str]:
    return [gap for step in steps for word in step for gap in _GAP.findall(word)]


def filled_command(step: Sequence[str], values: Mapping[str, object], arguments: Sequence[str] = ()) -> list[str]:
    """Return a command with its gaps filled; each word stays one word, whatever it contains.

    Examples
    --------
    >>> filled_command(["train", "--out={model}", "{arguments}"], {"model": "a b"}, ["-s", "5"])
    ['train', '--out=a b', '-s', '5']
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


def template_names(path: Source | None = None) -> list[str]:
    """Return the names of all templates, those of the package first; some may be invalid."""
    return list(_tables(path))


def find_template(name: str, path: Source | None = None) -> CommandTemplate:
    """Return a template by name; unknown names get the choices.

    Templates come from the package and, overridden and extended, from the user's file (`path`).
    Only this template needs to be valid.
    """
    tables = _tables(path)
    if name not in tables:
        raise ChoiceError("template", name, tables)
    table, home = tables[name]
    try:
        return _template(name, table)
    except TreegaugeError as error:
        raise TreegaugeError(f"{home}: {error}") from error


def _tables(path: Source | None) -> dict[str, tuple[Any, Path]]:
    """Return the table of each template, and the file that it is in."""
    ours = Path(__file__).with_name("command_templates.toml")
    tables: dict[str, tuple[Any, Path]] = {name: (one, ours) for name, one in _read(ours).items()}
    if path is None and os.environ.get("TREEGAUGE_PARSERS") is None and not user_file().exists():
        return tables
    file = Path(path or user_file())
    for name, table in _read(file).items():
        both = isinstance(table, dict) and name in tables
        tables[name] = ({**tables[name][0], **table} if both else table), file
    return tables


def _read(path: Path) -> dict[str, Any]:
    """Read a file of templates, and make paths of programs absolute."""
    try:
        found = parse_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TreegaugeError(f"{path}: cannot read templates: {error}") from error
    for table in found.values():
        program = table.get("program") if isinstance(table, dict) else None
        if program == PYTHON:
            table["program"] = sys.executable
        elif isinstance(program, str) and "/" in program:  # the system looks up a bare command
            table["program"] = str((path.parent / Path(program).expanduser()).resolve())
    return found


def _template(name: str, table: Any) -> CommandTemplate:
    if not isinstance(table, dict):
        raise TreegaugeError(f"found {name} = {table!r}, expected a table [{name}]")
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
        isinstance(step, list) and step and all(isinstance(word, str) for word in step) for step in value
    )
