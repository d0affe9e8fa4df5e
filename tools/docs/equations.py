"""Write the equations of a page as MathML: ``python -m tools.docs.equations``.

``assets/methods.toml`` has them in a small part of LaTeX; a test fails when the MathML is stale.
"""

import json
import re
import tomllib
from html import escape
from pathlib import Path

ASSETS = Path(__file__).parents[2] / "src" / "treegauge" / "reporting" / "assets"
TARGET = ASSETS / "equations.json"

_TOKEN = re.compile(r"\\[a-z]+|\\[{}]|[{}_^]|\d+(?:\.\d+)?|[^\W\d_]+|\S")


def mathml(latex: str) -> str:
    r"""Return an equation as MathML, which browsers draw without a script.

    Supports these parts of LaTeX: ``\frac``, ``\sqrt``, ``\sum``, subscripts, superscripts, groups.

    Examples
    --------
    >>> mathml("a_i + 1")[22:]
    '<mrow><msub><mi>a</mi><mi>i</mi></msub><mo>+</mo><mn>1</mn></mrow></math>'
    """
    return f'<math display="block">{_row(_TOKEN.findall(latex))}</math>'


def _row(tokens: list[str]) -> str:
    """Consume tokens up to the end of the group and return them as MathML."""
    parts: list[str] = []
    while tokens and tokens[0] != "}":
        if tokens[0] in {"_", "^"}:
            over = "msub" if tokens.pop(0) == "_" else "msup"
            tag = "munder" if parts[-1] == "<mo>∑</mo>" else over
            parts[-1] = f"<{tag}>{parts[-1]}{_operand(tokens)}</{tag}>"
        else:
            parts.append(_operand(tokens))
    return f"<mrow>{''.join(parts)}</mrow>"


def _operand(tokens: list[str]) -> str:
    """Consume one token, command or group and return it as MathML."""
    first = tokens.pop(0)
    if first == "{":
        inner = _row(tokens)
        tokens.pop(0)
        return inner
    if first == "\\frac":
        return f"<mfrac>{_operand(tokens)}{_operand(tokens)}</mfrac>"
    if first == "\\sqrt":
        return f"<msqrt>{_operand(tokens)}</msqrt>"
    if first == "\\sum":
        return "<mo>∑</mo>"
    tag = "mn" if first[0].isdecimal() else "mi" if first[0].isalnum() else "mo"
    return f"<{tag}>{escape(first.removeprefix(chr(92)))}</{tag}>"


def equations() -> str:
    """Return the equations of all methods by key, one a line."""
    methods = tomllib.loads((ASSETS / "methods.toml").read_text(encoding="utf-8"))["methods"]
    drawn = {key: mathml(texts["equation"]) for key, texts in methods.items() if "equation" in texts}
    return json.dumps(drawn, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    TARGET.write_text(equations(), encoding="utf-8")
