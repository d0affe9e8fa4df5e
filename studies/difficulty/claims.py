"""Numbers in the text of the Difficulty paper, from the treebanks and from our runs."""

import numpy as np
import polars as pl

from studies.parts import compared, read_result
from studies.treebanks import release_folder
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_conllu

TOKENS = {
    "UD_English-Atis": "48655", "UD_Turkish-IMST": "37784", "UD_Vietnamese-VTB": "20285",
    "UD_Uyghur-UDT": "19262", "UD_Faroese-FarPaHC": "23094",
}  # fmt: skip
"""Training words that the text gives."""
NAMES = {"arc_conf": "CONF of arcs", "arc_var": "VAR of arcs", "arc_vinfo": "V-INFO of arcs"}
THOUSANDS = {
    "UD_Afrikaans-AfriBooms": "33.88", "UD_English-ParTUT": "43.50",
    "UD_French-Sequoia": "50.51", "UD_Greek-GDT": "42.33", "UD_Italian-ParTUT": "48.93",
    "UD_Korean-GSD": "56.69", "UD_Norwegian-NynorskLIA": "35.21",
    "UD_Old_Church_Slavonic-PROIEL": "37.43", "UD_Telugu-MTG": "5.08",
    "UD_Turkish-FrameNet": "16.33",
}  # fmt: skip
"""Thousands of training words of the other treebanks of Table 1 whose size is legible."""
PVI = {"arc": ("2.40", "1.98"), "rel": ("3.89", "3.66")}
OTHER_SAMPLE = "16 of the paper's 88 treebanks; their printed V-INFO has a mean of {:.2f}"
SPREAD = "16 of the paper's 88 treebanks, over words; the paper does not say over what"
IMPOSSIBLE = "contradicts Table 1, whose largest legible value is 3.09; 16 of 88 treebanks"
PLACES = (
    ("UD_English-Atis", "arc_conf", "first of 88"), ("UD_English-Atis", "arc_vinfo", "77 of 88"),
    ("UD_Turkish-IMST", "arc_conf", "last of 88"), ("UD_Turkish-IMST", "arc_vinfo", "83 of 88"),
    ("UD_Turkish-IMST", "arc_var", "not among the first 25 of 88"),
)  # fmt: skip
"""Places of treebanks, the highest value first, that the text gives."""


def heads_of(treebank: Treebank, place: int) -> list[int]:
    """Return the heads of the words at a place, from 1, of the sentences that are long enough."""
    starts = treebank.offsets[:-1][treebank.lengths >= place]
    return [int(head) for head in treebank.head[starts + place - 1]]


def read(name: str, split: str) -> Treebank:
    """Read one set of a treebank."""
    return read_conllu(release_folder("r2.9") / name, split=split)


def from_treebanks() -> list[dict[str, object]]:
    """Return what the text says of treebanks."""
    atis, frames = read("UD_English-Atis", "dev"), read("UD_Turkish-FrameNet", "dev")
    telugu = read("UD_Telugu-MTG", "dev")
    first, second = heads_of(atis, 1), heads_of(atis, 2)
    roots = np.flatnonzero(frames.head == 0)
    penultimate = roots == frames.offsets[1:] - 2
    rows: list[dict[str, object]] = [
        {"claim": "Turkish-FrameNet, dev: root is the last word but one, %", "printed": "91.7",
         "ours": 100 * float(penultimate.mean())},
        {"claim": "English-Atis, dev: the first word is the root", "printed": "0.52",
         "ours": first.count(0) / len(atis), "why": "301 of 572: cut, not rounded"},
        {"claim": "English-Atis, dev: the second word's head is the first", "printed": "0.41",
         "ours": second.count(1) / len(atis)},
        {"claim": "Telugu-MTG, dev: words per sentence", "printed": "5.05",
         "ours": telugu.n_words / len(telugu)},
    ]  # fmt: skip
    sizes = {name: read(name, "train") for name in (*TOKENS, *THOUSANDS)}
    rows.append({
        "claim": "Faroese-FarPaHC: training sentences", "printed": "1021",
        "ours": len(sizes["UD_Faroese-FarPaHC"]), "why": "UD 2.9 as published has 1,020",
    })  # fmt: skip
    for name, printed in TOKENS.items():
        rows.append(
            {"claim": f"{name.removeprefix('UD_')}: training words", "printed": printed, "ours": sizes[name].n_words}
        )
    for name, printed in THOUSANDS.items():
        claim = f"{name.removeprefix('UD_')}: thousands of training words (Table 1)"
        rows.append({"claim": claim, "printed": printed, "ours": sizes[name].n_words / 1000})
    return rows


