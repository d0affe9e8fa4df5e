"""What there is to measure behind paths: files, folders of a treebank, whole releases."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from treegauge.measures.registry import MissingError
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import Errors, read_conllu
from treegauge.treebanks.entries import holds_treebank
from treegauge.treebanks.sources import Source, find, short_name, split_of


class Lazy:
    """A treebank that is read when first asked for; a failure to read it is kept, too."""

    def __init__(self, read: Callable[[], Treebank]) -> None:
        self._read = read
        self.treebank: Treebank | None = None
        self.failure: TreegaugeError | None = None

    def __call__(self) -> Treebank:
        """Return the treebank, or raise what reading it raised."""
        if self.treebank is None and self.failure is None:
            try:
                self.treebank = self._read()
            except TreegaugeError as error:
                self.failure = error
        if self.treebank is None:
            raise self.failure or AssertionError("neither a treebank nor a failure")
        return self.treebank

    def forget(self) -> None:
        """Give the memory back."""
        self.treebank = None


@dataclass(frozen=True)
class Target:
    """One treebank or two that measures are of, and what results call them."""

    name: str
    part: str | None
    treebanks: tuple[Lazy, ...]


@dataclass(frozen=True)
class Subject:
    """Treebanks that are read together: those measured alone, and a pair to compare."""

    name: str
    singles: tuple[Target, ...]
    pair: Target | None = None

    @property
    def treebanks(self) -> list[Lazy]:
        """All treebanks in it, each once."""
        targets = [*self.singles, *([self.pair] if self.pair else [])]
        return list(dict.fromkeys(lazy for target in targets for lazy in target.treebanks))


def subjects(sources: Sequence[Source | Treebank], part: str, errors: Errors) -> list[Subject]:
    """Return what there is to measure, in the order given.

    Two files or treebanks alone are a pair. A folder without treebank files stands for all folders
    below it that have some.
    """
    if not sources:
        raise TreegaugeError("nothing to measure: name files, folders or patterns")
    found: list[Target | Path] = []
    for source in sources:
        if isinstance(source, Treebank):
            found.append(Target(source.name, None, (Lazy(partial(_same, source)),)))
        elif Path(source).is_dir():
            found += _treebank_folders(Path(source))
        else:
            for file in find(source):
                lazy = Lazy(partial(read_conllu, file, errors=errors))
                found.append(Target(short_name(file), split_of(file), (lazy,)))
    files = [one for one in found if isinstance(one, Target)]
    if len(files) == len(found) == 2:
        name = f"{files[0].name} > {files[1].name}"
        both = (*files[0].treebanks, *files[1].treebanks)
        return [Subject(name, tuple(files), Target(name, None, both))]
    titles = _titles([one for one in found if isinstance(one, Path)])
    return [
        Subject(one.name, (one,))
        if isinstance(one, Target)
        else _folder(one, titles[one], part, errors)
        for one in found
    ]


def _same(treebank: Treebank) -> Treebank:
    return treebank


def _absent(reason: str) -> Treebank:
    raise MissingError(reason)


def _treebank_folders(path: Path) -> Iterator[Path]:
    if holds_treebank(path):
        return iter([path])
    below = [one for one in sorted(path.rglob("*")) if one.is_dir() and holds_treebank(one)]
    if not below:
        raise TreegaugeError(f"{path}: found no .conllu file in this folder nor below it")
    return iter(below)


def _titles(folders: list[Path]) -> dict[Path, str]:
    """Name folders by their last names, and by one more where these are the same."""
    names = {folder: folder.resolve().name for folder in folders}
    taken = list(names.values())
    return {
        folder: name if taken.count(name) == 1 else f"{folder.resolve().parent.name}/{name}"
        for folder, name in names.items()
    }


def _folder(folder: Path, title: str, part: str, errors: Errors) -> Subject:
    files: dict[str, list[str]] = {}
    for file in find(folder):
        files.setdefault(split_of(file) or "files of no split", []).append(file)

    def lazy(which: str) -> Lazy:
        if which == "all":
            return Lazy(partial(read_conllu, find(folder), name=title, errors=errors))
        if which not in files:
            return Lazy(partial(_absent, f"{title} has no {which} part, only {', '.join(files)}"))
        return Lazy(partial(read_conllu, files[which], name=f"{title}/{which}", errors=errors))

    parts = {which: lazy(which) for which in dict.fromkeys([part, "train", "test"])}
    single = Target(title, part, (parts[part],))
    pair = Target(title, "train/test", (parts["train"], parts["test"]))
    return Subject(title, (single,), pair)
