"""One order for the objects of a PDF, so that a figure is the same bytes however often it is saved.

The converter keeps fonts in a table without an order: which is written first, which number its
objects get and where it stands in the list of fonts are chance; what they say is not.
"""

import re

_OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj\n", re.DOTALL)
_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_TRAILER = re.compile(rb"\ntrailer\n(<<.*?>>)\nstartxref\n\d+\n%%EOF\s*$", re.DOTALL)
_OFFSET = re.compile(rb"^(\d{10}) \d{5} n", re.MULTILINE)
#: Neighbouring lines of one dictionary that name fonts.
_FONTS = re.compile(rb"(?:^ +/fo\d+ \d+ 0 R\n){2,}", re.MULTILINE)


def settled(pdf: bytes) -> bytes:
    """Return a PDF with its objects numbered in the order in which they are first named.

    What is not laid out as the converter does it comes back as it is.

    Examples
    --------
    >>> settled(b"no PDF")
    b'no PDF'
    """
    end, table = _TRAILER.search(pdf), pdf.rfind(b"\nxref\n")
    if end is None or table < 0:
        return pdf
    bodies = _bodies(pdf, table)
    if not bodies:
        return pdf
    order: list[bytes] = []
    waiting = _named(end[1])
    while waiting:
        number = waiting.pop(0)
        if number in order:
            continue
        if number not in bodies:
            return pdf
        order.append(number)
        waiting += _named(bodies[number])
    new = {old: str(place).encode() for place, old in enumerate(order, start=1)}
    written = [pdf[: pdf.find(b"\n", pdf.find(b"\n") + 1) + 1]]
    offsets = []
    for old in order:
        offsets.append(sum(map(len, written)))
        written.append(new[old] + b" 0 obj\n" + _renumbered(bodies[old], new) + b"\nendobj\n\n")
    start = sum(map(len, written))
    rows = [b"%010d 00000 n \n" % offset for offset in offsets]
    trailer = _renumbered(end[1], new).replace(
        b"/Size %d" % (len(bodies) + 1), b"/Size %d" % (len(order) + 1)
    )
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(order) + 1)
    foot = b"trailer\n" + trailer + b"\nstartxref\n%d\n%%%%EOF\n" % start
    return b"".join([*written, head, *rows, foot])


def _bodies(pdf: bytes, table: int) -> dict[bytes, bytes]:
    """Return what objects hold by number, where the table of offsets says they begin."""
    bodies = {}
    for offset in _OFFSET.findall(pdf, table):
        found = _OBJECT.match(pdf, int(offset))
        if found is None:
            return {}
        bodies[found[1]] = _FONTS.sub(lambda lines: _sorted(lines[0]), found[2])
    return bodies


def _sorted(lines: bytes) -> bytes:
    return b"".join(sorted(lines.splitlines(keepends=True)))


def _described(body: bytes) -> tuple[bytes, bytes]:
    """Split an object into its dictionary and its stream; only the first names other objects."""
    head, mark, stream = body.partition(b"\nstream\n")
    return head, mark + stream


def _named(body: bytes) -> list[bytes]:
    return _REFERENCE.findall(_described(body)[0])


def _renumbered(body: bytes, new: dict[bytes, bytes]) -> bytes:
    head, stream = _described(body)
    return _REFERENCE.sub(lambda found: new[found[1]] + b" 0 R", head) + stream
