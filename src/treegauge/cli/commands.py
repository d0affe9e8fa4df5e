"""Commands generated from verbs: options, help and defaults come from the function."""

import inspect
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from treegauge.cli.options import HELP, Option, UsageError, read_words
from treegauge.cli.verbs import QUESTION, VERBS, Command
from treegauge.core.arguments import SHARED, check_arguments
from treegauge.core.errors import ChoiceError, lines_of_text
from treegauge.core.file_kinds import FIGURE, JSON, LATEX, PAGE, TEXT
from treegauge.core.files import atomic, check_output, guarding
from treegauge.core.messages import ProgressTask, listening, printing_aside, say, terminal_width
from treegauge.core.result import DRAWN, SAVED, Result
from treegauge.core.tables import folded_lines, lines_of_at_most
from treegauge.core.verbs import Verb, verb_help, verb_parameters

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


FORMATS = ("text", "json", "csv", "latex", "markdown", "html")
FORMAT = Option("fmt", ("--format",), choices=FORMATS, help="Output format.", shown="text")
OUT = Option("out", ("--out", "-o"), metavar="PATH", help="Write the result to this file.")
PLOT = Option(
    "plot", ("--plot",), metavar="PATH", help="Write a figure to this file: .svg .png .pdf .html .json (Vega-Lite)."
)
LIST = Option("list", ("--list",), bool, help="List the choices of {0}, or the options of one {0}.")
SIGNATURE = Option(
    "signature", ("--signature", "-v"), bool, help="Print signatures on a terminal, too; files and pipes have them."
)
FORCING = Option("force", ("--force",), bool, help=SHARED["force"])
_SIGNATURE = re.compile(r"^\[?treegauge:\d\S*\|.*\n?", re.MULTILINE)
#: Parameters that exist only in Python.
OBJECTS = frozenset({"progress", "say"})


def find_verb(name: str, sub: str = "") -> tuple[Verb[Any], Command]:
    """Return the function of a verb, or of one of its subverbs, and what the command line adds to it."""
    function, command = getattr(import_module("treegauge"), name), VERBS[QUESTION[name]][name]
    return (getattr(function, sub), command.subverbs[sub]) if sub else (function, command)


def verb_options(name: str, sub: str = "") -> list[Option]:
    """Return the options of a verb, or of one of its subverbs."""
    function, command = find_verb(name, sub)
    said, given = verb_help(function), verb_parameters(function)
    hidden = inspect.Parameter.VAR_KEYWORD
    parameters = {key: one for key, one in given.items() if key not in OBJECTS and one.kind is not hidden}
    variadic = any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters.values())
    options = [_option(parameter, said.get(key, ""), command, variadic) for key, parameter in parameters.items()]
    if variadic and options[0].flags == () and not options[0].required:  # then further words are not needed either
        options = [option._replace(required=option.required and bool(option.flags)) for option in options]
    flags = {option.name: option.title for option in options}
    options = [option._replace(help=_with_flags(option.help, flags)) for option in options]
    options += [PLOT] if command.plot else []
    printing = FORMAT._replace(choices=[*FORMATS, *command.formats])
    options += [printing] if "out" in parameters else [printing, OUT]
    options += [FORCING] if "force" not in parameters else []
    options += [SIGNATURE] if "signature" not in parameters else []
    options += [LIST._replace(help=LIST.help.format(next(iter(parameters))))] if command.listing else []
    return [*options, HELP]


def verb_about(name: str, sub: str = "") -> str:
    """Return the docstring of a verb up to its first section, for the terminal."""
    text = inspect.cleandoc(inspect.unwrap(find_verb(name, sub)[0]).__doc__ or "")
    plain = text.partition("\nParameters\n---")[0].replace("``", "`").strip()
    plain = _with_flags(plain, {option.name: option.title for option in verb_options(name, sub)})
    plain = re.sub(r"(?<!\n)\n(?![\n ])", " ", plain)  # help wraps lines itself, but not indented ones
    return plain.replace("::\n\n    ", ":\n\n  ").replace("\n    ", "\n  ")


