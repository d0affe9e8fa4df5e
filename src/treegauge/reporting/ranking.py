"""The section on rankings: subsets of every size, and any choice of treebanks."""

import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from treegauge import data
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.figures.ranking import TAU, WINNER, agreement_data, pair_data, rank_box_data
from treegauge.ranking.certify import Certificate, certify
from treegauge.ranking.exact import Exact, exact_ranks
from treegauge.ranking.leaderboard import Leaderboard, metric_name
from treegauge.ranking.outliers import explain_outliers
from treegauge.ranking.stability import Stability, stability
from treegauge.reporting.methods import Method, make_method
from treegauge.reporting.packing import floats, numbers
from treegauge.reporting.page import Section

SAMPLES = 100_000
#: The largest number of probabilities in a page; with more systems the slider has fewer sizes.
MOST = 60_000
#: The number of adjacent pairs of the ranking that get a certificate.
ADJACENT = 5


def ranking_section(
    scores: Leaderboard, *, given: str, first: str = "", samples: int = SAMPLES, seed: int = 0
) -> Section:
    """Rank systems over subsets of every size and make the section.

    Parameters
    ----------
    scores
        Systems x treebanks.
    given
        What commands name: a file or a packaged table.
    first
        Commands that write the file, if it was not an input.
    samples, seed
        Random subsets of each size, behind boxes and outliers.
    """
    sizes = _sizes(scores)
    note(f"counting all subsets of {len(sizes)} sizes of {len(scores.treebanks)} treebanks")
    counted = exact_ranks(scores, size=sizes)
    note(f"drawing {samples:,} subsets of each size")
    drawn = [stability(scores, size=k, samples=samples, seed=seed) for k in sizes]
    usual = min(range(len(sizes)), key=lambda i: abs(sizes[i] - _usual(scores)))
    order = scores.table["system"].to_list()
    pairs = list(pairwise(order))[:ADJACENT]
    certificates = [certify(scores, claim=f"{a} > {b}") for a, b in pairs]
    metric = metric_name(scores.metric)
    text = (
        f"{len(scores.systems)} systems by mean {metric} over {len(scores.treebanks)} treebanks. "
        "Would they have the same order on other treebanks?\nMove the slider to see the ranks of "
        "each system over subsets of a size; choose treebanks by hand, or one of the outlier "
        "subsets, to compute the ranking of these."
    )
    tables = [("Ranking over all treebanks", scores)]
    agreement = [row for ranks in drawn for row in agreement_data(ranks)]
    contents = {
        "metric": metric,
        "command": f"treegauge rank {given} --metric {shlex.quote(scores.metric)}",
        "systems": list(scores.systems),
        "treebanks": _treebanks(scores),
        "scores": _integers(scores),
        "subsets": _named(scores),
        "sizes": list(sizes),
        "usual": usual,
        "samples": samples,
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
        "claims": [_claim(one) for one in certificates],
    }
    methods = _methods(scores, counted, drawn[usual], certificates, given, first)
    short = [_leader(order[0], drawn[usual], metric), _loose(order, counted, sizes[usual])]
    return Section("ranking", "Ranking", text, contents, tables, methods, [s for s in short if s])


def _leader(name: str, ranks: Stability, metric: str) -> str:
    """Say how often the first system stays first."""
    size, same = ranks.sampler.sizes[0], ranks.agreement["top1"].item()
    return (
        f"{name} leads by mean {metric}, and would lead in {100 * same:.1f} % of the subsets of "
        f"{size} treebanks."
    )


def _loose(order: Sequence[str], counted: Exact, size: int) -> str:
    """Say how many adjacent pairs would often swap ranks."""
    swapped = 0
    for a, b in pairwise(order):
        _, tied, lost = counted.count(a, b, size)
        swapped += 5 * (2 * lost + tied) > 2 * counted.subsets(size)
    if len(order) < 3:
        return ""
    return (
        f"{swapped} of {len(order) - 1} adjacent pairs would swap ranks in more than one subset in "
        "five."
    )


