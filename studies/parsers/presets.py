"""Every preset compared with the numbers of its source, on the available treebanks.

The results of training are stored in ``preset_scores`` (``studies.parsers.preset_runs`` on a CPU,
``studies.parsers.preset_gpu`` on a GPU); those of UDPipe from samples in ``challenges_published``, the
Difficulty parser's in ``difficulty_seeds``.
"""

from collections.abc import Iterator
from statistics import fmean

import polars as pl

from studies.parts import Part, compared, kept, read_result
from treegauge import data
from treegauge.parsing.options import PRESETS

Row = dict[str, object]
_CURVE = "{} of UD 2.9 for 56 treebanks of UD 2.0"
_PANPARSER = "; beam 8 and 10 epochs are ours, no early stopping"
_MSTPARSER = "; MSTParser reads XPOS, LEMMA and FEATS, too: with XPOS for UPOS ours is {}"
CHALLENGES = (
    ("panparser", 10, "59.0", _PANPARSER),
    ("panparser", 500, "76.1", _PANPARSER),
    ("mstparser", 10, "52.8", _MSTPARSER),
    ("mstparser", 500, "75.1", _MSTPARSER),
    ("ud2.0", 10, "42.5", ""),
    ("ud2.0", 500, "74.7", "; most have short sentences, one seed"),
)
"""Preset, sentences, mean UAS as printed (Table 2, overall), and what else differs."""
PROGRAMS = (
    ("mstparser", "Telugu-MTG", "90.85", "78.09"),
    ("maltparser", "Telugu-MTG", "90.57", "77.12"),
    ("maltparser", "Marathi-UFAL", "76.21", "64.08"),
    ("maltparser", "Greek-GDT", "86.33", "82.01"),
    ("maltparser", "Turkish-IMST", "64.42", "54.70"),
)
"""UAS and LAS of MSTParser 0.5.1 (projective) and MaltParser 1.9.2 (nivreeager) themselves."""
_PROGRAM = {
    "mstparser": "features without lemmas and FEATS, and of neighbours; shuffled epochs; one root",
    "maltparser": "perceptron with a dynamic oracle and the features of Zhang & Nivre for "
    "LIBLINEAR, a static oracle and MaltParser's features",
}
GOLD_TAGS = {"gb-DM17": ("75.26", "67.99"), "tb-FG19": ("72.61", "63.74"), "sl-S+19": ("75.52", "67.30")}
"""Mean UAS and LAS of the subset D21 as printed (Fragility, Table 2)."""
CODES = {"Galician-TreeGal": "gl_treegal", "Lithuanian-HSE": "lt_hse", "Marathi-UFAL": "mr_ufal", "Tamil-TTB": "ta_ttb"}
_NEURAL = {
    "gb-DM17": "no fastText vectors; at most 3,000 updates; UD 2.9 for 2.8",
    "tb-FG19": "no fastText vectors; no return to the best epoch; UD 2.9 for 2.8",
    "sl-S+19": "no fastText vectors; a dense layer, orthogonal first weights, clipping; UD 2.9 for 2.8",
}


def _means(frame: pl.DataFrame, metric: str) -> dict[tuple[str, str, str, str, int], float]:
    """Return means over seeds by preset, release, treebank, tags and number of sentences."""
    keys = ["preset", "release", "treebank", "tags", "sentences"]
    means = frame.group_by(keys).agg(pl.col(metric).mean())
    return {tuple(row[:-1]): row[-1] for row in means.select(*keys, metric).rows()}


def _row(preset: str, source: str, treebank: str, tags: str, metric: str, printed: str, ours: float, why: str) -> Row:
    return {"preset": preset, "source": source, "treebank": treebank, "tags": tags,
            "metric": metric, "printed": printed, "ours": ours, "why": why}  # fmt: skip


