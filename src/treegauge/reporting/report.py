"""One offline web page of treebanks, scores, rankings, data maps and learning curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.results.errors import TreegaugeError
from treegauge.results.files import atomic
from treegauge.results.messages import note
from treegauge.results.result import Result, sign
from treegauge.results.verbs import verb
from treegauge.scoring.convention import Convention, Counting

if TYPE_CHECKING:
    import polars as pl

    from treegauge.ranking.leaderboard import Leaderboard
    from treegauge.reporting.inputs import PageInputs
    from treegauge.reporting.page import Section
    from treegauge.scoring.scores import Scores

#: The number of random subsets of treebanks of each size.
SAMPLES = 100_000


@dataclass(frozen=True)
class Page(Result):
    """A page, its sections, and where it was written.

    Attributes
    ----------
    html
        The page.
    sections
        Its sections without the methods.
    path
        The file; None if it was not written.
    """

    html: str
    sections: "tuple[Section, ...]"
    path: Path | None
    signature: str
    kind: ClassVar[str] = "report"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per section: its title, its main findings, the number of tables and methods."""
        import polars as pl

        rows = [
            (one.title, " ".join(one.short), len(one.tables), len(one.methods))
            for one in self.sections
        ]
        return pl.DataFrame(rows, ["section", "findings", "tables", "methods"], orient="row")

    def json_fields(self) -> dict[str, Any]:
        """Return the file and the rows."""
        path = None if self.path is None else str(self.path)
        return {"path": path, "bytes": len(self.html.encode()), "rows": self.json_rows()}

    def own_text(self) -> str:
        """Return the file and its size."""
        size = f"{len(self.html.encode()) / 1e6:.2f} MB"
        return f"{'page' if self.path is None else self.path.resolve()} ({size})"


@verb
def report(
    *sources: Any,
    gold: Sequence[str] | str | PathLike[str] = (),
    out: str | PathLike[str] | None = "report.html",
    title: str = "What these scores mean",
    metric: str = "las",
    samples: int = SAMPLES,
    errors: Literal["strict", "skip", "repair"] = "strict",
    counting: Counting = Counting(),
) -> Page:
    """Make one offline web page of whatever is given.

    The page has a section for everything the inputs allow: scores, ranking, treebanks, data maps,
    learning. Inputs are recognised by their contents. The same inputs give the same bytes.

    Parameters
    ----------
    *sources
        Treebanks (folders, files, names), output of systems (files, folders, NAME=PATH), score
        tables or conll18, stores, recordings of training, counts of curves, results of transfer.
    gold
        CoNLL-U files that are gold, where they are not in a treebank's folder.
    out
        The page to write; in Python None writes nothing.
    title
        The title of the page.
    metric
        The metric by which systems are ranked.
    samples
        The number of random subsets of treebanks of each size.
    errors
        What to do about malformed sentences.
    """
    from treegauge.reporting.inputs import read_inputs
    from treegauge.reporting.page import page

    golds = [gold] if isinstance(gold, str | PathLike) else gold
    inputs = read_inputs(sources, gold=golds, errors=errors)
    convention = counting.chosen
    results = _score(inputs, convention)
    made = [
        _scores(inputs, results), _ranking(inputs, results, metric, samples),
        _treebanks(inputs), _maps(inputs), _learning(inputs),
    ]  # fmt: skip
    sections = [one for one in made if one is not None]
    if not sections:
        raise TreegaugeError(
            "nothing to make a page of; expected treebanks, output of systems with gold, score "
            "tables, stores, recordings, counts of curves or results of transfer"
        )
    text = page(title, introduction(sections), sections)
    path = None if out is None else Path(out)
    if path is not None:
        with atomic(path) as file:
            file.write(text.encode())
    signature = sign(
        report="+".join(one.key for one in sections), metric=metric, samples=samples,
        errors=errors, **convention.signed, page=_digest(text),
    )  # fmt: skip
    return Page(text, tuple(sections), path, signature)


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()[:8]


def introduction(sections: "Sequence[Section]") -> str:
    """Return the text below the title."""
    names = [section.title for section in sections]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"{listed}: one file that needs no network. The URL records your selection, so you can "
        "share this exact view. The last section explains how each number was computed."
    )


def _score(inputs: "PageInputs", convention: Convention) -> "list[Scores]":
    if not inputs.scored:
        return []
    from treegauge.reporting.scores import score_all

    note(f"scoring {sum(len(one.systems) for one in inputs.scored)} outputs")
    return score_all(inputs.scored, convention)


def _scores(inputs: "PageInputs", results: "list[Scores]") -> "Section | None":
    if not results:
        return None
    from treegauge.reporting.scores import scores_section

    return scores_section(inputs.scored, results)


