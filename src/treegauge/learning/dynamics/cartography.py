"""Data maps: a parser's confidence in gold trees during training, and how much it varies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.lazy import pl
from treegauge.core.result import Result, countersign, joined_signature
from treegauge.core.tables import make_table
from treegauge.learning.dynamics.candidates import ErrorCandidates
from treegauge.learning.dynamics.jobs import HELD_OUT, check_same
from treegauge.learning.dynamics.recording import (
    LAYERS,
    Recording,
    load_recordings,
    save_recordings,
    sentence_interval,
    units_said,
    unpacked_recordings,
    word_columns,
)
from treegauge.measures.intervals import text_units_of
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

Floats = npt.NDArray[np.float64]
REGIONS = ("easy", "hard", "ambiguous", "other")
_MEANS = ("confidence", "variability", "correctness", "forgetting")


@dataclass(frozen=True)
class Regions:
    """Bounds of the regions of a data map.

    A word is easy with ``confidence > easy`` and hard with ``confidence <= hard``, either with
    ``variability <= steady``; it is ambiguous with ``variability > wavering``.

    Notes
    -----
    Easy and hard have the bounds of the Difficulty paper, which gives none for ambiguous. A word
    whose probability is 0 in a tenth of the epochs and 1 in the rest has a variability of 0.3.
    """

    easy: float = 0.95
    hard: float = 0.25
    steady: float = 0.1
    wavering: float = 0.3

    def of(self, confidence: Floats, variability: Floats) -> npt.NDArray[np.str_]:
        """Return the region of each word."""
        steady = variability <= self.steady
        return np.select(
            [steady & (confidence > self.easy), steady & (confidence <= self.hard), variability > self.wavering],
            REGIONS[:3],
            REGIONS[3],
        )

    def __str__(self) -> str:
        return f"{self.easy:g}/{self.hard:g}/{self.steady:g}/{self.wavering:g}"


@dataclass(frozen=True, eq=False)
class DataMap(Result):
    r"""Confidence and variability of every word's gold head and gold relation.

    .. math::
        \mathrm{CONF}_i = \frac1E \sum_e p_e(y_i), \qquad
        \mathrm{VAR}_i = \sqrt{\frac1E \sum_e (p_e(y_i) - \mathrm{CONF}_i)^2}

    Confidence and variability are for ``head`` and ``relation`` the mean and the population
    standard deviation over epochs; correctness is the share of the epochs in which gold was
    preferred, forgetting the number of times it was preferred after one epoch and not after the
    next. These two are None if the recording has no rivals. `intervals` are of mean
    confidence. `trees` has the same two numbers of whole sentences (:func:`tree_confidence`), if the
    treebank was given.
    """

    treebank: str
    split: str
    signature: str
    confidence: dict[str, Floats]
    variability: dict[str, Floats]
    correctness: dict[str, Floats] | None
    forgetting: dict[str, npt.NDArray[np.int64]] | None
    regions: Regions = Regions()
    intervals: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    trees: Mapping[str, Floats] = field(default_factory=dict)
    digits: ClassVar[int] = 3

    def region(self, layer: str = "head") -> npt.NDArray[np.str_]:
        """Return the region of each word: easy, hard, ambiguous or other."""
        return self.regions.of(self.confidence[layer], self.variability[layer])

    @property
    def values(self) -> dict[str, dict[str, float | None]]:
        """The treebank's numbers: means over words, and shares of regions in percent."""
        values: dict[str, dict[str, float | None]] = {}
        for layer in LAYERS:
            arrays = {name: getattr(self, name) for name in _MEANS}
            means = {k: None if v is None else float(v[layer].mean()) for k, v in arrays.items()}
            region = self.region(layer)
            shares = {name: 100 * float((region == name).mean()) for name in REGIONS[:3]}
            values[layer] = {**means, **shares}
        return values

    def _row(self, layer: str) -> dict[str, float | None]:
        """Return a layer's numbers, with the interval of mean confidence if there is one."""
        values = dict(self.values[layer])
        if layer not in self.intervals:
            return values
        low, high = self.intervals[layer] or (None, None)
        between = {"confidence_low": low, "confidence_high": high}
        return {"confidence": values.pop("confidence"), **between, **values}

    @property
    def table(self) -> "pl.DataFrame":
        """One row per layer."""
        facts = {"treebank": self.treebank.rpartition("#")[0], "split": self.split}
        rows = [{**facts, "of": LAYERS[layer], **self._row(layer)} for layer in LAYERS]
        kinds = {key: str if key in {*facts, "of"} else float for key in rows[0]}
        return make_table(rows, kinds)

    def words(self, treebank: "Treebank | None" = None) -> "pl.DataFrame":
        """Return one row per word: its numbers, and its columns if the treebank is given."""
        columns = {} if treebank is None else word_columns(treebank)
        for layer in LAYERS:
            columns[f"{layer}_confidence"] = self.confidence[layer]
            columns[f"{layer}_variability"] = self.variability[layer]
            if self.correctness is not None and self.forgetting is not None:
                columns[f"{layer}_correctness"] = self.correctness[layer]
                columns[f"{layer}_forgetting"] = self.forgetting[layer]
            columns[f"{layer}_region"] = self.region(layer).tolist()
        if treebank is not None:
            columns |= {f"tree_{name}": np.repeat(values, treebank.lengths) for name, values in self.trees.items()}
        return make_table(columns)


