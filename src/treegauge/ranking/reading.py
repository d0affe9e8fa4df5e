"""Read leaderboards from files in any layout, frames, results and stores."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from treegauge.core.conditions import frame_where, told_apart
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.reading import (
    FileTable,
    check_percent,
    frame_table,
    parse_number,
    polars_frame,
    read_file,
    result_table,
)
from treegauge.core.result import Result
from treegauge.core.verbs import Settings
from treegauge.ranking.leaderboard import Leaderboard, some
from treegauge.ranking.metadata import COLUMNS, describe, known_code
from treegauge.treebanks.sources.inputs import TEXT_KINDS, TITLES, Input, recognise, with_gold

if TYPE_CHECKING:
    from treegauge.scoring.scores import Scores
    from treegauge.treebanks.data.columns import Treebank


Missing = Literal["error", "drop-treebank", "drop-system", "keep"]
_SHOWN = 5


class ScoreCell(NamedTuple):
    """One score, or a gap (None), and where it is."""

    treebank: str
    system: str
    seed: str
    score: float | None
    where: str


def additional(own: Sequence[ScoreCell], base: Sequence[ScoreCell], label: str) -> list[ScoreCell]:
    """Return the scores of further systems on the treebanks of the others."""
    systems, treebanks = {cell.system for cell in base}, {cell.treebank for cell in base}
    if twice := sorted(systems & {cell.system for cell in own}):
        raise TreegaugeError(f"{label}: the system {twice[0]} is already in the table; give your system another name")
    known = {known_code(name) for name in treebanks}
    kept = [cell for cell in own if known_code(cell.treebank) in known]
    others = list(dict.fromkeys(cell.treebank for cell in own if cell not in kept))
    if not kept:
        raise TreegaugeError(
            f"{label}: none of its treebanks ({some(others)}) is in the table that it is added "
            f"to; expected such as {some(sorted(treebanks))}"
        )
    if others:
        note(f"{label}: {len(others)} treebanks are not in the table and are left out: {', '.join(others)}")
    return kept


def without_gaps(cells: list[ScoreCell], missing: Missing, source: str) -> tuple[list[ScoreCell], tuple[str, ...]]:
    """Return the cells after applying the policy for missing (treebank, system, seed) cells."""
    present = {cell[:3] for cell in cells if cell.score is not None}
    treebanks, systems, seeds = (dict.fromkeys(names) for names in zip(*(cell[:3] for cell in cells), strict=True))
    wanted = ((t, s, seed) for s, t, seed in product(systems, treebanks, seeds))
    gaps = [place for place in wanted if place not in present]
    if not gaps:
        return cells, ()
    if missing == "keep":
        scored = [{cell[i] for cell in cells if cell.score is not None} for i in (0, 1)]
        kept = [cell for cell in cells if cell[0] in scored[0] and cell[1] in scored[1]]
        note(f"{source}: {len(gaps)} missing scores, such as {_named(gaps[:1])}")
        names = zip((treebanks, systems), scored, strict=True)
        return kept, tuple(name for each, known in names for name in each if name not in known)
    if missing == "error":
        named = _named(gaps[:_SHOWN])
        more = f" and {len(gaps) - _SHOWN} more" if len(gaps) > _SHOWN else ""
        number = "1 missing score" if len(gaps) == 1 else f"{len(gaps)} missing scores"
        raise TreegaugeError(
            f"{source}: {number}: {named}{more}; --missing drop-treebank or drop-system "
            "leaves out the treebanks or systems with gaps; rank also takes --missing keep"
        )
    by_treebank = missing == "drop-treebank"
    out = dict.fromkeys(gap[0] if by_treebank else gap[1] for gap in gaps)
    kept = [cell for cell in cells if (cell.treebank if by_treebank else cell.system) not in out]
    if not kept:
        raise TreegaugeError(
            f"{source}: every {'treebank' if by_treebank else 'system'} has a missing score, so "
            f"missing={missing!r} leaves nothing; choices: {', '.join(get_args(Missing))}"
        )
    return kept, tuple(out)


def _named(gaps: Iterable[Sequence[str]]) -> str:
    return ", ".join(f"({', '.join(filter(None, gap))})" for gap in gaps)


def refuse_repeats(cells: Iterable[ScoreCell]) -> None:
    """Refuse a table with two values for one score, naming both rows."""
    seen: dict[tuple[str, str, str], str] = {}
    for cell in cells:
        identity = cell[:3]
        if identity in seen:
            what = f"treebank {cell.treebank}, system {cell.system}"
            what += f", seed {cell.seed}" if cell.seed else ""
            raise TreegaugeError(
                f"{cell.where} repeats {seen[identity]}: {what}; keep one of the two, or keep "
                "several runs apart with a column 'seed'"
            )
        seen[identity] = cell.where


PACKAGED = ("conll18", "fragility_exp1", "published")
_ROLES = ("metric", "treebank", "system", "seed", "score")
_LAYOUTS = (
    "expected a column 'treebank' and either 'system' and 'score' (long), 'system' and one column "
    "per metric, or one column per system (wide); or a column 'system' and one per treebank"
)


@dataclass(frozen=True)
class LeaderboardReading(Settings):
    """Settings for reading scores, shared by all verbs about rankings.

    Attributes
    ----------
    metric
        Metric to compare systems by; upper or lower case.
    missing
        How to treat missing scores; averages never skip them. keep: compare systems over the
        treebanks that they share, in rank and in rank compare --test bradley-terry.
    metadata
        Table with a column treebank or name and any of language, tokens, family, stock, genus and
        resource. Languages and genera are known from names, and all columns for treebanks of the
        CoNLL 2018 shared task.
    gold
        The gold file or folder, if SCORES are system files or folders, as PATH or NAME=PATH. They
        are scored first, as by score; runs of one NAME are averaged, and failed output is missing.
        Not needed if it is first among SCORES, all others are NAME=PATH, or it alone has folders of treebanks.
    where
        A condition on a column of the table of scores, such as release=2.5, 'input=raw text' or
        'words >= 30000'; several must all hold.
    """

    metric: str = "LAS"
    missing: Missing = "error"
    metadata: "str | PathLike[str] | pl.DataFrame | None" = None
    gold: "str | PathLike[str] | Treebank | None" = None
    where: Sequence[str] = ()


READING = LeaderboardReading()


@dataclass
class _Collection:
    """The scores of one metric, collected from the sources."""

    metric: str
    cells: list[ScoreCell] = field(default_factory=list)
    metrics: dict[str, None] = field(default_factory=dict)
    metadata: dict[str, dict[str, Any]] = field(default_factory=dict)

    def wants(self, metric: object) -> bool:
        """Record an available metric and return whether it is the requested one."""
        name = str(metric).strip()
        self.metrics.setdefault(name)
        return name.casefold() == self.metric.casefold()

    def add(self, table: FileTable) -> None:
        """Add the scores of a table."""
        layout, added = _TableLayout(table), []
        for place, row in table.rows:
            where = f"{table.source}, {place}"
            seed = layout.name("seed", row, where) if "seed" in layout.role else ""
            for treebank, system, raw in layout.scores(row, where, self):
                score = parse_number(raw)
                if score is None or math.isinf(score):
                    raise TreegaugeError(
                        f"{where} (treebank {treebank}, system {system}): {str(raw)!r} is not a "
                        "score; expected a number such as 81.23, or an empty cell for a missing "
                        "score"
                    )
                gap = math.isnan(score)
                if gap and layout.tasks:
                    continue  # a store has cells of other tasks, too
                added.append(ScoreCell(treebank, system, seed, None if gap else score, where))
                if layout.meta and layout.kind != "treebanks":
                    known = self.metadata.setdefault(treebank, {})
                    known.update({name: row[i] for name, i in layout.meta.items()})
        check_percent((cell.score or 0 for cell in added), table.source, table.unit)
        self.cells += added

    def check(self, label: str) -> None:
        """Refuse sources without a score of the metric."""
        if not self.cells:
            if self.metrics and not any(map(self.wants, [*self.metrics])):
                raise ChoiceError("metric", self.metric, self.metrics)
            raise TreegaugeError(f"{label}: contains no scores")


class _TableLayout:
    """The role of each column of a table."""

    def __init__(self, table: FileTable) -> None:
        self.names = table.header
        for i, name in enumerate(self.names):
            if name in self.names[:i]:
                raise TreegaugeError(f"{table.source}: column {name!r} appears more than once")
        lowered = {name.casefold(): i for i, name in enumerate(self.names)}
        self.role = {role: lowered[role] for role in _ROLES if role in lowered}
        self.tasks = {"task", "parser"} <= lowered.keys()  # a table from a store
        if self.tasks:
            self.role.setdefault("system", lowered["parser"])
        self.options = lowered.get("options") if self.tasks else None
        self.meta = {name: lowered[name] for name in COLUMNS if name in lowered}
        has = self.role.keys()
        if {"treebank", "system"} <= has and "score" not in has:
            self.meta = {}  # a column "tokens" is then the metric of that name
        used = {*self.role.values(), *self.meta.values()}
        self.free = [i for i in range(len(self.names)) if i not in used]
        if {"treebank", "system", "score"} <= has:
            self.kind = "long"
        elif {"treebank", "system"} <= has and self.free:
            self.kind = "metrics"
        elif "treebank" in has and "score" not in has and self.free:
            self.kind = "systems"
        elif "system" in has and "score" not in has and self.free:
            self.kind = "treebanks"
        else:
            columns = ", ".join(self.names)
            raise TreegaugeError(f"{table.source}: columns {columns}; {_LAYOUTS}")

    def name(self, role: str, row: Sequence[object], where: str) -> str:
        """Return the treebank, system, metric or seed of a row."""
        value = row[self.role[role]]
        text = "" if value is None else str(value).strip()
        if not text:
            raise TreegaugeError(f"{where}: the {role!r} cell is empty; expected a name")
        if role == "system" and self.options is not None:
            text = f"{text} {row[self.options] or ''}".strip()
        return text

    def scores(self, row: Sequence[object], where: str, collection: _Collection) -> Iterator[tuple[str, str, object]]:
        """Yield (treebank, system, raw score) of one row for the requested metric."""
        if "metric" in self.role and not collection.wants(self.name("metric", row, where)):
            return
        for i in [self.role["score"]] if self.kind == "long" else self.free:
            if self.kind == "metrics" and not collection.wants(self.names[i]):
                continue
            treebank, system = (
                self.names[i] if self.kind == f"{role}s" else self.name(role, row, where)
                for role in ("treebank", "system")
            )
            yield treebank, system, row[i]


def read_leaderboard(
    *sources: Any,
    metric: str = "LAS",
    missing: Missing = "error",
    metadata: "str | PathLike[str] | pl.DataFrame | None" = None,
    where: Sequence[str] = (),
) -> Leaderboard:
    """Read the scores of systems on treebanks from files, frames, results or stores.

    Parameters
    ----------
    sources
        One or more of: a packaged name (``conll18``, ``fragility_exp1``, ``published``); a path or pattern of
        files (CSV, TSV, Parquet or JSON, as ``treegauge score`` and ``results`` write them); the
        folder of a store; a frame; a result of ``score``; a leaderboard. Tables are long
        (``treebank, system, score`` and perhaps ``metric`` and ``seed``) or wide (a column
        ``treebank`` and one per system or, with ``system``, one per metric; or a column ``system``
        and one per treebank). Scores are in percent. Where a packaged table is among several, the
        others add systems on its treebanks; names are matched. Further columns of a long table
        that tell rows of one system apart, such as version, become part of its name.
    metric, missing, metadata, where
        See :class:`LeaderboardReading`.

    Returns
    -------
    Leaderboard
        The scores, without gaps unless they are kept; several seeds are stored and averaged.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"treebank": ["cs_pdt", "en_ewt"], "A": [91.0, 84.5], "B": [90, 85]})
    >>> read_leaderboard(frame).values.tolist()
    [[91.0, 84.5], [90.0, 85.0]]
    >>> mine = pl.DataFrame({"treebank": ["UD_Czech-PDT", "UD_English-EWT"], "mine": [90.5, 85.5]})
    >>> read_leaderboard(frame, mine).systems
    ('A', 'B', 'mine')
    """
    if missing not in get_args(Missing):
        raise ChoiceError("policy for missing scores", missing, get_args(Missing))
    everything = recognise(_each(sources), kinds=("packaged", "scores", "store", "object"))
    packaged = [source for source in everything if source.kind == "packaged"]
    given = packaged or everything
    added = [source for source in everything if packaged and source.kind != "packaged"]
    if not given:
        raise TreegaugeError("no scores were given; expected conll18, files, frames or results")
    board = given[0].given
    if len(given) == 1 and not added and isinstance(board, Leaderboard) and metadata is None and not where:
        return board
    if "(" in metric:
        from treegauge.scoring.metrics.registry import metric_column

        metric = metric_column(metric)
    collection = _Collection(metric)
    for source in given:
        collection.add(_table_of(source, metric, where))
    label, cells = " + ".join(map(_label, [given, *([one] for one in added)])), collection.cells
    label += f" where {' and '.join(where)}" if where else ""
    collection.check(label)
    for source in added:
        own, name = _Collection(metric), _label([source])
        own.add(_table_of(source, metric, where))
        own.check(name)
        cells = cells + additional(own.cells, cells, name)
    if len(given) + len(added) > 1:  # a treebank that sources spell differently keeps its first name
        first: dict[str, str] = {}
        cells = [cell._replace(treebank=first.setdefault(known_code(cell.treebank), cell.treebank)) for cell in cells]
    refuse_repeats(cells)
    named = next(m for m in [*collection.metrics, metric] if collection.wants(m))
    return _board(named, cells, missing, metadata, collection.metadata, label)


def _board(
    metric: str, cells: list[ScoreCell], missing: Missing, metadata: Any, inline: Any, label: str, choices: str = ""
) -> Leaderboard:
    """Return a leaderboard of cells, after the policy for missing ones."""
    cells, dropped = without_gaps(cells, missing, label)
    places = [
        {name: i for i, name in enumerate(dict.fromkeys(names))}
        for names in zip(*((c.seed, c.system, c.treebank) for c in cells), strict=True)
    ]
    cube = np.full([len(names) for names in places], np.nan)
    for cell in cells:
        names = zip(places, (cell.seed, cell.system, cell.treebank), strict=True)
        cube[tuple(place[name] for place, name in names)] = math.nan if cell.score is None else cell.score
    _, systems, treebanks = map(list, places)
    described = describe(treebanks, metadata, inline)
    return Leaderboard.of(metric, systems, treebanks, cube, described, source=label, dropped=dropped, choices=choices)


def leaderboard_of(sources: Iterable[Any], reading: LeaderboardReading, *, gaps: bool = False) -> Leaderboard:
    """Return the leaderboard of a verb's sources and settings; `gaps`: whether gaps are allowed."""
    sources, reading = gold_among(sources, reading)
    given = {name: value for name, value in vars(reading).items() if name != "gold"}
    board = read_leaderboard(*sources, **given) if reading.gold is None else scored_board(sources, reading)[0]
    if board.gaps and not gaps:
        raise TreegaugeError(
            f"{board.gaps} scores are missing, and only rank and rank compare --test bradley-terry "
            "can do without them; leave out systems or treebanks (missing: drop-system, "
            "drop-treebank)"
        )
    return board


