"""The command line: find the verb, run it, and report user errors in one clear message.

A verb's module is imported when the verb is called, so that help and completion are instant.
"""

import os
import sys
from collections.abc import Sequence

from treegauge import __version__
from treegauge.cli.options import (
    HELP,
    Option,
    UsageError,
    complete,
    completion_script,
    did_you_mean,
    help_sections,
    help_text,
    usage,
)
from treegauge.cli.verbs import DEFAULT, QUESTION, VERBS
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import say
from treegauge.core.platforms import use_utf8_streams

ABOUT = "What does this parsing score mean? Score, rank and measure parsers and treebanks."
#: Verbs without large matrix products, for which numpy need not start threads.
SERIAL = frozenset({"check", "score"})
OPTIONS = (
    Option("version", ("--version",), bool, help="Print the version and exit."),
    Option("show", ("--show-completion",), metavar="[SHELL]",
           help="Print the completion script for bash, zsh or fish; by default for your shell."),
    HELP,
)  # fmt: skip


def run_command(words: Sequence[str]) -> int:
    """Run a command given as words and return its exit code, 2 for user errors."""
    try:
        code = _run(list(words))
        sys.stdout.flush()
        return code
    except UsageError as error:
        hint = f"Try '{error.usage.partition(' [')[0]} --help' for help."
        say(f"Usage: {error.usage}\n{hint}\n\nerror: {error}", sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (TreegaugeError, OSError) as error:  # OSError: a missing folder, a full disk
        message = str(error)
        if isinstance(error, OSError) and error.filename is not None:
            message = f"{error.filename}: {error.strerror}"
        # Problems of a file have the form that editors read: file:line: error: ...
        start = "" if ": error: " in message.partition("\n")[0] else "error: "
        say(f"{start}{message}", sys.stderr)
        return 2
    except MemoryError as error:
        say(f"error: not enough memory: {str(error) or 'use smaller inputs'}", sys.stderr)
        return 2
    except KeyboardInterrupt as stop:  # some commands report what was saved
        say(str(stop) or "interrupted", sys.stderr)
        return 130


def main() -> None:
    """Run the command line."""
    if not SERIAL.isdisjoint(sys.argv[1:2]):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    use_utf8_streams()
    sys.exit(run_command(sys.argv[1:]))


def _run(words: list[str]) -> int:
    first = words[0] if words else "--help"
    if first in QUESTION:
        return _run_verb(*words)
    if first == "--help":
        sections = help_sections(OPTIONS)
        for question, verbs in VERBS.items():
            sections[question] = [(name, command.help) for name, command in verbs.items()]
        say(help_text("treegauge [OPTIONS] COMMAND [ARGS]...", ABOUT, sections))
        return 0 if words else 2
    if first == "--version":
        say(f"treegauge {__version__}")
        return 0
    if first in {"--show-completion", "--complete"}:
        say(completion_script(words[1:]) if first == "--show-completion" else complete(words[1:]))
        return 0
    if first.startswith("-"):
        known = [flag for option in OPTIONS for flag in option.flags]
        raise UsageError(f"No such option: {first}{did_you_mean(first, known)}")
    hint = did_you_mean(first, QUESTION) or ". See treegauge --help."
    raise UsageError(f"No such command '{first}'{hint}")


def _run_verb(name: str, *words: str) -> int:
    from treegauge.cli.commands import run_verb, verb_about, verb_options

    command, called, sub = VERBS[QUESTION[name]][name], f"treegauge {name}", ""
    if command.subverbs:
        usage_of_all = f"{called} [OPTIONS] COMMAND [ARGS]..."
        if not words or words == ("--help",):
            rows = [(DEFAULT, command.help)]
            rows += [(subverb, verb_about(name, subverb).partition("\n")[0]) for subverb in command.subverbs]
            default = f"{name} {DEFAULT}"
            options = f"`{default} --help` lists its options"
            about = f"{command.help} `{name} ...` means `{default} ...`; {options}."
            say(help_text(usage_of_all, about, {**help_sections([HELP]), "Commands": rows}))
            return 0 if words else 2
        if words[0] in {DEFAULT, *command.subverbs}:
            sub, words = words[0], words[1:]
            called = f"{called} {sub}"
        elif not os.path.exists(words[0]):  # noqa: PTH110 -- pathlib is not loaded yet
            # A word that looks like a subverb and is not a file is a misspelt subverb.
            near = did_you_mean(words[0], [DEFAULT, *command.subverbs], cutoff=0.75)
            if near:
                raise UsageError(f"No such command '{words[0]}'{near}", usage_of_all)
    sub = sub if sub != DEFAULT else ""
    try:
        code = run_verb(name, sub, words)
    except UsageError as error:
        raise UsageError(str(error), usage(called, verb_options(name, sub))) from None
    if code is None:
        shown = verb_options(name, sub)
        say(help_text(usage(called, shown), verb_about(name, sub), help_sections(shown)))
    return code or 0
