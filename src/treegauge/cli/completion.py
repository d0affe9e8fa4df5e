"""Completion of commands, options and their values in bash, zsh and fish."""

import os
from collections.abc import Sequence
from pathlib import Path

from treegauge.cli.options import HELP, Option, UsageError
from treegauge.cli.verbs import DEFAULT, QUESTION, VERBS
from treegauge.core.errors import ChoiceError

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
#: Path of the script per shell, and the file and line that make the shell load it.
PLACES = {
    "bash": (".bash_completions/treegauge", ".bashrc", ". ~/.bash_completions/treegauge"),
    "zsh": (".zfunc/_treegauge", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/treegauge.fish", None, ""),
}


def _shell(words: Sequence[str]) -> str:
    name = words[0] if words else Path(os.environ.get("SHELL", "")).name
    if not name:
        raise UsageError(f"name your shell: one of {', '.join(SCRIPTS)}")
    if name not in SCRIPTS:
        raise ChoiceError("shell", name, SCRIPTS)
    return name


def completion_script(words: Sequence[str]) -> str:
    """Return the completion script for the given shell, or for the user's."""
    return SCRIPTS[_shell(words)]


def install(words: Sequence[str]) -> str:
    """Write the script where the shell looks for it, and return a message with the path."""
    from treegauge.core.files import atomic  # completion itself does not need it

    shell = _shell(words)
    place, settings, line = PLACES[shell]
    target = Path.home() / place
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic(target, own=True) as script:
        script.write(f"{SCRIPTS[shell]}\n".encode())
    if settings is not None:
        _append_line(Path.home() / settings, line)
    return f"wrote {target}; completion works in new shells"


def _append_line(path: Path, line: str) -> None:
    """Add a line to the end of a file of the user unless it has the line; change nothing else."""
    with path.open("ab+") as file:
        file.seek(0)
        old = file.read()
        if line.encode() not in old.splitlines():
            start = "" if not old or old.endswith(b"\n") else "\n"
            file.write(f"{start}{line}\n".encode())


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
    from treegauge.cli.commands import verb_command

    name, *rest = before
    subverbs = VERBS[QUESTION[name]][name].subverbs
    sub = rest[0] if rest and rest[0] in subverbs else ""
    options: list[Option] = verb_command(name, sub).options
    values = {flag: option for option in options for flag in option.flags}
    previous_option = values.get(before[-1], HELP)
    if previous_option.choices:
        return {choice: "" for choice in previous_option.choices if choice.startswith(word)}
    if word.startswith("-"):
        return {flag: option.help for flag, option in values.items() if flag.startswith(word)}
    commands = [DEFAULT, *subverbs] if subverbs and not rest else []
    return {name: "" for name in commands if name.startswith(word)}
