"""What changed between two versions, in few lines: words added and removed, and kinds of changes."""

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.auditing.changes.systematic import ABSENT, Layer, feature_layers
from treegauge.treebanks.data.relations import parse_deps
from treegauge.treebanks.data.sentence_pairing import sentence_ids

if TYPE_CHECKING:
    from treegauge.auditing.changes.annotation_changes import Changes
    from treegauge.auditing.changes.changed_words import WordPairs

LINES = 30
"""The number of lines of a summary."""
_DOMINANT, _FEW = 0.8, 3  # values are named if so few of them make up this share of a line's words
_LEAST = 2  # words of a line


def word_rows(pairs: "WordPairs", moved: npt.NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Return the words of both versions by UPOS: added, removed, retokenised and moved.

    Words without a partner in the other version are added or removed: among them those of inserted and deleted
    sentences, and those of sentences with the same text but other words (``retokenised`` old words ``into`` new
    ones). `moved` marks old sentences that are in another file now.
    """
    old, new = pairs.old, pairs.new
    groups = [number for group in pairs.sentences.groups for number in group.old]
    same_text = np.isin(np.arange(len(old)), [*pairs.retokenised, *groups])
    partners = pairs.sentences.to_new[list(pairs.retokenised)]
    after = np.isin(np.arange(len(new)), [*partners, *(n for group in pairs.sentences.groups for n in group.new)])
    masks = {
        "old": (old, np.ones(old.n_words, bool)), "new": (new, np.ones(new.n_words, bool)),
        "added": (new, pairs.to_old < 0), "inserted": (new, (pairs.to_old < 0) & _whole(pairs, "inserted")),
        "removed": (old, pairs.to_new < 0), "deleted": (old, (pairs.to_new < 0) & _whole(pairs, "deleted")),
        "retokenised": (old, (pairs.to_new < 0) & same_text[old.sentence_of]),
        "into": (new, (pairs.to_old < 0) & after[new.sentence_of]),
        "moved": (old, (pairs.to_new >= 0) & moved[old.sentence_of]),
    }  # fmt: skip
    counts: dict[str, Counter[str]] = {}
    for name, (side, mask) in masks.items():
        codes, values = side.codes("upos")
        counts[name] = Counter(dict(zip(values, np.bincount(codes[mask], minlength=len(values)).tolist(), strict=True)))
    tags = sorted(
        {tag for name in ("added", "removed", "moved") for tag, number in counts[name].items() if number},
        key=lambda tag: (-counts["added"][tag] - counts["removed"][tag], tag),
    )
    total = {"upos": "all"} | {name: count.total() for name, count in counts.items()}
    return [total, *({"upos": tag} | {name: count[tag] for name, count in counts.items()} for tag in tags)]


def _whole(pairs: "WordPairs", kind: str) -> npt.NDArray[np.bool_]:
    """Return the words of the sentences that are in one version only."""
    side = pairs.new if kind == "inserted" else pairs.old
    return np.isin(side.sentence_of, getattr(pairs.sentences, kind))


class _Kind(NamedTuple):
    """Changed words of a layer: which pairs, what in words happened to all of them, and to each."""

    layer: str
    text: str
    rows: npt.NDArray[np.int64]
    values: list[str]


def summary_rows(changes: "Changes") -> list[dict[str, Any]]:
    """Return at most 30 lines that say what changed, the most words first.

    A line is one kind of change: of a relation or tag from one value to another, of one feature by name, of heads
    by where the new head was, of DEPS by kind. ``percent`` is the share of all changed words, ``covered`` that of
    this line and those before it; a word counts in several lines if several of its columns changed.
    """
    kinds = [kind for kind in _kinds(changes) if len(kind.rows) >= _LEAST]
    changed = np.zeros(len(changes.pairs), np.bool_)
    for mask, _ in changes.masks.values():
        changed |= mask
    total = max(int(changed.sum()), 1)
    kinds.sort(key=lambda kind: (-len(kind.rows), kind.layer, kind.text))
    old = changes.pairs.old
    ids, tags, forms = sentence_ids(old), old.codes("upos"), old.codes("form")
    covered = np.zeros(len(changes.pairs), np.bool_)
    rows = []
    for kind in kinds[:LINES]:
        covered[kind.rows] = True
        words = changes.pairs.old_words[kind.rows]
        (tag, most), *_ = Counter(tags.codes[words].tolist()).most_common(1)
        first = int(words[0])
        sentence = int(old.sentence_of[first])
        named = Counter(kind.values).most_common(_FEW)
        text = (
            f"{kind.text} ({', '.join(f'{value} {number:,}' for value, number in named)})" if named[0][0] else kind.text
        )
        rows.append(
            {
                "layer": kind.layer, "change": text, "words": len(kind.rows), "percent": 100 * len(kind.rows) / total,
                "covered": 100 * int(covered.sum()) / total,
                "mostly": f"{tags.values[tag]} {100 * most / len(words):.0f} %",
                "example": f"{ids[sentence] or sentence + 1}: {forms.values[forms.codes[first]]}",
            }
        )  # fmt: skip
    return rows


def _kinds(changes: "Changes") -> list[_Kind]:
    """Return the kinds of changes of all layers; values are named apart where few of them make up most of a kind."""
    kinds: list[_Kind] = []
    relations = changes.pairs.codes("deprel")
    for layer, _ in changes.parts:
        if layer.name == "deps":
            kinds += _split(layer, np.flatnonzero(layer.changed), _deps_kinds(layer), None)
        elif layer.name == "misc":
            for part in feature_layers(changes.pairs, "misc"):
                kinds += _feature_kinds(part)
        elif layer.name == "feats":
            kinds += _feature_kinds(layer)
        else:
            rows = np.flatnonzero(layer.changed)
            old, new = layer.old[rows].tolist(), layer.new[rows].tolist()
            if layer.name == "head":
                values = [f"of {relations[2][code]}" for code in relations[0][rows].tolist()]
                kinds += _split(layer, rows, [f"to {layer.values[code]}" for code in new], values)
            elif layer.name in ("upos", "deprel"):
                values = [f"{layer.values[a]} → {layer.values[b]}" for a, b in zip(old, new, strict=True)]
                kinds += _split(layer, rows, [f"{layer.values[a]} → another" for a in old], values)
            else:
                values = [f"{layer.values[a]} → {layer.values[b]}" for a, b in zip(old, new, strict=True)]
                kinds += _split(layer, rows, [_filled(layer.values[a], layer.values[b]) for a, b in
                                              zip(old, new, strict=True)], values)  # fmt: skip
    return kinds


def _filled(old: str, new: str) -> str:
    if ABSENT in (old, new):
        return "added" if old == ABSENT else "removed"
    return "other case" if old.lower() == new.lower() else "another"


def _feature_kinds(layer: Layer) -> list[_Kind]:
    rows = np.flatnonzero(layer.changed)
    pairs = [
        (layer.values[a], layer.values[b])
        for a, b in zip(layer.old[rows].tolist(), layer.new[rows].tolist(), strict=True)
    ]
    ends = {"added": "added", "removed": "removed"}
    groups = [f"{layer.feature} {ends.get(_filled(*pair), 'changed')}" for pair in pairs]
    values = [new if old == ABSENT else old if new == ABSENT else f"{old} → {new}" for old, new in pairs]
    return _split(layer, rows, groups, values)


def _split(layer: Layer, rows: npt.NDArray[np.int64], groups: list[str], values: list[str] | None) -> list[_Kind]:
    """Return one kind per group, or per value of a group whose few frequent values make up most of it."""
    members: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        members.setdefault(group, []).append(i)
    kinds = []
    for group, own in members.items():
        named = [""] * len(own) if values is None else [values[i] for i in own]
        frequent = Counter(named).most_common(_FEW)
        if layer.name in ("upos", "deprel") and sum(n for _, n in frequent) >= _DOMINANT * len(own):
            for value in dict.fromkeys(named):
                rest = [i for i, each in zip(own, named, strict=True) if each == value]
                kinds.append(_Kind(layer.name, value, rows[rest], [""]))
        else:
            kinds.append(_Kind(layer.name, group, rows[own], named))
    return kinds


def _deps_kinds(layer: Layer) -> list[str]:
    """Return what happened to the enhanced edges of each word whose DEPS changed."""
    rows = np.flatnonzero(layer.changed)
    pairs = list(zip(layer.old[rows].tolist(), layer.new[rows].tolist(), strict=True))
    known = {pair: _deps_kind(*(layer.values[code] for code in pair)) for pair in set(pairs)}
    return [known[pair] for pair in pairs]


def _deps_kind(old: str, new: str) -> str:
    if ABSENT in (old, new):
        return "enhanced graph added" if old == ABSENT else "enhanced graph removed"
    before, after = (sorted(parse_deps(text) or ()) for text in (old, new))
    heads = [[edge.head for edge in edges] for edges in (before, after)]
    if heads[0] == heads[1]:
        plain = [[edge.steps[0].split(":")[0] for edge in edges] for edges in (before, after)]
        return "subtypes or case markers of relations" if plain[0] == plain[1] else "relations"
    if {*heads[0]} < {*heads[1]}:
        return "edges added"
    return "edges removed" if {*heads[0]} > {*heads[1]} else "heads"
