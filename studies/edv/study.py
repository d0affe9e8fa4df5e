"""The EDV paper replicated: displacement distances, parsing scores, and splits by EDV."""

import polars as pl

from studies.edv import data as edv_data
from studies.edv import derived as edv_derived
from studies.edv import figures as edv_figures
from studies.edv import lengths as edv_lengths
from studies.edv import more_figures as edv_more_figures
from studies.edv import morphology as edv_morphology
from studies.edv import orders as edv_orders
from studies.edv import second as edv_second
from studies.edv import splits as edv_splits
from studies.edv import supports as edv_supports
from studies.edv import tables as edv_tables
from studies.edv import unseen as edv_unseen
from studies.edv import whole as edv_whole
from studies.parts import Part, kept

UD = ("r2.5",)
SPLITS = (
    "long: treegauge run studies/edv/splits_mst.toml --trust --store ../runs/splits_mst, the same for "
    "beam and "
    "udpipe, then python -m studies edv_splits; 2 h 20 min on a core shared with other work"
)
LENGTHS = (
    "long: treegauge run studies/content/all_treebanks_beam.toml --store ../runs/all_treebanks/beam, the "
    "same for mst and udpipe, then python -m studies edv_length_scores; 3 s after these runs"
)

RUNS = (
    "long: python -m studies.edv.runs, seed 0 and some of seeds 1 and 2; the rows that are "
    "kept took 3 h 35 min of one core, all trainings that it lists about 10 h"
)
GRADED = "long: python -m studies edv_graded; 107 s of processor time"
ORDERS = "long: python -m studies.edv.curriculum, seeds 0 to 2; 232 s of one core"


def _once(frame: pl.DataFrame) -> pl.DataFrame:
    """Count a printed number once: next to the masses where there are several variants of EDV."""
    once = frame.filter(pl.col("variant").is_null() | (pl.col("variant") == "masses"))
    return once.filter(statistic="r") if "statistic" in frame.columns else once


def _fitted_once(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("variant").is_null() | (pl.col("variant") == "masses"))


def _beam(frame: pl.DataFrame) -> pl.DataFrame:
    return _once(frame.filter(pl.col("parser").is_in(["none", "beam"])))


