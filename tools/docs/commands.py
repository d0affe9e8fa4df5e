"""The help of every command as a page of the site, made when the site is built."""

import io
from contextlib import redirect_stdout

from treegauge.cli.app import run_command
from treegauge.cli.verbs import DEFAULT, VERBS

HEAD = """# Commands

One page per command: what `--help` prints. In Python, each command is `tg.COMMAND(...)` with the
same parameters: `--no-browser` is `browser=False`, and an option that may be repeated takes a list.
"""


def pages() -> dict[str, str]:
    """Return the pages by name: the list of commands, then one page for each."""
    made, parts = {}, [HEAD]
    for question, commands in VERBS.items():
        rows = [f"| [`{name}`]({name}.md) | {command.help} |" for name, command in commands.items()]
        parts.append("\n".join([f"## {question}\n", "| command | what it does |\n|---|---|", *rows, ""]))
        for name, command in commands.items():
            subverbs = [sub for sub in command.subverbs if sub != DEFAULT]
            page = [f"# treegauge {name}\n", f"[How to use it](../howto/{name}.md), with examples.\n", _block([name])]
            page += [f"## {name} {sub}\n\n{_block([name, sub])}" for sub in ([DEFAULT] * bool(subverbs)) + subverbs]
            made[f"commands/{name}.md"] = "\n".join(page)
    return {"commands/index.md": "\n".join([*parts, "## Options of the program\n", _block([])]), **made}


def _block(words: list[str]) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = run_command([*words, "--help"])
    if code:
        raise RuntimeError(f"{' '.join(words)} --help failed")
    return f"```text\n{printed.getvalue().strip()}\n```\n"
