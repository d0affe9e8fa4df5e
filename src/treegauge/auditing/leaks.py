"""Train/test overlap (leakage): sentences of a part that are also in another part."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treegauge.auditing.audit import SEVERITIES, Fail, Finding, Severity, fails, number_with_noun
from treegauge.auditing.near_duplicates import Matches, Texts, find_matches, plain_texts, treebank_texts
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.tables import Table, make_table

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.sources.files import Errors, Source
    from treegauge.treebanks.sources.inputs import Input

ERROR_SAME, ERROR_NEAR = 0.01, 0.1
"""Shares of a set above which scores on it mislead: of sentences that are also in the training set,
and of those that are there exactly or nearly."""
_SHOWN = 20
_NAMED = 6


@dataclass(frozen=True)
class Overlap:
    """Number of sentences of a part that are also in another part, or earlier in the same part.

    Attributes
    ----------
    part, also_in
        The two parts.
    same, near
        Number of sentences with the same text, and with nearly the same text.
    other_trees
        Number of sentences with the same text but different heads or relations.
    rows
        Their indices among the matches.
    examples
        The first of these sentences, by sent_id.
    level
        ``"error"`` if scores on the part mislead.
    """

    part: Texts
    also_in: Texts
    same: int
    near: int
    other_trees: int
    rows: npt.NDArray[np.int64]
    examples: tuple[str, ...]
    level: Severity

    @property
    def size(self) -> int:
        """The number of sentences of the part."""
        return len(self.part)

    @property
    def share(self) -> float:
        """The share of the part that is also in the other."""
        return (self.same + self.near) / self.size

    def finding(self) -> Finding:
        """Return the finding of an audit."""
        number, names = self.same + self.near, self.part.part
        nearly = f": {self.same} the same, {self.near} nearly the same" if self.near else ""
        if self.part is self.also_in:
            sentences = number_with_noun(number, "sentence")
            text = f"{sentences} repeat an earlier one ({100 * self.share:.1f} %)"
            return Finding("duplicates", self.level, names, number, text + nearly, self.examples)
        text = (
            f"{number_with_noun(number, 'sentence')} of {names} ({100 * self.share:.1f} %) also in "
            f"{self.also_in.part} (leakage){nearly}"
        )
        if self.same and not self.also_in.plain:
            other = f"{self.other_trees} of {self.same}"
            text += f"; identical sentences with a different tree: {other}"
        mark = ", " if "/" in names + self.also_in.part else "/"
        return Finding("leak", self.level, f"{self.also_in.part}{mark}{names}", number, text, self.examples)


def overlaps(matches: Matches, training: Sequence[int] = ()) -> Iterator[Overlap]:
    """Yield the overlap of every pair of parts that share a sentence, in order."""
    keys = matches.part * len(matches.parts) + matches.other_part
    order = np.argsort(keys, kind="stable")
    kinds, starts = np.unique(keys[order], return_index=True)
    for key, rows in zip(kinds.tolist(), np.split(order, starts)[1:], strict=True):
        part, other = divmod(key, len(matches.parts))
        one, two = matches.parts[part], matches.parts[other]
        exact = rows[matches.similarity[rows] == 1]
        differ = one.trees[matches.number[exact]] != two.trees[matches.other[exact]]
        level: Severity = "warning"
        if part == other:
            level = "warning" if len(rows) > ERROR_SAME * len(one) else "note"
        elif one.split != "train" and (other in training or two.split == "train"):
            grave = len(exact) > ERROR_SAME * len(one) or len(rows) > ERROR_NEAR * len(one)
            level = "error" if grave else "warning"
        examples = tuple(one.ids[number] for number in matches.number[rows[:3]].tolist())
        near = len(rows) - len(exact)
        yield Overlap(one, two, len(exact), near, int(differ.sum()), rows, examples, level)


@dataclass(frozen=True, eq=False)
class LeakPairs(Result, kind="leak-pairs"):
    """Pairs of equal or nearly equal sentences; for two parts, the most similar first."""

    matches: Matches
    signature: str
    all: bool = False

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row per pair: both parts, sentences and files, the similarity, and their trees."""
        parts, one, two = self.matches.parts, self.matches.part, self.matches.other_part
        trees = [_both(parts, one, self.matches.number, "trees"), _both(parts, two, self.matches.other, "trees")]
        known = (self.matches.similarity == 1) & (trees[0] != 0) & (trees[1] != 0)
        same = pl.Series(np.where(trees[0] == trees[1], "same", "other"))
        return pl.DataFrame(
            {
                "part": [parts[p].part for p in one],
                "sent_id": _both(parts, one, self.matches.number, "ids"),
                "file": [parts[p].file for p in one],
                "also_in": [parts[p].part for p in two],
                "other_sent_id": _both(parts, two, self.matches.other, "ids"),
                "other_file": [parts[p].file for p in two],
                "similarity": self.matches.similarity,
                "tree": pl.select(pl.when(pl.Series(known)).then(same)).to_series(),
            }
        )

    def shown(self) -> Table:
        """Return the first pairs without their files, or all."""
        few = self.table if self.all else self.table.head(_SHOWN)
        return few.drop("file", "other_file")

    def own_text(self) -> str:
        """Return the first pairs, and the number of pairs."""
        from treegauge.core.tables import to_text

        if not len(self.matches):
            return "no sentence occurs twice"
        rest = len(self.matches) - _SHOWN
        more = [f"and {number_with_noun(rest, 'more pair')}: --all, or --out pairs.csv"]
        return "\n".join([to_text(self.shown()), *(more if rest > 0 and not self.all else [])])


