"""Systems: who answered. The one place that says what names, paths, folders and objects mean."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import load_extension
from treegauge.core.messages import note
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.entries import no_treebank
from treegauge.treebanks.sources.files import (
    ANSWERS,
    ENDINGS,
    SPLITS,
    Source,
    check_file_names,
    entries_of,
    short_name,
    split_of,
)
from treegauge.treebanks.sources.inputs import TITLES, is_store, recognise
from treegauge.treebanks.sources.languages import own_name
from treegauge.treebanks.sources.matching import OutputMatch, distinct_names, match_outputs
from treegauge.treebanks.sources.resolver import find, read_treebank, resolve_source

NO_OUTPUT = "no output"
PRIMARY = "primary.txt"
"""A file in a system's folder with the name of the run that counts; without it, all runs do."""


class SystemRuns(NamedTuple):
    """Gold by treebank, the runs of each system by treebank, and why a system has none.

    `several` is whether these are many treebanks, not one gold file. `given` keeps the output of
    stores, which is in temporary folders.
    """

    gold: dict[str, Any]
    systems: dict[str, dict[str, list[Any]]]
    failures: Mapping[tuple[str, str], str] = {}
    several: bool = True
    given: Any = None

    def only(self, codes: Collection[str]) -> "SystemRuns":
        """Return the same for these treebanks."""
        failures = {cell: why for cell, why in self.failures.items() if cell[0] in codes}
        return self._replace(gold={code: one for code, one in self.gold.items() if code in codes}, failures=failures)

    @property
    def single(self) -> tuple[Any, dict[str, list[Any]]]:
        """The one gold file, and the runs of each system."""
        ((code, gold),) = self.gold.items()
        return gold, {name: runs[code] for name, runs in self.systems.items()}


def answers(
    gold: Any, systems: Sequence[Any], *, split: str | None = None, common: bool = False, loose: bool = False
) -> SystemRuns:
    """Return gold and the output of each system.

    Systems are PATH or NAME=PATH, stores, treebanks, documents of other libraries, or mappings from
    names to these. A repeated name has several runs. So has a folder with a subfolder per run and,
    if gold is a single file, a folder of files. Gold may be a mapping, as may a system's output. With
    `loose`, files may be answers of language models.
    """
    named = named_outputs(systems, loose=loose)
    if isinstance(gold, Mapping):
        return _common(_mapped(gold, named), common)
    # Only gold that is a mapping has outputs that are: others are a row, or what cannot be read.
    named = {
        name: [read_treebank(one) if isinstance(one, Mapping) else one for one in runs] for name, runs in named.items()
    }
    source, folder = find_gold(gold, named, split)
    files = _files(Path(source)) if folder else [source]
    named = _each_system(named, files, loose)
    sources = [gold, *(output for runs in named.values() for output in runs)]
    if sum(isinstance(source, str) and source == "-" for source in sources) > 1:
        raise TreegaugeError("standard input (-) can be read only once: give the other input as a file")
    if folder:
        return match_folders(source, named, split=split, common=common, loose=loose)
    title = source.name if isinstance(source, Treebank) else short_name(source)
    runs = {
        name: {title: [file for one in given for file in _runs_in(one, source, loose)]} for name, given in named.items()
    }
    return SystemRuns({title: source}, runs, several=False, given=named)


def _each_system(named: Mapping[str, Sequence[Any]], files: Sequence[Any], loose: bool) -> dict[str, list[Any]]:
    """Replace a folder that has a folder of runs per system by these systems."""
    found: dict[str, list[Any]] = {}
    for name, runs in named.items():
        for run in runs:
            given = "" if _is_folder(run) and name in {short_name(run), str(run)} else name
            homes = system_homes(files, run, given, loose=loose) if _is_folder(run) else []
            for own, output in [(home.name, str(home)) for home in homes] or [(name, run)]:
                found.setdefault(own, []).append(output)
    return found


def system_homes(files: Sequence[Any], folder: Source, name: str = "", *, loose: bool = False) -> list[Path]:
    """Return the folders in a folder of systems, each with a folder per run; none if it is one system's output.

    Several systems cannot have one `name`.
    """
    homes = _subfolders(Path(folder), loose)
    if any(isinstance(file, Treebank) for file in files) or not all(_subfolders(home, loose) for home in homes):
        return []
    if primary_run(folder) or not all(match_outputs(files, _files(home, loose=loose)).doubled for home in homes):
        return []
    if name and homes:
        shown = ", ".join(home.name for home in homes)
        raise TreegaugeError(f"{name}={folder}: a folder of {len(homes)} systems ({shown}); leave out {name}=")
    return homes


