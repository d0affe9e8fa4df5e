"""From paths to a page."""

from collections.abc import Callable, Sequence
from typing import Any

from treegauge.ranking.scores import PACKAGED, Scores, read_scores
from treegauge.reporting.inputs import KINDS, Inputs, read_inputs
from treegauge.reporting.learning import learning_section
from treegauge.reporting.page import page
from treegauge.reporting.ranking import SAMPLES, ranking_section
from treegauge.reporting.scores import Scored, scores_section
from treegauge.reporting.section import Section, literal, python
from treegauge.reporting.stores import curve_counts, score_table
from treegauge.reporting.treebanks import count_treebanks, treebanks_section
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.conllu import Errors, read_splits

Say = Callable[[str], None]


def report(
    sources: Sequence[str],
    *,
    gold: Sequence[str] = (),
    title: str = "What these scores mean",
    metric: str = "las",
    samples: int = SAMPLES,
    errors: Errors = "strict",
    say: Say | None = None,
) -> str:
    """Make one offline page of whatever is given; each section that the inputs allow is there.

    Parameters
    ----------
    sources
        Treebanks, systems' output beside gold, score tables, stores, recordings of training,
        counts of curves, in any mix and order.
    gold
        Which CoNLL-U files are gold, where contents and names do not tell.
    title
        The page's title.
    metric
        What score tables are ranked by.
    samples
        Random subsets of each size.
    errors
        What to do about malformed sentences: ``strict``, ``skip`` or ``repair``.
    say
        Told what is being done.

    Returns
    -------
    str
        HTML; same inputs, same bytes.
    """
    say = say or (lambda _: None)
    found = read_inputs(sources, gold=gold, errors=errors)
    sections = [*_scores(found, say), *_rankings(found, metric, samples, say)]
    sections += [*_treebanks(found, say), *_maps(found, say), *_learning(found, say)]
    if not sections:
        raise TreegaugeError(f"nothing to make a page of; expected {KINDS}")
    return page(title, introduction(sections), sections)


def introduction(sections: Sequence[Section]) -> str:
    """Return what stands below the title."""
    names = [section.title for section in sections]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"{listed}: one file that needs no network. What is chosen stands in the address, so that "
        "a link leads others to the same view; the last section tells how each number was made."
    )


def _scores(found: Inputs, say: Say) -> list[Section]:
    if not found.scored:
        return []
    say(f"scoring {sum(len(one.systems) for one in found.scored)} outputs")
    return [scores_section(found.scored)]


def _rankings(found: Inputs, metric: str, samples: int, say: Say) -> list[Section]:
    if found.scores:
        given = " ".join(one if one in PACKAGED else found.told(one) for one in found.scores)
        first = ""
        if len(found.scores) > 1 and any(one in PACKAGED for one in found.scores):
            raise TreegaugeError(
                f"score tables {', '.join(found.scores)}: a packaged one stands alone, files may "
                "be several; make a page for each"
            )
        source: Any = found.scores[0] if len(found.scores) == 1 else found.scores
        table = read_scores(source, metric=metric)
    else:
        made = _table_of(found.scored, metric) or score_table(found.stores, metric)
        if made is None:
            return []
        table = made
        given, first = _written(found, metric)
    return [ranking_section(table, given=given, first=first, samples=samples, say=say)]


def _written(found: Inputs, metric: str) -> tuple[str, str]:
    """Return the file that holds scores which were no input, and the commands that write it."""
    if found.scored:
        names = [f"scores-{number}.json" for number, _ in enumerate(found.scored, start=1)]
        scoring = [
            one.command(f"--resamples 0 --format json --out {name}")
            for one, name in zip(found.scored, names, strict=True)
        ]
        return " ".join(names), "\n".join(scoring)
    stores = ", ".join(literal(found.told(store)) for store in found.stores)
    return "results.csv", python(
        "from treegauge.reporting.stores import score_table",
        f'score_table([{stores}], "{metric}").long.write_csv("results.csv")',
    )


def _table_of(scored: Sequence[Scored], metric: str) -> Scores | None:
    """Return the scores of systems on several treebanks that all of them parsed."""
    import polars as pl

    from treegauge.scoring.evaluation import evaluate
    from treegauge.scoring.settings import Resampling

    if len(scored) < 3:
        return None
    shared = set.intersection(*(set(one.systems) for one in scored))
    if len(shared) < 2:
        return None
    rows = []
    for one in scored:
        systems = {name: one.systems[name] for name in one.systems if name in shared}
        values = evaluate(one.gold, systems, resampling=Resampling(resamples=0))
        rows += [
            {"treebank": one.gold.name, "system": name, "score": values[name][metric].f1}
            for name in systems
        ]
    return read_scores(pl.DataFrame(rows), metric=metric)


def _treebanks(found: Inputs, say: Say) -> list[Section]:
    sources: list[Any] = [*found.folders, *(file.treebank for file in found.files)]
    if not sources:
        return []
    say(f"measuring {count_treebanks(len(sources)).lower()}")
    parts = {
        folder.resolve().name: read_splits(folder, errors=found.errors) for folder in found.folders
    }
    given = [*map(found.told, found.folders), *(found.told(file.path) for file in found.files)]
    return [treebanks_section(sources, parts, given=given, errors=found.errors)]


def _maps(found: Inputs, say: Say) -> list[Section]:
    if not found.recordings:
        return []
    from treegauge.reporting.maps import maps_section

    say(f"mapping {len(found.recordings)} recordings")
    return [maps_section(found.recordings)]


def _learning(found: Inputs, say: Say) -> list[Section]:
    from treegauge.curves.attachments import joined, read_attachments

    counts = [read_attachments(path) for path in found.counts]
    given = [found.told(path) for path in found.counts]
    for store in found.stores:
        made = curve_counts(store, found.folders)
        if made is not None:
            counts.append(made)
            given.append(found.told(store))
    if not counts and not found.transfers:
        return []
    say("drawing learning curves")
    table = None if not counts else counts[0] if len(counts) == 1 else joined(counts)
    homes = {folder.resolve().name: found.told(folder) for folder in found.folders}
    return [learning_section(table, " ".join(given), found.transfers, homes)]
