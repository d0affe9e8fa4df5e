"""How every number of a page was made: equation, options, signature, command, papers."""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>\w+)|(?P<operator>\S))")


@dataclass(frozen=True)
class Method:
    """How one kind of number on the page is made.

    Parameters
    ----------
    name
        What the numbers are called on the page.
    equation
        The definition as MathML, made by the functions below.
    text
        What the symbols are, in plain text.
    options
        The choices that were made, in plain text.
    signature
        The line that identifies the numbers.
    command
        The command that makes them again.
    references
        Keys of the papers behind it, in `REFERENCES`.
    """

    name: str
    equation: str
    text: str
    options: str = ""
    signature: str = ""
    command: str = ""
    references: tuple[str, ...] = ()


def python(*lines: str) -> str:
    """Return a command that runs some lines, for numbers that no command of ours prints.

    Examples
    --------
    >>> print(python("import treegauge", "print(1)"))
    python -c 'import treegauge; print(1)'
    """
    return f"python -c {shlex.quote('; '.join(lines))}"


def literal(told: str) -> str:
    """Return a path that was quoted for a shell as Python writes it, between double quotes.

    Examples
    --------
    >>> print(literal("'my out.npz'"))
    "my out.npz"
    """
    return json.dumps(shlex.split(told)[0], ensure_ascii=False)


def m(text: str) -> str:
    """Mark up names, numbers and operators.

    Examples
    --------
    >>> m("a + 1")
    '<mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow>'
    """
    tags = {"number": "mn", "name": "mi", "operator": "mo"}
    parts = []
    for found in _TOKEN.finditer(text):
        kind = str(found.lastgroup)
        parts.append(f"<{tags[kind]}>{escape(found[kind])}</{tags[kind]}>")
    return f"<mrow>{''.join(parts)}</mrow>"


def _marked(part: str) -> str:
    return part if part.startswith("<m") else m(part)


def row(*parts: str) -> str:
    """Put parts beside each other."""
    return f"<mrow>{''.join(map(_marked, parts))}</mrow>"


def fraction(above: str, below: str) -> str:
    """Return a fraction."""
    return f"<mfrac>{_marked(above)}{_marked(below)}</mfrac>"


def sub(base: str, index: str) -> str:
    """Return a symbol with an index."""
    return f"<msub>{_marked(base)}{_marked(index)}</msub>"


def power(base: str, exponent: str) -> str:
    """Return a power."""
    return f"<msup>{_marked(base)}{_marked(exponent)}</msup>"


def total(over: str, *body: str) -> str:
    """Return a sum over something."""
    return f"<mrow><munder><mo>∑</mo>{_marked(over)}</munder>{row(*body)}</mrow>"


def root(*body: str) -> str:
    """Return a square root."""
    return f"<msqrt>{row(*body)}</msqrt>"


def equation(*parts: str) -> str:
    """Return a displayed equation.

    Examples
    --------
    >>> equation("F = ", fraction("a", "b"))[:28]
    '<math display="block"><mrow>'
    """
    return f'<math display="block">{row(*parts)}</math>'


def methods_html(methods: Sequence[tuple[str, Sequence[Method]]]) -> str:
    """Return the section on methods, by title of a section; each paper is given as BibTeX once."""
    body = [
        '<section id="methods" tabindex="-1" aria-labelledby="methods-title">',
        '<h2 id="methods-title">Methods</h2>',
        '<p class="lead">For each number on this page: its definition, the choices behind it, the '
        "signature that identifies it, and the command that reproduces it in the folder with the "
        "files that this page was made of.</p>",
    ]
    used: list[str] = []
    for title, listed in methods:
        if listed:
            body.append(f"<h3>{escape(title)}</h3>")
        for method in listed:
            body.append(_method(method))
            used += [key for key in method.references if key not in used]
    if used:
        body.append("<h3>References</h3>")
        body.append('<p>What to cite, as BibTeX: <button type="button" class="copy" '
                    'data-copy="bibtex">Copy</button></p>')  # fmt: skip
        entries = "\n\n".join(REFERENCES[key].bibtex for key in used)
        body.append(f'<pre id="bibtex" tabindex="0"><code>{escape(entries)}</code></pre>')
    return "\n".join([*body, "</section>"])


