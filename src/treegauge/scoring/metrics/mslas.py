"""MSLAS: trees of content nodes with features, as the UniDive shared task of 2025 scored them.

In files of that task, content nodes have features (``|`` where they have none), a head and a
relation; function words have ``_`` there. Abstract nodes (``3.1``) are content nodes without a
form. Scores are over content nodes only:

- LAS: the head and the universal relation are correct;
- Feats: F1 of the features, averaged over nodes;
- MSLAS: the same F1 where head and relation are correct, 0 elsewhere.

Content nodes are aligned in order within a sentence, from its start or its end, whichever scores
higher. An abstract node is aligned with an abstract node or skipped. Features that UD does not list
as universal do not count (Goldman et al. 2025).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.certainty import check_resampling
from treegauge.scoring.evaluation import scored_runs, signed_scores
from treegauge.scoring.metrics.las_counts import SentenceCounts
from treegauge.scoring.metrics.registry import COLUMNS, NUMBER
from treegauge.scoring.scores import Scores
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.relations import UNIVERSAL_FEATURES, universal_relation
from treegauge.treebanks.sources.files import open_bytes, short_name

#: Columns of :func:`node_counts`.
COUNTED = ("nodes_g", "nodes_s", "mslas_c", "nodelas_c", "nodefeats_c")


class Node(NamedTuple):
    """A node: the index of its head in the sentence (None: root), and its features.

    `features` is None for function words.
    """

    abstract: bool
    head: int | None
    relation: str
    features: dict[str, str] | None


class NodeSentence(NamedTuple):
    """The nodes of a sentence, and whether a document starts with it."""

    nodes: list[Node]
    starts_document: bool


def read_nodes(text: str, name: str) -> Iterator[NodeSentence]:
    """Yield the sentences of a file in the task's format."""
    lines: list[tuple[int, list[str]]] = []
    starts = False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.startswith("#") and not lines:
            starts = starts or bool(re.match(r"#\s*newdoc(?:_id)?\b", line))
            continue
        if line:
            columns = line.rstrip("\r").split("\t")
            if len(columns) != 10:
                raise TreegaugeError(f"{name}:{number}: found {len(columns)} columns, expected 10")
            lines.append((number, columns))
        elif lines:
            yield NodeSentence(_sentence(lines, name), starts)
            lines, starts = [], False


def _sentence(lines: Sequence[tuple[int, list[str]]], name: str) -> list[Node]:
    kept = [
        (number, columns)
        for number, columns in lines
        if "-" not in columns[0] and not ("." in columns[0] and columns[6] == "_")
    ]
    places = {columns[0]: i for i, (_, columns) in enumerate(kept)}
    nodes = []
    for number, columns in kept:
        content = columns[5] not in {"", "_"}
        head: int | None = None
        if content and columns[6] != "0":
            if columns[6] not in places:
                raise TreegaugeError(
                    f"{name}:{number}: a node with features has the head {columns[6]!r}; expected "
                    "0 or the number of a word of the sentence"
                )
            head = places[columns[6]]
        features = _features(columns[5], f"{name}:{number}") if content else None
        relation = universal_relation(columns[7])
        nodes.append(Node(columns[1] == "_", head, relation, features))
    roots = sum(node.features is not None and node.head is None for node in nodes)
    if roots > 1:
        raise TreegaugeError(f"{name}:{kept[0][0]}: the sentence has {roots} roots; expected one")
    return nodes


def _features(text: str, where: str) -> dict[str, str]:
    features = {}
    for part in text.split("|") if text != "|" else ():
        feature, equals, value = part.partition("=")
        if not equals:
            raise TreegaugeError(f"{where}: found feature {part!r}; expected NAME=VALUE")
        if feature in UNIVERSAL_FEATURES:
            features[feature] = value
    return features


def feature_f1(gold: dict[str, str], system: dict[str, str]) -> float:
    """F1 of two sets of features, 1 where both are empty.

    Examples
    --------
    >>> feature_f1({"Case": "Nom", "Number": "Sing"}, {"Case": "Acc", "Number": "Sing"})
    0.5
    """
    if not gold and not system:
        return 1.0
    same = sum(system.get(name) == value for name, value in gold.items())
    return 2 * same / (len(gold) + len(system))


def _pairs(gold: Sequence[Node], system: Sequence[Node], step: int) -> dict[int, int]:
    """Align content nodes in order, forwards or backwards; return gold nodes by system node."""
    sides = [[i for i, node in enumerate(nodes) if node.features is not None][::step] for nodes in (gold, system)]
    pairs, i, k = {}, 0, 0
    while i < len(sides[0]) and k < len(sides[1]):
        g, s = sides[0][i], sides[1][k]
        ours, theirs = gold[g].abstract, system[s].abstract
        if ours == theirs:
            pairs[s] = g
        i += ours == theirs or ours
        k += ours == theirs or theirs
    return pairs


def node_counts(gold: Sequence[Sequence[Node]], system: Sequence[Sequence[Node]]) -> npt.NDArray[np.float64]:
    """Return, per sentence, the content nodes on both sides and the three sums of correct ones."""
    if len(gold) != len(system):
        raise TreegaugeError(f"gold has {len(gold)} sentences and the system {len(system)}; MSLAS needs the same")
    rows = np.zeros((len(gold), len(COUNTED)))
    for row, ours, theirs in zip(rows, gold, system, strict=True):
        row[:2] = [sum(node.features is not None for node in side) for side in (ours, theirs)]
        sums = [_correct(ours, theirs, _pairs(ours, theirs, step)) for step in (1, -1)]
        row[2:] = np.max(sums, axis=0)
    return rows


def _correct(gold: Sequence[Node], system: Sequence[Node], pairs: dict[int, int]) -> tuple[float, float, float]:
    mslas, las, feats = 0.0, 0, 0.0
    for s, g in pairs.items():
        ours, theirs = gold[g], system[s]
        above = None if theirs.head is None else pairs.get(theirs.head, -1)
        right = above == ours.head and ours.relation == theirs.relation
        f1 = feature_f1(ours.features or {}, theirs.features or {})
        mslas, las, feats = mslas + right * f1, las + right, feats + f1
    return mslas, las, feats


def score_nodes(gold: Any, named: Mapping[str, Sequence[Any]], options: ScoreOptions) -> Scores:
    """Score systems against one gold file in the task's format: MSLAS, NodeLAS and NodeFeats."""
    if options.resamples:
        check_resampling(options)
    digest = sha256()
    text = _text(gold)
    digest.update(text.encode())
    ours = list(read_nodes(text, str(gold)))
    starts = np.array([sentence.starts_document for sentence in ours], bool)
    runs: dict[str, list[SentenceCounts]] = {}
    for name, outputs in named.items():
        runs[name] = []
        for output in outputs:
            theirs = [sentence.nodes for sentence in read_nodes(_text(output), str(output))]
            counted = node_counts([sentence.nodes for sentence in ours], theirs)
            rows = np.zeros((len(ours), len(COLUMNS)))
            rows[:, [NUMBER[column] for column in COUNTED]] = counted
            rows[:, NUMBER["words_g"]] = counted[:, 0]
            runs[name].append(SentenceCounts(rows, len(ours), options, starts))
    scores = scored_runs(runs, options)
    title = f"{short_name(gold)}#{digest.hexdigest()[:6]}"
    return signed_scores(scores, title, options)


def _text(source: Any) -> str:
    if isinstance(source, Treebank):
        raise TreegaugeError("morphosyntactic trees (MSLAS) are scored from files: their function words have no head")
    with open_bytes(source) as file:
        return file.read().decode()
