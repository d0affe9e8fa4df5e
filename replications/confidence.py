"""How well the probabilities of ``parse --confidence`` are calibrated, on ten treebanks.

    python -m replications.confidence FOLDER_OF_MODELS [--choosing]

The folder holds ``biaffine-NAME.model``, made by :mod:`replications.confidence_models`; models of
beam and mst that it lacks are trained with their defaults. Each is calibrated on the dev set and
judged on the test set, in all words, subtypes ignored. Whether heads are shares of trees or of a
word's heads, the number of bins and the maps were chosen on the three treebanks of ``--choosing``,
whose figures are printed and not kept.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from replications.confidence_models import CHOOSING, JUDGED
from replications.parts import Part, as_csv, kept, read_result, release_folder
from treegauge.core.files import atomic

if TYPE_CHECKING:
    from treegauge.scoring.calibration import Calibration

PARSERS = ("beam", "mst", "biaffine")
EVENTS = ("head", "arc", "tree")


def measured(model: Any, dev: Any, test: Any) -> Iterator[dict[str, Any]]:
    """Yield the figures of a model before and after calibration."""
    import treegauge as tg
    from treegauge.parsing.calibration import fit_calibration, uncalibrated
    from treegauge.parsing.confidence import with_confidence

    parsed = model.parse(test)
    calibrations = {"before": uncalibrated(model), "after": fit_calibration(model, dev, dev.mark)}
    for when, calibration in calibrations.items():
        system = with_confidence(model, parsed, calibration)
        scores = tg.score(test, {"it": system}, calibration=True, units="sentences")
        result = cast("Calibration", scores.attached["calibration"])
        row: dict[str, Any] = {"when": when, "way": calibration.way}
        for event in EVENTS:
            numbers = result.systems["it"][event].numbers
            row |= {f"{event} {name}": numbers[name] for name in ("ece", "ece_by_chance", "brier")}
        by_dropped = {one["dropped"]: one["score"] for one in result.coverage.rows}
        row |= {"las": by_dropped[0], "las without 20 %": by_dropped[20]}
        yield row


def figures(folder: Path, names: tuple[str, ...]) -> pl.DataFrame:
    """Return one row per treebank, parser and time, training what lacks a model."""
    import treegauge as tg
    from treegauge.parsing.registry import load_model
    from treegauge.treebanks.conllu import read_conllu

    rows = []
    for name in names:
        source = release_folder("r2.9") / name
        dev, test = (read_conllu(source, split=split) for split in ("dev", "test"))
        for parser in PARSERS:
            path = folder / f"{parser}-{name}.model"
            if not path.exists():
                tg.train(parser, source, out=path, calibrate="none")
            for row in measured(load_model(path), dev, test):
                rows.append({"treebank": name, "parser": parser, **row})
                print(*(f"{one:.4f}" if isinstance(one, float) else one for one in row.values()))
    return pl.DataFrame(rows)


def means(figures: pl.DataFrame) -> pl.DataFrame:
    """Return means over treebanks, and the number of treebanks with an error of less than .02."""
    columns = [column for column in figures.columns if figures[column].dtype == pl.Float64]
    below = [
        (pl.col(f"{event} ece") < 0.02).sum().alias(f"{event}s below .02") for event in EVENTS[:2]
    ]
    table = figures.group_by("parser", "when", maintain_order=True).agg(
        pl.len().alias("treebanks"), *(pl.col(column).mean() for column in columns), *below
    )
    gain = pl.col("las without 20 %") - pl.col("las")
    return table.with_columns(gain.alias("gain")).select(
        "parser", "when", "treebanks", "head ece", "arc ece", "tree ece", "heads below .02",
        "arcs below .02", "head brier", "arc brier", "las", "las without 20 %", "gain",
    )  # fmt: skip


def calibrated(figures: pl.DataFrame) -> pl.DataFrame:
    """Return what the docs show of each treebank: errors after calibration, and scores."""
    return figures.filter(pl.col("when") == "after").select(
        "treebank", "parser", "head ece", "arc ece", "tree ece",
        pl.col("tree ece_by_chance").alias("by chance"), "arc brier", "las", "las without 20 %",
    )  # fmt: skip


PARTS = (
    kept(
        "confidence", "Calibration of parsers' probabilities, by treebank",
        "GPU: python -m replications.confidence_models, 140 s on one H200; then python -m "
        "replications.confidence FOLDER, 15 min of processor time", shown=calibrated, digits=4,
    ),
    Part("confidence_means", "Calibration of parsers' probabilities, means of ten treebanks",
         lambda: means(read_result("confidence")), digits=4),
)  # fmt: skip


def main() -> None:
    """Compute the figures; keep those of the ten treebanks."""
    folder = Path(sys.argv[1])
    if "--choosing" in sys.argv:
        figures(folder, CHOOSING)
        return
    table = figures(folder, JUDGED)
    with atomic(PARTS[0].path) as file:
        file.write(as_csv(table).encode())
    print(means(table))


if __name__ == "__main__":
    main()
