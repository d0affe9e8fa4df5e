import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]

ALIGNED: int
UPOS: int
XPOS: int
UFEATS: int
LEMMA: int
HEAD: int
DEPREL: int
FULL_DEPREL: int
CHILDREN: int

def characters(raw: Bytes, fields: Ints, rows: Ints) -> tuple[Bytes, Ints]: ...
def first_difference(a: Bytes, b: Bytes) -> int: ...
def align(
    g_raw: Bytes, g_fields: Ints, g_rows: Ints, g_starts: Ints, g_ends: Ints, g_multi: Bools,
    s_raw: Bytes, s_fields: Ints, s_rows: Ints, s_starts: Ints, s_ends: Ints, s_multi: Bools,
    to_system: Ints, to_gold: Ints,
) -> Ints: ...  # fmt: skip
def align_stretches(stretches: Ints, g_forms: Ints, s_forms: Ints, to_system: Ints, to_gold: Ints) -> None: ...
def judge(
    g_raw: Bytes, g_fields: Ints, g_rows: Ints, g_parents: Ints, g_feats: Ints, g_rel: Ints,
    g_full: Ints, g_functional: Bools,
    s_raw: Bytes, s_fields: Ints, s_rows: Ints, s_parents: Ints, s_feats: Ints, s_rel: Ints,
    s_full: Ints, s_functional: Bools,
    to_system: Ints, to_gold: Ints,
) -> npt.NDArray[np.uint16]: ...  # fmt: skip
def edit_path(a: Bytes, b: Bytes) -> Ints: ...
