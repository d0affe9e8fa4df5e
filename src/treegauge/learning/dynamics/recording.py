"""Recordings: a parser's probabilities of the gold tree, by word and epoch."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_format
from treegauge.core.files import atomic, guarding
from treegauge.core.lazy import pl
from treegauge.core.result import Result
from treegauge.core.tables import make_table
from treegauge.parsing.base import from_npz, to_npz
from treegauge.statistics.units import LEAST_UNITS, TextUnits, few_units
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from treegauge.scoring.metrics.convention import Convention
    from treegauge.treebanks.data.columns import Treebank


FLOOR = float(np.log(1e-300))
"""Smaller log-probabilities are replaced by this, so that sums are finite."""

LAYERS = {"head": "heads", "relation": "relations"}
_FLAT = ("parsed_head", "parsed_relation")


@dataclass(frozen=True, eq=False)
class Recording(Result, kind="recording"):
    """Log-probabilities of gold heads and relations over training, from any engine.

    Natural logarithms. Relations are scored at the gold head. A rival is the most probable head (or
    relation) that is not gold; -1 if there is none.

    Parameters
    ----------
    treebank, split
        Mark of the treebank whose words were recorded (:attr:`Treebank.mark`), and their role:
        ``train``, ``dev``, or any other name.
    signature
        The choices behind the numbers.
    epochs
        Numbers of the epochs, from 1.
    head_logp, relation_logp
        (epochs, words).
    head_rival, head_rival_logp, relation_rival, relation_rival_logp
        (epochs, words) each, or None if they were not recorded. Heads are positions from 1 and
        0 the root; relations are numbers in `relations`.
    relations
        Names of the relations, if rivals are recorded.
    parsed_head, parsed_relation
        (words,): the trees that the parser predicts after the last epoch; relations are numbers in
        `relations`. None if not recorded.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.5, 0.25], [1.0, 0.25]])
    >>> made = Recording("toy#000000", "train", "treegauge:0", (1, 2), np.log(p), np.log(p))
    >>> made
    <Recording of toy#000000 (train): 2 epochs, 2 words>
    """

    treebank: str
    split: str
    signature: str
    epochs: tuple[int, ...]
    head_logp: npt.NDArray[np.float32]
    relation_logp: npt.NDArray[np.float32]
    head_rival: npt.NDArray[np.int16] | None = None
    head_rival_logp: npt.NDArray[np.float32] | None = None
    relation_rival: npt.NDArray[np.int16] | None = None
    relation_rival_logp: npt.NDArray[np.float32] | None = None
    relations: tuple[str, ...] = ()
    parsed_head: npt.NDArray[np.int16] | None = None
    parsed_relation: npt.NDArray[np.int16] | None = None

    def __post_init__(self) -> None:
        shape = np.shape(self.head_logp)
        if len(shape) != 2 or shape[0] != len(self.epochs) or not self.epochs:
            raise TreegaugeError(
                f"recording of {self.treebank}: head_logp has the shape {shape}, expected "
                f"({len(self.epochs)} epochs, words) with at least one epoch"
            )
        for name, value in self.arrays().items():
            expected = shape[1:] if name in _FLAT else shape
            if value.shape != expected:
                raise TreegaugeError(
                    f"recording of {self.treebank}: {name} has the shape {value.shape}, expected {expected}"
                )
            if name.endswith("logp"):
                logs = np.clip(value, FLOOR, None).astype(np.float32)
                if np.isnan(logs).any() or (logs > 1e-3).any():
                    raise TreegaugeError(
                        f"recording of {self.treebank}: {name} has values that are not logarithms of probabilities"
                    )
                object.__setattr__(self, name, np.minimum(logs, np.float32(0)))
            getattr(self, name).flags.writeable = False

    def __repr__(self) -> str:
        return f"<Recording of {self.treebank} ({self.split}): {len(self.epochs)} epochs, {self.n_words:,} words>"

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return all arrays that were recorded, by the names of their fields."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}

    @property
    def n_words(self) -> int:
        """Number of words."""
        return int(self.head_logp.shape[1])

    def logp(self, layer: str) -> npt.NDArray[np.float32]:
        """Return the gold log-probabilities of ``head`` or ``relation``, (epochs, words)."""
        return self._array(layer, "logp")

    def probability(self, layer: str) -> npt.NDArray[np.float64]:
        """Return the gold probabilities of ``head`` or ``relation``, (epochs, words)."""
        return np.asarray(np.exp(self.logp(layer).astype(np.float64)))

    def correct(self, layer: str) -> npt.NDArray[np.bool_]:
        """Return where gold was more probable than its rival, or had none, (epochs, words)."""
        rivals = self._array(layer, "rival_logp")
        return np.asarray((self.logp(layer) > rivals) | (self.rival(layer) < 0))

    def rival(self, layer: str) -> npt.NDArray[np.int16]:
        """Return the most probable head or relation that is not gold, (epochs, words)."""
        return self._array(layer, "rival")

    def rival_logp(self, layer: str) -> npt.NDArray[np.float32]:
        """Return the log-probability of :meth:`rival`."""
        return self._array(layer, "rival_logp")

    def _array(self, layer: str, what: str) -> npt.NDArray[Any]:
        if layer not in LAYERS:
            raise ChoiceError("layer", layer, LAYERS)
        values: npt.NDArray[Any] | None = getattr(self, f"{layer}_{what}")
        if values is None:
            raise TreegaugeError(f"{self!r} has no rivals; record them to know what was correct")
        return values

    @property
    def knows_correct(self) -> bool:
        """Whether it is known where gold was preferred."""
        return self.head_rival is not None and self.relation_rival is not None

    def parsed(self, treebank: "Treebank") -> "Treebank":
        """Return the recorded treebank with the trees predicted after the last epoch."""
        self.check(treebank)
        if self.parsed_head is None or self.parsed_relation is None:
            raise TreegaugeError(f"{self!r} has no parsed trees; record them with decode=True")
        names = [self.relations[number] for number in self.parsed_relation.tolist()]
        heads = self.parsed_head.astype(np.int32)
        return treebank.with_columns({"head": heads, "deprel": names})

    def correct_words(self, gold: "Treebank", convention: "Convention | None" = None) -> Any:
        """Return :class:`~treegauge.scoring.metrics.correct_words.CorrectWords` of the parsed trees."""
        from treegauge.scoring.metrics.convention import OFFICIAL
        from treegauge.scoring.metrics.correct_words import correct_trees

        parsed = self.parsed(gold)
        return correct_trees(gold, parsed.head, parsed["deprel"], convention or OFFICIAL)

    def check(self, treebank: "Treebank") -> None:
        """Refuse another treebank than the one recorded."""
        if self.treebank.rpartition("#")[2] != treebank.mark.rpartition("#")[2]:
            raise TreegaugeError(
                f"the recording is of {self.treebank}, not of {treebank.mark}; pass the treebank that was recorded"
            )

    @property
    def table(self) -> "pl.DataFrame":
        """One row per epoch: mean probabilities, and bits per word."""
        values: dict[str, Any] = {"epoch": list(self.epochs)}
        for layer in LAYERS:
            values[f"{layer}_probability"] = self.probability(layer).mean(axis=1)
            logp = self.logp(layer).astype(np.float64)
            values[f"{layer}_bits"] = -logp.mean(axis=1) / np.log(2)
        return make_table(values)

    def save(self, path: Source, *, force: bool = False) -> None:
        """Write to an ``.npz`` file."""
        with guarding(force=force):
            save_recordings(path, {"0": self})

    @classmethod
    def load(cls, path: Source) -> "Recording":
        """Read a file with one recording.

        Files of ``treegauge map --recording`` may have several, and candidates:
        :meth:`treegauge.learning.dynamics.cartography.MapArchive.load` reads all of them.
        """
        recordings, _ = load_recordings(path)
        if len(recordings) != 1:
            raise TreegaugeError(
                f"{path} holds {len(recordings)} recordings, expected one; read all of them with "
                "treegauge.learning.dynamics.cartography.MapArchive.load"
            )
        return next(iter(recordings.values()))


def word_columns(treebank: "Treebank") -> dict[str, Any]:
    """Return the first columns of tables with one row per word."""
    ids = treebank.metadata("sent_id")
    return {
        "sentence": treebank.sentence_of + 1,
        "sent_id": [ids[i] for i in treebank.sentence_of.tolist()],
        "word": treebank.positions,
        **{name: treebank[name] for name in ("form", "upos")},
        "head": treebank.head,
        "deprel": treebank["deprel"],
    }


LEAST_SENTENCES = 100
"""The smallest number of sentences for an interval; with fewer, coverage is too low."""


def sentence_interval(
    values: npt.ArrayLike, lengths: npt.ArrayLike, *, share: bool = False, level: float = 0.95,
    units: TextUnits | None = None,
) -> tuple[float, float] | None:  # fmt: skip
    """Return the interval of a mean over words, None below :data:`LEAST_SENTENCES` or ten documents.

    `values` has one value per word of sentences of these lengths. The interval is for the mean on
    other sentences (or documents, if these are the `units`), with the same models.
    """
    from treegauge.statistics.student_intervals import jackknife

    each = np.asarray(values, np.float64)
    sizes = np.asarray(lengths)
    sums = np.add.reduceat(each, np.cumsum(sizes) - sizes)
    table, least = np.stack([sums, sizes], 1), LEAST_SENTENCES
    if units is not None and units.kind == "documents":
        table, least = units.sums(table), LEAST_UNITS
    mean = jackknife(table, lambda s: s[..., [0]] / s[..., [1]], table[:, 1], least=least)
    low, high = (float(limit[0]) for limit in mean.interval(level, share=share))
    return None if np.isnan(low) else (low, high)


def units_said(name: str, units: TextUnits, intervals: Mapping[str, object], level: float) -> tuple[str, ...]:
    """Return the note on the units of a treebank's intervals, or why it has none."""
    if all(intervals.values()):
        return (f"{name}: {units.note(level)}",)
    least = LEAST_SENTENCES if units.kind == "sentences" else LEAST_UNITS
    few = few_units(units.number, units.kind, least)
    return (f"{name}: {few}",) if few else ()


