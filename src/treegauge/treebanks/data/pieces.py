"""Files in pieces of whole sentences; light to import."""

from collections.abc import Iterator

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.sources.files import open_bytes


def count_lines(data: bytes) -> int:
    """Count the line ends in these bytes: LF, CRLF or a lone CR."""
    lines = data.count(b"\n")
    return lines + data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else lines


def pieces(path: str, chunk: int) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces of about `chunk` that end with a sentence."""
    if chunk < 1:
        raise TreegaugeError(f"a piece has {chunk} bytes; expected at least 1")
    with open_bytes(path) as stream:
        rest = b""
        more = True
        while more:
            size = max(chunk, len(rest))
            data = stream.read(size)
            more = len(data) == size
            data = rest + data
            cut = _last_blank_line(data) if more else len(data)
            if cut:
                yield data[:cut]
            rest = data[cut:]


def _last_blank_line(data: bytes) -> int:
    """Return the position after the last blank line with text after it, or 0."""
    after = len(data.rstrip(b"\r\n"))
    cut = data.rfind(b"\n\n", 0, after)
    for mark in (b"\n\r", b"\r\r"):  # these are rare, so only the rest is searched
        cut = max(cut, data.rfind(mark, max(cut, 0), after))
    cut += 2
    if cut == 1:
        return 0
    while data[cut] in b"\r\n":
        cut += 1
    return cut
