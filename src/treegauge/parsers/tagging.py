"""Predicted tags: for other files from a whole train part, for the train part itself by folds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.parsers import udpipe_library as library
from treegauge.parsers.udpipe_settings import TAGS, tagger_options
from treegauge.results.errors import ChoiceError, TreegaugeError, check_whole
from treegauge.results.result import Result, sign
from treegauge.splitting.pool import pool
from treegauge.splitting.splitting import make_split
from treegauge.treebanks.columns import Treebank, concat
from treegauge.treebanks.conllu import TOLERABLE, read_conllu, write_conllu
from treegauge.treebanks.sources import Errors, Source, find, split_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Tagger", "Tagging", "jackknife", "tag_files", "train_tagger"]

Progress = Callable[[int, int], None]
"""Called with the number of taggers trained so far and of all."""


@dataclass(frozen=True, eq=False)
class Tagger:
    """UDPipe's tagger, trained to predict some columns."""

    columns: tuple[str, ...]
    data: bytes

    @cached_property
    def _loaded(self) -> Any:
        return library.load(self.data)

    def tag(self, treebank: Treebank) -> Treebank:
        """Return a copy with the columns predicted from nothing but the words."""
        sentences = library.sentences_of(treebank, tags=False, trees=False)
        library.apply(self._loaded, sentences, tag=True, parse=None)
        return library.with_results(treebank, sentences, self.columns)


def train_tagger(
    train: Treebank, *, columns: Sequence[str] = ("upos",), iterations: int = 20, seed: int = 0
) -> Tagger:
    """Train UDPipe's tagger: an averaged perceptron over a dictionary with a guesser.

    Parameters
    ----------
    train
        Sentences with gold tags; trees are not needed.
    columns
        Which of UPOS, XPOS, FEATS and LEMMA to predict; those asked for are learned together.
    iterations
        Passes over the sentences.
    seed
        Shuffles the sentences; UDPipe itself uses no other randomness.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> tagger = train_tagger(synthetic(30, seed=1), iterations=2)
    >>> tagged = tagger.tag(synthetic(10, seed=2))
    >>> set(tagged["upos"]) <= set(synthetic(30, seed=1)["upos"])
    True
    """
    wanted = _checked(columns)
    check_whole("iterations", iterations, 1)
    check_whole("seed", seed)
    if train.n_words == 0:
        raise TreegaugeError(f"{train.name} has no words to learn from")
    for name in wanted:
        if set(train.codes(name).values) <= {"_"}:
            raise TreegaugeError(f"{train.name} has no {name.upper()} to learn from")
    order = np.random.default_rng(seed).permutation(len(train))
    options = tagger_options(frozenset(wanted), iterations)
    return Tagger(wanted, library.train(train.take(order), None, tagger=options, parser="none")[0])


def _checked(columns: Sequence[str]) -> tuple[str, ...]:
    for name in columns:
        if name not in TAGS:
            raise ChoiceError("column to predict", name, TAGS)
    if not columns:
        raise TreegaugeError(f"no column to predict; choices: {', '.join(TAGS)}")
    return tuple(name for name in TAGS if name in columns)


def jackknife(
    train: Treebank,
    *,
    folds: int = 10,
    columns: Sequence[str] = ("upos",),
    iterations: int = 20,
    seed: int = 0,
    documents: bool | None = None,
    progress: Progress | None = None,
) -> Treebank:
    """Predict tags of a train part with taggers that have not seen the sentence.

    A parser that learns from gold tags meets errors at test time that it never met in training.
    Here each fold is tagged by a tagger trained on all others, so that the tags are about as wrong
    as those of new text.

    Parameters
    ----------
    train
        Sentences with gold tags.
    folds
        Number of folds.
    columns, iterations, seed
        As in :func:`train_tagger`; the seed also deals the folds.
    documents
        Whether documents stay whole; None: where there are at least as many as folds.
    progress
        Called after every fold.

    Returns
    -------
    Treebank
        The sentences in their order, with predicted tags.
    """
    sentences = pool(train)
    if documents is None:
        documents = sentences.has_documents and len(np.unique(sentences.documents)) >= folds
    dealt = make_split(sentences, "kfold", seed=seed, folds=folds, documents=documents)
    parts = []
    for number, fold in enumerate(dealt.parts.values(), start=1):
        others = np.setdiff1d(np.arange(len(train)), fold)
        tagger = train_tagger(train.take(others), columns=columns, iterations=iterations, seed=seed)
        parts.append(tagger.tag(train.take(fold)))
        if progress:
            progress(number, folds)
    order = np.argsort(np.concatenate(list(dealt.parts.values())), kind="stable")
    values = {}
    for name in _checked(columns):
        found = [part[name].to_list() for part in parts]
        bounds = [part.offsets.tolist() for part in parts]
        each = [
            words[start:stop]
            for words, ends in zip(found, bounds, strict=True)
            for start, stop in pairwise(ends)
        ]
        values[name] = [word for sentence in order for word in each[sentence]]
    return train.with_columns(values)


