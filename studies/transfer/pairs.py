"""Which measures of two treebanks predict how well a delexicalised parser transfers.

    python -m studies.transfer.pairs [RUNS.jsonl...]

trains one beam parser without words per source (first 2,000 training sentences, seed 0), parses the
test set of every treebank of another language, and adds UAS (without punctuation) and every measure
of a pair to ``studies/results/transfer_pairs.csv``; sources that are there are skipped, and
those in the files are not trained again (rows of ``studies.transfer.runs``).

:func:`predictors` then asks, target by target, how the ranks of the sources by a measure agree with
their ranks by UAS. These coefficients are one number per target, so that intervals over targets,
with genera as groups, are those of :func:`treegauge.statistics.hierarchy.hierarchy`. The sources
are the same for all targets: intervals are about other targets, not about other sources.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.parts import RESULTS, Part, as_csv, kept, read_result
from studies.transfer.runs import LIMIT, run, sets
from treegauge.core.files import atomic
from treegauge.measures.registry import measures
from treegauge.ranking.strengths import family_jackknife
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.multiple import adjust
from treegauge.statistics.planning import best_of
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.languages import language_of

FloatArray = npt.NDArray[np.float64]
NAME = "transfer_pairs"
#: Measures of a training set (the source's) and a test set (the target's) that are one number.
PAIRED = (
    "edv", "edv_excess", "slv", "slv_excess", "klcpos3", "upos_divergence", "upos2_divergence",
    "upos3_divergence", "unseen_upos_trigrams", "tree_overlap", "tree_overlap_ordered",
    "tree_overlap_tagged", "oov",
)  # fmt: skip
#: Measures of single treebanks, compared by their absolute difference.
SINGLE = ("head_left", "mdd", "word_order_freedom", "function", "mean_length")
#: More of these is nearer; of the others, less is.
NEARER = ("tree_overlap", "tree_overlap_ordered", "tree_overlap_tagged", "train_words", "same_genus")
USUAL = "klcpos3"
"""By which the Challenges paper weighs sources."""
CHANCE = "(a source at random)"
#: Known before the target's trees are: from tags and words of the target only.
TREELESS = ("klcpos3", "upos_divergence", "upos2_divergence", "upos3_divergence",
            "unseen_upos_trigrams", "oov", "slv", "slv_excess", "train_words", "same_genus",
            "mean_length")  # fmt: skip


def genus(treebank: str) -> str:
    """Return the genus of a treebank's language, or its name where that is unknown."""
    known = language_of(treebank)
    return str(known.genus) if known is not None and known.genus else treebank


def rows_of(source: str, scores: Mapping[str, float]) -> list[dict[str, object]]:
    """Return a row per target: UAS of a source's parser, and the measures of the pair."""
    train = sets()[source]["train"][:LIMIT]
    known = measures()
    rows = []
    for target, uas in scores.items():
        test = sets()[target]["test"]
        row: dict[str, object] = {"source": source, "target": target, "uas": uas}
        for name in PAIRED:
            row[name] = float(known[name].function(train, test))  # type: ignore[arg-type]
        for name in SINGLE:
            row[name] = abs(_single(name, train) - _single(name, test))
        row |= {"train_words": train.n_words, "same_genus": int(genus(source) == genus(target))}
        rows.append(row)
    print(source, flush=True)
    return rows


def _single(name: str, treebank: Treebank) -> float:
    return float(measures()[name].function(treebank))  # type: ignore[arg-type]


def coefficients() -> tuple[list[str], list[str], FloatArray, FloatArray]:
    """Return targets, measures, Spearman coefficients and UAS lost, (targets, measures).

    A coefficient compares the ranks of a target's sources by a measure and by UAS, with the sign
    that a good predictor has made positive. What is lost is the UAS of the best source minus that
    of the source that the measure prefers.
    """
    frame = read_result(NAME).with_columns(pl.lit(0.0).alias(CHANCE))
    names = [name for name in frame.columns if name not in ("source", "target", "uas", CHANCE)]
    targets, rho, lost = [], [], []
    for (target,), some in frame.group_by("target", maintain_order=True):
        uas = some["uas"]
        signed = [some[name] * (1 if name in NEARER else -1) for name in names]
        targets.append(str(target))
        rho.append([_spearman(values, uas) for values in signed])
        # Equally near sources are drawn from at random.
        best = [uas.filter(values == values.max()).mean() for values in signed]
        lost.append([uas.max() - value for value in [*best, uas.mean()]])  # type: ignore[operator]
    return targets, names, np.array(rho), np.array(lost)