def _udpipe(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(parser="udpipe ud2.0")


def _uncounted(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.clear()


def _coefficients(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("statistic").is_in(["r", "p_value"]))


def _misprints(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("why").str.starts_with("misprint"))


def _by_treebank(frame: pl.DataFrame) -> pl.DataFrame:
    """Show delta LAS of each parser, and how far apart the splits are."""
    wide = frame.pivot("parser", index="treebank", values="dLAS")
    edv = frame.group_by("treebank").agg(pl.col("dEDV", "dEDV masses").mean())
    return wide.join(edv, on="treebank").sort("treebank")


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


def _limits(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.rename({"low": "from", "high": "to"})


def _sampler(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.drop_nulls("ours").filter(method="sampler").drop("method", "difference")


def _methods(frame: pl.DataFrame) -> pl.DataFrame:
    names = ["parser", "value"]
    printed = frame.filter(method="sampler").select(*names, "treebanks", "printed", sampler="ours")
    optimised = frame.filter(method="optimised").select(*names, optimised="ours")
    return printed.join(optimised, on=names, how="left", maintain_order="left")


PARTS: tuple[Part, ...] = (
    Part("edv_treebanks", "Distances of UD 2.5", edv_data.treebanks, UD, digits=4),
    Part("edv_values", "Values of EDV (Section 3.1)", edv_data.values, digits=2, counted=_once),
    Part("edv_figure2", "Displacements of two treebanks (Fig. 2)", edv_more_figures.shares, UD,
         digits=4),
    Part("edv_supports", "EDV by masses over several supports", edv_supports.supports, UD,
         digits=3),
    Part("edv_slv", "SLV by distance and by masses", edv_supports.slv_supports, digits=3),
    Part("edv_table1", "Normality (Table 1)", edv_tables.table1, digits=3, counted=_once),
    Part("edv_table2", "Correlations with LAS (Table 2)", edv_tables.table2, digits=3,
         counted=_once),
    Part("edv_table3", "Correlations of variables (Table 3)", edv_tables.table3, digits=3,
         counted=_once),
    Part("edv_table4", "Partial correlations (Table 4)", edv_tables.table4, digits=3,
         shown=_coefficients, counted=_once),
    Part("edv_partial", "Partial correlations, with bootstrap", edv_tables.partial, digits=3),
    Part("edv_power", "What 35 treebanks can find", edv_tables.powers),
    Part("edv_table5", "Linear models (Table 5)", edv_tables.table5, digits=3, shown=_fits,
         counted=_fitted_once),
    Part("edv_background", "Background removal (Figs. 7, A.6)", edv_tables.backgrounds, digits=3,
         counted=_once),
    Part("edv_table6", "Morphologically complex treebanks (Table 6)", edv_morphology.table6,
         digits=3, shown=_coefficients, counted=_once),
    Part("edv_complexity", "Morphological complexity (Appendix C)", edv_morphology.complexity,
         digits=3),
    Part("edv_complexity_summary", "Classes of Appendix C", edv_morphology.complexity_summary),
    Part("edv_ranges", "EDV of complex treebanks and others (Fig. 11)", edv_morphology.ranges),
    Part("edv_table_b1", "Crossings and types (Table B.1)", edv_morphology.table_b1, digits=3,
         shown=_coefficients, counted=_once),
    Part("edv_by_length", "EDV by length and treebank", edv_lengths.by_length, UD, digits=4),
    Part("edv_figure3", "EDV by length (Fig. 3)", edv_lengths.figure3, digits=4, shown=_lengths),
    Part("edv_length_scores", "LAS and EDV by length", edv_lengths.scores, ("r2.9",),
         apart=LENGTHS),
    Part("edv_figure10", "EDV and LAS by length (Fig. 10)", edv_lengths.figure10, digits=3),
    Part("edv_figure10_summary", "Fig. 10 summed up", edv_lengths.figure10_summary, digits=2),
    Part("edv_samples", "EDV of samples (Table D.1)", edv_lengths.samples, UD, digits=4),
    Part("edv_samples_summary", "Table D.1 summed up", edv_lengths.samples_summary, digits=1),
    kept("edv_runs", "Scores on splits of whole treebanks", RUNS),
    Part("edv_whole", "High less low, whole treebanks", edv_whole.deltas, shown=_by_treebank,
         digits=4),
    Part("edv_whole_distances", "High less low, sizes and distances of 36 treebanks",
         edv_whole.distances, ("r2.5", "r2.9"), digits=4),
    Part("edv_whole_figure12", "Delta LAS (Figs. 12, 13), whole treebanks", edv_whole.figure12,
         counted=_udpipe),
    Part("edv_whole_table7", "Correlations of delta LAS (Table 7), whole treebanks",
         edv_whole.table7, digits=3, counted=_beam),
    Part("edv_whole_sizes", "Sizes of splits (caption of Table 7)", edv_whole.sizes, digits=3),
    Part("edv_whole_random", "Low, high and random splits, whole treebanks",
         edv_whole.beside_random, digits=4),
    Part("edv_unseen", "Treebanks without a published model", edv_unseen.unseen, ("r2.9",),
         digits=4),
    Part("edv_figure9", "Predicted and actual LAS (Fig. 9)", edv_unseen.figure9),
    Part("edv_figure9_errors", "Errors of predicted LAS (Fig. 9)", edv_unseen.figure9_errors),
    kept("edv_curriculum_runs", "Sentences in several orders, each training", ORDERS),
    Part("edv_curriculum", "Sentences in several orders", edv_orders.orders),
    Part("edv_derived", "Cells that follow from coefficients (Tables 4, 6, 7, B.1)",
         edv_derived.derived, digits=3, shown=_misprints),
    Part("edv_derived_summary", "Cells that follow, counted", edv_derived.derived_summary),
    Part("edv_splits", "Scores on splits", edv_splits.collected, apart=SPLITS),
    Part("edv_graded", "Scores of splits at five levels of EDV", edv_splits.graded, ("r2.9",), apart=GRADED),
    Part("edv_graded_slopes", "Change of LAS per unit of EDV", edv_splits.graded_slopes, shown=_limits),
    Part("edv_deltas", "High less low", edv_splits.deltas, shown=_deltas),
    Part("edv_figure12", "Delta LAS (Figs. 12, 13)", edv_splits.figure12, shown=_methods,
         counted=_uncounted),
    Part("edv_beside_random", "Low, high and random splits", edv_splits.beside_random, digits=4),
    Part("edv_table7", "Correlations of delta LAS (Table 7)", edv_splits.table7, digits=3,
         shown=_sampler, counted=_uncounted),
    Part("edv_figures", "Figures", edv_figures.drawn),
    Part("edv_ud26_treebanks", "Distances of UD 2.6", edv_second.treebanks, ("r2.6",), digits=4),
    Part("edv_ud26_values", "Values of EDV, UD 2.6 (Section 3.1)", edv_second.values, digits=2, counted=_once),
    Part("edv_ud26_cells", "UDPipe 2 and UD 2.6 (Tables 1 to 6 and B.1, Figs. 8 and A.3)", edv_second.cells,
         digits=3, counted=_fitted_once),
    Part("edv_ud26_figures", "Figures, UD 2.6", edv_second.drawn, ("r2.6",)),
)  # fmt: skip
