"""Patches of files on disk: creation from two versions, and application."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic, whole_folder
from treegauge.core.messages import note
from treegauge.core.result import sign
from treegauge.treebanks.convert import NewTreebank
from treegauge.treebanks.data.columns import Treebank, concat
from treegauge.treebanks.data.conllu import TOLERABLE, parse_conllu
from treegauge.treebanks.data.reading import read_treebank
from treegauge.treebanks.editing.patch_applying import Refusal, apply_patch
from treegauge.treebanks.editing.patch_writing import FileText, digest, make_patch
from treegauge.treebanks.editing.patches import FilePatch, format_patch, parse_patch
from treegauge.treebanks.editing.sentence_edits import decoded, encoded
from treegauge.treebanks.sources.files import Source, is_conllu, open_bytes, packed, short_name
from treegauge.treebanks.sources.resolver import find

Given = Treebank | Source | IO[str] | IO[bytes]
"""Ways to give a treebank."""


@dataclass(frozen=True)
class PatchedTreebank(NewTreebank):
    """A patched treebank: its files, the number of changes, and those that did not fit."""

    files: Sequence[tuple[str, bytes]] = ()
    changes: Sequence[tuple[str, int]] = ()
    refused: Sequence[Refusal] = ()

    @property
    def exit_code(self) -> int:
        """Exit code of the command: 1 if a change did not fit."""
        return int(bool(self.refused))

    @property
    def document(self) -> bytes | None:
        """The patched file itself, if it was not written to disk."""
        return self.files[0][1] if self.out is None else None

    def json_fields(self) -> dict[str, Any]:
        """Return name, file and sizes, the number of changes, and those that did not fit."""
        fields = super().json_fields()
        fields["rows"][0] |= dict(self.changes)
        return fields | {"refused": [refusal._asdict() for refusal in self.refused]}

    def own_text(self) -> str:
        """Return a message about the file written, and the number of changes."""
        counts = ", ".join(f"{number} {what}" for what, number in self.changes)
        return f"{super().own_text()}; {counts}"


def read_files(source: Given, split: str | None = None) -> list[FileText]:
    """Return the unpacked bytes of the CoNLL-U files of a source."""
    if not isinstance(source, str | os.PathLike):
        if hasattr(source, "read"):
            content = source.read()
            data = content.encode(errors="surrogatepass") if isinstance(content, str) else content
            return [FileText("text.conllu", data)]
        treebank = read_treebank(source)
        return [FileText(f"{treebank.name.replace('/', '-')}.conllu", treebank.to_bytes())]
    files = []
    for path in find(source, split=split):
        with open_bytes(path) as stream:
            name = f"{short_name(path)}.conllu" if path == "-" or is_conllu(path) else path
            files.append(FileText(Path(name).name, stream.read(), path))
    return files


def patch_between(old: Sequence[FileText], new: Sequence[FileText]) -> str:
    """Return, as text, the patch that turns the old files into the new ones."""
    return format_patch(make_patch(old, new))


def write_patch(text: str, path: str | PathLike[str]) -> None:
    """Write a patch to a file, atomically."""
    try:
        with atomic(path) as file:
            file.write(encoded(text))
    except OSError as error:
        raise TreegaugeError(f"cannot write {path}: {error.strerror or error}") from error


def read_patch(path: Source) -> list[FilePatch]:
    """Read a patch from a file; - is standard input."""
    with open_bytes(path) as stream:
        return parse_patch(decoded(stream.read()), os.fspath(path))


def patch_files(
    source: Given, out: str | PathLike[str] | None, patch: Source, *, partial: bool = False, split: str | None = None
) -> PatchedTreebank:
    """Apply a patch to a file or to a treebank folder; see :func:`treegauge.convert`."""
    if out is not None and Path(out).suffix and not is_conllu(out) and str(out) != "-":
        raise TreegaugeError(f"{out}: a patch gives CoNLL-U; expected a name that ends in .conllu")
    files = read_files(source, split)
    changes = read_patch(patch)
    result = apply_patch(changes, files, partial=partial)
    for refusal in result.refused:
        note(f"not applied: {refusal}")
    single = len(result.files) == 1 and not _is_folder(source, out)
    target = None if out is None or str(out) == "-" else str(out)
    if not single and target is None:
        raise TreegaugeError(f"the patched treebank has {len(result.files)} files; give a folder to write to (-o)")
    if not single and target is not None and is_conllu(target) and not Path(target).is_dir():
        raise TreegaugeError(
            f"{target}: the patched treebank has {len(result.files)} files; expected the name of a folder"
        )
    if single and target is not None:
        _write([(Path(target), packed(result.files[0][1], Path(target).suffix))])
    elif target is not None:
        _write_folder(Path(target), result.files)
    name = files[0].name.removesuffix(".conllu") if len(files) == 1 else Path(str(source)).name
    signature = sign(
        convert="+".join(f"{file.name}#{digest(file.data, 6)}" for file in files),
        patch=digest(encoded(format_patch(changes)), 6),
        partial=partial,
    )
    treebank = _parsed(name, (data for _, data in result.files))
    counts, refused = tuple(result.counts.items()), tuple(result.refused)
    return PatchedTreebank(treebank, target, signature, tuple(result.files), counts, refused)


def _is_folder(source: Given, out: str | PathLike[str] | None) -> bool:
    if out is not None and Path(out).is_dir():
        return True
    is_path = isinstance(source, str | os.PathLike) and os.fspath(source) != "-"
    return is_path and not Path(str(source)).is_file() and not (out is not None and is_conllu(out))


def _parsed(name: str, texts: Iterable[bytes]) -> Treebank:
    options: dict[str, Any] = {"errors": "skip", "need_heads": False, "allow": TOLERABLE}
    parts = [parse_conllu(text, name=name, **options) for text in texts]
    return parts[0] if len(parts) == 1 else concat(parts, name=name)


def _write_folder(folder: Path, files: Sequence[tuple[str, bytes]]) -> None:
    try:
        with whole_folder(folder):
            _write([(folder / name, data) for name, data in files])
    except OSError as error:
        raise TreegaugeError(f"cannot write to {folder}: {error.strerror or error}") from error


def _write(files: Iterable[tuple[Path, bytes]]) -> None:
    for path, data in files:
        try:
            with atomic(path) as file:
                file.write(data)
        except OSError as error:
            raise TreegaugeError(f"cannot write {path}: {error.strerror or error}") from error
