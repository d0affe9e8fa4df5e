"""The verb ``split``: random, by length, into folds, or easy (low-EDV) and hard (high-EDV) splits.

A split on disk consists of CoNLL-U files with the origin of every sentence, and a manifest from
which the split can be reproduced.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError, check_format
from treegauge.core.file_kinds import FOLDER
from treegauge.core.files import atomic, whole_folder
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.result import Result
from treegauge.core.text_formats import parse_json
from treegauge.core.verbs import verb
from treegauge.statistics.probabilities import wasserstein
from treegauge.treebanks.sources.files import Errors

if TYPE_CHECKING:
    from treegauge.splitting.assignment import SentencePool
    from treegauge.treebanks.data.columns import Treebank

Objective = Literal[
    "random", "length", "high", "low", "0.25", "0.5", "0.75", "sampled-high", "sampled-low", "kfold"
]  # fmt: skip
SizeUnit = Literal["sentences", "words"]
Index = npt.NDArray[np.int64]
FORMAT = 1


@dataclass(frozen=True, eq=False)
class Split(Result, kind="split"):
    """A split: the numbers of the sentences in each set, in their original order."""

    pool: "SentencePool"
    parts: dict[str, Index]
    dropped: Index
    settings: dict[str, Any]
    signature: str
    digits: ClassVar[int] = 4

    @property
    def table(self) -> "pl.DataFrame":
        """One row per set: size, EDV and SLV to the first set."""
        first, rows = next(iter(self.parts)), []
        for name, index in self.parts.items():
            lengths = self.pool.lengths[index]
            edv, slv = self.distances(first, name)
            rows.append(
                {
                    "split": name, "sentences": len(index), "words": int(lengths.sum()),
                    "mean_length": float(lengths.mean()) if len(index) else None,
                    "edv": None if name == first or np.isnan(edv) else edv,
                    "slv": None if name == first or np.isnan(slv) else slv,
                }
            )  # fmt: skip
        return pl.DataFrame(rows)

    def distances(self, one: str, other: str) -> tuple[float, float]:
        """Return EDV and SLV between two sets."""
        parts = [self.parts[one], self.parts[other]]
        size = int(self.pool.lengths.max(initial=0)) + 1
        arcs = [self.pool.histograms[part].sum(axis=0, dtype=np.int64) for part in parts]
        lengths = [np.bincount(self.pool.lengths[part], minlength=size) for part in parts]
        return float(wasserstein(*arcs)), float(wasserstein(*lengths))

    @property
    def edv(self) -> float:
        """EDV between training and test set."""
        return self.distances("train", "test")[0]


@verb(outputs={"out": FOLDER})
def split(
    source: "str | PathLike[str] | Treebank",
    *,
    out: str | PathLike[str] | None = None,
    objective: Objective = "random",
    sizes: str = "60/20/20",
    unit: SizeUnit = "sentences",
    folds: int = 5,
    documents: bool | None = None,
    min_words: int | None = None,
    seed: int = 0,
    manifest: str | PathLike[str] | None = None,
    errors: Errors = "strict",
) -> Split:
    """Split a treebank at random, by length, into folds, or by EDV.

    Shows the distances between the sets in displacements (EDV) and sentence lengths (SLV).

    Parameters
    ----------
    source
        A folder such as UD_Greek-GDT, its name or code, a file, or a treebank.
    out
        Folder to write the sets and a manifest to. A comment has the origin of each sentence:
        # split_origin = FILE:NUMBER.
    objective
        random; length (the longest sentences form the test set); low and high (minimise or maximise
        EDV between training and test set, with equal sizes and sentence lengths); 0.25, 0.5 and 0.75
        (EDV at this level between low, 0, and high, 1, otherwise the same); sampled-low and
        sampled-high (by the published sampler: always four training sentences to one test sentence
        before the dev set is taken out); kfold.
    sizes
        Relative sizes of training, dev and test set; dev may be 0.
    unit
        Whether sizes and folds count sentences or words. Low and high splits keep sentence lengths
        equal, so both give the same there.
    folds
        Number of folds for kfold.
    documents
        Whether to keep documents (# newdoc) whole; by default yes in random and kfold splits if
        there are any.
    min_words
        Leave out sentences with fewer words; by default 3 for splits by EDV, as published, else 1.
    manifest
        Reproduce the split of this manifest.

    Examples
    --------
    >>> import treegauge as tg
    >>> splits = split(tg.synthetic(100, seed=1), documents=False)
    >>> splits.table.select("split", "sentences").rows()
    [('train', 60), ('dev', 20), ('test', 20)]
    """
    from treegauge.splitting.assignment import make_split, parse_sizes, pool

    sentences = pool(source, errors=errors)
    if manifest is not None:
        try:
            content = parse_json(Path(manifest).read_bytes())
        except (OSError, ValueError) as error:
            raise TreegaugeError(f"{manifest}: cannot read the manifest: {error}") from error
        result = rebuild(sentences, content)
    else:
        result = make_split(
            sentences, objective, seed=seed, sizes=parse_sizes(sizes), unit=unit, documents=documents,
            folds=folds, min_words=min_words,
        )  # fmt: skip
    if out is not None:
        files = write_split(result, out)
        note(f"wrote {', '.join(path.name for path in files)} to {out}")
    return result


def split_manifest(split: Split) -> dict[str, Any]:
    """Return what is needed to reproduce the split from the same files."""
    pool = split.pool
    return {
        "format": FORMAT,
        "signature": split.signature,
        "settings": split.settings,
        "sources": [
            {"file": file, "sha256": digest, "sentences": int((pool.origin == i).sum())}
            for i, (file, digest) in enumerate(zip(pool.files, pool.digests, strict=True))
        ],
        "parts": {name: _by_file(pool, index) for name, index in split.parts.items()},
        "dropped": _by_file(pool, split.dropped),
        "table": split.table.to_dicts(),
    }


def _by_file(pool: "SentencePool", index: Index) -> dict[str, list[int]]:
    return {file: pool.number[index[pool.origin[index] == i]].tolist() for i, file in enumerate(pool.files)}


def write_split(split: Split, folder: str | PathLike[str]) -> list[Path]:
    """Write one file per set and ``manifest.json``, each atomically; return their paths."""
    target = Path(folder)
    paths = {name: target / f"{split.pool.code}-ud-{name}.conllu" for name in split.parts}
    for path in paths.values():
        if path.is_file() and sha256(path.read_bytes()).hexdigest() in split.pool.digests:
            raise TreegaugeError(f"{path} is an input and would be overwritten; write to another folder")
    others = sorted({*target.glob("*.conllu")} - {*paths.values()})
    if others:
        raise TreegaugeError(
            f"{target} already has {others[0].name}: the sets of two splits would be mixed; choose "
            "another folder with --out, or move its files away"
        )
    path = target / "manifest.json"
    with whole_folder(target):
        for name, index in split.parts.items():
            with atomic(paths[name]) as file:
                file.write(_text(split.pool, index))
        with atomic(path) as file:
            file.write((json.dumps(split_manifest(split), indent=1) + "\n").encode())
    return [*paths.values(), path]


def _text(pool: "SentencePool", index: Index) -> bytes:
    treebank = pool.treebank
    pieces = []
    for i in index.tolist():
        start, stop = treebank.spans[i].tolist()
        first = int(treebank.fields[treebank.row_offsets[i], 0])
        end = b"\r\n" if treebank.raw[start:stop].tobytes().endswith(b"\r\n") else b"\n"
        origin = f"# split_origin = {pool.files[pool.origin[i]]}:{pool.number[i]}".encode()
        body = treebank.raw[first:stop].tobytes()
        while not body.endswith((end + end, b"\r\r")):
            body += end
        pieces += [treebank.raw[start:first].tobytes(), origin, end, body]
    return b"".join(pieces)


def rebuild(pool: "SentencePool", manifest: Mapping[str, Any]) -> Split:
    """Reproduce a split from its manifest; the files must be identical byte for byte."""
    version = manifest.get("format") if isinstance(manifest, Mapping) else None
    check_format("manifest", version, FORMAT, "make the split again")
    try:
        return _rebuild(pool, manifest)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise TreegaugeError(
            f"manifest: cannot be read ({type(error).__name__}: {error}); expected a file written by treegauge split"
        ) from error


def _rebuild(pool: "SentencePool", manifest: Mapping[str, Any]) -> Split:
    names = [source["file"] for source in manifest["sources"]]
    if sorted(names) != sorted(pool.files):
        raise TreegaugeError(f"the manifest names {', '.join(names)}; found {', '.join(pool.files)}")
    for source in manifest["sources"]:
        digest = pool.digests[pool.files.index(source["file"])]
        if digest != source["sha256"]:
            raise TreegaugeError(
                f"{source['file']} has SHA-256 {digest[:12]}..., but the manifest was made from "
                f"{source['sha256'][:12]}...: use the same release"
            )
    place = {(int(o), int(n)): i for i, (o, n) in enumerate(zip(pool.origin, pool.number, strict=True))}

    def numbers(by_file: Mapping[str, list[int]]) -> Index:
        chosen = [place[pool.files.index(f), n] for f, many in by_file.items() for n in many]
        return np.sort(np.array(chosen, np.int64))

    parts = {name: numbers(by_file) for name, by_file in manifest["parts"].items()}
    return Split(pool, parts, numbers(manifest["dropped"]), dict(manifest["settings"]), manifest["signature"])
