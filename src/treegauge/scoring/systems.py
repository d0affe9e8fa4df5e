"""Systems: who answered. The one place that says what names, paths, folders and objects mean."""

from collections import Counter
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import note
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.entries import no_treebank
from treegauge.treebanks.sources.files import ANSWERS, ENDINGS, SPLITS, Source, short_name, split_of
from treegauge.treebanks.sources.inputs import TITLES, is_treebank_folder, recognise
from treegauge.treebanks.sources.languages import own_name
from treegauge.treebanks.sources.matching import distinct_names, match_outputs
from treegauge.treebanks.sources.resolver import find, read_treebank, resolve_source


def named_outputs(systems: Sequence[Any], *, treebanks: bool = False, answers: bool = False) -> dict[str, list[Any]]:
    """Return the outputs of each system; a path that exists may have an equals sign in it.

    With `treebanks`, a word may also be the name, code or pattern of a treebank; with `answers`, a
    file may be the answer of a language model.
    """
    names = _path_names([str(output) for output in systems if isinstance(output, str | PathLike)])
    named: dict[str, list[Any]] = {}
    for source in systems:
        if isinstance(source, Mapping):
            for name, outputs in source.items():
                named.setdefault(name, []).extend(_runs(outputs))
            continue
        if not isinstance(source, str | PathLike):
            output = read_treebank(source)
            named.setdefault(output.name, []).append(output)
            continue
        word = str(source)
        name, path = name_and_path(word, treebanks=treebanks, answers=answers)
        if name is None:
            name = names[word] if names[word] not in named else word
        named.setdefault(name, []).append(path)
    if not named:
        raise TreegaugeError("no system to score: give at least one output file")
    return named


def name_and_path(word: str, *, treebanks: bool = False, answers: bool = False) -> tuple[str | None, str]:
    """Return the name of a system, None if none is given, and the path of its output.

    The word is PATH or NAME=PATH; a path that exists may have an equals sign in it. With
    `treebanks`, a path that does not exist may be the name of a treebank: its reader decides.
    """
    name, equals, path = word.partition("=")
    if not equals or Path(word).exists():
        name, path = "", word
    elif not (name and path):
        raise TreegaugeError(f"found {word!r}; expected PATH or NAME=PATH")
    if not treebanks or Path(path).exists():
        check_system_output(path, answers=answers)
    return name or None, path


def check_system_output(path: str, *, answers: bool = False) -> None:
    """Refuse a path that is not there, and a table, recording or plan in place of output or an answer."""
    if path != "-" and not Path(path).exists():
        raise TreegaugeError(f"{path}: no such file or folder")
    kinds = {".csv", ".tsv", ".json", ".parquet", ".npz", ".toml"}
    if Path(path).suffix in kinds and Path(path).is_file() and not (answers and path.endswith(ANSWERS)):
        (recognised,) = recognise([path])
        loose = "; the answer of a language model needs --align loose" * path.endswith(ANSWERS)
        raise TreegaugeError(f"{path} is {TITLES[recognised.kind]}; expected a CoNLL-U file{loose}")


def resolve_systems(
    gold: Any, systems: Sequence[Any], split: str | None = None, *, answers: bool = False
) -> tuple[Any, dict[str, list[Any]], bool]:
    """Return gold, the outputs of each system, and whether gold is a folder to match with folders.

    Systems are PATH or NAME=PATH, treebanks, documents of other libraries, or mappings from names
    to these; with `answers`, files may be answers of language models. A repeated name has several
    runs; so has a folder, if gold is a single file.
    """
    named = named_outputs(systems, answers=answers)
    sources = [gold, *(output for runs in named.values() for output in runs)]
    if sum(isinstance(source, str) and source == "-" for source in sources) > 1:
        raise TreegaugeError("standard input (-) can be read only once: give the other input as a file")
    source, folder = find_gold(gold, named, split)
    if not folder:
        named = {name: [file for run in runs for file in _runs_in(run, answers)] for name, runs in named.items()}
    return source, named, folder


def _runs_in(output: Any, answers: bool) -> list[Any]:
    """Return the files in a folder of runs; other output is a single run."""
    if not _is_folder(output):
        return [output]
    if files := _files(Path(output), answers=answers):
        return list(files)
    raise TreegaugeError(f"{output}: found no .conllu file in this folder")


def _runs(outputs: Any) -> Sequence[Any]:
    """Return the runs of a system; a list of another library's documents is one run."""
    if isinstance(outputs, str | PathLike | Treebank):
        return [outputs]
    if not isinstance(outputs, Sequence):
        return [read_treebank(outputs)]
    from treegauge.treebanks.data.objects import is_foreign

    if is_foreign(outputs):
        return [read_treebank(outputs)]
    return [output if isinstance(output, str | PathLike | Treebank) else read_treebank(output) for output in outputs]


def _is_folder(source: Any) -> bool:
    return isinstance(source, str | PathLike) and Path(source).is_dir()


