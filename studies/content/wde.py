"""Relations between function and content: Figure 2 of the Content paper, and its STTR.

``python -m studies.content.wde`` packages the averages as the weights of weighted LAS.
"""

from itertools import product
from pathlib import Path

import polars as pl

import treegauge.data
from studies.content.data import CHOICES, RELEASE, by_chance, chosen
from studies.parts import compared, read_result
from studies.treebanks import treebank_folders
from treegauge.core.files import atomic
from treegauge.measures.structure import average_wde, relation_class, universal_relations, word_dependency_entropy
from treegauge.statistics.analyse import correlation_matrix
from treegauge.treebanks.data.conllu import read_conllu

PACKAGED = Path(treegauge.data.__file__).parent / "wde.parquet"
# What UD v1 called it; names that did not change are left out.
V1 = {
    "obj": "dobj", "obl": "nmod", "fixed": "mwe", "flat": "name, foreign", "orphan": "remnant",
    "advmod": "advmod, neg", "aux": "aux, auxpass", "nsubj": "nsubj, nsubjpass",
    "csubj": "csubj, csubjpass", "clf": "(none)",
}  # fmt: skip


def averages() -> pl.DataFrame:
    """Average WDE over treebanks, 0.5 where a treebank lacks the relation."""
    each, words = [], dict[str, int]()
    for folder in treebank_folders(RELEASE):
        treebank = read_conllu(folder)
        each.append(word_dependency_entropy(treebank))
        codes, names = universal_relations(treebank)
        for code, name in enumerate(names):
            words[name] = words.get(name, 0) + int((codes == code).sum())
    average = average_wde(each)
    rows = [
        {
            "relation": name, "v1": V1.get(name, name), "class": relation_class(name),
            "wde": value, "lowest": min(one[name] for one in each if name in one),
            "highest": max(one[name] for one in each if name in one),
            "treebanks": sum(name in one for one in each), "words": words[name],
        }
        for name, value in average.items()
    ]  # fmt: skip
    return pl.DataFrame(rows).sort("wde", "relation")


def order() -> pl.DataFrame:
    """Count the pairs of a function and a content relation of which the function's WDE is lower.

    The paper's claim about its Figure 2 is that function relations come first. Its values and the
    order of its bars are a picture that the text at hand lacks.
    """
    found, rows = read_result("content_wde"), []
    for least in (1, 30):
        some = found.filter(pl.col("treebanks") >= least)
        sides = [
            list(some.filter(pl.col("class") == side).select("relation", "wde").iter_rows())
            for side in ("function", "content")
        ]
        wrong: dict[str, list[str]] = {}
        for (function, low), (content, high) in product(*sides):
            if low > high:
                wrong.setdefault(function, []).append(content)
        pairs = len(sides[0]) * len(sides[1])
        lost = sum(map(len, wrong.values()))
        listed = "; ".join(f"{name} above {', '.join(those)}" for name, those in wrong.items())
        rows.append(
            {"treebanks": f"{least} or more", "function": len(sides[0]), "content": len(sides[1]),
             "pairs": pairs, "in_order": pairs - lost, "share": 1 - lost / pairs,
             "exceptions": listed}
        )  # fmt: skip
    return pl.DataFrame(rows)


def sttr() -> pl.DataFrame:
    """Correlate STTR with the shares of content and function relations (Figure 3)."""
    both = pl.col("content") + pl.col("function")
    frame = read_result("content_treebanks").with_columns((pl.col("content") / both).alias("content, others left out"))
    rows = []
    for choice in CHOICES:
        some = frame.filter(pl.col("treebank").is_in(chosen(choice)))
        for share in ("content", "content, others left out", "function"):
            found = correlation_matrix(some, ["sttr", share], method="pearson", cluster="none").pairs[0]
            rows.append(
                {"treebanks": choice, "share": share, "n": found["n"], "low": found["low"],
                 "high": found["high"], "printed": None if share == "function" else "0.27",
                 "ours": found["r"]}
            )  # fmt: skip
    return compared(rows, by_chance)


def main() -> None:
    """Write the packaged averages."""
    frame = averages().select("relation", "wde", "treebanks")
    with atomic(PACKAGED) as file:
        frame.write_parquet(file, compression="zstd")
    print(f"wrote {PACKAGED}")


if __name__ == "__main__":
    main()
