"""Learning curves by class: the counts behind the Challenges paper's tables, from a grid of runs.

Run the plans first (``treegauge run studies/challenges/challenges_beam.toml --store runs/challenges_beam``, and
so for mst and udpipe), then ``python -m studies.challenges.study runs/*``: it counts correct words
by part of speech and direction of the head and writes
``studies/results/challenges_attachments.csv``, which holds figures only. All tables are made
from that file and from the counts of the published configurations (``challenges_counts``), see
``challenges_tables``, ``challenges_claims``, ``challenges_equivalents`` and, for transfer with our
own options, ``challenges_transfer``.
"""

import sys

from studies.challenges.claims import CLAIMS
from studies.challenges.counts import CRITERIA, PUBLISHED, TAGS, WHOLE
from studies.challenges.equivalents import WORTH
from studies.challenges.figures import FIGURES
from studies.challenges.full import FULL_PARTS
from studies.challenges.tables import COUNTS, TABLES
from studies.challenges.transfer import TRANSFER
from studies.challenges.ud20_tables import TABLES20
from studies.challenges.udpipe import UDPIPE
from studies.parts import kept
from studies.treebanks import release_folder
from treegauge.experiments.cell_store import Store
from treegauge.learning.curves.class_counts import Attachments, collect, joined_counts
from treegauge.scoring.metrics.convention import CONVENTIONS
from treegauge.scoring.metrics.correct_words import PAPER_CLASSES
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_conllu

CHALLENGES = CONVENTIONS["challenges"]
RUNS = (
    "long: python -m studies.challenges.runs BITS panparser mstparser mstparser-xpos ud2.0 "
    "kl-beam tagger, then python -m studies.challenges.counts BITS; {}"
)
OF_PUBLISHED = (
    "samples 0 to 4; of ud2.0 five samples of 10 sentences and one of 500 on 12 treebanks, of "
    "mstparser-xpos one sample of most sizes; about 2 h 45 min of processor time"
)
PARTS = (
    kept(
        COUNTS,
        "Correct words by treebank, parser, class, size and sample, our own options",
        "long: treegauge run studies/challenges/challenges_*.toml, then python -m studies.challenges.study "
        "STORES; 86 min of processor time",
    ),
    kept(PUBLISHED, "The same, published configurations", RUNS.format(OF_PUBLISHED)),
    kept(
        WHOLE,
        "UAS of simple and complex words: whole training sets, transfer",
        RUNS.format("kl-beam: sample 0, 2 min of processor time"),
    ),
    kept(
        CRITERIA,
        "Simple and complex words of BEAM by other criteria",
        RUNS.format("the same runs; 10 min of processor time"),
    ),
    kept(
        TAGS, "Correct tags by treebank, tag, size and sample", RUNS.format("samples 0 to 4, 4 min of processor time")
    ),
    *FULL_PARTS,
    *TABLES20,
    *TABLES,
    *UDPIPE,
    *TRANSFER,
    *CLAIMS,
    *WORTH,
    *FIGURES,
)


def counted(stores: list[str]) -> Attachments:
    """Count correct words in the cells of all stores."""

    def gold(name: str) -> Treebank:
        return read_conllu(release_folder("r2.9") / name, split="test", name=name)

    each = (Store(path) for path in stores)
    return joined_counts(
        collect(one.results(task="curve"), one.words, gold, by=PAPER_CLASSES, metric="UAS", convention=CHALLENGES)
        for one in each
    )


def main() -> None:
    """Write the counts."""
    if not (stores := sys.argv[1:]):
        sys.exit("expected the stores of the plans studies/challenges/challenges_*.toml")
    path = PARTS[0].path
    counted(stores).save(path)
    print(f"wrote {path}, {path.stat().st_size / 1000:.0f} kB; now: python -m studies")


if __name__ == "__main__":
    main()
