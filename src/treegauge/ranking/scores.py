"""Systems x treebanks: the one table that everything about rankings starts from."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking._gaps import Missing, no_repeats, without_gaps
from treegauge.ranking._metadata import describe, key
from treegauge.ranking._read import Cell, Collected, collect_file, collect_frame
from treegauge.ranking.ranks import Ties, rank
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign

if TYPE_CHECKING:
    import polars as pl

PACKAGED = ("conll18", "fragility_exp1")


@dataclass(frozen=True, eq=False)
class Scores(Result):
    """The scores of systems on treebanks for one metric, without gaps.

    Attributes
    ----------
    metric
        Name of the metric.
    systems, treebanks
        Names, in the order of the rows and columns of `values`.
    values
        Scores in percent, systems x treebanks; the mean over seeds where there are several.
    metadata
        One row per treebank: ``treebank, name, language, tokens, family, stock, genus, resource``,
        missing where unknown.
    signature
        What was read, from where, and what was left out.
    runs
        Seeds x systems x treebanks when the table has seeds, else None.
    dropped
        Treebanks or systems left out because of missing cells.
    source
        Where the scores come from.

    Examples
    --------
    >>> scores = read_scores("conll18", metric="las")
    >>> scores.values.shape
    (26, 82)
    >>> print(scores.table.head(2))
    shape: (2, 3)
    ┌──────┬──────────┬───────────┐
    │ rank ┆ system   ┆ mean      │
    │ ---  ┆ ---      ┆ ---       │
    │ f64  ┆ str      ┆ f64       │
    ╞══════╪══════════╪═══════════╡
    │ 1.0  ┆ HIT-SCIR ┆ 75.841098 │
    │ 2.0  ┆ TurkuNLP ┆ 73.284878 │
    └──────┴──────────┴───────────┘
    """

    metric: str
    systems: tuple[str, ...]
    treebanks: tuple[str, ...]
    values: NDArray[np.float64]
    metadata: "pl.DataFrame"
    signature: str
    runs: NDArray[np.float64] | None = None
    dropped: tuple[str, ...] = ()
    source: str = "table"

    def __post_init__(self) -> None:
        self.values.flags.writeable = False
        if self.runs is not None:
            self.runs.flags.writeable = False

    @property
    def table(self) -> "pl.DataFrame":
        """The ranking over all treebanks: rank, system, mean score."""
        import polars as pl

        means = self.values.mean(axis=1)
        frame = pl.DataFrame({"rank": self.ranking(), "system": self.systems, "mean": means})
        return frame.sort("rank", "system")

    @property
    def long(self) -> "pl.DataFrame":
        """All cells: ``metric, treebank, system, score``."""
        import polars as pl

        return pl.DataFrame(
            {
                "metric": [self.metric] * self.values.size,
                "treebank": np.tile(self.treebanks, len(self.systems)),
                "system": np.repeat(self.systems, len(self.treebanks)),
                "score": self.values.ravel(),
            }
        )

    def integers(self, digits: int = 6) -> tuple[NDArray[np.int64], int] | None:
        """Return whole numbers and a scale with ``values = numbers / scale``, or None.

        The coarsest decimal grid that holds every score (to 1e-9) is taken; with seeds the
        numbers are sums over seeds and the scale counts them.

        Parameters
        ----------
        digits
            The most decimals to try.

        Examples
        --------
        >>> numbers, scale = read_scores("conll18").integers()
        >>> int(numbers.max()), scale
        (9486, 100)
        """
        cells = self.values[None] if self.runs is None else self.runs
        for places in range(digits + 1):
            grid = np.round(cells * 10**places)
            if np.abs(grid / 10**places - cells).max(initial=0.0) <= 1e-9:
                return grid.astype(np.int64).sum(axis=0), len(cells) * 10**places
        return None

    def fixed_point(self) -> tuple[NDArray[np.int64], int]:
        """Return :meth:`integers`, or the scores rounded to 1e-9 where no coarser grid holds them.

        Sums of whole numbers do not depend on the order of addition, so neither do ties.
        """
        return self.integers() or (np.round(self.values * 10**9).astype(np.int64), 10**9)

    @property
    def hundredths(self) -> NDArray[np.int64]:
        """The scores as whole hundredths; an error if they are finer."""
        found = self.integers(digits=2)
        if found is None or 100 % found[1]:
            raise TreegaugeError(
                f"{self.source}: the scores are not whole hundredths; read them with digits=2"
            )
        return found[0] * (100 // found[1])

    def ranking(self, ties: Ties = "average") -> NDArray[np.float64]:
        """Rank the systems by their mean over all treebanks."""
        return rank(self.fixed_point()[0].sum(axis=1), ties)

    def system(self, name: str) -> int:
        """Return the row of a system; case does not matter unless it has to.

        Examples
        --------
        >>> scores = read_scores("conll18")
        >>> scores.systems[scores.system("hit-scir")]
        'HIT-SCIR'
        """
        return _position("system", name, self.systems)

    def treebank(self, name: str) -> int:
        """Return the column of a treebank, given by its code here or any name it is known by."""
        if name not in self.treebanks:
            known = zip(self.treebanks, self.metadata["name"], strict=True)
            for column, names in enumerate(known):
                if key(name) in {key(part) for part in names if part}:
                    return column
        return _position("treebank", name, self.treebanks)

    def select(
        self, *, systems: Sequence[str] | None = None, treebanks: Sequence[str] | None = None
    ) -> "Scores":
        """Keep only some systems or treebanks, in the order given.

        Examples
        --------
        >>> read_scores("conll18").select(treebanks=["cs_pdt", "en_ewt"]).values.shape
        (26, 2)
        """
        rows = [*range(len(self.systems))] if systems is None else [*map(self.system, systems)]
        every = range(len(self.treebanks))
        columns = [*every] if treebanks is None else [*map(self.treebank, treebanks)]
        for what, chosen, names in (
            ("system", rows, self.systems),
            ("treebank", columns, self.treebanks),
        ):
            if len(set(chosen)) != len(chosen):
                twice = next(names[i] for i in chosen if chosen.count(i) > 1)
                raise TreegaugeError(f"{what} {twice!r} is chosen more than once")
        return _make(
            self.metric,
            tuple(self.systems[i] for i in rows),
            tuple(self.treebanks[i] for i in columns),
            self.values[np.ix_(rows, columns)],
            None if self.runs is None else self.runs[np.ix_(range(len(self.runs)), rows, columns)],
            self.metadata[columns],
            self.source,
            self.dropped,
        )


def _position(what: str, name: str, names: Sequence[str]) -> int:
    if name in names:
        return names.index(name)
    alike = [i for i, other in enumerate(names) if other.casefold() == name.casefold()]
    if len(alike) != 1:
        raise ChoiceError(what, name, names)
    return alike[0]


def _make(
    metric: str,
    systems: tuple[str, ...],
    treebanks: tuple[str, ...],
    values: NDArray[np.float64],
    runs: NDArray[np.float64] | None,
    metadata: "pl.DataFrame",
    source: str,
    dropped: tuple[str, ...],
) -> Scores:
    digest = hashlib.sha256(repr((systems, treebanks)).encode())
    digest.update(np.ascontiguousarray(values if runs is None else runs).tobytes())
    signature = sign(
        m=metric,
        scores=f"{source}#{digest.hexdigest()[:8]}",
        systems=len(systems),
        treebanks=len(treebanks),
        seeds=None if runs is None else len(runs),
        dropped=" ".join(dropped) or None,
    )
    return Scores(metric, systems, treebanks, values, metadata, signature, runs, dropped, source)


def read_scores(
    source: "str | Path | pl.DataFrame | Sequence[str | Path]",
    *,
    metric: str = "las",
    missing: Missing = "error",
    digits: int | None = None,
    metadata: "str | Path | pl.DataFrame | None" = None,
) -> Scores:
    """Read a score table in whatever layout it comes.

    Parameters
    ----------
    source
        A packaged name (``conll18``, ``fragility_exp1``), a polars frame, or one or more files:
        CSV, TSV or Parquet, either long (``treebank, system, score`` and perhaps ``metric`` and
        ``seed``) or wide (a column ``treebank`` and one per system or, with ``system``, one per
        metric; or a column ``system`` and one per treebank); or JSON from ``treegauge score``.
    metric
        Which metric to take; case does not matter.
    missing
        What to do about missing cells: ``error``, ``drop-treebank`` or ``drop-system``. They are
        never averaged over.
    digits
        Round scores to so many decimals first (the shared task published two).
    metadata
        A table with a column ``treebank`` or ``name`` and any of ``language, tokens, family,
        stock, genus, resource``; what is packaged fills the rest, joined by code or name.

    Returns
    -------
    Scores
        The scores without gaps; several seeds are kept apart and averaged.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"treebank": ["cs_pdt", "en_ewt"], "A": [91.0, 84.5], "B": [90, 85]})
    >>> read_scores(frame).values.tolist()
    [[91.0, 84.5], [90.0, 85.0]]
    """
    import polars as pl

    from treegauge import data

    if missing not in get_args(Missing):
        raise ChoiceError("policy for missing scores", missing, get_args(Missing))
    found = Collected(metric)
    if isinstance(source, pl.DataFrame):
        label = "table"
        collect_frame(source, label, found)
    elif isinstance(source, str) and source in PACKAGED:
        label = source
        frame: pl.DataFrame = getattr(data, source)()
        chosen = frame.filter(pl.col("metric") == metric.casefold())
        collect_frame(frame if chosen.is_empty() else chosen, label, found)
    else:
        paths = [Path(p) for p in ([source] if isinstance(source, str | Path) else source)]
        label = paths[0].name if len(paths) == 1 else f"{len(paths)} files"
        for path in paths:
            collect_file(path, found)
    if not found.cells:
        if found.metrics and not any(map(found.wants, [*found.metrics])):
            raise ChoiceError("metric", metric, found.metrics)
        raise TreegaugeError(f"{label}: no scores in it")
    no_repeats(found.cells)
    cells, dropped = without_gaps(found.cells, missing, label)
    return _assemble(cells, dropped, found, label, digits, metadata)


def _assemble(
    cells: list[Cell],
    dropped: tuple[str, ...],
    found: Collected,
    label: str,
    digits: int | None,
    metadata: "str | Path | pl.DataFrame | None",
) -> Scores:
    systems = {name: i for i, name in enumerate(dict.fromkeys(cell.system for cell in cells))}
    treebanks = {name: i for i, name in enumerate(dict.fromkeys(cell.treebank for cell in cells))}
    seeds = {name: i for i, name in enumerate(dict.fromkeys(cell.seed for cell in cells))}
    cube = np.full((len(seeds), len(systems), len(treebanks)), np.nan)
    for cell in cells:
        place = seeds[cell.seed], systems[cell.system], treebanks[cell.treebank]
        cube[place] = np.nan if cell.score is None else cell.score
    if digits is not None:
        cube = np.round(cube, digits)
    named = next(m for m in [*found.metrics, found.metric] if found.wants(m))
    return _make(
        named,
        tuple(systems),
        tuple(treebanks),
        cube.mean(axis=0),
        cube if len(seeds) > 1 else None,
        describe(tuple(treebanks), metadata, found.metadata),
        label,
        dropped,
    )
