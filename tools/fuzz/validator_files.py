"""Files of 64 sentences, most of them damaged, validated whole and in pieces."""

from tools.fuzz import validator
from tools.fuzz.mutation import damaged
from tools.fuzz.reader_files import SENTENCES, make
from tools.fuzz.targets import Target


def check(data: bytes) -> str:
    """Validate a file whole and in pieces of about a tenth of it."""
    problems = validator.problems_of(data, 1 << 20)
    validator.check_places(data, problems)
    assert validator.problems_of(data, 1 + len(data) // 10) == problems
    return "invalid" if problems else "valid"


TARGET = Target(
    "the same for every sentence of files of 64, read whole and in ten pieces", make, check, damaged, SENTENCES
)
