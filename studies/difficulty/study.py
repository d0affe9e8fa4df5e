"""The Difficulty paper's Table 1, its correlations, and whether they depend on the parser.

What parsers were trained for is kept: ``studies.difficulty.gpu`` (the paper's biaffine parser
and a second architecture, on a GPU) and ``studies.difficulty.cpu`` (the log-linear parser, in
batches as neural parsers learn, and word by word).
"""

from itertools import combinations
from typing import Any

import polars as pl
from scipy.stats import spearmanr

from studies.corrections.annotation_errors import injected
from studies.corrections.study import by_treebank, corrections
from studies.difficulty import cells as difficulty_cells
from studies.difficulty import claims as difficulty_claims
from studies.difficulty import figures as difficulty_figures
from studies.difficulty import nulls as difficulty_nulls
from studies.difficulty import variants as difficulty_variants
from studies.difficulty.cells import one_seed, published, values
from studies.front import items
from studies.parts import Part, compared, kept, read_result
from studies.treebanks import release_folder
from studies.verdicts import Why
from treegauge.learning.difficulty import LARGER_IS_EASIER, absolute_rank
from treegauge.measures.measure import measure
from treegauge.statistics.correlation import correlate

MEASURES = tuple(LARGER_IS_EASIER)
# Spearman with MDL over 88 treebanks, as printed.
MORPHOLOGY = {"sampled_ttr": "0.58", "sampled_feature_entropy": "0.35", "sampled_feature_types": "0.28"}


# Names of parsers, and of the tables that hold what they gave.
PARSERS = {
    "biaffine": "difficulty_seeds difficulty_codes",
    "pointer": "difficulty_gpu_second",
    "log-linear": "difficulty_cpu",
    "word by word": "difficulty_cpu_words",
}


def measured(parser: str) -> pl.DataFrame:
    """Return a parser's kept values, one row per treebank, one column per measure.

    For the biaffine parser, means over seeds; description length is that on all blocks before.
    """
    if parser == "biaffine":
        early = one_seed()
        means = [
            early[one]
            if one.endswith("mdl")
            else pl.Series(one, [values(name, one).mean for name in early["treebank"]])
            for one in MEASURES
        ]
        return pl.DataFrame([early["treebank"], *means])
    frame = read_result(PARSERS[parser])
    if "measure" in frame.columns:
        frame = frame.pivot("measure", index="treebank", values="ours")
    known = [name for name in MEASURES if name in frame.columns]
    return frame.select("treebank", *known).sort("treebank")


def everything() -> dict[str, pl.DataFrame]:
    """Return the values of the paper and of all parsers, of the same treebanks in one order."""
    return {"paper": published()} | {name: measured(name) for name in PARSERS}


def rho(one: pl.Series, other: pl.Series) -> tuple[float, int]:
    """Return Spearman's coefficient where both are known, and of how many."""
    both = pl.DataFrame({"one": one, "other": other}).drop_nulls()
    return float(spearmanr(both["one"], both["other"]).statistic), both.height


def between_parsers() -> pl.DataFrame:
    """Return Spearman's coefficient over treebanks between any two of paper and parsers."""
    found = everything()
    rows = []
    for (one, left), (other, right) in combinations(found.items(), 2):
        shared = [name for name in MEASURES if name in left.columns and name in right.columns]
        for name in shared:
            value, count = rho(left[name], right[name])
            rows.append((one, other, name, count, value))
        ranks = [absolute_rank(frame, shared).table.sort("treebank")["rank"] for frame in (left, right)]
        rows.append((one, other, "absolute rank", len(ranks[0]), rho(*ranks)[0]))
    names = ["one", "other", "measure", "treebanks", "spearman"]
    return pl.DataFrame(rows, schema=names, orient="row")


def by_pair(frame: pl.DataFrame) -> pl.DataFrame:
    """Lay out coefficients with a column a pair, of pairs with the paper or the biaffine parser."""
    pair = pl.format("{} / {}", "one", "other").alias("pair")
    some = frame.filter(pl.col("one").is_in(["paper", "biaffine"]))
    return some.with_columns(pair).pivot("pair", index="measure", values="spearman")