def _ranking(
    inputs: "PageInputs", results: "list[Scores]", metric: str, samples: int
) -> "Section | None":
    from treegauge.ranking.leaderboard import Leaderboard
    from treegauge.ranking.reading import read_leaderboard
    from treegauge.reporting.methods import literal, python
    from treegauge.reporting.ranking import ranking_section

    first, scores = "", None
    if inputs.scores:
        names = [
            one.name if one.kind in {"packaged", "object"} else inputs.command_path(one.path)
            for one in inputs.scores
        ]
        if len(names) > 1 and any(one.kind != "scores" for one in inputs.scores):
            raise TreegaugeError(
                f"score tables {', '.join(names)}: a packaged table or an object cannot be joined "
                "with others; make a page for each"
            )
        source: Any = [str(one.path) for one in inputs.scores]
        if inputs.scores[0].kind == "packaged":
            source = inputs.scores[0].name
        if isinstance(inputs.scores[0].given, Leaderboard):
            scores = inputs.scores[0].given
        else:
            scores = read_leaderboard(source, metric=metric)
        given = " ".join(names)
    elif (scores := _common_scores(results, metric)) is not None:
        files = [f"scores-{number}.json" for number, _ in enumerate(inputs.scored, start=1)]
        given, first = (
            " ".join(files),
            "\n".join(
                one.command(f"--resamples 0 --format json --out {file}")
                for one, file in zip(inputs.scored, files, strict=True)
            ),
        )
    elif inputs.stores:
        scores = store_scores(inputs.stores, metric)
        stores = ", ".join(literal(inputs.command_path(store)) for store in inputs.stores)
        given, first = (
            "results.csv",
            python(
                "from treegauge.reporting.report import store_scores",
                f'store_scores([{stores}], "{metric}").cells.write_csv("results.csv")',
            ),
        )
    if scores is None:
        return None
    return ranking_section(scores, given=given, first=first, samples=samples)


def _common_scores(results: "list[Scores]", metric: str) -> "Leaderboard | None":
    """Return the scores of systems on three or more treebanks that all of them parsed."""
    import polars as pl

    from treegauge.ranking.reading import read_leaderboard

    systems = [{one.system for one in scores.systems} for scores in results]
    common = set.intersection(*systems) if len(results) > 2 else set()
    if len(common) < 2:
        return None
    rows = [
        {"treebank": scores.treebank.rpartition("#")[0], "system": name,
         "score": scores[name][metric].f1}
        for scores in results
        for name in sorted(common)
    ]  # fmt: skip
    return read_leaderboard(pl.DataFrame(rows), metric=metric)


def store_scores(stores: Sequence[Path | str], metric: str) -> "Leaderboard | None":
    """Return the scores of parsers on treebanks in stores; None if fewer than two of either.

    Several seeds are runs of one parser.
    """
    import polars as pl

    from treegauge.experiments.store import Store
    from treegauge.ranking.reading import read_leaderboard

    frames = []
    for path in stores:
        results = Store(path).results(task="score", provenance=False)
        column = next((name for name in results.columns if name.lower() == metric.lower()), None)
        if results.height and column is not None:
            system = pl.format("{} {}", "parser", "options").str.strip_chars().alias("system")
            score = pl.col(column).alias("score")
            frames.append(results.select("treebank", system, "seed", score))
    if not frames:
        return None
    table = pl.concat(frames).with_columns(pl.lit(metric).alias("metric"))
    if table["treebank"].n_unique() < 2 or table["system"].n_unique() < 2:
        return None
    return read_leaderboard(table, metric=metric, missing="drop-treebank")


def _treebanks(inputs: "PageInputs") -> "Section | None":
    if not inputs.treebanks:
        return None
    from treegauge.reporting.treebanks import count_treebanks, treebanks_section

    note(f"measuring {count_treebanks(len(inputs.treebanks)).lower()}")
    given = [inputs.command_path(one.path) for one in inputs.treebanks]
    return treebanks_section(inputs.treebanks, given=given, errors=inputs.errors)


def _maps(inputs: "PageInputs") -> "Section | None":
    if not inputs.recordings:
        return None
    from treegauge.reporting.maps import maps_section

    note(f"mapping {len(inputs.recordings)} recordings")
    return maps_section(inputs.recordings)


def _learning(inputs: "PageInputs") -> "Section | None":
    from treegauge.curves.attachments import joined, read_attachments
    from treegauge.reporting.learning import Votes, learning_section, store_counts

    counts = [read_attachments(path) for path in inputs.counts]
    given = [inputs.command_path(path) for path in inputs.counts]
    for store in inputs.stores:
        made = store_counts(store, inputs.folders)
        if made is not None:
            counts.append(made)
            given.append(inputs.command_path(store))
    votes = [Votes.read(path) for path in inputs.transfers]
    if not counts and not votes:
        return None
    note("drawing learning curves")
    table = None if not counts else counts[0] if len(counts) == 1 else joined(counts)
    homes = {name: inputs.command_path(folder) for name, folder in inputs.folders.items()}
    return learning_section(table, " ".join(given), votes, homes)