def from_runs() -> list[dict[str, object]]:
    """Return means and standard deviations of PVI over the words of all treebanks with runs."""
    frame = read_result("difficulty_relations")
    words = frame["words"].to_numpy().astype(float)
    rows: list[dict[str, object]] = []
    for layer, name in (("arc", "arcs"), ("rel", "relations")):
        means, squares = (frame[f"{layer}_{kind}"].to_numpy() for kind in ("pvi", "square"))
        mean = float(np.average(means, weights=words))
        sd = float(np.sqrt(np.average(squares, weights=words) - mean**2))
        for kind, printed, ours in zip(("mean", "sd"), PVI[layer], (mean, sd), strict=True):
            why = SPREAD if kind == "sd" else IMPOSSIBLE
            if (layer, kind) == ("arc", "mean"):
                why = OTHER_SAMPLE.format(printed_mean("arc_vinfo"))
            rows.append({"claim": f"PVI of {name}, {kind}", "printed": printed, "ours": ours, "why": why})
    return rows


def printed_mean(measure: str) -> float:
    """Return the mean of a measure's printed values over our treebanks."""
    cells = read_result("difficulty_table1").filter(measure=measure).drop_nulls("printed")
    return float(cells["printed"].cast(pl.Float64).mean())  # type: ignore[arg-type]


def places() -> list[dict[str, object]]:
    """Return places of treebanks among ours, by printed values and by our own."""
    rows: list[dict[str, object]] = []
    for name, measure, there in PLACES:
        cells = read_result("difficulty_table1").filter(measure=measure).drop_nulls("printed")
        by = {"printed": cells["printed"].cast(pl.Float64), "ours": cells["ours"].round(2)}
        own = cells["treebank"].to_list().index(name)
        place = {key: 1 + int((values > values[own]).sum()) for key, values in by.items()}
        claim = f"{name.removeprefix('UD_')}: place by {NAMES[measure]} among {cells.height}"
        values = f"{cells['ours'][own]:.2f} (printed: {cells['printed'][own]})"
        rows.append({
            "claim": f"{claim} (text: {there})", "printed": str(place["printed"]),
            "ours": place["ours"],
            "why": f"its value is {values}; those of other treebanks differ as in Table 1",
        })  # fmt: skip
    return rows


def claims() -> pl.DataFrame:
    """Return the numbers of the text next to ours."""
    return compared([*from_treebanks(), *from_runs(), *places()])


def measured(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the numbers that are not just the size of a treebank."""
    return frame.filter(~pl.col("claim").str.contains("training words|training sentences"))


def by_relation() -> pl.DataFrame:
    """Return mean PVI of heads and relations by universal relation, over all treebanks' words."""
    frame = read_result("difficulty_relations")
    universal = pl.col("relation").str.split(":").list.first()
    words = pl.col("words")
    pooled = frame.group_by(universal).agg(
        pl.col("treebank").n_unique().alias("treebanks"),
        words.sum().alias("all words"),
        ((pl.col("arc_pvi") * words).sum() / words.sum()).alias("arc PVI"),
        ((pl.col("rel_pvi") * words).sum() / words.sum()).alias("relation PVI"),
    )
    return pooled.rename({"all words": "words"}).sort("relation PVI", "relation")
