"""The sentences behind a cell of a breakdown: what stood there, and what the system made of it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treegauge.results.result import Result, countersign
from treegauge.scoring.align import Alignment
from treegauge.scoring.breakdown import Breakdown, Place
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Examples(Result):
    """Sentences in which words of a class went wrong; text draws their gold trees.

    Attributes
    ----------
    places
        The sentences and their wrong words.
    alignment
        Where the system's analysis of these words is found.
    """

    places: tuple[Place, ...]
    alignment: Alignment = field(repr=False)
    signature: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One a wrong word; what the system lacks is None."""
        gold, system = self.alignment.gold.treebank, self.alignment.system.treebank
        rows = []
        for place in self.places:
            for word in place.words:
                index = int(gold.offsets[place.sentence]) + word - 1
                partner = int(self.alignment.to_system[index])
                analysis = _analysis(system, partner) if partner >= 0 else dict.fromkeys(_COLUMNS)
                rows.append(
                    {
                        "sentence": place.sentence + 1,
                        "sent_id": place.sent_id,
                        "word": word,
                        "form": gold.field(int(gold.rows[index]), 1),
                        **_analysis(gold, index),
                        **{f"system_{name}": value for name, value in analysis.items()},
                    }
                )
        return rows

    @property
    def table(self) -> "pl.DataFrame":
        """One row a wrong word: its analysis, and the system's."""
        import polars as pl

        return pl.DataFrame(self.rows, infer_schema_length=None)

    def __str__(self) -> str:
        told: dict[int, list[str]] = {}
        for row in self.rows:
            theirs = _told(row, "system_") if row["system_relation"] else "no such word"
            line = f"  {row['word']} {row['form']}: {_told(row)}; system: {theirs}"
            told.setdefault(row["sentence"], []).append(line)
        drawn = []
        for place in self.places:
            sentence = self.alignment.gold.treebank[place.sentence]
            title = f"# {place.sent_id or place.sentence + 1}: {sentence.text}"
            drawn.append("\n".join([title, str(sentence), *told[place.sentence + 1]]))
        return "\n\n".join([*(drawn or ["no word of this class went wrong"]), self.signature])


_COLUMNS = ("upos", "relation", "head")


def _analysis(treebank: Treebank, word: int) -> dict[str, str]:
    row, sentence = int(treebank.rows[word]), int(treebank.sentence_of[word])
    head = int(treebank.offsets[sentence]) + int(treebank.head[word]) - 1
    above = treebank.field(int(treebank.rows[head]), 1) if treebank.head[word] > 0 else "ROOT"
    values = (treebank.field(row, 3), treebank.field(row, 7), above)
    return dict(zip(_COLUMNS, values, strict=True))


def _told(row: dict[str, Any], side: str = "") -> str:
    return f"{row[f'{side}upos']}, {row[f'{side}relation']} of {row[f'{side}head']}"


def examples(cells: Breakdown, name: str, *, limit: int = 5) -> Examples:
    r"""Return sentences in which words of a class went wrong, with what the system made of them.

    Parameters
    ----------
    cells
        A breakdown.
    name
        One of its classes.
    limit
        At most so many sentences.

    Examples
    --------
    >>> from treegauge.scoring.breakdown import breakdown
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> lines = ["1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_", "2\tup\t_\tADV\t_\t_\t1\tobl\t_\t_", "", ""]
    >>> gold = parse_conllu("\n".join(lines))
    >>> cells = breakdown(gold, gold.with_columns({"deprel": ["root", "obj"]}))
    >>> print(str(examples(cells, "obl")).rpartition("\n")[0])
    # 1: Go up
    ╶─╮  Go  VERB  root
      ╰╴ up  ADV   obl
      2 up: ADV, obl of Go; system: ADV, obj of Go
    """
    places = tuple(cells.errors(name, limit=limit))
    signature = countersign(cells.signature, errors_of=name, limit=limit)
    return Examples(places, cells.alignment, signature)
