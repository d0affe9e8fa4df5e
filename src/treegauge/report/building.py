"""From paths to a page."""

from collections.abc import Callable, Sequence
from typing import Any

from treegauge.errors import TreegaugeError
from treegauge.ranking.scores import Scores, read_scores
from treegauge.report.inputs import KINDS, Inputs, read_inputs
from treegauge.report.learning import learning_section
from treegauge.report.page import page
from treegauge.report.ranking import SAMPLES, ranking_section
from treegauge.report.scores import Scored, file_name, scores_section
from treegauge.report.section import Section
from treegauge.report.stores import curve_counts, score_table
from treegauge.report.treebanks import treebanks_section
from treegauge.treebank.conllu import read_splits

Say = Callable[[str], None]


def report(
    sources: Sequence[str],
    *,
    gold: Sequence[str] = (),
    title: str = "What these scores mean",
    metric: str = "las",
    samples: int = SAMPLES,
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
    say
        Told what is being done.

    Returns
    -------
    str
        HTML; same inputs, same bytes.
    """
    say = say or (lambda _: None)
    found = read_inputs(sources, gold=gold)
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
        given = " ".join(map(file_name, found.scores))
        # A packaged table is a name, files may be several.
        source: Any = found.scores[0] if len(found.scores) == 1 else found.scores
        table = read_scores(source, metric=metric)
    else:
        made = _table_of(found.scored, metric) or score_table(found.stores, metric)
        if made is None:
            return []
        table, given = made, "scores.json" if found.scored else "results.csv"
    return [ranking_section(table, given=given, samples=samples, say=say)]


def _table_of(scored: Sequence[Scored], metric: str) -> Scores | None:
    """Return the scores of systems on several treebanks that all of them parsed."""
    import polars as pl

    from treegauge.score.scoring import Resampling, evaluate

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
            {"treebank": one.gold.name, "system": name, "score": 100 * values[name][metric].f1}
            for name in systems
        ]
    return read_scores(pl.DataFrame(rows), metric=metric)


def _treebanks(found: Inputs, say: Say) -> list[Section]:
    sources: list[Any] = [*found.folders, *(file.treebank for file in found.files)]
    if not sources:
        return []
    say(f"measuring {len(sources)} treebanks")
    parts = {folder.resolve().name: read_splits(folder) for folder in found.folders}
    given = [*map(file_name, found.folders), *(file_name(file.path) for file in found.files)]
    return [treebanks_section(sources, parts, given=given)]


def _maps(found: Inputs, say: Say) -> list[Section]:
    if not found.recordings:
        return []
    from treegauge.report.maps import maps_section

    say(f"mapping {len(found.recordings)} recordings")
    return [maps_section(found.recordings)]


def _learning(found: Inputs, say: Say) -> list[Section]:
    from treegauge.curves.attachments import joined, read_attachments

    counts = [read_attachments(path) for path in found.counts]
    given = [file_name(path) for path in found.counts]
    for store in found.stores:
        made = curve_counts(store, found.folders)
        if made is not None:
            counts.append(made)
            given.append(file_name(store))
    if not counts and not found.transfers:
        return []
    say("drawing learning curves")
    table = None if not counts else counts[0] if len(counts) == 1 else joined(counts)
    return [learning_section(table, " ".join(given), found.transfers)]