def tree_confidence(recording: Recording, lengths: npt.NDArray[np.integer[Any]]) -> dict[str, Floats]:
    r"""Return confidence and variability of each sentence's gold tree, normalised for its length.

    .. math::
        p_e(t) = \Big(\prod_{i \in t} p_e(h_i)\, p_e(r_i \mid h_i)\Big)^{1/|t|}

    is the geometric mean over the words of a sentence; confidence is its mean over epochs, variability its
    population standard deviation.

    Examples
    --------
    >>> p = np.array([[0.5, 0.5, 0.25], [1.0, 0.25, 0.25]])
    >>> made = Recording("toy#000000", "train", "treegauge:0", (1, 2), np.log(p), np.zeros((2, 3)))
    >>> found = tree_confidence(made, np.array([2, 1]))
    >>> found["confidence"].round(2).tolist(), found["variability"].round(2).tolist()
    ([0.5, 0.25], [0.0, 0.0])
    """
    logs = recording.head_logp.astype(np.float64) + recording.relation_logp
    starts = np.cumsum(lengths) - lengths
    p = np.exp(np.add.reduceat(logs, starts, axis=1) / lengths)
    return {"confidence": p.mean(axis=0), "variability": p.std(axis=0)}


def data_map(recording: Recording, units: str = "sentences") -> DataMap:
    """Return the data map of a recording (Swayamdipta et al. 2020; the Difficulty paper, 3.1).

    Examples
    --------
    A word that is learned slowly, and one that never is:

    >>> import numpy as np
    >>> p = np.array([[0.25, 0.1], [0.75, 0.1]])
    >>> made = Recording("toy#0", "train", "treegauge:0", (1, 2), np.log(p), np.log(p))
    >>> shown = data_map(made)
    >>> shown.confidence["head"].round(2).tolist(), shown.variability["head"].round(2).tolist()
    ([0.5, 0.1], [0.25, 0.0])
    >>> shown.region().tolist()
    ['other', 'hard']
    """
    p = {layer: recording.probability(layer) for layer in LAYERS}
    correctness = forgetting = None
    if recording.knows_correct:
        correct = {layer: recording.correct(layer) for layer in LAYERS}
        correctness = {layer: np.asarray(one.mean(axis=0)) for layer, one in correct.items()}
        forgetting = {layer: (one[:-1] & ~one[1:]).sum(axis=0) for layer, one in correct.items()}
    return DataMap(
        treebank=recording.treebank,
        split=recording.split,
        signature=countersign(recording.signature, m="map", regions=Regions(), units=units),
        confidence={layer: values.mean(axis=0) for layer, values in p.items()},
        variability={layer: values.std(axis=0) for layer, values in p.items()},
        correctness=correctness,
        forgetting=forgetting,
    )


