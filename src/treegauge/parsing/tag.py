"""Copies of files with predicted tags, for experiments without gold tags."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import FOLDER
from treegauge.core.messages import progress
from treegauge.core.result import RowsResult, sign
from treegauge.core.verbs import verb

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


@dataclass(frozen=True)
class Tagging(RowsResult, kind="tagging", unit="percent"):
    """Accuracy of predicted tags by file, in percent; None for files without tags."""


@verb(outputs={"out": FOLDER})
def tag(
    *files: str | PathLike[str],
    out: str | PathLike[str], columns: str | Sequence[str] = ("upos",), folds: int = 10,
    tagger: Literal["udpipe", "perceptron"] = "udpipe", iterations: int = 20, seed: int = 0,
    errors: Literal["strict", "skip", "repair"] = "strict",
) -> Tagging:  # fmt: skip
    """Tag sentences with predicted or jackknifed tags.

    The training set is tagged by folds, each by a tagger that has not seen it, with documents kept
    whole if there are enough; the dev and test
    sets of a folder, and any further files, are tagged by a tagger trained on the whole training
    set. The result has the accuracy of the predicted tags.

    Parameters
    ----------
    files
        First the training set: a CoNLL-U file with gold tags, a treebank folder, or the name or code
        of a treebank under ``TREEGAUGE_UD``; then more files to tag. Trees are not used.
    out
        Folder for the copies, which keep the names of their files.
    columns
        What to predict: upos, xpos, feats, lemma; several are joined by commas.
    folds
        Number of folds of the training set; 0 leaves the training set out.
    tagger
        UDPipe's tagger, or the perceptron that is part of parsers' models: it predicts only UPOS
        and is hundreds of times as fast.
    iterations
        Training iterations of the tagger.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> tg.write_conllu(tg.synthetic(60, seed=1), home / "train.conllu")
    >>> tg.write_conllu(tg.synthetic(20, seed=2), home / "test.conllu")
    >>> tagged = tag(home / "train.conllu", home / "test.conllu", out=home / "predicted",
    ...              tagger="perceptron", folds=2, iterations=1)
    >>> tagged.table.select("file", "tagged").rows()
    [('train.conllu', 'by 2 folds'), ('test.conllu', 'by train')]
    """
    from treegauge.core.files import whole_folder
    from treegauge.parsing.tagger import checked_columns, find_tagger
    from treegauge.treebanks.data.columns import concat
    from treegauge.treebanks.data.conllu import TOLERABLE, read_conllu, write_conllu
    from treegauge.treebanks.sources.files import split_of
    from treegauge.treebanks.sources.resolver import find, folder_name, treebank_folder

    given = columns.split(",") if isinstance(columns, str) else columns
    wanted = checked_columns([one.strip() for column in given for one in column.split(",")])
    learn, by_folds = find_tagger(tagger, wanted)
    if not files:
        raise TreegaugeError("nothing to tag: give a training set, and files if there are more")
    treebank, *others = files
    rest = [path for other in others for path in find(other)]
    if folder_name(treebank) is None:
        training = find(treebank)
    else:
        folder = treebank_folder(treebank)
        training = find(folder, split="train")
        rest = [*(path for path in find(folder) if split_of(path) in {"dev", "test"}), *rest]
    targets = _targets([*(training if folds else []), *rest], Path(out))
    untreed: dict[str, Any] = {"errors": errors, "need_heads": False, "allow": TOLERABLE}
    parts = [read_conllu(path, **untreed) for path in training]
    gold = parts[0] if len(parts) == 1 else concat(parts)
    rows, copies = [], []
    with progress("taggers", folds + bool(rest)) as task:
        if folds:
            tagged = by_folds(gold, folds=folds, iterations=iterations, seed=seed, on_fold=task.advance)
            bounds = accumulate((len(part) for part in parts), initial=0)
            for path, part, (start, stop) in zip(training, parts, pairwise(bounds), strict=True):
                copy = tagged[start:stop]
                copies.append((targets[path], copy))
                rows.append(_row(targets[path].name, f"by {folds} folds", part, copy, wanted))
        if rest:
            trained = learn(gold, iterations=iterations, seed=seed)
            task.advance()
            for path in rest:
                part = read_conllu(path, **untreed)
                copy = trained.tag(part)
                copies.append((targets[path], copy))
                rows.append(_row(targets[path].name, "by train", part, copy, wanted))
    with whole_folder(Path(out)):
        for target, copy in copies:
            write_conllu(copy, target)
    signature = sign(
        v="tag", tb=gold.mark, tagger=tagger, columns="+".join(wanted), folds=folds or None,
        iterations=iterations, seed=seed, errors=errors,
    )  # fmt: skip
    return Tagging(rows, signature)


def _row(name: str, how: str, gold: "Treebank", tagged: "Treebank", columns: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"file": name, "tagged": how, "sentences": len(gold), "words": gold.n_words}
    for column in columns:
        known = not set(gold.codes(column).values) <= {"_"}
        same = (gold[column] == tagged[column]).mean() if known else None
        row[column] = None if same is None else 100 * float(same)  # type: ignore[arg-type]
    return row


def _targets(files: Sequence[str], out: Path) -> dict[str, Path]:
    """Return the path of each file's copy; refuse to overwrite files."""
    if not files:
        raise TreegaugeError("nothing to tag: give files, or folds for the training set")
    if out.exists() and not out.is_dir():
        raise TreegaugeError(f"{out} is a file; expected a folder for the copies")
    targets = {path: out / ("stdin.conllu" if path == "-" else Path(path).name) for path in files}
    if len(set(targets.values())) < len(files):
        raise TreegaugeError(f"two files have the same name: {', '.join(sorted(files))}")
    for path, target in targets.items():
        if path != "-" and target.exists() and target.samefile(path):
            raise TreegaugeError(f"{target} would be overwritten; choose another folder")
    return targets
