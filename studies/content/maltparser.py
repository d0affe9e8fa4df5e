"""MaltParser on UD 1.2: the Content paper's parser and release, on 20 of its 22 languages.

MaltParser 1.8.1 in its default configuration was trained on 8,000 words of each dev set and parsed
the first 10,000 words of each test set, with UPOS in both columns of tags (``upos``), or UPOS and XPOS
(``both``). Its output is scored as it is, with several roots where it has them.
"""

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.content.data import LANGUAGES, MARGIN
from studies.parts import compared, read_result
from studies.treebanks import release_folder
from studies.verdicts import Why
from treegauge.measures.structure import average_wde, relation_class, word_dependency_entropy
from treegauge.statistics.correlation_coefficients import inference
from treegauge.statistics.probabilities import cumulative_variance
from treegauge.treebanks.data.columns import Treebank, concat
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.treebanks.data.relations import universal_relation

RELEASE, OUTPUTS = "r1.2", "maltparser_r1.2"
SCORES, WEIGHTS = "content_maltparser", "content_wde12"
TAGS = ("upos", "both")
TREEBANKS = """
    Arabic-PADT Basque-BDT Bulgarian-BTB Croatian-SET Danish-DDT Dutch-Alpino English-EWT Finnish-TDT
    Gothic-PROIEL Greek-GDT Hebrew-HTB Italian-ISDT Norwegian-Bokmaal Old_Church_Slavonic-PROIEL
    Persian-Seraji Polish-PDB Portuguese-Bosque Slovenian-SSJ Spanish-GSD Swedish-Talbanken
""".split()
# The other treebanks of UD 1.2 at hand, whose entropies are averaged, too.
OTHERS = """
    Ancient_Greek-PROIEL Ancient_Greek-Perseus Estonian-EDT Finnish-FTB French-GSD German-GSD Hungarian-Szeged
    Indonesian-GSD Irish-IDT Latin-ITTB Latin-PROIEL Latin-Perseus Romanian-RRT Tamil-TTB
""".split()
# Our columns in the order of Table 3, and its printed upper triangle.
COLUMNS = {
    "F freq": "function_share", "C freq": "content_share", "WLAS": "wlas", "LAS": "las",
    "C prec": "content_precision", "C rec": "content_recall",
    "F prec": "function_precision", "F rec": "function_recall",
}  # fmt: skip
TABLE3 = """
-0.86 0.44 0.43 0.19 0.23 0.67 0.62
-0.46 -0.48 -0.25 -0.33 -0.73 -0.67
0.99 0.93 0.92 0.84 0.91
0.96 0.96 0.83 0.89
0.99 0.66 0.75
0.71 0.76
0.97
"""
METRICS = ("las", "wlas", "content_precision", "content_recall")
DEFINITIONS = tuple(product(("forms", "lower case"), ("all words", "without punctuation")))
"""Of STTR: what is a type, and which words count."""


def files(name: str) -> list[Path]:
    """Return the files of a treebank of UD 1.2."""
    folder = release_folder(RELEASE) / f"UD_{name}"
    return sorted(folder.glob("*.conllu"))


def read(path: Path) -> Treebank:
    """Return a file of UD 1.2 as it is."""
    return read_conllu(path, errors="repair")


def tested(name: str, tags: str) -> dict[str, npt.NDArray[Any]]:
    """Return gold and predicted heads and relations of the words that MaltParser parsed."""
    (path,) = (one for one in files(name) if one.stem.endswith("-test"))
    gold = read(path)
    lines = (release_folder(OUTPUTS) / f"{name}.{tags}.conllx").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line]
    if [row[1] for row in rows] != gold["form"][: len(rows)].to_list():
        raise ValueError(f"{name}: MaltParser's words are not the first of the test set")
    return {
        "head": gold.head[: len(rows)], "relation": gold["deprel"][: len(rows)].to_numpy(),
        "other head": np.array([int(row[6]) for row in rows]), "other relation": np.array([row[7] for row in rows]),
    }  # fmt: skip


def weights() -> pl.DataFrame:
    """Return the average WDE of every relation over all treebanks of UD 1.2 at hand (Figure 2)."""
    each = []
    for name in sorted([*TREEBANKS, *OTHERS]):
        parts = [read(path) for path in files(name)]
        each.append(word_dependency_entropy(concat(parts)))
    average = average_wde(each)
    rows = [
        {"relation": name, "class": relation_class(name, "v1"), "wde": value,
         "treebanks": sum(name in one for one in each)}
        for name, value in average.items()
    ]  # fmt: skip
    return pl.DataFrame(rows).sort("wde", "relation")


def scores() -> pl.DataFrame:
    """Return shares and scores of every treebank, in percent: whole relations, all words, and STTR."""
    weight = dict(read_result(WEIGHTS).select("relation", "wde").iter_rows())
    rows = []
    for name in TREEBANKS:
        parts = concat([read(path) for path in files(name)])
        types = {f"sttr, {what}, {which}": sttr(parts, what, which) for what, which in DEFINITIONS}
        rows += [{"treebank": name, "tags": tags, **scored(tested(name, tags), weight), **types} for tags in TAGS]
    return pl.DataFrame(rows)