def _method(method: Method) -> str:
    rows = []
    if method.options:
        rows.append(("Options", escape(method.options)))
    if method.references:
        cited = "; ".join(REFERENCES[key].cited for key in method.references)
        rows.append(("From", escape(cited)))
    if method.signature:
        rows.append(("Signature", f"<code>{escape(method.signature)}</code>"))
    if method.command:
        rows.append(("Command", f"<code>{escape(method.command)}</code>"))
    drawn = f'<div class="equation">{method.equation}</div>' if method.equation else ""
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return (
        f'<article class="method"><h4>{escape(method.name)}</h4>'
        f"{drawn}<p>{escape(method.text)}</p><dl>{listed}</dl></article>"
    )


class Reference(NamedTuple):
    """A paper: what is cited, and its BibTeX entry."""

    cited: str
    bibtex: str


def _entry(kind: str, key: str, **fields: str) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


REFERENCES = {
    "zeman2018": Reference(
        "Zeman et al. (2018)",
        _entry(
            "inproceedings",
            "zeman2018conll",
            author="Zeman, Daniel and Haji{\\v{c}}, Jan and Popel, Martin and Potthast, Martin "
            "and Straka, Milan and Ginter, Filip and Nivre, Joakim and Petrov, Slav",
            title="{CoNLL} 2018 Shared Task: Multilingual Parsing from Raw Text to Universal "
            "Dependencies",
            booktitle="Proceedings of the {CoNLL} 2018 Shared Task: Multilingual Parsing from "
            "Raw Text to Universal Dependencies",
            pages="1--21",
            year="2018",
        ),
    ),
    "fragility": Reference(
        "Alonso-Alonso, Vilares and Gómez-Rodríguez (2022)",
        _entry(
            "inproceedings",
            "alonso2022fragility",
            author="Alonso-Alonso, Iago and Vilares, David and G{\\'o}mez-Rodr{\\'i}guez, Carlos",
            title="The Fragility of Multi-Treebank Parsing Evaluation",
            booktitle="Proceedings of the 29th International Conference on Computational "
            "Linguistics",
            year="2022",
        ),
    ),
    "edv": Reference(
        "Anderson and Gómez-Rodríguez (2022)",
        _entry(
            "article",
            "anderson2022edv",
            author="Anderson, Mark and G{\\'o}mez-Rodr{\\'i}guez, Carlos",
            title="The Impact of Edge Displacement {V}aserstein Distance on {UD} Parsing "
            "Performance",
            journal="Computational Linguistics",
            year="2022",
        ),
    ),
    "difficulty": Reference(
        "Kulmizev and Nivre (2023)",
        _entry(
            "inproceedings",
            "kulmizev2023difficulty",
            author="Kulmizev, Artur and Nivre, Joakim",
            title="Investigating {UD} Treebanks via Dataset Difficulty Measures",
            booktitle="Proceedings of the 17th Conference of the European Chapter of the "
            "Association for Computational Linguistics",
            year="2023",
        ),
    ),
    "challenges": Reference(
        "Aufrant, Wisniewski and Yvon (2018)",
        _entry(
            "inproceedings",
            "aufrant2018challenges",
            author="Aufrant, Lauriane and Wisniewski, Guillaume and Yvon, Fran{\\c{c}}ois",
            title="Quantifying Training Challenges of Dependency Parsers",
            booktitle="Proceedings of the 27th International Conference on Computational "
            "Linguistics",
            pages="3191--3202",
            year="2018",
        ),
    ),
    "swayamdipta2020": Reference(
        "Swayamdipta et al. (2020)",
        _entry(
            "inproceedings",
            "swayamdipta2020cartography",
            author="Swayamdipta, Swabha and Schwartz, Roy and Lourie, Nicholas and Wang, Yizhong "
            "and Hajishirzi, Hannaneh and Smith, Noah A. and Choi, Yejin",
            title="Dataset Cartography: Mapping and Diagnosing Datasets with Training Dynamics",
            booktitle="Proceedings of the 2020 Conference on Empirical Methods in Natural "
            "Language Processing",
            year="2020",
        ),
    ),
}