def _both(parts: Sequence[Texts], which: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64], name: str) -> Any:
    """Return an attribute of sentences of several parts."""
    columns = [getattr(part, name) for part in parts]
    pairs = zip(which.tolist(), numbers.tolist(), strict=True)
    values = [columns[part][number] for part, number in pairs]
    return values if name == "ids" else np.array(values, np.uint64)


@dataclass(frozen=True, eq=False)
class Leaks(Result, kind="leaks", unit="percent"):
    """Train/test overlap of all parts, the largest share first; the pairs are attached."""

    overlaps: tuple[Overlap, ...]
    signature: str
    fail: Fail = "error"
    all: bool = False

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row per pair of parts that share sentences."""
        return [
            {
                "level": overlap.level, "part": overlap.part.part, "sentences": overlap.size,
                "also_in": overlap.also_in.part, "same": overlap.same, "near": overlap.near,
                "share": 100 * overlap.share, "other_trees": overlap.other_trees,
            }
            for overlap in self.overlaps
        ]  # fmt: skip

    @property
    def table(self) -> "pl.DataFrame":
        """One row per pair of parts that share sentences."""
        kinds = {"level": str, "part": str, "sentences": int, "also_in": str, "same": int, "near": int, "share": float}
        return make_table(self.rows, {**kinds, "other_trees": int})

    @property
    def exit_code(self) -> int:
        """1 if an overlap is at the level that fails."""
        return fails((overlap.level for overlap in self.overlaps), self.fail)

    def shown(self) -> Table:
        """Return the largest overlaps, or all."""
        return self.rows if self.all else self.rows[:_SHOWN]

    def own_text(self) -> str:
        """Return the largest overlaps, and their number."""
        from treegauge.core.tables import to_text

        if not self.overlaps:
            return self.signature
        rest = len(self.overlaps) - _SHOWN
        more = [f"and {number_with_noun(rest, 'more pair')} of parts (--all shows them)"]
        lines = [to_text(self.shown(), digits=1)]
        return "\n".join([*lines, *(more if rest > 0 and not self.all else []), self.signature])


def find_leaks(parts: Sequence[Texts], training: Sequence[int], *, similarity: float, fail: Fail, all: bool) -> Leaks:
    """Compare all parts with each other and with themselves; see :func:`find_matches`."""
    matches = find_matches(parts, similarity=similarity, training=training)
    training_parts = [parts[i] for i in training]  # duplicates within it are not reported
    largest = sorted(
        (overlap for overlap in overlaps(matches, training) if overlap.part not in training_parts),
        key=lambda one: (SEVERITIES.index(one.level), -one.share),
    )
    rows = [overlap.rows[np.argsort(-matches.similarity[overlap.rows], kind="stable")] for overlap in largest]
    matches = matches.take(np.concatenate([np.empty(0, np.int64), *rows]))
    signature = sign(audit="leaks", parts=named_parts(parts), similarity=similarity)
    pairs = LeakPairs(matches, signature, all)
    leaks = Leaks(tuple(largest), signature, fail, all)
    return leaks.with_attached({"pairs": pairs}, featured="pairs")


def named_parts(parts: Sequence[Texts]) -> str:
    """Return the parts for signatures: a checksum each, or one checksum of many."""
    import hashlib

    if len(parts) <= _NAMED:
        return "+".join(f"{part.part}#{part.digest}" for part in parts)
    whole = hashlib.sha256("".join(part.digest for part in parts).encode()).hexdigest()
    return f"{len(parts)}#{whole[:6]}"


def split_texts(splits: "Mapping[str, Treebank]", name: str = "") -> list[Texts]:
    """Return the texts of a treebank's splits, called train, or name/train if there is a name."""
    return [
        treebank_texts(treebank, f"{name}/{split}" if name else split, file=treebank.name, split=split)
        for split, treebank in splits.items()
    ]


def input_texts(source: "Input", *, named: bool = True) -> list[Texts]:
    """Return the texts of a treebank folder or CoNLL-U file, file by file, in bounded memory."""
    from treegauge.treebanks.data.conllu import read_conllu

    if source.given is not None or not source.splits or source.kind == "conllu":
        file = source.files[0] if source.files else ""
        split = next(iter(source.splits), "")
        return [treebank_texts(source.read(), source.name, file=file, split=split)]
    return [
        treebank_texts(
            read_conllu(file, errors=source.errors),
            f"{source.name}/{split}" if named else split, file=file, split=split,
        )
        for split, files in source.splits.items() for file in files
    ]  # fmt: skip


def training_texts(sources: "Sequence[Source]", *, errors: "Errors" = "strict") -> list[Texts]:
    """Return the texts of training data: treebanks, CoNLL-U files, or plain text, one line each."""
    from treegauge.treebanks.sources.files import is_conllu
    from treegauge.treebanks.sources.inputs import recognise_treebanks
    from treegauge.treebanks.sources.resolver import resolve_source

    texts: list[Texts] = []
    for source in sources:
        for path in resolve_source(source):
            if Path(path).is_file() and not is_conllu(path):
                texts.append(plain_texts(path, Path(path).name))
            else:
                for treebank in recognise_treebanks([path], errors=errors):
                    texts += input_texts(treebank)
    return texts
