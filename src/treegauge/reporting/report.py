"""One offline web page of treebanks, scores, rankings, data maps and learning curves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import PAGE
from treegauge.core.files import atomic
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.scoring.metrics.convention import Convention, metric_and_convention
from treegauge.treebanks.sources.files import Errors

if TYPE_CHECKING:
    from treegauge.reporting.inputs import PageInputs
    from treegauge.reporting.page import Section
    from treegauge.reporting.sections.ranking import RankedTable
    from treegauge.scoring.scores import Scores
    from treegauge.treebanks.data.columns import Treebank

#: The columns by which scores say that a run failed.
_FAILURE = ("system", "treebank", "failure")
#: The number of random subsets of treebanks of each size.
SUBSETS = 100_000


@dataclass(frozen=True)
class Page(Result, kind="report"):
    """A page, its sections without the methods, and its file (None if it was not written)."""

    html: str
    sections: "tuple[Section, ...]"
    path: Path | None
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per section: its title, its main findings, the number of tables and methods."""
        rows = [(one.title, " ".join(one.short), len(one.tables), len(one.methods)) for one in self.sections]
        return pl.DataFrame(rows, ["section", "findings", "tables", "methods"], orient="row")

    def json_fields(self) -> dict[str, Any]:
        """Return the file and the rows."""
        path = None if self.path is None else str(self.path)
        return {"path": path, "bytes": len(self.html.encode()), "rows": self.json_rows()}

    def own_text(self) -> str:
        """Return the file and its size."""
        size = f"{len(self.html.encode()) / 1e6:.2f} MB"
        return f"{'page' if self.path is None else self.path.resolve()} ({size})"


@verb(outputs={"out": PAGE}, limits={"subsets": (1, 10**8)})
def report(
    *sources: Any,
    gold: "Sequence[str] | str | PathLike[str] | Treebank" = (),
    out: str | PathLike[str] | None = "report.html",
    title: str = "What these scores mean",
    metric: str = "LAS",
    where: Sequence[str] = (),
    subsets: int = SUBSETS,
    errors: Errors = "strict",
    convention: str | Convention = "official",
) -> Page:
    """Make one offline web page from treebanks, system output, scores and other results.

    The page has a section for everything the inputs allow: scores, ranking, treebanks, data maps,
    learning curves. Inputs are recognised by their contents. The same inputs give the same bytes.

    A treebank and output for its test set; systems with several seeds on several treebanks, as in score::

        treegauge report UD_Greek-GDT careful.conllu hasty.conllu -o page.html
        treegauge report gold careful=runs/careful hasty=runs/hasty -o page.html

    Parameters
    ----------
    *sources
        Treebanks (folders, files, names), output of systems (files, folders, NAME=PATH), score
        tables or conll18, stores, recordings of training, counts of curves, results of transfer.
        Results of audit, breakdown, certify, check, measure and score, saved as JSON (in Python also
        the results themselves), are shown instead of computed again.
    gold
        Gold files or folders that are not treebank folders; repeatable. Not needed if all systems
        are given as NAME=PATH.
    out
        The page to write. In Python, None writes nothing.
    title
        The title of the page.
    metric
        The metric by which systems are ranked.
    where
        A condition on a column of the tables of scores, such as release=2.5 or 'input=raw text', as
        in rank; several must all hold.
    subsets
        The number of random subsets of treebanks of each size.

    Examples
    --------
    >>> import treegauge as tg
    >>> made = report(tg.synthetic(20, seed=1), out=None, title="A treebank", subsets=100)
    >>> "<title>A treebank</title>" in made.html
    True
    """
    from treegauge.reporting.inputs import read_inputs
    from treegauge.reporting.page import page, what_was_given

    golds = list(gold) if isinstance(gold, list | tuple) else [gold]
    path = None if out is None else Path(out)
    metric, convention = metric_and_convention(metric, convention)
    inputs = read_inputs(sources, gold=golds, errors=errors)
    if where and not inputs.scores:
        raise TreegaugeError("--where chooses rows of a table of scores, and there is none among the inputs")
    sections = tuple(_sections(inputs, convention, metric, subsets, where))
    if not sections:
        raise TreegaugeError(
            "nothing to make a page of; expected treebanks, output of systems with gold, score "
            "tables, stores, recordings, counts of curves or results of transfer"
        )
    text = page(title, what_was_given(sections), sections)
    if path is not None:
        with atomic(path) as file:
            file.write(text.encode())
    signature = sign(
        report="+".join(one.key for one in sections), metric=metric, where=" and ".join(where) or None, subsets=subsets,
        errors=errors, **convention.signed, page=sha256(text.encode()).hexdigest()[:8],
    )  # fmt: skip
    return Page(text, sections, path, signature)