def run_verb(name: str, sub: str, words: Sequence[str]) -> int | None:
    """Call a verb, print its result and return the exit code; None if help was requested."""
    function, command = find_verb(name, sub)
    spelled: Mapping[str, Sequence[str]] = getattr(function, "spelled", {})
    values = read_words([new for word in words for new in spelled.get(word, [word])], verb_options(name, sub))
    if values.pop("help", False):
        return None
    parameters, fmt = inspect.signature(function).parameters, values.pop("fmt", "text")
    if values.pop("list", False):
        first = next(iter(parameters))
        if extra := sorted(values.keys() - {first}):
            raise UsageError(f"Option '--list' takes {first.upper()} only, not {', '.join(extra)}.")
        emit(getattr(import_module("treegauge"), command.listing)(values.get(first)), fmt, None)
        return 0
    out = None if "out" in parameters else values.pop("out", None)
    figure = values.pop("plot", None)
    check_arguments({"out": out, "plot": figure}, {"out": None, "plot": None})
    force = values.pop("force", False) if "force" not in parameters else False
    signed = values.pop("signature", False) or not sys.stdout.isatty()
    inputs = (values[key] for key in values.keys() - function.outputs.keys())
    with guarding(inputs, force=force or values.get("force", False)):
        if out is not None:
            check_output(out, FORMAT_KINDS.get(fmt, ""))
        if figure is not None:
            check_output(figure, PAGE if Path(figure).suffix == ".html" else FIGURE)
        args: list[Any] = []
        for number, (key, parameter) in enumerate(parameters.items()):
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                before = list(parameters)[:number]
                args = [values.pop(one) for one in before if one in values]
                args += values.pop(key, ())
        path = None if out is None else Path(out)
        check_out(path, fmt, command.formats)
        own = [values.get(key, parameters[key].default) for key in function.outputs]
        outputs = {Path(one): _stamp(one) for one in (path, figure, *own) if isinstance(one, str | Path) and one != "-"}
        with showing() as notes, printing_aside():
            result = function(*args, **values)
        if figure is not None:
            result.plot().save(figure)
        said = [*notes, *emit(result, fmt, path, list(map(str, outputs)), signed=signed)]
        new = [str(one) for one, before in outputs.items() if _stamp(one) not in {None, before}]
        if left := [one for one in new if not any(one in text for text in said)]:
            say(f"wrote {', '.join(left)}", sys.stderr)
        return result.exit_code if isinstance(result, Result) else 0


def _with_flags(text: str, flags: Mapping[str, str]) -> str:
    """Write parameters in backquotes as on the command line: `by` becomes --by."""
    return re.sub(r"`(\w+)`", lambda name: flags.get(name[1], name[0]), text)


def _members(annotation: Any) -> list[Any]:
    """Return the types in an annotation, with unions split."""
    if get_origin(annotation) in {Union, UnionType}:
        return [member for part in get_args(annotation) for member in _members(part)]
    return [annotation]


def _is_list(annotation: Any) -> bool:
    origin = get_origin(annotation) or annotation
    return isinstance(origin, type) and issubclass(origin, Sequence | Mapping | set) and (origin not in {str, bytes})


def _element(annotation: Any) -> list[Any]:
    if issubclass(get_origin(annotation) or annotation, Mapping):
        return [str]
    return _members((get_args(annotation) or (str,))[0])


def _type(parameter: inspect.Parameter) -> tuple[type, list[str], bool]:
    """Return a parameter's type and choices, and whether it takes several values."""
    kinds = [kind for kind in _members(parameter.annotation) if kind is not NoneType]
    lists = [
        kind
        for kind in kinds
        # The object can be given by name; a mapping is possible only in Python.
        if _is_list(kind) and not (str in kinds and issubclass(get_origin(kind) or kind, Mapping))
    ]
    several = bool(lists) or parameter.kind is inspect.Parameter.VAR_POSITIONAL
    if lists:
        kinds = [part for kind in lists for part in _element(kind)]
    choices = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    if choices and str not in kinds:
        return str, list(map(str, choices)), several
    # A string accepts any text, and bool is a subclass of int.
    return next((kind for kind in (bool, str, float, int) if kind in kinds), str), [], several


def _option(parameter: inspect.Parameter, said: str, command: Command, variadic: bool) -> Option:
    kind, choices, several = _type(parameter)
    last = parameter.kind is inspect.Parameter.VAR_POSITIONAL
    if variadic and parameter.name in command.arguments and not last:
        several = False  # all further words belong to the last argument
    required = parameter.default is inspect.Parameter.empty and parameter.name not in command.optional
    plain = parameter.default if isinstance(parameter.default, list | tuple) else [parameter.default]
    shown = "" if parameter.default in (inspect.Parameter.empty, None) else ", ".join(map(str, plain))
    option = Option(
        parameter.name, (), kind, choices, several, required,
        command.metavar.get(parameter.name, ""), said, shown if kind is not bool else "",
    )  # fmt: skip
    if parameter.name in command.arguments or last:
        return option._replace(metavar=option.metavar or parameter.name.upper())
    flag = parameter.name.replace("_", "-")
    both = [f"--no-{flag}"] if kind is bool and parameter.default is not False else []
    short = "-o" if parameter.name == "out" else command.short.get(parameter.name)
    return option._replace(flags=(f"--{flag}", *both, *([short] if short else [])))


FORMAT_KINDS = {"json": JSON, "csv": TEXT, "latex": LATEX, "markdown": TEXT, "html": PAGE}
"""File endings by format."""


def render(result: Result, fmt: str) -> str | bytes:
    """Return a result in one of the formats; bytes are to be written as they are."""
    if fmt not in {*FORMATS, *result.own_formats}:
        raise ChoiceError("format", fmt, [*FORMATS, *result.own_formats])
    if fmt == "text":
        return str(result)
    content = getattr(result, f"to_{fmt}")()
    if isinstance(content, bytes):
        return content
    text = lines_of_text(str(content))
    # CoNLL-U ends with an empty line.
    return text.removesuffix("\n") if fmt in result.own_formats else text.rstrip("\n")