def gold_among(sources: Iterable[Any], reading: LeaderboardReading) -> tuple[list[Any], LeaderboardReading]:
    """Return the sources, and settings with the gold among them if they are gold and output instead of scores.

    Gold is known as in :func:`treegauge.treebanks.sources.inputs.with_gold`; it is never guessed.
    """
    given = list(_each(sources))
    words = [one for one in given if isinstance(one, str | PathLike)]
    inputs = recognise(words, kinds=tuple(TITLES)) if reading.gold is None else []
    texts = [one for one in inputs if one.kind in TEXT_KINDS]
    if not texts:
        return given, reading
    homes = {one.path.resolve() for one in with_gold(texts) if one.role == "gold"}
    golds = [word for word in words if any(Path(word).resolve() in {home, *home.parents} for home in homes)]
    if len(golds) != 1 or len(given) == 1 or {one.kind for one in inputs} - {*TEXT_KINDS, "store"}:
        raise TreegaugeError(
            f"{texts[0].path} is {TITLES[texts[0].kind]}; expected tables of scores, or gold and the output of systems "
            "to score: --gold GOLD SYSTEM ... (gold=GOLD), or GOLD NAME=PATH NAME=PATH ..."
        )
    return [one for one in given if one is not golds[0]], replace(reading, gold=golds[0])


