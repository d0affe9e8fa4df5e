"""CoNLL-U to test with: short ways to write it, and random treebanks."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from treegauge.treebanks.data.indexing import index
from treegauge.treebanks.data.problems import ReadingProblem
from treegauge.treebanks.data.relations import check_deps
from treegauge.treebanks.sources.files import count_lines, pieces


def row(
    number: int | str, form: str = "w", head: int | str = "_", deprel: str = "_", *, deps: str = "_", misc: str = "_"
) -> str:
    """Write one line of a sentence."""
    fields = [number, form, "_", "_", "_", "_", head, deprel, deps, misc]
    return "\t".join(map(str, fields))


def conllu(*sentences: list[str]) -> str:
    """Write sentences of lines, each with its blank line."""
    return "".join("\n".join([*lines, "", ""]) for lines in sentences)


def chain(*forms: str, name: str | None = None) -> list[str]:
    """Write a sentence in which every word hangs from the one before it."""
    words = [row(i, form, i - 1, "dep" if i > 1 else "root") for i, form in enumerate(forms, 1)]
    return [f"# sent_id = {name}", *words] if name else words


def reading_problems(path: Path, chunk: int = 2 << 20) -> Iterator[ReadingProblem]:
    """Yield what readers object to in a file, read piece by piece."""
    line = 1
    for data in pieces(str(path), chunk):
        treebank = index(data, path.stem, file=str(path), first_line=line)
        problems = list(treebank.problems)
        problems += check_deps(treebank, str(path))
        yield from sorted(problems, key=lambda problem: problem.line)
        line += count_lines(data)


# Random treebanks

_FIELD = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=8)
_FORM = _FIELD.filter(lambda text: any(unicodedata.category(sign) != "Zs" for sign in text))
_COMMENT = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=12)


@st.composite
def sentences(draw: st.DrawFn, size: int = 6) -> list[list[str]]:
    """Draw the rows of a sentence: words, multiword tokens, empty nodes."""
    n = draw(st.integers(1, size))
    order = draw(st.permutations(range(1, n + 1)))
    heads = {word: order[draw(st.integers(0, i - 1))] if i else 0 for i, word in enumerate(order)}
    rows: list[list[str]] = []
    free = 0  # the last word inside a multiword token

    def add(identifier: str, head: str) -> None:
        middle = [draw(_FIELD) for _ in range(4)]
        last = [draw(_FIELD) for _ in range(3)]
        rows.append([identifier, draw(_FORM), *middle, head, *last])

    for word in range(n + 1):
        if word and word > free and draw(st.integers(0, 3)) == 0 and word < n:
            free = draw(st.integers(word + 1, n))
            add(f"{word}-{free}", "_")
        if word:
            add(str(word), str(heads[word]))
        for number in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            add(f"{word}.{number + 1}", "_")
    return rows


class Drawn(NamedTuple):
    """A random treebank: its text, the rows and the comment lines of its sentences."""

    text: str
    rows: list[list[list[str]]]
    comments: list[list[str]]


@st.composite
def treebanks(draw: st.DrawFn, size: int = 4) -> Drawn:
    """Draw a valid treebank in one of the three styles of line ends, ended in any legal way."""
    rows = draw(st.lists(sentences(), max_size=size))
    comments = [["#" + text for text in draw(st.lists(_COMMENT, max_size=3))] for _ in rows]
    parts = ["\n".join([*c, *map("\t".join, r)]) for c, r in zip(comments, rows, strict=True)]
    text = "".join(f"{part}\n\n" for part in parts)
    text += draw(st.sampled_from(["", "", "# the end", "# the end\n", "#\n# the end\n"]))
    if rows and text.endswith("\n\n"):
        text = text[: len(text) - draw(st.integers(0, 2))]
    return Drawn(text.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"]))), rows, comments)
