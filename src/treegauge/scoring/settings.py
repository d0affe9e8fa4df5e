"""Options of scoring: how files are read, what counts, and how intervals are computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.core.verbs import Settings
from treegauge.scoring.metrics.convention import OFFICIAL, Convention


@dataclass(frozen=True)
class Reading(Settings):
    """How to treat malformed files, and output whose characters differ from gold.

    Parameters
    ----------
    align
        exact: gold and system must contain the same characters; loose: also align words where
        characters differ, as in the output of language models.
    """

    errors: Literal["strict", "skip", "repair"] = "strict"
    allow: Sequence[str] = ()
    align: Literal["exact", "loose"] = "exact"


@dataclass(frozen=True)
class Scoring(Reading):
    """How files are read, and how confidence intervals and tests are computed.

    Parameters
    ----------
    resamples
        Number of random draws of a bootstrap interval, and of a permutation or bootstrap test; 0
        for no intervals and no tests.
    interval
        student (jackknife over units and runs, needs 10 units), or a bootstrap of one run, which
        needs 200 units: percentile, or bca (bias-corrected and accelerated).
    units
        Units of resampling: documents, sentences, or auto (documents if gold has "# newdoc"
        comments, else sentences).
    """

    resamples: int = 10_000
    interval: Literal["student", "percentile", "bca"] = "student"
    units: Literal["auto", "documents", "sentences"] = "auto"
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(Scoring):
    """All options of a score: those of :class:`Scoring`, and what is counted.

    `default_weight` is the weight in WLAS of universal relations that `weights` does not name.
    `enhancements` are codes of the types of enhanced edges to leave out; with `collapse`, paths
    over empty nodes count as edges. With `nodes`, trees of content nodes are scored.
    """

    convention: Convention = OFFICIAL
    enhanced: bool = False
    weights: Mapping[str, float] | None = None
    default_weight: float = 1.0
    enhancements: str = ""
    collapse: bool = False
    nodes: bool = False

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics under these options, in order."""
        from treegauge.scoring.metrics.registry import ADDED, ENHANCED, METRICS, MORE, NODES, WEIGHTED, known_metrics

        known_metrics()
        if self.nodes:
            return list(NODES)
        enhanced = ENHANCED if self.enhanced else {}
        weighted = {} if self.weights is None else WEIGHTED
        return [*METRICS, *MORE, *ADDED, *enhanced, *weighted]

    @property
    def weights_mark(self) -> str | None:
        """Number and checksum of the weights, as signatures show them."""
        if self.weights is None:
            return None
        named = repr([*sorted(self.weights.items()), self.default_weight])
        return f"{len(self.weights)}rels#{sha256(named.encode()).hexdigest()[:6]}"


def score_options(
    metric: str | Sequence[str], convention: str | Convention, scoring: Scoring
) -> tuple[tuple[str, ...], ScoreOptions]:
    """Return the names of metrics, and all options of their scores.

    ELAS and EULAS imply enhanced dependencies, WLAS weights (wde, if it names none), and MSLAS,
    NodeLAS and NodeFeats trees of content nodes. The word all names no metric: it shows all.
    """
    from treegauge.scoring.metrics.convention import metrics_and_convention
    from treegauge.scoring.metrics.registry import ENHANCED, NODES, WEIGHTED, canonical

    chosen, counting = metrics_and_convention(metric, convention)
    named = {one: canonical(one.base) for one in chosen if one.lower() != "all"}
    how: dict[str, Any] = {"convention": counting, "nodes": any(name in NODES for name in named.values())}
    if how["nodes"] and (mixed := [name for name in named.values() if name not in NODES]):
        raise TreegaugeError(f"{', '.join(NODES)} are of trees of content nodes; score {', '.join(mixed)} apart")
    for one, name in named.items():
        own: dict[str, Any] = {}
        if name in ENHANCED:
            own = {"enhanced": True, "collapse": one.choices.get("collapse") == "yes"}
            own["enhancements"] = _enhancement_codes(one.choices.get("without", ""))
        elif name in WEIGHTED:
            from treegauge.scoring.metrics.registry import relation_weights

            own = dict(zip(("weights", "default_weight"), relation_weights(one.choices.get("weights")), strict=True))
        if differs := [key for key, value in own.items() if how.setdefault(key, value) != value]:
            raise TreegaugeError(f"metrics of one call share their choices; {one} has another {differs[0]}")
    return tuple(named.values()), ScoreOptions(**vars(scoring), **how)


def _enhancement_codes(enhancements: str) -> str:
    if enhancements in {"", "0"}:
        return ""
    from treegauge.scoring.metrics.enhanced import check_codes

    codes = check_codes(enhancements)
    if "3" in codes:
        note("enhancement 3 changes nothing, as in the official script of IWPT")
    return codes
