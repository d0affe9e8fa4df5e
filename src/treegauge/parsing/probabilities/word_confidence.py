"""Probabilities in a parser's output: ``HeadProb`` and ``DeprelProb`` in MISC, ``tree_prob``.

``HeadProb`` is the probability that the head is correct, ``DeprelProb`` that the relation is
correct if the head is; their product is that of the labelled arc. The comment ``# tree_prob`` is
the probability that all heads and relations of the sentence are correct.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treegauge.parsing.probabilities.evidence import (
    Doubles,
    Ints,
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

RANK = "tree_rank"
_CHUNK = 500  # sentences that are processed together


@dataclass(frozen=True, eq=False)
class ProbableTree:
    """A tree with the probabilities of its heads, of its relations, and of the whole tree."""

    heads: Ints
    relations: list[str]
    head_probabilities: Doubles
    relation_probabilities: Doubles
    probability: float


def probable_trees(
    model: Any, parsed: Treebank, calibration: ModelCalibration, trees: int = 1
) -> Iterator[list[ProbableTree]]:
    """Yield the best trees of each parsed sentence with their probabilities.

    The first is the one that the model returned; the order of the others is the parser's own.
    Their probabilities never increase, and add up to at most 1.
    """
    names = evidence_relations(model)
    universal = UniversalRelations(names)
    for start in range(0, len(parsed), _CHUNK):
        chunk = parsed[start : start + _CHUNK]
        known = known_sentences(calibration.text, chunk, names)
        for one, own in zip(gather_evidence(model, chunk, trees), known, strict=True):
            yield _calibrated(one, calibration, names, universal, own)


def _calibrated(
    evidence: SentenceEvidence, calibration: ModelCalibration, names: Sequence[str],
    universal: UniversalRelations, known: KnownSentence | None,
) -> list[ProbableTree]:  # fmt: skip
    if not len(evidence.head_logs):
        return []
    logs = tempered(evidence.head_logs, calibration.heads.temperature)
    shares, total = head_marginals(logs, calibration.way)
    rows = np.arange(len(logs))
    of_trees, words = [], []
    for tree in evidence.trees:
        heads = shares[rows, tree.heads]
        relations = universal.shares(tree, calibration.relations.temperature)
        features = word_features(evidence, tree, logs, heads, relations, known)
        own = calibration.heads(heads, features), calibration.relations(relations, features)
        words.append(own)
        if calibration.tree is None:
            share = float(logs[rows, tree.heads].sum()) - total + _log_product(relations)
        else:
            share = _log_product(own[0] * own[1])
        least = float((own[0] * own[1]).min())
        of_trees.append(min(float(calibration.tree_probability(share)), least))
    probabilities = np.minimum.accumulate(of_trees)
    if probabilities.sum() > 1:
        probabilities[1:] *= (1 - probabilities[0]) / probabilities[1:].sum()
    return [
        ProbableTree(tree.heads, [names[r] for r in tree.relations.tolist()], *own, float(one))
        for tree, own, one in zip(evidence.trees, words, probabilities, strict=True)
    ]


def _log_product(probabilities: Doubles) -> float:
    return float(np.log(np.maximum(probabilities, 1e-12)).sum())


def with_confidence(
    model: Any, parsed: Treebank, calibration: ModelCalibration, *, words: bool = True, trees: int = 1
) -> Treebank:
    """Return parsed sentences with probabilities, and with their k best trees.

    Parameters
    ----------
    model, parsed
        A model, and the sentences that it parsed.
    calibration
        Its calibration.
    words
        Whether to write ``HeadProb`` and ``DeprelProb``.
    trees
        The largest number of trees per sentence; each is a sentence with a comment ``# tree_rank``.
    """
    found = list(probable_trees(model, parsed, calibration, trees))
    ranks = max(map(len, found), default=0)
    texts: list[list[bytes]] = [[] for _ in found]
    for rank in range(ranks):
        some = [number for number, own in enumerate(found) if len(own) > rank]
        best = [found[number][rank] for number in some]
        chosen = parsed if rank == 0 and len(some) == len(parsed) else parsed.take(some)
        columns: dict[str, Any] = {}
        if rank:
            columns["head"] = np.concatenate([tree.heads for tree in best])
            columns["deprel"] = [name for tree in best for name in tree.relations]
        if words:
            heads = np.concatenate([tree.head_probabilities for tree in best])
            relations = np.concatenate([tree.relation_probabilities for tree in best])
            columns["misc"] = _misc(chosen, heads, relations)
        made = chosen.with_columns(columns) if columns else chosen
        for place, (number, tree) in enumerate(zip(some, best, strict=True)):
            comments = [f"# {TREE} = {tree.probability:.4f}"]
            if trees > 1:
                comments.insert(0, f"# {RANK} = {rank + 1}")
            texts[number].append(_commented(made, place, comments, rank))
    for own, (start, stop) in zip(texts, parsed.spans.tolist(), strict=True):
        if not own:  # without words there is no tree
            own.append(parsed.raw[start:stop].tobytes())
    body = b"".join(closed(text) for own in texts for text in own)
    again = parse_conllu(body + parsed.tail, name=parsed.name)
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


def _commented(treebank: Treebank, sentence: int, comments: list[str], rank: int) -> bytes:
    """Return the bytes of a sentence with these comments, replacing earlier ones.

    Later trees of a sentence do not begin a document or paragraph, and have their own sent_id.
    """
    start, stop = treebank.spans[sentence].tolist()
    first = int(treebank.fields[treebank.row_offsets[sentence], 0])
    rows = treebank.raw[first:stop].tobytes()
    ended = _LINE.match(rows)
    end = ended[2] if ended else b"\n"
    lines = []
    for text, own in _LINE.findall(treebank.raw[start:first].tobytes()):
        name = text.removeprefix(b"#").partition(b"=")[0].split()[:1]
        if name in ([TREE.encode()], [RANK.encode()]) or (rank and name in _BEGINNINGS):
            continue
        lines.append((_renamed(text, rank + 1) if rank and name == [b"sent_id"] else text) + own)
    return b"".join([*lines, *(comment.encode() + end for comment in comments), rows])


_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n)")
_BEGINNINGS = ([b"newdoc"], [b"newpar"])


def _renamed(line: bytes, number: int) -> bytes:
    """Return the sent_id of a later tree: the sentence's with a suffix after a slash."""
    name = line.partition(b"=")[2].strip()
    return b"# sent_id = %b%btree_%d" % (name, b"-" if b"/" in name else b"/", number)
