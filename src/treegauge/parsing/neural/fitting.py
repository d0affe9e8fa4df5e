"""Training of a neural parser, and the base class of neural models.

With a dev set the best epoch on it is kept; training stops early, and resumes from a checkpoint
where it stopped.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.parsing.base import OnEpoch, check_training, load_archive, save_model
from treegauge.parsing.label_encodings import Encoding
from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.options import NeuralOptions, need_torch
from treegauge.parsing.neural.preparation import PreparedSets, Vocabulary, WordVectors
from treegauge.parsing.tag_sources import GOLD, TagSource, learn_tags
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source

Arrays = dict[str, npt.NDArray[Any]]
_PASSING = ("device", "threads", "checkpoint", "epochs", "patience")
"""Options that may change between the start of a training and its resumption."""


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network: vocabulary, weights, and pretrained vectors if any."""

    vocabulary: Vocabulary
    arrays: Arrays
    vectors: WordVectors | None


@dataclass
class _Progress:
    """The progress of a training: the last epoch, and the best epoch's LAS, number and weights."""

    epoch: int = 0
    best: float = -1.0
    best_epoch: int = 0
    kept: Arrays | None = None


def fit_model(
    train: Treebank, dev: Treebank | None, options: NeuralOptions, *, seed: int,
    encoding: Encoding | None = None, on_epoch: Callable[[int, Trained], None] | None = None,
) -> Trained:  # fmt: skip
    """Train one model; same seed, same model.

    With a dev set, the epoch with the best LAS is kept, and training stops after `patience` epochs
    without a better one. This LAS uses each word's best head (for labels: words whose labels are
    all correct).
    """
    need_torch()
    import torch

    from treegauge.parsing.neural.batches import choose_device, numerics
    from treegauge.parsing.neural.training import Learner, Lockstep

    prepared = PreparedSets.of(train, dev, options, encoding, seed=seed)
    data = prepared.data
    device = choose_device(options.device)
    state = _Progress()
    with numerics(device, options.threads), progress("epochs", options.epochs) as task:
        models = Lockstep([Learner(data, prepared.train, seed)], options, device, prepared.type_vectors)
        mark = _fingerprint(data, options, seed)
        if options.checkpoint and Path(options.checkpoint).exists():
            state = _resume(options.checkpoint, mark, models)

        def trained(arrays: Arrays | None = None) -> Trained:
            return Trained(prepared.vocabulary, models.arrays() if arrays is None else arrays, prepared.vectors)

        while state.epoch < options.epochs:
            waited = state.epoch - state.best_epoch
            if state.kept and 0 < options.patience <= waited:
                break
            state.epoch += 1
            models.learn(state.epoch)
            task.update(state.epoch)
            if prepared.dev is not None:
                right = torch.stack(models.evaluate([prepared.dev]).right).all(0)[0].cpu().numpy()
                las = float(right[data.words_of(prepared.dev)].mean())
                if las > state.best:
                    state.best, state.best_epoch = las, state.epoch
                    state.kept = models.arrays()
            if options.checkpoint:
                _write(options.checkpoint, mark, models, state)
            if on_epoch is not None:
                on_epoch(state.epoch, trained())
        if device.type == "cuda":
            torch.cuda.synchronize()
        return trained(state.kept)


def _fingerprint(data: Encoded, options: NeuralOptions, seed: int) -> str:
    """Return the fingerprint of data, seed and options that a checkpoint must match."""
    kept = {name: value for name, value in asdict(options).items() if name not in _PASSING}
    found = hashlib.sha256(json.dumps([kept, seed], sort_keys=True).encode())
    for name in ("offsets", "types", "tags", "heads", "relations", "type_chars", "labels"):
        found.update(np.ascontiguousarray(getattr(data, name)).tobytes())
    return found.hexdigest()


def _write(path: str, mark: str, models: Any, state: _Progress) -> None:
    header = {"mark": mark, "epoch": state.epoch, "best": state.best, "best_epoch": state.best_epoch}
    arrays = {f"now/{name}": value for name, value in models.state().items()}
    arrays |= {f"best/{name}": value for name, value in (state.kept or {}).items()}
    save_model(path, "checkpoint", header, arrays)


