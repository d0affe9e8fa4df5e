"""The section on rankings: every size of subsets, every choice of treebanks."""

import shlex
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from treegauge import data
from treegauge.ranking._paragraph import metric_name
from treegauge.ranking.certificate import Certificate, certify
from treegauge.ranking.exact import Exact, exact
from treegauge.ranking.outliers import outliers
from treegauge.ranking.scores import Scores
from treegauge.ranking.stability import Stability, stability
from treegauge.reporting.maths import equation, fraction, sub, total
from treegauge.reporting.packing import floats, numbers
from treegauge.reporting.section import Method, Section
from treegauge.results.errors import TreegaugeError

SAMPLES = 100_000
#: At most so many probabilities in a page; with more systems the slider has fewer sizes.
MOST = 60_000
#: Certificates are made for so many pairs of neighbours in the ranking.
NEIGHBOURS = 5

Say = Callable[[str], None]


def ranking_section(
    scores: Scores,
    *,
    given: str,
    first: str = "",
    samples: int = SAMPLES,
    seed: int = 0,
    say: Say | None = None,
) -> Section:
    """Rank systems over subsets of every size and make the section.

    Parameters
    ----------
    scores
        Systems x treebanks.
    given
        What commands name: a file or a packaged table.
    first
        Commands that write the file, if it was no input.
    samples, seed
        Random subsets of each size, behind boxes and outliers.
    say
        Told what is being done.
    """
    say = say or (lambda _: None)
    sizes = _sizes(scores)
    say(f"counting all subsets of {len(sizes)} sizes of {len(scores.treebanks)} treebanks")
    counted = exact(scores, size=sizes)
    say(f"drawing {samples:,} subsets of each size")
    drawn = [stability(scores, size=k, samples=samples, seed=seed) for k in sizes]
    usual = min(range(len(sizes)), key=lambda i: abs(sizes[i] - _usual(scores)))
    order = scores.table["system"].to_list()
    pairs = list(pairwise(order))[:NEIGHBOURS]
    say("writing certificates")
    certificates = [certify(scores, f"{a} > {b}") for a, b in pairs]
    metric = metric_name(scores.metric)
    text = (
        f"{len(scores.systems)} systems by mean {metric} over {len(scores.treebanks)} treebanks. "
        "Had other treebanks been chosen, would they stand in this order?\nMove the slider to see "
        "where each system ends up over subsets of a size; choose treebanks by hand, or one of "
        "the outlier subsets, and the ranking is made again."
    )
    tables = [("Ranking over all treebanks", scores)]
    found = {
        "metric": metric,
        "command": f"treegauge rank {given} --metric {scores.metric}",
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
        "tau": [one.agreement["tau"].item() for one in drawn],
        "top": [one.agreement["top1"].item() for one in drawn],
        "boxes": floats([_boxes(one) for one in drawn]),
        "best": numbers(np.stack([_masks(one, one.best_at) for one in drawn])),
        "worst": numbers(np.stack([_masks(one, one.worst_at) for one in drawn])),
        "classes": _classes(drawn[usual]),
        "claims": [_claim(one) for one in certificates],
    }
    methods = _methods(scores, counted, drawn[usual], certificates, given, first)
    short = [_leader(order[0], drawn[usual], metric), _loose(order, counted, sizes[usual])]
    return Section("ranking", "Ranking", text, found, tables, methods, [s for s in short if s])


def _leader(name: str, ranks: Stability, metric: str) -> str:
    """Say how often the first remains the first."""
    size, same = ranks.sampler.sizes[0], ranks.agreement["top1"].item()
    return (
        f"{name} leads by mean {metric}, and would lead in {100 * same:.1f} % of choices of "
        f"{size} treebanks."
    )


def _loose(order: Sequence[str], counted: Exact, size: int) -> str:
    """Say how many neighbours would often change places."""
    turned = 0
    for a, b in pairwise(order):
        _, tied, lost = counted.count(a, b, size)
        turned += 5 * (2 * lost + tied) > 2 * counted.subsets(size)
    if len(order) < 3:
        return ""
    return (
        f"Of {len(order) - 1} pairs of neighbours, {turned} would change places in more than one "
        "choice of five."
    )


