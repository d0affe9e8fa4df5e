"""The Fragility paper (Alonso-Alonso, Vilares and Gómez-Rodríguez 2022), table by table.

Experiment 1 is in ``fragility_table1`` and ``fragility_exp1``, Experiment 2 in ``fragility_ranks``
(Tables 3 and 4, figures), ``fragility_outliers`` (Tables 5 and 6) and ``fragility_metrics`` (all 13
metrics); ``fragility_table2`` is on gold tags, ``fragility_speed`` on speed, and
``fragility_claims`` gathers what follows for the paper's statements.
"""

from functools import partial

import polars as pl

from studies.fragility import claims as fragility_claims
from studies.fragility import exp1 as fragility_exp1
from studies.fragility import metrics as fragility_metrics
from studies.fragility import outliers as fragility_outliers
from studies.fragility import ranks as fragility_ranks
from studies.fragility import shift as fragility_shift
from studies.fragility import speed as fragility_speed
from studies.fragility import table1 as fragility_table1
from studies.fragility import table2 as fragility_table2
from studies.parts import Part


def close(frame: pl.DataFrame) -> pl.DataFrame:
    """Show only the two parsers that are close."""
    return frame.filter(pair="gb-DM17 > tb-FG19").drop("pair")


def short(frame: pl.DataFrame) -> pl.DataFrame:
    """Show the figures that the text discusses."""
    return frame.select("systems", "metric", "inverted", "mean sd", "mean change", "same leader", "gap", "noise")


PARTS = (
    *(
        Part(
            f"fragility_table1_{metric}",
            f"Table 1, {metric.upper()}: averages and error reductions on eight subsets",
            partial(fragility_table1.table1, metric),
            shown=fragility_table1.wide,
        )
        for metric in fragility_table1.METRICS
    ),
    Part("fragility_table1_implied", "Scores that the printed rows imply", fragility_table1.implied,
         digits=3),
    Part("fragility_table2", "Table 2: gold tags", fragility_table2.table2),
    Part("fragility_d21", "Labelling against transition-based parsing on D21, gold tags",
         fragility_table2.d21, shown=fragility_table2.means_first),
    Part("fragility_shift", "D21 with gold tags, if Tamil accounts for AG20",
         fragility_shift.shift),
    Part("fragility_easy", "Who belongs to Easy", fragility_exp1.chosen_as_easy),
    Part("fragility_table1_redone", "Table 1 from the scores at hand", fragility_exp1.redone),
    Part("fragility_exp1_subsets", "Three parsers over all subsets of 47 treebanks",
         fragility_exp1.all_subsets, shown=close, digits=4),
    Part("fragility_exp1_difficulty", "Error reductions and how easy treebanks are",
         fragility_exp1.difficulty, digits=3),
    Part("fragility_table3", "Table 3: ranks by LAS, sampled and over all subsets",
         fragility_ranks.table3, shown=fragility_ranks.laid_out),
    Part("fragility_rank_sets", "Confidence sets of ranks by LAS", fragility_ranks.rank_sets),
    Part("fragility_table4", "What Table 4 holds: ranks by BLEX", fragility_ranks.table4, digits=3),
    Part("fragility_boxes", "Figures 1 and 2: boxes and whiskers", fragility_ranks.boxes, digits=1),
    Part("fragility_figure1", "Figure 1 as the text describes it", fragility_ranks.figure1,
         digits=1),
    Part("fragility_table5", "Table 5: six subsets, ranked and counted again",
         fragility_outliers.table5, digits=0),
    Part("fragility_table6", "Table 6: what is in extreme subsets", fragility_outliers.table6,
         shown=fragility_outliers.wide6),
    Part("fragility_chances", "Chances of many treebanks of a class", fragility_outliers.chances,
         digits=6),
    Part("fragility_classes", "Exact mean ranks by class of treebanks",
         fragility_outliers.by_class),
    Part("fragility_metrics", "Stability of rankings by 13 metrics", fragility_metrics.by_metric,
         digits=3),
    Part("fragility_metrics_systems", "Stability by five metrics on the same systems",
         fragility_metrics.by_systems, shown=short, digits=3),
    Part("fragility_metrics_treebanks", "LAS and BLEX without a fifth of the treebanks",
         fragility_metrics.by_treebanks, digits=3),
    Part("fragility_metrics_sd", "Standard deviation of ranks by LAS and BLEX",
         fragility_metrics.by_system),
    Part("fragility_claims", "The paper's claims over all subsets", fragility_claims.claims),
    *fragility_speed.PARTS,
)  # fmt: skip
