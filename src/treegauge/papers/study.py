"""The verb ``study``: all tables and figures of a paper, on one's own data, on one page."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import import_module
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError, one_line
from treegauge.core.file_kinds import FOLDER, STORE
from treegauge.core.files import atomic
from treegauge.core.messages import note
from treegauge.core.result import Figure, Result, RowsResult, sign
from treegauge.core.text_formats import to_csv_text
from treegauge.core.verbs import verb
from treegauge.ranking.reading import READING, LeaderboardReading

if TYPE_CHECKING:
    from treegauge.experiments.cell_store import Store
    from treegauge.treebanks.sources.inputs import Input

Rows = list[dict[str, Any]]
Paper = Literal["edv", "fragility", "difficulty", "challenges", "content"]
TITLES: Mapping[str, str] = {
    "edv": "Edge displacement and parsing scores",
    "fragility": "The fragility of rankings over treebanks",
    "difficulty": "Dataset difficulty",
    "challenges": "Simple and complex dependencies",
    "content": "Content and function relations",
}
_ROOM = {"edv": "edv", "fragility": "of_scores", "content": "of_scores"}
_OTHERS = "of_trainings"


@dataclass(frozen=True)
class StudyChoices:
    """What a study runs with: the parameters of the verb that its steps share."""

    parser: tuple[str, ...]
    option: Sequence[str]
    metric: str
    quick: bool
    subsets: int
    seed: int
    store: Any
    workers: int
    reading: LeaderboardReading


@dataclass(frozen=True, eq=False, repr=False)
class StudyTable(RowsResult, kind="study table"):
    """One table of a study, named as in the paper; columns ``printed: ...`` are the paper's."""

    item: str = ""
    title: str = ""
    notes: tuple[str, ...] = ()
    digits: ClassVar[tables.Digits] = 3

    def json_fields(self) -> dict[str, Any]:
        """Return the name of the table, its rows and its notes."""
        return {"item": self.item, "title": self.title, "rows": self.json_rows(), "notes": list(self.notes)}

    def own_text(self) -> str:
        """Return the name, the table, its notes and its signature, which names the units."""
        table = tables.to_text(self.rows, digits=self.digits)
        return "\n".join([f"{self.item}. {self.title}", table, *self.notes, self.signature])

    def own_latex(self) -> str:
        """Return the LaTeX table, its name and notes as comments above."""
        heads = [f"{self.item}. {self.title}", *self.notes]
        return "\n".join([*(f"% {one_line(head)}" for head in heads), super().own_latex()])

    def own_markdown(self) -> str:
        """Return a heading, the table and its notes."""
        head = tables.markdown(f"{self.item}. {self.title}")
        return "\n\n".join([f"**{head}**", super().own_markdown(), *map(tables.markdown, self.notes)])

    def own_html(self) -> str:
        """Return a heading, the table and its notes, with every text escaped."""
        below = "".join(f"\n<p>{escape(text)}</p>" for text in self.notes)
        return f"<h2>{escape(self.item)}. {escape(self.title)}</h2>\n{super().own_html()}{below}"


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult(RowsResult, kind="study"):
    """The tables and figures of a study; ``study["Table 2"]`` is a table.

    `rows` list every item of the paper: where it is, or why it cannot be made from these data.
    """

    paper: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)

    def __getitem__(self, item: str) -> StudyTable:
        for table in self.attached.get("tables", ()):
            if table.item == item:
                found: StudyTable = table
                return found
        why = "a figure: see .figures" if item in self.figures else "no such table"
        why = next((row["why"] for row in self.rows if row["item"] == item and row["why"]), why)
        raise TreegaugeError(f"{item}: {why}; tables are {', '.join(one.item for one in self.attached['tables'])}")

    def own_text(self) -> str:
        """Return the list of all items."""
        return f"{TITLES[self.paper]}\n{super().own_text()}"

    def to_html(self) -> str:
        """Return one page: tables with what the paper printed, and figures; it needs no network."""
        parts = [f"<h1>{escape(TITLES[self.paper])}</h1>", tables.to_html(self.rows, note=self.signature)]
        parts += [table.own_html() for table in self.attached.get("tables", ())]
        for item, figure in self.figures.items():
            try:
                drawn = figure.to_svg()
            except TreegaugeError as error:
                drawn = f"<p>{escape(str(error))}</p>"
            parts.append(f"<h2>{escape(item)}</h2>\n<figure>{drawn}</figure>")
        return _PAGE.format(title=escape(TITLES[self.paper]), body="\n".join(parts))

    def write(self, folder: Path) -> None:
        """Write the page, all tables as LaTeX, each as CSV, and each figure as SVG or Vega-Lite."""
        folder.mkdir(parents=True, exist_ok=True)
        self.save(folder / f"{self.paper}.html")
        self.save(folder / f"{self.paper}.tex")
        for table in self.attached.get("tables", ()):
            with atomic(folder / f"{_file_name(self.paper, table.item)}.csv") as file:
                file.write(to_csv_text(table.table).encode())
        for item, figure in self.figures.items():
            path = folder / _file_name(self.paper, item)
            try:
                figure.save(path.with_suffix(".svg"))
            except TreegaugeError:  # without vl-convert
                figure.save(path.with_suffix(".json"))


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.45 Arial, sans-serif; max-width: 70rem; margin: 1rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ padding: .15rem .6rem; border-bottom: 1px solid #d5dae1; text-align: left; }}
figure {{ margin: 0; overflow-x: auto; }}
</style>
</head>
<body>
{body}
</body>
</html>"""


def _file_name(paper: str, item: str) -> str:
    """Return the name of an item's file without its ending.

    Examples
    --------
    >>> _file_name("edv", "Table B.1")
    'edv_table_b_1'
    """
    return f"{paper}_{re.sub('[^a-z0-9]+', '_', item.casefold()).strip('_')}"


@cache
def printed_numbers(paper: str, item: str) -> Mapping[tuple[str, str], str]:
    """Return what a paper printed in one of its tables, by row and column.

    Examples
    --------
    >>> printed_numbers("edv", "Table 2")["edv", "UDPipe 1.2"]
    '-0.492'
    """
    text = files("treegauge.data").joinpath("printed.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(row["row"], row["column"]): row["printed"] for row in rows if (row["paper"], row["item"]) == (paper, item)}


def _grouped(notes: Sequence[str]) -> tuple[str, ...]:
    """Return notes, those of one reason as one line.

    Examples
    --------
    >>> _grouped(["a, b: too few", "a, c: too few", "as in the paper"])
    ('a, b and 1 more: too few', 'as in the paper')
    """
    heads: dict[str, list[str]] = {}
    for text in dict.fromkeys(notes):
        head, colon, reason = text.rpartition(": ")
        heads.setdefault(f"{colon}{reason}", []).append(head)
    return tuple(
        names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "") + reason for reason, names in heads.items()
    )


class Draft:
    """Tables and figures as they are made; what the data do not allow is listed with the reason."""

    def __init__(self, paper: str) -> None:
        self.paper = paper
        self.tables: list[StudyTable] = []
        self.figures: dict[str, Figure] = {}
        self.rows: Rows = []

    def table(
        self, item: str, title: str, make: Callable[[], Any], *, key: Sequence[str] = (), notes: Sequence[str] = ()
    ) -> Any:
        """Add what `make` returns, a result or rows; the paper's cells join rows by `key`."""
        made = self._made(item, title, make)
        if made is None:
            return None
        frame = made if isinstance(made, list) else made.shown()
        rows: Rows = [dict(row) for row in frame] if isinstance(frame, list | tuple) else frame.to_dicts()
        known = printed_numbers(self.paper, item)
        columns = list(dict.fromkeys(column for row, column in known if row))
        for row in rows if key else ():
            label = " | ".join(str(row[name]) for name in key)
            row |= {f"printed: {column}": known.get((label, column), "") for column in columns}
        said = [*notes, *getattr(made, "notes", ()), *(f"The paper: {known['', one]}" for row, one in known if not row)]
        signature = getattr(made, "signature", "") or sign(v="study", paper=self.paper, item=item, units="treebanks")
        self.tables.append(StudyTable(rows, signature, item=item, title=title, notes=_grouped(said)))
        return made

    def figure(self, item: str, title: str, make: Callable[[], Any]) -> None:
        """Add what `make` returns: a figure, or a result with one."""
        made = self._made(item, title, make)
        if made is not None:
            spec = made.plot() if isinstance(made, Result) else Figure(made)
            head = spec.get("title")
            spec["title"] = {**(head if isinstance(head, dict) else {}), "text": f"{item}. {title}"}
            self.figures[item] = spec

    def skip(self, item: str, title: str, why: str) -> None:
        """List an item that cannot be made."""
        self.rows.append({"item": item, "shows": title, "why": why})

    def _made(self, item: str, title: str, make: Callable[[], Any]) -> Any:
        try:
            made = make()
        except TreegaugeError as error:
            self.skip(item, title, one_line(str(error)))
            return None
        self.rows.append({"item": item, "shows": title, "why": ""})
        return made