def scored_board(
    systems: Iterable[Any], reading: LeaderboardReading, *, sentences: bool = False
) -> "tuple[Leaderboard, Scores]":
    """Score the output of systems, as the verb ``score`` does; output that fails is a missing score.

    With `sentences`, the counts of each sentence are kept.
    """
    from treegauge.scoring.score import score
    from treegauge.scoring.suite import Suite

    scores = score(reading.gold, *systems, metric=reading.metric, resamples=2 if sentences else 0)
    if len(scores.chosen) != 1:
        raise TreegaugeError(f"metric {reading.metric}: expected one metric to rank by, such as LAS")
    (name,), failures = scores.chosen, scores.failures if isinstance(scores, Suite) else {}
    if failures and reading.missing == "error":
        lines = [f"{system} on {treebank}: {why}" for (treebank, system), why in failures.items()]
        raise TreegaugeError(
            f"failed or missing runs: {len(lines)}\n" + "\n".join(lines) + "\n"
            "leave them out with --missing drop-treebank or drop-system; rank also takes --missing keep"
        )
    cells = [
        ScoreCell(code, system, "", None if (code, system) in failures else part[system][name].f1, code)
        for code, part in scores.treebanks.items()
        for system in scores.names
    ]
    choices = scores.signature.partition("|")[2]
    board = _board(scores.label(name), cells, reading.missing, reading.metadata, {}, "systems", choices)
    return board, scores