def _sections(
    inputs: "PageInputs", convention: Convention, metric: str, subsets: int, where: Sequence[str]
) -> "Iterator[Section]":
    """Yield the sections that the inputs allow; modules are loaded when they are needed."""
    from treegauge.experiments.cell_store import Store

    tasks = {path: set(Store(path).results(provenance=False)["task"]) for path in inputs.stores}
    for path, found in tasks.items():
        if unused := found - {"score", "curve", "map"}:
            note(f"{path.name}: the page leaves out {', '.join(sorted(unused))}")
    results: list[Scores] = []
    if inputs.scored:
        from treegauge.reporting.sections.overview import overview_section
        from treegauge.reporting.sections.scores import score_all, scores_section

        note(f"scoring {sum(len(one.systems) for one in inputs.scored)} outputs")
        results = score_all(inputs.scored, convention)
        yield overview_section(inputs.scored, results)
        yield scores_section(inputs.scored, results)
    if inputs.saved_scores:
        from treegauge.reporting.sections.scores import saved_scores_section

        yield saved_scores_section(inputs.saved_scores)
    if inputs.saved_findings:
        from treegauge.reporting.sections.scores import saved_findings_section

        yield saved_findings_section(inputs.saved_findings)
    stores = [path for path, found in tasks.items() if "score" in found]
    yield from _ranking(inputs, results, stores, metric, subsets, where)
    if inputs.treebanks:
        from treegauge.reporting.sections.treebanks import count_treebanks, treebanks_section

        if new := sum(inputs.saved[one.name].measures is None for one in inputs.treebanks):
            note(f"measuring {count_treebanks(new).lower()}")
        given = [inputs.command_path(one.path) for one in inputs.treebanks]
        yield treebanks_section(inputs.treebanks, inputs.saved, given=given, errors=inputs.errors)
    yield from _changes(inputs, results)
    if inputs.recordings:
        from treegauge.reporting.sections.maps import maps_section, recorded_candidates

        note("drawing data maps")
        yield maps_section(inputs.recordings)
        if candidates := recorded_candidates(inputs.recordings):
            yield candidates
    stores = [path for path, found in tasks.items() if "curve" in found]
    if inputs.counts or stores or inputs.transfers:
        from treegauge.reporting.sections.learning import learning_section

        note("drawing learning curves")
        yield learning_section(inputs, stores, convention)


def _changes(inputs: "PageInputs", results: "list[Scores]") -> "Iterator[Section]":
    """Return the section on changes, if a treebank has several releases or a text several outputs."""
    from treegauge.reporting.sections.scores_details import compared_outputs
    from treegauge.reporting.sections.treebanks import changes_section, compared_releases, release_pairs

    path = inputs.command_path
    pairs = release_pairs(inputs.treebanks)
    if pairs:
        note("comparing releases")
    given = [(path(old.path), path(new.path)) for old, new in pairs]
    found = compared_releases(pairs, given=given, errors=inputs.errors)
    found += compared_outputs(inputs.scored, results)
    if found:
        yield changes_section(found)


