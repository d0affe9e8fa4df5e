"""The page's JavaScript modules joined into one script, without a build tool."""

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath

from treegauge.core.errors import TreegaugeError

_ASSETS: Traversable = files("treegauge.reporting").joinpath("assets")
#: The module and the function that start the page.
ENTRY, START = "shell/main.js", "start"
#: Style sheets that come before those of single views.
FIRST_STYLES = ("tokens", "base", "shell", "components")

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function|class) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def asset(name: str) -> str:
    """Return the text of a packaged file, such as ``shell/main.js``."""
    return _ASSETS.joinpath(*name.split("/")).read_text(encoding="utf-8")


def style() -> str:
    """Return all style sheets: tokens, those shared by all views, then those of views by name."""
    names = sorted(sheet.name.removesuffix(".css") for sheet in _ASSETS.joinpath("css").iterdir())
    ordered = [*FIRST_STYLES, *(name for name in names if name not in FIRST_STYLES)]
    return "".join(asset(f"css/{name}.css") for name in ordered)


def script() -> str:
    """Return the script of the page: all modules in order of import, and its start."""
    texts: dict[str, str] = {}
    _collect(ENTRY, texts, ())
    parts = [_wrapped(name, text) for name, text in texts.items()]
    return "\n".join(['"use strict";', *parts, f"{_variable(ENTRY)}.{START}();", ""])


def _collect(name: str, texts: dict[str, str], above: tuple[str, ...]) -> None:
    """Add a module after the modules that it imports."""
    if name in above:
        raise TreegaugeError(f"modules import each other: {' > '.join([*above, name])}")
    if name in texts:
        return
    text = asset(name)
    for _, path in _IMPORT.findall(text):
        _collect(normpath(join(dirname(name), path)), texts, (*above, name))
    texts[name] = text


def _variable(name: str) -> str:
    """Return the variable that holds what a module exports.

    Examples
    --------
    >>> _variable("shell/main.js")
    '$shell_main'
    """
    return "$" + name.removesuffix(".js").replace("/", "_")


def _wrapped(name: str, text: str) -> str:
    r"""Return a module as a function that is called once and returns what the module exports.

    Examples
    --------
    >>> text = 'import { a as b } from "./x.js";\nexport const c = b;\n'
    >>> print(_wrapped("shell/y.js", text))
    const $shell_y = (() => {
    const { a: b } = $shell_x;
    const c = b;
    return { c };
    })();
    """

    def imported(match: re.Match[str]) -> str:
        names = " ".join(match[1].replace(" as ", ": ").split()).removesuffix(",")
        return f"const {{ {names} }} = {_variable(normpath(join(dirname(name), match[2])))};\n"

    exported = _EXPORT.findall(text)
    body = _EXPORT.sub("", _IMPORT.sub(imported, text))
    if invalid := _OTHER.search(body):
        raise TreegaugeError(
            f"{name}: {invalid[0]}\nexpected import {{ names }} from a relative path, or export "
            "before const, function or class"
        )
    names = ", ".join(exported)
    return f"const {_variable(name)} = (() => {{\n{body}return {{ {names} }};\n}})();"
