"""Section 5 and Appendices B and C of the EDV paper: morphology, crossings, types and tokens."""

import polars as pl

from studies.edv.data import MARGIN, VARIANTS, allows, at_hand
from studies.parts import compared
from studies.verdicts import Why
from treegauge.statistics.correlation import Association, correlate

# The mean of the score over UD 2.5, as Section 5 prints it; more than that is complex.
MEAN = 0.57
STATISTICS = ("r", "low", "high", "r2", "adjusted_r2", "p_value", "power")
# Set, given: the cells of Table 6, UDPipe 1.2; None where a p-value is printed as < 0.001.
TABLE6: dict[tuple[str, str], tuple[str | None, ...]] = {
    ("complex", ""): ("-0.678", "-0.80", "-0.49", "0.459", "0.448", None, "1.000"),
    ("not", ""): ("-0.073", "-0.36", "0.23", "0.005", "-0.018", "0.636", "0.076"),
    ("full", ""): ("-0.492", "-0.63", "-0.32", "0.242", "0.234", None, "0.999"),
    ("complex", "train_words"): ("-0.481", "-0.67", "-0.23", "0.231", "0.199", None, "0.948"),
    ("not", "train_words"): ("0.163", "-0.14", "0.44", "0.027", "-0.021", "0.296", "0.182"),
    ("full", "train_words"): ("-0.265", "-0.44", "-0.06", "0.070", "0.050", "0.010", "0.735"),
}
# Scores that Section 5 prints.
PRINTED_MC = {"Galician-TreeGal": "0.55"}
# Appendix C, UD 2.5. The text at hand has 48 of the 50 names and ends at Turkish-IMST; those left
# after it in the alphabet are Ukrainian-IU, Urdu-UDTB, Uyghur-UDT, Vietnamese-VTB and Wolof-WTB.
COMPLEX = (
    "Ancient_Greek-PROIEL", "Ancient_Greek-Perseus", "Armenian-ArmTDP", "Basque-BDT",
    "Belarusian-HSE", "Bulgarian-BTB", "Croatian-SET", "Czech-CAC", "Czech-CLTT", "Czech-FicTree",
    "Czech-PDT", "Estonian-EDT", "Estonian-EWT", "Finnish-FTB", "Finnish-TDT", "German-HDT",
    "Gothic-PROIEL", "Greek-GDT", "Hungarian-Szeged", "Irish-IDT", "Latin-ITTB", "Latin-PROIEL",
    "Latin-Perseus", "Latvian-LVTB", "Lithuanian-ALKSNIS", "Lithuanian-HSE", "Maltese-MUDT",
    "Marathi-UFAL", "North_Sami-Giella", "Old_Church_Slavonic-PROIEL", "Old_French-SRCMF",
    "Old_Russian-TOROT", "Persian-Seraji", "Polish-LFG", "Polish-PDB", "Portuguese-GSD",
    "Romanian-Nonstandard", "Romanian-RRT", "Russian-GSD", "Russian-SynTagRus", "Russian-Taiga",
    "Serbian-SET", "Slovak-SNK", "Slovenian-SSJ", "Slovenian-SST", "Tamil-TTB", "Telugu-MTG",
    "Turkish-IMST",
)  # fmt: skip
LAST = "Turkish-IMST"
# Variable: coefficient, limits, p-value and power of Table B.1, UD 2.5.
TABLE_B1 = {
    "mean_crossings": ("0.126", "-0.08", "0.32", "0.228", "0.227"),
    "ttr": ("-0.048", "-0.25", "0.16", "0.644", "0.075"),
}


def subset(name: str) -> pl.DataFrame:
    """Return the treebanks at hand that are morphologically complex, those that are not, or all.

    Telugu-MTG has no lemmas and no score; it is complex, as listed.
    """
    listed = pl.col("treebank").is_in(list(COMPLEX))
    is_complex = (pl.col("mc_published") > MEAN).fill_null(listed)
    masks = {"complex": is_complex, "not": ~is_complex, "full": pl.lit(True)}
    return at_hand().filter(masks[name])