def failure_reason(error: TreegaugeError, runs: Sequence[Any] = ()) -> str:
    """Return in one line why output has no score; the paths of `runs` get their names."""
    said = str(error)
    for run, name in run_names(runs).items():
        said = said.replace(run, name)
    lines = [line.strip() for line in said.splitlines()]
    return "; ".join([line for line in lines if line and not line.startswith("hint")][:3])


def run_names(runs: Sequence[Any]) -> dict[str, str]:
    """Return the names of files of a system's runs; of several, with their folders."""
    files = [run for run in runs if isinstance(run, str)]
    return {run: "/".join(Path(run).parts[-2 if len(runs) > 1 else -1 :]) for run in files}


def named_outputs(
    systems: Sequence[Any], *, treebanks: bool = False, homes: list[Path] | None = None, loose: bool = False
) -> dict[str, list[Any]]:
    """Return the outputs of each system; a path that exists may have an equals sign in it.

    With `treebanks`, a word may also be the name, code or pattern of a treebank. With `homes`, a
    path without a name has a folder per system, and is added to this list.
    """
    names = _path_names([str(output) for output in systems if isinstance(output, str | PathLike)])
    named: dict[str, list[Any]] = {}
    for source in systems:
        if isinstance(source, Mapping):
            given = {str(name): _runs(outputs) for name, outputs in source.items()}
            for path in (path for runs in given.values() for path in runs if isinstance(path, str | PathLike)):
                check_system_output(str(path), treebanks=treebanks, loose=loose)
        elif not isinstance(source, str | PathLike):
            output = read_treebank(source)
            given = {output.name: [output]}
        else:
            given = _outputs_of(str(source), treebanks=treebanks, homes=homes, loose=loose)
            if "" in given:
                word = str(source)
                given = {names[word] if names[word] not in named else word: given[""]}
        for name, runs in given.items():
            named.setdefault(name, []).extend(runs)
    if named:
        return named
    if homes:
        where = ", ".join(map(str, homes))
        raise TreegaugeError(
            f"{where}: no team; expected a folder of output per team; for a single team write NAME=FOLDER"
        )
    raise TreegaugeError("no system to score: give at least one output file")


def _outputs_of(word: str, *, treebanks: bool, homes: list[Path] | None, loose: bool) -> dict[str, Sequence[Any]]:
    """Return the output that a word names, by system; the name is empty if none is given."""
    name, path = name_and_path(word, treebanks=treebanks, loose=loose)
    if _is_folder(path) and is_store(Path(path)):
        stored = load_extension("outputs", "store")(path)
        if name is not None and len(stored) > 1:
            raise TreegaugeError(f"{word}: {len(stored)} systems are in this store; leave out {name}=")
        return {name or own: [output] for own, output in stored.items()}
    if name is None and homes is not None:
        homes.append(Path(path))
        return {folder.name: [str(folder)] for folder in _system_folders(Path(path))}
    return {name or "": [path]}


def _system_folders(home: Path) -> list[Path]:
    if not home.is_dir():
        raise TreegaugeError(f"SUBMISSIONS {home}: a file; expected a folder with a folder per team, or NAME=PATH")
    listed = sorted(path for path in home.iterdir() if not path.name.startswith("."))
    if loose := [path.name for path in listed if path.is_file()]:
        note(f"{home}: {len(loose)} files are outside the teams' folders and are left out, such as {loose[0]}")
    return [path for path in listed if path.is_dir()]


def name_and_path(word: str, *, treebanks: bool = False, loose: bool = False) -> tuple[str | None, str]:
    """Return the name of a system, None if none is given, and the path of its output.

    The word is PATH or NAME=PATH; a path that exists may have an equals sign in it. With
    `treebanks`, a path that does not exist may be the name of a treebank: its reader decides.
    """
    name, equals, path = word.partition("=")
    if not equals or Path(word).exists():
        name, path = "", word
    elif not (name and path):
        raise TreegaugeError(f"found {word!r}; expected PATH or NAME=PATH")
    check_system_output(path, treebanks=treebanks, loose=loose)
    return name or None, path


