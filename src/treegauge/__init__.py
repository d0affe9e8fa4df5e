"""treegauge tells people who build parsers and treebanks what their scores mean.

Every public name is loaded on first use, so that importing the package costs nothing. What type
checkers and editors read is in ``__init__.pyi``.
"""

from importlib import import_module
from typing import Any

from treegauge.core.lazy import register_extensions

__version__ = "0.2.0"

_HOMES = {
    "auditing.agree": ["agree"],
    "auditing.audit": ["audit"],
    "auditing.diff": ["diff"],
    "auditing.triage": ["triage"],
    "auditing.review": ["review"],
    "splitting.split": ["split"],
    "learning.transfer": ["transfer"],
    "learning.curve": ["curve"],
    "learning.difficulty": ["difficulty"],
    "learning.map": ["map"],
    "core.errors": ["TreegaugeError"],
    "experiments.plans": ["Plan", "grid"],
    "experiments.results": ["results"],
    "experiments.run": ["run"],
    "experiments.cell_store": ["Store"],
    "experiments.store": ["store"],
    "reporting.figures.drawing": ["draw"],
    "measures.measure": ["measure"],
    "measures.structure": ["average_wde", "word_dependency_entropy"],
    "papers.study": ["study"],
    "parsing.parse": ["parse"],
    "parsing.registry": ["load_model", "make_parser", "parsers"],
    "parsing.tag": ["tag"],
    "parsing.train": ["train"],
    "ranking.certify": ["certify"],
    "ranking.leaderboard": ["Leaderboard"],
    "ranking.rank": ["rank"],
    "ranking.reading": ["read_leaderboard"],
    "ranking.design": ["design"],
    "ranking.recommend": ["recommend"],
    "reporting.demo": ["demo"],
    "reporting.leaderboard": ["leaderboard"],
    "reporting.report": ["report"],
    "scoring.alignment.align": ["align"],
    "scoring.breakdown": ["breakdown"],
    "scoring.vote": ["vote"],
    "scoring.classes.classification": ["classify"],
    "scoring.classes.confusion": ["confusion"],
    "scoring.metrics.convention": ["ELAS", "EULAS", "LAS", "UAS", "WLAS", "Convention"],
    "scoring.metrics.registry": ["register_metric", "packaged_weights", "read_weights"],
    "scoring.score": ["score"],
    "scoring.scores": ["Scores"],
    "scoring.alignment.segmentation": ["MismatchError"],
    "scoring.suite": ["Suite"],
    "statistics.analyse": ["analyse"],
    "treebanks.catalogue": ["catalogue"],
    "validation.check": ["check"],
    "treebanks.data.columns": ["Treebank", "concat"],
    "treebanks.data.conllu": ["parse_conllu", "read_conllu", "read_splits", "stream_conllu", "write_conllu"],
    "treebanks.sources.resolver": ["read_treebank"],
    "treebanks.convert": ["convert"],
    "treebanks.fetch": ["fetch"],
    "treebanks.published": ["published"],
    "treebanks.show": ["show"],
    "treebanks.data.frames": ["from_frame"],
    "treebanks.data.problems": ["ConlluError"],
    "treebanks.data.sentence": ["Sentence"],
    "testing.grammar": ["Grammar"],
    "testing.synthetic": ["synthesise", "synthetic"],
}
register_extensions(
    "tasks",
    map="treegauge.learning.dynamics.recorder:MAP",
    vinfo="treegauge.learning.dynamics.recorder:VINFO",
    mdl="treegauge.learning.dynamics.recorder:MDL",
    difficulty="treegauge.learning.dynamics.recorder:DIFFICULTY",
    transfer="treegauge.learning.source_panel:TRANSFER",
)
register_extensions(
    "figures",
    draw="treegauge.reporting.figures.drawing:draw",
    save="treegauge.reporting.figures.drawing:save",
    to_svg="treegauge.reporting.figures.drawing:to_svg",
)
register_extensions("parsers", fit="treegauge.parsing.registry:fit_parser")
register_extensions(
    "sentences",
    kinds="treegauge.auditing.changes.changed_words:new_sentence_kinds",
    leaked="treegauge.auditing.near_duplicates:leaked_sentences",
)
register_extensions("outputs", store="treegauge.experiments.results:stored_outputs")
register_extensions(
    "pages",
    candidates="treegauge.reporting.sections.maps:candidates_page",
    review="treegauge.reporting.sections.maps:review_page",
)
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
