"""Disagreements of annotators: counts of confusions, and a work list of words to discuss."""

from collections import Counter
from typing import Any

import numpy as np

from treegauge.auditing.agree import Confusions, Disagreements
from treegauge.auditing.agreement.annotators import Annotations, pairs_of
from treegauge.auditing.agreement.layers import label_codings
from treegauge.scoring.metrics.convention import Convention

#: Entry of a list where an annotator has no such word.
NO_WORD = "no such word"
#: The values of the annotators.
Said = tuple[str, ...]
#: Layer, item, values of the annotators, and their display.
Entry = tuple[str, int, Said, Said]


def confusions(annotations: Annotations, convention: Convention, signature: str) -> Confusions:
    """Count the confusions of every pair of annotators in tags, features and relations."""
    rows: list[dict[str, Any]] = []
    for layer, coding in label_codings(annotations, convention).items():
        if layer in ("lemma", "head"):
            continue
        for a, b in pairs_of(annotations):
            first, second = coding.codes[:, a], coding.codes[:, b]
            apart = (first >= 0) & (second >= 0) & (first != second)
            pair_counts = Counter(zip(first[apart].tolist(), second[apart].tolist(), strict=True))
            rows += [
                {
                    "layer": layer, "first": annotations.names[a], "second": annotations.names[b],
                    "first_value": coding.values[x], "second_value": coding.values[y],
                    "count": count, "reverse": pair_counts.get((y, x), 0),
                }
                for (x, y), count in pair_counts.items()
            ]  # fmt: skip
    rows.sort(key=lambda row: (-row["count"], row["layer"], row["first_value"], row["second_value"]))
    return Confusions(rows, signature)


def disagreements(annotations: Annotations, convention: Convention, signature: str) -> Disagreements:
    """Return the work list: each annotator's values of every word on which they differ."""
    entries = _different_labels(annotations, convention) + _different_words(annotations)
    alike = Counter((layer, chosen_values) for layer, _, chosen_values, _ in entries)
    forms = _forms(annotations)
    repeated = Counter((layer, chosen_values, forms[item].lower()) for layer, item, chosen_values, _ in entries)
    one_way = _one_way(alike)

    def order(entry: Entry) -> tuple[Any, ...]:
        layer, item, values, _ = entry
        form = forms[item].lower()
        same = repeated[layer, values, form]
        systematic = max(one_way[layer, values], same)
        return -systematic, -alike[layer, values], layer, values, -same, form, item

    rows = []
    for layer, item, chosen_values, shown in sorted(entries, key=order):
        where = _place(annotations, item)
        values = dict(zip(annotations.names, shown, strict=True))
        counts = {
            "alike": alike[layer, chosen_values],
            "same_form": repeated[layer, chosen_values, forms[item].lower()],
        }
        rows.append({**where, "form": forms[item], "layer": layer, **values, **counts})
    return Disagreements(rows, signature)


def _one_way(alike: Counter[tuple[str, Said]]) -> dict[tuple[str, Said], int]:
    """Return how much more frequent each confusion is than its reverse."""
    orders: dict[tuple[str, Said], list[Said]] = {}
    for layer, values in alike:
        orders.setdefault((layer, tuple(sorted(values))), []).append(values)
    excess = {}
    for (layer, values), count in alike.items():
        others = [reverse for reverse in orders[layer, tuple(sorted(values))] if reverse != values]
        against = max((alike[layer, reverse] for reverse in others), default=0)
        # Equal values, as for different heads with the same relation, have no direction.
        excess[layer, values] = count - against if len(set(values)) > 1 else 0
    return excess


def _different_labels(annotations: Annotations, convention: Convention) -> list[Entry]:
    """Return layer, item, the annotators' values, and their display."""
    entries = []
    codings = label_codings(annotations, convention)
    relations = codings["deprel"]
    for layer, coding in codings.items():
        high, low = coding.codes.max(axis=1), np.where(coding.codes < 0, 1 << 60, coding.codes)
        for item in np.flatnonzero((high >= 0) & (low.min(axis=1) < high)).tolist():
            codes = coding.codes[item].tolist()
            shown = tuple("" if code < 0 else coding.values[code] for code in codes)
            values = shown
            if layer == "head":  # different heads with the same relation are one kind
                values = tuple(relations.values[code] if code >= 0 else "" for code in relations.codes[item])
                shown = tuple(_head(annotations, item, k) for k in range(len(codes)))
            entries.append((layer, item, values, shown))
    return entries


def _head(annotations: Annotations, item: int, column: int) -> str:
    """Return position and form of the head chosen by an annotator."""
    word = int(annotations.words[item, column])
    if word < 0:
        return ""
    treebank = annotations.annotators[column].treebank
    head = int(treebank.head[word])
    if head <= 0:
        return "root" if head == 0 else ""
    return f"{head} {treebank.field(int(treebank.rows[treebank.parents[word]]), 1)}"


def _different_words(annotations: Annotations) -> list[Entry]:
    """Return words that an annotator of the sentence does not have."""
    present = annotations.present[annotations.item_sentence]
    lacking = (annotations.words < 0) & present
    entries = []
    for item in np.flatnonzero(lacking.any(axis=1)).tolist():
        values = []
        for column, annotator in enumerate(annotations.annotators):
            word = int(annotations.words[item, column])
            absent = NO_WORD if present[item, column] else ""
            values.append(annotator.treebank.field(int(annotator.treebank.rows[word]), 1) if word >= 0 else absent)
        entries.append(("words", item, tuple(values), tuple(values)))
    return entries


def _forms(annotations: Annotations) -> list[str]:
    """Return the form of every item, from the first annotator who has it."""
    forms = [""] * annotations.items
    for annotator in reversed(annotations.annotators):
        codes, values = annotator.treebank.codes("form")
        for item, code in zip(annotator.item.tolist(), codes.tolist(), strict=True):
            if item >= 0:
                forms[item] = values[code]
    return forms


def _place(annotations: Annotations, item: int) -> dict[str, Any]:
    """Return sentence, position and line of a word in the first file that has it."""
    column = int(np.flatnonzero(annotations.words[item] >= 0)[0])
    treebank = annotations.annotators[column].treebank
    word = int(annotations.words[item, column])
    sentence = int(treebank.sentence_of[word])
    return {
        "sent_id": treebank[sentence].id or str(sentence + 1),
        "word": word - int(treebank.offsets[sentence]) + 1,
        "file": treebank.name,
        "line": treebank.line(int(treebank.rows[word])),
    }
