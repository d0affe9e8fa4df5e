"""The commands: all verbs by the question they answer.

A command is made from the function of the same name in front of the package; here is only what a
command line adds: which parameters are given by position, short names, and whether there is a
figure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Command:
    """What the command line adds to a verb.

    Attributes
    ----------
    help
        Its line in the list of commands.
    arguments
        Parameters given by position.
    short
        Short names of options: ``{"store": "-s"}``; ``-o`` is always ``--out``.
    metavar
        What help calls the values of parameters.
    plot
        Whether the result has a figure: ``--plot FILE``.
    subverbs
        Commands under this one: ``treegauge curve fit`` is ``tg.curve.fit``.
    """

    help: str
    arguments: Sequence[str] = ()
    short: Mapping[str, str] = field(default_factory=dict)
    metavar: Mapping[str, str] = field(default_factory=dict)
    plot: bool = False
    subverbs: "Mapping[str, Command]" = field(default_factory=dict)


VERBS: dict[str, dict[str, Command]] = {
    "Is this treebank sound?": {
        "check": Command("List everything that is wrong with CoNLL-U files.", ["sources"]),
        "audit": Command(
            "Find train/test overlap, duplicates, missing layers and odd splits in a treebank.",
            ["treebank"],
        ),
        "measure": Command(
            "Measure treebanks: displacement, structure, morphology, vocabulary.",
            ["names"],
            metavar={"names": "NAMES|all", "sources": "PATH..."},
            plot=True,
            subverbs={
                "list": Command(
                    "List the measures: meaning, range, and whether there is an interval.",
                    ["names"],
                    metavar={"names": "NAMES"},
                )
            },
        ),
        "split": Command(
            "Split a treebank at random, by length, into folds, or by EDV.",
            ["source"],
        ),
        "show": Command(
            "Draw dependency trees in the terminal or as SVG.", ["source"], {"sentence": "-s"}
        ),
        "convert": Command(
            "Convert CoNLL-U to Parquet, Arrow or CSV and back; repair and sample.",
            ["source"],
        ),
        "fetch": Command("Fetch treebanks of a UD release.", ["wanted"], {"source": "--from"}),
        "catalogue": Command(
            "List treebanks on disk with languages, licences and sizes.", ["roots"]
        ),
    },
    "Which system is better, and how sure is that?": {
        "score": Command(
            "Score systems against gold, with confidence intervals and significance tests.",
            ["gold"],
            plot=True,
        ),
        "rank": Command(
            "Rank systems over subsets of treebanks, to see whether the leaderboard is stable.",
            plot=True,
            subverbs={
                "compare": Command(
                    "Compare systems over treebanks: which differ significantly, who wins where, "
                    "how probably.",
                    plot=True,
                ),
                "outliers": Command(
                    "Show the subsets behind a system's best and worst rank, and what is frequent "
                    "in them."
                ),
                "subsets": Command(
                    "Average scores over named subsets, with the mean of per-treebank error "
                    "reductions."
                ),
            },
        ),
        "certify": Command("Say what the claim that one system beats another rests on."),
        "recommend": Command(
            "Recommend a small set of treebanks that ranks systems as all of them do."
        ),
        "analyse": Command(
            "Explain scores: correlate columns with a target, alone and given covariates.",
            ["tables"],
            plot=True,
            subverbs={
                "correlation": Command(
                    "Explain scores: correlate columns with a target, alone and given covariates.",
                    ["tables"],
                    plot=True,
                ),
                "normality": Command(
                    "Test columns for normality: Shapiro-Wilk, and D'Agostino-Pearson beside it.",
                    ["tables"],
                    plot=True,
                ),
                "matrix": Command(
                    "Correlate every column with every other; stars mark small adjusted p-values.",
                    ["tables"],
                    plot=True,
                ),
                "background": Command(
                    "Divide the target by what each covariate predicts; correlate with what is "
                    "left.",
                    ["tables"],
                    plot=True,
                ),
                "regression": Command(
                    "Fit a linear model: coefficients, relative importance (LMG), error on unseen "
                    "rows.",
                    ["tables"],
                    plot=True,
                ),
                "bins": Command(
                    "Correlate within each bin of sentence length, in a table with a row per "
                    "treebank and length.",
                    ["tables"],
                    plot=True,
                ),
                "shape": Command(
                    "Fit a skew-normal curve to a column, with its goodness of fit.",
                    ["tables"],
                    plot=True,
                ),
                "power": Command(
                    "Compute the power of n rows, the rows a coefficient needs, the coefficient n "
                    "rows detect.",
                ),
            },
        ),
    },
    "What does a parser learn, from what?": {
        "train": Command("Train a parser.", ["parser", "treebank"]),
        "parse": Command("Parse sentences with a trained model.", ["model", "treebank"]),
        "parsers": Command("List the parsers and their options.", ["parser"]),
        "tag": Command("Tag sentences with predicted or jackknifed tags.", ["treebank", "files"]),
        "labels": Command("Say how many trees each encoding of trees as labels covers."),
        "map": Command(
            "Draw data maps of treebanks and list candidates for annotation errors.", plot=True
        ),
        "vinfo": Command("Measure usable information (V-information) in bits per word.", plot=True),
        "mdl": Command("Measure description length by online coding.", plot=True),
        "difficulty": Command(
            "Measure dataset difficulty by all of its measures at once.", plot=True
        ),
        "curve": Command(
            "Learning curves, complexity of classes, data-size equivalents and advice.",
            plot=True,
            subverbs={
                "counts": Command(
                    "Count correct words by class, training on samples of every size first."
                ),
                "complexity": Command(
                    "Measure how much later than words overall each class is learned.", plot=True
                ),
                "equivalent": Command(
                    "Say how many annotated sentences a score is worth: where it meets the "
                    "learning curve.",
                    plot=True,
                ),
                "fit": Command("Fit laws to a learning curve and predict scores at other sizes."),
                "advise": Command(
                    "Say what annotating more sentences would bring, and which classes would gain."
                ),
            },
        ),
        "transfer": Command(
            "Parse a language with parsers trained on treebanks of others.",
            ["target"],
            short={"out": "-o"},
            subverbs={
                "weights": Command(
                    "Rank sources by the similarity of their tags to the target's (KLcpos3).",
                    ["target"],
                ),
                "recommend": Command(
                    "Choose among sources by a few target sentences, and say whether the choice "
                    "is significant.",
                    ["target"],
                ),
            },
        ),
    },
    "How do I run all that?": {
        "run": Command(
            "Run a plan of many trainings; resumes where it stopped.",
            ["plan"],
            {"store": "-s", "workers": "-w"},
        ),
        "status": Command("Say how many cells of a store are done, failed and left.", ["store"]),
        "results": Command("Print the results in a store.", ["store"]),
        "merge": Command("Merge stores into one."),
        "gc": Command("Remove from a store what no cell needs.", ["store"]),
    },
    "How do I show it?": {
        "report": Command("Make one offline web page of whatever is given."),
        "demo": Command(
            "Run the main jobs on invented treebanks; ends with a page to open.",
        ),
        "synthesise": Command(
            "Draw a treebank of known properties from an invented grammar.",
            ["sentences"],
        ),
    },
}
QUESTION = {verb: question for question, verbs in VERBS.items() for verb in verbs}