def _spearman(one: pl.Series, other: pl.Series) -> float:
    ranks = [values.rank().to_numpy() for values in (one, other)]
    spread = [float(values.std()) for values in ranks]
    # A measure that is the same for all sources predicts nothing.
    return float(np.corrcoef(np.stack(ranks))[0, 1]) if min(spread) > 0 else 0.0


def predictors() -> pl.DataFrame:
    """Return how well measures rank the sources of a target, over targets in genera."""
    targets, names, rho, lost = coefficients()
    genera = [genus(target) for target in targets]
    agreed, cost = (hierarchy(values.T, genera).alike for values in (rho, lost))
    lows, highs = agreed.interval()
    least, most = cost.interval()
    p_adjusted = adjust(agreed.p_value().tolist(), "benjamini-hochberg")
    usual = rho[:, names.index(USUAL)]
    more = hierarchy((rho - usual[:, None]).T, genera).alike
    under, over = more.interval()
    rows = [
        {"measure": name, "known from": "tags" if name in TREELESS else "trees",
         "spearman": agreed.value[i], "low": lows[i], "high": highs[i],
         "p_adjusted": p_adjusted[i],
         f"more than {USUAL}": None if name == USUAL else more.value[i],
         "more, low": None if name == USUAL else under[i],
         "more, high": None if name == USUAL else over[i],
         "UAS lost": cost.value[i], "lost, low": least[i], "lost, high": most[i]}
        for i, name in enumerate(names)
    ]  # fmt: skip
    rows.sort(key=lambda row: -float(row["spearman"]))
    rows.append({"measure": CHANCE, "UAS lost": cost.value[-1], "lost, low": least[-1], "lost, high": most[-1]})
    return pl.DataFrame(rows, infer_schema_length=None)


def best_predictor() -> pl.DataFrame:
    """Return the best predictor, corrected for selection: of all, and of those by tags."""
    targets, names, rho, _ = coefficients()
    codes = np.unique([genus(target) for target in targets], return_inverse=True)[1]
    rows = []
    for which, some in (("all", names), ("tags only", [n for n in names if n in TREELESS])):
        columns = [names.index(name) for name in some]
        mean = family_jackknife(rho[:, columns], codes, lambda sums, number: sums / number[..., None])
        first = int(np.argmax(mean.values))
        best = best_of(mean.values, mean.moves.T @ mean.moves, float(mean.df[first]))
        rows.append({"chosen from": which, "measures": len(some), "best": some[best.index],
                     "spearman": best.observed, "corrected": best.value, "low": best.low,
                     "high": best.high})  # fmt: skip
    return pl.DataFrame(rows)


PARTS = (
    kept(NAME, "UAS and measures of pairs of treebanks",
         "long: python -m studies.transfer.pairs; seed 0, 6 min of processor time"),
    Part("transfer_predictors", "Which measures predict transfer", predictors),
    Part("transfer_best", "The best predictor of transfer, corrected for selection",
         best_predictor),
)  # fmt: skip


def main(*files: str) -> None:
    """Add the rows of sources that are not there."""
    path = RESULTS / f"{NAME}.csv"
    frame = read_result(NAME) if path.exists() else pl.DataFrame()
    done = set(frame["source"]) if frame.height else set()
    lines = [line for file in files for line in Path(file).read_text("utf-8").splitlines()]
    trained = {row["source"]: row["uas"] for row in map(json.loads, lines)}
    for source in sets():
        if source in done:
            continue
        added = pl.DataFrame(rows_of(source, trained.get(source) or run(source)["uas"]))
        frame = pl.concat([frame, added]) if frame.height else added
        with atomic(path) as out:
            out.write(as_csv(frame.sort("source", "target")).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
