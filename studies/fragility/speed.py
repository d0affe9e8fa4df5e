"""Rankings that take speed into account, as Fragility proposes, with our parsers.

    python -m studies.fragility.speed

times parsing on one core (processor time, the least of three, test sets of three treebanks) and
writes ``studies/results/fragility_speed.csv``. Models learn from 300 sentences, the
neural ones for one epoch: what a model has learned hardly changes its speed.

Scores are those of other tables: the classic parsers' from ``content_scores``, the neural ones'
from ``experiment1`` and ``paradigms`` (gold tags, means of three seeds or six), on the 18 treebanks
that all have. A parser is on the Pareto front of a set of treebanks if no other is both faster and
more accurate on average. With a price, in points of LAS per doubling of time, parsers are ranked by
LAS minus the price of their time. Both are counted over all subsets of five treebanks.
"""

import sys
import time
from itertools import combinations
from math import log2

import numpy as np
import polars as pl

from studies.fragility.table1 import TENTH, members, scores_at_hand
from studies.parts import RESULTS, Part, as_csv, kept, read_result
from studies.printed import fragility_table1
from studies.treebanks import release_folder
from treegauge.core.files import atomic
from treegauge.parsing.registry import make_parser
from treegauge.treebanks.data.conllu import read_splits

NAME = "fragility_speed"
TIMED = ("UD_Coptic-Scriptorium", "UD_Tamil-TTB", "UD_Welsh-CCG")
SENTENCES, REPEATS, SIZE = 300, 3, 5
NEURAL = {"biaffine": "gb-DM17", "pointer": "tb-FG19", "labelling": "sl-S+19"}
CLASSIC = ("beam", "mst")
CHOSEN = {"biaffine": "epochs=60", "pointer": "epochs=60", "labelling": "epochs=60 encoding=two-planar-directed"}
"""The rows of ``paradigms`` that all of its treebanks have."""
PRICES = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0)


def timed() -> pl.DataFrame:
    """Time every parser on every treebank."""
    rows = []
    for treebank in TIMED:
        parts = read_splits(release_folder("r2.9") / treebank)
        train, test = parts["train"][:SENTENCES], parts["test"]
        for parser in (*CLASSIC, *NEURAL):
            model = make_parser(parser, **({"epochs": 1} if parser in NEURAL else {})).fit(train, seed=0)
            model.parse(test[:5])
            seconds = []
            for _ in range(REPEATS):
                begun = time.process_time()
                model.parse(test)
                seconds.append(time.process_time() - begun)
            rows.append({"parser": parser, "treebank": treebank, "words": test.n_words, "seconds": min(seconds)})
            print(rows[-1], file=sys.stderr, flush=True)
    return pl.DataFrame(rows)


def seconds_per_1000() -> dict[str, float]:
    """Return processor seconds per 1,000 words, over the timed treebanks together."""
    sums = read_result(NAME).group_by("parser").agg(pl.col("words", "seconds").sum())
    return {row["parser"]: 1000 * row["seconds"] / row["words"] for row in sums.to_dicts()}


def scores() -> pl.DataFrame:
    """Return LAS with gold tags, one row per treebank that every parser has."""
    classic = read_result("content_scores").pivot("parser", index="treebank", values="las")
    runs = read_result("experiment1").filter(pl.col("parser").is_in(list(NEURAL)), tags="gold")
    more = read_result("paradigms").filter(
        pl.any_horizontal(
            (pl.col("parser") == parser) & (pl.col("options") == options) for parser, options in CHOSEN.items()
        )
    )
    both = pl.concat([frame.select("treebank", "parser", "las") for frame in (runs, more)])
    neural = both.pivot("parser", index="treebank", values="las")
    every = classic.join(neural, on="treebank").select("treebank", *CLASSIC, *NEURAL)
    return every.drop_nulls().sort("treebank")


def _order(parser: str) -> float:
    return seconds_per_1000()[parser]


def front() -> pl.DataFrame:
    """Return speed, mean LAS and how often each parser is on the Pareto front or the best buy."""
    table, cost = scores(), seconds_per_1000()
    parsers = sorted((*CLASSIC, *NEURAL), key=_order)
    values = table.select(parsers).to_numpy().T
    subsets = np.array(list(combinations(range(table.height), SIZE)))
    means = values[:, subsets].mean(axis=2)
    # Parsers come fastest first: one is on the front if it beats all that are faster.
    on_front = [means[: i + 1].argmax(axis=0) == i for i in range(len(parsers))]
    whole = values.mean(axis=1)
    doublings = np.array([log2(cost[parser]) for parser in parsers])
    rows = []
    for i, parser in enumerate(parsers):
        row = {"parser": parser, "seconds per 1,000 words": cost[parser], "LAS": whole[i],
               "front, all treebanks": "yes" if whole[: i + 1].argmax() == i else "no",
               "front, % of subsets": 100 * float(on_front[i].mean())}  # fmt: skip
        for price in PRICES:
            bought = means - price * doublings[:, None]
            row[f"first at {price:g}, %"] = 100 * float((bought.argmax(axis=0) == i).mean())
        rows.append(row)
    return pl.DataFrame(rows).with_columns(
        pl.lit(table.height).alias("treebanks"), pl.lit(len(subsets)).alias("subsets")
    )


def break_even() -> pl.DataFrame:
    """Return the price at which the labelling parser overtakes the two others, by subset.

    The published scores of the paper's parsers, the speeds of ours of the same kind.
    """
    cost = seconds_per_1000()
    board = scores_at_hand("las")
    rows = []
    for subset in fragility_table1()["subset"]:
        codes = members(subset, board) + ([TENTH] if subset == "Easy" else [])
        mean = dict(zip(board.systems, board.select(treebanks=codes).values.mean(axis=1), strict=True))
        row: dict[str, object] = {"subset": subset, "treebanks": len(codes)}
        for rival in ("biaffine", "pointer"):
            lost = mean[NEURAL[rival]] - mean["sl-S+19"]
            doublings = log2(cost[rival] / cost["labelling"])
            price = lost / doublings if doublings > 0 else None
            row |= {f"LAS, {NEURAL[rival]} - sl-S+19": lost, f"price, {NEURAL[rival]}": price}
        rows.append(row)
    return pl.DataFrame(rows)


PARTS = (
    kept(NAME, "Seconds of parsing on one core",
         "long: python -m studies.fragility.speed; seed 0, 3 min of one core"),
    Part("fragility_front", "Speed and accuracy: Pareto front and prices", front, digits=1),
    Part("fragility_prices", "What a doubling of time must be worth", break_even),
)  # fmt: skip


if __name__ == "__main__":
    text = as_csv(timed())
    with atomic(RESULTS / f"{NAME}.csv") as out:
        out.write(text.encode())