def _usual(scores: Leaderboard) -> int:
    """Return the size of subsets to show first: ten, or half of few treebanks."""
    return min(10, max(1, len(scores.treebanks) // 2))


def _sizes(scores: Leaderboard) -> tuple[int, ...]:
    held = len(scores.treebanks)
    room = max(3, MOST // max(1, len(scores.systems) ** 2))
    sizes = [*range(1, min(held, 20) + 1), *range(25, held, 5), held]
    if len(sizes) > room:
        places = np.linspace(0, len(sizes) - 1, room).round().astype(int)
        sizes = [sizes[i] for i in places]
    return tuple(sorted({*sizes, _usual(scores)}))


def _treebanks(scores: Leaderboard) -> list[dict[str, Any]]:
    columns = ("language", "genus", "stock", "resource", "tokens")
    rows = scores.metadata.select(columns).to_dicts()
    return [{"code": code, **row} for code, row in zip(scores.treebanks, rows, strict=True)]


def _integers(scores: Leaderboard) -> dict[str, Any]:
    """Return whole numbers, which a browser adds without rounding, and their scale."""
    values, scale = scores.fixed_point()
    if values.min() >= 0 and values.max() < 2**32:
        return {"scale": scale, "values": numbers(values)}
    return {"scale": scale, "values": values.ravel().tolist()}


def _named(scores: Leaderboard) -> list[dict[str, Any]]:
    """Return the packaged subsets of which all treebanks are in the table."""
    named = []
    for name, codes in data.subsets().items():
        try:
            places = [scores.treebank(code) for code in codes]
        except TreegaugeError:
            continue
        named.append({"name": name, "treebanks": places})
    return named


def _above(counted: Exact) -> Any:
    """Return a matrix per size: how often the system of the row is above that of the column."""
    systems = len(counted.board.systems)
    shares = np.zeros((len(counted.sizes), systems, systems))
    cells = pair_data(counted)["above"].to_numpy()
    shares[:, ~np.eye(systems, dtype=bool)] = cells.reshape(len(counted.sizes), -1)
    return shares


def _boxes(ranks: Stability) -> Any:
    """Return best, q1, median, q3, worst of every system, in the order of the systems."""
    rows = {row["system"]: row for row in rank_box_data(ranks)["boxes"]}
    names = ("best", "q1", "median", "q3", "worst")
    return [[rows[system][name] for name in names] for system in ranks.systems]


def _masks(ranks: Stability, samples: Any) -> Any:
    """Return the subsets of some samples as bits, eight treebanks a byte."""
    scores = ranks.sampler.board
    place = {code: i for i, code in enumerate(scores.treebanks)}
    bits = np.zeros((len(samples), len(place)), bool)
    for row, sample in enumerate(samples.tolist()):
        bits[row, [place[code] for code in ranks.sampler.subset(sample)]] = True
    return np.packbits(bits, axis=1, bitorder="little")


def _classes(ranks: Stability) -> list[list[dict[str, Any]]]:
    """Return, for each system, the classes that its best and worst subsets have too many of."""
    classes = []
    for system in ranks.systems:
        sides = []
        for side in explain_outliers(ranks, system, search=False).sides:
            over = [row for row in side.rows if row["corrected"] <= 0.05 and row["ratio"] >= 1.1]
            names = ("class", "expected", "found", "corrected")
            listed = [{name: row[name] for name in names} for row in over[:6]]
            sides.append(
                {"which": side.which, "rank": side.rank, "upto": side.upto,
                 "samples": side.samples, "over": listed}
            )  # fmt: skip
        classes.append(sides)
    return classes


def _claim(found: Certificate) -> dict[str, Any]:
    return {"claim": str(found.claim), "text": found.text, "signature": found.signature}


def _methods(
    scores: Leaderboard,
    counted: Exact,
    drawn: Stability,
    certificates: Sequence[Certificate],
    given: str,
    first: str,
) -> list[Method]:
    first = f"{first}\n" if first else ""
    order = scores.table["system"].to_list()
    worst = drawn.sampler.subset(int(drawn.worst_at[scores.systems.index(order[0])]))
    chosen = f"--subset {','.join(worst)}"
    size = drawn.sampler.sizes[0]
    given = f"{given} --metric {shlex.quote(scores.metric)}"
    rank = f"{first}treegauge rank {given}"
    pair = shlex.quote(",".join(reversed(order[:2])))
    subsets = f"treegauge rank subsets {given} "
    subsets += f"--subset chosen={','.join(worst)} --pair {pair}"
    boxes = f"{rank} --size {size} --samples {drawn.samples} --all"
    grid = f", on a grid of {counted.grid:g}" if counted.coarse else ""
    methods = [
        make_method("chosen_treebanks", scores.signature,
                    f"{rank} --exact --size {size} {chosen}\n{subsets}"),
        make_method("mean_ranks", counted.signature,
                    f"{rank} --size {size} --exact --format json", grid=grid),
        make_method("rank_boxes", drawn.signature, boxes, samples=drawn.samples,
                    seed=drawn.sampler.seed),
    ]  # fmt: skip
    for one in certificates[:1]:
        command = f"{first}treegauge certify {given} --claim {shlex.quote(str(one.claim))} "
        command += f"--metric {scores.metric}"
        methods.append(make_method("certificates", one.signature, command))
    return methods
