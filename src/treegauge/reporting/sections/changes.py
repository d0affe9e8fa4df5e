"""The section on changes: two releases of one treebank compared."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from treegauge.auditing.changes.tree_pairs import changed_sentences
from treegauge.auditing.diff import Diff, diff
from treegauge.core.result import Result
from treegauge.core.verbs import command
from treegauge.reporting.page.methods import make_method
from treegauge.reporting.page.packing import heads, texts, trees
from treegauge.reporting.page.page import Section
from treegauge.treebanks.sources.files import Errors
from treegauge.treebanks.sources.inputs import Input
from treegauge.treebanks.sources.languages import release_key, take_apart

#: The number of rows of each table, and of changed sentences, that the page holds.
ROWS = 200
SENTENCES = 60


def release_pairs(treebanks: Sequence[Input]) -> list[tuple[Input, Input]]:
    """Return consecutive releases of the same treebank, by names such as UD_A-B@2.5."""
    releases: dict[str, list[Input]] = {}
    for treebank in treebanks:
        if treebank.kind == "treebank" and treebank.given is None and "@" in treebank.name:
            releases.setdefault(treebank.name.partition("@")[0], []).append(treebank)
    return [
        pair
        for members in releases.values()
        for pair in pairwise(sorted(members, key=lambda treebank: release_key(treebank.name.partition("@")[2])))
    ]


def changes_section(
    pairs: Sequence[tuple[Input, Input]], *, given: Sequence[tuple[str, str]], errors: Errors = "strict"
) -> Section:
    """Compare releases and return the section; `given` are the folders as written in commands."""
    diffs = [diff(old.path, new.path, errors=errors) for old, new in pairs]
    names = [f"{old.name} to {take_apart(new.name)[1]}" for old, new in pairs]
    tables: list[tuple[str, Result]] = [
        (f"Changes from {name}", result) for name, result in zip(names, diffs, strict=True)
    ]
    policy = None if errors == "strict" else errors
    commands = "\n".join(command(diff, old, new, errors=policy) for old, new in given)
    method = make_method("diff", "\n".join(result.signature for result in diffs), commands)
    text = (
        "Changes from one release to the next: sentences, words by layer, systematic changes, "
        "single corrections, and the first trees that changed."
    )
    short = [_short(name, result) for name, result in zip(names, diffs, strict=True)]
    title = "Changes between releases"
    data = {"pairs": [_data(*pair, result) for pair, result in zip(pairs, diffs, strict=True)]}
    return Section("changes", title, text, data, tables, [method], short, view="treebanks")


def _data(old: Input, new: Input, result: Diff) -> dict[str, Any]:
    """Return the tables of a diff, and both trees of the first sentences that changed.

    Only sentences with the same words in both releases: their trees are drawn together.
    """
    pairs = result.pairs
    changed = changed_sentences(pairs, ["upos", "deprel"])
    same = [number for number in changed if pairs.same_words[number]]
    before = pairs.old.take(np.array(same[:SENTENCES], np.int64))
    after = pairs.new.take(pairs.sentences.to_new[same[:SENTENCES]])
    was = {name: texts(before[name].to_list()) for name in ("upos", "deprel")}
    return {
        "treebank": new.name,
        "treebanks": [old.name, new.name],
        "releases": [take_apart(release.name)[1] or release.name for release in (old, new)],
        "tables": {name: list(table.rows[:ROWS]) for name, table in result.attached.items()},
        "changed": len(changed_sentences(pairs, ["upos", "deprel"])),
        "trees": trees(after),
        "was": was | {"head": heads(before.head)},
    }


def _short(name: str, result: Diff) -> str:
    """Return a sentence on the number of changes."""
    layers = {row["layer"]: row for row in result.attached["layers"].rows}
    counts = [f"{layers[layer]['changed']:,} {layer}" for layer in ("head", "deprel", "upos")]
    rules = len(result.changes.rules)
    return (
        f"{name}: of {layers['head']['words']:,} words, {counts[0]}, {counts[1]} and {counts[2]} "
        f"values changed; {rules:,} systematic {'change' if rules == 1 else 'changes'}."
    )
