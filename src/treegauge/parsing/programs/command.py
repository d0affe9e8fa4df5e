"""External programs as parsers, run by the commands of a template."""

import os
import shlex
import tempfile
from collections.abc import Collection, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.platforms import can_confine_programs, portable_name
from treegauge.core.safe_reading import LARGEST
from treegauge.parsing.base import OnEpoch, check_training, save_model
from treegauge.parsing.options import ParserOptions, option
from treegauge.parsing.programs.command_templates import (
    ARGUMENTS,
    CommandTemplate,
    Steps,
    filled_command,
    find_template,
    user_file,
)
from treegauge.parsing.programs.external_process import (
    LOG,
    NO_LIMITS,
    CommandError,
    ProgramLimits,
    last_words,
    log_tail,
    run_program,
    to_conllx,
    to_unparsed,
    with_output,
)
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CommandError", "CommandModel", "CommandOptions", "CommandParser"]

_FREE, _RATIO = 64 << 20, 20
"""Bytes of output always allowed in parsing, and the maximum ratio to the input beyond."""
_TORCH = ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
"""Settings of torch: whether ``torch.load`` unpickles weights only, or anything."""


@dataclass(frozen=True)
class CommandOptions(ParserOptions):
    """Options of external programs."""

    template: str = option("", "name of a template; treegauge train --list command lists them")
    arguments: str = option("", "words added to the training command, quoted as in a shell")
    timeout: float = option(86400.0, "time limit of training or parsing in seconds, by default a day; 0: none", low=0)
    memory: float = option(0.0, "memory limit of a process in GiB; 0: none", low=0, high=100_000)
    errors: str = option("strict", "what to do about output that is not trees", choices=("strict", "repair"))


