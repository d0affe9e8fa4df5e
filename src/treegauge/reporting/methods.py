"""How every number of a page was made: equation, options, signature, command, papers."""

from collections.abc import Sequence
from html import escape

from treegauge.reporting.references import REFERENCES
from treegauge.reporting.section import Method, Section


def methods_html(sections: Sequence[Section]) -> str:
    """Return the section on methods; each paper that is named is given as BibTeX once."""
    body = [
        '<section id="methods" tabindex="-1" aria-labelledby="methods-title">',
        '<h2 id="methods-title">Methods</h2>',
        '<p class="lead">For each number on this page: its definition, the choices behind it, the '
        "signature that identifies it, and the command that makes it again, in the folder with the "
        "files that this page was made of.</p>",
    ]
    used: list[str] = []
    for section in sections:
        if section.methods:
            body.append(f"<h3>{escape(section.title)}</h3>")
        for method in section.methods:
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
