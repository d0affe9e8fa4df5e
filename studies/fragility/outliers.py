"""Fragility, Tables 5 and 6: subsets in which systems rank best and worst, and their treebanks.

The paper's ten subsets a side are compared with all those of our million with the extreme rank (and
the next ones, until there are ten). Without any sampling, mean ranks over all subsets of ten
treebanks of one class are given, too.
"""

from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from studies.fragility.ranks import ERRORS, INTERVAL, SAMPLES, SIZE, million, task, with_odds
from studies.parts import compared
from studies.verdicts import SHOWN, Why
from treegauge.ranking.metadata import classes_of, hypergeometric_tail
from treegauge.ranking.stability.exact_win_rates import exact_ranks
from treegauge.ranking.stability.outliers import ExtremeRanks, Which, explain_outliers

# Table 5: system, end, printed rank, treebanks; then what the text counts in that subset.
TABLE5 = (
    ("UDPipe Future", "best", "1", "pl_sz ga_idt fro_srcmf sr_set kmr_mg el_gdt en_ewt fr_gsd "
     "th_pud hy_armtdp", {"low-resource": "2"}),
    ("UDPipe Future", "worst", "12", "bxr_bdt la_ittb hsb_ufal pcm_nsc th_pud ro_rrt br_keb "
     "no_bokmaal sl_ssj sv_pud", {"low-resource": "6"}),
    ("Stanford", "best", "1", "de_gsd cs_cac el_gdt he_htb es_ancora sv_lines ja_modern bg_btb "
     "no_bokmaal cs_pud", {"low-resource": "2"}),
    ("Stanford", "worst", "21", "hsb_ufal pt_bosque ga_idt vi_vtb ko_kaist sv_talbanken gl_treegal "
     "sme_giella hy_armtdp th_pud", {"low-resource": "5"}),
    ("SLT-Interactions", "best", "2", "sk_snk hsb_ufal uk_iu cs_fictree sv_pud ja_gsd pt_bosque "
     "hr_set fa_seraji sl_ssj", {"low-resource": "2", "Slavic": "6"}),
    ("SLT-Interactions", "worst", "23", "hr_set fa_seraji pl_lfg kmr_mg de_gsd hy_armtdp nl_alpino "
     "th_pud sme_giella fro_srcmf", {"low-resource": "3", "Slavic": "2"}),
)  # fmt: skip
# Table 6: mean size in thousands, share of low-resource and of Slavic treebanks.
TABLE6: tuple[tuple[str, Which, tuple[str, str, str]], ...] = (
    ("UDPipe Future", "best", ("168.87", "0.30", "0.17")),
    ("UDPipe Future", "worst", ("157.51", "0.39", "0.21")),
    ("Stanford", "best", ("221.03", "0.19", "0.23")),
    ("Stanford", "worst", ("124.44", "0.61", "0.18")),
    ("SLT-Interactions", "best", ("203.92", "0.30", "0.36")),
    ("SLT-Interactions", "worst", ("146.72", "0.39", "0.14")),
)
# Printed chance, class and number in a subset.
CHANCES = (("low-resource", 21, 6, "0.00214"), ("low-resource", 21, 5, "0.01538"), ("Slavic", 17, 6, "0.00043"))
TEN_DRAWN = "ten drawn subsets"
LEFT = ("ga_idt", "kmr_mg")
"""Without these the text's counts of low-resource treebanks come out, see `uncounted`."""


@cache
def masks() -> dict[str, NDArray[np.bool_]]:
    """Return the two classes: all but the 61 big treebanks, as the paper has it, and Slavic."""
    found = classes_of(task("las"), ["genus", "resource"])
    return {"low-resource": found["resource not big"], "Slavic": found["genus Slavic"]}


def table5() -> pl.DataFrame:
    """Return rank and class counts of the paper's six subsets, printed and recounted."""
    scores = task("las")
    (not_counted,) = uncounted()  # there is one such choice
    rows: list[dict[str, object]] = []
    for system, end, printed, treebanks, counts in TABLE5:
        codes = treebanks.split()
        part = scores.select(treebanks=codes)
        where: dict[str, object] = {"system": system, "end": end}
        rank = float(part.ranking()[part.system(system)])
        rows.append(where | {"what": "rank", "printed": printed, "ours": rank})
        columns = [scores.treebank(code) for code in codes]
        for name, text in counts.items():
            found = int(masks()[name][columns].sum())
            left = [code for code in codes if code in not_counted]
            why = f"comes out without {' and '.join(left)}" if left else "unexplained"
            rows.append(where | {"what": name, "printed": text, "ours": found, "why": why})
    return compared(rows)


def uncounted() -> list[tuple[str, ...]]:
    """Return all sets of treebanks without which the text's six low-resource counts come out."""
    treebanks = np.array(task("las").treebanks)
    low = set(treebanks[masks()["low-resource"]].tolist())
    needs = [(low & set(codes.split()), int(counts["low-resource"])) for _, _, _, codes, counts in TABLE5]
    doubtful = sorted(set().union(*(found for found, _ in needs)))
    fitting = []
    for bits in range(1 << len(doubtful)):
        left = {code for i, code in enumerate(doubtful) if bits >> i & 1}
        if all(len(found - left) == number for found, number in needs):
            fitting.append(tuple(sorted(left)))
    return fitting