def check_system_output(path: str, *, treebanks: bool = False, loose: bool = False) -> None:
    """Refuse a path that is not there, and a table, recording or plan in place of output or an answer."""
    if path != "-" and not treebanks and not Path(path).exists():
        raise TreegaugeError(f"{path}: no such file or folder")
    kinds = {".csv", ".tsv", ".json", ".parquet", ".npz", ".toml"}
    if Path(path).suffix in kinds and Path(path).is_file() and not (loose and path.endswith(ANSWERS)):
        (recognised,) = recognise([path])
        hint = "; the answer of a language model needs --align loose" * path.endswith(ANSWERS)
        raise TreegaugeError(f"{path} is {TITLES[recognised.kind]}; expected a CoNLL-U file{hint}")


def _runs_in(output: Any, gold: Any, loose: bool) -> list[Any]:
    """Return the runs in a folder next to a single gold file: its files, or one of each subfolder."""
    if not _is_folder(output):
        return [output]
    files = _files(Path(output), loose=loose)
    if not files:
        raise TreegaugeError(f"{output}: found no .conllu file in this folder")
    homes = _subfolders(Path(output), loose)
    if (named := primary_run(output)) is not None:
        if named not in (there := [home.name for home in homes]):
            raise TreegaugeError(f"{output}/{_no_such_run(named, there)}")
        homes = [home for home in homes if home.name == named]
        files = _files(homes[0], loose=loose)
    if isinstance(gold, Treebank) or not homes:
        return list(files)
    matched = [match_outputs([gold], _files(home, loose=loose)).pairs for home in homes]
    return [file for pairs in matched for file in pairs.values()] or list(files)


def _runs(outputs: Any) -> Sequence[Any]:
    """Return the runs of a system; a list of another library's documents is one run."""
    if isinstance(outputs, str | PathLike | Treebank | Mapping):
        return [outputs]
    if not isinstance(outputs, Sequence):
        return [read_treebank(outputs)]
    from treegauge.treebanks.data.objects import is_foreign

    if is_foreign(outputs):
        return [read_treebank(outputs)]
    known = (str, PathLike, Treebank, Mapping)
    return [output if isinstance(output, known) else read_treebank(output) for output in outputs]


def _mapped(gold: Mapping[str, Any], named: Mapping[str, Sequence[Any]]) -> SystemRuns:
    """Return the output of systems for gold treebanks that a mapping names."""
    systems: dict[str, dict[str, list[Any]]] = {name: {} for name in named}
    for name, outputs in named.items():
        for output in outputs:
            if not isinstance(output, Mapping) or (unknown := [code for code in output if code not in gold]):
                found = unknown if isinstance(output, Mapping) else type(output).__name__
                raise TreegaugeError(
                    f"gold is a mapping from names of treebanks; expected one of {', '.join(gold)} to output "
                    f"for {name}, found {found}"
                )
            for code, runs in output.items():
                systems[name].setdefault(code, []).extend(_runs(runs))
    read = {code: one if isinstance(one, str) else read_treebank(one) for code, one in gold.items()}
    missing = {(code, name): NO_OUTPUT for code in gold for name in named if code not in systems[name]}
    return SystemRuns(read, systems, missing)


def _is_folder(source: Any) -> bool:
    return isinstance(source, str | PathLike) and Path(source).is_dir()


def find_gold(gold: Any, named: Mapping[str, Sequence[Any]], split: str | None) -> tuple[Any, bool]:
    """Return gold, and whether it is a folder of gold files to match with folders of output."""
    if not isinstance(gold, str | PathLike):
        return read_treebank(gold), False
    first, *others = resolve_source(gold)
    source = str(gold) if others else first
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


