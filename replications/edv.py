"""The EDV paper, redone: displacement distances and parsing scores, and splits steered by them."""

import polars as pl

from replications import edv_data, edv_figures, edv_lengths, edv_splits, edv_tables
from replications.parts import Part

UD = ("r2.5",)
SPLITS = (
    "long: treegauge run plans/splits_mst.toml --store ../runs/splits_mst, the same for beam and "
    "udpipe, then python -m replications edv_splits; 2 h 20 min on a core shared with other work"
)
LENGTHS = (
    "long: treegauge run plans/all_treebanks_beam.toml --store ../runs/all_treebanks/beam, the "
    "same for mst and udpipe, then python -m replications edv_length_scores; 3 s after these runs"
)


def _coefficients(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("statistic").is_in(["r", "p_value"]))


def _fits(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(~pl.col("statistic").str.starts_with("p of"))


def _lengths(frame: pl.DataFrame) -> pl.DataFrame:
    wide = frame.pivot("variant", index=["length", "treebanks"], values=["mean", "median"])
    return wide.filter(pl.col("length").is_in([3, 5, 10, 15, 20, 25, 30]))


def _deltas(frame: pl.DataFrame) -> pl.DataFrame:
    wide = frame.with_columns(name=pl.format("{}, {}", "parser", "method")).pivot(
        "name", index="treebank", values="dLAS", maintain_order=True
    )
    return wide.sort("treebank")


def _told(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.drop_nulls("ours").filter(method="sampler").drop("method", "difference")


def _methods(frame: pl.DataFrame) -> pl.DataFrame:
    names = ["parser", "value"]
    printed = frame.filter(method="sampler").select(*names, "treebanks", "printed", sampler="ours")
    optimised = frame.filter(method="optimised").select(*names, optimised="ours")
    return printed.join(optimised, on=names, how="left", maintain_order="left")


PARTS: tuple[Part, ...] = (
    Part("edv_treebanks", "Distances of UD 2.5", edv_data.treebanks, UD, digits=4),
    Part("edv_values", "Values of EDV (Section 3.1)", edv_data.values, digits=2),
    Part("edv_table1", "Normality (Table 1)", edv_tables.table1, digits=3),
    Part("edv_table2", "Correlations with LAS (Table 2)", edv_tables.table2, digits=3),
    Part("edv_table3", "Correlations of variables (Table 3)", edv_tables.table3, digits=3),
    Part("edv_table4", "Partial correlations (Table 4)", edv_tables.table4, digits=3,
         shown=_coefficients),
    Part("edv_partial", "Partial correlations, with bootstrap", edv_tables.partial, digits=3),
    Part("edv_power", "What 28 treebanks can find", edv_tables.powers),
    Part("edv_table5", "Linear models (Table 5)", edv_tables.table5, digits=3, shown=_fits),
    Part("edv_background", "Background removal (Figs. 7, A.6)", edv_tables.backgrounds, digits=3),
    Part("edv_by_length", "EDV by length and treebank", edv_lengths.by_length, UD, digits=4),
    Part("edv_figure3", "EDV by length (Fig. 3)", edv_lengths.figure3, digits=4, shown=_lengths),
    Part("edv_length_scores", "LAS and EDV by length", edv_lengths.scores, ("r2.9",),
         apart=LENGTHS),
    Part("edv_figure10", "EDV and LAS by length (Fig. 10)", edv_lengths.figure10, digits=3),
    Part("edv_figure10_summary", "Fig. 10 summed up", edv_lengths.figure10_summary, digits=2),
    Part("edv_samples", "EDV of samples (Table D.1)", edv_lengths.samples, UD, digits=4),
    Part("edv_samples_summary", "Table D.1 summed up", edv_lengths.samples_summary, digits=1),
    Part("edv_splits", "Scores on splits", edv_splits.collected, apart=SPLITS),
    Part("edv_deltas", "High less low", edv_splits.deltas, shown=_deltas),
    Part("edv_figure12", "Delta LAS (Figs. 12, 13)", edv_splits.figure12, shown=_methods),
    Part("edv_beside_random", "Beside random splits", edv_splits.beside_random, digits=4),
    Part("edv_table7", "Correlations of delta LAS (Table 7)", edv_splits.table7, digits=3,
         shown=_told),
    Part("edv_sizes", "Sizes of splits (caption of Table 7)", edv_splits.sizes, digits=3),
    Part("edv_figures", "Figures", edv_figures.drawn),
)  # fmt: skip
