"""The few things asked of ``ufal.udpipe``: sentences in, model bytes out, silence between."""

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank

_LAST = 12  # lines of the library's messages that an error shows
_COLUMNS = {"lemma": "lemma", "upos": "upostag", "xpos": "xpostag", "feats": "feats"}
_ADVICE = {
    "must have 'root' deprel": "give every word with head 0 the relation root, without a subtype",
    "any non-root cannot have": "give words with another head than 0 another relation than root",
    "different from 'root' must exist": "train on sentences of at least two words",
    "single root": "read the file with errors='repair' or 'skip'",
    "No training data": "train on at least one sentence",
    "embedding": "give embedding_form_file a file in word2vec's text format",
}


def library() -> Any:
    """Import the library, or say how to get it."""
    try:
        import ufal.udpipe
    except ImportError:
        raise TreegaugeError(
            "UDPipe needs a package that is not installed: pip install 'treegauge[udpipe]'"
        ) from None
    return ufal.udpipe


def sentences_of(treebank: Treebank, *, tags: bool, trees: bool) -> list[Any]:
    """Hand words over, with tags and trees only if told: no answer is known to who must find it.

    Comments, multiword tokens and empty nodes stay behind.
    """
    udpipe = library()
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
    """Return a copy of the treebank with columns as they are in the library's sentences."""
    theirs = {"head": "head", "deprel": "deprel", **_COLUMNS}
    values: dict[str, list[Any]] = {name: [] for name in columns}
    for sentence in sentences:
        words = list(sentence.words)[1:]
        for name, found in values.items():
            found += [getattr(word, theirs[name]) for word in words]
    return treebank.with_columns(
        {name: [value if value != "" else "_" for value in found] for name, found in values.items()}
    )


def train(
    sentences: Treebank, dev: Treebank | None, *, tagger: str, parser: str
) -> tuple[bytes, str]:
    """Train what is asked for.

    Parameters
    ----------
    sentences, dev
        Gold trees; with a dev part the best iteration on it is kept.
    tagger, parser
        Options of the library, or ``"none"``.

    Returns
    -------
    model, log
        The bytes of the model, and what the library said while it learned.
    """
    udpipe = library()
    error = udpipe.ProcessingError()
    given, heldout = udpipe.Sentences(), udpipe.Sentences()
    trees = parser != udpipe.Trainer.NONE
    for part, target in ((sentences, given), (dev, heldout)):
        for sentence in [] if part is None else sentences_of(part, tags=True, trees=trees):
            target.append(sentence)
    with quiet() as said:
        model = udpipe.Trainer.train(
            "morphodita_parsito", given, heldout, udpipe.Trainer.NONE, tagger, parser, error
        )
        log = _text(said)
    if error.occurred() or not model:
        message = error.message.strip() or "no reason given"
        hint = next((advice for part, advice in _ADVICE.items() if part in message), None)
        lines = [f"UDPipe cannot learn from {sentences.name}: {message}"]
        lines += [f"hint: {hint}"] if hint else []
        raise TreegaugeError("\n".join(lines + log.splitlines()[-_LAST:]))
    return bytes(model), log


def load(model: bytes) -> Any:
    """Load a model; the library reads files only."""
    udpipe = library()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.udpipe")
        path.write_bytes(model)
        loaded = udpipe.Model.load(str(path))
    if loaded is None:
        raise TreegaugeError(f"these {len(model):,} bytes are no model that UDPipe can load")
    return loaded


def apply(model: Any, sentences: list[Any], *, tag: bool, parse: str | None) -> None:
    """Tag and parse sentences in place; `parse` holds the parser's options, None leaves it out."""
    udpipe = library()
    error = udpipe.ProcessingError()
    for number, sentence in enumerate(sentences, start=1):
        done = model.tag(sentence, udpipe.Model.DEFAULT, error) if tag else True
        if done and parse is not None:
            done = model.parse(sentence, parse, error)
        if not done:
            raise TreegaugeError(f"UDPipe stopped at sentence {number}: {error.message}")


@contextmanager
def quiet() -> Iterator[IO[bytes]]:
    """Send what C++ writes to standard error to a temporary file.

    The descriptor is redirected, not :data:`sys.stderr`, which C++ does not know of.
    """
    sys.stderr.flush()
    with tempfile.TemporaryFile() as said:
        kept = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
