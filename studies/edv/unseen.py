"""Fig. 9 of the EDV paper: predicted scores of treebanks without a published model.

The line is Table 5's last: log of the training words, mean length of test sentences and EDV. It is
fitted to the published scores of UDPipe 1.2 with gold tags, since our parsers' scores on the
official splits of UD 2.9 (``content_scores``) have gold tags, too.
"""

from functools import cache

import polars as pl

from studies.edv.data import VARIANTS, at_hand, scored
from studies.parts import compared, read_result
from studies.treebanks import release_folder
from treegauge.measures.displacement import edv, edv_masses
from treegauge.statistics.linear_model import Predictions, Regression, regress
from treegauge.treebanks.data.conllu import read_splits

# All treebanks at hand with 100 training sentences or more and no UDPipe 1.2 model for UD 2.5.
UNSEEN = (
    "English-Atis", "Faroese-FarPaHC", "Indonesian-CSUI", "Old_East_Slavic-RNC", "Sanskrit-Vedic",
    "Turkish-FrameNet", "Turkish_German-SAGT", "Welsh-CCG",
)  # fmt: skip
PARSERS = ("udpipe", "beam", "mst")
TARGET = "las_gold_tags"
PREDICTORS = ("train_words", "mean_test_length")
AT_HAND = ", the same treebanks"
MODELS: dict[str, tuple[str, ...]] = {
    "size": PREDICTORS[:1],
    "size, length": PREDICTORS,
    f"size{AT_HAND}": PREDICTORS[:1],
    f"size, length{AT_HAND}": PREDICTORS,
    **{f"size, length, EDV ({variant})": (*PREDICTORS, column) for column, variant in VARIANTS.items()},
}
"""Lines without EDV are fitted to all scores, and to those of the treebanks with an EDV."""
DRAWN = "size, length, EDV (distance)"


def unseen() -> pl.DataFrame:
    """Measure the treebanks without a published model, next to our parsers' scores."""
    measured = []
    for name in UNSEEN:
        sets = read_splits(release_folder("r2.9") / f"UD_{name}")
        train, test = sets["train"], sets["test"]
        measured.append(
            {"treebank": name, "train_words": train.n_words,
             "mean_test_length": test.n_words / len(test), "edv": edv(train, test),
             "edv_masses": edv_masses(train, test),
             "edv_masses_axis": edv_masses(train, test, support="axis")}
        )  # fmt: skip
    las = read_result("content_scores").pivot("parser", index="treebank", values="las")
    las = las.with_columns(pl.col("treebank").str.strip_prefix("UD_")).select("treebank", *PARSERS)
    return pl.DataFrame(measured).join(las, on="treebank", how="left", maintain_order="left")


@cache
def fitted(model: str) -> Regression:
    """Fit a line to published scores: of all 94 treebanks, or of those that have an EDV here."""
    frame = at_hand() if "EDV" in model or model.endswith(AT_HAND) else scored()
    return regress(frame, TARGET, list(MODELS[model]), log=["train_words"], cluster="none")  # as the paper


def predictions(model: str, parser: str) -> Predictions:
    """Predict the scores of the unseen treebanks that a parser was run on."""
    frame = read_result("edv_unseen").drop_nulls(parser).with_columns(pl.col(parser).alias(TARGET))
    return fitted(model).predict(frame.drop(PARSERS))


def figure9() -> pl.DataFrame:
    """Return predicted and actual LAS by treebank, for the line with EDV by its definition."""
    tables = {parser: predictions(DRAWN, parser).table for parser in PARSERS}
    return pl.concat(table.select(pl.lit(parser).alias("parser"), pl.all()) for parser, table in tables.items())


def figure9_errors() -> pl.DataFrame:
    """Return the mean absolute error of each line, next to the printed one."""
    rows: list[dict[str, object]] = []
    for parser in PARSERS:
        for model in MODELS:
            found = predictions(model, parser)
            printed = "11.05" if parser == "udpipe" and model.endswith("(masses)") else None
            rows.append(
                {"parser": parser, "line": model, "fitted to": fitted(model).summary["n"],
                 "predicted": len(found.labels), "printed": printed,
                 "ours": found.mean_absolute_error,
                 "why": "other treebanks (there 11 of UD 2.7), gold tags, a line of 35 treebanks"}
            )  # fmt: skip
    return compared(rows)