def _ranking(
    inputs: "PageInputs", results: "list[Scores]", stores: list[Path], metric: str, subsets: int, where: Sequence[str]
) -> "Iterator[Section]":
    """Return the ranking of score tables, stores, and output scored on three or more treebanks."""
    from treegauge.reporting.sections.ranking import ranking_section

    tables = [
        table
        for table in (
            _scored_table(inputs, results, metric),
            _given_table(inputs, metric, where),
            _stored_table(inputs, stores, metric),
        )
        if table is not None and len(table.scores.systems) > 1 and len(table.scores.treebanks) > 1
    ]
    if tables:
        yield ranking_section(*tables, subsets=subsets)


def _scored_table(inputs: "PageInputs", results: "list[Scores]", metric: str) -> "RankedTable | None":
    """Return the scores of the output that was scored for this page."""
    from treegauge.ranking.reading import read_leaderboard
    from treegauge.reporting.sections.overview import METRICS, scored_suite
    from treegauge.reporting.sections.ranking import RankedTable
    from treegauge.scoring.metrics.registry import canonical

    systems = [{one.system for one in scores.systems} for scores in results]
    if len(results) < 3 or len(set.intersection(*systems)) < 2:
        return None
    files = [f"scores-{number}.json" for number, _ in enumerate(results, start=1)]
    first = "\n".join(
        one.command(results[0].convention, resamples=0, format="json", out=file)
        for one, file in zip(inputs.scored, files, strict=True)
    )
    plain = [replace(one, attached={}, featured="") for one in results]
    label = results[0].label(canonical(metric))
    scores = read_leaderboard(*plain, metric=label, missing="drop-system")
    suite = scored_suite(inputs.scored, results)
    intervals = None
    if canonical(metric) in METRICS and len(suite.treebanks) == len(scores.treebanks):
        intervals = {name: suite.intervals[name, canonical(metric)] for name in suite.names}
    title = "Systems scored here"
    return RankedTable(scores, files, "drop-system", first, title, True, intervals)


def _given_table(inputs: "PageInputs", metric: str, where: Sequence[str]) -> "RankedTable | None":
    """Return the tables of scores among the inputs as one table."""
    from treegauge.ranking.reading import read_leaderboard
    from treegauge.reporting.sections.ranking import RankedTable

    if not inputs.scores:
        return None
    named = {"packaged", "object"}
    names = [one.name if one.kind in named else inputs.command_path(one.path) for one in inputs.scores]
    sources = [
        one.given if one.given is not None else one.name if one.kind in named else one.path for one in inputs.scores
    ]
    scores = read_leaderboard(*sources, metric=metric, missing="error", where=where)
    title = " where ".join([", ".join(one.name for one in inputs.scores), " and ".join(where)][: 1 + bool(where)])
    failed = {run for one in inputs.scores if one.kind == "scores" for run in _failed(one.path)}
    return RankedTable(scores, names, name=title, failed=failed, where=where)


def _failed(path: Path) -> "Iterator[tuple[str, str]]":
    """Yield system and treebank of the failed runs in scores that a leaderboard has written."""
    from treegauge.core.reading import read_file

    table = read_file(path)
    columns = [table.header.index(name) for name in _FAILURE if name in table.header]
    if len(columns) == len(_FAILURE):
        for _, cells in table.rows:
            system, treebank, why = (cells[i] for i in columns)
            if why:
                yield str(system), str(treebank)


def _stored_table(inputs: "PageInputs", stores: list[Path], metric: str) -> "RankedTable | None":
    """Return the scores in stores."""
    from treegauge.ranking.reading import read_leaderboard
    from treegauge.reporting.sections.ranking import RankedTable

    if not stores:
        return None
    scores = read_leaderboard(*stores, metric=metric, missing="drop-treebank")
    given = [inputs.command_path(store) for store in stores]
    return RankedTable(scores, given, "drop-treebank", name=", ".join(one.name for one in stores))
