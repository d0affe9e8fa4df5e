"""The verb ``convert``: CoNLL-U, compressed or not, to tables and back; answers of language models to CoNLL-U."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.files import atomic
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.result import Result, sign
from treegauge.core.safe_reading import check_parquet
from treegauge.core.text_formats import data_csv, plain_cells
from treegauge.core.verbs import verb
from treegauge.treebanks.sources.files import ANSWERS, Errors, Source
from treegauge.treebanks.sources.resolver import read_treebank

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

_TABLES = (".parquet", ".csv", ".tsv", ".arrow")
_TEXTS = (".conllu", ".conllu.gz", ".conllu.xz", ".conllu.bz2", ".conllu.zst")


@dataclass(frozen=True)
class NewTreebank(Result, kind="treebank"):
    """A treebank created by a verb: written to the file `out`, or printed as CoNLL-U (None)."""

    treebank: "Treebank"
    out: str | None
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """The words, one row each."""
        return self.treebank.table

    def json_fields(self) -> dict[str, Any]:
        """Return name, file and sizes; the treebank itself is the file."""
        sizes = {"sentences": len(self.treebank), "words": self.treebank.n_words}
        return {"name": self.treebank.name, "out": self.out, "rows": [sizes]}

    @property
    def document(self) -> bytes | None:
        """The treebank, if it was not written to a file; printed as it is."""
        return self.treebank.to_bytes() if self.out is None else None

    def own_text(self) -> str:
        """Return a message about the file written, or the CoNLL-U itself."""
        if self.out is None:
            text = self.treebank.to_bytes().decode(errors="replace")
            return text.removesuffix("\n")  # printing adds it again
        return f"{self.out}: {len(self.treebank)} sentences, {self.treebank.n_words} words"


def written(treebank: "Treebank", out: str | PathLike[str] | None, signature: str) -> NewTreebank:
    """Write a treebank to a file in the format of its ending; do nothing for ``None`` and ``-``."""
    from treegauge.treebanks.data.conllu import write_conllu

    if out is None or str(out) == "-":
        return NewTreebank(treebank, None, signature)
    target = Path(out)
    if target.suffix in _TABLES:
        frame = treebank.to_rows()
        with atomic(target) as file:
            if target.suffix == ".parquet":
                frame.write_parquet(file)
            elif target.suffix == ".arrow":
                frame.write_ipc(file)
            else:
                separator = "\t" if target.suffix == ".tsv" else ","
                file.write(data_csv(frame, separator).encode())
    else:
        write_conllu(treebank, target)
    return NewTreebank(treebank, str(out), signature)


@verb(outputs={"out": ""})
def convert(
    source: "Treebank | Source",
    out: str | PathLike[str] | None = None,
    *,
    split: str | None = None,
    errors: Errors = "strict",
    sample: int | None = None,
    seed: int = 0,
) -> NewTreebank:
    """Convert CoNLL-U to tables and back, and answers of language models; repair and sample.

    Tables contain every row and comment, so converting back loses nothing. Trees in an answer may be
    in any format: chat text is left out, and a comment says for each sentence what was assumed.

    Parameters
    ----------
    source
        A CoNLL-U file (compressed or not), a table, a treebank folder or a name under TREEGAUGE_UD;
        - is standard input. The answer of a language model ends in .txt, .md, .json or .jsonl.
    out
        The file to write; its ending sets the format: .conllu (also .gz .xz .bz2 .zst), .parquet,
        .arrow, .csv, .tsv. By default, and for -, CoNLL-U is printed.
    split
        Convert only this set (train, dev or test) of a treebank folder.
    errors
        What to do about malformed sentences; text without trees (_ in HEAD) is not malformed.
    sample
        Keep this number of sentences, drawn at random.

    Examples
    --------
    >>> import treegauge as tg
    >>> convert(tg.synthetic(30, seed=1), sample=10).treebank
    <Treebank syn-1: 10 sentences, 143 words>
    """
    named = out is not None and str(out) != "-" and Path(out).suffix
    if named and not str(out).endswith((*_TEXTS, *_TABLES)):
        raise ChoiceError("ending", Path(str(out)).name, [*_TEXTS, *_TABLES])
    if isinstance(source, str | PathLike) and Path(source).suffix in _TABLES:
        treebank = _read_table(Path(source), errors)
    elif isinstance(source, str | PathLike) and Path(source).suffix in ANSWERS and Path(source).is_file():
        treebank = _read_answer(Path(source), errors)
    else:
        treebank = read_treebank(source, split, errors, need_heads=False)
    for problem in treebank.problems:
        if problem.action:
            note(str(problem))
    signature = sign(convert=treebank.mark, errors=treebank.policy)
    if sample is not None:
        signature = sign(convert=treebank.mark, errors=treebank.policy, sample=sample, seed=seed)
        treebank = treebank.sample(sample, seed=seed)
    return written(treebank, out, signature)


def _read_answer(source: Path, errors: Errors) -> "Treebank":
    """Read an answer and say what was assumed; words without a head keep ``_``."""
    from treegauge.treebanks.answers.sentences import answer_or_treebank
    from treegauge.treebanks.data.conllu import TOLERABLE, parse_conllu

    treebank, answer = answer_or_treebank(source, allow=TOLERABLE, need_heads=False)
    if answer is None:
        return treebank if errors == "strict" else read_treebank(source, None, errors)
    for said in answer.remarks():
        note(f"{source}: {said}")
    if errors == "strict":
        return answer.treebank
    return parse_conllu(answer.treebank.to_bytes(), name=source.stem, errors=errors)


def _read_table(source: Path, errors: Errors) -> "Treebank":
    from treegauge.treebanks.data.frames import from_frame

    try:
        if source.suffix == ".parquet":
            check_parquet(source)
            frame = pl.read_parquet(source)
        elif source.suffix == ".arrow":
            frame = pl.read_ipc(source)
        else:
            separator = "\t" if source.suffix == ".tsv" else ","
            frame = plain_cells(pl.read_csv(source, separator=separator, infer_schema=False))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TreegaugeError(f"{source}: cannot read the table: {error}") from error
    return from_frame(frame, name=source.stem, errors=errors, need_heads=False)
