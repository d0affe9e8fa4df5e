"""Random damage to bytes; the same seed gives the same damage."""

from collections.abc import Sequence
from random import Random

_BYTES = [
    b"", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xc2\x85", b"\xc2\xa0",
    b"\t", b"\n", b"\r", b"\r\n", b"\n\n", b"\n#\n", b"#", b" ", b"-", b".", b"_", b"+", b"0",
    b"9" * 9, b"9" * 5000, b"\xef\xbb\xbf", b"1-2", b"2-1", "２".encode(),
]  # fmt: skip


def damaged(data: bytes, random: Random) -> bytes:  # noqa: PLR0911 -- a kind of damage each
    """Damage CoNLL-U in one of ten ways."""
    at = random.randrange(len(data) + 1)
    lines = data.splitlines(keepends=True) or [b""]
    line = random.randrange(len(lines))
    fields = lines[line].split(b"\t")
    field = random.randrange(len(fields))
    kind = random.randrange(10)
    if kind == 0:  # a byte is another
        return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data[:at] + random.choice(_BYTES) + data[at + random.randrange(3) :]
    if kind == 3:
        fields[field] = random.choice(_BYTES)
    elif kind == 4:
        fields[field] += random.choice(_BYTES)
    elif kind == 5:
        fields.insert(field, random.choice(_BYTES))
    elif kind == 6:
        return b"".join(lines[:line] + lines[line + 1 :])
    elif kind == 7:
        return b"".join(lines[: line + 1] + lines[line:])
    elif kind == 8:
        other = random.randrange(len(lines))
        lines[line], lines[other] = lines[other], lines[line]
        return b"".join(lines)
    else:  # a tab is gone
        gone = data.find(b"\t", at)
        return data[:gone] + data[gone + 1 :] if gone >= 0 else data
    lines[line] = b"\t".join(fields)
    return b"".join(lines)


def spliced(  # noqa: PLR0911 -- a kind of damage each
    data: bytes, random: Random, pieces: Sequence[bytes]
) -> bytes:
    """Damage any bytes: change, cut, repeat or move some of them, or put in one of `pieces`."""
    at = random.randrange(len(data) + 1)
    end = min(len(data), at + random.choice((1, 1, 2, 4, 16, 64)))
    kind = random.randrange(7)
    if kind == 0:
        return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + data[end:]
    if kind == 2:
        return data[:at]
    if kind == 3:
        return data[:end] + data[at:]
    if kind == 4:
        other = random.randrange(len(data) + 1)
        return data[:other] + data[at:end] + data[other:]
    if kind == 5 and at < len(data):  # one bit
        return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]
    return data[:at] + random.choice(pieces) + data[random.choice((at, end)) :]