def match_folders(
    gold: Source, systems: Mapping[str, Any], *, split: str | None = None, common: bool = False, loose: bool = False
) -> SystemRuns:
    """Match gold files with the output of systems, by file name, treebank code, name or text.

    A system has one folder, or one per run. A treebank that one of the runs lacks counts as
    missing: a mean over fewer runs would not be comparable. Without `split`, only the sets (such as
    test) are scored of which some system has output.
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
    check_file_names(files)  # output is matched by text, too, and may have any name
    folders = [Path(folder).resolve() for runs in systems.values() for folder in _runs(runs)]
    inside = [folder for folder in folders if Path(gold).resolve() in folder.parents]  # output is not gold
    files = [path for path in files if not {*inside} & {*Path(path).resolve().parents}] or files
    matched = {
        system: [run for one in _runs(folders) for run in matched_runs(files, one, loose=loose)]
        for system, folders in systems.items()
    }
    if split is None:  # only the sets that were parsed
        parsed = {split_of(path) for runs in matched.values() for run in runs for path in [*run.pairs, *run.doubled]}
        files = [path for path in files if split_of(path) in parsed] or files
    names = dict(zip(files, distinct_names(files, treebank_names(files)), strict=True))
    outputs: dict[str, dict[str, list[Any]]] = {system: {} for system in matched}
    failures = {}
    for path in files:
        for system, runs in matched.items():
            if why := _missing(path, runs):
                failures[names[path], system] = why
            else:
                outputs[system][names[path]] = [run.pairs[path] for run in runs]
    found = SystemRuns({names[path]: path for path in files}, outputs, failures, given=systems)
    return _common(found, common, f" in {gold}")


def matched_runs(
    files: Sequence[str], folder: Source, given: Collection[str] | None = None, *, loose: bool = False
) -> list[OutputMatch]:
    """Match the output of each run in a folder, all of it or `given` files, with gold files.

    Subfolders are runs if two of them have output for the same gold file. If the folder has a file
    primary.txt, only the run that it names counts.
    """

    def output(home: Path) -> list[str]:
        return [file for file in _files(home, loose=loose) if given is None or file in given]

    runs = [replace(match_outputs(files, output(home)), home=home.name) for home in _subfolders(Path(folder), loose)]
    times = Counter(path for run in runs for path in [*run.pairs, *run.doubled])
    if (named := primary_run(folder)) is not None:
        if named not in (there := [run.home for run in runs]):
            return [OutputMatch({}, dict.fromkeys(times or files, _no_such_run(named, there)), [])]
        note(f"{folder}: only {named} counts, as {PRIMARY} says")
        runs = [run for run in runs if run.home == named]
    elif max(times.values(), default=0) < 2:
        runs = [match_outputs(files, output(Path(folder)))]
    if given is not None:
        return runs
    if unmatched := [path for run in runs for path in run.unmatched]:
        shown = ", ".join(Path(path).name for path in unmatched[:3])
        note(f"{folder}: files that match no gold file: {len(unmatched)} ({shown})")
    return runs


def primary_run(folder: Source) -> str | None:
    """Return the run that primary.txt in a system's folder names; None if there is no such file."""
    path = Path(folder) / PRIMARY
    if not path.is_file():
        return None
    return path.read_text(encoding="utf-8-sig", errors="replace").strip().partition("\n")[0].strip().rstrip("/")


def _no_such_run(named: str, runs: Sequence[str]) -> str:
    return f"{PRIMARY}:1: found {named!r}; expected the name of a run, one of: {', '.join(runs) or 'none is there'}"


def _missing(path: str, runs: Sequence[OutputMatch]) -> str:
    """Return why there is no output of some run for a gold file."""
    if doubled := [run.doubled[path] for run in runs if path in run.doubled]:
        return doubled[0]
    lacking = [run.home for run in runs if path not in run.pairs]
    if len(lacking) in {0, len(runs)}:
        return NO_OUTPUT if lacking else ""
    which = f" ({', '.join(lacking)})" if all(lacking) else ""
    return f"{NO_OUTPUT} in {len(lacking)} of {len(runs)} runs{which}"


def _common(found: SystemRuns, common: bool, where: str = "") -> SystemRuns:
    """Return the same or, if `common`, only treebanks for which every system has output."""
    if not (common and found.failures):
        return found
    lacking = {code for code, _ in found.failures}
    if lacking >= found.gold.keys():
        raise TreegaugeError(f"no treebank{where} has output from every system")
    return found.only([code for code in found.gold if code not in lacking])


def treebank_names(files: Sequence[str]) -> list[str]:
    """Name each file by its ``UD_...`` folder if no other file is in that folder."""
    folders = [own_name(Path(path).absolute().parent.name)[0] for path in files]
    return [
        folder if folder.startswith("UD_") and folders.count(folder) == 1 else short_name(path)
        for path, folder in zip(files, folders, strict=True)
    ]


def _files(folder: Path, *, loose: bool = False) -> list[str]:
    """Return the CoNLL-U files in a folder, and those that may be answers of language models."""
    if folder.is_file():
        return [str(folder)]
    entries_of(folder)  # one that cannot be read would seem empty
    endings = [*(f".conllu{ending}" for ending in ENDINGS), *(ANSWERS if loose else ())]
    return sorted(str(path) for ending in endings for path in folder.rglob(f"*{ending}"))


def _subfolders(folder: Path, loose: bool = False) -> list[Path]:
    """Return the subfolders with output; none if output is also next to them."""
    homes = [Path(file).relative_to(folder).parts[0] for file in _files(folder, loose=loose) if Path(file) != folder]
    inner = [folder / name for name in sorted(set(homes))]
    return inner if all(home.is_dir() for home in inner) else []
