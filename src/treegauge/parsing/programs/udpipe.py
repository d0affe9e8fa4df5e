"""UDPipe 1.x: a transition-based parser with a small neural network, and its tagger.

Uses little of the library ``ufal.udpipe``: it passes sentences and gets the bytes of a model.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import is_listened, progress
from treegauge.core.platforms import end_with_parent
from treegauge.parsing.base import OnEpoch, check_training, save_model
from treegauge.parsing.options import lacks_tags, no_tags_error
from treegauge.parsing.programs.udpipe_settings import TAGS, UDPipeOptions, options_text, tagger_options, udpipe_values
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source

_LAST = 12  # lines of the library's messages in an error
_COLUMNS = {"lemma": "lemma", "upos": "upostag", "xpos": "xpostag", "feats": "feats"}
_ADVICE = {
    "must have 'root' deprel": "give every word with head 0 the relation root, without a subtype",
    "any non-root cannot have": "give words with another head than 0 another relation than root",
    "different from 'root' must exist": "train on sentences of at least two words",
    "single root": "read the file with errors='repair' or 'skip'",
    "No training data": "train on at least one sentence",
    "embedding": "give embedding_form_file a file in word2vec's text format",
}


def udpipe_package() -> Any:
    """Return the library, or raise an error that says how to install it."""
    try:
        import ufal.udpipe
    except ImportError:
        raise TreegaugeError("UDPipe needs a package that is not installed: pip install 'treegauge[udpipe]'") from None
    return ufal.udpipe


def udpipe_sentences(treebank: Treebank, *, tags: bool, trees: bool) -> list[Any]:
    """Return sentences of the library, with tags and trees if requested.

    Comments, multiword tokens and empty nodes are left out.
    """
    udpipe = udpipe_package()
    forms = treebank["form"].to_list()
    names = _COLUMNS.items() if tags else ()
    columns = [(their, treebank[our].to_list()) for our, their in names]
    relations = treebank["deprel"].to_list() if trees else []
    heads = treebank.head.tolist()
    made = []
    for start, stop in pairwise(treebank.offsets.tolist()):
        sentence = udpipe.Sentence()
        for word in range(start, stop):
            added = sentence.addWord(forms[word])
            for name, values in columns:
                setattr(added, name, "" if values[word] == "_" else values[word])
        if trees:
            for word in range(start, stop):
                sentence.setHead(word - start + 1, heads[word], relations[word])
        made.append(sentence)
    return made


def with_results(treebank: Treebank, sentences: list[Any], columns: Iterable[str]) -> Treebank:
    """Return a copy of the treebank with columns from the library's sentences."""
    theirs = {"head": "head", "deprel": "deprel", **_COLUMNS}
    values: dict[str, list[Any]] = {name: [] for name in columns}
    for sentence in sentences:
        words = list(sentence.words)[1:]
        for name, found in values.items():
            found += [getattr(word, theirs[name]) for word in words]
    return treebank.with_columns(
        {name: [value if value != "" else "_" for value in found] for name, found in values.items()}
    )


def train_udpipe(
    sentences: Treebank, dev: Treebank | None, *, tagger: str, parser: str, watched: bool = False
) -> tuple[bytes, str]:
    """Train a tagger, a parser or both; return the bytes of the model and the library's log.

    `tagger` and `parser` are options of the library, or ``"none"``. `watched` shows progress and
    stops on an interrupt, which needs a separate process: the library blocks its process until it
    is done.
    """
    with tempfile.TemporaryDirectory() as folder:
        log, model = Path(folder, "log"), Path(folder, "model")
        log.touch()
        if watched:
            _watch(log, (log, model, sentences, dev, tagger, parser))
        else:
            _train(log, model, sentences, dev, tagger, parser)
        text = log.read_bytes().decode(errors="replace")
        content = model.read_bytes() if model.exists() else b""
    message, _, data = content.partition(b"\n")
    if message or not data:
        said = message.decode() or "no reason given"
        hint = next((advice for part, advice in _ADVICE.items() if part in said), None)
        lines = [f"UDPipe cannot learn from {sentences.name}: {said}"]
        lines += [f"hint: {hint}"] if hint else []
        raise TreegaugeError("\n".join(lines + text.splitlines()[-_LAST:]))
    return data, text


def _train(log: Path, out: Path, sentences: Treebank, dev: Treebank | None, tagger: str, parser: str) -> None:
    """Write a line that is empty unless there is an error, and the bytes of the model."""
    udpipe = udpipe_package()
    error = udpipe.ProcessingError()
    given, heldout = udpipe.Sentences(), udpipe.Sentences()
    trees = parser != udpipe.Trainer.NONE
    for part, target in ((sentences, given), (dev, heldout)):
        for sentence in [] if part is None else udpipe_sentences(part, tags=True, trees=trees):
            target.append(sentence)
    with errors_to_log(log):
        model = udpipe.Trainer.train("morphodita_parsito", given, heldout, udpipe.Trainer.NONE, tagger, parser, error)
    message = " ".join(error.message.split()) if error.occurred() else ""
    out.write_bytes(message.encode() + b"\n" + bytes(model or b""))


def _watch(log: Path, job: tuple[Any, ...]) -> None:
    """Train in another process, and show the iterations from its log."""
    process = get_context("spawn").Process(target=_train_and_end, args=job, daemon=True)
    process.start()
    total = sum(map(int, re.findall(r"iterations=(\d+)", ";".join(job[-2:]))))
    try:
        with progress("iterations of UDPipe", total) as task:
            while process.is_alive():
                process.join(0.5)
                task.update(log.read_bytes().count(b"\nIteration "))
    finally:
        process.kill()
        process.join()