def check_out(out: Path | None, fmt: str, own_formats: Sequence[str] = ()) -> None:
    """Refuse a file whose ending does not match the format."""
    endings = [*SAVED, *DRAWN, *(f".{name}" for name in own_formats)]
    if out is not None and fmt == "text" and out.suffix and out.suffix.lower() not in endings:
        raise ChoiceError(f"kind of file for {out.name}", out.suffix, endings)


def _endings(result: Result) -> set[str]:
    return {*SAVED, *DRAWN, *(f".{name}" for name in result.own_formats)}


def _stamp(path: str | Path) -> tuple[int, ...] | None:
    """Return what changes when a file, or a file in a folder, is written; None if there is none."""
    here = Path(path)
    if not here.exists():
        return None
    files = [here, *sorted(here.iterdir())] if here.is_dir() else [here]
    return tuple(part for one in files for part in (one.stat().st_mtime_ns, one.stat().st_ino))


def emit(
    result: Any, fmt: str = "text", out: Path | None = None, names: Sequence[str] = (), *, signed: bool = True
) -> list[str]:
    """Print a result, or write it to a file atomically; return which of the names were printed.

    Lines obey the width of the terminal; files and other formats have every column.
    """
    if result is None:
        return []
    if isinstance(result, Result) and fmt == "text" and (whole := result.document) is not None:
        _write_bytes(whole, None)
        return []
    if isinstance(result, Result) and fmt == "text" and out is None:
        printed, width = set[str](), terminal_width(sys.stdout)
        with lines_of_at_most(width):
            for piece in result.text_pieces():
                shown = piece if signed else _SIGNATURE.sub("", piece).rstrip("\n")
                say(folded_lines(shown, width) if width else shown)
                printed.update(name for name in names if name in piece)
        return sorted(printed)
    if isinstance(result, Result):
        check_out(out, fmt, result.own_formats)
    text = render(result, fmt) if isinstance(result, Result) else str(result)
    if isinstance(text, bytes):
        _write_bytes(text, out)
    elif out is None:
        say(text)
    elif isinstance(result, Result) and (
        out.suffix == ".parquet" or (fmt == "text" and out.suffix in _endings(result))
    ):
        result.save(out)  # the ending of the name decides the format
    else:
        with atomic(out) as file:
            file.write(f"{lines_of_text(text)}\n".encode())
    return []


def _write_bytes(data: bytes, out: Path | None) -> None:
    """Write to a file atomically, or to standard output."""
    if out is not None:
        with atomic(out) as file:
            file.write(data)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


#: Seconds between two lines in a log.
PAUSE = 10.0


class _Bar:
    """A task shown as a progress bar of rich."""

    def __init__(self, bar: "Progress", number: "TaskID") -> None:
        self.bar, self.number = bar, number

    def update(self, done: int, total: int | None = None) -> None:
        self.bar.update(self.number, completed=done, total=total)  # None keeps the total

    def advance(self, amount: int = 1) -> None:
        self.bar.advance(self.number, amount)


class _Lines:
    """A task shown as a line every few seconds."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.start = self.last = time.monotonic()

    def update(self, done: int, total: int | None = None) -> None:
        self.done = done
        self.total = self.total if total is None else total
        now = time.monotonic()
        if now - self.last < PAUSE:
            return
        self.last = now
        spent = now - self.start
        text = f"{self.what}: {done:,}" if done or self.total else self.what
        if self.total:
            text += f" of {self.total:,}"
        if self.total and done:
            text += f", about {spent * (self.total - done) / done:,.0f} s left"
        say(f"{text} ({spent:,.0f} s so far)", sys.stderr)

    def advance(self, amount: int = 1) -> None:
        self.update(self.done + amount)


class _Terminal:
    """Shows notes as lines and tasks, also nested ones, as bars on a terminal."""

    def __init__(self) -> None:
        self.bar: Progress | None = None
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        if text not in self.notes:  # of several readers of one treebank, say
            self.notes.append(text)
            say(text, sys.stderr)

    @contextmanager
    def task(self, what: str, total: int | None) -> Iterator[ProgressTask]:
        if not sys.stderr.isatty():
            yield _Lines(what, total)
            return
        if self.bar is not None:
            number = self.bar.add_task(what, total=total)
            try:
                yield _Bar(self.bar, number)
            finally:
                self.bar.remove_task(number)
            return
        from rich import progress as rich
        from rich.console import Console

        columns = (
            rich.SpinnerColumn(), rich.TextColumn("{task.description}", markup=False),
            rich.BarColumn(), rich.MofNCompleteColumn(), rich.TimeElapsedColumn(),
            rich.TimeRemainingColumn(),
        )  # fmt: skip
        with rich.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            self.bar = bar
            try:
                yield _Bar(bar, bar.add_task(what, total=total))
            finally:
                self.bar = None


@contextmanager
def showing() -> Iterator[list[str]]:
    """Show notes and progress of the code in this context, and keep the notes."""
    terminal = _Terminal()
    with listening(terminal):
        yield terminal.notes
