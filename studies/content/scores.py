"""Table 3 and Figure 5 of the Content paper with our parsers, and weights."""

from typing import Any

import numpy as np
import polars as pl

from studies.content.data import CHOICES, PARSERS, by_chance, chance, chosen
from studies.content.malt import MALT
from studies.content.maltparser import COLUMNS, METRICS, printed_pairs
from studies.parts import compared, read_result
from treegauge.papers.of_scores import content_correlations
from treegauge.statistics.probabilities import cumulative_variance

DEFINITIONS = {"heads only": "_head", "relations only": "_relation"}
"""Endings of columns of precision and recall if only the head, or the relation, must be correct."""


def some(parser: str, choice: str) -> pl.DataFrame:
    """Return a parser's scores on some treebanks."""
    kept = pl.col("treebank").is_in(chosen(choice))
    table = read_result(MALT if parser == "malt" else "content_scores")
    return table.filter(kept, pl.col("parser") == parser)


def matrix() -> pl.DataFrame:
    """Correlate shares and scores over treebanks next to Table 3."""
    rows = []
    printed = printed_pairs()
    for parser in PARSERS:
        for choice in CHOICES:
            frame = some(parser, choice)
            if frame.height < 10:
                continue
            others = {name: _pairs(frame, ending) for name, ending in DEFINITIONS.items() if parser == "malt"}
            rows += [
                {"parser": parser, "treebanks": choice, "x": x, "y": y,
                 "n": pair["n"], "low": pair["low"], "high": pair["high"],
                 **{name: others[name][x, y]["r"] if others else None for name in DEFINITIONS},
                 "printed": printed[x, y], "ours": pair["r"]}
                for (x, y), pair in _pairs(frame).items()
            ]  # fmt: skip
    return compared(rows, by_chance)


def _pairs(frame: pl.DataFrame, ending: str = "") -> dict[tuple[str, str], dict[str, Any]]:
    """Return correlations of all pairs of columns, of precision and recall by one definition."""
    columns = {name: ours + ending * ours.endswith(("precision", "recall")) for name, ours in COLUMNS.items()}
    return {(pair["x"], pair["y"]): pair for pair in content_correlations(frame, columns).pairs}


def agreement() -> pl.DataFrame:
    """Sum up Table 3: how many cells chance alone may set apart, and how ours and theirs agree."""
    rows = []
    for (parser, choice), cells in read_result("content_matrix").group_by("parser", "treebanks", maintain_order=True):
        printed = cells["printed"].cast(pl.Float64)
        inside = (cells["low"] <= printed) & (printed <= cells["high"])
        near = [
            chance(printed, ours, n) > 0.05 for printed, ours, n in cells.select("printed", "ours", "n").iter_rows()
        ]
        rows.append(
            {"parser": parser, "treebanks": choice, "n": cells["n"][0], "cells": cells.height,
             "within_interval": int(inside.sum()),
             "within_chance": sum(near),
             "same_sign": int((printed * cells["ours"] > 0).sum()),
             "mean_difference": float(np.abs(cells["difference"].to_numpy()).mean()),
             "r": float(np.corrcoef(printed, cells["ours"])[0, 1])}
        )  # fmt: skip
    return pl.DataFrame(rows)


def variance() -> pl.DataFrame:
    """Return the variance of scores over the best 2, 3, ... treebanks by LAS (Figure 5)."""
    frames = []
    for parser in PARSERS:
        for choice in CHOICES:
            frame = some(parser, choice).sort("las", descending=True)
            found = {name: cumulative_variance(frame[name], by=frame["las"]) for name in METRICS}
            places = {"parser": parser, "treebanks": choice}
            names = [pl.lit(value).alias(name) for name, value in places.items()]
            frames.append(
                pl.DataFrame({"best": range(2, frame.height + 1), "added": frame["treebank"][1:]})
                .with_columns(*(pl.Series(name, one) for name, one in found.items()))
                .select(*names, pl.all())
            )
    return pl.concat(frames)


def spread() -> pl.DataFrame:
    """Set the variance of each score against that of LAS, among the best ten and all."""
    found, rows = read_result("content_variance"), []
    for (parser, choice), group in found.group_by("parser", "treebanks", maintain_order=True):
        last = int(group["best"].to_numpy().max())
        for best in dict.fromkeys(k for k in (5, 10, last) if k <= last):
            row = group.filter(best=best).row(0, named=True)
            summary = {"parser": parser, "treebanks": choice, "best": best}
            summary["which"] = "all" if best == last else f"best {best}"
            summary |= {"las": row["las"]}
            rows.append(summary | {f"{name} / las": row[name] / row["las"] for name in METRICS[1:]})
    return pl.DataFrame(rows)


def weights() -> pl.DataFrame:
    """Set WLAS with one set of weights for all next to WLAS with each treebank's own weights."""
    rows = []
    for parser in PARSERS:
        for choice in CHOICES:
            frame = some(parser, choice)
            one, own, las = (frame[name].to_numpy() for name in ("wlas", "wlas_own", "las"))
            order, other = (np.argsort(np.argsort(-values)) for values in (one, own))
            rows.append(
                {"parser": parser, "treebanks": choice, "n": frame.height,
                 "las": las.mean(), "wlas": one.mean(), "wlas_own": own.mean(),
                 "largest_difference": np.abs(one - own).max(),
                 "r_own": np.corrcoef(one, own)[0, 1], "r_las": np.corrcoef(one, las)[0, 1],
                 "places_moved": int(np.abs(order - other).max())}
            )  # fmt: skip
    return pl.DataFrame(rows)
