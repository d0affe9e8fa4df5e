"""Equations as MathML, which browsers draw without any script."""

import re
from html import escape

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>\w+)|(?P<operator>\S))")


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
