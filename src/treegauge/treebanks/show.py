"""The verb ``show``: drawings of dependency trees for terminal, SVG or LaTeX."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.tables import latex, line_width
from treegauge.core.verbs import verb
from treegauge.treebanks.sources.files import Errors, Source
from treegauge.treebanks.sources.resolver import read_treebank
from treegauge.treebanks.text_trees import check_lengths, has_right_to_left, is_right_to_left, kept_left_to_right

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.data.sentence import Sentence


@dataclass(frozen=True)
class Drawings(Result, kind="drawings"):
    """Drawings of trees, each alone or, if there are `systems`, with the system's tree."""

    sentences: "tuple[Sentence, ...]"
    systems: "tuple[Sentence, ...]"
    signature: str
    own_formats: ClassVar[tuple[str, ...]] = ("svg", "tikz")

    @property
    def table(self) -> "pl.DataFrame":
        """One row per sentence: number, sent_id, words, text."""
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
        width = line_width()
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
        A system's output or another version, found by sent_id; the drawing shows the arcs that differ.
    split
        The set of a treebank folder to draw from (train, dev or test).
    limit
        Number of sentences to draw if none is chosen.

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
    wanted = [sentence] if isinstance(sentence, str | int) else sentence
    sentences = tuple(gold[number] for number in _numbers(gold, wanted, limit))
    return Drawings(
        sentences,
        () if predicted is None else tuple(_partners(sentences, predicted)),
        sign(show=gold.mark, system=predicted.mark if predicted is not None else None, errors=gold.policy),
    )


def _partners(sentences: "Sequence[Sentence]", predicted: "Treebank") -> "Iterator[Sentence]":
    """Yield the system's sentences of the same sent_id, else of the same number."""
    ids = {name: number for number, name in enumerate(predicted.metadata("sent_id")) if name}
    for one in sentences:
        number = ids.get(one.id or "", one.number)
        if number >= len(predicted) or len(predicted[number]) != len(one):
            raise TreegaugeError(
                f"{one.treebank.name} and {predicted.name} have different words in sentence "
                f"{one.id or one.number + 1}; drawing it together needs the same words (treegauge score aligns them)"
            )
        yield predicted[number]


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


#: Last character that pdfLaTeX typesets without further packages: Latin Extended-A.
_LAST_LATIN = "\u017f"
_PUNCTUATION = frozenset("‘’“”„–—…«»")
_OTHER_FONTS = (
    "% compile with XeLaTeX and a font that has these characters, such as\n"
    "% \\usepackage{fontspec} \\setmainfont{Noto Serif CJK SC} (Chinese), "
    "{Noto Naskh Arabic}[Script=Arabic]"
)
_FROM_THE_RIGHT = (
    "% written from right to left: the first word is on the right; XeLaTeX turns words by itself,\n"
    "% for other programs define \\rtlword before this\n"
    "\\providecommand{\\rtlword}[1]{#1}"
)


def tikz_tree(
    forms: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    *,
    upos: Sequence[str] | None = None,
    system: tuple[Sequence[int], Sequence[str]] | None = None,
) -> str:
    r"""Return a ``dependency`` environment of tikz-dependency.

    Parameters
    ----------
    forms, heads, deprels, upos
        The columns of the sentence; heads count from 1, and 0 is the root.
    system
        A system's heads and relations: its incorrect arcs are drawn below the words.

    Examples
    --------
    >>> print(tikz_tree(["Dogs", "bark"], [2, 0], ["nsubj", "root"]))
    % \usepackage{tikz-dependency}
    \begin{dependency}
    \begin{deptext}[column sep=0.8em]
    Dogs \& bark \\
    \end{deptext}
    \depedge{2}{1}{nsubj}
    \deproot{2}{root}
    \end{dependency}
    """
    check_lengths(forms=forms, heads=heads, deprels=deprels, upos=upos)
    number, turned = len(forms), is_right_to_left(forms)
    columns = range(number, 0, -1) if turned else range(1, number + 1)
    rows = [[_word(forms[word - 1]) for word in columns]]
    if upos is not None:
        rows.append([rf"\textsc{{{_text(upos[word - 1].lower())}}}" for word in columns])
    arcs = [
        _arc(word, int(head), relation, number, turned)
        for word, (head, relation) in enumerate(zip(heads, deprels, strict=True), 1)
    ]
    if system is not None:
        check_lengths(forms=forms, system_heads=system[0], system_deprels=system[1])
        for word, (head, relation) in enumerate(zip(*system, strict=True), 1):
            if head != heads[word - 1] or relation != deprels[word - 1]:
                dash = "dashed" if head != heads[word - 1] else "dotted"
                style = f"edge below, edge style={{{dash}, red!70!black}}"
                arcs.append(_arc(word, int(head), relation, number, turned, style))
    lines = [r"% \usepackage{tikz-dependency}"]
    if any(character > _LAST_LATIN for character in set("".join(forms)) - _PUNCTUATION):
        lines.append(_OTHER_FONTS)
    if turned or any(map(has_right_to_left, forms)):
        lines.append(_FROM_THE_RIGHT)
    lines += [r"\begin{dependency}", r"\begin{deptext}[column sep=0.8em]"]
    lines += [" \\& ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\end{deptext}", *arcs, r"\end{dependency}"])


def _text(text: str) -> str:
    r"""Escape for LaTeX; in ``deptext``, ``\&`` would begin a new column."""
    return latex(text).replace(r"\&", r"\symbol{38}")


def _word(text: str) -> str:
    return rf"\rtlword{{{_text(text)}}}" if has_right_to_left(text) else _text(text)


def _arc(word: int, head: int, relation: str, number: int, turned: bool, style: str = "") -> str:
    """Return the command for one arc; positions are mirrored for text from right to left."""

    def place(position: int) -> int:
        return number + 1 - position if turned else position

    label = _text(relation)
    if 1 <= head <= number and head != word:
        options = f"[{style}]" if style else ""
        return rf"\depedge{options}{{{place(head)}}}{{{place(word)}}}{{{label}}}"
    if head != 0:
        style, label = style or "edge style={dashed}", f"{label} ?"
    return rf"\deproot{f'[{style}]' if style else ''}{{{place(word)}}}{{{label}}}"
