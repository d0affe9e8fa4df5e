"""Cells of Tables 4, 6, 7 and B.1 that follow from their coefficients, for both parsers.

Intervals, squares, p-values and power need the printed coefficient and the number of treebanks
only, so that the half of the tables about UDPipe 2.0 and UD 2.6 can be checked too.
"""

from collections.abc import Iterator

import polars as pl

from studies.parts import beyond_rounding, compared
from studies.verdicts import CONSISTENT, Why
from treegauge.statistics.correlation_coefficients import inference

COLUMNS = ("low", "high", "r2", "adjusted_r2", "p_value", "power")
LESS = "<"
# Table; row; treebanks; covariates; coefficient; COLUMNS as printed, "<" for < 0.001, "-" for none.
PRINTED = """
4; UDPipe 1.2; 94; 0; -0.492; -0.63 -0.32 0.242 0.234 < 0.999
4; UDPipe 1.2, given words; 94; 1; -0.265; -0.44 -0.06 0.070 0.050 0.010 0.735
4; UDPipe 1.2, given words and length; 94; 2; -0.278; -0.46 -0.08 0.077 0.047 0.007 0.773
4; UDPipe 2.0; 90; 0; -0.466; -0.61 -0.29 0.217 0.208 < 0.997
4; UDPipe 2.0, given words; 90; 1; -0.290; -0.47 -0.09 0.084 0.063 0.006 0.796
4; UDPipe 2.0, given words and length; 90; 2; -0.312; -0.49 -0.11 0.097 0.066 0.003 0.849
6; UDPipe 1.2, complex; 50; 0; -0.678; -0.80 -0.49 0.459 0.448 < 1.000
6; UDPipe 1.2, not; 44; 0; -0.073; -0.36 0.23 0.005 -0.018 0.636 0.076
6; UDPipe 1.2, full; 94; 0; -0.492; -0.63 -0.32 0.242 0.234 < 0.999
6; UDPipe 1.2, complex, given words; 50; 1; -0.481; -0.67 -0.23 0.231 0.199 < 0.948
6; UDPipe 1.2, not, given words; 44; 1; 0.163; -0.14 0.44 0.027 -0.021 0.296 0.182
6; UDPipe 1.2, full, given words; 94; 1; -0.265; -0.44 -0.06 0.070 0.050 0.010 0.735
6; UDPipe 2.0, complex; 47; 0; -0.624; -0.77 -0.41 0.389 0.376 < 0.998
6; UDPipe 2.0, not; 43; 0; -0.118; -0.40 0.19 0.014 -0.010 0.450 0.118
6; UDPipe 2.0, full; 90; 0; -0.466; -0.61 -0.29 0.217 0.208 < 0.997
6; UDPipe 2.0, complex, given words; 47; 1; -0.466; -0.64 -0.16 0.183 0.146 0.003 0.857
6; UDPipe 2.0, not, given words; 43; 1; -0.008; -0.31 0.30 0.000 -0.050 0.958 0.050
6; UDPipe 2.0, full, given words; 90; 1; -0.290; -0.47 -0.09 0.084 0.063 0.006 0.796
7; words, dLAS; 103; 0; 0.104; -0.09 0.29 0.011 0.001 0.295 0.182
7; length, dLAS; 103; 0; 0.507; 0.35 0.64 0.258 0.251 < 1.000
7; dwords, dLAS; 103; 0; 0.067; -0.13 0.26 0.004 -0.006 0.502 0.103
7; dlength, dLAS; 103; 0; -0.037; -0.23 0.16 0.001 -0.009 0.713 0.065
7; dSLV, dLAS; 103; 0; 0.139; -0.06 0.32 0.019 0.010 0.161 0.290
7; dEDV, dLAS; 103; 0; -0.478; -0.61 -0.31 0.228 0.220 < 0.999
7; length, dEDV; 103; 0; -0.847; -0.89 -0.78 0.717 0.711 < 1.000
7; dSLV, dEDV; 103; 0; 0.088; -0.11 0.28 0.008 -0.002 0.379 0.143
7; dEDV, dLAS, given length; 103; 1; -0.105; -0.29 0.09 0.011 -0.009 0.295 0.182
7; dEDV, dLAS, given dSLV; 103; 1; -0.497; -0.63 -0.33 0.247 0.231 < 1.000
B.1; UD 2.5, crossings; 94; 0; 0.126; -0.08 0.32 - - 0.228 0.227
B.1; UD 2.5, type/token ratio; 94; 0; -0.048; -0.25 0.16 - - 0.644 0.075
B.1; UD 2.6, crossings; 90; 0; 0.136; -0.07 0.33 - - 0.202 0.248
B.1; UD 2.6, type/token ratio; 90; 0; -0.038; -0.24 0.17 - - 0.724 0.064
"""
ANOTHER_ROW, ANOTHER = "UDPipe 2.0, complex, given words", -0.428
SQUARES = {
    "length, dLAS": "it was adjusted from the rounded square, 0.258",
    "dwords, dLAS": "it was adjusted from the rounded square, 0.004",
    "length, dEDV": "it was adjusted from the rounded square, 0.717, as if there were a covariate",
}


def printed_rows() -> Iterator[tuple[str, str, int, int, str, dict[str, str]]]:
    """Give each row: table, name, treebanks, covariates, coefficient, cells by column."""
    for line in PRINTED.strip().splitlines():
        table, row, n, covariates, coefficient, cells = (part.strip() for part in line.split(";"))
        by_column = dict(zip(COLUMNS, cells.split(), strict=True))
        yield table, row, int(n), int(covariates), coefficient, by_column


def derived() -> pl.DataFrame:
    """Compute every cell from the coefficient next to it; p-values < 0.001 are left out."""
    rows: list[dict[str, object]] = []
    for table, row, n, covariates, coefficient, cells in printed_rows():
        found = inference(float(coefficient), n, covariates)
        for column, printed in cells.items():
            if printed in {LESS, "-"}:
                continue
            rows.append(
                {"table": table, "row": row, "treebanks": n, "coefficient": float(coefficient),
                 "statistic": column, "from print": True, "printed": printed, "ours": getattr(found, column),
                 "why": _why(row, column, printed, (float(coefficient), n, covariates))}
            )  # fmt: skip
    return compared(rows)


def _why(row: str, column: str, printed: str, how: tuple[float, int, int]) -> str:
    """Return which coefficient gives the printed cell."""
    coefficient, n, covariates = how
    within = [coefficient + step * 1e-5 for step in range(-50, 51)]
    if any(_gives(r, n, covariates, column, printed) for r in within):
        return Why("the coefficient is rounded; others that round to it give what is printed", state=CONSISTENT)
    if row == ANOTHER_ROW and _gives(ANOTHER, n, covariates, column, printed):
        return f"misprint: this row is of {ANOTHER}, not of the coefficient printed in it"
    if column == "adjusted_r2" and row in SQUARES:
        return f"misprint: {SQUARES[row]}"
    return "unexplained"


def _gives(r: float, n: int, covariates: int, column: str, printed: str) -> bool:
    return not beyond_rounding(printed, getattr(inference(r, n, covariates), column))


def derived_summary() -> pl.DataFrame:
    """Count the cells of each table that follow, and those that do not."""
    frame = derived()
    why = pl.col("why")
    return frame.group_by("table", maintain_order=True).agg(
        pl.len().alias("cells"),
        why.is_null().sum().alias("to the digit"),
        why.str.starts_with("the coefficient").sum().alias("by another that rounds to it"),
        why.str.starts_with("misprint").sum().alias("misprints"),
        why.str.starts_with("unexplained").sum().alias("unexplained"),
    )
