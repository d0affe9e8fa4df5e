"""Statements of `rank compare --test mixed` and `--test profile`.

What could be chosen about ranges on a new treebank was chosen on UPOS, lemmas, features, tokens and
sentences of CoNLL 2018 and on tags of the published scores; they are judged on LAS, UAS and MLAS.
"""

from typing import Any, NamedTuple

import numpy as np

from tools.calibrate.plasmode import ScoreTable, score_table, tables_by_genus
from tools.calibrate.registry import Trials, statement
from tools.calibrate.simulated_boards import TABLES, board, families, values
from treegauge.ranking.compare import treebank_ranks
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.new_treebanks import new_ranges
from treegauge.ranking.profiles import interquartile_mean, profiles
from treegauge.ranking.reading import read_leaderboard
from treegauge.statistics.models.mixed_model import MixedModel, RandomTerm, crossed, mixed_model

#: Systems of the published scores with raw text as input, on treebanks of UD 2.5 and 2.6.
SYSTEMS = (
    "Stanza 1.0 2.5 raw text", "Stanza 1.1.1 2.5 raw text", "Trankit base 1.0 2.5 raw text",
    "Trankit large 1.0 2.5 raw text", "UDPipe 1  2.5 raw text", "UDPipe 2 200830 2.6 raw text",
)  # fmt: skip
#: Standard deviations of genus, treebank, genus:system and treebank:system, and of seeds.
SDS = (6.0, 5.0, 1.5, 2.0, 0.7)


class Design(NamedTuple):
    """The number of systems, treebanks and seeds, and the law of the effects."""

    systems: int
    treebanks: int
    seeds: int = 1
    heavy: bool = False


def simulated(random: np.random.Generator, design: Design) -> MixedModel:
    """Fit the model to scores with effects of all kinds; the genera are those of simulated boards."""
    genera, (systems, treebanks, seeds, heavy) = families(design.treebanks), design
    shape = (seeds, systems, treebanks)

    def effect(sd: float, *size: int) -> Any:
        drawn = random.standard_t(5, size) / np.sqrt(5 / 3) if heavy else random.normal(size=size)
        return sd * drawn

    scores = 70 + effect(SDS[0], genera.max() + 1)[genera] + effect(SDS[1], treebanks)
    scores = scores + effect(SDS[2], systems, genera.max() + 1)[:, genera] + effect(SDS[3], systems, treebanks)
    scores = scores + (effect(SDS[4], *shape) if seeds > 1 else np.zeros(shape))
    _, system, treebank = np.indices(shape).reshape(3, -1)
    genus = genera[treebank]
    terms = [RandomTerm("genus", crossed(genus)), RandomTerm("treebank", treebank),
             RandomTerm("genus:system", crossed(genus, system))]  # fmt: skip
    if seeds > 1:
        terms.append(RandomTerm("treebank:system", crossed(treebank, system)))
    return mixed_model(scores.ravel(), np.eye(systems)[system], terms)


@statement(
    name="mixed-components",
    verb="rank compare",
    says="standard deviation of genus:system 4.53 (2.47 to 8.29)",
    kind="interval",
    nominal=0.95,
    cases={
        "5 systems, 25 treebanks": Design(5, 25),
        "5 systems, 25 treebanks, effects with heavy tails": Design(5, 25, 1, True),
        "3 systems, 40 treebanks, 3 seeds": Design(3, 40, 3),
        "8 systems, 82 treebanks": Design(8, 82),
    },
    secondary="mean width (points)",
    covers=("variance components.low", "variance components.high"),
    repetitions=400,
    quick=8,
)
def components_of_scores(random: np.random.Generator, design: Design, repetitions: int) -> Trials:
    """Effects of all kinds, normal or (heavy tails) Student's t with 5 degrees of freedom.

    All effects of a simulated table count, until there are enough intervals. That the reach is the
    larger of the jackknife's and of normal effects was chosen on other draws, of seed 1.
    """
    true = dict(zip(("genus", "treebank", "genus:system", "treebank:system"), SDS, strict=False))
    true["residual"] = SDS[4] if design.seeds > 1 else SDS[3]
    genus = families(design.treebanks)[np.indices((design.seeds, design.systems, design.treebanks))[2].ravel()]
    hits: list[bool] = []
    widths: list[float] = []
    while len(hits) < repetitions:
        for part in simulated(random, design).components(0.95, genus):
            assert part.low is not None and part.high is not None
            hits.append(part.low <= true[part.name] <= part.high)
            widths.append(part.high - part.low)
    return Trials(np.array(hits[:repetitions]), np.array(widths[:repetitions]))


def published(metric: str) -> ScoreTable:
    """Return the published scores of the systems, on the treebanks that all of them have."""
    table = score_table("published", metric)
    rows = np.array([table.systems.index(name) for name in SYSTEMS])
    shared = np.flatnonzero(~np.isnan(table.scores[rows]).any(axis=0))
    names = tuple(table.treebanks[i] for i in shared)
    return ScoreTable(SYSTEMS, names, table.scores[np.ix_(rows, shared)], table.genera[shared])


