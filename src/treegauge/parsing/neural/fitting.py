"""Training of one model for a parser, and what the models of the neural parsers share.

Pretrained vectors are read from the text format of word2vec and fastText. With a dev set the best
epoch on it is kept; training stops early, and resumes from a checkpoint where it stopped.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.parsing.base import OnEpoch, check_training, load_archive, save_model
from treegauge.parsing.label_encodings import Encoding
from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.options import NeuralOptions, need_torch
from treegauge.parsing.neural.vocabulary import Vocabulary, encode_parts
from treegauge.treebanks.columns import Treebank, concat
from treegauge.treebanks.sources import Source

if TYPE_CHECKING:
    from treegauge.parsing.neural.pretrained import PretrainedEncoder


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors, (words, size), in half precision to keep models small."""

    words: tuple[str, ...]
    values: npt.NDArray[np.float16]

    def of(self, forms: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return zeros for the root and a hidden word, then a vector for each form.

        It is that of the form as it is, else in lower case, else zeros.
        """
        numbers = {word: number for number, word in enumerate(self.words)}
        found = np.zeros((2 + len(forms), self.values.shape[1]), np.float32)
        for row, form in zip(found[2:], forms, strict=True):
            number = numbers.get(form, numbers.get(form.lower()))
            if number is not None:
                row[:] = self.values[number]
        return found


def read_vectors(path: str | Path, limit: int) -> WordVectors:
    """Read the first vectors of a text file: a word and its numbers on each line.

    A first line may say how many words and numbers there are. Such files are sorted by frequency.
    """
    words: list[str] = []
    rows: list[npt.NDArray[np.float16]] = []
    size = 0
    try:
        with Path(path).open(encoding="utf-8", errors="replace", newline="\n") as file:
            for number, line in enumerate(file, 1):
                parts = line.rstrip().split(" ")
                if number == 1 and len(parts) == 2 and all(part.isdigit() for part in parts):
                    size = int(parts[1])
                    continue
                size = size or len(parts) - 1
                try:
                    # A word may hold spaces; its numbers may not.
                    row = np.array(parts[-size:], np.float32)
                    if len(parts) <= size or not size or not np.isfinite(row).all():
                        raise ValueError
                except ValueError:
                    raise TreegaugeError(
                        f"{path}:{number}: expected a word and {size} numbers, separated by "
                        f"spaces; found {line[:60]!r}"
                    ) from None
                words.append(" ".join(parts[:-size]))
                rows.append(row.astype(np.float16))
                if len(words) == limit:
                    break
    except OSError as error:
        raise TreegaugeError(f"{path}: cannot read word vectors: {error.strerror}") from error
    if not words:
        raise TreegaugeError(f"{path} holds no word vectors")
    return WordVectors(tuple(words), np.stack(rows))


Arrays = dict[str, npt.NDArray[Any]]
_PASSING = ("device", "threads", "checkpoint", "epochs", "patience")
"""Options that may change between the start of a training and its resumption."""


@dataclass(frozen=True, eq=False)
class Trained:
    """What a parser learned: what has a number, weights, pretrained vectors and encoder if any."""

    vocabulary: Vocabulary
    arrays: Arrays
    vectors: WordVectors | None
    encoder: "PretrainedEncoder | None" = None


@dataclass
class _Progress:
    """Where a training stands: the last epoch, and the best one's LAS, number and weights."""

    epoch: int = 0
    best: float = -1.0
    best_epoch: int = 0
    kept: Arrays | None = None


def fit(
    train: Treebank, dev: Treebank | None, options: NeuralOptions, *, seed: int,
    encoding: Encoding | None = None, on_epoch: Callable[[int, Trained], None] | None = None,
) -> Trained:  # fmt: skip
    """Train one model; same seed, same model.

    With a dev set the epoch with the best LAS on it is kept, each word's best head taken (or, of
    labels, words all of whose labels are right), and training stops after `patience` epochs
    without a better one.
    """
    need_torch()
    others = [] if dev is None or dev.n_words == 0 else [dev]
    check_training(train, *others, seed=seed)
    import torch

    from treegauge.parsing.neural.device import choose_device, numerics
    from treegauge.parsing.neural.pretrained import encoder_input
    from treegauge.parsing.neural.training import Learner, Lockstep

    data, (own, *held) = encode_parts(
        train, *others, min_count=options.min_count, encoding=encoding
    )
    vocabulary = Vocabulary.of(train, min_count=options.min_count, encoding=encoding)
    vectors = read_vectors(options.vectors, options.vectors_limit) if options.vectors else None
    device = choose_device(options.device)
    stands = _Progress()
    with numerics(device, options.threads), progress("epochs", options.epochs) as task:
        forms = concat([train, *others]).codes("form").values
        of_types = None if vectors is None else vectors.of(forms)
        encoder = encoder_input(options, forms)
        models = Lockstep([Learner(data, own, seed)], options, device, of_types, encoder)
        read = None if encoder is None else encoder.encoder
        mark = _fingerprint(data, options, seed, read.digest if read else "")
        if options.checkpoint and Path(options.checkpoint).exists():
            stands = _resume(options.checkpoint, mark, models)

        def trained() -> Trained:
            return Trained(vocabulary, models.arrays(), vectors, read)

        while stands.epoch < options.epochs:
            waited = stands.epoch - stands.best_epoch
            if stands.kept and 0 < options.patience <= waited:
                break
            stands.epoch += 1
            models.learn(stands.epoch)
            task.update(stands.epoch)
            if held:
                right = torch.stack(models.evaluate(held).right).all(0)[0].cpu().numpy()
                las = float(right[data.words_of(held[0])].mean())
                if las > stands.best:
                    stands.best, stands.best_epoch = las, stands.epoch
                    stands.kept = models.arrays()
            if options.checkpoint:
                _write(options.checkpoint, mark, models, stands)
            if on_epoch is not None:
                on_epoch(stands.epoch, trained())
        if device.type == "cuda":
            torch.cuda.synchronize()
        last = trained()
    return last if stands.kept is None else Trained(vocabulary, stands.kept, vectors, read)


def _fingerprint(data: Encoded, options: NeuralOptions, seed: int, encoder: str) -> str:
    """Return what a checkpoint must agree with: data, seed and what training depends on."""
    kept = {name: value for name, value in asdict(options).items() if name not in _PASSING}
    found = hashlib.sha256(json.dumps([kept, seed, encoder], sort_keys=True).encode())
    for name in ("offsets", "types", "tags", "heads", "relations", "type_chars", "labels"):
        found.update(np.ascontiguousarray(getattr(data, name)).tobytes())
    return found.hexdigest()


def _write(path: str, mark: str, models: Any, stands: _Progress) -> None:
    header = {
        "mark": mark, "epoch": stands.epoch, "best": stands.best, "best_epoch": stands.best_epoch,
    }  # fmt: skip
    arrays = {f"now/{name}": value for name, value in models.state().items()}
    arrays |= {f"best/{name}": value for name, value in (stands.kept or {}).items()}
    save_model(path, "checkpoint", header, arrays)


def _resume(path: str, mark: str, models: Any) -> _Progress:
    header, arrays = load_archive(path)
    if header["parser"] != "checkpoint" or header.get("mark") != mark:
        raise TreegaugeError(
            f"{path} is no checkpoint of this training: other data, seed or options; "
            "remove it, or choose another file"
        )
    models.restore({n[4:]: value for n, value in arrays.items() if n.startswith("now/")})
    kept = {n[5:]: value for n, value in arrays.items() if n.startswith("best/")}
    return _Progress(header["epoch"], header["best"], header["best_epoch"], kept or None)


Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NeuralModel:
    """A trained neural parser: its options, what it learned, and in subclasses further arrays."""

    options: Any
    learned: Trained

    name: ClassVar[str]
    kind: ClassVar[type[NeuralOptions]]

    @property
    def relations(self) -> tuple[str, ...]:
        """Relations in the order of the columns of ``relation_probabilities``."""
        return self.learned.vocabulary.relations

    def predictor(self, treebank: Treebank) -> Any:
        """Return what computes probabilities for these sentences."""
        need_torch()
        from treegauge.parsing.neural.predicting import Predictor

        learned = self.learned
        forms, data = treebank.codes("form").values, learned.vocabulary.encode(treebank)
        vectors = None if learned.vectors is None else learned.vectors.of(forms)
        encoder = None
        if learned.encoder is not None:
            from treegauge.parsing.neural.pretrained import encoder_input

            encoder = encoder_input(self.options, forms, learned.encoder)
        return Predictor(learned.arrays, data, self.options, vectors, encoder)

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
        if learned.encoder is not None:
            from treegauge.parsing.neural.pretrained_files import encoder_header

            header["encoder"] = encoder_header(learned.encoder, frozen=self.options.frozen)
        header["options"] = asdict(self.options)
        more = {name: one for name, one in vars(self).items() if isinstance(one, np.ndarray)}
        save_model(path, self.name, header, {**arrays, **more})

    @classmethod
    def from_archive(cls, header: dict[str, Any], arrays: Arrays) -> Self:
        """Make a model of what its file held."""
        start, vectors = "weights/", arrays.pop("vectors", None)
        weights = {name: arrays.pop(name) for name in list(arrays) if name.startswith(start)}
        kept = {name.removeprefix(start): value for name, value in weights.items()}
        encoder = None
        if "encoder" in header:
            need_torch()
            from treegauge.parsing.neural.pretrained_files import read_encoder

            encoder = read_encoder(header["encoder"], kept)
        learned = Trained(
            Vocabulary.from_dict(header["vocabulary"]), kept,
            None if vectors is None else WordVectors(tuple(header["vector_words"]), vectors),
            encoder,
        )  # fmt: skip
        return cls(cls.kind(**header["options"]), learned, **arrays)


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
        """Return the model of what was learned."""
        return self.model(self.options, learned)

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int,
        on_epoch: OnEpoch | None = None,
    ) -> Any:  # fmt: skip
        """Learn from gold trees; with a dev set, its best epoch is kept."""

        def report(epoch: int, learned: Trained) -> None:
            if on_epoch is not None:
                on_epoch(epoch, self.made(train, learned))

        learned = fit(
            train,
            dev,
            self.options,
            seed=seed,
            encoding=self.encoding(),
            on_epoch=on_epoch and report,
        )
        return self.made(train, learned)