ENDING = ".npz"
"""The ending of files with recordings."""
_FORMAT = 2


def save_recordings(path: Source, recordings: Mapping[str, Recording], more: Mapping[str, Any] | None = None) -> None:
    """Write recordings of the same words, and data for JSON, to one file, atomically."""
    if Path(path).suffix != ENDING:
        raise ChoiceError("kind of file", Path(path).suffix, [ENDING])
    data = packed_recordings(recordings, more)
    with atomic(path) as file:
        file.write(data)


def packed_recordings(recordings: Mapping[str, Recording], more: Mapping[str, Any] | None = None) -> bytes:
    """Return the bytes of a file with recordings of the same words."""
    arrays = {
        f"{name}/{key}": value for name, recording in recordings.items() for key, value in recording.arrays().items()
    }
    facts = ("treebank", "split", "signature", "epochs", "relations")
    headers = {name: {key: getattr(recording, key) for key in facts} for name, recording in recordings.items()}
    header = {"format": _FORMAT, "recordings": headers, "more": dict(more or {})}
    return to_npz(header, arrays)


def load_recordings(path: Source) -> tuple[dict[str, Recording], dict[str, Any]]:
    """Read a file of :func:`save_recordings`: recordings by name, and the other data."""
    if Path(path).suffix != ENDING:
        raise ChoiceError("kind of file", Path(path).suffix, [ENDING])
    return unpacked_recordings(Path(path).read_bytes(), str(path))


def unpacked_recordings(data: bytes, name: str) -> tuple[dict[str, Recording], dict[str, Any]]:
    """Return the recordings in the bytes of a file; `name` is for errors."""
    try:
        header, arrays = from_npz(io.BytesIO(data))
        check_format(name, header["format"], _FORMAT, "make the recording again")
        recordings = {}
        for key, values in header["recordings"].items():
            named = {n[len(key) + 1 :]: a for n, a in arrays.items() if n.startswith(f"{key}/")}
            lists = {n: tuple(values[n]) for n in ("epochs", "relations")}
            recordings[key] = Recording(**{**values, **lists, **named})
        return recordings, header["more"]
    except TreegaugeError as error:
        raise TreegaugeError(f"{name}: {error}".replace(f"{name}: {name}", name)) from None
    except (ValueError, KeyError, TypeError, EOFError, OSError, zlib.error, zipfile.BadZipFile) as error:
        raise TreegaugeError(f"{name} is not a recording, or is truncated") from error