def matrix() -> pl.DataFrame:
    """Return Spearman's coefficient of every two measures, by whose values (Fig. 1).

    The paper leaves out values of some treebanks; ``where printed`` is over the others only.
    """
    rows = []
    paper = published()
    for who, frame in everything().items():
        for one, other in combinations([m for m in MEASURES if m in frame.columns], 2):
            value, count = rho(frame[one], frame[other])
            known = frame.filter(paper[one].is_not_null() & paper[other].is_not_null())
            rows.append((one, other, who, count, value, *reversed(rho(known[one], known[other]))))
    names = ["one", "other", "whose", "treebanks", "spearman", "printed ones", "where printed"]
    return pl.DataFrame(rows, schema=names, orient="row").sort("one", "other", "whose")


def by_parser(frame: pl.DataFrame) -> pl.DataFrame:
    """Lay out the matrix of arcs' measures with a column a parser, where the paper has values."""
    arcs = pl.all_horizontal(pl.col("one", "other").str.contains("las|arc_"))
    index = ["one", "other", "printed ones"]
    some = frame.filter(arcs).pivot("whose", index=index, values="where printed")
    return some.select(*index, "paper", *PARSERS)


def figure1_alike() -> pl.DataFrame:
    """Return how much the measures' correlations with each other differ between our parsers."""
    wide = matrix().pivot("whose", index=["one", "other"], values="spearman")
    rows = []
    for one, other in combinations(PARSERS, 2):
        gaps = (wide[one] - wide[other]).drop_nulls().abs().to_numpy()
        rows.append((one, other, len(gaps), float(gaps.mean()), float(gaps.max())))
    names = ["one", "other", "pairs of measures", "mean difference", "largest"]
    return pl.DataFrame(rows, schema=names, orient="row")


def variability_and_size() -> pl.DataFrame:
    """Return Spearman's coefficient of variability, and of MDL, with the training sentences."""
    sizes = read_result("content_treebanks").select("treebank", "train_sentences")
    rows: list[dict[str, object]] = []
    for who, frame in everything().items():
        both = frame.join(sizes, on="treebank")
        row: dict[str, object] = {"whose": who}
        for kind in ("var", "mdl"):
            names = [f"{layer}_{kind}" for layer in ("arc", "rel")]
            known = [
                rho(both[name], both["train_sentences"])
                if name in both.columns and both[name].count() > 2
                else (None, 0)
                for name in names
            ]
            row |= {name: value for name, (value, _) in zip(names, known, strict=True)}
            row[f"treebanks, {kind}"] = min(count for _, count in known)
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def morphology() -> pl.DataFrame:
    """Return Spearman's coefficient of description length and morphology, by whose MDL."""
    folders = [str(release_folder("r2.9") / name) for name in published()["treebank"]]
    names = tuple(MORPHOLOGY)
    own = measure(",".join(names), *folders).wide.sort("treebank")
    rows: list[dict[str, object]] = []
    for who, frame in everything().items():
        if "arc_mdl" not in frame.columns or frame["arc_mdl"].null_count() == frame.height:
            continue
        joined = own.join(frame.select("treebank", "arc_mdl"), on="treebank")
        rows += [
            {"MDL of": who, "measure": row["variable"], "treebanks": row["n"], "low": row["low"],
             "high": row["high"], "printed": MORPHOLOGY[row["variable"]], "ours": row["r"],
             "why": _fewer(row, MORPHOLOGY[row["variable"]])}
            for row in correlate(joined, "arc_mdl", names, seed=0, cluster="none").table.to_dicts()
        ]  # fmt: skip
    return compared(rows)


def _fewer(row: dict[str, Any], printed: str) -> str:
    """Say that fewer treebanks explain a difference, if the interval of ours allows it."""
    low, high = row["low"], row["high"]
    interval = f"95 % interval of ours, {row['n']} of the paper's 88 treebanks: {low:.2f} to {high:.2f}"
    inside = low <= float(printed) <= high
    return Why(interval if inside else f"outside the {interval}", least=low, most=high, margin=0.1)


def listed() -> pl.DataFrame:
    """Return every table, figure and claim of the paper with its state."""
    names = pl.col("result").str.replace_all(r"(\S+)", "`$1`")
    return pl.DataFrame(items("difficulty")).drop("paper").with_columns(names)


