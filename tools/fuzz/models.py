"""No model file makes the loader or the parser crash."""

import io
from functools import cache
from random import Random
from typing import Any

import numpy as np

from tools.fuzz.mutation import spliced
from tools.fuzz.places import written
from tools.fuzz.targets import Target
from treegauge.core.errors import TreegaugeError
from treegauge.parsing.base import from_npz, to_npz
from treegauge.parsing.registry import load_model, make_parser
from treegauge.testing.synthetic import synthetic

PARSERS: dict[str, dict[str, Any]] = {
    "beam": {"epochs": 1, "beam": 2},
    "baseline": {},
    "mst": {"epochs": 1, "bits": 10, "label_bits": 8, "tags": "predicted"},
}
_NUMBERS = (0, 1, -1, 2, 7, 255, 1 << 15, (1 << 31) - 1, -(1 << 31), 1 << 40, 0.5, -1e30)
_VALUES: tuple[object, ...] = (None, True, -1, 0, 3, 1 << 40, 1e300, "", "x", [], [1], {}, "mst")


@cache
def _models() -> tuple[bytes, ...]:
    """Train a tiny model of each parser, the same ones each time."""
    treebank = synthetic(8, seed=5)
    models = []
    for name, options in PARSERS.items():
        path = written(f"{name}.model", b"")
        make_parser(name, **options).fit(treebank, seed=1).save(path)
        models.append(path.read_bytes())
    return tuple(models)


def make(random: Random) -> bytes:
    """Return a model with changed numbers, shapes, types or header, or with damaged bytes."""
    return vary(random.choice(_models()), random)


def vary(data: bytes, random: Random) -> bytes:
    """Change one model."""
    if random.random() < 0.2:
        return spliced(data, random, [b"PK", b"\0" * 8, b"\xff" * 8])
    try:
        header, arrays = from_npz(io.BytesIO(data))
    except Exception:  # a damaged one is damaged further
        return spliced(data, random, [b"PK"])
    for _ in range(random.choice((1, 1, 2))):
        if random.random() < 0.4 and isinstance(header, dict):
            _change(header, random)
        elif arrays:
            name = random.choice(sorted(arrays))
            arrays[name] = _changed(arrays[name], random)
    return to_npz(header, arrays)


def _change(header: dict[str, object], random: Random) -> None:
    """Return a header with one value changed, at any depth, or left out."""
    place: dict[str, object] = header
    key = random.choice(sorted(place))
    while isinstance(inner := place[key], dict) and inner and random.random() < 0.7:
        place, key = inner, random.choice(sorted(inner))
    value = place[key]
    if isinstance(value, list) and value and random.random() < 0.6:
        at = random.randrange(len(value))
        value[at : at + random.randrange(2)] = [random.choice(_VALUES)]
    elif random.random() < 0.2:
        del place[key]
    else:
        place[key] = random.choice(_VALUES)


def _changed(array: np.ndarray, random: Random) -> np.ndarray:
    """Return an array with another number, length, shape or type."""
    kind = random.randrange(6)
    if kind <= 1 and array.size and array.dtype.kind in "iuf":
        array = array.copy()
        with np.errstate(all="ignore"):
            number = np.asarray(random.choice(_NUMBERS)).astype(array.dtype)
        array.reshape(-1)[random.randrange(array.size)] = number
        return array
    if kind == 2:
        return array[: random.randrange(len(array) + 1)] if array.ndim else array.reshape(1)
    if kind == 3:
        return np.concatenate([array, array]) if array.ndim else array.reshape(1)
    if kind == 4:
        return array.reshape(-1, 1)
    with np.errstate(all="ignore"):
        return array.astype(random.choice(("u1", "i2", "i4", "i8", "f4", "f8", "U3")))


def check(data: bytes) -> str:
    """Load a model and parse a sentence with it."""
    path = written("fuzzed.model", data)
    try:
        model = load_model(path)
        parsed = model.parse(synthetic(1, seed=9))
    except TreegaugeError as error:
        assert "fuzzed.model" in str(error), error
        return "refused"
    assert len(parsed) == 1
    return "parsed"


TARGET = Target(
    "loads and parses, or names the file and what is wrong with it; no number of a file reaches "
    "compiled code unchecked",
    make, check, vary,
)  # fmt: skip
