"""Probabilities in a parser's output: ``HeadProb`` and ``DeprelProb`` in MISC, ``tree_prob``.

``HeadProb`` is the probability that the head is correct, ``DeprelProb`` that the relation is
correct if the head is; their product is that of the labelled arc. The comment ``# tree_prob`` is
the probability that all heads and relations of the sentence are correct.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from treegauge.parsing.probabilities.evidence import (
    Doubles,
    SentenceEvidence,
    evidence_relations,
    gather_evidence,
    head_marginals,
)
from treegauge.parsing.probabilities.fit_confidence import ModelCalibration, UniversalRelations, tempered
from treegauge.parsing.probabilities.probability_maps import word_features
from treegauge.parsing.probabilities.training_text import KnownSentence, known_sentences
from treegauge.scoring.confidence import HEAD, RELATION, TREE
from treegauge.treebanks.data.columns import Treebank, closed
from treegauge.treebanks.data.conllu import parse_conllu

_CHUNK = 500  # sentences that are processed together


class ProbableTree(NamedTuple):
    """The probabilities of a tree's heads, of its relations, and of the whole tree."""

    heads: Doubles
    relations: Doubles
    tree: float


def probable_trees(model: Any, parsed: Treebank, calibration: ModelCalibration) -> Iterator[ProbableTree | None]:
    """Yield the probabilities of the tree of each parsed sentence; None for one without words."""
    universal = UniversalRelations(names := evidence_relations(model))
    for start in range(0, len(parsed), _CHUNK):
        chunk = parsed[start : start + _CHUNK]
        known = known_sentences(calibration.text, chunk, names)
        for one, own in zip(gather_evidence(model, chunk), known, strict=True):
            yield _calibrated(one, calibration, universal, own) if len(one.head_logs) else None


def _calibrated(
    evidence: SentenceEvidence,
    calibration: ModelCalibration,
    universal: UniversalRelations,
    known: KnownSentence | None,
) -> ProbableTree:
    logs = tempered(evidence.head_logs, calibration.heads.temperature)
    shares, total = head_marginals(logs, calibration.way)
    tree, rows = evidence.tree, np.arange(len(logs))
    heads = shares[rows, tree.heads]
    relations = universal.shares(tree, calibration.relations.temperature)
    features = word_features(evidence, tree, logs, heads, relations, known)
    own = calibration.heads(heads, features), calibration.relations(relations, features)
    if calibration.tree is None:
        share = float(logs[rows, tree.heads].sum()) - total + _log_product(relations)
    else:
        share = _log_product(own[0] * own[1])
    least = float((own[0] * own[1]).min())
    return ProbableTree(*own, min(float(calibration.tree_probability(share)), least))


def _log_product(probabilities: Doubles) -> float:
    return float(np.log(np.maximum(probabilities, 1e-12)).sum())


def with_confidence(model: Any, parsed: Treebank, calibration: ModelCalibration) -> Treebank:
    """Return the sentences that a model parsed with the probabilities of its calibration."""
    texts = [parsed.raw[start:stop].tobytes() for start, stop in parsed.spans.tolist()]
    found = list(probable_trees(model, parsed, calibration))
    some, best = [], []
    for number, tree in enumerate(found):
        if tree is not None:
            some.append(number)
            best.append(tree)
    if best:
        chosen = parsed if len(some) == len(parsed) else parsed.take(some)
        heads, relations = (np.concatenate(one) for one in list(zip(*best, strict=True))[:2])
        made = chosen.with_columns({"misc": _misc(chosen, heads, relations)})
        for place, (number, tree) in enumerate(zip(some, best, strict=True)):
            texts[number] = _commented(made, place, f"# {TREE} = {tree.tree:.4f}")
    again = parse_conllu(b"".join(map(closed, texts)) + parsed.tail, name=parsed.name)
    return replace(again, problems=parsed.problems, policy=parsed.policy)


def _misc(treebank: Treebank, heads: Doubles, relations: Doubles) -> list[str]:
    """Return MISC of the words with their probabilities, replacing earlier ones."""
    codes, values = treebank.codes("misc")
    kept = []
    for value in values:
        parts = [part for part in value.split("|") if part.partition("=")[0] not in {HEAD, RELATION, "_"}]
        kept.append("".join(f"{part}|" for part in parts))
    return [
        f"{kept[code]}{HEAD}={head:.4f}|{RELATION}={relation:.4f}"
        for code, head, relation in zip(codes.tolist(), heads.tolist(), relations.tolist(), strict=True)
    ]


def _commented(treebank: Treebank, sentence: int, comment: str) -> bytes:
    """Return the bytes of a sentence with its probability as a comment, replacing an earlier one."""
    start, stop = treebank.spans[sentence].tolist()
    first = int(treebank.fields[treebank.row_offsets[sentence], 0])
    rows = treebank.raw[first:stop].tobytes()
    ended = _LINE.match(rows)
    end = ended[2] if ended else b"\n"
    lines = [
        text + own
        for text, own in _LINE.findall(treebank.raw[start:first].tobytes())
        if text.removeprefix(b"#").partition(b"=")[0].split()[:1] != [TREE.encode()]
    ]
    return b"".join([*lines, comment.encode() + end, rows])


_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n)")