def _each(sources: Iterable[Any]) -> Iterator[Any]:
    """Yield every source; lists are flattened."""
    for source in sources:
        yield from _each(source) if isinstance(source, list | tuple) else [source]


def _label(given: Sequence[Input]) -> str:
    """Return the name of the sources in signatures."""
    if len(given) > 1:
        packaged = [source.name for source in given if source.kind == "packaged"]
        return " ".join([*packaged, f"{len(given) - len(packaged)} files"])
    source = given[0]
    if source.kind == "object":
        return source.given.source if isinstance(source.given, Leaderboard) else "table"
    return source.name if source.kind == "packaged" else source.path.name


def _table_of(source: Input, metric: str, where: Sequence[str]) -> FileTable:
    """Return the rows of a source that meet the conditions; those of one system told apart."""
    table = _cells_of(source, metric)
    if not where and not {"version", "release", "input"} & {*table.header}:
        return table
    frame = frame_where(table.frame, table.source, where)
    if "input" in frame.columns and frame["input"].n_unique() > 1:
        kinds = ", ".join(map(str, frame["input"].unique().sort()))
        raise TreegaugeError(
            f"{table.source}: found scores with different input ({kinds}), which cannot be compared; choose "
            'one, such as --where "input=raw text"'
        )
    frame = told_apart(frame)
    return frame_table(frame, table.source)._replace(unit=table.unit)


def _cells_of(source: Input, metric: str) -> FileTable:
    from treegauge import data

    given = source.given
    if isinstance(given, Leaderboard):
        return frame_table(given.cells, given.source)._replace(unit="percent")
    if isinstance(given, Result):
        return result_table(given)
    if given is not None:
        return frame_table(polars_frame(given), "table")
    if source.kind == "store":
        from treegauge.experiments.cell_store import Store

        stored = Store(source.path).results(task="score", provenance=False, distinct=True)
        return frame_table(stored, str(source.path))
    if source.kind == "scores":
        return read_file(source.path)
    if source.name not in PACKAGED:
        raise ChoiceError("packaged table of scores", source.name, PACKAGED)
    frame = getattr(data, source.name)()
    chosen = frame.filter(pl.col("metric").str.to_lowercase() == metric.casefold())
    return frame_table(frame if chosen.is_empty() else chosen, source.name)
