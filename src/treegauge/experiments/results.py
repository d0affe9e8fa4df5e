"""Print the results in a store."""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

import hashlib
import json
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.file_kinds import FOLDER
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.result import Result, RowsResult, sign
from treegauge.core.tables import make_table
from treegauge.core.verbs import verb
from treegauge.experiments.cell_store import Store
from treegauge.experiments.grid import available_in, note_repeated, repeated_cells
from treegauge.experiments.ledger import Ledger

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

GIVEN = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")
"""Metrics of a parser's input."""
LISTED = 6
"""The number of values that a signature lists; longer lists are given by number and checksum."""


@dataclass(frozen=True, eq=False)
class StoreResults(Result, kind="results", unit="percent"):
    """Cells of a store; scores are in percent."""

    frame: "pl.DataFrame"
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per cell; times are text."""
        return self.frame.with_columns(pl.col(pl.Datetime).dt.to_string("%Y-%m-%dT%H:%M:%SZ"))

    def shown(self) -> "pl.DataFrame":
        """Return the table without empty columns, and without gold layers that score 100."""
        table = self.table
        if table.is_empty():
            return table
        return table.drop(
            column.name
            for column in table.iter_columns()
            if column.is_null().all()
            or column.cast(pl.String).eq("").all()
            or (column.name in GIVEN and (column == 100).all())
        )


@verb(outputs={"parses": FOLDER})
def results(
    store: Store | str | PathLike[str],
    *,
    task: str | Sequence[str] | None = None,
    treebank: str | Sequence[str] | None = None,
    parser: str | Sequence[str] | None = None,
    size: int | Sequence[int] | None = None,
    seed: int | Sequence[int] | None = None,
    failed: bool = False,
    provenance: bool = False,
    parses: str | PathLike[str] | None = None,
    root: str | PathLike[str] | None = None,
) -> StoreResults:
    """Print the results in a store.

    One row per finished cell: its fields and the results of the task; where cells differ in the
    sample or seed only, also their mean, standard deviation and interval. Without --provenance the
    same plan prints the same bytes, however and wherever it was run.

    Parameters
    ----------
    store
        The folder that ``run`` created.
    task
        Only tasks that match this pattern.
    treebank
        Only treebanks that match a pattern such as 'UD_*'.
    parser
        Only parsers that match this pattern.
    size
        Only these sizes of training sets.
    seed
        Only these seeds.
    failed
        List the failed cells and their errors instead.
    provenance
        Add key, checksums of files, time, host and versions.
    parses
        Also write the parse of each cell to this folder as CoNLL-U: the gold test sentences with
        predicted heads and relations, as SYSTEM/RUN/TREEBANK.conllu, which score reads.
    root
        Folder of treebanks for --parses, if they are no longer where the plan found them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> (home / "UD_Syn-X").mkdir()
    >>> for seed, part in enumerate(("train", "test")):
    ...     file = home / "UD_Syn-X" / f"sy_x-ud-{part}.conllu"
    ...     tg.write_conllu(tg.synthetic(20, seed=seed), file)
    >>> plan = tg.Plan((tg.grid("score", "UD_Syn-X", parsers=["baseline"]),))
    >>> summary = tg.run(plan, home / "a.store", root=home, workers=1)
    >>> results(home / "a.store").table.select("treebank", "parser").rows()
    [('UD_Syn-X', 'baseline')]
    """
    place = Store(store)
    filters = {"task": task, "treebank": treebank, "parser": parser, "size": size, "seed": seed}
    with place.reading() as ledger:
        state = "NOT cells.done" if failed else "cells.done"
        cells = read_cells(ledger, state, filters, [])
        frame = read_failures(ledger, filters) if failed else read_results(ledger, filters, provenance=provenance)
    note_repeated(cells["repeated"])
    if parses is not None:
        if failed:
            raise TreegaugeError("cells that failed have no parses; leave out --failed or --parses")
        note(f"wrote {write_parses(place, cells, Path(parses), root)} parses to {parses}")
    signature = _signature(cells, failed=failed)
    found = StoreResults(frame, signature)
    if not failed and (cells["task"] == CROSSVAL).any():
        note("folds of a cross-validation are one per row; treegauge score TREEBANK STORE pools them")
    means = [] if failed else run_mean_rows(frame.filter(~cells["repeated"] & (pl.col("task") != CROSSVAL)))
    return found.with_attached({"means": RunMeans(means, signature)}) if means else found


def _signature(cells: "pl.DataFrame", *, failed: bool) -> str:
    """Return the signature of cells; long lists are given by number and checksum."""
    treebanks = (cells["treebank"] + "#" + cells["data"].str.slice(0, 6)).to_list()
    keys = hashlib.sha256(b"".join(sorted(cells["key"].to_list()))).hexdigest()[:6]
    columns = ("task", "parameters", "parser", "options", "size", "sample", "seed")
    choices = {name: _listed(cells[name].to_list()) for name in columns}
    return sign(
        results="failed" if failed else "done", cells=f"{cells.height}#{keys}", tb=_listed(treebanks), **choices
    )


def _listed(values: Sequence[object]) -> str | None:
    distinct = sorted({str(value) for value in values if value not in (None, "")})
    if len(distinct) > LISTED:
        mark = hashlib.sha256(json.dumps(distinct).encode()).hexdigest()[:6]
        return f"{len(distinct)}#{mark}"
    return "+".join(distinct) or None


class RunMeans(RowsResult, kind="run means", unit="percent"):
    """Means over the runs (samples or seeds) of each setup, with their standard deviation.

    The interval is Student's t over runs, of three or more. The macro average is that of each run.
    """

    def shown(self) -> list[dict[str, Any]]:
        """Return one row per treebank and setup: UAS and LAS with standard deviation and interval."""
        table: dict[tuple[Any, ...], dict[str, Any]] = {}
        chosen = [row for row in self.rows if row["metric"] in ("UAS", "LAS")] or list(self.rows)
        for row in chosen:
            setup = {name: row[name] for name in (*_MEANT, "runs") if row[name] not in (None, "")}
            cells = table.setdefault(tuple(setup.values()), setup)
            cells[row["metric"]] = f"{row['mean']:.2f} ± {row['sd']:.2f}"
            if row["low"] is not None:
                cells[f"{row['metric']} interval"] = f"{row['low']:.2f}–{row['high']:.2f}"
        names = dict.fromkeys(name for cells in table.values() for name in cells)
        return [{name: cells.get(name) for name in names} for cells in table.values()]


def run_mean_rows(frame: "pl.DataFrame") -> list[dict[str, Any]]:
    """Return the mean over runs of each metric, by setup and as macro average over treebanks."""
    from treegauge.statistics.student_intervals import student_mean
    from treegauge.statistics.units import LEAST_RUNS

    metrics = [name for name in frame.columns if name not in (*FIELDS, *GIVEN) and frame[name].dtype.is_float()]
    runs = frame.select(*_MEANT, "sample", "seed", *metrics).with_columns(pl.col("size").cast(pl.Int64))
    alike = [name for name in _MEANT if name != "treebank"]
    over = runs.group_by(*alike, "sample", "seed", maintain_order=True).agg(pl.col(metrics).mean(), pl.len())
    several = over.filter(pl.col("len") == runs["treebank"].n_unique(), pl.col("len") > 1).drop("len")
    macro = several.with_columns(treebank=pl.lit("macro average")).select(runs.columns)
    rows = []
    for setup, own in pl.concat([runs, macro]).group_by(*_MEANT, maintain_order=True):
        known = [metric for metric in metrics if len(own) > 1 and not own[metric].null_count()]
        estimate = student_mean([own[metric].to_numpy() for metric in known]) if known else None
        limits = zip(*estimate.interval(), strict=True) if estimate else ()
        for metric, mean, (low, high) in zip(known, estimate.value if estimate else (), limits, strict=True):
            few = len(own) < LEAST_RUNS
            row = dict(zip(_MEANT, setup, strict=True)) | {"runs": len(own), "metric": metric}
            row |= {"mean": float(mean), "sd": own[metric].std()}
            rows.append(row | {"low": None if few else float(low), "high": None if few else float(high)})
    return rows


# parses


def write_parses(
    store: Store, cells: "pl.DataFrame", folder: Path, root: str | PathLike[str] | None = None, *, flat: bool = False
) -> int:
    """Write the parse of each cell that has one as SYSTEM/RUN/TREEBANK; return their number.

    With `flat`, the cells are of one system, which has no folder. The folds of a cross-validation are one parse.
    """
    from treegauge.core.files import atomic

    folder.mkdir(parents=True, exist_ok=True)
    paths: set[Path] = set()
    for row, folds in _pooled(store, cells):
        parsed = cell_parse(store, row, root, folds)
        if parsed is None:
            continue
        system = ",".join(filter(None, [row["parser"], row["options"].replace(" ", ",")]))
        parts = [f"{name}{row[name]}" for name in ("size", "sample", "seed") if row[name] is not None]
        home = folder / ("" if flat else system.replace("/", "-")) / ".".join(parts or ["run"])
        path = home / f"{row['treebank'].replace('/', '-')}.conllu"
        if path in paths:  # another task, or other parameters
            path = path.with_name(f"{path.stem}.{row['key'].hex()[:8]}.conllu")
        paths.add(path)
        home.mkdir(parents=True, exist_ok=True)
        with atomic(path) as file:
            file.write(parsed.to_bytes())
    return len(paths)


def _pooled(store: Store, cells: "pl.DataFrame") -> "Iterator[tuple[dict[str, Any], pl.DataFrame | None]]":
    """Yield each cell; those of a cross-validation once, with the words of all folds."""
    folds: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in cells.iter_rows(named=True):
        if row["task"] != CROSSVAL:
            yield row, None
        else:
            folds.setdefault((row["setup"], row["seed"]), []).append(row)
    for rows in folds.values():
        needed = json.loads(rows[0]["identity"])["extra"]["folds"]
        words = [found for row in rows if (found := store.words(row["key"].hex())) is not None]
        if len(words) == needed:
            yield rows[0] | {"sample": None}, pl.concat(words).sort("sentence", maintain_order=True)
        else:
            note(f"{rows[0]['treebank']}: {len(words)} of {needed} folds are done; run the plan again to pool them")


class StoredRuns(str):
    """The path of a temporary folder with the runs of a system; it is removed with this object."""


def stored_outputs(path: str | PathLike[str]) -> dict[str, str]:
    """Return a folder of runs for each system whose output is in a store (cells of tasks score and crossval)."""
    store = Store(path)
    with store.reading() as ledger:
        cells = read_cells(ledger, "cells.done", {"task": ["score", CROSSVAL]}, [])
    named: dict[str, str] = {}
    kinds = ("parser", "options", "task")
    for (parser, options, task), own in cells.filter(~cells["repeated"]).group_by(*kinds, maintain_order=True):
        runs = StoredRuns(mkdtemp(prefix="treegauge-"))
        weakref.finalize(runs, rmtree, str(runs), ignore_errors=True)
        if write_parses(store, own, Path(runs), flat=True):
            name = f"{parser} {options}".strip()
            named[f"{name} ({task})" if name in named else name] = runs
    if named:
        return named
    raise TreegaugeError(f"{path} is a store without output; expected cells of task score or crossval that are done")


def cell_parse(
    store: Store, row: Mapping[str, Any], root: str | PathLike[str] | None = None, words: "pl.DataFrame | None" = None
) -> "Treebank | None":
    """Return the gold sentences of a cell with predicted heads and relations, None if it has none.

    `row` is one of :func:`read_cells`; `root` is the folder of treebanks, if they are no longer
    where the plan found them. `words` are by default those of the cell.
    """
    from treegauge.experiments.tasks import inventory
    from treegauge.treebanks.data.conllu import read_conllu
    from treegauge.treebanks.sources.resolver import find

    words = store.words(row["key"].hex()) if words is None else words
    if words is None or not {"head", "deprel"} <= set(words.columns):
        return None
    path = str(Path(root) / Path(row["path"]).name) if root is not None else row["path"]
    identity = json.loads(row["identity"])
    files, errors = identity["files"], identity["extra"].get("errors", "strict")
    if not Path(path).exists() or inventory(path).files.items() - files.items():
        raise TreegaugeError(
            f"the parse of {row['treebank']} needs the treebank that it was made from: {path} "
            "does not exist or has changed; name the folder that holds it with --root"
        )
    if "sentence" in words.columns:  # of all sentences of the treebank
        chosen = words["sentence"].unique(maintain_order=True).to_numpy()
        gold = read_conllu(path, errors=errors).take(chosen)
    else:
        gold = read_conllu(find(path, split="test"), errors=errors)
    if gold.n_words != words.height:
        raise TreegaugeError(
            f"the parse of {row['treebank']} by task {row['task']} has {words.height} words; "
            f"expected the {gold.n_words} of {gold.name}"
        )
    return gold.with_columns({name: words[name] for name in ("head", "deprel")})


# rows


CROSSVAL = "crossval"
FIELDS = ("task", "treebank", "parser", "options", "parameters", "data", "size", "sample", "seed")
_SETUP = FIELDS[:6]
_MEANT = (*FIELDS[:5], "size")


def read_results(
    ledger: Ledger, filters: Mapping[str, Any], *, provenance: bool, distinct: bool = False
) -> "pl.DataFrame":
    """Return one row per finished cell: its fields, scalars and, if requested, provenance.

    If `distinct`, cells that train the same model as another one are left out.
    """
    more = ["attempts", "environment", "started", "seconds", "peak"] if provenance else []
    frame = read_cells(ledger, "cells.done", filters, ["scalars", *more])
    if distinct:
        note_repeated(frame["repeated"])
        frame = frame.filter(~pl.col("repeated"))
    parts = [frame.select(FIELDS), scalars(frame["scalars"])]
    if provenance:
        started = pl.from_epoch((pl.col("started") * 1e6).cast(pl.Int64), "us")
        origin = frame.select(
            pl.col("key").bin.encode("hex"), "files", started.alias("started"), "seconds", "peak", "attempts"
        )
        parts += [origin, _environments(ledger, frame["environment"])]
    return pl.concat(_distinct(parts), how="horizontal")


def read_failures(ledger: Ledger, filters: Mapping[str, Any]) -> "pl.DataFrame":
    """Return one row per cell that failed."""
    frame = read_cells(ledger, "NOT cells.done", filters, ["attempts", "error"])
    return frame.select(*FIELDS, "attempts", "error")


def read_cells(ledger: Ledger, state: str, filters: Mapping[str, Any], columns: Sequence[str]) -> "pl.DataFrame":
    """Return cells with the fields of their setups, sorted by these fields.

    Column ``repeated`` marks cells that train the same model as another one.
    """
    kinds = {
        "setup": pl.Int64, "size": pl.Int64, "sample": pl.Int64, "seed": pl.Int64,
        "scalars": pl.String, "key": pl.Binary, "attempts": pl.Int64, "environment": pl.Int64,
        "started": pl.Float64, "seconds": pl.Float64, "peak": pl.Int64, "error": pl.String,
    }  # fmt: skip
    names = ["setup", "size", "sample", "seed", "key", *columns]
    wanted = ", ".join(f"cells.{name}" for name in names)
    where, values = _condition(filters)
    rows = ledger.ask(
        f"SELECT {wanted} FROM setups CROSS JOIN cells ON cells.setup = setups.id WHERE {state} AND {where}", values
    )
    frame = pl.DataFrame(rows, {name: kinds[name] for name in names}, orient="row")
    table = pl.DataFrame(
        [
            (*row[:-1], json.dumps(json.loads(row[-2])["files"]), available_in(row[1], *row[-2:]))
            for row in ledger.ask(f"SELECT id, {', '.join(_SETUP)}, path, identity, counts FROM setups")
        ],
        {"setup": pl.Int64, **dict.fromkeys((*_SETUP, "path", "identity", "files"), pl.String), "available": pl.Int64},
        orient="row",
    )
    sized = pl.when(pl.col("size") > 0).then(pl.col("size")).alias("size")
    cells = frame.join(table, on="setup").with_columns(sized).sort(*FIELDS, "key")
    return cells.with_columns(repeated_cells(cells))


def _condition(filters: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return a condition in SQL on setups and cells, and its values."""
    parts: list[str] = ["1"]
    values: list[Any] = []
    for name, wanted in filters.items():
        if name not in FIELDS:
            raise ChoiceError("filter", name, FIELDS)
        if wanted is None or wanted == []:
            continue
        several = list(wanted) if isinstance(wanted, list | tuple) else [wanted]
        if name in _SETUP:
            parts.append("(" + " OR ".join([f"setups.{name} GLOB ?"] * len(several)) + ")")
            values += map(str, several)
        else:
            parts.append(f"cells.{name} IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(several))
    return " AND ".join(parts), values


def scalars(texts: "pl.Series") -> "pl.DataFrame":
    """Return scalars from JSON as columns, in order of first occurrence.

    Examples
    --------
    >>> import polars as pl
    >>> scalars(pl.Series(['{"las": 80.5}', '{"las": 81, "note": "late"}'])).to_dicts()
    [{'las': 80.5, 'note': None}, {'las': 81.0, 'note': 'late'}]
    """
    if texts.is_empty() or (texts == "{}").all():
        return pl.DataFrame()
    frame = texts.str.json_decode(infer_schema_length=None).struct.unnest()
    return frame.with_columns(pl.col(pl.Null).cast(pl.Float64))


def _distinct(parts: "list[pl.DataFrame]") -> "list[pl.DataFrame]":
    """Rename columns of later frames if a scalar has the name of a package."""
    seen: set[str] = set()
    renamed = []
    for part in parts:
        clash = {name: f"{name}_version" for name in part.columns if name in seen}
        renamed.append(part.rename(clash))
        seen |= set(renamed[-1].columns)
    return [part for part in renamed if part.width]


def _environments(ledger: Ledger, numbers: "pl.Series") -> "pl.DataFrame":
    rows = [
        {"environment": number} | json.loads(facts)
        for number, facts in ledger.ask("SELECT id, facts FROM environments")
    ]
    if not rows:
        return make_table({})
    joined = numbers.to_frame().join(make_table(rows), on="environment", how="left", maintain_order="left")
    return joined.drop("environment")
