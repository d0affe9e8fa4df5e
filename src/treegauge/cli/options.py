"""Options of a command: parsing of words, help, and completion in bash, zsh and fish.

The parser is not argparse, which was tried with the same options and messages. It would save some
20 lines of 70, and cost 7 ms a start of 30 ms (6 to load, 1.2 to build); its errors would have to be
recognised by their texts, which differ between versions of Python; words after ``--`` between
options, and values that begin with a dash, would be refused.
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from treegauge.cli.verbs import DEFAULT, QUESTION, VERBS
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import terminal_width

#: Maximum width of help, and of its column of names.
WIDTH, NAMES = 100, 28
KINDS = {str: "TEXT", int: "INTEGER", float: "FLOAT"}


class UsageError(TreegaugeError):
    """An invalid command line; `usage` shows the correct form."""

    def __init__(self, message: str, usage: str = "treegauge [OPTIONS] COMMAND [ARGS]...") -> None:
        super().__init__(message)
        self.usage = usage


class Option(NamedTuple):
    """An option of a command or, if it has no flags, an argument.

    Attributes
    ----------
    name
        The parameter it sets.
    flags
        ``--seed``, ``-s``; ``--no-x`` sets a boolean parameter to False.
    kind
        str, int, float, or bool for a flag without a value.
    several
        Whether it may be given more than once.
    shown
        The default, as shown in help.
    """

    name: str
    flags: Sequence[str] = ()
    kind: type = str
    choices: Sequence[str] = ()
    several: bool = False
    required: bool = False
    metavar: str = ""
    help: str = ""
    shown: str = ""

    @property
    def title(self) -> str:
        """Its name in usage and errors."""
        return self.flags[0] if self.flags else self.metavar

    @property
    def left(self) -> str:
        """The left column of its line in help."""
        if not self.flags:
            return self.metavar
        names = "/".join(self.flags) if self.kind is bool else ", ".join(self.flags)
        value = self.metavar or (f"[{'|'.join(self.choices)}]" if self.choices else "")
        return f"{names} {value or KINDS.get(self.kind, '')}".rstrip()

    @property
    def right(self) -> str:
        """The right column of its line in help."""
        more = ["required"] if self.required else [f"default: {self.shown}"] if self.shown else []
        return " ".join([self.help, *(f"[{remark}]" for remark in more)])

    def value(self, text: str) -> Any:
        """Convert a text to a value."""
        if self.choices and text not in self.choices:
            legal = ", ".join(map(repr, self.choices))
            raise UsageError(f"Invalid value for '{self.title}': {text!r} is not one of {legal}.")
        try:
            return self.kind(text)
        except ValueError:
            noun = {int: "integer", float: "number"}[self.kind]
            message = f"Invalid value for '{self.title}': {text!r} is not a valid {noun}."
            raise UsageError(message) from None


HELP = Option("help", ("--help",), bool, help="Show this message and exit.")


def read_words(words: Iterable[str], options: Sequence[Option]) -> dict[str, Any]:
    """Return the values given on the command line, by parameter.

    Examples
    --------
    >>> gold, seed = Option("gold", metavar="GOLD"), Option("seed", ("--seed", "-s"), int)
    >>> read_words(["-s", "3", "a.conllu"], [gold, seed])
    {'seed': 3, 'gold': 'a.conllu'}
    """
    known = {flag: option for option in options for flag in option.flags}
    values: dict[str, Any] = {}
    rest: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            rest += left
            break
        if word == "-" or not word.startswith("-"):
            rest.append(word)
            continue
        if word.startswith("--"):
            flag, equals, text = word.partition("=")
        else:
            flag, equals, text = word[:2], word[2:], word[2:]
        if flag not in known:
            raise UsageError(f"No such option: {flag}{did_you_mean(flag, known)}")
        option = known[flag]
        if option.kind is bool:
            if equals:
                raise UsageError(f"Option '{flag}' does not take a value.")
            _set(values, option, flag, not flag.startswith("--no-"))
            continue
        value = text if equals else next(left, None)
        if value is None:
            raise UsageError(f"Option '{flag}' requires an argument.")
        _add(values, option, value, flag)
    _place(values, rest, [option for option in options if not option.flags])
    if not (values.get("help") or values.get("list")):
        for option in options:
            if option.required and option.name not in values:
                kind = "option" if option.flags else "argument"
                raise UsageError(f"Missing {kind} '{option.title}'.")
    return values


def _add(values: dict[str, Any], option: Option, text: str, flag: str = "") -> None:
    if option.several:
        values.setdefault(option.name, []).append(option.value(text))
    else:
        _set(values, option, flag, option.value(text))


def _set(values: dict[str, Any], option: Option, flag: str, value: Any) -> None:
    """Set an option that may be given once; the same value again does not matter."""
    if option.name in values and values[option.name] != value:
        same = flag if flag == option.title else f"{flag} ({option.title})"
        found = "" if option.kind is bool else f": {values[option.name]!r} and {value!r}"
        raise UsageError(f"Option '{same}' was given twice with different values{found}.")
    values[option.name] = value


def _place(values: dict[str, Any], words: list[str], arguments: Sequence[Option]) -> None:
    """Assign words to arguments in order; an argument that takes several takes the rest."""
    for number, argument in enumerate(arguments, 1):
        size = len(words) - (len(arguments) - number) if argument.several else 1
        for word in words[: max(size, 0)]:
            _add(values, argument, word)
        del words[: max(size, 0)]
    if words:
        raise UsageError(f"Got unexpected extra arguments: {' '.join(words)}")


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return a suggestion for a misspelt word, or nothing."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1, cutoff)
    return f". Did you mean {near[0]!r}?" if near else ""


def usage(command: str, options: Sequence[Option]) -> str:
    """Return the usage line of a command."""
    parts = []
    for option in options:
        if not option.flags:
            name = f"{option.metavar}..." if option.several else option.metavar
            parts.append(name if option.required else f"[{name}]")
    return " ".join([f"{command} [OPTIONS]", *parts])


def help_text(usage: str, about: str, sections: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Return the layout of help: usage, description, and lists of names with meanings."""
    import textwrap

    wide = min(terminal_width(sys.stdout) or 80, WIDTH)
    blocks = [textwrap.fill(f"Usage: {usage}", wide, subsequent_indent="  ")]
    blocks += [part if part.startswith("  ") else textwrap.fill(part, wide) for part in about.split("\n\n")]
    for title, rows in sections.items():
        size = min(max((len(left) for left, _ in rows), default=0), NAMES)
        lines = [f"{title}:" if not title.endswith("?") else title]
        for left, right in rows:
            indent = " " * (size + 4)
            body = textwrap.wrap(right, max(wide - len(indent), 20), break_on_hyphens=False) or [""]
            if len(left) > size:
                lines.append(f"  {left}")
            else:
                lines.append(f"  {left:<{size}}  {body.pop(0)}".rstrip())
            lines += [indent + line for line in body]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def help_sections(options: Sequence[Option]) -> dict[str, list[tuple[str, str]]]:
    """Return arguments and options as sections of help."""
    rows = {
        "Arguments": [(option.left, option.right) for option in options if not option.flags],
        "Options": [(option.left, option.right) for option in options if option.flags],
    }
    return {title: lines for title, lines in rows.items() if lines}