def _train_and_end(*job: Any) -> None:  # runs in the other process
    end_with_parent()  # the library blocks this process: it cannot notice anything itself
    _train(*job)


def load_udpipe(model: bytes) -> Any:
    """Load a model through a file: the library reads nothing else."""
    udpipe = udpipe_package()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.udpipe")
        path.write_bytes(model)
        loaded = udpipe.Model.load(str(path))
    if loaded is None:
        raise TreegaugeError(f"these {len(model):,} bytes are not a model that UDPipe can load")
    return loaded


def apply_udpipe(model: Any, sentences: list[Any], *, tag: bool, parse: str | None) -> None:
    """Tag and parse sentences in place; `parse` are the parser's options, None skips parsing."""
    udpipe = udpipe_package()
    error = udpipe.ProcessingError()
    for number, sentence in enumerate(sentences, start=1):
        done = model.tag(sentence, udpipe.Model.DEFAULT, error) if tag else True
        if done and parse is not None:
            done = model.parse(sentence, parse, error)
        if not done:
            raise TreegaugeError(f"UDPipe stopped at sentence {number}: {error.message}")


@contextmanager
def errors_to_log(log: Path) -> Iterator[None]:
    """Redirect what C++ writes to standard error to a file.

    Redirects the descriptor, since C++ does not use :data:`sys.stderr`.
    """
    sys.stderr.flush()
    with log.open("ab") as said:
        kept = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


@dataclass(frozen=True, eq=False)
class UDPipeModel:
    """A model of UDPipe: its options, its bytes, and UDPipe's log of training.

    The log has the options, then one line per iteration, with UAS and LAS on the dev set if there
    was one. `tagless` says that the training set had no tags.
    """

    options: UDPipeOptions
    data: bytes
    log: str = ""
    tagless: bool = False

    @cached_property
    def _loaded(self) -> Any:
        return load_udpipe(self.data)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_loaded"}

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with UDPipe's trees, and with its tags if it parses by these.

        A model with a tagger (``tags=mixed``) tags sentences in which no word has a tag.
        """
        untagged = treebank.n_words > 0 and lacks_tags(treebank) and not self.tagless
        if untagged and self.options.tags == "gold":
            raise no_tags_error(treebank)
        tagged = self.options.tags == "predicted" or untagged
        sentences = udpipe_sentences(treebank, tags=not tagged, trees=False)
        beam = f"beam_search={self.options.beam}"
        apply_udpipe(self._loaded, sentences, tag=tagged, parse=beam)
        columns = ("head", "deprel", *(TAGS if tagged else ()))
        return with_results(treebank, sentences, columns)

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        header = {"options": asdict(self.options), "log": self.log, "tagless": self.tagless}
        save_model(path, "udpipe", header, {"model": np.frombuffer(self.data, np.uint8)})

    @classmethod
    def from_archive(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> "UDPipeModel":
        """Return the model stored in a file."""
        options = UDPipeOptions(**header["options"])
        return cls(options, arrays["model"].tobytes(), header["log"], header["tagless"])

    @classmethod
    def from_udpipe(cls, path: Source, options: UDPipeOptions | None = None) -> "UDPipeModel":
        """Return a model that UDPipe wrote, such as a published one (``.udpipe``)."""
        try:
            model = cls(options or UDPipeOptions(), Path(path).read_bytes())
        except OSError as error:
            raise TreegaugeError(f"{path}: cannot read the model: {error.strerror}") from error
        _ = model._loaded
        return model


class UDPipeParser:
    """Trains UDPipe through its Python package (``pip install 'treegauge[udpipe]'``).

    A network with one hidden layer scores the transitions of a stack-based parser from the words
    at the top of the stack, the front of the buffer and their dependents; trees are found with a
    beam. UDPipe's own randomness is fixed, so the seed shuffles the training set, which is where
    different runs of the published parser could differ, too. The preset ``ud2.0`` has the settings
    of the published UD models, without the word vectors; ``fast`` is a smaller network with
    fewer passes, and ``sized`` shrinks it further for longer sentences.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> parser = UDPipeParser(UDPipeOptions(preset="fast", iterations=1, hidden_layer=8))
    >>> model = parser.fit(synthetic(20, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
    """

    def __init__(self, options: UDPipeOptions | None = None) -> None:
        self.options = options or UDPipeOptions()
        udpipe_package()

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int, on_epoch: OnEpoch | None = None
    ) -> UDPipeModel:
        """Learn from gold trees.

        `on_epoch` is called once, after the last iteration: UDPipe returns no model before.
        """
        check_training(train, dev, seed=seed)
        how = self.options
        values = udpipe_values(how, sentences=len(train), words=train.n_words)
        last = int(values["iterations"])
        if dev is not None:
            values["early_stopping"] = int(how.early_stopping)
        tagger = "none"
        if how.tags != "gold":
            tagger = tagger_options(frozenset(TAGS), how.tagger_iterations)
        order = np.random.default_rng(seed).permutation(len(train))
        data, log = train_udpipe(
            train.take(order), dev, tagger=tagger, parser=options_text(values), watched=is_listened()
        )
        model = UDPipeModel(how, data, log, lacks_tags(train))
        if on_epoch is not None:
            on_epoch(last, model)
        return model
