"""List every number and where it is explained: `python -m tools.docs.numbers` writes docs/numbers.md."""

from pathlib import Path

from tools.docs import tables
from treegauge.measures.registry import measures
from treegauge.scoring.metrics.registry import ENHANCED, METRICS, MORE, NODES, WEIGHTED

TARGET = Path(__file__).parents[2] / "docs" / "numbers.md"
HEAD = """# Every number

Each number that treegauge prints: its meaning, the command, and the page with formula, options and
caveats. `--format json` gives all digits. Every result ends with a signature of the choices behind
it.
"""
# Headings of docs/scoring.md that explain a metric.
METRIC_HOMES = {
    "UFeats": "features", "Lemmas": "lemmas", "LAS": "relations-and-subtypes",
    "CLAS": "content-words-and-function-words", "MLAS": "mlas", "BLEX": "blex",
    **dict.fromkeys(ENHANCED, "enhanced-dependencies"),
    **dict.fromkeys([*MORE, *WEIGHTED], "beyond-the-official-scores"),
    **dict.fromkeys(NODES, "morphosyntactic-trees"),
}  # fmt: skip
SCORE = "treegauge score GOLD SYSTEM"
BREAKDOWN = "treegauge breakdown GOLD SYSTEM"
RANK = "treegauge rank SCORES --size 10"
# Number, what it is, command, page.
CERTAINTY = (
    ("interval", "jackknife of F1 over documents or sentences, Student's t", SCORE,
     "scoring.md#how-certain-a-score-is"),
    ("p_value, p_corrected", "Student's t of the difference, corrected by Holm", f"{SCORE} OTHER",
     "scoring.md#how-certain-a-score-is"),
    ("error_reduction", "100 (a − b) / (100 − b)", f"{SCORE} OTHER",
     "scoring.md#beyond-the-official-scores"),
    ("cells of a breakdown", "P, R and F1 over words of a class", f"{BREAKDOWN} --by relation",
     "scoring.md#where-a-system-errs"),
    ("ece, ece_by_chance", "expected calibration error of probabilities, and what chance gives",
     f"{BREAKDOWN} --calibration", "scoring.md#calibration"),
    ("brier, log_loss, auroc, aurc", "quality of probabilities, and how well they detect errors",
     f"{BREAKDOWN} --calibration", "scoring.md#calibration"),
    ("LAS without 20 %", "score without the least certain sentences",
     f"{BREAKDOWN} --calibration", "scoring.md#calibration"),
)  # fmt: skip
RANKING = (
    ("rank, best, worst, quartiles, mean, sd", "1 + better + equal / 2, over subsets", RANK,
     "ranking.md#what-the-numbers-are"),
    ("group, low, high, failed", "standings of a shared task", "treegauge leaderboard GOLD TEAMS",
     "howto/leaderboard.md"),
    ("wins, undecided, losses",
     "subsets in which a is above b, over all subsets", f"{RANK} --subsets all",
     "ranking.md#what-the-numbers-are"),
    ("tau, top1", "agreement of a subset's ranking with the full one", RANK,
     "ranking.md#what-the-numbers-are"),
    ("95 % set", "confidence set of the rank by mean score over all treebanks of these families",
     RANK,
     "ranking.md#what-the-numbers-are"),
    ("certificate", "difference, tests, win rates, and what would refute the claim",
     'treegauge certify SCORES --claim "A > B"', "ranking.md#a-certificate-for-a-claim"),
    ("expected, found, ratio", "classes of treebanks that are over-represented in extreme subsets",
     "treegauge rank outliers SCORES --system A", "ranking.md#outliers"),
    ("margin", "agreement of recommended treebanks minus that of random ones",
     "treegauge recommend SCORES", "ranking.md#which-treebanks-to-take"),
    ("critical difference, groups", "systems whose difference is not significant",
     "treegauge rank compare SCORES", "ranking.md#comparisons-that-readers-know"),
)  # fmt: skip
ANALYSIS = (
    ("correlation, partial, r2, detectable_r", "what explains a score",
     "treegauge analyse TABLE --target las --of edv", "analysis.md#coefficients"),
    ("split-edv, split-slv, p", "distance of a split, compared with random splits",
     "treegauge audit UD_X", "audit.md"),
    ("leak, duplicates: share",
     "sentences that are also in another set (leakage) or repeated, exactly or nearly",
     "treegauge audit UD_X", "audit.md#traintest-overlap-leakage"),
    ("similarity of two sentences", "1 - edit distance / length of the longer, in characters",
     "treegauge audit --only leaks UD_X", "audit.md#traintest-overlap-leakage"),
    ("valid, inconsistent, new words", "quality of a treebank, in percent",
     "treegauge audit --only card UD_X", "audit.md#cards"),
    ("observed, specific, kappa, alpha",
     "inter-annotator agreement, raw and beyond chance, also of trees",
     "treegauge agree A B", "howto/agree.md"),
    ("edv, slv of splits", "Wasserstein distance of displacements, of lengths",
     "treegauge split UD_X", "splitting.md#distance"),
)  # fmt: skip
LEARNING = (
    ("confidence, variability, correctness, forgetting", "of the probability of gold over epochs",
     "treegauge map UD_X", "dynamics.md#data-maps"),
    ("usable information", "information in the words about heads and relations, in bits",
     "treegauge difficulty UD_X --measure vinfo", "dynamics.md#usable-information"),
    ("description length",
     "bits needed to send the trees (minimum description length)", "treegauge difficulty UD_X --measure mdl",
     "dynamics.md#description-length"),
    ("absolute rank",
     "rank of a treebank by all these measures", "treegauge difficulty UD_*",
     "dynamics.md#absolute-rank"),
    ("score of an inconsistency",
     "log-odds of another annotation of the same words elsewhere",
     "treegauge audit UD_X --only consistency", "audit.md#consistency"),
    ("score of a candidate", "how strongly models contradict an annotation",
     "treegauge map UD_X --candidates 100", "dynamics.md#candidates-for-annotation-errors"),
    ("learning curve",
     "share of correct words by number of training sentences", "treegauge curve COUNTS",
     "curves.md#what-is-counted"),
    ("complexity", "area between the curves of all words and of a class",
     "treegauge curve complexity UD_X", "curves.md#complexity"),
    ("equivalent", "number of sentences that give the same score",
     "treegauge curve equivalent COUNTS --score 75", "curves.md#what-a-score-is-worth"),
    ("gain of annotating", "score after more sentences, by fitted curves",
     "treegauge curve advise UD_X --budget 200", "curves.md#advice"),
    ("benefit of a sentence", "disagreement of parsers about it, per word to annotate",
     "treegauge curve advise UD_X --sentences FILE -n 50", "howto/curve.md"),
    ("klcpos3, weight", "distance of tag trigrams; weight of a source",
     "treegauge transfer recommend TARGET SOURCE...", "transfer.md#method"),
    ("gain of a source", "loss of the vote without it",
     "treegauge transfer TARGET SOURCE... --leave-one-out", "transfer.md#what-each-source-adds"),
)  # fmt: skip