@dataclass(frozen=True)
class Tagging(Result):
    """How often predicted tags are the file's own, in per cent; None where it has none."""

    rows: tuple[dict[str, Any], ...]
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row a file."""
        import polars as pl

        return pl.DataFrame(list(self.rows))


def _row(name: str, how: str, gold: Treebank, tagged: Treebank, columns: Sequence[str]) -> Any:
    row: dict[str, Any] = {
        "file": name, "tagged": how, "sentences": len(gold), "words": gold.n_words,
    }  # fmt: skip
    for column in columns:
        known = not set(gold.codes(column).values) <= {"_"}
        same = (gold[column] == tagged[column]).mean() if known else None
        row[column] = None if same is None else 100 * float(same)  # type: ignore[arg-type]
    return row


def tag_files(
    train: Source,
    others: Sequence[Source],
    out: Source,
    *,
    folds: int = 10,
    columns: Sequence[str] = ("upos",),
    iterations: int = 20,
    seed: int = 0,
    documents: bool | None = None,
    errors: Errors = "strict",
    progress: Progress | None = None,
) -> Tagging:
    """Write copies of files with predicted tags.

    Parameters
    ----------
    train
        A file with gold tags, or a folder such as ``UD_Greek-GDT``, all parts of which are tagged.
        Trees are not looked at.
    others
        Files to be tagged by a tagger trained on all of `train`.
    out
        Folder for the copies, which keep the names of their files.
    folds
        Folds for the train part itself; 0 leaves it out.
    columns, iterations, seed, documents, progress
        As in :func:`jackknife`.
    errors
        What to do about malformed files.
    """
    wanted = _checked(columns)
    folder = Path(train).is_dir()
    files = find(train, split="train" if folder else None)
    rest = [path for path in find(train) if folder and split_of(path) in {"dev", "test"}]
    rest += [path for other in others for path in find(other)]
    targets = _targets([*(files if folds else []), *rest], Path(out))
    untreed: dict[str, Any] = {"errors": errors, "need_heads": False, "allow": TOLERABLE}
    parts = [read_conllu(path, **untreed) for path in files]
    gold = parts[0] if len(parts) == 1 else concat(parts)
    rows, copies, total = [], [], folds + bool(rest)

    def told(done: int, _: int) -> None:
        if progress:
            progress(done, total)

    if folds:
        tagged = jackknife(
            gold, folds=folds, columns=wanted, iterations=iterations, seed=seed,
            documents=documents, progress=told,
        )  # fmt: skip
        bounds = accumulate((len(part) for part in parts), initial=0)
        for path, part, (start, stop) in zip(files, parts, pairwise(bounds), strict=True):
            copies.append((targets[path], tagged[start:stop]))
            rows.append(_row(targets[path].name, f"by {folds} folds", part, copies[-1][1], wanted))
    if rest:
        tagger = train_tagger(gold, columns=wanted, iterations=iterations, seed=seed)
        told(total, total)
        for path in rest:
            part = read_conllu(path, **untreed)
            copies.append((targets[path], tagger.tag(part)))
            rows.append(_row(targets[path].name, "by train", part, copies[-1][1], wanted))
    Path(out).mkdir(parents=True, exist_ok=True)
    for target, copy in copies:
        write_conllu(copy, target)
    signature = sign(
        tb=gold.mark, tagger="udpipe", columns="+".join(wanted), folds=folds or None,
        iterations=iterations, seed=seed,
    )  # fmt: skip
    return Tagging(tuple(rows), signature)


def _targets(files: Sequence[str], out: Path) -> dict[str, Path]:
    """Return where each file's copy goes, after a look that nothing is overwritten."""
    if not files:
        raise TreegaugeError("nothing to tag: give files, or folds for the train part")
    if out.exists() and not out.is_dir():
        raise TreegaugeError(f"{out} is a file; expected a folder for the copies")
    targets = {path: out / ("stdin.conllu" if path == "-" else Path(path).name) for path in files}
    if len(set(targets.values())) < len(files):
        raise TreegaugeError(f"two files of one name: {', '.join(sorted(files))}")
    for path, target in targets.items():
        if path != "-" and target.exists() and target.samefile(path):
            raise TreegaugeError(f"{target} would be overwritten; choose another folder")
    return targets
