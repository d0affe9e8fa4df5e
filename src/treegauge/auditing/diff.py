"""The verb ``diff``: what changed between two versions of a treebank."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core.lazy import pl
from treegauge.core.result import Result, RowsResult, sign
from treegauge.core.verbs import verb
from treegauge.treebanks.sources.files import Errors, Source

if TYPE_CHECKING:
    from treegauge.auditing.changes.annotation_changes import Changes
    from treegauge.auditing.changes.changed_words import WordPairs
    from treegauge.auditing.changes.unified_diff import FileText
    from treegauge.treebanks.data.columns import Treebank

By = Literal["upos", "deprel"]
_ROWS = 10  # rows per table, unless all are shown


@dataclass(frozen=True, eq=False, repr=False)
class DiffTable(RowsResult, kind="diff-table"):
    """One table of a diff with its title; text shows the first rows unless `all` is set."""

    title: str = ""
    all: bool = True
    digits: ClassVar[Any] = {"percent": 1, "covered": 1}

    def shown(self) -> Any:
        """Return the first rows."""
        return self.rows if self.all else self.rows[:_ROWS]

    def own_text(self) -> str:
        """Return title and table; the signature is that of the whole diff."""
        from treegauge.core.tables import to_text

        hidden = len(self.rows) - len(self.shown())
        more = [f"... and {hidden} more (--all shows them)"] if hidden else []
        if not self.rows:
            return f"{self.title}: none"
        return "\n".join([self.title, to_text(self.shown(), digits=self.digits), *more])

    def own_html(self) -> str:
        """Return title and table as HTML."""
        from html import escape

        from treegauge.core.tables import to_html

        if not self.rows:
            return f"<p>{escape(self.title)}: none</p>"
        return f"<h3>{escape(self.title)}</h3>\n{to_html(self.shown(), digits=self.digits)}"


@dataclass(frozen=True, eq=False)
class Diff(Result, kind="diff"):
    """Changes between two versions of a treebank.

    The table has one row per change of a word: its sentence, ID and form, the layer of annotation,
    the old and the new value, and whether the change is systematic or single. Attached are tables
    of ``words``, ``summary``, ``sentences``, ``layers``, ``classes``, ``rules`` (systematic changes) and ``patterns``
    (single corrections).
    """

    changes: "Changes"
    files: "tuple[Sequence[FileText], Sequence[FileText]]"
    signature: str
    own_formats: ClassVar[tuple[str, ...]] = ("patch",)

    @property
    def pairs(self) -> "WordPairs":
        """The words of both versions, paired."""
        return self.changes.pairs

    @property
    def table(self) -> "pl.DataFrame":
        """One row per change of a word."""
        return self.changes.table()

    def to_patch(self) -> bytes:
        """Return a unified diff of the files, which ``git apply`` and ``patch`` apply to the old ones."""
        from treegauge.auditing.changes.unified_diff import unified_diff

        return unified_diff(*self.files)

    def _title(self) -> str:
        return f"{self.pairs.old.name} -> {self.pairs.new.name}"

    def headline(self) -> list[str]:
        """Return what was added and removed, in words."""
        words = self.attached["words"].rows[0]
        sentences = self.pairs.sentences
        before, after = (set(filter(None, tree.metadata("newdoc id"))) for tree in (self.pairs.old, self.pairs.new))
        lines = [
            f"{words['old']:,} words became {words['new']:,}: {words['added']:,} added, {words['removed']:,} removed",
            f"{len(self.pairs.old):,} sentences became {len(self.pairs.new):,}: {len(sentences.inserted):,} added, "
            f"{len(sentences.deleted):,} removed",
        ]
        changes = {"added": len(after - before), "removed": len(before - after)}
        counted = ", ".join(f"{number:,} {what}" for what, number in changes.items() if number)
        return [*lines, f"documents: {counted}"] if counted else lines

    def own_text(self) -> str:
        """Return what is compared, and what was added and removed."""
        return "\n".join([self._title(), *self.headline()])

    def own_markdown(self) -> str:
        """Return release notes: what was added and removed, and what changed, as lists."""
        from treegauge.core.tables import markdown

        lines = self.headline()
        for row in self.attached["summary"].rows:
            change, example = markdown(row["change"]), markdown(row["example"])
            lines.append(f"{row['layer'].upper()}: {change} in {row['words']:,} words, for example {example}")
        title = f"# Changes: {markdown(self._title())}"
        return "\n".join([title, "", *(f"- {line}" for line in lines), "", f"`{self.signature}`"])

    def __str__(self) -> str:
        return f"{super().__str__()}\n\n{self.signature}"

    def own_html(self) -> str:
        """Return what is compared."""
        from html import escape

        lines = [self._title(), *self.headline(), self.signature]
        return "\n".join(f"<p>{escape(line)}</p>" for line in lines)


@verb
def diff(
    old: "Treebank | Source",
    new: "Treebank | Source" = "",
    *,
    between: str | None = None,
    split: str | None = None,
    by: By = "upos",
    all: bool = False,
    errors: Errors = "strict",
) -> Diff:
    """Compare two versions of a treebank: sentences, words and every layer of annotation.

    Matches sentences by sent_id, text and similarity. Counts words added and removed, and says in at most 30 lines
    what changed. Lists systematic changes, which were made nearly everywhere they apply, separately from corrections
    of single words. Saved as .md, it is a draft of release notes.

    Parameters
    ----------
    old
        The old version: a CoNLL-U file, a treebank folder, or a name under TREEGAUGE_UD such as
        UD_Greek-GDT@2.5.
    new
        The new version, or another annotation of the same text; given like `old`.
    between
        Compare two commits, branches or tags of the git repository OLD, such as r2.6..r2.9, instead of two files.
    split
        Compare only this set (train, dev or test) of treebank folders.
    by
        Word classes in the table of classes: old UPOS or relation.
    all
        Show all rows of every table.

    Examples
    --------
    >>> import treegauge as tg
    >>> old = tg.synthetic(40, seed=1)
    >>> new = old.with_columns({"upos": ["PRON" if tag == "DET" else tag for tag in old["upos"]]})
    >>> diff(old, new).attached["layers"].table.filter(layer="upos")["changed"].item()
    75
    """
    from treegauge.auditing.changes.annotation_changes import Changes
    from treegauge.auditing.changes.change_summary import summary_rows, word_rows
    from treegauge.auditing.changes.changed_words import moved_sentences, pair_words, sentence_kinds, sentence_rows
    from treegauge.auditing.changes.unified_diff import read_files
    from treegauge.core.errors import ChoiceError, TreegaugeError
    from treegauge.core.messages import note

    if by not in ("upos", "deprel"):
        raise ChoiceError("class of words", by, ("upos", "deprel"))
    if between is not None:
        if not _is_left_out(new) or not isinstance(old, str | PathLike):
            raise TreegaugeError(
                "--between compares two commits of one repository; expected its folder and nothing else"
            )
        sides, titles = _commits(Path(old), between, split)
    elif _is_left_out(new):
        raise TreegaugeError("nothing to compare with; give the new version, or --between OLD..NEW in a git repository")
    else:
        sides, titles = (read_files(old, split), read_files(new, split)), _names(old, new)
    before, after = (_parsed(files, title, errors) for files, title in zip(sides, titles, strict=True))
    pairs = pair_words(before.treebank, after.treebank)
    changes = Changes.of(pairs)
    signature = sign(diff=pairs.old.mark, to=pairs.new.mark, split=split, units="words", errors=errors)
    kinds = sentence_kinds(pairs)
    if not (pairs.sentences.to_new >= 0).any() and not pairs.sentences.groups:
        note(f"{titles[0]} and {titles[1]} have no sentence in common: are they the same treebank?")
    moved = moved_sentences(pairs, before.files, after.files)
    rows = {
        "words": ("words by old or new UPOS", word_rows(pairs, moved)),
        "summary": ("what changed, most words first", summary_rows(changes)),
        "sentences": ("sentences", sentence_rows(pairs, kinds, before.files, after.files)),
        "layers": ("words by layer of annotation", changes.layer_rows()),
        "classes": (f"changed words by old {by}", changes.class_rows(by)),
        "rules": ("systematic changes", changes.rule_rows()),
        "patterns": ("single corrections by pattern", changes.pattern_rows()),
    }
    attached = {
        name: DiffTable(table, signature, title=title, all=all or name in {"sentences", "layers", "summary"})
        for name, (title, table) in rows.items()
    }
    return Diff(changes, sides, signature, attached=attached)


def _is_left_out(new: "Treebank | Source") -> bool:
    return isinstance(new, str) and not new


def _commits(
    folder: Path, between: str, split: str | None
) -> "tuple[tuple[list[FileText], list[FileText]], list[str]]":
    """Return the CoNLL-U files of a folder at two commits, and the names of the versions."""
    from treegauge.auditing.changes.unified_diff import FileText
    from treegauge.core.errors import TreegaugeError
    from treegauge.treebanks.sources.files import split_of
    from treegauge.validation.new_problems import run_git

    tags = between.split("..")
    if len(tags) != 2 or not all(tags) or any(tag.startswith("-") for tag in tags):
        raise TreegaugeError(f"--between: found {between!r}; expected two commits, branches or tags: r2.6..r2.9")
    sides = []
    for tag in tags:
        commit = run_git(folder, "rev-parse", "--verify", "--quiet", f"{tag}^{{commit}}").stdout.decode().strip()
        names = run_git(folder, "ls-tree", "-z", "--name-only", commit or tag).stdout.decode().split("\0")
        wanted = [name for name in names if name.endswith(".conllu") and split in (None, split_of(name))]
        if not wanted:
            why = "has no .conllu file there" if commit else "is not known to git there; fetch it"
            raise TreegaugeError(f"--between: {tag!r} {why} ({folder})")
        blobs = [run_git(folder, "cat-file", "blob", f"{commit}:./{name}").stdout for name in wanted]
        sides.append([FileText(name, data, f"{tag}:{name}") for name, data in zip(wanted, blobs, strict=True)])
    return (sides[0], sides[1]), [f"{folder.resolve().name}@{tag}" for tag in tags]


@dataclass(frozen=True)
class _Version:
    """One version of a treebank, and the file of each sentence."""

    treebank: "Treebank"
    files: list[str]


def _parsed(files: "Sequence[FileText]", name: str, errors: Errors) -> _Version:
    from treegauge.treebanks.data.columns import concat
    from treegauge.treebanks.data.conllu import TOLERABLE, parse_conllu
    from treegauge.treebanks.sources.files import split_of

    parts = [
        parse_conllu(
            file.data, name=name, file=file.path or file.name, errors=errors, need_heads=False, allow=TOLERABLE
        )
        for file in files
    ]
    alone = "" if len(files) == 1 else None
    where = [alone if alone is not None else split_of(file.name) or file.name for file in files]
    labels = [place for place, part in zip(where, parts, strict=True) for _ in range(len(part))]
    return _Version(parts[0] if len(parts) == 1 else concat(parts, name=name), labels)


def _names(old: "Treebank | Source", new: "Treebank | Source") -> list[str]:
    """Return distinct names for the two versions."""
    from treegauge.treebanks.sources.files import short_name
    from treegauge.treebanks.sources.matching import distinct_names
    from treegauge.treebanks.sources.resolver import folder_name

    if isinstance(old, str | PathLike) and isinstance(new, str | PathLike):
        names = [folder_name(source) or short_name(source) for source in (old, new)]
        return distinct_names([old, new], names)
    names = [
        short_name(source) if isinstance(source, str | PathLike) else getattr(source, "name", "text")
        for source in (old, new)
    ]
    return names if names[0] != names[1] else [f"{names[0]}@old", f"{names[1]}@new"]
