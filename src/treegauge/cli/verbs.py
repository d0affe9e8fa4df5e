"""The commands: all verbs, grouped by the question they answer.

A command is generated from the function of the same name in the package. This module has only what
the command line adds: positional parameters, short names, and whether there is a figure.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

_NONE: Mapping[str, Any] = MappingProxyType({})
#: Name of the default subverb.
DEFAULT = "show"


class Command(NamedTuple):
    """What the command line adds to a verb.

    Attributes
    ----------
    help
        Its line in the list of commands; a subverb has this line in its docstring.
    arguments
        Positional parameters.
    short
        Short names of options: ``{"store": "-s"}``; ``-o`` is always ``--out``.
    metavar
        Placeholders of parameter values in help.
    plot
        Whether the result has a figure: ``--plot FILE``.
    formats
        Formats specific to this result: its ``own_formats``.
    listing
        Function of the package whose result ``--list`` prints; it takes the first argument.
    optional
        Positional parameters without a default that may be left out.
    subverbs
        Commands under this one: ``treegauge curve advise`` is ``tg.curve.advise``.
    """

    help: str = ""
    arguments: Sequence[str] = ()
    short: Mapping[str, str] = _NONE
    metavar: Mapping[str, str] = _NONE
    plot: bool = False
    formats: Sequence[str] = ()
    listing: str = ""
    optional: Sequence[str] = ()
    subverbs: "Mapping[str, Command]" = _NONE


VERBS: dict[str, dict[str, Command]] = {
    "Is this treebank valid and consistent?": {
        "check": Command(
            "Validate CoNLL-U files and list all problems.",
            ["sources"],
            optional=["sources"],
            formats=["github", "sarif", "patch", "summary", "badge"],
        ),
        "agree": Command("Measure inter-annotator agreement and list the disagreements."),
        "triage": Command(
            "Accept the words on which two annotations agree, and list the others for review.", ["a", "b"]
        ),
        "audit": Command(
            "Find train/test overlap, duplicates, missing layers and unusual splits in treebanks.",
            ["treebanks"],
            metavar={"treebanks": "TREEBANK", "against": "PATH"},
            formats=["svg"],
        ),
        "diff": Command(
            "Compare two versions of a treebank: sentences, words and every layer of annotation.",
            ["old", "new"],
            formats=["patch"],
        ),
        "review": Command(
            "Work through everything that may be wrong in a treebank: one list, decisions, a unified diff.",
            ["treebank"],
            metavar={"findings": "FILE", "parsers": "NAME=PATH", "annotators": "NAME=PATH"},
            formats=["patch"],
        ),
        "measure": Command(
            "Measure treebanks: displacement, structure, morphology, vocabulary.",
            ["names"],
            metavar={"names": "NAMES|all", "sources": "PATH"},
            formats=["wide"],
            plot=True,
        ),
        "split": Command("Split a treebank at random, by length, into folds, or by EDV.", ["source"]),
        "show": Command(
            "Draw dependency trees in the terminal, as SVG, or for LaTeX.",
            ["source"],
            {"sentence": "-s"},
            formats=["svg", "tikz"],
        ),
        "convert": Command(
            "Convert CoNLL-U to tables and back, and answers of language models; repair and sample.", ["source"]
        ),
        "fetch": Command("Fetch treebanks of a UD release.", ["wanted"], {"source": "--from"}),
        "catalogue": Command("List treebanks on disk with languages, licences and sizes.", ["roots"]),
    },
    "Which system is better, and how certain is it?": {
        "score": Command(
            "Score systems against gold, with confidence intervals and significance tests.",
            ["gold"],
            plot=True,
            formats=["official", "counts", "acl", "lrec", "typst"],
        ),
        "breakdown": Command(
            "Show where systems go wrong: scores by class of words, confusion matrix, overlap, calibration.",
            ["gold"],
            plot=True,
            formats=["acl", "lrec", "typst", "conllu"],
        ),
        "vote": Command(
            "Combine systems by voting on arcs, and report what the best combination could reach.", ["gold"]
        ),
        "design": Command("Report how many sentences, runs and treebanks an experiment needs to find a difference."),
        "rank": Command(
            "Rank systems over subsets of treebanks, to see whether the leaderboard is stable.",
            plot=True,
            subverbs={"compare": Command(plot=True), "outliers": Command()},
        ),
        "leaderboard": Command(
            "Score every team on every treebank, rank the teams, and write a page and tables.", ["gold"]
        ),
        "published": Command(
            "Show what others have on a treebank: the scores that makers of parsers published.", ["treebanks"]
        ),
        "certify": Command("Report the evidence for the claim that one system beats another."),
        "recommend": Command("Recommend a small set of treebanks that ranks systems as all treebanks do."),
        "analyse": Command(
            "Explain scores: correlate columns with a target, alone and given covariates.", ["tables"], plot=True
        ),
    },
    "What does a parser learn, and from what data?": {
        "train": Command("Train a parser.", ["parser", "treebank"], listing="parsers"),
        "parse": Command("Parse sentences with a trained model.", ["model", "treebank"]),
        "tag": Command("Tag sentences with predicted or jackknifed tags.", ["files"]),
        "map": Command("Draw data maps of treebanks and list candidates for annotation errors.", plot=True),
        "difficulty": Command(
            "Measure dataset difficulty: ten measures, or usable information or description length alone.", plot=True
        ),
        "curve": Command(
            "Learning curves, complexity of classes, data-size equivalents and advice.",
            plot=True,
            subverbs={
                "counts": Command(),
                "complexity": Command(plot=True),
                "equivalent": Command(plot=True),
                "advise": Command(short={"budget": "-n"}, metavar={"sentences": "FILE"}),
            },
        ),
        "transfer": Command(
            "Parse a language with parsers trained on treebanks of other languages.",
            ["target"],
            subverbs={"recommend": Command(arguments=["target"])},
        ),
    },
    "How do I run many experiments?": {
        "run": Command(
            "Run a plan of many trainings; resumes where it stopped.", ["plan"], {"store": "-s", "workers": "-w"}
        ),
        "results": Command("Print the results in a store.", ["store"]),
        "store": Command(
            "Report how many cells of a store are done, failed and left; merge and clean up stores.",
            ["store"],
            subverbs={"merge": Command(), "gc": Command(arguments=["store"])},
        ),
        "study": Command(
            "Run a paper's whole study on your own data: its tables and figures, on one page.",
            ["paper"],
            metavar={"inputs": "TREEBANKS|SCORES|OUTPUT"},
        ),
    },
    "How do I present the results?": {
        "report": Command("Make one offline web page from treebanks, system output, scores and other results."),
        "demo": Command("Run the main jobs on invented treebanks; ends with a page to open."),
    },
}
QUESTION = {verb: question for question, verbs in VERBS.items() for verb in verbs}