def _own_mdl(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows by the paper's own values, so that each printed number counts once."""
    return frame.filter(pl.col("MDL of") == "paper")


RUN = (
    "GPU: python -m studies.difficulty.gpu ARRAYS RUN{}, then python -m "
    "studies.difficulty.table RUN; {} on one shared H200"
)
MEASURED = RUN.format(" --words=480 --self=1 --shuffles=0 --halves=0", "five seeds, 2,900 s of processes")
CODED = RUN.format(
    " --words=480 --self=1 --seeds=0 --trainings=block",
    "batches of 480 words, 16 treebanks, five shuffles, 460 s of processes; ten in batches of 32 sentences, "
    "three shuffles, 339 s",
)
PARTS = (
    kept("difficulty_seeds", "The biaffine parser's values by seed", MEASURED),
    kept("difficulty_epochs", "Scores, entropies and V-INFO by epoch, means over seeds", MEASURED),
    kept("difficulty_pvi", "Dev words by PVI of heads", MEASURED),
    kept("difficulty_maps", "Training words by CONF and VAR of heads", MEASURED),
    kept("difficulty_relations", "PVI by treebank and relation", MEASURED),
    kept("difficulty_codes", "Bits per word by training, shuffle and epoch", CODED),
    kept("difficulty_blocks", "Bits per word by block", CODED),
    kept("difficulty_before", "Table 1 by the setting before: batches of 32 sentences, no word its own head",
         RUN.format("", "five seeds, 2,366 s of processes")),
    kept("difficulty_gpu", "Measures by the biaffine parser, one seed (for the joined page)",
         "GPU: python -m studies.difficulty.gpu --seeds=1 --halves=0, then python -m "
         "studies.difficulty.table --one-seed RUN; 447 s on one H200"),
    kept("difficulty_gpu_second", "Measures by the pointer parser",
         "GPU: python -m studies.difficulty.gpu --parser=pointer --seeds=1 --shuffles=2 "
         "--halves=0, then python -m studies.difficulty.table --second RUN; 366 s on one "
         "H200"),
    kept("difficulty_cpu", "Measures by the log-linear parser, in batches",
         "long: python -m studies.difficulty.cpu --orders 0 --epochs 10 --option batch=32, "
         "then python -m studies.difficulty.table; 633 s of one core"),
    kept("difficulty_cpu_words", "Measures by the log-linear parser, word by word",
         "long: python -m studies.difficulty.cpu --orders 2, then python -m "
         "studies.difficulty.table; 514 s of one core"),
    Part("candidates_noise", "Injected errors among the first K words", injected, ("r2.9",),
         "long: python -m studies candidates_noise; about 600 s of one core"),
    kept("next_sentences", "Chosen and random sentences in simulated annotation campaigns",
         "long: python -m studies.selection.next_sentences; more than 522 s of one core"),
    Part("candidates_corrections", "Corrections between releases among the first words",
         corrections, ("r2.5", "r2.9"),
         "long: python -m studies candidates_corrections; about 330 s of one core",
         shown=by_treebank, digits=3),
    Part("difficulty_items", "Every item of the paper", listed),
    Part("difficulty_table1", "Table 1, cell by cell", difficulty_cells.table1),
    Part("difficulty_differences", "Table 1: how far ours lies from it",
         difficulty_cells.differences, digits=3),
    Part("difficulty_nulls", "V-INFO of arcs by other nulls", difficulty_nulls.table, ("r2.9",)),
    Part("difficulty_mdl", "Description length by what is summed, trained on and for how long",
         difficulty_variants.mdl, shown=difficulty_variants.shown_mdl),
    Part("difficulty_mdl_columns", "Are arcs and relations two columns?",
         difficulty_variants.mdl_columns),
    Part("difficulty_vinfo", "Both entropies and V-INFO by epoch", difficulty_variants.vinfo),
    Part("difficulty_regions", "Shares of easy and hard words", difficulty_cells.regions),
    Part("difficulty_claims", "Numbers in the text", difficulty_claims.claims, ("r2.9",),
         counted=difficulty_claims.measured),
    Part("difficulty_by_relation", "PVI by universal relation", difficulty_claims.by_relation),
    Part("difficulty_figures", "Figs. 2 and 3", difficulty_figures.drawn),
    Part("difficulty_parsers", "Do parsers rank treebanks alike?", between_parsers,
         shown=by_pair),
    Part("difficulty_alike", "Fig. 1 by one parser and by another", figure1_alike),
    Part("difficulty_sizes", "Variability, MDL and the size of the training set",
         variability_and_size),
    Part("difficulty_matrix", "Spearman of every two measures (Fig. 1)", matrix, shown=by_parser),
    Part("difficulty_morphology", "Description length and morphology", morphology,
         needs=("r2.9",), counted=_own_mdl),
)  # fmt: skip
