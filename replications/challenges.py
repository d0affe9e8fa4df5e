"""Learning curves by class beside the Challenges paper: Tables 1 and 2, Spearman of Fig. 2.

Run the plans first (``treegauge run plans/challenges_beam.toml --store runs/challenges_beam``, and
so for mst and udpipe), then ``python -m replications.challenges runs/*``: it counts right words by
part of speech and side of the head and writes ``replications/results/challenges_attachments.csv``,
which holds figures only. Without stores, the tables are made from that file. The treebanks are
looked for under ``TREEGAUGE_UD``.
"""

import os
import sys
from pathlib import Path
from typing import Any

import polars as pl

from replications.parts import Part
from treegauge.curves.attachments import Attachments, joined, read_attachments
from treegauge.curves.collecting import collect
from treegauge.curves.complexity import Complexities, complexities
from treegauge.curves.learning import learning_curves
from treegauge.curves.partition import composites, partition
from treegauge.experiment.store import Store
from treegauge.tables import to_text
from treegauge.treebank.columns import Treebank
from treegauge.treebank.conllu import read_conllu

PARTS: tuple[Part, ...] = ()
COUNTS = Path(__file__).parent / "results" / "challenges_attachments.csv"

# Tag and value in ascending order of COMPLEXITY. The text at hand has lost the arrows that tell the
# two sides of a tag apart.
TABLE1 = {
    "beam": "ADP -18.8, DET -18.7, PRON -0.6, AUX 0.2, ADJ 1.9, CCONJ 6.3, NOUN 7.6, ADV 9.6, "
    "VERB 12.6, PROPN 23.4, SCONJ 35.0, NOUN 42.0, PROPN 49.5, VERB 52.5, ADJ 57.7, AUX 68.0, "
    "ADP 131.2",
    "mst": "ADP -27.7, DET -24.1, ADJ -15.4, VERB -3.5, CCONJ 6.2, PRON 8.7, PROPN 13.1, ADV 13.8, "
    "NOUN 23.4, AUX 28.9, NOUN 34.2, ADJ 47.4, SCONJ 53.8, PROPN 55.5, AUX 56.7, VERB 83.8, "
    "ADP 89.1",
    "udpipe": "ADP -33.3, AUX -24.5, CCONJ -5.3, DET -3.7, ADV -2.3, ADJ 0.7, PRON 3.3, "
    "PROPN 12.5, NOUN 25.3, VERB 26.0, AUX 28.3, NOUN 35.5, SCONJ 35.9, ADJ 45.1, ADP 51.0, "
    "PROPN 51.8, VERB 75.1",
}
# Simple, overall and complex UAS with 10 and with 500 sentences, partitions by BEAM.
TABLE2 = {
    "beam": {10: (71.1, 59.0, 42.7), 500: (82.9, 76.1, 67.1)},
    "mst": {10: (64.4, 52.8, 36.9), 500: (82.7, 75.1, 64.9)},
    "udpipe": {10: (52.8, 42.5, 28.4), 500: (81.8, 74.7, 65.2)},
}
SPEARMAN = {"beam": -0.886, "mst": -0.882, "udpipe": -0.576}
# Of the classes that a third of the treebanks have 30 test words of: all of the paper's are among
# them, which does not say how it chose them.
PRESENCE = 1 / 3
SIDES = ("simple", "all", "complex")


def counted(stores: list[str]) -> Attachments:
    """Count right words in the cells of all stores."""
    root = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")) / "r2.9"

    def gold(name: str) -> Treebank:
        return read_conllu(root / name, split="test", name=name)

    each = (Store(path) for path in stores)
    return joined(collect(one.results(task="curve"), one.words, gold) for one in each)


def table1(found: Complexities) -> pl.DataFrame:
    """Return classes in the order of COMPLEXITY beside the paper's."""
    columns: dict[str, pl.Series] = {}
    for parser in found.table["parser"].unique(maintain_order=True).to_list():
        ours = found.table.filter(parser=parser)
        names = ours["class"].str.replace(" × head right", " →").str.replace(" × head left", " ←")
        told = [one.rsplit(" ", 1) for one in TABLE1[parser].split(", ")]
        columns[parser] = names
        columns[f"{parser} COMPLEXITY"] = ours["complexity"]
        columns[f"{parser} UAS"] = ours["score"]
        columns[f"paper {parser}"] = pl.Series([tag for tag, _ in told])
        columns[f"paper's {parser}"] = pl.Series([float(value) for _, value in told])
    height = max(map(len, columns.values()))
    return pl.DataFrame({name: one.extend_constant(None, height - len(one))
                         for name, one in columns.items()})  # fmt: skip


def table2(counts: Attachments, parsers: list[str]) -> pl.DataFrame:
    """Return composite scores of parsers on the treebanks that all of them have."""
    sets = [set(counts.select(parsers=[parser]).treebanks) for parser in parsers]
    shared = sorted(set.intersection(*sets))
    some = counts.select(parsers=parsers, treebanks=shared)
    made = composites(some, partition(some, "beam"))
    curves = learning_curves(made, min_words=1).table
    rows: list[dict[str, Any]] = []
    for parser in parsers:
        row: dict[str, Any] = {"parser": parser, "treebanks": len(shared)}
        for size in (10, 500):
            for i, side in enumerate(SIDES):
                cell = curves.filter(parser=parser, size=size).filter(pl.col("class") == side)
                row[f"{side} {size}"] = cell["score"][0]
                row[f"paper's {side} {size}"] = TABLE2[parser][size][i]
        rows.append(row)
    return pl.DataFrame(rows)


def spearman(found: Complexities) -> pl.DataFrame:
    """Return the rank correlation of COMPLEXITY and UAS over classes beside the paper's."""
    paper = pl.DataFrame({"parser": list(SPEARMAN), "paper": list(SPEARMAN.values())})
    return found.correlations.drop("group").join(paper, on="parser", how="left")


def main() -> None:
    """Write the counts if stores are given, and print all tables."""
    if stores := sys.argv[1:]:
        COUNTS.parent.mkdir(exist_ok=True)
        counted(stores).write(COUNTS)
        print(f"wrote {COUNTS}, {COUNTS.stat().st_size / 1000:.0f} kB\n")
    counts = read_attachments(COUNTS)
    print(counts, "\n")
    found = complexities(counts, min_presence=PRESENCE)
    print(
        "Table 1: classes by COMPLEXITY, and the paper's",
        to_text(table1(found), digits=1),
        sep="\n",
    )
    print("\nTable 2: simple, all and complex words, partitions by BEAM")
    sets = {
        parser: frozenset(counts.select(parsers=[parser]).treebanks) for parser in counts.parsers
    }
    for treebanks in dict.fromkeys(sets.values()):
        parsers = [parser for parser in counts.parsers if sets[parser] >= treebanks]
        print(to_text(table2(counts, parsers), digits=1), end="\n\n")
    print("Spearman of COMPLEXITY and UAS at 500 sentences (Fig. 2)")
    print(to_text(spearman(found), digits=3))
    for note in found.notes:
        print(f"note: {note}")


if __name__ == "__main__":
    main()