def _resume(path: str, mark: str, models: Any) -> _Progress:
    header, arrays = load_archive(path)
    if header["parser"] != "checkpoint" or header.get("mark") != mark:
        raise TreegaugeError(
            f"{path} is not a checkpoint of this training: other data, seed or options; "
            "remove it, or choose another file"
        )
    models.restore({n[4:]: value for n, value in arrays.items() if n.startswith("now/")})
    kept = {n[5:]: value for n, value in arrays.items() if n.startswith("best/")}
    return _Progress(header["epoch"], header["best"], header["best_epoch"], kept or None)


Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NeuralModel:
    """A trained neural parser: its options, its network, and in subclasses further arrays."""

    options: Any
    learned: Trained
    tag_source: TagSource = field(default=GOLD, kw_only=True)

    name: ClassVar[str]
    kind: ClassVar[type[NeuralOptions]]

    @property
    def relations(self) -> tuple[str, ...]:
        """Relations in the order of the columns of ``relation_probabilities``."""
        return self.learned.vocabulary.relations

    def read_tags(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the tags that the model reads."""
        known = self.learned.vocabulary.tags if self.options.upos else ()
        return self.tag_source.read(treebank, known)

    def predictor(self, treebank: Treebank) -> Any:
        """Return the predictor of probabilities for these sentences."""
        need_torch()
        from treegauge.parsing.neural.predicting import Predictor

        learned = self.learned
        forms = treebank.codes("form").values
        data = learned.vocabulary.encode(self.read_tags(treebank))
        vectors = None if learned.vectors is None else learned.vectors.of(forms)
        return Predictor(learned.arrays, data, self.options, vectors)

    def with_trees(self, treebank: Treebank, heads: Any, numbers: Any) -> Treebank:
        """Return the treebank with these heads and relations."""
        names = [self.relations[number] for number in numbers.tolist()]
        return treebank.with_columns({"head": heads, "deprel": names})

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        learned = self.learned
        header: dict[str, Any] = {"vocabulary": asdict(learned.vocabulary)}
        arrays = {f"weights/{name}": value for name, value in learned.arrays.items()}
        if learned.vectors is not None:
            header["vector_words"] = learned.vectors.words
            arrays["vectors"] = learned.vectors.values
        header |= {"options": asdict(self.options), "tag_source": self.tag_source.mode}
        more = {name: one for name, one in vars(self).items() if isinstance(one, np.ndarray)}
        save_model(path, self.name, header, {**arrays, **more, **self.tag_source.to_arrays()})

    @classmethod
    def from_archive(cls, header: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model stored in a file."""
        start, vectors = "weights/", arrays.pop("vectors", None)
        weights = {name: arrays.pop(name) for name in list(arrays) if name.startswith(start)}
        kept = {name.removeprefix(start): value for name, value in weights.items()}
        learned = Trained(
            Vocabulary.from_dict(header["vocabulary"]),
            kept,
            None if vectors is None else WordVectors(tuple(header["vector_words"]), vectors),
        )
        source = TagSource.from_arrays(header["tag_source"], arrays)
        return cls(cls.kind(**header["options"]), learned, **arrays, tag_source=source)


class NeuralParser:
    """Base of the neural parsers, which differ in their models."""

    model: ClassVar[type[NeuralModel]]

    def __init__(self, options: Any = None) -> None:
        need_torch()
        self.options: Any = options or self.model.kind()

    def encoding(self) -> Encoding | None:
        """Return the encoding of trees as labels, for a parser that needs one."""
        return None

    def made(self, train: Treebank, learned: Trained) -> Any:
        """Return the model of a trained network."""
        return self.model(self.options, learned)

    def fit(self, train: Treebank, dev: Treebank | None = None, *, seed: int, on_epoch: OnEpoch | None = None) -> Any:
        """Learn from gold trees; with a dev set, its best epoch is kept."""
        check_training(train, dev if dev is not None and dev.n_words else None, seed=seed)
        source, read, held = learn_tags(self.options.tags, train, dev, seed=seed)

        def made(learned: Trained) -> Any:
            return replace(self.made(read, learned), tag_source=source)

        def report(epoch: int, learned: Trained) -> None:
            if on_epoch is not None:
                on_epoch(epoch, made(learned))

        learned = fit_model(read, held, self.options, seed=seed, encoding=self.encoding(), on_epoch=on_epoch and report)
        return made(learned)
