import numpy as np
import polars as pl
import pytest

from studies.content.figures import variances
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.reporting.figures import scores
from treegauge.reporting.figures.drawing import to_svg

FRAME = pl.DataFrame(
    {"treebank": ["UD_A-X", "UD_B-Y", "UD_C-<b>"], "LAS": [80.0, 90.0, 85.0], "CLAS": [75.0, 88.0, 70.0]}
)


def test_treebanks_are_ordered_by_the_first_score():
    spec = scores.by_treebank(FRAME, ["CLAS", "LAS"])
    assert spec["encoding"]["x"]["sort"] == ["B-Y", "A-X", "C-<b>"]
    assert {(row["treebank"], row["score"]): row["value"] for row in spec["data"]["values"]} == {
        (name.removeprefix("UD_"), metric): value
        for name, *both in FRAME.iter_rows()
        for metric, value in zip(("LAS", "CLAS"), both, strict=True)
    }


def test_variances_are_those_of_the_best():
    rows = variances(FRAME, ["LAS", "CLAS"])["data"]["values"]
    found = {(row["score"], row["best"]): row["variance"] for row in rows}
    assert found["LAS", 2] == pytest.approx(np.var([90, 85]))
    assert found["CLAS", 2] == pytest.approx(np.var([88, 70]))
    assert found["CLAS", 3] == pytest.approx(np.var([88, 70, 75]))


@pytest.mark.parametrize("draw", [scores.by_treebank, variances])
def test_drawn_and_bad_input_told(draw):
    assert "<svg" in to_svg(draw(FRAME, ["LAS", "CLAS"]))
    with pytest.raises(ChoiceError, match="MLAS"):
        draw(FRAME, ["MLAS"])
    with pytest.raises(TreegaugeError, match="missing of UD_B-Y"):
        draw(FRAME.with_columns(LAS=pl.Series([1.0, None, 2.0])), ["LAS"])
    with pytest.raises(TreegaugeError, match="one score"):
        draw(FRAME, [])
