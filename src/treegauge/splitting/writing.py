"""Splits on disk: CoNLL-U with the origin of every sentence, and a manifest to rebuild them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.results.files import atomic
from treegauge.splitting.pool import Pool
from treegauge.splitting.splitting import Index, Split

FORMAT = 1


def manifest(split: Split) -> dict[str, Any]:
    """Return what is needed to make the split again from the same files."""
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


def _by_file(pool: Pool, index: Index) -> dict[str, list[int]]:
    return {
        file: pool.number[index[pool.origin[index] == i]].tolist()
        for i, file in enumerate(pool.files)
    }


def write_split(split: Split, folder: str | Path, *, provenance: bool = True) -> list[Path]:
    """Write one file a part and ``manifest.json``; each appears whole or not at all.

    Parameters
    ----------
    split
        What to write.
    folder
        Made if it is not there.
    provenance
        Whether each sentence gets a comment ``# split_origin = FILE:NUMBER``.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for name, index in split.parts.items():
        path = target / f"{split.pool.code}-ud-{name}.conllu"
        with atomic(path) as file:
            file.write(_text(split.pool, index, provenance))
        written.append(path)
    path = target / "manifest.json"
    with atomic(path) as file:
        file.write((json.dumps(manifest(split), indent=1) + "\n").encode())
    return [*written, path]


def _text(pool: Pool, index: Index, provenance: bool) -> bytes:
    treebank = pool.treebank
    if not provenance:
        return treebank.take(index).to_bytes()
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


def rebuild(pool: Pool, told: Mapping[str, Any]) -> Split:
    """Make a split again from its manifest; the files must be the same, byte for byte."""
    found = told.get("format") if isinstance(told, Mapping) else None
    if found != FORMAT:
        raise TreegaugeError(f"manifest: found format {found!r}, expected {FORMAT}")
    try:
        return _rebuild(pool, told)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise TreegaugeError(
            f"manifest: cannot be followed ({type(error).__name__}: {error}); expected one as "
            "treegauge split writes it"
        ) from error


def _rebuild(pool: Pool, told: Mapping[str, Any]) -> Split:
    names = [source["file"] for source in told["sources"]]
    if sorted(names) != sorted(pool.files):
        raise TreegaugeError(
            f"the manifest names {', '.join(names)}; found {', '.join(pool.files)}"
        )
    for source in told["sources"]:
        found = pool.digests[pool.files.index(source["file"])]
        if found != source["sha256"]:
            raise TreegaugeError(
                f"{source['file']} has SHA-256 {found[:12]}..., the manifest was made from "
                f"{source['sha256'][:12]}...: use the same release"
            )
    place = {
        (int(o), int(n)): i for i, (o, n) in enumerate(zip(pool.origin, pool.number, strict=True))
    }

    def numbers(by_file: Mapping[str, list[int]]) -> Index:
        chosen = [place[pool.files.index(f), n] for f, many in by_file.items() for n in many]
        return np.sort(np.array(chosen, np.int64))

    parts = {name: numbers(by_file) for name, by_file in told["parts"].items()}
    return Split(pool, parts, numbers(told["dropped"]), dict(told["settings"]), told["signature"])