Row = tuple[str, str, str, str]


def table(rows: list[Row] | tuple[Row, ...]) -> str:
    """Return rows as a table in Markdown."""
    lines = ["| number | what it is | command | page |", "|---|---|---|---|"]
    for number, meaning, command, page in rows:
        escaped = meaning.replace("|", "\\|")
        lines.append(f"| {number} | {escaped} | `{command}` | [{page.partition('#')[0]}]({page}) |")
    return "\n".join(lines)


def text() -> str:
    """Return the page."""
    metrics: list[Row] = [
        (
            name,
            one.meaning,
            SCORE if name in METRICS else f"{SCORE} --metric {name}",
            f"scoring.md#{METRIC_HOMES.get(name, 'the-metrics')}",
        )
        for name, one in {**METRICS, **ENHANCED, **NODES, **WEIGHTED, **MORE}.items()
    ]
    measured: list[Row] = [
        (f"`{name}`", one.meaning, f"treegauge measure {name} UD_X", f"measures/{one.family}.md#{name}")
        for name, one in measures().items()
    ]
    parts = {
        "Scores": metrics,
        "How certain, and where": CERTAINTY,
        "Rankings": RANKING,
        "Measures of treebanks": measured,
        "Explanations, audits, splits": ANALYSIS,
        "Learning and transfer": LEARNING,
    }
    return "\n\n".join([HEAD.strip(), *(f"## {k}\n\n{table(v)}" for k, v in parts.items())]) + "\n"


if __name__ == "__main__":
    tables.write(TARGET, text())
