"""treegauge tells people who build parsers and treebanks what their scores mean.

Every public name is loaded on first use, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treegauge import data as data
    from treegauge.curves.learning import learning_curves as learning_curves
    from treegauge.dynamics.cartography import map_treebank as map_treebank
    from treegauge.errors import TreegaugeError as TreegaugeError
    from treegauge.experiment.plans import Plan as Plan
    from treegauge.experiment.running import run as run
    from treegauge.experiment.store import Store as Store
    from treegauge.measure.entropy import average_wde as average_wde
    from treegauge.measure.entropy import word_dependency_entropy as word_dependency_entropy
    from treegauge.parse.registry import load_model as load_model
    from treegauge.parse.registry import make_parser as make_parser
    from treegauge.ranking.certificate import certify as certify
    from treegauge.ranking.scores import read_scores as read_scores
    from treegauge.ranking.stability import stability as stability
    from treegauge.score.align import MismatchError as MismatchError
    from treegauge.score.align import align as align
    from treegauge.score.breakdown import breakdown as breakdown
    from treegauge.score.classes import classify as classify
    from treegauge.score.comparing import compare as compare
    from treegauge.score.confusion import confusion as confusion
    from treegauge.score.examples import examples as examples
    from treegauge.score.scoring import Resampling as Resampling
    from treegauge.score.scoring import Scores as Scores
    from treegauge.score.scoring import evaluate as evaluate
    from treegauge.score.statistics import Options as Options
    from treegauge.score.stream import Reading as Reading
    from treegauge.score.suite import score_suite as score_suite
    from treegauge.score.weights import packaged_weights as packaged_weights
    from treegauge.score.weights import read_weights as read_weights
    from treegauge.stats.correlation import correlate as correlate
    from treegauge.stats.regression import regress as regress
    from treegauge.treebank import trees as trees
    from treegauge.treebank.catalogue import catalogue as catalogue
    from treegauge.treebank.checking import check_conllu as check_conllu
    from treegauge.treebank.columns import Treebank as Treebank
    from treegauge.treebank.columns import concat as concat
    from treegauge.treebank.conllu import parse_conllu as parse_conllu
    from treegauge.treebank.conllu import read_conllu as read_conllu
    from treegauge.treebank.conllu import read_splits as read_splits
    from treegauge.treebank.conllu import stream_conllu as stream_conllu
    from treegauge.treebank.conllu import write_conllu as write_conllu
    from treegauge.treebank.fetching import fetch as fetch
    from treegauge.treebank.frames import from_frame as from_frame
    from treegauge.treebank.problems import ConlluError as ConlluError
    from treegauge.treebank.sentence import Sentence as Sentence
    from treegauge.treebank.synthetic import synthetic as synthetic

__version__ = "0.1.0"

_HOMES = {
    "curves.learning": ["learning_curves"],
    "dynamics.cartography": ["map_treebank"],
    "errors": ["TreegaugeError"],
    "experiment.plans": ["Plan"],
    "experiment.running": ["run"],
    "experiment.store": ["Store"],
    "measure.entropy": ["average_wde", "word_dependency_entropy"],
    "parse.registry": ["load_model", "make_parser"],
    "ranking.certificate": ["certify"],
    "ranking.scores": ["read_scores"],
    "ranking.stability": ["stability"],
    "score.align": ["MismatchError", "align"],
    "score.breakdown": ["breakdown"],
    "score.classes": ["classify"],
    "score.comparing": ["compare"],
    "score.confusion": ["confusion"],
    "score.examples": ["examples"],
    "score.scoring": ["Resampling", "Scores", "evaluate"],
    "score.statistics": ["Options"],
    "score.stream": ["Reading"],
    "score.suite": ["score_suite"],
    "score.weights": ["packaged_weights", "read_weights"],
    "stats.correlation": ["correlate"],
    "stats.regression": ["regress"],
    "treebank.catalogue": ["catalogue"],
    "treebank.checking": ["check_conllu"],
    "treebank.columns": ["Treebank", "concat"],
    "treebank.conllu": [
        "parse_conllu", "read_conllu", "read_splits", "stream_conllu", "write_conllu",
    ],
    "treebank.fetching": ["fetch"],
    "treebank.frames": ["from_frame"],
    "treebank.problems": ["ConlluError"],
    "treebank.sentence": ["Sentence"],
    "treebank.synthetic": ["synthetic"],
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = {"data": "data", "trees": "treebank.trees"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"treegauge.{_MODULES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'treegauge' has no attribute {name!r}")
    return getattr(import_module(f"treegauge.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return ["__version__", *sorted([*_HOME, *_MODULES])]
