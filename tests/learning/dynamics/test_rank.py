"""The absolute rank of the published table."""

import numpy as np
import pytest
from scipy.stats import spearmanr

import treegauge as tg
from treegauge import data
from treegauge.core.errors import TreegaugeError
from treegauge.learning.difficulty import LARGER_IS_EASIER, absolute_rank
from treegauge.testing.synthetic import synthetic

# The Difficulty paper, Table 1: absolute rank and the ten measures of treebanks whose row is
# legible; the order of the columns is that of LARGER_IS_EASIER.
PUBLISHED = """
Latin LLCT|1|96.45 95.12 .91 .10 3.74 3.76 .96 .05 2.90 4.02
Japanese GSD|3|94.78 93.46 .93 .07 2.88 2.85 .97 .04 2.06 2.62
Hindi HDTB|6|94.10 90.57 .92 .06 3.02 3.83 .94 .05 2.05 3.90
Romanian SiMoNERo|9|92.43 89.19 .88 .13 3.38 4.12 .93 .07 2.69 4.18
Norwegian Bokmaal|14|91.88 89.37 .88 .10 2.87 5.15 .95 .05 2.86 5.09
French Sequoia|26|89.12 85.50 .82 .18 3.16 4.14 .90 .12 2.70 4.13
Irish IDT|32|86.61 80.02 .84 .13 2.60 4.23 .89 .10 2.73 4.29
Afrikaans AfriBooms|46|84.48 79.48 .80 .21 2.72 3.87 .89 .13 2.64 3.69
Swedish LinES|56|85.07 79.98 .79 .19 2.72 4.96 .87 .13 2.82 4.85
Finnish TDT|59|85.68 80.96 .80 .16 2.68 6.46 .88 .12 3.09 6.42
Basque BDT|71|82.44 77.90 .76 .19 2.34 5.29 .87 .13 2.48 5.21
Lithuanian ALKSNIS|81|76.43 69.36 .68 .23 2.43 5.47 .81 .16 2.75 5.29
Uyghur UDT|85|75.25 60.47 .66 .20 1.35 4.92 .66 .17 1.46 4.96
Turkish IMST|88|67.65 58.38 .58 .19 1.29 5.69 .70 .16 1.83 5.86
"""


def published():
    rows = [line.split("|") for line in PUBLISHED.strip().splitlines()]
    columns = np.array([[float(x) for x in row[2].split()] for row in rows])
    table = {"treebank": [row[0] for row in rows]}
    return table | dict(zip(LARGER_IS_EASIER, columns.T, strict=True)), [int(r[1]) for r in rows]


def test_the_published_ranks_follow_from_the_published_values():
    table, ranks = published()
    found = absolute_rank(table).table
    order = [table["treebank"].index(name) for name in found["treebank"]]
    assert spearmanr(found["rank"], [ranks[i] for i in order]).statistic > 0.98
    assert found["treebank"][0] == "Latin LLCT"
    assert found["treebank"][-1] == "Turkish IMST"


def test_gaps_and_ties():
    packaged = absolute_rank(data.difficulty_table1()).table
    assert packaged.height == 16
    assert packaged["treebank"][-1] in {"UD_Turkish-IMST", "UD_Vietnamese-VTB", "UD_Uyghur-UDT"}
    found = absolute_rank({"treebank": ["a", "b", "c"], "las": [9, 9, 1], "uas": [None, 5, 3]})
    rows = {row["treebank"]: row for row in found.table.to_dicts()}
    assert rows["a"]["las"] == rows["b"]["las"] == 1.5
    assert rows["a"]["uas"] is None
    assert (rows["b"]["rank"], rows["a"]["rank"], rows["c"]["rank"]) == (1, 2, 3)
    with pytest.raises(TreegaugeError, match="has none of the measures"):
        absolute_rank({"treebank": ["a"], "size": [1]})
    with pytest.raises(TreegaugeError, match="unknown measure 'la'"):
        absolute_rank({"treebank": ["a"], "las": [1]}, ["la"])


def test_a_row_of_the_table(quick):
    train, dev = synthetic(60, seed=1), synthetic(20, seed=2)
    table = tg.difficulty(
        {"train": train, "dev": dev}, {"train": train[:30], "dev": dev}, orders=0, epochs=3,
        option={"bits": 16, "label_bits": 12},
    )  # fmt: skip
    one = table[0]
    assert table.table["sentences"].to_list() == [60, 30]
    assert table.table["arc_mdl"].null_count() == 2
    assert "arc_mdl" not in table.known.columns
    assert sorted(table.ranks.table["rank"].to_list())[0] == 1
    assert one.row["arc_vinfo"] == pytest.approx(one.information.pvi("head").mean())
    parsed = quick.parser.fit(train, seed=0).parse(dev)
    assert one.row["uas"] == pytest.approx(100 * np.mean(parsed.head == dev.head))
