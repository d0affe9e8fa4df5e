"""The sentences to split, with their files, lengths, displacements and documents."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.data.columns import Treebank, concat
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.treebanks.data.indexing import document_starts
from treegauge.treebanks.data.trees import displacement_counts, mean_edge_displacement
from treegauge.treebanks.sources.entries import UD_FILE
from treegauge.treebanks.sources.files import Errors, Source
from treegauge.treebanks.sources.inputs import recognise_treebanks


@dataclass(frozen=True, eq=False)
class SentencePool:
    """All sentences of a treebank, each with its file and its number in that file."""

    treebank: Treebank
    files: tuple[str, ...]
    digests: tuple[str, ...]
    origin: npt.NDArray[np.int32]
    number: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.treebank)

    @property
    def code(self) -> str:
        """Code of the files (``el_gdt`` in ``el_gdt-ud-test.conllu``), else the name."""
        named = [UD_FILE.match(file) for file in self.files]
        codes = {match["code"] for match in named if match}
        return codes.pop() if all(named) and len(codes) == 1 else self.treebank.name

    @cached_property
    def lengths(self) -> npt.NDArray[np.int32]:
        """Words of each sentence."""
        return self.treebank.lengths

    @cached_property
    def histograms(self) -> npt.NDArray[np.int32]:
        """Counts of each displacement from -30 to 30, per sentence."""
        return displacement_counts(self.treebank)

    @cached_property
    def med(self) -> npt.NDArray[np.float64]:
        """Mean edge displacement of each sentence, 0 for one-word sentences."""
        return np.nan_to_num(mean_edge_displacement(self.treebank))

    @cached_property
    def documents(self) -> npt.NDArray[np.int32]:
        """The document of each sentence; a ``# newdoc`` comment or a new file starts a document."""
        starts = document_starts(self.treebank)
        starts |= np.diff(self.origin, prepend=-1) != 0
        return (np.cumsum(starts) - 1).astype(np.int32)

    @property
    def has_documents(self) -> bool:
        """Whether there is a ``# newdoc`` comment."""
        return bool(document_starts(self.treebank).any())


def pool(source: Source | Treebank, *, errors: Errors = "strict") -> SentencePool:
    """Collect the sentences of all files of a source."""
    if isinstance(source, Treebank):
        files, parts = [source.name], [source]
    else:
        inputs = recognise_treebanks([source], errors=errors)
        files = [file for treebank_input in inputs for file in treebank_input.files]
        name = inputs[0].name if len(inputs) == 1 else "treebanks"
        parts = [read_conllu(file, name=name, errors=errors) for file in files]
    names = [Path(file).name for file in files]
    twice = [file for i, file in enumerate(names) if file in names[:i]]
    if twice:
        raise TreegaugeError(f"{source}: found two files called {twice[0]}; expected files of one treebank")
    return SentencePool(
        treebank=parts[0] if len(parts) == 1 else concat(parts, name=parts[0].name),
        files=tuple(names),
        digests=tuple(part.digest for part in parts),
        origin=np.repeat(np.arange(len(parts)), [len(p) for p in parts]).astype(np.int32),
        number=np.concatenate([np.arange(1, len(p) + 1) for p in parts]).astype(np.int32),
    )
