"""Tables as the papers print them; ``SOURCES.md`` of ``treegauge.data`` has their sources."""

from pathlib import Path

import polars as pl


def _load(name: str) -> pl.DataFrame:
    return pl.read_parquet(Path(__file__).with_name(f"{name}.parquet"))


def fragility_table1() -> pl.DataFrame:
    """Load Fragility, Table 1: macro averages and error reductions per subset.

    Examples
    --------
    >>> fragility_table1().filter(subset="Ma18")["er_sl_gb"].item()
    23.93
    """
    return _load("fragility_table1")


def fragility_table3() -> pl.DataFrame:
    """Load Fragility, Table 3: ranks by LAS over a million subsets of ten.

    Examples
    --------
    >>> fragility_table3().row(0)
    ('HIT-SCIR', 1, 6, 1.14, 1, 0.54)
    """
    return _load("fragility_table3")


def edv_tables() -> pl.DataFrame:
    """Load the coefficients of the EDV paper for UDPipe 1.2; ``value`` is text.

    Examples
    --------
    >>> edv_tables().filter(table="2", variable="edv")["value"].item()
    '-0.492'
    """
    return _load("edv_tables")