def _usual(scores: Scores) -> int:
    """Return the size of subsets to show first: ten, or half of few treebanks."""
    return min(10, max(1, len(scores.treebanks) // 2))


def _sizes(scores: Scores) -> tuple[int, ...]:
    held = len(scores.treebanks)
    room = max(3, MOST // max(1, len(scores.systems) ** 2))
    sizes = [*range(1, min(held, 20) + 1), *range(25, held, 5), held]
    if len(sizes) > room:
        places = np.linspace(0, len(sizes) - 1, room).round().astype(int)
        sizes = [sizes[i] for i in places]
    return tuple(sorted({*sizes, _usual(scores)}))


def _treebanks(scores: Scores) -> list[dict[str, Any]]:
    columns = ("language", "genus", "stock", "resource", "tokens")
    rows = scores.metadata.select(columns).to_dicts()
    return [{"code": code, **row} for code, row in zip(scores.treebanks, rows, strict=True)]


def _integers(scores: Scores) -> dict[str, Any]:
    """Return whole numbers, which a browser adds without rounding, and their scale."""
    values, scale = scores.fixed_point()
    if values.min() >= 0 and values.max() < 2**32:
        return {"scale": scale, "values": numbers(values)}
    return {"scale": scale, "values": values.ravel().tolist()}


def _named(scores: Scores) -> list[dict[str, Any]]:
    """Return the packaged subsets of which all treebanks are in the table."""
    found = []
    for name, codes in data.subsets().items():
        try:
            places = [scores.treebank(code) for code in codes]
        except TreegaugeError:
            continue
        found.append({"name": name, "treebanks": places})
    return found


def _above(counted: Exact) -> Any:
    shares = [counted.wins[i] / counted.subsets(k) for i, k in enumerate(counted.sizes)]
    return np.array(shares, dtype=np.float64)


def _boxes(ranks: Stability) -> Any:
    """Return best, q1, median, q3, worst of every system, in the order of the systems."""
    q1, median, q3 = (ranks.quantile(q) for q in (0.25, 0.5, 0.75))
    best = 1 + (ranks.counts > 0).argmax(axis=1) / 2
    worst = len(ranks.systems) - (ranks.counts[:, ::-1] > 0).argmax(axis=1) / 2
    return np.stack([best, q1, median, q3, worst], axis=1)


def _masks(ranks: Stability, samples: Any) -> Any:
    """Return the subsets of some samples as bits, eight treebanks a byte."""
    scores = ranks.sampler.scores
    place = {code: i for i, code in enumerate(scores.treebanks)}
    bits = np.zeros((len(samples), len(place)), bool)
    for row, sample in enumerate(samples.tolist()):
        bits[row, [place[code] for code in ranks.sampler.subset(sample)]] = True
    return np.packbits(bits, axis=1, bitorder="little")


def _classes(ranks: Stability) -> list[list[dict[str, Any]]]:
    """Return, for each system, what its best and worst subsets have more of than chance gives."""
    found = []
    for system in ranks.systems:
        sides = []
        for side in outliers(ranks, system, search=False).sides:
            over = [row for row in side.rows if row["corrected"] <= 0.05 and row["ratio"] >= 1.1]
            names = ("class", "expected", "found", "corrected")
            sides.append(
                {
                    "which": side.which,
                    "rank": side.rank,
                    "upto": side.upto,
                    "samples": side.samples,
                    "over": [{name: row[name] for name in names} for row in over[:6]],
                }
            )
        found.append(sides)
    return found


def _claim(found: Certificate) -> dict[str, Any]:
    return {"claim": str(found.claim), "text": found.text, "signature": found.signature}


def _methods(
    scores: Scores,
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
    metric = f"--metric {scores.metric}"
    ranked = equation("r(a) = 1 + ", total("b ≠ a", "P(b > a) + ½ P(b = a)"))
    methods = [
        Method(
            "Ranking of chosen treebanks",
            equation("x(a) = ", fraction("1", "|T|"), total("t ∈ T", sub("s", "a t"))),
            "The mean score of system a over the chosen treebanks T; equal means share a rank. "
            "Scores are whole numbers of the smallest step, so that ties are exact.",
            "ties get the average rank; the command is for the worst subset of the first system, "
            "that for other choices stands below them",
            scores.signature,
            f"{first}treegauge rank {given} {metric} --exact --size {size} {chosen}\n"
            f"treegauge rank subsets {given} {metric} --subset chosen={','.join(worst)}"
            f" --pair {shlex.quote(','.join(reversed(order[:2])))}",
            ("fragility",),
        ),
        Method(
            "Mean ranks and pairwise probabilities",
            ranked,
            "P(b > a) is the share of subsets of a size in which b has the higher mean, counted "
            "over all of them by a table over (treebanks taken, sum of differences).",
            "all subsets" + ("" if not counted.coarse else f", on a grid of {counted.grid:g}"),
            counted.signature,
            f"{first}treegauge rank {given} {metric} --size {size} --exact --format json",
            ("fragility",),
        ),
        Method(
            "Rank boxes and outlier subsets",
            equation("r(a, T) = 1 + ", "|{ b : x(b) > x(a) }| + ½ |{ b : x(b) = x(a) }|"),
            "Quartiles, best and worst of the rank over random subsets T. A class of treebanks is "
            "named where it makes up a tenth more of the extreme subsets than of all treebanks "
            "and its hypergeometric tail, by Holm, is at most 0.05.",
            f"{drawn.samples:,} subsets of each size, seed {drawn.sampler.seed}",
            drawn.signature,
            f"{first}treegauge rank {given} {metric} --size {size} --samples {drawn.samples}",
            ("fragility",),
        ),
    ]
    if certificates:
        methods.append(
            Method(
                "Certificates",
                equation("d = ", fraction("1", "|T|"), total("t", "( ", sub("s", "a t"), " − ",
                                                              sub("s", "b t"), " )")),
                "Mean difference with its bootstrap interval over treebanks, paired tests, win "
                "rates over all subsets, and the smallest change of treebanks that makes the "
                "claim fail.",
                "10,000 resamples, seed 0",
                certificates[0].signature,
                f"{first}treegauge rank certify {given} --claim "
                f"{shlex.quote(str(certificates[0].claim))} {metric}",
                ("fragility",),
            )
        )  # fmt: skip
    return methods
