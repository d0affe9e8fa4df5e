"""The protocols of parsers and models, and the files of models.

A model is one file: arrays and a JSON header in an archive, without pickle.
"""

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError, check_format, check_whole
from treegauge.core.files import atomic
from treegauge.core.safe_reading import read_arrays
from treegauge.core.text_formats import parse_json
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source


class Model(Protocol):
    """A trained parser."""

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with HEAD and DEPREL replaced by the model's trees."""

    def save(self, path: Source) -> None:
        """Write the model to one file that is written atomically."""


@runtime_checkable
class Probabilistic(Protocol):
    """A model that gives the probability of each head and each relation.

    Confidence (:mod:`treegauge.parsing.probabilities.word_confidence`), data maps and votes need only this. A model
    whose trees are all projective also has an attribute ``projective`` that is True; then
    probabilities of trees are shares of projective trees only.
    """

    @property
    def relations(self) -> Sequence[str]:
        """Names of the columns of :meth:`relation_probabilities`."""

    def head_probabilities(self, treebank: Treebank) -> list[npt.NDArray[np.float64]]:
        """Return for each sentence of n words a matrix (n, n + 1): p(head | word), 0 the root."""

    def relation_probabilities(self, treebank: Treebank) -> npt.NDArray[np.float64]:
        """Return one row per word: p(relation | word, its head in the treebank)."""


@dataclass(frozen=True, eq=False)
class Analyses:
    """The analyses that a search kept of each sentence, and the scores of those it tried.

    Attributes
    ----------
    scores
        Of the analyses of each sentence, best first, (sentences, most); minus infinity where there
        are fewer.
    heads, relations
        Of each analysis, (most, words); relations are numbers.
    head_logs
        For each sentence how good each head was when the search tried it, (words, words + 1), as
        logs up to a constant per word.
    head_shares
        For each sentence the marginals over the beam, (words, words + 1): the share of each head in
        all analyses at the end of the beam, weighted by exp(score).
    relation_logs
        How good each relation of the arcs of the analyses was, (most, words, relations); minus
        infinity for relations that were not tried.
    """

    scores: npt.NDArray[np.float64]
    heads: npt.NDArray[np.int32]
    relations: npt.NDArray[np.int32]
    head_logs: list[npt.NDArray[np.float64]]
    head_shares: list[npt.NDArray[np.float64]]
    relation_logs: npt.NDArray[np.floating[Any]]


@runtime_checkable
class Searching(Protocol):
    """A model that searches for trees: its scores compare analyses, not single arcs."""

    @property
    def relation_names(self) -> Sequence[str]:
        """Names of the relations by their numbers in :meth:`analyses`."""

    def analyses(self, treebank: Treebank, most: int) -> Analyses:
        """Return the best analyses of each sentence, at most `most`; the first is the parse."""


OnEpoch = Callable[[int, Model], None]
"""Called after each epoch with its number from 1 and the model so far."""


class Parser(Protocol):
    """A parser with its options set, which trains models."""

    def fit(self, train: Treebank, dev: Treebank | None = None, *, seed: int, on_epoch: OnEpoch | None = None) -> Model:
        """Learn from gold trees; same seed, same model."""


def check_training(*parts: Treebank | None, seed: int = 0) -> None:
    """Refuse treebanks that cannot be trained on, naming the first faulty sentence.

    Also refuse a seed that random generators do not accept.
    """
    check_whole("seed", seed)
    for part in parts:
        if part is None:
            continue
        if part.n_words == 0:
            raise TreegaugeError(f"{part.name} has no words to train on")
        bad = np.flatnonzero(~trees.is_tree(part.head, part.offsets))
        if len(bad):
            first = int(bad[0])
            row = int(part.rows[part.offsets[first]])
            raise TreegaugeError(
                f"{part.name}:{part.line(row)}: sentence {part[first].id or first + 1} is not a "
                f"tree with one root ({len(bad)} such sentences); read the file with "
                "errors='repair' or 'skip' to train on it"
            )


FORMAT = 2
CALIBRATION = "calibration"
"""Name of the calibration in a model's file."""


