"""Committed tables of the replications: explained, shown as they are, and made again."""

import csv
import os
import re
from pathlib import Path

import pytest

from studies.__main__ import all_parts
from studies.pages import PLACE, filled, pages
from studies.parts import RESULTS, Part, as_csv, beyond_rounding
from studies.treebanks import TREEBANKS, treebank_files, treebank_folders
from studies.verdicts import CONSISTENT, INCONCLUSIVE, REPRODUCED, SAMPLING, STATES
from tools.docs import tables

PARTS = {part.name: part for part in all_parts()}
# Each takes at most a few seconds; `make replicate` makes the others too.
QUICK = (
    "challenges_classes", "challenges_curves", "challenges_numbers", "challenges_spearman",
    "challenges_starts", "challenges_joint", "challenges_table1", "challenges_table2", "challenges_table3",
    "challenges_udpipe",
    "challenges_udpipe_starts", "challenges_worth", "content_agreement", "content_matrix",
    "content_decrease", "content_order", "content_order12", "content_spread12", "content_sttr12", "content_table3",
    "content_spread", "content_sttr", "content_variance",
    "content_weights",
    "difficulty_alike", "difficulty_by_relation", "difficulty_claims",
    "difficulty_items", "difficulty_mdl", "difficulty_mdl_columns", "difficulty_regions",
    "difficulty_nulls", "difficulty_vinfo", "selection_halves", "selection_treebanks",
    "difficulty_differences", "difficulty_matrix", "difficulty_morphology", "difficulty_parsers",
    "difficulty_sizes", "difficulty_table1", "edv_background", "edv_beside_random", "edv_by_length",
    "edv_deltas", "edv_figure10", "edv_graded_slopes", "edv_figure10_summary", "edv_figure12", "edv_figure3",
    "edv_complexity", "edv_complexity_summary", "edv_curriculum", "edv_derived",
    "edv_derived_summary", "edv_figure2", "edv_figure9", "edv_figure9_errors",
    "edv_partial", "edv_power", "edv_samples_summary", "edv_slv", "edv_supports", "edv_table1",
    "edv_table2", "edv_table3",
    "edv_table4", "edv_table5", "edv_table6", "edv_table7", "edv_table_b1", "edv_treebanks",
    "edv_ud26_treebanks", "edv_ud26_values",
    "edv_unseen", "edv_values", "edv_whole", "edv_whole_figure12", "edv_whole_random",
    "edv_whole_sizes", "edv_whole_table7", "fragility_chances",
    "fragility_classes", "fragility_d21", "fragility_easy", "fragility_exp1_subsets",
    "fragility_front", "fragility_prices", "fragility_table1_implied", "fragility_table1_las",
    "fragility_table1_redone", "fragility_table1_uas", "fragility_table2", "fragility_table5",
    "front_cells", "front_counts", "front_items", "front_made", "front_print",
    "front_tables", "joined_easy", "joined_findings", "joined_gifts",
    "joined_hardness", "joined_overview", "joined_strongest", "joined_regressions", "rules_gaps",
    "transfer_best", "transfer_predictors",
)  # fmt: skip


def test_every_table_is_kept_and_every_kept_table_has_a_maker() -> None:
    assert {path.stem for path in RESULTS.glob("*.csv")} == set(PARTS)


@pytest.mark.parametrize("name", sorted(PARTS))
def test_differences_beyond_rounding_are_explained_or_marked(name: str) -> None:
    with PARTS[name].path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row.get("printed") and row.get("ours"):
            assert row["why"] or not beyond_rounding(row["printed"], float(row["ours"])), row


@pytest.mark.parametrize("name", sorted(PARTS))
def test_states_follow_from_what_the_row_says(name: str) -> None:
    """A state is recomputed from the digits, the interval and the margin of its row."""
    with PARTS[name].path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.get("printed") and row.get("ours") and "state" in row]
    for row in rows:
        assert row["state"] in STATES, row
        beyond = beyond_rounding(row["printed"], float(row["ours"]))
        assert not beyond or row["state"] != REPRODUCED, row
        if not beyond:
            assert row["state"] in (REPRODUCED, CONSISTENT), row
        # Ends such as "> 500" have no number: their interval is in `why`.
        if row["state"] in (SAMPLING, INCONCLUSIVE) and (row.get("margin") or row["state"] == SAMPLING):
            printed, margin = float(row["printed"]), float(row["margin"])
            least, most = float(row["least"]), float(row["most"])
            inside = printed - margin <= least + 1e-5 and most <= printed + margin + 1e-5
            assert inside == (row["state"] == SAMPLING), row
            assert inside or least - 1e-5 <= printed <= most + 1e-5, row


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_pages_show_the_tables_as_they_are_kept(page: Path) -> None:
    text = page.read_text("utf-8")
    assert {place[1] for place in PLACE.finditer(text)} <= {*PARTS}
    made, files = filled(text, PARTS, page)
    assert made == text
    assert {name: (tables.HOME / f"{name}.csv").read_text("utf-8") for name in files} == files


def test_a_table_that_is_not_made_again_says_how_it_was_made() -> None:
    for part in PARTS.values():
        if part.apart:
            assert part.apart.startswith(("GPU: ", "long: ")), part.name
            assert "python" in part.apart or "treegauge" in part.apart, part.name
            assert any(unit in part.apart for unit in (" s", " min", " h")), part.name


@pytest.mark.parametrize("name", QUICK)
def test_made_again_byte_for_byte(name: str) -> None:
    part: Part = PARTS[name]
    if lacking := part.lacking():
        pytest.skip(f"no {', '.join(lacking)} under TREEGAUGE_UD={os.environ.get('TREEGAUGE_UD')}")
    assert as_csv(part.make()) == part.path.read_text("utf-8")


def test_treebanks_that_are_added_to_the_folder_change_no_table(
    ud: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for release in (*TREEBANKS, "r9.9"):
        (tmp_path / release / "UD_Invented-Added").mkdir(parents=True)
        (tmp_path / release / "UD_Invented-Added" / "xx_added-ud-test.conllu").write_text("none\n")
        for folder in treebank_folders(release) if release in TREEBANKS else ():
            (tmp_path / release / folder.name).symlink_to(folder.resolve())
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path))
    names = {path.parent.name for path in treebank_files()}
    assert len(names) == 48 and "UD_Invented-Added" not in names
    part = PARTS["edv_by_length"]
    assert as_csv(part.make()) == part.path.read_text("utf-8")


def test_what_reads_real_treebanks_names_them() -> None:
    """Whatever lies in the folder of treebanks was measured, so one more folder broke tests."""
    root = Path(__file__).parent.parent
    pattern = re.compile(r"""\b(?:ud|UD|release_folder\(.*\))\.r?(?:glob|iterdir)\(|"""
                         r"""(?<!world)\.glob\(f?"(?:UD_|r\*|\*/UD)""")  # fmt: skip
    taken = [
        f"{path.relative_to(root)}:{number}"
        for home in ("studies", "tools", "tests")
        for path in sorted((root / home).rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if pattern.search(line) and path != Path(__file__)
    ]
    assert taken == []
