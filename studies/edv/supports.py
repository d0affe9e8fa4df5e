"""The masses variant of EDV over several supports, since the paper does not name its bins.

Each support is judged by all figures that the paper prints of EDV over UD 2.5.
"""

from functools import cache
from statistics import fmean, stdev

import numpy as np
import polars as pl

from studies.edv.data import RELEASE, at_hand, scored
from studies.treebanks import release_folder
from treegauge.measures.displacement import Support, edv, edv_masses
from treegauge.papers.edv import normality
from treegauge.statistics.correlation import correlate
from treegauge.statistics.correlation_coefficients import coefficients
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

GIVEN = ("train_words", "mean_test_length")
FAR = 1000  # farther than any arc
# Name, support and limit; without a support, the distance.
SUPPORTS: dict[str, tuple[Support | None, int]] = {
    "distance": (None, 30),
    "masses seen, to 30": ("seen", 30),
    "masses seen, to 20": ("seen", 20),
    "masses seen, to 15": ("seen", 15),
    "masses seen, no limit": ("seen", FAR),
    "61 bins, to 30": ("axis", 30),
    "51 bins, to 25": ("axis", 25),
    "41 bins, to 20": ("axis", 20),
    "31 bins, to 15": ("axis", 15),
    "21 bins, to 10": ("axis", 10),
    "101 bins, to 50": ("axis", 50),
}
PRINTED = {
    "support": "printed", "mean × 1000": 1.35, "sd × 1000": 0.87, "Marathi × 1000": 5.0,
    "W": 0.785, "LAS": -0.492, "LAS given words": -0.265, "LAS given words and length": -0.278,
    "training words": -0.480, "test words": -0.523, "test length": -0.080, "SLV": 0.617,
}  # fmt: skip


@cache
def _sets() -> dict[str, dict[str, Treebank]]:
    root = release_folder(RELEASE)
    return {name: read_splits(root / f"UD_{name}") for name in at_hand()["treebank"]}


def _value(train: Treebank, test: Treebank, support: Support | None, limit: int) -> float:
    if support is None:
        return edv(train, test, limit=limit)
    return edv_masses(train, test, limit=limit, support=support)


def supports() -> pl.DataFrame:
    """Return each figure of EDV that is printed, for each support, on the treebanks at hand."""
    rows: list[dict[str, object]] = [PRINTED]
    for name, (support, limit) in SUPPORTS.items():
        values = {treebank: _value(sets["train"], sets["test"], support, limit) for treebank, sets in _sets().items()}
        rows.append({"support": name, **_figures(values, support)})
    return pl.DataFrame(rows)


def _figures(values: dict[str, float], support: Support | None) -> dict[str, float]:
    of_treebanks = pl.DataFrame({"treebank": list(values), "support": list(values.values())})
    frame = at_hand().join(of_treebanks, on="treebank")
    numbers = [1000 * value for value in values.values()]
    found = correlate(frame, "las", ["support"], GIVEN, resamples=0, cluster="none").rows
    las = [float(str(row.inference.r)) for row in found]
    (shape,) = normality(frame, ["support"])
    slv = {None: "slv", "seen": "slv_masses", "axis": "slv_masses_axis"}[support]

    def with_support(column: str) -> float:
        pair = np.stack([frame["support"].to_numpy(), frame[column].to_numpy()], axis=-1)
        return float(coefficients(pair[np.newaxis].astype(np.float64))[0, 0, 1])

    return {
        "mean × 1000": fmean(numbers), "sd × 1000": stdev(numbers),
        "Marathi × 1000": 1000 * values["Marathi-UFAL"], "W": shape["W"], "LAS": las[0],
        "LAS given words": las[1], "LAS given words and length": las[2],
        "training words": with_support("train_words"), "test words": with_support("test_words"),
        "test length": with_support("mean_test_length"), "SLV": with_support(slv),
    }  # fmt: skip


def slv_supports() -> pl.DataFrame:
    """Return W and the correlation with LAS of SLV by distance and by masses."""
    columns = ("slv", "slv_masses", "slv_masses_axis")
    shapes = {row["variable"]: row["W"] for row in normality(scored(), columns)}
    found = correlate(at_hand(), "las", list(columns), GIVEN, resamples=0, cluster="none").rows
    names = ("distance", "masses seen", "masses, 1 to the longest")
    rows: list[dict[str, object]] = [{"SLV": "printed", "W": 0.686, "LAS": -0.191}]
    for column, name in zip(columns, names, strict=True):
        r = [row.inference.r for row in found if row.variable == column]
        rows.append(
            {"SLV": name, "W": shapes[column], "LAS": r[0], "LAS given words": r[1], "LAS given words and length": r[2]}
        )
    return pl.DataFrame(rows, infer_schema_length=None)
