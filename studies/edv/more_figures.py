"""Figures of the EDV study about distributions, unseen treebanks, morphology and samples."""

from collections.abc import Callable, Mapping
from functools import partial

import polars as pl

from studies.edv import whole as edv_whole
from studies.edv.data import RELEASE, at_hand, scored
from studies.edv.drawing import distributions
from studies.edv.morphology import subset
from studies.edv.unseen import DRAWN, predictions
from studies.parts import read_result
from studies.treebanks import release_folder
from treegauge.measures.displacement import displacement_shares
from treegauge.reporting.figures.analysis import predictions as predicted_plot
from treegauge.reporting.figures.analysis import scatter
from treegauge.reporting.figures.theme import SIDE, Spec, category, faceted, mark, quantity, themed
from treegauge.treebanks.data.conllu import read_splits

# Largest and smallest EDV by masses among the treebanks at hand; Catalan-AnCora is not.
EXAMPLES = ("Marathi-UFAL", "Turkish-IMST")
VARIABLES = ("las", "train_words", "edv", "edv_masses", "mean_test_length", "slv", "test_words")
FIRST = 3  # panels of Fig. A.7 have at least so many treebanks


def shares() -> pl.DataFrame:
    """Return the displacements from -10 to 10 in training and test set of two treebanks."""
    rows = []
    for name in EXAMPLES:
        sets = read_splits(release_folder(RELEASE) / f"UD_{name}")
        for part in ("train", "test"):
            rows += [
                {"treebank": name, "set": part, "displacement": int(place), "share": share}
                for place, share in displacement_shares(sets[part]).items()
                if abs(int(place)) <= 10
            ]
    return pl.DataFrame(rows)


def displacements() -> Spec:
    """Draw the displacements of training and test set side by side (Fig. 2)."""
    rows = read_result("edv_figure2").to_dicts()
    encoding = {
        "x": {"field": "displacement", "type": "ordinal", "title": "displacement"},
        "xOffset": {"field": "set"}, "y": quantity("share", "share"), "color": category("set"),
    }  # fmt: skip
    inner = {"width": 420, "height": 160, **mark("bar", encoding)}
    title = "Displacements of training and test set"
    return themed(faceted(rows, "treebank", 1, inner), title, "edv_figure2", False)


def variables() -> Spec:
    """Draw the distribution of each variable (Fig. A.2)."""
    return distributions(scored(), VARIABLES)


def unseen() -> Spec:
    """Draw predicted and actual LAS of treebanks without a published model (Fig. 9)."""
    return predicted_plot(predictions(DRAWN, "beam"))


def morphology() -> Spec:
    """Draw LAS against EDV of morphologically complex treebanks and of the others (Fig. 11)."""
    plots = [scatter(subset(name), "las", ["edv", "edv_masses"]) for name in ("complex", "not")]
    panels = [panel for plot in plots for panel in plot["concat"]]
    title = "LAS against EDV: complex treebanks above, others below"
    return plots[0] | {"title": {"text": title, "anchor": "start"}, "concat": panels, "columns": 2}


def crossings_and_types(column: str) -> Spec:
    """Draw EDV against crossings and type/token ratio of the training set (Fig. B.1)."""
    return scatter(at_hand(), column, ["mean_crossings", "ttr"])


def low_and_high() -> Spec:
    """Draw LAS on low and high splits of whole treebanks as boxes (Fig. 13)."""
    frame = edv_whole.deltas().select("parser", "treebank", "las low", "las high")
    rows = frame.unpivot(
        ["las low", "las high"], index=["parser", "treebank"], variable_name="split", value_name="las"
    ).to_dicts()
    encoding = {"x": category("split", sort=["las low", "las high"]), "y": quantity("las", "LAS")}
    inner = {"width": 120, "height": SIDE, **mark("boxplot", encoding, extent="min-max")}
    return themed(faceted(rows, "parser", 3, inner), "LAS on low and high splits", "edv_whole", False)


def by_length() -> Spec:
    """Draw LAS against EDV for each sentence length, our transition parser (Fig. A.7)."""
    frame = read_result("edv_length_scores").filter(parser="beam")
    enough = frame.group_by("length").len().filter(pl.col("len") >= FIRST)["length"].to_list()
    rows = frame.filter(pl.col("length").is_in(enough)).select("length", "treebank", "edv", "las")
    encoding = {"x": quantity("edv", "EDV"), "y": quantity("las", "LAS")}
    inner = {"width": 90, "height": 90, **mark("point", encoding, size=12)}
    title = "LAS against EDV by sentence length"
    return themed(faceted(rows.to_dicts(), "length", 7, inner), title, "edv_length_scores", False)


def samples() -> Spec:
    """Draw mean and sd of EDV over samples of each size (Fig. D.1)."""
    frame = read_result("edv_samples").filter(variant="distance").with_columns(
        low=pl.col("mean") - pl.col("sd"), high=pl.col("mean") + pl.col("sd")
    )  # fmt: skip
    rows = frame.select("treebank", "sample", "mean", "low", "high").to_dicts()
    x = {"field": "sample", "type": "ordinal", "title": "sentences in the sample"}
    layers = [
        mark("rule", {"x": x, "y": quantity("low", "EDV"), "y2": {"field": "high"}}),
        mark("point", {"x": x, "y": quantity("mean", "EDV")}, filled=True, size=30),
    ]
    inner = {"width": 150, "height": 120, "layer": layers}
    title = "EDV of samples of the training set, mean and sd"
    return themed(faceted(rows, "treebank", 3, inner), title, "edv_samples", False)


MORE: Mapping[str, Callable[[], Spec]] = {
    "edv_figure2": displacements,
    "edv_figure9": unseen,
    "edv_figure11": morphology,
    "edv_figure13": low_and_high,
    "edv_figureA2": variables,
    "edv_figureA7": by_length,
    "edv_figureB1": partial(crossings_and_types, "edv"),
    "edv_figureB1_masses": partial(crossings_and_types, "edv_masses"),
    "edv_figureD1": samples,
}