def find_gold(gold: Any, named: Mapping[str, Sequence[Any]], split: str | None) -> tuple[Any, bool]:
    """Return gold, and whether it is a folder of gold files to match with folders of output."""
    if not isinstance(gold, str | PathLike):
        return read_treebank(gold), False
    first, *others = resolve_source(gold)
    source = str(gold) if others else first.path
    if not Path(source).is_dir():
        if split is not None:
            raise TreegaugeError(f"--split needs GOLD to be a folder of treebanks; got a file: {gold}")
        return source, False
    outputs = [output for runs in named.values() for output in runs]
    folders = [output for output in outputs if _is_folder(output)]
    if len(folders) == len(outputs):
        return source, True
    if folders:
        files = next(output for output in outputs if not _is_folder(output))
        raise TreegaugeError(
            f"{gold} is a folder and the systems are folders ({folders[0]}) and files ({files}); "
            "give folders for all systems, or files for all"
        )
    files = find(source, split=split)
    if len(files) != 1:
        raise TreegaugeError(
            f"{gold} is a folder with {len(files)} gold files and the systems are files; choose "
            "one with --split, or give a folder of output for each system"
        )
    return files[0], False


def single_outputs(gold: Any, systems: Sequence[Any], what: str) -> tuple[Any, dict[str, Any]]:
    """Return one gold file and one output per system, for what needs single outputs."""
    source, named, folder = resolve_systems(gold, systems)
    if folder:
        raise TreegaugeError(f"{what} is of one gold file; got a folder: {gold}")
    for name, runs in named.items():
        if len(runs) > 1:
            raise TreegaugeError(f"{what} needs one run per system; {name!r} has {len(runs)}")
    return source, {name: output for name, (output,) in named.items()}


def _path_names(words: Sequence[str]) -> dict[str, str]:
    """Return a unique name per path: the file's, else the folder's, else the whole path."""
    names = {word: short_name(word) for word in words}
    folders = Counter(Path(word).parent.name for word in names)
    files = Counter(names.values())
    for word, name in names.items():
        if files[name] > 1:
            folder = Path(word).parent.name
            names[word] = folder if folder and folders[folder] == 1 else word
    return names


class SuiteFiles(NamedTuple):
    """Gold files by treebank and, for each system, the output of its runs by treebank."""

    gold: dict[str, str]
    systems: dict[str, dict[str, list[str]]]


def match_folders(
    gold: Source, systems: Mapping[str, Source | Sequence[Source]], *, split: str | None = None, common: bool = False,
    answers: bool = False,
) -> SuiteFiles:  # fmt: skip
    """Match gold files with the output of systems, by file name, treebank code, name or text.

    A system has one folder, or one per run. A treebank that one of the runs lacks counts as
    missing: a mean over fewer runs would not be comparable. If gold is the folder of one treebank
    and there is no `split`, only the sets that have output are scored.
    """
    if split is not None and split not in SPLITS:
        raise ChoiceError("split", split, SPLITS)
    files = [path for path in _files(Path(gold)) if split in {None, split_of(path)}]
    if not files:
        raise (
            TreegaugeError(f"{gold}: found no .conllu file in this folder for split {split!r}")
            if split
            else no_treebank(Path(gold))
        )
    names = dict(zip(files, distinct_names(files, _treebank_names(files)), strict=True))
    outputs: dict[str, dict[str, list[str]]] = {}
    for system, folders in systems.items():
        runs = []
        for folder in [folders] if isinstance(folders, str | PathLike) else folders:
            matched = match_outputs(files, _files(Path(folder), answers=answers))
            if matched.unmatched:
                shown = ", ".join(Path(path).name for path in matched.unmatched[:3])
                number = len(matched.unmatched)
                note(f"{folder}: files that match no gold file: {number} ({shown})")
            runs.append(matched.pairs)
        shared = [path for path in files if all(path in run for run in runs)]
        outputs[system] = {names[path]: [run[path] for run in runs] for path in shared}
    if split is None and is_treebank_folder(Path(gold)):  # one treebank: the sets that were parsed
        parsed = {name for matched_files in outputs.values() for name in matched_files}
        files = [path for path in files if names[path] in parsed] or files
    kept = {names[path]: path for path in files}
    missing = {name for name in kept for matched_files in outputs.values() if name not in matched_files}
    if missing and common:
        kept = {name: path for name, path in kept.items() if name not in missing}
        if not kept:
            raise TreegaugeError(f"no treebank in {gold} has output from every system")
    return SuiteFiles(kept, outputs)


def _treebank_names(files: Sequence[str]) -> list[str]:
    """Name each file by its ``UD_...`` folder if no other file is in that folder."""
    folders = [own_name(Path(path).absolute().parent.name)[0] for path in files]
    return [
        folder if folder.startswith("UD_") and folders.count(folder) == 1 else short_name(path)
        for path, folder in zip(files, folders, strict=True)
    ]


def _files(folder: Path, *, answers: bool = False) -> list[str]:
    """Return the CoNLL-U files in a folder, and those that may be answers of language models."""
    if folder.is_file():
        return [str(folder)]
    endings = [*(f".conllu{ending}" for ending in ENDINGS), *(ANSWERS if answers else ())]
    return sorted(str(path) for ending in endings for path in folder.rglob(f"*{ending}"))