def complexity() -> pl.DataFrame:
    """Set the classes of Appendix C next to ours; the printed score where there is one."""
    rows: list[dict[str, object]] = []
    for row in at_hand().sort("treebank").iter_rows(named=True):
        name, score = row["treebank"], row["mc_published"]
        listed = "complex" if name in COMPLEX else "not" if name <= LAST else "list cut off"
        ours = "no lemmas" if score is None else "complex" if score > MEAN else "not"
        rows.append(
            {"treebank": name, "listed": listed, "by our score": ours,
             "printed": PRINTED_MC.get(name), "ours": score, "why": "unexplained"}
        )  # fmt: skip
    return compared(rows)


def complexity_summary() -> pl.DataFrame:
    """Count the treebanks whose class is the listed one."""
    table = complexity().filter(pl.col("listed") != "list cut off", pl.col("ours").is_not_null())
    other = table.filter(pl.col("listed") != pl.col("by our score"))
    return pl.DataFrame(
        {"treebanks in the list's range": [table.height],
         "classified as listed": [table.height - other.height],
         "others": [", ".join(other["treebank"]) or None]}
    )  # fmt: skip


def ranges() -> pl.DataFrame:
    """Return how far EDV ranges among morphologically complex treebanks and among the others."""
    rows: list[dict[str, object]] = []
    for column, variant in VARIANTS.items():
        for name in ("complex", "not"):
            values = 1000 * subset(name)[column].to_numpy()
            rows.append(
                {"variant": variant, "set": name, "treebanks": len(values),
                 "smallest × 1000": values.min(), "largest × 1000": values.max(),
                 "sd × 1000": values.std(ddof=1)}
            )  # fmt: skip
    return pl.DataFrame(rows)


def table6() -> pl.DataFrame:
    """Correlate EDV and LAS among morphologically complex treebanks and among the others."""
    rows: list[dict[str, object]] = []
    for (name, given), cells in TABLE6.items():
        frame = subset(name)
        found = correlate(frame, "las", list(VARIANTS), [given] if given else [], resamples=0, cluster="none")
        wanted = {row.variable: row for row in found.rows if len(row.given) == bool(given)}
        for column, variant in VARIANTS.items():
            one = wanted[column]
            for statistic, printed in zip(STATISTICS, cells, strict=True):
                rows.append(
                    {"set": name, "variant": variant, "given": given or "nothing",
                     "treebanks": one.n, "statistic": statistic, "printed": printed,
                     "ours": getattr(one.inference, statistic),
                     "why": _why(statistic, printed, column, wanted)}
                )  # fmt: skip
    return compared(rows)


def _why(statistic: str, printed: str | None, column: str, found: dict[str, Association]) -> str:
    one = found[column]
    if statistic != "r" or printed is None:
        return f"follows from the coefficient and {one.n} treebanks"
    low, high = one.inference.low, one.inference.high
    interval = f"95 % interval of ours, from {one.n} treebanks: {low:.2f} to {high:.2f}"
    bins = found["edv_masses_axis"].inference
    if not allows(one.inference, printed):
        tried = f"over all bins {bins.r:.3f}, " if column == "edv_masses" else ""
        interval = f"{tried}outside the {interval}"
    return Why(interval, least=low, most=high, margin=MARGIN)


def table_b1() -> pl.DataFrame:
    """Correlate crossings and type/token ratio of the training set with EDV."""
    rows: list[dict[str, object]] = []
    for variable, cells in TABLE_B1.items():
        found = {
            column: correlate(at_hand(), column, [variable], resamples=0, cluster="none").rows[0] for column in VARIANTS
        }
        for column, variant in VARIANTS.items():
            one = found[column]
            for statistic, printed in zip(("r", "low", "high", "p_value", "power"), cells, strict=True):
                rows.append(
                    {"variable": variable, "variant": variant, "treebanks": one.n,
                     "statistic": statistic, "printed": printed,
                     "ours": getattr(one.inference, statistic),
                     "why": _why(statistic, printed, column, found)}
                )  # fmt: skip
    return compared(rows)
