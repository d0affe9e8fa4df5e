"""Whether chosen sentences predict the full LAS of new systems better than random ones do.

``python -m tools.bench.leaderboard TASK`` trains twelve parsers (beam and mst, each on six sizes of
training set) on twenty treebanks; ``python -m studies.selection.smaller_test_sets TASK`` judges the
subsets. The methods were written with a test set of fewer than 600 sentences at hand; all
figures are of the others. Systems are held out in two ways: five folds of all systems, ten times;
and one kind of parser at a time, so that no system that took part in choosing resembles those that
judge.
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl

from treegauge.ranking.recommending.selection import repeated_folds
from treegauge.ranking.recommending.sentence_draws import SentenceScores
from treegauge.ranking.recommending.sentence_judging import METHODS, judge_method
from treegauge.ranking.recommending.sentence_subsets import sentence_scores
from treegauge.treebanks.data.conllu import read_conllu

LEAST = 600
SIZES = (100, 200)
FOLDS, REPEATS = 5, 10
RANDOM = 4  # random subsets for every one that is chosen


def judged(scores: SentenceScores, kinds: list[str], size: int) -> list[dict[str, object]]:
    """Return error and tau of every method, systems held out by folds and by kind of parser."""
    rng = np.random.default_rng(0)
    systems = np.arange(len(kinds))
    folds = list(repeated_folds(systems, FOLDS, REPEATS, rng))
    groups = [np.flatnonzero(np.array(kinds) == kind) for kind in sorted(set(kinds))]
    others = [(np.setdiff1d(systems, one), one) for one in groups] * (FOLDS * REPEATS // 2)
    pairs = {"folds of systems": folds, "the other kind of parser": others}
    rows = []
    for held_out, chosen in pairs.items():
        for method in METHODS:
            # Random sentences are judged by the same held-out systems.
            used = chosen * RANDOM if method == "random" else chosen
            made, _ = judge_method(scores, size, method, used, rng)
            rows.append({"held out": held_out, "sentences": size, **vars(made)})
    return rows


def main() -> None:
    """Print a row per treebank, size and method, then the means over treebanks."""
    task = Path(sys.argv[1])
    teams = sorted((task / "teams").iterdir())
    rows = []
    for path in sorted((task / "gold").glob("*.conllu")):
        gold = read_conllu(path)
        if len(gold) < LEAST:
            continue
        code = path.stem.removesuffix("-ud-test")
        outputs = {team.name: [team / f"{code}.conllu"] for team in teams}
        scores, _ = sentence_scores(gold, outputs, "LAS")
        kinds = [team.name.partition("-")[0] for team in teams]
        for size in SIZES:
            rows += [{"treebank": code, **row} for row in judged(scores, kinds, size)]
    table = pl.DataFrame(rows)
    keys = ["held out", "sentences", "method"]
    chance = table.filter(pl.col("method") == "random").select("treebank", *keys[:2], random_error="error")
    joined = table.join(chance, on=["treebank", *keys[:2]])
    means = joined.group_by(keys, maintain_order=True).agg(
        pl.col("words", "error", "plain_error", "within", "tau").mean(),
        (pl.col("error") < pl.col("random_error")).sum().alias("lower than random"),
        pl.len().alias("treebanks"),
    )
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=160, float_precision=3):
        print(table.filter(pl.col("sentences") == 100))
        print(means)


if __name__ == "__main__":
    main()
