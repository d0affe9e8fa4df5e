"""Make the packaged tables of published figures: ``python -m studies.build_data FOLDER``.

The folder holds the CSV files named in ``SOURCES.md``. The same input gives the same bytes.
"""

import csv
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from studies.published.scores import checked
from treegauge import data
from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic

if TYPE_CHECKING:
    import polars as pl

# The shared task's own grouping (Zeman et al. 2018); every treebank not named here is big.
RESOURCES = {
    "PUD": "cs_pud en_pud fi_pud sv_pud ja_modern",
    "small": "ga_idt gl_treegal la_perseus no_nynorsklia ru_taiga sl_sst sme_giella",
    "low-resource": "br_keb bxr_bdt fo_oft hsb_ufal hy_armtdp kk_ktb kmr_mg pcm_nsc th_pud",
}

PACKAGED = Path(data.__file__).parent
PRINTED = ("fragility_table1", "fragility_table3", "edv_tables")
"""Tables that only studies read, in ``studies/printed``."""


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _conll18(folder: Path) -> "pl.DataFrame":
    import numpy as np
    import polars as pl

    frame = pl.read_csv(folder / "conll18_scores.csv")
    scores = frame["score"].to_numpy()
    hundredths = np.round(scores * 100)
    if not np.array_equal(hundredths / 100, scores):
        raise TreegaugeError("conll18_scores.csv: a score is not a whole number of hundredths")
    return frame.select("metric", "treebank", _short_name(), pl.Series("score", hundredths.astype(np.int16))).sort(
        "metric", "treebank", "system"
    )


def _short_name() -> "pl.Expr":
    """Name a system as the Fragility paper does: without its town, the baseline without 1.2."""
    import polars as pl

    name = pl.col("system").str.replace(r" \([^()]*\)$", "")
    return name.str.replace("UDPipe 1.2", "UDPipe", literal=True).alias("system")


def _published(_: Path) -> "pl.DataFrame":
    """Return the published scores, which have a plain table of their own."""
    return checked()


def _conll18_systems(folder: Path) -> "pl.DataFrame":
    import polars as pl

    frame = pl.read_csv(folder / "conll18_scores.csv")
    return frame.select(_short_name(), pl.col("system").alias("name"), "run").unique().sort("name")


def _conll18_treebanks(folder: Path) -> "pl.DataFrame":
    import polars as pl

    resources = {code: name for name, codes in RESOURCES.items() for code in codes.split()}
    records = []
    for row in _rows(folder / "conll18_treebanks.csv"):
        tokens, family = row["tokens"], row["family"]
        if not family:  # sme_giella's row has no size, so its family is in that column
            tokens, family = "", tokens
        stock, _, genus = family.partition(" ")
        records.append(
            {
                "treebank": row["treebank"],
                "name": row["name"],
                "language": row["name"].rpartition("-")[0].replace("_", " "),
                "tokens": int(tokens.removesuffix("K")) * 1000 if tokens else None,
                "family": family,
                "stock": stock,
                "genus": genus or stock,
                "resource": resources.get(row["treebank"], "big"),
            }
        )
    return pl.DataFrame(records)


def _subsets(folder: Path) -> "pl.DataFrame":
    import polars as pl

    return pl.DataFrame(
        [
            {"subset": row["subset"], "treebank": treebank}
            for row in _rows(folder / "table10_subsets.csv")
            for treebank in row["treebanks"].split()
        ]
    )


def _as_it_stands(name: str) -> Callable[[Path], "pl.DataFrame"]:
    def read(folder: Path) -> "pl.DataFrame":
        import polars as pl

        return pl.read_csv(folder / name, infer_schema_length=None)

    return read


TABLES: dict[str, Callable[[Path], "pl.DataFrame"]] = {
    "conll18": _conll18,
    "conll18_systems": _conll18_systems,
    "conll18_treebanks": _conll18_treebanks,
    "subsets": _subsets,
    "published": _published,
    "ud26": _as_it_stands("ud26_udpipe2.csv"),
    "ud25": _as_it_stands("ud25_udpipe12.csv"),
    "fragility_exp1": _as_it_stands("fragility_exp1_predicted_tags.csv"),
    "fragility_table1": _as_it_stands("fragility_table1_predicted.csv"),
    "fragility_table3": _as_it_stands("fragility_table3_las.csv"),
    "edv_tables": _as_it_stands("edv_tables.csv"),
    "difficulty_table1": _as_it_stands("difficulty_table1_ud29.csv"),
}


def build(figures: Path, target: Path, printed: Path | None = None) -> list[Path]:
    """Write every table as Parquet.

    Parameters
    ----------
    figures
        The folder with the published CSV files.
    target, printed
        Folders for the Parquet files: packaged ones, and those that only studies read.

    Returns
    -------
    list of Path
        The files written.
    """
    written = []
    for name, read in TABLES.items():
        buffer = BytesIO()
        read(figures).write_parquet(buffer, compression="zstd", compression_level=19, statistics=False)
        path = (printed or target if name in PRINTED else target) / f"{name}.parquet"
        with atomic(path) as file:
            file.write(buffer.getvalue())
        written.append(path)
    return written


def main() -> None:
    """Build the packaged tables from the folder named on the command line."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m studies.build_data FOLDER_OF_FIGURES")
    try:
        for path in build(Path(sys.argv[1]), PACKAGED, Path(__file__).with_name("printed")):
            print(f"{path.stat().st_size:8d} {path.name}")
    except (TreegaugeError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