def _challenges(uas: dict[tuple[str, str, str, str, int], float]) -> Iterator[Row]:
    udpipe = read_result("challenges_udpipe")
    table = read_result("challenges_table2_ud29").filter(parser="MSTPARSER", words="all")
    xpos = {size: f"{value:.1f}" for size, value in table.select("sentences", "xpos").iter_rows() if value is not None}
    for preset, size, printed, more in CHALLENGES:
        own = [value for key, value in uas.items() if key[0] == preset and key[4] == size]
        if preset == "ud2.0":
            own = udpipe.filter(size=size)[preset].to_list()
        yield _row(
            preset, "Challenges, Table 2", f"mean of {len(own)}, {size} sentences", "gold", "UAS",
            printed, fmean(own), _CURVE.format(len(own)) + more.format(xpos[str(size)]),
        )  # fmt: skip


def _of_whole_sets(frame: pl.DataFrame) -> Iterator[Row]:
    """Yield rows of the programs themselves, of UDPipe's models and of Fragility's treebanks."""
    means = {metric: _means(frame, metric) for metric in ("uas", "las")}
    names = {"mstparser": "MSTParser 0.5.1", "maltparser": "MaltParser 1.9.2"}
    for preset, treebank, *printed in PROGRAMS:
        for metric, value in zip(means, printed, strict=True):
            ours = means[metric][preset, "r2.9", treebank, "gold", 0]
            yield _row(preset, f"{names[preset]} itself, UD 2.9", treebank, "gold", metric.upper(),
                       value, ours, _PROGRAM[preset])  # fmt: skip
    published = {row["treebank"]: row for row in data.ud25().to_dicts()}
    for (preset, release, treebank, tags, _), _ in sorted(means["las"].items()):
        if release == "r2.5":
            for metric, own in means.items():
                value = f"{published[treebank][f'{metric}_gold_tags']:.1f}"
                ours = own[preset, release, treebank, tags, 0]
                yield _row(preset, "UDPipe 1.2, models for UD 2.5 (EDV)", treebank, "gold",
                           metric.upper(), value, ours, "no word vectors, gold tags in training, "
                           "settings not searched per treebank")  # fmt: skip
    printed_scores = {
        (row["system"], row["treebank"], row["metric"]): f"{row['score']:.2f}"
        for row in data.fragility_exp1().to_dicts()
    }
    for preset, why in _NEURAL.items():
        for treebank, code in CODES.items():
            for metric, own in means.items():
                mean = own.get((preset, "r2.9", treebank, "predicted", 0))
                if mean is not None:
                    yield _row(preset, "Fragility, data of Table 1", treebank, "predicted",
                               metric.upper(), printed_scores[preset, code, metric], mean,
                               f"{why}; tags of another tagger")  # fmt: skip
        for (metric, own), value in zip(means.items(), GOLD_TAGS[preset], strict=True):
            each = [score for key, score in own.items() if key[0] == preset and key[3] == "gold"]
            if each:
                yield _row(preset, "Fragility, Table 2", f"mean of D21, {len(each)} of 7", "gold",
                           metric.upper(), value, fmean(each),
                           f"without Belarusian; {why}")  # fmt: skip


def _difficulty() -> Iterator[Row]:
    rows = read_result("difficulty_table1").filter(pl.col("measure").is_in(["uas", "las"]))
    for row in rows.to_dicts():
        yield _row("difficulty", "Difficulty, Table 1", row["treebank"].removeprefix("UD_"), "none",
                   row["measure"].upper(), row["printed"], row["ours"],
                   row["why"])  # fmt: skip


def table() -> pl.DataFrame:
    """Return ours next to the printed figures, in the order of the presets."""
    frame = read_result("preset_scores")
    curves, whole = frame.filter(pl.col("sentences") > 0), frame.filter(pl.col("sentences") == 0)
    rows = [*_challenges(_means(curves, "uas")), *_of_whole_sets(whole), *_difficulty()]
    order = {preset.name: number for number, preset in enumerate(PRESETS)}
    return compared(sorted(rows, key=lambda row: order[str(row["preset"])]))


PARTS = (
    kept("preset_scores", "Scores of presets, one row per training",
         "long: python -m studies.parsers.preset_runs, about 100 min of one core, and GPU: python -m "
         "studies.parsers.preset_gpu encode, train and table, 23 min on one shared H200; sl-S+19: "
         "studies.parsers.dropout_gpu"),
    Part("presets", "Presets and the scores of their sources", table),
)  # fmt: skip
