"""Data inside a page: JSON that is safe in HTML, and packed numbers."""

import base64
import math
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.text_formats import json_text
from treegauge.treebanks.data.columns import Treebank

#: Columns of trees, and those that are left out if they are empty.
TREE_COLUMNS = ("form", "lemma", "upos", "feats", "deprel")
OPTIONAL = {"lemma", "feats"}
#: Data with at least this number of characters are deflated.
LARGE = 60_000
#: Characters that would end a script element or begin a comment.
_RISKY = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def numbers(values: npt.ArrayLike) -> dict[str, str]:
    """Pack non-negative integers into as few bytes each as they need.

    Examples
    --------
    >>> numbers([1, 2, 255])
    {'u8': 'AQL/'}
    """
    array = np.asarray(values)
    kind = np.min_scalar_type(int(array.max(initial=0))).newbyteorder("<")
    return {f"u{8 * kind.itemsize}": _text(array.astype(kind))}


def floats(values: npt.ArrayLike) -> dict[str, str]:
    """Pack numbers as 32-bit floats, row by row."""
    return {"f32": _text(np.asarray(values, dtype="<f4"))}


def _text(array: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def texts(values: Sequence[str]) -> dict[str, Any]:
    """Pack texts with many repetitions: the distinct texts, most frequent first, and their codes.

    Examples
    --------
    >>> texts(["b", "a", "b"])
    {'values': ['b', 'a'], 'codes': {'u8': 'AAEA'}}
    """
    counts = Counter(values)
    order = sorted(counts, key=lambda text: (-counts[text], text))
    place = {text: i for i, text in enumerate(order)}
    return {"values": order, "codes": numbers([place[text] for text in values])}


def trees(treebank: Treebank) -> dict[str, Any]:
    """Pack the columns that drawings, searches and exports of trees need.

    Lemmas and features are left out if the treebank has none; `glued` is 1 for words without a
    space after them.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> sorted(trees(synthetic(2, seed=1)))
    ['deprel', 'feats', 'form', 'glued', 'head', 'id', 'lemma', 'offsets', 'upos']
    """
    columns = {name: treebank[name].to_list() for name in TREE_COLUMNS}
    named = {name: values for name, values in columns.items() if name not in OPTIONAL or set(values) - {"_"}}
    glued = treebank["misc"].str.contains("SpaceAfter=No", literal=True).to_numpy()
    return {
        "offsets": numbers(treebank.offsets),
        "id": [treebank[i].id or str(i + 1) for i in range(len(treebank))],
        **{name: texts(values) for name, values in named.items()},
        "head": heads(treebank.head),
        **({"glued": numbers(glued.astype(np.uint8))} if glued.any() else {}),
    }


def heads(values: npt.ArrayLike) -> dict[str, str]:
    """Pack heads plus one, so that 0 is a word without a head."""
    return numbers(np.asarray(values, dtype=np.int64) + 1)


def to_json(data: Any) -> str:
    r"""Return data as JSON for a script element; numbers that are not finite become null.

    Examples
    --------
    >>> print(to_json({"form": "</script>", "x": float("nan")}))
    {"form":"\u003c/script\u003e","x":null}
    """
    text = json_text(_plain(data), separators=(",", ":"))
    return "".join(_RISKY.get(c, c) for c in text) if set(text) & set(_RISKY) else text


def block(data: Any) -> str:
    """Return data as JSON for a script element; large data deflated, as size and base64.

    Examples
    --------
    >>> block({"a": 1})
    '{"a":1}'
    >>> block({"a": "b" * LARGE}).partition(":")[0]
    '60008'
    """
    text = to_json(data)
    if len(text) < LARGE:
        return text
    content = text.encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    packed = packer.compress(content) + packer.flush()
    return f"{len(content)}:{base64.b64encode(packed).decode()}"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