def check_place(path: Source) -> None:
    """Refuse a path that cannot be written, before hours of training.

    Examples
    --------
    >>> check_place("/no/such/folder/greek.model")
    Traceback (most recent call last):
    ...
    treegauge.core.errors.TreegaugeError: /no/such/folder/greek.model: there is no folder ...
    """
    check_folder_of(path)
    target = Path(path).resolve()
    if not os.access(target if target.is_char_device() else target.parent, os.W_OK):
        raise TreegaugeError(f"{path}: no permission to write there")


def check_folder_of(path: Source) -> None:
    """Refuse a file to write that is a folder, or whose folder does not exist."""
    target = Path(path).resolve()
    if target.is_dir():
        raise TreegaugeError(f"{path} is a folder; expected the name of a file to write")
    if not target.parent.is_dir():
        raise TreegaugeError(f"{path}: there is no folder {target.parent}")


def save_model(path: Source, parser: str, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write a model; the same model gives the same bytes.

    Parameters
    ----------
    path
        The file, which is written atomically.
    parser
        Name of the parser that can load it.
    header
        Data for JSON: options, names, signature.
    arrays
        Weights.
    """
    data = to_npz({"format": FORMAT, "parser": parser, **header}, arrays)
    with atomic(path) as file:
        file.write(data)


def to_npz(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return the bytes of an archive of arrays and a header; also for outputs without seeking."""
    text = np.frombuffer(json.dumps(header, sort_keys=True).encode(), np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **{**arrays, "header": text})
    return file.getvalue()


def from_npz(file: BinaryIO) -> tuple[Any, dict[str, npt.NDArray[Any]]]:
    """Return header and arrays of what :func:`to_npz` wrote."""
    arrays = read_arrays(file)
    arrays.pop(CALIBRATION, None)
    return parse_json(arrays.pop("header").tobytes()), arrays


def hash_keys(texts: Iterable[str]) -> npt.NDArray[np.uint64]:
    """Return a hash of each text, 64 bits; the same on every machine.

    Examples
    --------
    >>> len(set(hash_keys(["a", "b", "a"]).tolist()))
    2
    """
    digests = [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def are_names(values: object) -> bool:
    r"""Return whether all items of a list are valid as a tag or a relation in CoNLL-U.

    Examples
    --------
    >>> are_names(["nsubj", "root"]), are_names(["nsubj", ""]), are_names(["a\tb"]), are_names(3)
    (True, False, False, False)
    """
    return isinstance(values, Sequence) and all(
        isinstance(name, str) and name and not set(name) & set("\t\n\r") for name in values
    )


def load_archive(path: Source) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read header and arrays of a model; refuse other files."""
    try:
        with Path(path).open("rb") as file:
            header, arrays = from_npz(file)
        if not isinstance(header, dict) or "parser" not in header:
            raise KeyError("parser")
    except TreegaugeError as error:
        raise TreegaugeError(f"{path}: {error}") from None
    except OSError as error:
        raise TreegaugeError(f"{path}: cannot read the model: {error}") from error
    except (
        ValueError, KeyError, TypeError, EOFError, MemoryError, zlib.error, zipfile.BadZipFile,
        NotImplementedError, RuntimeError,  # compressed or encrypted, unlike any model
    ) as error:  # fmt: skip
        raise TreegaugeError(
            f"{path} is not a treegauge model, or is truncated; expected a file that treegauge train wrote"
        ) from error
    check_format(path, header.get("format"), FORMAT, "train the model again")
    return header, arrays


def add_to_model(path: Source, name: str, values: Mapping[str, Any]) -> None:
    """Add JSON data to a model's file, atomically; a device such as /dev/null stores nothing."""
    if Path(path).is_char_device():
        return
    data = io.BytesIO(Path(path).read_bytes())
    member = io.BytesIO()
    np.save(member, np.frombuffer(json.dumps(values, sort_keys=True).encode(), np.uint8))
    with zipfile.ZipFile(data, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    with atomic(path) as file:
        file.write(data.getvalue())


def read_from_model(path: Source, name: str) -> Any:
    """Read what :func:`add_to_model` added to a model's file, or return None."""
    arrays = read_arrays(Path(path), [name])
    text = arrays[name].tobytes() if name in arrays else b"null"
    try:
        return parse_json(text)
    except ValueError as error:
        raise TreegaugeError(f"{path}: its {name} is damaged: train it again") from error
