"""Parsing with a trained model."""

from dataclasses import dataclass
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

from treegauge.core.file_kinds import CONLLU
from treegauge.core.lazy import pl
from treegauge.core.messages import note, progress
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb

if TYPE_CHECKING:
    from treegauge.parsing.base import Model
    from treegauge.parsing.probabilities.fit_confidence import ModelCalibration
    from treegauge.parsing.train import Training
    from treegauge.treebanks.data.columns import Treebank


@dataclass(frozen=True)
class Parsed(Result, kind="parsed"):
    """Sentences with a model's trees, and the file that they were written to, or None."""

    treebank: "Treebank"
    path: str | None
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row: the parsed file and its size."""
        size = {"sentences": len(self.treebank), "words": self.treebank.n_words}
        return pl.DataFrame([{"treebank": self.treebank.name, **size, "file": self.path}])

    @property
    def document(self) -> bytes | None:
        """The CoNLL-U text, if it was not written to a file."""
        return self.treebank.to_bytes() if self.path is None else None


@verb(outputs={"out": CONLLU})
def parse(
    model: "Training | Model | str | PathLike[str]",
    treebank: "Treebank | str | PathLike[str] | IO[str] | IO[bytes]", *,
    out: str | PathLike[str] | None = None, split: Literal["train", "dev", "test"] | None = None,
    errors: Literal["strict", "skip", "repair"] = "strict", confidence: bool = False,
    write_tags: bool = False, trust: bool = False,
) -> Parsed:  # fmt: skip
    """Parse sentences with a trained model.

    Replaces HEAD and DEPREL of every word, also where they have values; everything else stays as it
    is. A command without ``--out`` prints the parsed sentences.

    Parameters
    ----------
    model
        A model that ``treegauge train`` wrote.
    treebank
        Sentences in CoNLL-U, parsed or not: a file, ``-`` for standard input, a folder, or the
        name or code of a treebank under ``TREEGAUGE_UD``.
    out
        The file to write.
    split
        Parse only this set of a treebank folder.
    confidence
        Write calibrated probabilities: ``HeadProb`` and ``DeprelProb`` (of the relation, if the
        head is correct) in MISC, and ``# tree_prob`` above each sentence.
    write_tags
        Write the tags of the model's tagger, which it parses with, into UPOS.
    trust
        Allow a model of an external program (parser ``command``), which may run code that is in its
        files. The environment variable TREEGAUGE_TRUST=1 does the same for all models.

    Examples
    --------
    >>> from treegauge.parsing.registry import make_parser
    >>> from treegauge.testing.synthetic import synthetic
    >>> model = make_parser("mst", epochs=1).fit(synthetic(30, seed=1), seed=0)
    >>> parse(model, synthetic(3, seed=2)).treebank
    <Treebank syn-2: 3 sentences, ... words>
    >>> parse(model, synthetic(1, seed=2), confidence=True).treebank["misc"][0]
    '...HeadProb=0...|DeprelProb=...'
    """
    from treegauge.parsing.base import check_folder_of
    from treegauge.parsing.registry import load_model
    from treegauge.parsing.tag_sources import check_tagger, note_tags, with_read_tags
    from treegauge.parsing.train import Training
    from treegauge.treebanks.data.conllu import TOLERABLE, write_conllu
    from treegauge.treebanks.sources.resolver import read_treebank

    if isinstance(model, str | PathLike):
        digest = sha256(Path(model).read_bytes()).hexdigest()[:6]
        loaded, name = load_model(model, trust=trust), f"{Path(model).name}#{digest}"
    elif isinstance(model, Training):
        loaded, name = model.model, model.signature.partition("|")[2]
    else:
        loaded, name = model, type(model).__name__
    if confidence:
        from treegauge.parsing.probabilities.evidence import check_confidence

        check_confidence(loaded)
    if write_tags:
        check_tagger(loaded)
    path = None if out is None or fspath(out) == "-" else fspath(out)
    if path is not None:
        check_folder_of(path)
    given = read_treebank(treebank, split, errors, need_heads=False, allow=TOLERABLE)
    note_tags(loaded, given, confidence=confidence)
    with progress("parsing"):
        parsed = loaded.parse(given) if given.n_words else given  # plug-ins may expect words
        if write_tags:
            parsed = with_read_tags(loaded, parsed)
        if confidence:
            from treegauge.parsing.probabilities.word_confidence import with_confidence

            parsed = with_confidence(loaded, parsed, _calibration(model, loaded))
    if path is not None:
        write_conllu(parsed, path)
    signature = sign(
        v="parse", model=name, tb=given.mark, confidence=confidence or None,
        tags=write_tags or None, output=parsed.mark,
    )  # fmt: skip
    return Parsed(parsed, path, signature)


def _calibration(model: "Training | Model | str | PathLike[str]", loaded: "Model") -> "ModelCalibration":
    """Return the calibration of a model; report if there is none."""
    from treegauge.parsing.probabilities.fit_confidence import uncalibrated
    from treegauge.parsing.probabilities.held_out import load_calibration
    from treegauge.parsing.train import Training

    fitted = None
    if isinstance(model, str | PathLike):
        fitted = load_calibration(model)
    elif isinstance(model, Training):
        fitted = model.calibration
    if fitted is None:
        note(
            "the model's probabilities are not calibrated: they are the parser's own; train it "
            "with a dev set or --calibrate folds for probabilities that match how often it is "
            "correct"
        )
    return fitted or uncalibrated(loaded)
