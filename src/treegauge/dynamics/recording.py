"""What a parser thought of the gold tree, word by word and epoch by epoch."""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.files import atomic
from treegauge.results.result import Result
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.sources import Source

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FLOOR", "Recording"]

FLOOR = float(np.log(1e-300))
"""Log-probabilities below count as this one, so that no sum is infinite."""

LAYERS = {"head": "heads", "relation": "relations"}
ENDINGS = (".npz", ".parquet")
"""Kinds of files that recordings are kept in."""
_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Recording(Result):
    """Log-probabilities of gold heads and relations over training, however they were made.

    Natural logarithms. The relation's is that of the gold relation at the gold head. A rival is
    the most likely head (or relation) that is not the gold one; -1 where there is none.

    Parameters
    ----------
    treebank, part
        Mark of the treebank whose words were looked at (:attr:`Treebank.mark`), and what they were
        to the parser: ``train``, ``dev``, or any other word.
    signature
        The choices behind the numbers.
    epochs
        Numbers of the epochs, from 1.
    head_logp, relation_logp
        (epochs, words).
    head_rival, head_rival_logp, relation_rival, relation_rival_logp
        (epochs, words) each, or None where they were not recorded. Heads are positions from 1 and
        0 the root; relations are numbers in `relations`.
    head_right, relation_right
        (epochs, words): whether gold was preferred, for engines that know this and no rivals.
    relations
        Names of the relations, where rivals are recorded.
    trees_logp
        (epochs, sentences), or (1, sentences) for the last epoch alone: log-probability that
        heads drawn word by word are a tree with one root. None if not recorded.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.5, 0.25], [1.0, 0.25]])
    >>> made = Recording("toy#000000", "train", "treegauge:0", (1, 2), np.log(p), np.log(p))
    >>> made
    <Recording of toy#000000 (train): 2 epochs, 2 words>
    """

    treebank: str
    part: str
    signature: str
    epochs: tuple[int, ...]
    head_logp: npt.NDArray[np.float32]
    relation_logp: npt.NDArray[np.float32]
    head_rival: npt.NDArray[np.int16] | None = None
    head_rival_logp: npt.NDArray[np.float32] | None = None
    relation_rival: npt.NDArray[np.int16] | None = None
    relation_rival_logp: npt.NDArray[np.float32] | None = None
    relations: tuple[str, ...] = ()
    trees_logp: npt.NDArray[np.float32] | None = None
    head_right: npt.NDArray[np.bool_] | None = None
    relation_right: npt.NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        shape = np.shape(self.head_logp)
        if len(shape) != 2 or shape[0] != len(self.epochs) or not self.epochs:
            raise TreegaugeError(
                f"recording of {self.treebank}: head_logp has the shape {shape}, expected "
                f"({len(self.epochs)} epochs, words) with at least one epoch"
            )
        for one in fields(self):
            value = getattr(self, one.name)
            if not isinstance(value, np.ndarray):
                continue
            trees = one.name == "trees_logp" and value.ndim == 2 and len(value) in {1, shape[0]}
            if value.shape != shape and not trees:
                raise TreegaugeError(
                    f"recording of {self.treebank}: {one.name} has the shape {value.shape}, "
                    f"expected {shape}"
                )
            if one.name.endswith("logp"):
                value = np.clip(value, FLOOR, None).astype(np.float32)
                if np.isnan(value).any() or (value > 1e-3).any():
                    raise TreegaugeError(
                        f"recording of {self.treebank}: {one.name} has values that are no "
                        "logarithms of probabilities"
                    )
                value = np.minimum(value, np.float32(0))
                object.__setattr__(self, one.name, value)
            value.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"<Recording of {self.treebank} ({self.part}): {len(self.epochs)} epochs, "
            f"{self.n_words:,} words>"
        )

    @property
    def n_words(self) -> int:
        """Number of words."""
        return int(self.head_logp.shape[1])

    def logp(self, layer: str) -> npt.NDArray[np.float32]:
        """Return the gold log-probabilities of ``head`` or ``relation``, (epochs, words)."""
        return self._array(layer, "logp")

    def right(self, layer: str) -> npt.NDArray[np.bool_]:
        """Return where gold was more likely than its rival, (epochs, words).

        Words without a rival count as right. Together for a word's head and its relation this is
        what LAS counts when every word picks its head for itself.
        """
        told: npt.NDArray[np.bool_] | None = getattr(self, f"{layer}_right", None)
        if told is not None:
            return told
        rivals = self._array(layer, "rival_logp")
        return np.asarray((self.logp(layer) > rivals) | (self._array(layer, "rival") < 0))

    def rival(self, layer: str) -> npt.NDArray[np.int16]:
        """Return the most likely head or relation that is not gold, (epochs, words)."""
        return self._array(layer, "rival")

    def rival_logp(self, layer: str) -> npt.NDArray[np.float32]:
        """Return the log-probability of :meth:`rival`."""
        return self._array(layer, "rival_logp")

    def _array(self, layer: str, what: str) -> npt.NDArray[Any]:
        if layer not in LAYERS:
            raise ChoiceError("layer", layer, LAYERS)
        found: npt.NDArray[Any] | None = getattr(self, f"{layer}_{what}")
        if found is None:
            raise TreegaugeError(f"{self!r} has no rivals; record them to know what was right")
        return found

    @property
    def knows_right(self) -> bool:
        """Whether it is known where gold was preferred."""
        return all(
            getattr(self, f"{layer}_{what}") is not None
            for layer in LAYERS
            for what in (("rival",) if getattr(self, f"{layer}_right") is None else ("right",))
        )

    def greedy(self, epoch: int = -1) -> tuple[float, float]:
        """Return UAS and LAS, in percent, of words that each pick their head for themselves."""
        heads = self.right("head")[epoch]
        both = heads & self.right("relation")[epoch]
        return 100 * float(heads.mean()), 100 * float(both.mean())

    def check(self, treebank: Treebank) -> None:
        """Refuse another treebank than the one recorded."""
        if self.treebank.rpartition("#")[2] != treebank.mark.rpartition("#")[2]:
            raise TreegaugeError(
                f"the recording is of {self.treebank}, found {treebank.mark}; expected the same"
            )

    @property
    def table(self) -> "pl.DataFrame":
        """One row an epoch: mean probabilities, and bits a word."""
        import polars as pl

        values: dict[str, Any] = {"epoch": list(self.epochs)}
        for layer in LAYERS:
            logp = self.logp(layer).astype(np.float64)
            values[f"{layer}_probability"] = np.exp(logp).mean(axis=1)
            values[f"{layer}_bits"] = -logp.mean(axis=1) / np.log(2)
        return pl.DataFrame(values)

    # files

    def save(self, path: Source) -> None:
        """Write to ``.npz``, or to ``.parquet`` with one row a word and one list a layer."""
        target = Path(path)
        if target.suffix not in ENDINGS:
            raise ChoiceError("kind of file", target.suffix, ENDINGS)
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
        header = {"format": _FORMAT} | {
            name: value for name, value in values.items() if isinstance(value, str | tuple)
        }
        data = (_npz if target.suffix == ".npz" else _parquet)(header, arrays)
        with atomic(target) as file:
            file.write(data)

    @classmethod
    def load(cls, path: Source) -> "Recording":
        """Read what :meth:`save` wrote."""
        target = Path(path)
        if target.suffix not in ENDINGS:
            raise ChoiceError("kind of file", target.suffix, ENDINGS)
        data = target.read_bytes()
        try:
            header, arrays = (_from_npz if target.suffix == ".npz" else _from_parquet)(data)
            if header.pop("format") != _FORMAT:
                raise KeyError("format")
            values: dict[str, Any] = {**header, **arrays}
            for name in ("epochs", "relations"):
                values[name] = tuple(values[name])
            return cls(**values)
        except (
            ValueError, KeyError, TypeError, EOFError, OSError, zlib.error, zipfile.BadZipFile
        ) as error:  # fmt: skip
            raise TreegaugeError(f"{path} is not a recording, or is cut off") from error


def _npz(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    text = np.frombuffer(json.dumps(header, sort_keys=True).encode(), np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **{**arrays, "header": text})
    return file.getvalue()


def _from_npz(data: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return json.loads(arrays.pop("header").tobytes()), arrays


def _parquet(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Sentences are fewer than words: their array is told in the header.
    trees = arrays.get("trees_logp")
    told = {**header, "trees_logp": None if trees is None else trees.tolist()}
    columns = {
        name: pa.FixedSizeListArray.from_arrays(array.T.ravel(), len(array))
        for name, array in arrays.items()
        if name != "trees_logp"
    }
    table = pa.table(columns).replace_schema_metadata({"treegauge": json.dumps(told)})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())


def _from_parquet(data: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(pa.BufferReader(data))
    header = json.loads(table.schema.metadata[b"treegauge"])
    arrays = {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        flat = column.flatten().to_numpy(zero_copy_only=False)
        size = column.type.list_size
        arrays[name] = np.ascontiguousarray(flat.reshape(table.num_rows, size).T)
    trees = header.pop("trees_logp")
    if trees is not None:
        arrays["trees_logp"] = np.array(trees, np.float32).reshape(len(trees), -1)
    return header, arrays
