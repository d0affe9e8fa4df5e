"""UDPipe 1.x: a transition-based parser with a small neural network, and its tagger."""

from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.parsers import udpipe_library as library
from treegauge.parsers.base import OnEpoch, check_training
from treegauge.parsers.storage import save_model
from treegauge.parsers.udpipe_settings import TAGS, Options, joined, resolve, tagger_options
from treegauge.results.errors import TreegaugeError
from treegauge.results.files import atomic
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.sources import Source

__all__ = ["Options", "UDPipeModel", "UDPipeParser"]


@dataclass(frozen=True, eq=False)
class UDPipeModel:
    """A model of UDPipe.

    Attributes
    ----------
    options
        What it was trained with; `tags` and `beam` say how it parses.
    data
        The model as UDPipe itself writes it.
    log
        What UDPipe said while it learned: options, then one line an iteration, with UAS and LAS
        on the dev part if there was one.
    """

    options: Options
    data: bytes
    log: str = ""

    @cached_property
    def _loaded(self) -> Any:
        return library.load(self.data)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_loaded"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with UDPipe's trees, and with its tags if it parses by these."""
        tagged = self.options.tags == "predicted"
        sentences = library.sentences_of(treebank, tags=not tagged, trees=False)
        beam = f"beam_search={self.options.beam}"
        library.apply(self._loaded, sentences, tag=tagged, parse=beam)
        columns = ("head", "deprel", *(TAGS if tagged else ()))
        return library.with_results(treebank, sentences, columns)

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        header = {"options": asdict(self.options), "log": self.log}
        save_model(path, "udpipe", header, {"model": np.frombuffer(self.data, np.uint8)})

    @classmethod
    def from_archive(
        cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
    ) -> "UDPipeModel":
        """Make a model of what its file held."""
        return cls(Options(**header["options"]), arrays["model"].tobytes(), header["log"])

    @classmethod
    def from_udpipe(cls, path: Source, options: Options | None = None) -> "UDPipeModel":
        """Take a model that UDPipe wrote, such as a published one.

        Parameters
        ----------
        path
            A ``.udpipe`` file.
        options
            Whether to parse by the file's tags (the default) or by the model's own, and the beam.
        """
        try:
            model = cls(options or Options(), Path(path).read_bytes())
        except OSError as error:
            raise TreegaugeError(f"{path}: cannot read the model: {error.strerror}") from error
        _ = model._loaded
        return model

    def to_udpipe(self, path: Source) -> None:
        """Write the model as UDPipe itself reads it."""
        with atomic(path) as file:
            file.write(self.data)


class UDPipeParser:
    """Trains UDPipe through its Python package (``pip install 'treegauge[udpipe]'``).

    A network with one hidden layer scores the transitions of a stack-based parser from the words
    at the top of the stack, the front of the buffer and their dependents; trees are found with a
    beam. UDPipe's own randomness is fixed, so the seed shuffles the train part, which is where
    different runs of the published parser could differ too. The preset ``ud2.0`` is what the
    published UD models were trained with, less the word vectors; ``fast`` is a smaller network with
    fewer passes, and ``sized`` shrinks it further for longer sentences.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> parser = UDPipeParser(Options(preset="fast", iterations=1, hidden_layer=8))
    >>> model = parser.fit(synthetic(20, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
    """

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        library.library()

    def fit(
        self,
        train: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int,
        on_epoch: OnEpoch | None = None,
    ) -> UDPipeModel:
        """Learn from gold trees.

        `on_epoch` is called once, after the last iteration: UDPipe gives no model before.
        """
        check_training(train, dev, seed=seed)
        how = self.options
        values = resolve(how, sentences=len(train), words=train.n_words)
        last = int(values["iterations"])
        if dev is not None:
            values["early_stopping"] = int(how.early_stopping)
        tagger = "none"
        if how.tags != "gold":
            tagger = tagger_options(frozenset(TAGS), how.tagger_iterations)
        order = np.random.default_rng(seed).permutation(len(train))
        data, log = library.train(train.take(order), dev, tagger=tagger, parser=joined(values))
        model = UDPipeModel(how, data, log)
        if on_epoch is not None:
            on_epoch(last, model)
        return model
