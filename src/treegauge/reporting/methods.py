"""How every number on a page was computed: equation, options, signature, command, papers."""

import json
import re
import shlex
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

_ASSETS = files("treegauge.reporting").joinpath("assets")
_TEXTS = tomllib.loads(_ASSETS.joinpath("methods.toml").read_text(encoding="utf-8"))
#: Equations as MathML, which browsers draw without a script; ``python -m tools.docs.equations`` writes them.
_EQUATIONS: dict[str, str] = json.loads(_ASSETS.joinpath("equations.json").read_text(encoding="utf-8"))
#: The papers behind the numbers: how they are cited, and their BibTeX entries.
REFERENCES: dict[str, dict[str, str]] = _TEXTS["references"]


@dataclass(frozen=True)
class Method:
    """How one kind of number on the page is computed.

    `key` is the name of the method in ``assets/methods.toml``; `equation` is MathML, `text` and
    `options` are plain text, `command` reproduces the numbers, `references` are keys of papers in
    `REFERENCES`, and `of` says which treebank or table the numbers are of.
    """

    key: str
    name: str
    equation: str
    text: str
    options: str = ""
    signature: str = ""
    command: str = ""
    references: tuple[str, ...] = ()
    of: str = ""


def make_method(key: str, signature: str, command: str, of: str = "", **values: object) -> Method:
    """Return a method of ``assets/methods.toml`` with values filled in.

    Examples
    --------
    >>> make_method("displacements", "treegauge:1", "treegauge measure", reach=12).options
    'shown from −12 to 12'
    """
    texts = _TEXTS["methods"][key]
    name, text, options = (texts.get(part, "").format(**values) for part in ("name", "text", "options"))
    references = tuple(texts.get("references", ()))
    return Method(key, name, _EQUATIONS.get(key, ""), text, options, signature, command, references, of)


def python(*lines: str) -> str:
    """Return a command that runs lines of Python, for numbers that no treegauge command prints."""
    return f"python -c {shlex.quote('; '.join(lines))}"


def literal(path: str) -> str:
    """Return a path as a Python string in double quotes.

    Examples
    --------
    >>> print(literal("my out.npz"))
    "my out.npz"
    """
    return json.dumps(path, ensure_ascii=False)


#: With more signatures and commands than this, a method's entry folds them.
SHOWN = 2


def methods_html(methods: Sequence[tuple[str, Sequence[Method]]]) -> str:
    """Return the section on methods, one entry each; every paper is given as BibTeX once."""
    body = [
        '<h2 id="static-methods">Methods</h2>',
        '<p class="lead">For each number on this page: its definition, the choices behind it, the '
        "signature that identifies it, and the command that reproduces it in the folder with the "
        "files that this page was made of.</p>",
    ]
    entries: dict[str, list[Method]] = {}
    for _, listed in methods:
        for method in listed:
            entries.setdefault(method.key, []).append(method)
    for title, listed in methods:
        new = dict.fromkeys(method.key for method in listed if method.key in entries)
        if new:
            body.append(f"<h3>{escape(title)}</h3>")
        body += [_entry(entries.pop(key)) for key in new]
    used = dict.fromkeys(key for _, all in methods for method in all for key in method.references)
    if used:
        body.append("<h3>References</h3>")
        body.append(
            '<p>Papers to cite, as BibTeX: <button type="button" class="copy" data-copy="bibtex">Copy</button></p>'
        )
        bibtex = "\n\n".join(REFERENCES[key]["bibtex"] for key in used)
        body.append(f'<pre id="bibtex" data-keys="{" ".join(used)}" tabindex="0"><code>{escape(bibtex)}</code></pre>')
    return "\n".join(body)


def _entry(methods: Sequence[Method]) -> str:
    """Return the entry of a method, with signatures and commands of each treebank or table."""
    first = methods[0]
    cited = escape("; ".join(REFERENCES[key]["cited"] for key in first.references))
    options = "\n".join(dict.fromkeys(method.options for method in methods if method.options))
    drawn = f'<div class="equation">{first.equation}</div>' if first.equation else ""
    provenance = "".join(map(_made, methods))
    if len(methods) > SHOWN:
        summary = f"Signature and command of each of {len(methods)}"
        provenance = f"<details><summary>{summary}</summary>{provenance}</details>"
    papers = " ".join(first.references)
    return (
        f'<article class="method" id="method-{first.key}" data-papers="{papers}"><h4>{escape(first.name)}</h4>'
        f"{drawn}<p>{escape(first.text)}</p>"
        f"{_listed({'Options': escape(options), 'From': cited})}{provenance}</article>"
    )


def _made(method: Method) -> str:
    codes = {"Signature": method.signature, "Command": method.command}
    rows = {name: code and f"<code>{escape(code)}</code>" for name, code in codes.items()}
    of = f"<p>{escape(method.of)}</p>" if method.of else ""
    treebank = escape(treebank_of(method.of))
    return f'<div class="made" data-of="{treebank}">{of}{_listed(rows)}</div>'


def _listed(rows: dict[str, str]) -> str:
    terms = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows.items() if value)
    return f"<dl>{terms}</dl>" if terms else ""


def treebank_of(name: str) -> str:
    """Return the treebank that a set belongs to; readers filter all views by it.

    Examples
    --------
    >>> treebank_of("UD_Greek-GDT/test"), treebank_of("UD_Greek-GDT@2.5/dev"), treebank_of("gold")
    ('UD_Greek-GDT', 'UD_Greek-GDT@2.5', 'gold')
    """
    return re.sub(r"/(?:train|dev|test)$", "", name)
