"""One offline web page of treebanks, scores, rankings, data maps and learning curves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic, check_overwriting
from treegauge.core.messages import note
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.scoring.convention import Convention, Counting

if TYPE_CHECKING:
    import polars as pl

    from treegauge.reporting.inputs import PageInputs
    from treegauge.reporting.page import Section
    from treegauge.scoring.scores import Scores
    from treegauge.treebanks.columns import Treebank

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
    gold: "Sequence[str] | str | PathLike[str] | Treebank" = (),
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
        CoNLL-U files that are gold, where they are not in a treebank's folder; repeatable.
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

    golds = list(gold) if isinstance(gold, list | tuple) else [gold]
    check_overwriting(out, [*sources, *golds])
    inputs = read_inputs(sources, gold=golds, errors=errors)
    _note_unused(inputs)
    convention = counting.chosen
    results = _score(inputs, convention)
    made = [
        _scores(inputs, results), _ranking(inputs, results, metric, samples),
        _treebanks(inputs), _maps(inputs), _learning(inputs, convention),
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


def _note_unused(inputs: "PageInputs") -> None:
    """Say which cells of stores have no place on the page."""
    from treegauge.experiments.store import Store

    for path in inputs.stores:
        tasks = set(Store(path).results(provenance=False)["task"]) - {"score", "curve"}
        if tasks:
            note(
                f"{path.name}: the page leaves out {', '.join(sorted(tasks))}; for data maps give "
                "what treegauge map --recording wrote"
            )


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
    """Rank the systems of score tables, or of output for three treebanks or more, or of stores."""
    from treegauge.experiments.store import Store
    from treegauge.ranking.reading import read_leaderboard
    from treegauge.reporting.ranking import ranking_section
    from treegauge.scoring.metrics import canonical

    systems = [{one.system for one in scores.systems} for scores in results]
    stores = [one for one in inputs.stores if Store(one).results(task="score").height]
    sources: list[Any]
    first, missing = "", "error"
    if inputs.scores:
        named = [one.kind in {"packaged", "object"} for one in inputs.scores]
        given = " ".join(
            one.name if own else inputs.command_path(one.path)
            for one, own in zip(inputs.scores, named, strict=True)
        )
        sources = [
            one.given if one.given is not None else one.name if own else one.path
            for one, own in zip(inputs.scores, named, strict=True)
        ]
    elif len(results) > 2 and len(set.intersection(*systems)) > 1:
        sources, missing = (
            [replace(one, attached={}, featured="") for one in results],
            "drop-system",
        )
        metric = results[0].label(canonical(metric))
        files = [f"scores-{number}.json" for number, _ in enumerate(results, start=1)]
        commands = [
            one.command(*_convention(results), f"--resamples 0 --format json --out {file}")
            for one, file in zip(inputs.scored, files, strict=True)
        ]
        given, first = " ".join(files), "\n".join(commands)
    elif stores:
        sources, missing = list(stores), "drop-treebank"
        given = " ".join(map(inputs.command_path, stores))
    else:
        return None
    if stores and sources != list(stores):
        note(f"the ranking is without the scores in {', '.join(one.name for one in stores)}")
    if len(results) > 2 and inputs.scores:
        note("the ranking is of the score tables, without the output scored here")
    scores = read_leaderboard(*sources, metric=metric, missing=missing)  # type: ignore[arg-type]
    if len(scores.systems) < 2 or len(scores.treebanks) < 2:
        return None
    given += f" --missing {missing}" if missing != "error" else ""
    return ranking_section(scores, given=given, first=first, samples=samples)


def _convention(results: "list[Scores]") -> list[str]:
    convention = results[0].convention
    return [] if convention.official else [f"--convention {convention.name}"]


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

    note("drawing data maps")
    return maps_section(inputs.recordings)


def _learning(inputs: "PageInputs", convention: Convention) -> "Section | None":
    from treegauge.curves.attachments import joined, read_attachments
    from treegauge.curves.gathering import stored_counts
    from treegauge.experiments.store import Store
    from treegauge.reporting.learning import Votes, learning_section

    folders = inputs.folders
    stores = [one for one in inputs.stores if Store(one).results(task="curve").height]
    counts = [read_attachments(path) for path in inputs.counts]
    counts += [
        stored_counts(store, folders=folders.values(), convention=convention) for store in stores
    ]
    votes = [Votes.read(path) for path in inputs.transfers]
    if not counts and not votes:
        return None
    note("drawing learning curves")
    table = None if not counts else counts[0] if len(counts) == 1 else joined(counts)
    given = " ".join(map(inputs.command_path, [*inputs.counts, *stores]))
    homes = {name: inputs.command_path(folder) for name, folder in folders.items()}
    return learning_section(table, given, votes, homes)
