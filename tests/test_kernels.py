"""Memory in kernels: what is said to be there is there, also after an error."""

import re
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[1] / "src" / "treegauge" / "kernels"
FUNCTION = re.compile(r"^ *c?p?def [^=\n(]*?(\w+)\(", re.MULTILINE)
ALLOCATION = re.compile(r"(_more|_grown|alloc)\(", re.IGNORECASE)


def too_early(source: str) -> list[str]:
    """Return sizes that a method changes before it allocates as much memory.

    Constructors may: their object is gone after an error.
    """
    _, *parts = FUNCTION.split(source)
    found = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        changed: set[str] = set()
        for line in body.splitlines() if name != "__cinit__" else ():
            if ALLOCATION.search(line):
                found += [size for size in re.findall(r"self\.\w+", line) if size in changed]
            changed |= set(re.findall(r"^ +(self\.(?:size|n_\w+|room\w*)) = ", line))
    return found


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.pyx")), ids=lambda path: path.stem)
def test_a_size_changes_after_its_memory(path):
    """Objects live on after a MemoryError, and the next call would read beyond their memory."""
    assert too_early(path.read_text()) == []


def test_the_rule_finds_a_size_that_changes_too_early():
    lines = ["self.size = 2", "self.a = _more(self.a, self.size)"]
    body = "".join(f"        {line}\n" for line in lines)
    assert too_early(f"    cdef int grow(self):\n{body}") == ["self.size"]
    assert too_early(f"    def __cinit__(self):\n{body}") == []