def chances() -> pl.DataFrame:
    """Return the printed chances of so many of a class, recomputed as said and one higher."""
    rows: list[dict[str, object]] = []
    for name, members, number, printed in CHANCES:
        at_least, more = (
            hypergeometric_tail(found, population=82, members=members, size=SIZE) for found in (number, number + 1)
        )
        row: dict[str, object] = {"class": name, "members": members, "at least": number}
        row |= {"more than": more, "printed": printed, "ours": at_least}
        row["why"] = Why(f"the chance of more than {number} is {more:.6f}, which rounds up to this", state=SHOWN)
        rows.append(row)
    return compared(rows)


def behind(system: str, end: Which) -> tuple[ExtremeRanks, dict[str, NDArray[np.float64]]]:
    """Return one end of a system's ranks, and what each of its subsets in our million holds."""
    found = explain_outliers(million("las"), system, which=(end,), least=10, limit=SAMPLES, search=False).sides[0]
    scores = task("las")
    column = {code: i for i, code in enumerate(scores.treebanks)}
    columns = np.array([[column[code] for code in subset] for subset in found.subsets])
    tokens = scores.metadata["tokens"].cast(float).to_numpy() / 1000
    return found, {
        "size, thousands": np.nanmean(tokens[columns], axis=1),
        "low-resource": masks()["low-resource"][columns].mean(axis=1),
        "Slavic": masks()["Slavic"][columns].mean(axis=1),
    }


def _recounted(system: str, end: Which, printed: str) -> tuple[float, float]:
    """Return the share of low-resource treebanks without two, and its distance from the printed."""
    treebanks = task("las").treebanks
    counted = {code for code, low in zip(treebanks, masks()["low-resource"], strict=True) if low} - set(LEFT)
    shares = np.array([len(counted & set(codes)) / SIZE for codes in behind(system, end)[0].subsets])
    ours = float(shares.mean())
    return ours, abs(ours - float(printed)) / float(shares.std() / np.sqrt(10))


@cache
def _explained(system: str) -> pl.DataFrame:
    return explain_outliers(million("las"), system, least=10, limit=SAMPLES, search=False).table


def tested(system: str, end: Which, name: str) -> dict[str, Any]:
    """Return how often members of a class are in a system's extreme subsets, with p-values.

    Labels of treebanks are permuted; ``p_corrected`` is Holm's over all classes and both ends.
    """
    row = _explained(system).filter(pl.col("class") == name, extreme=end)
    return row.row(0, named=True)


def table6() -> pl.DataFrame:
    """Return Table 6 next to all extreme subsets of our million.

    The paper drew ten subsets; ``error`` is the standard error of a mean of ten of ours.
    """
    rows: list[dict[str, object]] = []
    for system, end, printed in TABLE6:
        side, values = behind(system, end)
        for (what, held), text in zip(values.items(), printed, strict=True):
            ours, error = float(held.mean()), float(held.std() / np.sqrt(10))
            apart = abs(ours - float(text)) / error
            why = f"{TEN_DRAWN}: {apart:.1f} standard errors apart"
            if apart <= INTERVAL:
                why = f"within seeds: {why}"
            elif apart > ERRORS:
                other, off = _recounted(system, end, text) if what == "low-resource" else (0.0, 9.0)
                why = (
                    f"{other:.2f}, {off:.1f} standard errors away, without {' and '.join(LEFT)}, "
                    "which the text does not count for Table 5 either"
                    if off <= INTERVAL
                    else f"unexplained: {why}"
                )
            row: dict[str, object] = {"system": system, "end": end, "rank": side.rank}
            row |= {"up to": side.upto, "subsets": len(held), "what": what, "error of ten": error}
            row |= {"printed": text, "ours": ours}
            rows.append(row | {"why": why})
    # The cell that is further than chance allows is left out of the count.
    tested = sum(str(row["why"]).startswith((TEN_DRAWN, "within seeds")) for row in rows)
    return compared(with_odds(rows, TEN_DRAWN, tested))


@cache
def by_class() -> pl.DataFrame:
    """Return exact mean ranks over all subsets of ten treebanks of a class."""
    scores = task("las")
    low, slavic = masks()["low-resource"], masks()["Slavic"]
    parts = {"big": ~low, "low-resource": low, "Slavic": slavic, "not Slavic": ~slavic}
    frame = exact_ranks(scores, size=SIZE).table.select("system", pl.col("mean").alias("all 82"))
    for name, mask in parts.items():
        codes = [code for code, wanted in zip(scores.treebanks, mask, strict=True) if wanted]
        table = exact_ranks(scores.select(treebanks=codes), size=SIZE).table
        renamed = table.select("system", pl.col("mean").alias(f"{name} ({len(codes)})"))
        frame = frame.join(renamed, on="system", maintain_order="left")
    return frame


def wide6(cells: pl.DataFrame) -> pl.DataFrame:
    """Lay out Table 6 as the paper does: printed / ours ± standard error of ten, bold if beyond."""
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for cell in cells.iter_rows(named=True):
        key = cell["system"], cell["end"]
        ranks = f"{cell['rank']:g}" + (f" to {cell['up to']:g}" if cell["up to"] != cell["rank"] else "")
        where = {"system": key[0], "end": key[1], "ranks": ranks, "subsets": cell["subsets"]}
        shown = f"{cell['printed']} / {cell['ours']:.2f} ± {cell['error of ten']:.2f}"
        far = cell["why"] is not None and not str(cell["why"]).startswith("within seeds")
        rows.setdefault(key, where)[cell["what"]] = f"**{shown}**" if far else shown
    return pl.DataFrame(list(rows.values()))
