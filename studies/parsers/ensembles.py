"""The gain of ensembles of five seeds, compared with the spread of single seeds.

    python -m studies.parsers.ensembles PARSER [TREEBANK...]

Adds one row per treebank to ``studies/results/ensembles.csv`` and skips the rows that are
there: LAS on the test set of UD 2.5 with gold tags, of five models from the seeds 0 to 4, and of
the ensemble that averages their probabilities. The rows of the biaffine parser come from
``python -m studies.parsers.predicted_tags biaffine``, which trains its seeds in lockstep on a GPU.
"""

import sys
from statistics import fmean, stdev

import polars as pl

from studies.parts import RESULTS, as_csv, kept
from studies.treebanks import release_folder
from treegauge.core.files import atomic
from treegauge.parsing.ensemble import EnsembleParser
from treegauge.parsing.registry import find_parser
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

TREEBANKS = ("Marathi-UFAL", "Lithuanian-HSE", "Telugu-MTG", "Tamil-TTB", "Belarusian-HSE")
MEMBERS = 5
TABLE = RESULTS / "ensembles.csv"
SCHEMA = {
    "treebank": pl.String, "parser": pl.String, "lowest": pl.Float64, "mean": pl.Float64,
    "highest": pl.Float64, "sd": pl.Float64, "ensemble": pl.Float64, "gain": pl.Float64,
}  # fmt: skip


def keep(name: str, parser: str, single: list[float], ensemble: float) -> None:
    """Add a row to the table; a row of the same treebank and parser is replaced."""
    added = pl.DataFrame(
        [(name, parser, min(single), fmean(single), max(single), stdev(single), ensemble, ensemble - fmean(single))],
        schema=SCHEMA,
        orient="row",
    )
    before = pl.read_csv(TABLE, schema=SCHEMA) if TABLE.exists() else pl.DataFrame(schema=SCHEMA)
    both = pl.concat([before.join(added, on=["treebank", "parser"], how="anti"), added])
    with atomic(TABLE) as file:
        file.write(as_csv(both.sort("parser", "treebank")).encode())


def las(gold: Treebank, parsed: Treebank) -> float:
    """Return LAS in percent, by the official convention."""
    (system,) = evaluate(gold, parsed, options=ScoreOptions(resamples=0)).systems
    return system["LAS"].f1


def run(parser: str, name: str) -> None:
    """Train an ensemble, and score it and each of its members."""
    sets = read_splits(release_folder("r2.5") / f"UD_{name}")
    entry = find_parser(parser)
    model = EnsembleParser(entry, entry.options(), MEMBERS).fit(sets["train"], sets["dev"], seed=0)
    test = sets["test"]
    single = [las(test, member.parse(test)) for member in model.members]
    keep(name, parser, single, las(test, model.parse(test)))


def with_means(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows, and the mean of each parser after its own."""
    means = frame.group_by("parser", maintain_order=True).agg(
        pl.format("mean of {}", pl.len()).alias("treebank"),
        pl.col("lowest", "mean", "highest", "sd", "ensemble", "gain").mean(),
    )
    return pl.concat([frame, means.select(frame.columns)]).sort("parser", maintain_order=True)


PARTS = (
    kept(
        "ensembles",
        "LAS of ensembles of five seeds, and of single seeds",
        "long: python -m studies.parsers.ensembles mst, 3 min of one core; GPU: the biaffine rows "
        "with those of predicted_tags",
        shown=with_means,
    ),
)

if __name__ == "__main__":
    chosen, *names = sys.argv[1:]
    for treebank in names or TREEBANKS:
        run(chosen, treebank)
        print(pl.read_csv(TABLE).filter(treebank=treebank, parser=chosen).row(0), flush=True)
