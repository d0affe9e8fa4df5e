"""External programs as parsers, run by the commands of a template."""

import shlex
import tempfile
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.platforms import can_confine_programs
from treegauge.parsing.base import OnEpoch, check_training, save_model
from treegauge.parsing.command_templates import (
    ARGUMENTS,
    CommandTemplate,
    Steps,
    fill,
    find_template,
    user_file,
)
from treegauge.parsing.options import ParserOptions, option
from treegauge.parsing.programs import (
    CommandError,
    last_words,
    run,
    tail,
    to_conllx,
    to_unparsed,
    with_output,
)
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CommandError", "CommandModel", "CommandOptions", "CommandParser"]

_LOG = 1 << 20  # bytes kept of a program's messages during training


@dataclass(frozen=True)
class CommandOptions(ParserOptions):
    """Options of external programs."""

    template: str = option("", "name of a template; treegauge parsers lists them")
    arguments: str = option("", "words added to the training command, quoted as in a shell")
    timeout: float = option(0.0, "time limit of training or parsing in seconds; 0: none", low=0)
    memory: float = option(0.0, "memory limit of a process in GiB; 0: none", low=0, high=100_000)
    errors: str = option(
        "strict", "what to do about output that is not trees", choices=("strict", "repair")
    )


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
        self, steps: Steps, values: Mapping[str, object], *, what: str, **last: Path | None
    ) -> None:
        """Run commands in order; `last` is the input and output of the last one."""
        start = monotonic()
        filled = {**values, "model": self.model, "program": self.template.program}
        if self.template.needs("script"):
            filled["script"] = self.write("script.py", self.template.script.encode())
        for number, step in enumerate(steps, start=1):
            run(
                fill(step, filled, self.arguments), what=what, folder=self.room, log=self.log,
                start=start, timeout=self.options.timeout, memory=self.options.memory,
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

    A saved model names its template but has no commands, so that loading a stranger's file cannot
    run any; the template must be one of yours or of the package.
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
            shop.run(template.parse, {"input": given, "output": output}, what=what, **streams)
            if not output.is_file():
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
        arrays = {
            f"file{i}": np.frombuffer(self.files[name], np.uint8) for i, name in enumerate(names)
        }
        save_model(path, "command", header, arrays)

    @classmethod
    def from_archive(
        cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
    ) -> "CommandModel":
        """Return the model stored in a file."""
        template = find_template(header["template"])
        if template.digest != header["digest"]:
            raise TreegaugeError(
                f"the model was made by another template named {template.name} than the one here "
                f"(yours are in {user_file()}); train it again"
            )
        for name in header["files"]:
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise TreegaugeError(f"the model holds a file {name!r}, which is outside of it")
        files = {name: arrays[f"file{i}"].tobytes() for i, name in enumerate(header["files"])}
        return cls(CommandOptions(**header["options"]), template, files)


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
    >>> from treegauge.parsing.command_templates import CommandTemplate
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

    def __init__(
        self, options: CommandOptions | None = None, template: CommandTemplate | None = None
    ) -> None:
        self.options = options or CommandOptions()
        self.template = template or find_template(self.options.template)
        _check_arguments(self.options.arguments, self.template)
        if self.options.memory and not can_confine_programs():
            raise TreegaugeError("option memory: limits need Linux; leave it at 0 here")

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int,
        on_epoch: OnEpoch | None = None,
    ) -> CommandModel:  # fmt: skip
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
            single = shop.model.is_file()
            home, pattern = (shop.folder, "model") if single else (shop.model, "**/*")
            found = sorted(path for path in home.glob(pattern) if path.is_file())
            files = {path.relative_to(home).as_posix(): path.read_bytes() for path in found}
            if template.train and not files:
                raise CommandError(
                    f"{what} succeeded but wrote no {template.model} {{model}}"
                    f"{last_words(shop.log)}"
                )
            log = tail(shop.log, _LOG)
        model = CommandModel(self.options, template, files, log)
        if on_epoch is not None:
            on_epoch(1, model)
        return model
