"""treegauge tells people who build parsers and treebanks what their scores mean.

Every public name is loaded on first use, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treegauge import data as data
    from treegauge.auditing.agree import agree as agree
    from treegauge.auditing.audit import audit as audit
    from treegauge.auditing.diff import diff as diff
    from treegauge.core.errors import TreegaugeError as TreegaugeError
    from treegauge.experiments.gc import gc as gc
    from treegauge.experiments.merge import merge as merge
    from treegauge.experiments.plans import Plan as Plan
    from treegauge.experiments.plans import grid as grid
    from treegauge.experiments.results import results as results
    from treegauge.experiments.run import run as run
    from treegauge.experiments.status import status as status
    from treegauge.experiments.store import Store as Store
    from treegauge.learning.curve import curve as curve
    from treegauge.learning.difficulty import difficulty as difficulty
    from treegauge.learning.map import map as map
    from treegauge.learning.mdl import mdl as mdl
    from treegauge.learning.transfer import transfer as transfer
    from treegauge.learning.vinfo import vinfo as vinfo
    from treegauge.measures.measure import measure as measure
    from treegauge.measures.relations import average_wde as average_wde
    from treegauge.measures.relations import word_dependency_entropy as word_dependency_entropy
    from treegauge.parsing.labels import labels as labels
    from treegauge.parsing.parse import parse as parse
    from treegauge.parsing.parsers import parsers as parsers
    from treegauge.parsing.registry import load_model as load_model
    from treegauge.parsing.registry import make_parser as make_parser
    from treegauge.parsing.tag import tag as tag
    from treegauge.parsing.train import train as train
    from treegauge.ranking.certify import certify as certify
    from treegauge.ranking.rank import rank as rank
    from treegauge.ranking.recommend import recommend as recommend
    from treegauge.ranking.tables.leaderboard import Leaderboard as Leaderboard
    from treegauge.ranking.tables.reading import read_leaderboard as read_leaderboard
    from treegauge.reporting.demo import demo as demo
    from treegauge.reporting.figures.drawing import draw as draw
    from treegauge.reporting.leaderboard import leaderboard as leaderboard
    from treegauge.reporting.report import report as report
    from treegauge.scoring.alignment.align import align as align
    from treegauge.scoring.alignment.segmentation import MismatchError as MismatchError
    from treegauge.scoring.breakdown import breakdown as breakdown
    from treegauge.scoring.classes.class_scores import examples as examples
    from treegauge.scoring.classes.classification import classify as classify
    from treegauge.scoring.classes.confusion import confusion as confusion
    from treegauge.scoring.design import design as design
    from treegauge.scoring.metrics.convention import ELAS as ELAS
    from treegauge.scoring.metrics.convention import EULAS as EULAS
    from treegauge.scoring.metrics.convention import LAS as LAS
    from treegauge.scoring.metrics.convention import UAS as UAS
    from treegauge.scoring.metrics.convention import WLAS as WLAS
    from treegauge.scoring.metrics.convention import Convention as Convention
    from treegauge.scoring.metrics.registry import register_metric as register_metric
    from treegauge.scoring.metrics.weights import packaged_weights as packaged_weights
    from treegauge.scoring.metrics.weights import read_weights as read_weights
    from treegauge.scoring.score import score as score
    from treegauge.scoring.scores import Scores as Scores
    from treegauge.scoring.suite import Suite as Suite
    from treegauge.scoring.vote import vote as vote
    from treegauge.splitting.split import split as split
    from treegauge.statistics.analyse import analyse as analyse
    from treegauge.testing.synthesise import Grammar as Grammar
    from treegauge.testing.synthesise import synthesise as synthesise
    from treegauge.testing.synthetic import synthetic as synthetic
    from treegauge.treebanks.catalogue import catalogue as catalogue
    from treegauge.treebanks.convert import convert as convert
    from treegauge.treebanks.data import trees as trees
    from treegauge.treebanks.data.columns import Treebank as Treebank
    from treegauge.treebanks.data.columns import concat as concat
    from treegauge.treebanks.data.conllu import parse_conllu as parse_conllu
    from treegauge.treebanks.data.conllu import read_conllu as read_conllu
    from treegauge.treebanks.data.conllu import read_splits as read_splits
    from treegauge.treebanks.data.conllu import stream_conllu as stream_conllu
    from treegauge.treebanks.data.conllu import write_conllu as write_conllu
    from treegauge.treebanks.data.frames import from_frame as from_frame
    from treegauge.treebanks.data.problems import ConlluError as ConlluError
    from treegauge.treebanks.data.reading import read_treebank as read_treebank
    from treegauge.treebanks.data.sentence import Sentence as Sentence
    from treegauge.treebanks.fetch import fetch as fetch
    from treegauge.treebanks.show import show as show
    from treegauge.validation.check import check as check

__version__ = "0.2.0"

_HOMES = {
    "auditing.agree": ["agree"],
    "auditing.audit": ["audit"],
    "auditing.diff": ["diff"],
    "splitting.split": ["split"],
    "learning.transfer": ["transfer"],
    "learning.curve": ["curve"],
    "learning.difficulty": ["difficulty"],
    "learning.map": ["map"],
    "learning.mdl": ["mdl"],
    "learning.vinfo": ["vinfo"],
    "core.errors": ["TreegaugeError"],
    "experiments.gc": ["gc"],
    "experiments.merge": ["merge"],
    "experiments.plans": ["Plan", "grid"],
    "experiments.results": ["results"],
    "experiments.run": ["run"],
    "experiments.status": ["status"],
    "experiments.store": ["Store"],
    "reporting.figures.drawing": ["draw"],
    "measures.measure": ["measure"],
    "measures.relations": ["average_wde", "word_dependency_entropy"],
    "parsing.labels": ["labels"],
    "parsing.parse": ["parse"],
    "parsing.parsers": ["parsers"],
    "parsing.registry": ["load_model", "make_parser"],
    "parsing.tag": ["tag"],
    "parsing.train": ["train"],
    "ranking.certify": ["certify"],
    "ranking.tables.leaderboard": ["Leaderboard"],
    "ranking.rank": ["rank"],
    "ranking.tables.reading": ["read_leaderboard"],
    "ranking.recommend": ["recommend"],
    "reporting.demo": ["demo"],
    "reporting.leaderboard": ["leaderboard"],
    "reporting.report": ["report"],
    "scoring.alignment.align": ["align"],
    "scoring.breakdown": ["breakdown"],
    "scoring.classes.class_scores": ["examples"],
    "scoring.design": ["design"],
    "scoring.vote": ["vote"],
    "scoring.classes.classification": ["classify"],
    "scoring.classes.confusion": ["confusion"],
    "scoring.metrics.convention": ["ELAS", "EULAS", "LAS", "UAS", "WLAS", "Convention"],
    "scoring.metrics.registry": ["register_metric"],
    "scoring.score": ["score"],
    "scoring.scores": ["Scores"],
    "scoring.alignment.segmentation": ["MismatchError"],
    "scoring.suite": ["Suite"],
    "scoring.metrics.weights": ["packaged_weights", "read_weights"],
    "statistics.analyse": ["analyse"],
    "treebanks.catalogue": ["catalogue"],
    "validation.check": ["check"],
    "treebanks.data.columns": ["Treebank", "concat"],
    "treebanks.data.conllu": ["parse_conllu", "read_conllu", "read_splits", "stream_conllu", "write_conllu"],
    "treebanks.convert": ["convert"],
    "treebanks.fetch": ["fetch"],
    "treebanks.data.reading": ["read_treebank"],
    "treebanks.show": ["show"],
    "treebanks.data.frames": ["from_frame"],
    "treebanks.data.problems": ["ConlluError"],
    "treebanks.data.sentence": ["Sentence"],
    "testing.synthesise": ["Grammar", "synthesise"],
    "testing.synthetic": ["synthetic"],
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = {"data": "data", "trees": "treebanks.data.trees"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"treegauge.{_MODULES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'treegauge' has no attribute {name!r}")
    return getattr(import_module(f"treegauge.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return ["__version__", *sorted([*_HOME, *_MODULES])]