def mean_map(recordings: Sequence[Recording], treebank: "Treebank | None" = None, *, level: float = 0.95) -> DataMap:
    """Return the mean data map of several parsers or seeds, averaged word by word.

    Recordings are of the same words; their epochs may differ. Bounds are applied to the averages.
    With the treebank that was recorded, mean confidence has an interval over its documents or sentences.
    """
    check_same(recordings)
    units = None if treebank is None else text_units_of(treebank)[0]
    maps = [data_map(one, units.kind if units else "sentences") for one in recordings]
    first = maps[0]
    if len(maps) > 1:

        def mean(name: str) -> Any:
            values = [getattr(one, name) for one in maps]
            if any(one is None for one in values):
                return None
            return {layer: np.mean([one[layer] for one in values], axis=0) for layer in LAYERS}

        signature = joined_signature([one.signature for one in maps])
        first = replace(first, signature=signature, **{name: mean(name) for name in _MEANS})
    if treebank is None or units is None:
        return first
    intervals = {
        layer: sentence_interval(values, treebank.lengths, share=True, level=level, units=units)
        for layer, values in first.confidence.items()
    }
    trees = [tree_confidence(one, treebank.lengths) for one in recordings]
    means = {name: np.mean([one[name] for one in trees], axis=0) for name in trees[0]}
    notes = units_said(treebank.name, units, intervals, level)
    return replace(first, intervals=intervals, trees=means, unit_notes=notes)


@dataclass(frozen=True, eq=False)
class MapArchive:
    """Everything behind the data map of one treebank, in one file.

    One recording per parser and seed; if candidates were requested, also the recording of parsers
    that were not trained on the words (`held_out`), and the candidates. A store has the recording
    of the model of the rest of the tree (`context`) instead of the candidates; a file does not.
    """

    recordings: tuple[Recording, ...]
    held_out: Recording | None = None
    candidates: ErrorCandidates | None = None
    context: Recording | None = None

    @property
    def treebank(self) -> str:
        """Mark of the treebank that was recorded."""
        return self.recordings[0].treebank

    @property
    def map(self) -> DataMap:
        """The mean data map of the recordings."""
        return mean_map(self.recordings)

    def save(self, path: Source) -> None:
        """Write to an ``.npz`` file, atomically."""
        recordings = {str(number): recording for number, recording in enumerate(self.recordings)}
        if self.held_out is not None:
            recordings["held_out"] = self.held_out
        more = {} if self.candidates is None else {"candidates": self.candidates.to_archive()}
        save_recordings(path, recordings, more)

    @classmethod
    def load(cls, path: Source) -> "MapArchive":
        """Read a file that :meth:`save` or :meth:`Recording.save` wrote."""
        recordings, more = load_recordings(path)
        held_out = recordings.pop("held_out", None)
        given = more.get("candidates")
        candidates = None if given is None else ErrorCandidates.from_archive(given)
        return cls(tuple(recordings.values()), held_out, candidates)


def stored_maps(store: Source) -> list[MapArchive]:
    """Return the data maps of task ``map`` in a store, one archive per treebank."""
    from treegauge.experiments.cell_store import Store
    from treegauge.experiments.results import read_cells

    own = Store(store)
    with own.reading() as ledger:
        cells = read_cells(ledger, "cells.done", {"task": "map"}, [])
    keys = cells.filter(~cells["repeated"])["key"].to_list()
    groups: dict[str, list[Recording]] = {}
    contexts: dict[str, Recording] = {}
    for key in keys:
        packed = own.recordings(key.hex())
        (one,) = unpacked_recordings(packed["map"], str(own.path))[0].values()
        groups.setdefault(one.treebank, []).append(one)
        if "context" in packed:
            (context,) = unpacked_recordings(packed["context"], str(own.path))[0].values()
            contexts.setdefault(one.treebank, context)
    archives = []
    for treebank, recordings in groups.items():
        held_out = [one for one in recordings if one.split == HELD_OUT]
        mapped = [one for one in recordings if one.split != HELD_OUT] or held_out
        own_context = contexts.get(treebank)
        first = held_out[0] if held_out else None
        archives.append(MapArchive(tuple(mapped), first, context=own_context))
    return archives