SCRIPTS = {
    "bash": """\
_treegauge() {
    local IFS=$'\\n'
    COMPREPLY=($(treegauge --complete "${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f1))
}
complete -o default -F _treegauge treegauge""",
    "zsh": """\
#compdef treegauge
_treegauge() {
    local -a found
    found=("${(@f)$(treegauge --complete "${(@)words[2,CURRENT]}")}")
    if [[ -n "$found" ]]; then
        found=("${(@)found/$'\\t'/:}")
        _describe treegauge found
    else
        _files
    fi
}
compdef _treegauge treegauge""",
    "fish": """\
complete -c treegauge -a '(treegauge --complete (commandline -opc)[2..] (commandline -ct))'""",
}


def completion_script(words: Sequence[str]) -> str:
    """Return the completion script for the given shell, or for the user's."""
    name = words[0] if words else os.environ.get("SHELL", "").rpartition("/")[2]
    if not name:
        raise UsageError(f"name your shell: one of {', '.join(SCRIPTS)}")
    if name not in SCRIPTS:
        raise ChoiceError("shell", name, SCRIPTS)
    return SCRIPTS[name]


def complete(words: Sequence[str]) -> str:
    r"""Return the possible completions of the last word, one per line, with their meaning.

    The result is empty where a file is expected.

    Examples
    --------
    >>> complete(["sc"])
    'score\tScore systems against gold, with confidence intervals and significance tests.'
    """
    *before, word = words or [""]
    if not before:
        known = {name: VERBS[question][name].help for name, question in QUESTION.items()}
        completions = {name: text for name, text in known.items() if name.startswith(word)}
    elif before[0] in QUESTION:
        completions = _in_verb(before, word)
    else:
        completions = {}
    return "\n".join(f"{name}\t{text}".rstrip() for name, text in completions.items())


def _in_verb(before: Sequence[str], word: str) -> dict[str, str]:
    """Return subverbs, options, or the values of the preceding option."""
    from treegauge.cli.commands import verb_options

    name, *rest = before
    subverbs = VERBS[QUESTION[name]][name].subverbs
    sub = rest[0] if rest and rest[0] in subverbs else ""
    options: list[Option] = verb_options(name, sub)
    values = {flag: option for option in options for flag in option.flags}
    previous_option = values.get(before[-1], HELP)
    if previous_option.choices:
        return {choice: "" for choice in previous_option.choices if choice.startswith(word)}
    if word.startswith("-"):
        return {flag: option.help for flag, option in values.items() if flag.startswith(word)}
    commands = [DEFAULT, *subverbs] if subverbs and not rest else []
    return {name: "" for name in commands if name.startswith(word)}