def held_out(random: np.random.Generator, case: tuple[str, str], repetitions: int, ranks: bool) -> Trials:
    """Draw a treebank and a system; leave out its genus and two others, and predict."""
    source, metric = case
    table = published(metric) if source == "published" else score_table(source, metric)
    names = [f"t{i}" for i in range(len(table.treebanks))]
    made = Leaderboard.of(metric, table.systems, names, table.scores[None], read_leaderboard("conll18").metadata)
    numbers = treebank_ranks(made) if ranks else table.scores
    hits, widths = np.empty(repetitions, dtype=bool), np.empty(repetitions)
    for i in range(repetitions):
        treebank, system = int(random.integers(len(names))), int(random.integers(len(table.systems)))
        genus = table.genera[treebank]
        others = np.setdiff1d(table.genera, [genus])
        out = np.isin(table.genera, [genus, *random.choice(others, 2, replace=False)])
        low, high = new_ranges(numbers[:, ~out], table.genera[~out], ranks=ranks)
        hits[i] = low[system] <= numbers[system, treebank] <= high[system]
        widths[i] = high[system] - low[system] + ranks
    return Trials(hits, widths)


JUDGED = {
    "CoNLL 2018, LAS": ("conll18", "las"),
    "CoNLL 2018, UAS": ("conll18", "uas"),
    "CoNLL 2018, MLAS": ("conll18", "mlas"),
    "published scores, 6 systems, LAS": ("published", "las"),
    "published scores, 6 systems, UAS": ("published", "uas"),
}


@statement(
    name="mixed-new-score",
    verb="rank compare",
    says="LAS on one new treebank of a new genus: 7.0 to 92.9",
    kind="interval",
    nominal=0.95,
    cases=JUDGED,
    secondary="mean width (points)",
    covers=("mixed model.low", "mixed model.high", "mixed model.systems.low", "mixed model.systems.high"),
    repetitions=2000,
    quick=40,
)
def new_scores(random: np.random.Generator, case: tuple[str, str], repetitions: int) -> Trials:
    """Real scores: a random treebank, without its genus and two others in the table."""
    return held_out(random, case, repetitions, ranks=False)


@statement(
    name="mixed-new-rank",
    verb="rank compare",
    says="rank on one new treebank of a new genus: 1-7",
    kind="set",
    nominal=0.95,
    cases=JUDGED,
    secondary="mean number of ranks",
    covers=("mixed model.rank_*", "mixed model.systems.rank_*"),
    repetitions=2000,
    quick=40,
)
def new_ranks(random: np.random.Generator, case: tuple[str, str], repetitions: int) -> Trials:
    """Take the same treebanks; the truth is the rank of a random system on the one left out."""
    return held_out(random, case, repetitions, ranks=True)


@statement(
    name="profile-iqm",
    verb="rank compare",
    says="interquartile mean 83.04 (77.76 to 88.33)",
    kind="interval",
    nominal=0.95,
    cases={**{label: (number, "") for label, number in TABLES.items()}, "CoNLL 2018, genera drawn again": (26, "las")},
    secondary="mean width (points)",
    covers=("profiles.low", "profiles.high", "profiles.systems.low", "profiles.systems.high"),
    repetitions=1500,
    quick=40,
)
def interquartile_means(random: np.random.Generator, case: tuple[int, str], repetitions: int) -> Trials:
    """Three systems with effects of families and treebanks, or real genera drawn with replacement."""
    number, metric = case
    abilities = np.array([1.0, 0.5, 0.0])
    hits, widths = np.empty(repetitions, dtype=bool), np.empty(repetitions)
    for i in range(repetitions):
        if metric:
            drawn = tables_by_genus(random, number)
            system = int(random.integers(len(drawn.systems)))
            names = [f"t{j}" for j in range(len(drawn.treebanks))]
            genus = read_leaderboard("conll18").metadata.head(0)
            made = _board(metric, drawn, names, genus)
            true = float(interquartile_mean(score_table("conll18", metric).scores[system]))
        else:
            made, system = board(values(random, abilities, number)), int(random.integers(3))
            true = 70 + abilities[system]
        estimate = profiles(made)
        assert estimate.low is not None and estimate.high is not None
        hits[i] = estimate.low[system] <= true <= estimate.high[system]
        widths[i] = estimate.high[system] - estimate.low[system]
    return Trials(hits, widths)


def _board(metric: str, table: ScoreTable, names: list[str], empty: Any) -> Leaderboard:
    """Return a leaderboard of a table, under the numbers of its genera."""
    columns: dict[str, Any] = {name: [None] * len(names) for name in empty.columns}
    columns |= {"treebank": names, "genus": [str(genus) for genus in table.genera]}
    metadata = empty.__class__(columns, schema=empty.schema)
    return Leaderboard.of(metric, table.systems, names, table.scores[None], metadata)
