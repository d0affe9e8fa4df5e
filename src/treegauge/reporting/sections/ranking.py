"""The section on rankings: subsets of every size, and any choice of treebanks."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from treegauge import data
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.core.result import countersign
from treegauge.core.verbs import Verb, command
from treegauge.ranking.certificate import Certificate
from treegauge.ranking.certify import certify
from treegauge.ranking.compare import CriticalDifference, compare, critical_difference, treebank_ranks
from treegauge.ranking.leaderboard import Leaderboard, metric_name
from treegauge.ranking.metadata import units_of
from treegauge.ranking.new_treebanks import new_ranges
from treegauge.ranking.profiles import Profiles, profiles
from treegauge.ranking.rank import rank
from treegauge.ranking.reading import Missing
from treegauge.ranking.stability.exact_win_rates import Exact, exact_ranks
from treegauge.ranking.stability.outliers import explain_outliers
from treegauge.ranking.stability.sampler import FEW
from treegauge.ranking.stability.win_rates import Stability, stability
from treegauge.ranking.standings import testable
from treegauge.ranking.strengths import advantages, families_of, rank_sets
from treegauge.reporting.figures.ranking import TAU, WINNER, agreement_data, pair_data, rank_box_data
from treegauge.reporting.methods import Method, make_method
from treegauge.reporting.packing import floats, numbers
from treegauge.reporting.page import Section
from treegauge.reporting.sections.overview import all_pairs, shown_verdict
from treegauge.scoring.verdicts import errors_sentence, margin_sentence, table_verdict, treebank_verdict
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.planning import detectable_difference
from treegauge.statistics.units import GENUS

SUBSETS = 100_000
#: The largest number of probabilities on a page; with many systems the slider has fewer sizes.
MOST = 60_000
#: The number of adjacent pairs of the ranking that get a certificate.
ADJACENT = 5
#: Confidence level of the differences of pairs.
LEVEL = 0.95


class RankedTable(NamedTuple):
    """Scores to rank, with their names for commands and for readers.

    `given` are files or packaged tables as written in commands, `missing` how commands treat gaps;
    `first` are commands that write the files, if they were not inputs. `name` is for readers;
    `scored` is true if the page has the system output behind the scores. `intervals` are those of
    macro averages, by system; `failed` are the systems and treebanks of failed runs, whose scores
    count as 0. `where` has the conditions on rows of the tables.
    """

    scores: Leaderboard
    given: Sequence[str]
    missing: Missing | None = None
    first: str = ""
    name: str = ""
    scored: bool = False
    intervals: Mapping[str, tuple[float, float] | None] | None = None
    failed: Collection[tuple[str, str]] = ()
    where: Sequence[str] = ()


def ranking_section(*tables: RankedTable, subsets: int = SUBSETS, seed: int = 0) -> Section:
    """Rank the systems of each table over subsets of every size and return the section.

    Of sizes with many subsets, `subsets` random ones are drawn.
    """
    ranked = [_ranked(table, subsets, seed) for table in tables]
    first = tables[0].scores
    text = (
        f"{len(first.systems)} systems by mean {metric_name(first.metric)} over "
        f"{len(first.treebanks)} treebanks. Would they have the same order on other treebanks?"
    )
    several = len(tables) > 1
    return Section(
        "ranking", "Ranking", text, {"boards": [one.data for one in ranked]},
        [(f"Ranking over all treebanks{f': {table.name}' if several else ''}", table.scores)
         for table in tables],
        [replace(method, of=one.data["name"]) for one in ranked for method in one.methods],
        [sentence for one in ranked for sentence in one.short],
        systems=[name for table in tables for name in table.scores.systems],
    )  # fmt: skip


class _Ranked(NamedTuple):
    data: dict[str, Any]
    methods: list[Method]
    short: list[str]


def _ranked(table: RankedTable, random_subsets: int, seed: int) -> _Ranked:
    """Return the data of one table, its methods, and its main findings."""
    scores = table.scores
    first_shown = min(10, max(1, len(scores.treebanks) // 2))
    sizes = _sizes(scores, first_shown)
    note(f"counting all subsets of {len(sizes)} sizes of {len(scores.treebanks)} treebanks")
    counted = exact_ranks(scores, size=sizes)
    note(f"ranking the systems on up to {max(random_subsets, FEW):,} subsets of each size")
    drawn = [stability(scores, size=k, subsets=random_subsets, seed=seed) for k in sizes]
    usual = sizes.index(first_shown)
    order = scores.table["system"].to_list()
    pairs = list(pairwise(order))[:ADJACENT]
    certificates = [certify(scores, claim=f"{a} > {b}") for a, b in pairs]
    columns = ("language", "genus", "stock", "resource", "tokens")
    metadata = zip(scores.treebanks, scores.metadata.select(columns).to_dicts(), strict=True)
    metric = metric_name(scores.metric)
    agreement = [row for ranks in drawn for row in agreement_data(ranks)]
    families = families_of(scores)
    sets = None if families is None else rank_sets(advantages(scores, families))
    tied = critical_difference(scores, method="wilcoxon-holm") if testable(scores) else None
    middle = profiles(scores)
    fresh = None if families is None or scores.gaps else new_ranges(treebank_ranks(scores), families, ranks=True)
    contents = {
        "name": table.name or "scores",
        "scored": table.scored,
        "metric": metric,
        "commands": {
            "certify": _command(table, certify, claim="@claim@"),
            "rank": _command(table, rank, subsets="all", size="@size@"),
            "subset": _command(table, rank, subsets="all", size="@size@", treebanks="@subset@"),
        },
        "systems": list(scores.systems),
        "treebanks": [{"code": code, **row} for code, row in metadata],
        "scores": _integers(scores),
        "failed": [
            [i, t]
            for i, system in enumerate(scores.systems)
            for t, treebank in enumerate(scores.treebanks)
            if (system, treebank) in table.failed
        ],
        "subsets": _named(scores),
        "sizes": list(sizes),
        "usual": usual,
        "drawn": [None if one.sampler.complete else one.samples for one in drawn],
        "numbers": [str(counted.subsets(k)) for k in sizes],
        "exact": not counted.coarse and counted.rounding == 0,
        "means": floats([counted.mean_ranks(k)[0] for k in sizes]),
        "above": floats(_above(counted)),
        "tau": [row["value"] for row in agreement if row["what"] == TAU],
        "top": [row["value"] for row in agreement if row["what"] == WINNER],
        "boxes": floats([_boxes(one) for one in drawn]),
        "best": numbers(np.stack([_masks(one, one.best_at) for one in drawn])),
        "worst": numbers(np.stack([_masks(one, one.worst_at) for one in drawn])),
        "classes": _classes(drawn[usual]),
        "pairs": table_pairs(scores),
        "claims": [
            {"a": one.claim.a, "b": one.claim.b, "text": one.evidence, "signature": one.signature}
            for one in certificates
        ],
        "intervals": table.intervals and [table.intervals.get(name) for name in scores.systems],
        "sets": sets and np.column_stack(sets).tolist(),
        "groups": tied and tied.letters(scores.by_mean()),
        "iqm": middle.mean.round(4).tolist(),
        "fresh": fresh and np.column_stack(fresh).tolist(),
    }
    units = GENUS if sets else None  # those of rank sets, which `rank` prints with the ranks
    boxes = countersign(drawn[usual].signature, units=units)
    methods = _methods(table, counted, drawn[usual], certificates[0], boxes, tied, middle)
    lead = drawn[usual].agreement["top1"].item()
    short = [
        f"{order[0]} has the highest mean {metric}, and leads in {100 * lead:.1f} % of {drawn[usual].subsets_text}."
    ]
    if len(order) > 2:
        short.append(
            f"{_loose(order, counted, sizes[usual])} of {len(order) - 1} adjacent pairs would swap "
            "ranks in more than one subset in five."
        )
    return _Ranked(contents, methods, short)


def table_pairs(board: Leaderboard) -> dict[str, Any]:
    """Return the difference of every pair of systems in a table of scores, as in a certificate.

    `difference`, `low` and `high` are in points, for other treebanks of these families; `verdicts` has
    the answers to the two questions; `detectable` is the difference that a test detects with 80 % power.
    """
    pairs = all_pairs(board.systems)
    whole, scale = board.fixed_point()
    first, second = (np.array([pair[side] for pair in pairs], int) for side in (0, 1))
    differences = (whole[first] - whole[second]) / scale
    units = units_of(board, GENUS)
    made = hierarchy(differences, units.names).alike
    low, high = made.interval(LEVEL)
    with np.errstate(invalid="ignore"):
        least = detectable_difference(made.standard_error, made.df, level=LEVEL)
    metric = metric_name(board.metric)
    columns = {"difference": made.value, "low": low, "high": high, "detectable": least}
    verdicts = []
    for number, (i, j) in enumerate(pairs):
        a, b = board.systems[i], board.systems[j]
        limits = (low[number], high[number])
        text = table_verdict(a, b, float(differences[number].mean()), metric)
        new = treebank_verdict(a, b, differences[number], units, metric, level=LEVEL, interval=limits)
        verdicts.append([shown_verdict(one) for one in (text, new)])
    means = whole.mean(axis=1) / scale
    named = [(board.systems[i], board.systems[j], float(means[i]), float(means[j])) for i, j in pairs]
    ends = [(None, None) if np.isnan(one) else (float(one), float(other)) for one, other in zip(low, high, strict=True)]
    said = {
        "verdicts": verdicts,
        "errors": [errors_sentence(*one) for one in named],
        "equivalence": [margin_sentence(*one[:2], *limits) for one, limits in zip(named, ends, strict=True)],
    }
    return {name: floats(values) for name, values in columns.items()} | said


def _loose(order: Sequence[str], counted: Exact, size: int) -> int:
    """Return the number of adjacent pairs that swap ranks in more than one subset in five."""
    counts = (counted.count(a, b, size) for a, b in pairwise(order))
    return sum(5 * (2 * lost + tied) > 2 * counted.subsets(size) for _, tied, lost in counts)


def _sizes(scores: Leaderboard, usual: int) -> tuple[int, ...]:
    held = len(scores.treebanks)
    room = max(3, MOST // max(1, len(scores.systems) ** 2))
    sizes = [*range(1, min(held, 20) + 1), *range(25, held, 5), held]
    if len(sizes) > room:
        places = np.linspace(0, len(sizes) - 1, room).round().astype(int)
        sizes = [sizes[i] for i in places]
    return tuple(sorted({*sizes, usual}))


def _integers(scores: Leaderboard) -> dict[str, Any]:
    """Return the scores as integers, which a browser adds exactly, and their scale."""
    values, scale = scores.fixed_point()
    packed = values.min() >= 0 and values.max() < 2**32
    return {"scale": scale, "values": numbers(values) if packed else values.ravel().tolist()}


def _named(scores: Leaderboard) -> list[dict[str, Any]]:
    """Return the packaged subsets whose treebanks are all in the table."""
    named = []
    for name, codes in data.named_subsets().items():
        with suppress(TreegaugeError):
            named.append({"name": name, "treebanks": [scores.treebank(code) for code in codes]})
    return named


def _above(counted: Exact) -> Any:
    """Return one matrix per size: how often the row's system is above the column's."""
    systems = len(counted.board.systems)
    shares = np.zeros((len(counted.sizes), systems, systems))
    cells = pair_data(counted)["above"].to_numpy()
    shares[:, ~np.eye(systems, dtype=bool)] = cells.reshape(len(counted.sizes), -1)
    return shares


def _boxes(ranks: Stability) -> Any:
    """Return best rank, quartiles and worst rank of every system, in the order of the systems."""
    rows = {row["system"]: row for row in rank_box_data(ranks)["boxes"]}
    names = ("best", "q1", "median", "q3", "worst")
    return [[rows[system][name] for name in names] for system in ranks.systems]


def _masks(ranks: Stability, samples: Any) -> Any:
    """Return the subsets of samples as bits, eight treebanks per byte."""
    scores = ranks.sampler.board
    place = {code: i for i, code in enumerate(scores.treebanks)}
    bits = np.zeros((len(samples), len(place)), bool)
    for row, sample in enumerate(samples.tolist()):
        bits[row, [place[code] for code in ranks.sampler.subset(sample)]] = True
    return np.packbits(bits, axis=1, bitorder="little")


def _classes(ranks: Stability) -> list[list[dict[str, Any]]]:
    """Return, by system, the classes over-represented in its best and worst subsets."""
    names = ("class", "expected", "found", "p_corrected")
    return [
        [
            {
                "which": side.which, "rank": side.rank, "upto": side.upto, "samples": side.samples,
                "over": [{name: row[name] for name in names} for row in side.over()[:6]],
            }
            for side in explain_outliers(ranks, system, search=False).sides
        ]
        for system in ranks.systems
    ]  # fmt: skip


def _command(table: RankedTable, verb: Verb[Any], **options: object) -> str:
    """Return the command of a verb on a table."""
    return command(
        verb,
        *table.given,
        missing=table.missing,
        where=list(table.where) or None,
        metric=table.scores.metric,
        **options,
    )


def _methods(
    table: RankedTable,
    exact: Exact,
    drawn: Stability,
    claim: Certificate,
    signed: str,
    tied: CriticalDifference | None,
    middle: Profiles,
) -> list[Method]:
    """Return the methods of a table; rank boxes and rank sets are `signed`."""
    scores = table.scores
    order = scores.table["system"].to_list()
    worst = drawn.sampler.subset(int(drawn.worst_at[scores.systems.index(order[0])]))
    size = drawn.sampler.sizes[0]
    every = drawn.sampler.complete is not None
    subsets_text = drawn.subsets_text + ("" if every else f", seed {drawn.sampler.seed}")
    grid = f", on a grid of {exact.grid:g}" if exact.coarse else ""

    def after(verb: Verb[Any], **options: object) -> str:
        made = _command(table, verb, **options)
        return f"{table.first}\n{made}" if table.first else made

    boxes = after(rank, size=size, subsets=None if every else drawn.samples, format="json")
    certificate = after(certify, claim=str(claim.claim))
    chosen = after(rank, subsets="all", size=size, treebanks=",".join(worst))
    averages = _command(table, rank, subsets="named", treebanks=f"chosen={','.join(worst)}")
    counted = after(rank, size=size, subsets="all", format="json")
    methods = [
        make_method("chosen_treebanks", scores.signature, f"{chosen}\n{averages}"),
        make_method("mean_ranks", exact.signature, counted, grid=grid),
        make_method("rank_boxes", signed, boxes, subsets=subsets_text),
        make_method("certificates", claim.signature, certificate),
        make_method("pair_differences", claim.signature, certificate),
        make_method("equivalence", claim.signature, certificate),
        make_method("detectable", claim.signature, certificate),
        make_method("interquartile_means", middle.signature, after(compare, test="profile")),
    ]
    if signed != drawn.signature:
        methods.append(make_method("rank_sets", signed, boxes))
        mixed = countersign(scores.signature, test="mixed", units=GENUS, level=LEVEL)
        methods.append(make_method("new_ranks", mixed, after(compare, test="mixed")))
    if tied:
        methods.append(make_method("tie_groups", tied.signature, after(compare, test="wilcoxon-holm")))
    return methods
