import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]

WORD: int
MULTIWORD: int
EMPTY: int
ODD: int
NO_HEAD: int
ODD_HEAD: int

ENCODING: int
COLUMNS: int
COMMENT_INSIDE: int
EMPTY_SENTENCE: int
NO_FINAL_BLANK: int
WORD_ID: int
MULTIWORD_ID: int
UNFINISHED_MULTIWORD: int
EMPTY_FORM: int
HEAD_NUMBER: int
HEAD_RANGE: int
CYCLE: int
NO_ROOT: int
SEVERAL_ROOTS: int
MULTIWORD_RANGE: int
INNER_ID: int
BOM: int
EMPTY_ID: int

def count_lines(data: Bytes) -> int: ...
def line_starts(data: Bytes, lines: int) -> npt.NDArray[np.int64]: ...
def lex(
    data: Bytes, begin: int, fields: Ints, row_offsets: Ints, spans: Ints, problems: Ints
) -> tuple[int, int, int, int]: ...
def number(data: Bytes, fields: Ints, kinds: Bytes, ids: Ints, heads: Ints) -> int: ...
def build(
    data: Bytes, fields: Ints, kinds: Bytes, ids: Ints, row_heads: Ints, row_offsets: Ints,
    need_heads: bool, rows: Ints, heads: Ints, multiword: Ints, offsets: Ints, problems: Ints,
) -> tuple[int, int]: ...  # fmt: skip