def sorted_inputs(inputs: Sequence[Any]) -> tuple[list[Any], "list[Input]"]:
    """Return the tables of scores among the inputs, and the treebank folders."""
    from treegauge.statistics.data_table import PACKAGED
    from treegauge.treebanks.sources.inputs import recognise

    scores: list[Any] = []
    texts: list[Any] = []
    for one in inputs:
        named = isinstance(one, str | PathLike)
        if not named or str(one) in PACKAGED:
            scores.append(one)
            continue
        for found in recognise([one], kinds=("treebank", "scores")):
            (texts if found.kind == "treebank" else scores).append(found if found.kind == "treebank" else found.path)
    return scores, texts


@verb(outputs={"out": FOLDER, "store": STORE}, limits={"subsets": (1, 10**8)})
def study(
    paper: Paper,
    *inputs: Any,
    parser: Sequence[str] | str = (),
    option: Sequence[str] | Mapping[str, Any] = (),
    quick: bool = False,
    subsets: int = 1_000_000,
    seed: int = 0,
    store: "Store | str | PathLike[str] | None" = None,
    workers: int = 1,
    out: str | PathLike[str] | None = "study",
    reading: LeaderboardReading = READING,
) -> StudyResult:
    """Run a paper's whole study on your own data: its tables and figures, on one page.

    Settings are the paper's. What the data do not allow is listed with the reason, and the numbers
    that the paper printed are next to yours. Trainings are kept in a store, so that the same
    call resumes after an interruption.

    Parameters
    ----------
    paper
        edv: displacement and scores (TREEBANKS and a table of scores). fragility: rankings over
        subsets of treebanks (a table of scores). difficulty: ten measures of difficulty
        (TREEBANKS). challenges: learning curves and transfer (TREEBANKS; the first is the target
        of transfer). content: content and function relations (GOLD and the output of a system).
    *inputs
        Treebank folders, names or patterns, tables of scores, or gold and output, as the paper
        needs them. One packaged table is enough: published, conll18, ud25, ud26.
    parser
        Parser to train. Default: biaffine without tags for difficulty, beam and mst for
        challenges; for edv none, which leaves out the splits of its Section 6.
    option
        Option of the parser, such as epochs=5; repeatable.
    quick
        Change what takes longest: difficulty trains mst with one order of two blocks, challenges
        three sizes with two samples, edv one sample of graded splits, not three; fragility draws
        20,000 subsets. The tables say so.
    subsets
        Number of random subsets of treebanks for fragility.
    seed
        Seed of all random draws.
    store
        Folder that stores the trainings. Default: store, in the folder `out`.
    workers
        Number of trainings at a time.
    out
        Folder for the page, LaTeX, tables as CSV and figures.

    Examples
    --------
    >>> made = study("fragility", "conll18", subsets=1000, out=None)
    >>> made["Table 3"].rows[0]["system"]
    'HIT-SCIR'
    """
    if paper not in TITLES:
        raise TreegaugeError(f"unknown paper {paper!r}; choices: {', '.join(TITLES)}")
    if not inputs:
        raise TreegaugeError(f"study {paper}: expected data; see treegauge study --help")
    folder = None if out is None else Path(out)
    words = [f"{key}={value}" for key, value in option.items()] if isinstance(option, Mapping) else list(option)
    choices = StudyChoices(
        (parser,) if isinstance(parser, str) else tuple(parser), words, reading.metric, quick,
        min(subsets, 20_000) if quick else subsets, seed,
        folder / "store" if store is None and folder is not None else store, workers, reading,
    )  # fmt: skip
    draft = Draft(paper)
    module = import_module(f"treegauge.papers.{_ROOM.get(paper, _OTHERS)}")
    getattr(module, f"{paper}_study")(draft, inputs, choices)
    signature = sign(v="study", paper=paper, m=reading.metric, quick=quick or None, seed=seed)
    made = StudyResult(draft.rows, signature, paper=paper, figures=draft.figures, attached={"tables": draft.tables})
    if folder is not None:
        made.write(folder)
        note(f"wrote {folder / paper}.html, .tex, tables and figures")
    return made
