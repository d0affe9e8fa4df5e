"""The inputs of ``score``: outputs by system, gold, and weights of relations."""

from collections import Counter
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from treegauge.core.errors import TreegaugeError


def named_outputs(systems: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the outputs of each system; a path that exists may have an equals sign in it."""
    from treegauge.treebanks.columns import Treebank
    from treegauge.treebanks.inputs import read_treebank

    names = _path_names([str(one) for one in systems if isinstance(one, str | PathLike)])
    named: dict[str, list[Any]] = {}
    for source in systems:
        if isinstance(source, Mapping):
            for name, outputs in source.items():
                listed = isinstance(outputs, Sequence) and not isinstance(outputs, str | Treebank)
                named.setdefault(name, []).extend(outputs if listed else [outputs])
            continue
        if not isinstance(source, str | PathLike):
            output = read_treebank(source)
            named.setdefault(output.name, []).append(output)
            continue
        word = str(source)
        name, equals, path = word.partition("=")
        if not equals or Path(word).exists():
            name, path = names[word], word
            if name in named:
                name = word
        if not (name and path):
            raise TreegaugeError(f"found {word!r}; expected PATH or NAME=PATH")
        _check_kind(path)
        named.setdefault(name, []).append(path)
    if not named:
        raise TreegaugeError("no system to score: give at least one output file")
    return named


def _is_folder(source: Any) -> bool:
    return isinstance(source, str | PathLike) and Path(source).is_dir()


def find_gold(gold: Any, named: Mapping[str, Sequence[Any]], split: str | None) -> tuple[Any, bool]:
    """Return gold, and whether it is a folder of gold files to match with folders of output."""
    from treegauge.treebanks.inputs import read_treebank, treebank_folder
    from treegauge.treebanks.sources import find

    if not isinstance(gold, str | PathLike):
        return read_treebank(gold), False
    source = str(gold)
    if source != "-" and not Path(source).exists() and "*" not in source:
        source = str(treebank_folder(source))
    if not Path(source).is_dir():
        if split is not None:
            raise TreegaugeError(
                f"--split needs GOLD to be a folder of treebanks; got a file: {gold}"
            )
        return source, False
    outputs = [output for runs in named.values() for output in runs]
    folders = [output for output in outputs if _is_folder(output)]
    if len(folders) == len(outputs):
        return source, True
    if folders:
        files = next(output for output in outputs if not _is_folder(output))
        raise TreegaugeError(
            f"{gold} is a folder and the systems are folders ({folders[0]}) and files ({files}); "
            "give folders of output for all systems, or files for all"
        )
    files = find(source, split=split)
    if len(files) != 1:
        raise TreegaugeError(
            f"{gold} is a folder with {len(files)} gold files and the systems are files; say which "
            "with --split, or give a folder of output for each system"
        )
    return files[0], False


def relation_weights(source: Any) -> tuple[dict[str, float] | None, float]:
    """Return the weights of relations, and the weight of relations that are not named."""
    if source is None:
        return None, 1.0
    if isinstance(source, Mapping):
        return dict(source), 1.0
    from treegauge.scoring.weights import OTHER, packaged_weights, read_weights

    if source == "wde":
        return packaged_weights(), OTHER
    if Path(source).is_dir() or ".conllu" in Path(source).name:
        from treegauge.measures.relations import word_dependency_entropy
        from treegauge.treebanks.inputs import read_treebank

        return word_dependency_entropy(read_treebank(source)), OTHER
    return read_weights(source), 1.0


def _path_names(words: Sequence[str]) -> dict[str, str]:
    """Return a name for each path: the file's, else the folder's, else the whole path."""
    from treegauge.treebanks.sources import short_name

    names = {word: short_name(word) for word in words}
    folders = Counter(Path(word).parent.name for word in names)
    files = Counter(names.values())
    for word, name in names.items():
        if files[name] > 1:
            folder = Path(word).parent.name
            names[word] = folder if folder and folders[folder] == 1 else word
    return names


def _check_kind(path: str) -> None:
    """Refuse a table, recording or plan where the output of a system belongs."""
    from treegauge.treebanks.inputs import TITLES, recognise

    kinds = {".csv", ".tsv", ".json", ".parquet", ".npz", ".toml"}
    if Path(path).suffix in kinds and Path(path).is_file():
        (found,) = recognise([path])
        raise TreegaugeError(f"{path} is {TITLES[found.kind]}; expected a CoNLL-U file")
