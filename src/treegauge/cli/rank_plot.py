"""``treegauge rank plot``: figures of rankings, drawn or as Vega-Lite JSON."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Choice
from treegauge.cli.progress import counting
from treegauge.cli.rank import (
    DigitsOption,
    MetadataOption,
    MetricOption,
    Missing,
    MissingOption,
    ScoresArgument,
    SubsetOption,
    load,
)


class Kind(Choice):
    """Figures."""

    boxes = "boxes"
    pairs = "pairs"
    agreement = "agreement"
    critical = "critical"


class PairTest(Choice):
    """Tests behind critical differences."""

    nemenyi = "nemenyi"
    wilcoxon = "wilcoxon-holm"


def plot(
    scores: ScoresArgument,
    kind: Annotated[
        Kind,
        typer.Option(
            help="Rank boxes, matrix of pairs, agreement by subset size, or critical differences."
        ),
    ] = Kind.boxes,
    metric: MetricOption = "las",
    size: Annotated[
        str | None,
        typer.Option(help="Treebanks per subset.", show_default="10; all for agreement"),
    ] = None,
    samples: Annotated[int, typer.Option(help="How many random subsets.")] = 1_000_000,
    exact: Annotated[
        bool, typer.Option("--exact", help="For pairs: count over all subsets of a size.")
    ] = False,
    subset: SubsetOption = None,
    test: Annotated[PairTest, typer.Option(help="For critical differences.")] = PairTest.nemenyi,
    alpha: Annotated[float, typer.Option(help="Level of that test.")] = 0.05,
    dark: Annotated[bool, typer.Option("--dark", help="Light on dark.")] = False,
    missing: MissingOption = Missing.error,
    digits: DigitsOption = None,
    metadata: MetadataOption = None,
    seed: Annotated[int, typer.Option(help="Seed: same seed, same figure.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write to this file: .json .svg .png .pdf .html"),
    ] = None,
) -> None:
    """Draw a ranking: a Vega-Lite specification with its data inside, to a file or the terminal.

    The signature of the numbers is in it, under usermeta.
    """
    from treegauge.figures import ranking
    from treegauge.figures.saving import save, to_json

    table = load(
        scores, metric=metric, missing=missing, digits=digits, metadata=metadata, subset=subset
    )
    sizes = size or ("all" if kind is Kind.agreement else "10")
    if kind is Kind.critical:
        from treegauge.ranking.comparing import critical_difference

        compared = critical_difference(table, method=test.value, alpha=alpha)
        spec = ranking.critical_differences(compared, dark=dark)
    elif kind is Kind.pairs and exact:
        from treegauge.ranking.exact import exact as count

        with counting("pairs") as progress:
            spec = ranking.pair_matrix(count(table, size=sizes, progress=progress), dark=dark)
    else:
        from treegauge.ranking.stability import stability

        with counting("subsets") as progress:
            ranks = stability(table, size=sizes, samples=samples, seed=seed, progress=progress)
        if kind is Kind.boxes:
            spec = ranking.rank_boxes(ranks, dark=dark)
        elif kind is Kind.pairs:
            spec = ranking.pair_matrix(ranks, dark=dark)
        else:
            spec = ranking.agreement(ranks, dark=dark)
    if out is None:
        sys.stdout.write(f"{to_json(spec)}\n")
    else:
        save(spec, out)