def scored(words: dict[str, npt.NDArray[Any]], weight: dict[str, float]) -> dict[str, float]:
    """Return shares, LAS, weighted LAS (by gold relations), precision and recall of both classes."""
    gold, other = ([universal_relation(name) for name in words[key]] for key in ("relation", "other relation"))
    correct = (words["head"] == words["other head"]) & (words["relation"] == words["other relation"])
    weighed = np.array([weight.get(name, 0.5) for name in gold])
    row = {"words": len(gold), "las": 100 * correct.mean(), "wlas": 100 * float(weighed @ correct / weighed.sum())}
    for kind in ("function", "content"):
        of_gold, of_other = (np.array([relation_class(one, "v1") == kind for one in side]) for side in (gold, other))
        row[f"{kind}_share"] = 100 * of_gold.mean()
        row[f"{kind}_precision"] = 100 * correct[of_other].mean()
        row[f"{kind}_recall"] = 100 * correct[of_gold].mean()
    return row


def sttr(treebank: Treebank, what: str, which: str) -> float:
    """Return the standardised type/token ratio by one definition."""
    forms = treebank["form"]
    if what == "lower case":
        forms = forms.str.to_lowercase()
    if which != "all words":
        forms = forms.filter(treebank["deprel"] != "punct")
    codes = forms.cast(pl.Categorical).to_physical().to_numpy()
    chunks = codes[: len(codes) // 1000 * 1000].reshape(-1, 1000)
    return float(np.mean([len(np.unique(chunk)) / 1000 for chunk in chunks]))


def printed_pairs() -> dict[tuple[str, str], str]:
    """Return Table 3 as printed, by pair of columns."""
    names = list(COLUMNS)
    return {
        (names[i], names[i + 1 + j]): value
        for i, line in enumerate(TABLE3.split("\n")[1:-1])
        for j, value in enumerate(line.split())
    }


def matrix() -> pl.DataFrame:
    """Correlate shares and scores over treebanks next to Table 3.

    `least` and `most` are the 95 % interval of 20 languages; ``without two`` is the range of the
    coefficient if any two of them are left out, as two of the paper's 22 are here.
    """
    printed = printed_pairs()
    rows: list[dict[str, object]] = []
    for tags in TAGS:
        frame = read_result(SCORES).filter(tags=tags)
        for (x, y), value in printed.items():
            pair = frame.select(COLUMNS[x], COLUMNS[y]).to_numpy()
            found = inference(float(np.corrcoef(pair.T)[0, 1]), len(pair))
            fewer = [np.corrcoef(np.delete(pair, gone, 0).T)[0, 1] for gone in combinations(range(len(pair)), 2)]
            why = Why(f"without two: {min(fewer):.2f} to {max(fewer):.2f}",
                      least=found.low, most=found.high, margin=MARGIN)  # fmt: skip
            rows.append({"tags": tags, "x": x, "y": y, "n": len(pair), "printed": value, "ours": found.r, "why": why})
    return compared(rows)


def vocabulary() -> pl.DataFrame:
    """Correlate STTR, by four definitions, with the shares of content and function relations (Figure 3)."""
    frame = read_result(SCORES).filter(tags=TAGS[0])
    rows: list[dict[str, object]] = []
    for (what, which), share in product(DEFINITIONS, ("content_share", "function_share")):
        found = inference(float(np.corrcoef(frame[f"sttr, {what}, {which}"], frame[share])[0, 1]), frame.height)
        printed = "0.27" if share == "content_share" else None
        why = Why(f"over {LANGUAGES - 2} of {LANGUAGES} languages", least=found.low, most=found.high, margin=MARGIN)
        rows.append({"types": what, "words": which, "share": share, "low": found.low, "high": found.high,
                     "printed": printed, "ours": found.r, "why": why})  # fmt: skip
    return compared(rows)


def decreases() -> pl.DataFrame:
    """Correlate STTR and the share of function relations with the relative decrease from LAS."""
    frame = read_result(SCORES).filter(tags=TAGS[0])
    rows: list[dict[str, object]] = []
    for name in METRICS[1:]:
        lost = ((frame["las"] - frame[name]) / frame["las"]).to_numpy()
        row: dict[str, object] = {"score": name, "mean decrease, %": 100 * float(lost.mean())}
        for label, column in (("STTR", "sttr, forms, all words"), ("function share", "function_share")):
            found = inference(float(np.corrcoef(lost, frame[column])[0, 1]), frame.height)
            row |= {label: found.r, f"{label}, low": found.low, f"{label}, high": found.high}
        rows.append(row)
    return pl.DataFrame(rows)


def counted(frame: pl.DataFrame) -> pl.DataFrame:
    """Return one row per printed number: UPOS as tags, STTR as `treegauge measure` defines it."""
    if "tags" in frame.columns:
        return frame.filter(tags=TAGS[0])
    return frame.filter(types=DEFINITIONS[0][0], words=DEFINITIONS[0][1])


def order() -> pl.DataFrame:
    """Count the pairs of a function and a content relation of which the function's WDE is lower."""
    found, rows = read_result(WEIGHTS), []
    for least in (1, 25):
        some = found.filter(pl.col("treebanks") >= least)
        sides = [some.filter(pl.col("class") == side)["wde"].to_list() for side in ("function", "content")]
        lower = sum(low < high for low, high in product(*sides))
        pairs = len(sides[0]) * len(sides[1])
        rows.append({"in treebanks": f"{least} or more", "pairs": pairs, "in order": lower, "share": lower / pairs})
    return pl.DataFrame(rows)


def spread() -> pl.DataFrame:
    """Set the variance of each score against that of LAS, among the best languages and all (Figure 5)."""
    frame = read_result(SCORES).filter(tags=TAGS[0])
    rows = []
    found = {name: cumulative_variance(frame[name], by=frame["las"]) for name in METRICS}
    for best in (5, 10, frame.height):
        las = found["las"][best - 2]
        ratios = {f"{name} / las": found[name][best - 2] / las for name in METRICS[1:]}
        rows.append({"best": best, "las": las, **ratios})
    return pl.DataFrame(rows)
