"""The verb ``show``: drawings of dependency trees for terminal, SVG or LaTeX."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.treebanks.sources.files import Errors, Source
from treegauge.treebanks.sources.resolver import read_treebank
from treegauge.treebanks.text_trees import kept_left_to_right

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.data.sentence import Sentence


@dataclass(frozen=True)
class Drawings(Result):
    """Drawings of trees, each alone or, if there are `systems`, with the system's tree."""

    sentences: "tuple[Sentence, ...]"
    systems: "tuple[Sentence, ...]"
    signature: str
    kind: ClassVar[str] = "drawings"
    own_formats: ClassVar[tuple[str, ...]] = ("svg", "tikz")

    @property
    def table(self) -> "pl.DataFrame":
        """One row per sentence: number, sent_id, words, text."""
        import polars as pl

        rows = [(sentence.number + 1, sentence.id, len(sentence), sentence.text) for sentence in self.sentences]
        kinds = {"sentence": pl.Int64, "sent_id": pl.String, "words": pl.Int64, "text": pl.String}
        return pl.DataFrame(rows, kinds, orient="row")

    def to_svg(self) -> str:
        """Return the drawings as one SVG; with a system, incorrect arcs are below the words."""
        from treegauge.treebanks.svg import stacked_svg

        return stacked_svg(self._svgs())

    def _svgs(self) -> list[str]:
        from treegauge.treebanks.svg import compare_svg, svg_tree

        if not self.systems:
            return [
                svg_tree(sentence.form, sentence.head.tolist(), sentence.deprel, upos=sentence.upos)
                for sentence in self.sentences
            ]
        return [
            compare_svg(one.form, one.head.tolist(), one.deprel, two.head.tolist(), two.deprel)
            for one, two in zip(self.sentences, self.systems, strict=True)
        ]

    def to_tikz(self) -> str:
        """Return the drawings for LaTeX with the package tikz-dependency."""
        from treegauge.treebanks.tikz import tikz_tree

        theirs = [(sentence.head.tolist(), sentence.deprel) for sentence in self.systems]
        return "\n\n".join(
            tikz_tree(
                sentence.form, sentence.head.tolist(), sentence.deprel, upos=sentence.upos,
                system=theirs[i] if theirs else None,
            )
            for i, sentence in enumerate(self.sentences)
        )  # fmt: skip

    def own_latex(self) -> str:
        """Return the drawings for LaTeX."""
        return self.to_tikz()

    def own_markdown(self) -> str:
        """Return the trees as text."""
        return f"```text\n{self.own_text()}\n```"

    def own_text(self) -> str:
        """Return the trees, cut to the width of the terminal where there is one."""
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        lines = []
        for i, sentence in enumerate(self.sentences):
            title = f"# {sentence.id or sentence.number + 1}: {sentence.text}"
            lines += [kept_left_to_right(title), sentence.drawn(width)]
            if self.systems:
                lines += ["# system", self.systems[i].drawn(width)]
            lines.append("")
        return "\n".join(lines[:-1])

    def own_html(self) -> str:
        """Return the drawings as SVG."""
        return "\n".join(self._svgs())


@verb
def show(
    source: "Treebank | Source",
    *,
    sentence: Sequence[str | int] = (),
    system: "Treebank | Source | None" = None,
    split: str | None = None,
    limit: int = 5,
    errors: Errors = "strict",
) -> Drawings:
    """Draw dependency trees in the terminal, as SVG, or for LaTeX.

    Sentences written from right to left have their first word on the right.

    Parameters
    ----------
    source
        A CoNLL-U file, a treebank folder or a name under TREEGAUGE_UD; - is standard input.
    sentence
        A sentence to draw: its number from 1, or its sent_id.
    system
        A system's output on the same words; the drawing shows its incorrect arcs.
    split
        The set of a treebank folder to draw from (train, dev or test).
    limit
        Number of sentences to draw if none is chosen.
    errors
        What to do about malformed sentences.

    Examples
    --------
    >>> import treegauge as tg
    >>> show(tg.synthetic(3, seed=4), sentence=[2]).table.select("sentence", "sent_id").row(0)
    (2, 'syn-2')
    """
    if limit < 1:
        raise TreegaugeError(f"limit is {limit}; expected at least 1")
    gold = read_treebank(source, split, errors)
    predicted = None if system is None else read_treebank(system, split, errors)
    if predicted is not None and gold.lengths.tolist() != predicted.lengths.tolist():
        raise TreegaugeError(
            f"{gold.name} and {predicted.name} have different words or sentences; drawing them "
            "together needs the same words (treegauge score aligns them)"
        )
    numbers = _numbers(gold, [sentence] if isinstance(sentence, str | int) else sentence, limit)
    return Drawings(
        tuple(gold[number] for number in numbers),
        tuple(predicted[number] for number in numbers) if predicted is not None else (),
        sign(show=gold.mark, system=predicted.mark if predicted is not None else None, errors=gold.policy),
    )


def _numbers(treebank: "Treebank", wanted: Sequence[str | int], limit: int) -> list[int]:
    """Return the numbers of the sentences to draw, from 0."""
    if len(treebank) == 0:
        raise TreegaugeError(f"{treebank.name} has no sentences")
    if not wanted:
        return list(range(min(limit, len(treebank))))
    ids = {name: i for i, name in enumerate(treebank.metadata("sent_id")) if name}
    numbers = []
    for key in map(str, wanted):
        if key in ids:
            numbers.append(ids[key])
        elif key.isdecimal() and 1 <= int(key) <= len(treebank):
            numbers.append(int(key) - 1)
        else:
            raise TreegaugeError(
                f"no sentence {key!r} in {treebank.name}: expected a sent_id or a number from 1 to {len(treebank)}"
            )
    return numbers
