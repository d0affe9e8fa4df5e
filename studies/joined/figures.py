"""Figures of the joined study, and its page of ``treegauge report``."""

from dataclasses import replace
from pathlib import Path

import polars as pl

from studies.content.data import RELEASE, folders
from studies.figures import draw
from studies.joined.data import table
from studies.joined.easy import FEATURES
from studies.joined.models import EVERYWHERE, rows_of
from studies.parts import read_result
from treegauge.core.files import atomic
from treegauge.core.result import sign
from treegauge.ranking.reading import read_leaderboard
from treegauge.reporting.figures.analysis import scatter
from treegauge.reporting.figures.theme import Spec, themed
from treegauge.reporting.page import page
from treegauge.reporting.sections.ranking import RankedTable, ranking_section
from treegauge.reporting.sections.treebanks import treebanks_section
from treegauge.treebanks.sources.inputs import recognise_treebanks

TITLE = "All measures and all scores, joined"
PAGE = Path(__file__).parents[2] / "docs" / "replications" / "page.html"


def explained() -> Spec:
    """Draw LAS against size, length and what is left of it."""
    names = ["train_words", "mean_test_length", "oov", "word_order_freedom", "hpe", "content"]
    return scatter(rows_of("enough"), "beam", names, log=["train_words"])


def gifts() -> Spec:
    """Draw what each treebank's test set gives it, in points of LAS."""
    frame = read_result("joined_easy")
    long = frame.unpivot(list(FEATURES), index="treebank", variable_name="feature")
    rows = long.with_columns(pl.col("treebank").str.strip_prefix("UD_"), pl.col("feature").replace(FEATURES)).to_dicts()
    names = [name.removeprefix("UD_") for name in frame["treebank"]]
    spec = {
        "data": {"values": rows},
        "facet": {"field": "feature", "sort": list(FEATURES.values()), "title": None},
        "columns": 4,
        "spec": {
            "width": 130,
            "height": {"step": 12},
            "mark": "bar",
            "encoding": {
                "y": {"field": "treebank", "type": "nominal", "sort": names, "title": None},
                "x": {"field": "value", "type": "quantitative", "title": "points of LAS"},
            },
        },
    }
    title = "What test sets give their treebanks, the highest LAS on top"
    return themed(spec, title, sign(figure="joined-gifts"), False)


def report() -> str:
    """Make the page of ``treegauge report``: rankings and treebanks, figures only.

    Identifiers of sentences that an audit gives as examples are left out: some treebanks' are
    made of text.
    """
    las = table().select("treebank", pl.col(EVERYWHERE).round(2))
    scores = read_leaderboard(las, metric="las")
    ranking = ranking_section(RankedTable(scores, "scores.csv", name=TITLE))
    treebanks = recognise_treebanks(folders())
    made = treebanks_section(treebanks, given=[f"{RELEASE}/{one.name}" for one in treebanks])
    audits = [one | {"findings": [row | {"examples": []} for row in one["findings"]]} for one in made.data["audits"]]
    measured = replace(made, data={**made.data, "audits": audits}, tables=())
    sections = [ranking, measured]
    about = (
        f"{len(treebanks)} treebanks of UD 2.9: two parsers ranked over all of them, measures, "
        "and the findings of an audit."
    )
    return page(TITLE, about, sections)


def drawn() -> pl.DataFrame:
    """Write the figures and the page."""
    PAGE.parent.mkdir(exist_ok=True)
    with atomic(PAGE) as file:
        file.write(report().encode())
    found = draw({"joined_explained": explained, "joined_gifts": gifts})
    return pl.concat([found, pl.DataFrame({"figure": [PAGE.stem], "title": [TITLE]})])