class _Workshop:
    """A folder where a template's commands run."""

    def __init__(self, folder: Path, template: CommandTemplate, options: CommandOptions) -> None:
        self.folder, self.template, self.options = folder, template, options
        self.arguments = shlex.split(options.arguments)
        self.log = folder / "log.txt"
        self.log.touch()
        self.room = folder / "room"
        self.room.mkdir()
        self.model = folder / "model"
        if template.model == "folder":
            self.model.mkdir()

    def write(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path

    def run(
        self, steps: Steps, values: Mapping[str, object], *, what: str,
        limits: ProgramLimits = NO_LIMITS, environment: Mapping[str, str] | None = None,
        **last: Path | None,
    ) -> None:  # fmt: skip
        """Run commands in order; `last` is the input and output of the last one."""
        limits = replace(
            limits, timeout=self.options.timeout, start=monotonic(), memory=self.options.memory, files=LARGEST
        )
        filled = {**values, "model": self.model, "program": self.template.program}
        if self.template.needs("script"):  # apart: Python imports modules from a script's folder
            (self.folder / "code").mkdir()
            filled["script"] = self.write("code/script.py", self.template.script.encode())
        for number, step in enumerate(steps, start=1):
            run_program(
                filled_command(step, filled, self.arguments), what=what, folder=self.folder,
                log=self.log, room=self.room, limits=limits, environment=environment,
                **(last if number == len(steps) else {}),
            )  # fmt: skip


@contextmanager
def _workshop(template: CommandTemplate, options: CommandOptions) -> "Iterator[_Workshop]":
    if template.needs("program") and not template.program:
        raise TreegaugeError(
            f"nothing says where {template.name} is; write into {user_file()}:\n"
            f'[{template.name}]\nprogram = "/path/to/it"\n{template.about}'
        )
    with tempfile.TemporaryDirectory(prefix="treegauge-", ignore_cleanup_errors=True) as folder:
        yield _Workshop(Path(folder).resolve(), template, options)


@dataclass(frozen=True, eq=False)
class CommandModel:
    """The model of an external program: its files, unchanged.

    A saved model names its template but has no commands; the template must be one of yours or of
    the package, with the program that the model was trained with. Programs may run code that is in
    their models' files (pickles, objects of Java), so that a saved model is loaded only with trust:
    see :func:`treegauge.load_model`.
    """

    options: CommandOptions
    template: CommandTemplate
    files: dict[str, bytes] = field(repr=False)
    log: str = field(default="", repr=False)  # not saved: it contains times and paths

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the program's trees, after checking that they fit."""
        template, what = self.template, f"{self.template.name} (parsing)"
        with _workshop(template, self.options) as shop:
            if not len(treebank):
                return treebank
            for name, content in self.files.items():
                target = shop.model / name if template.model == "folder" else shop.model
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            write = to_conllx if template.format == "conllx" else to_unparsed
            data = write(treebank, heads=template.heads)
            given = shop.write(f"input.{template.format}", data)
            output = shop.folder / f"output.{template.format}"
            streams = {
                "given": None if template.needs("input") else given,
                "output": None if template.needs("output") else output,
            }
            most = max(_FREE, _RATIO * len(data))
            # Programs that read models by torch unpickle weights only, unless the user decides.
            safe = {} if any(name in os.environ for name in _TORCH) else {_TORCH[0]: "1"}
            shop.run(
                template.parse, {"input": given, "output": output}, what=what,
                limits=ProgramLimits(output=most, place=output), environment=safe, **streams,
            )  # fmt: skip
            if output.is_symlink() or not output.is_file():
                raise CommandError(f"{what} succeeded but wrote no output{last_words(shop.log)}")
            return with_output(
                treebank, output.read_bytes(), fmt=template.format, what=what,
                same=template.forms == "same", repair=self.options.errors == "repair",
            )  # fmt: skip

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        names = sorted(self.files)
        header = {
            "options": asdict(self.options), "template": self.template.name,
            "digest": self.template.digest, "files": names,
        }  # fmt: skip
        arrays = {f"file{i}": np.frombuffer(self.files[name], np.uint8) for i, name in enumerate(names)}
        save_model(path, "command", header, arrays)

    @classmethod
    def from_archive(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> "CommandModel":
        """Return the model stored in a file."""
        template = find_template(header["template"])
        if template.digest != header["digest"]:
            raise TreegaugeError(
                f"the model was made by another template named {template.name}, or by another "
                f"program, than the one here (yours are in {user_file()}); train it again"
            )
        _check_names(header["files"])
        files = {name: arrays[f"file{i}"].tobytes() for i, name in enumerate(header["files"])}
        return cls(CommandOptions(**header["options"]), template, files)


def _model_files(shop: _Workshop, what: str) -> dict[str, bytes]:
    """Return the files of a model by name; a link is an error, since it may lead anywhere."""
    whole = shop.model.is_dir() and not shop.model.is_symlink()
    home, found = (shop.model, shop.model.rglob("*")) if whole else (shop.folder, [shop.model])
    paths = sorted(found)
    for path in paths:
        if path.is_symlink():
            raise CommandError(
                f"{what} wrote {path.relative_to(shop.folder)}, a link to {path.readlink()}; "
                "models hold files only: have the program copy what it links to"
            )
    files = {path.relative_to(home).as_posix(): path for path in paths if path.is_file()}
    _check_names(files)
    return {name: path.read_bytes() for name, path in files.items()}


def _check_names(names: Collection[str]) -> None:
    """Refuse files of a model that would be written elsewhere, or not on every system."""
    for name in names:
        parts = name.split("/")
        if not all(map(portable_name, parts)) or {".", ".."} & {*parts}:
            raise TreegaugeError(
                f"the model holds a file {name!r}; expected a name inside of it that is valid on every system"
            )
        if any("/".join(parts[:end]) in names for end in range(1, len(parts))):
            raise TreegaugeError(f"the model holds {name!r} inside of another file")


def _check_arguments(text: str, template: CommandTemplate) -> None:
    """Refuse arguments that cannot be split, or that the template does not accept."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise TreegaugeError(f"option arguments is {text!r}: {error}") from None
    if words and not template.needs("arguments"):
        raise TreegaugeError(
            f"option arguments: template {template.name} takes none; add the word {ARGUMENTS} to a "
            f"copy of its train in {user_file()}"
        )


class CommandParser:
    r"""Trains an external program by the commands of a template: one by name, or your own.

    Examples
    --------
    A program that learns nothing and attaches all words to the first:

    >>> import sys
    >>> from treegauge.parsing.programs.command_templates import CommandTemplate
    >>> from treegauge.testing.synthetic import synthetic
    >>> code = '''
    ... import sys
    ... for line in sys.stdin:
    ...     fields = line.split("\t")
    ...     if fields[0].isdigit():
    ...         fields[6:8] = ["0", "root"] if fields[0] == "1" else ["1", "dep"]
    ...     print("\t".join(fields), end="")
    ... '''
    >>> first = CommandTemplate("first", parse=((sys.executable, "{script}"),), script=code)
    >>> model = CommandParser(template=first).fit(synthetic(5, seed=1), seed=0)
    >>> set(model.parse(synthetic(5, seed=2)).head.tolist())
    {0, 1}
    """

    def __init__(self, options: CommandOptions | None = None, template: CommandTemplate | None = None) -> None:
        self.options = options or CommandOptions()
        self.template = template or find_template(self.options.template)
        _check_arguments(self.options.arguments, self.template)
        if self.options.memory and not can_confine_programs():
            raise TreegaugeError("option memory: limits need Linux; leave it at 0 here")

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int, on_epoch: OnEpoch | None = None
    ) -> CommandModel:
        """Run the template's training commands and return the model that they write.

        `on_epoch` is called once, at the end.
        """
        check_training(train, dev, seed=seed)
        template, what = self.template, f"{self.template.name} (training)"
        with _workshop(template, self.options) as shop:
            if template.needs("dev") and dev is None:
                raise TreegaugeError(f"{template.name} needs a dev set to train; give one")
            values: dict[str, object] = {"seed": seed}
            for name, part in (("train", train), ("dev", dev)):
                if part is not None:
                    data = to_conllx(part) if template.format == "conllx" else part.to_bytes()
                    values[name] = shop.write(f"{name}.{template.format}", data)
            shop.run(template.train, values, what=what)
            files = _model_files(shop, what)
            if template.train and not files:
                raise CommandError(f"{what} succeeded but wrote no {template.model} {{model}}{last_words(shop.log)}")
            log = log_tail(shop.log, LOG)
        model = CommandModel(self.options, template, files, log)
        if on_epoch is not None:
            on_epoch(1, model)
        return model
