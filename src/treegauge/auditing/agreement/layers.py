"""Layers of annotation as codings (a row per item, a column per annotator), and their disagreements."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.auditing.agree import Confusions, Disagreements
from treegauge.auditing.agreement.annotators import Annotations, pairs_of
from treegauge.scoring.metrics.convention import Convention
from treegauge.treebanks.data.relations import universal_relation

Longs = npt.NDArray[np.int64]
#: Layers that are a column of the file.
COLUMNS = ("upos", "xpos", "feats", "lemma", "deprel")
#: All layers, in the order of the table.
LAYERS = ("sentences", "tokens", "words", *COLUMNS[:4], "head", "deprel", "head+deprel", "trees")
#: Layers whose classes can be shown.
CLASSED = ("upos", "xpos", "feats", "deprel")


@dataclass(frozen=True, eq=False)
class Coding:
    """The codes of one layer, (items, annotators); -1 if missing.

    `sentence` has the sentence of each item; `item` its number among the words, if items are words;
    `values` the meaning of the codes.
    """

    layer: str
    codes: Longs
    sentence: Longs
    values: tuple[str, ...]
    item: Longs | None = None

    @property
    def coded(self) -> int:
        """Number of items with at least two codes."""
        return int(((self.codes >= 0).sum(axis=1) >= 2).sum())


class ValueNumbers(dict[str, int]):
    """Numbers values in the order of their first use."""

    def __missing__(self, value: str) -> int:
        self[value] = len(self)
        return self[value]


def codings(annotations: Annotations, convention: Convention) -> Iterator[Coding]:
    """Yield the codings of all layers that at least two annotators have, except trees."""
    if not annotations.by_id:
        yield _boundaries(annotations, "sentences")
    yield _boundaries(annotations, "tokens")
    yield _words_of_tokens(annotations)
    by_layer = {name: column_coding(annotations, name, convention) for name in COLUMNS}
    by_layer["head"] = _heads(annotations, convention)
    by_layer["head+deprel"] = _joined(by_layer["head"], by_layer["deprel"])
    for name in LAYERS:
        if name in by_layer and by_layer[name].coded:
            yield by_layer[name]


def column_coding(annotations: Annotations, name: str, convention: Convention) -> Coding:
    """Return the coding of one column; ``_`` is a missing code, except in features.

    Relations are compared as the convention says. The order of features does not matter.
    """
    normal: Callable[[str], str] = str
    if name == "deprel" and not convention.subtypes:
        normal = universal_relation
    if name == "feats":
        normal = _sorted_features
    numbers = ValueNumbers()
    codes = np.full((annotations.items, len(annotations.annotators)), -1, np.int64)
    for column, annotator in enumerate(annotations.annotators):
        own_codes, values = annotator.treebank.codes(name)
        if name == "feats" and set(values) <= {"_"}:
            continue
        missing = {"_"} if name != "feats" else set()
        table = np.array([-1 if v in missing else numbers[normal(v)] for v in values] or [-1])
        used = annotator.item >= 0
        coded = table[own_codes[used]]
        if name == "lemma" and "_" in values:  # the lemma of an underscore is one
            forms = annotator.treebank.codes("form")
            if "_" in forms.values:
                bar = forms.codes[used] == forms.values.index("_")
                coded = np.where(bar & (coded < 0), numbers["_"], coded)
        codes[annotator.item[used], column] = coded
    coding = _whole(annotations, name, codes, tuple(numbers))
    return _scored(coding, annotations, convention) if name == "deprel" else coding


def feature_codings(annotations: Annotations) -> dict[str, Coding]:
    """Return one coding per feature; a word without it has the value ``none``."""
    whole = column_coding(annotations, "feats", Convention())
    split = [dict(_pairs(value)) for value in whole.values]
    by_feature = {}
    for feature in sorted({name for features in split for name in features}):
        numbers = ValueNumbers()
        table = np.array([numbers[features.get(feature, "none")] for features in split] or [-1])
        codes = np.where(whole.codes < 0, -1, table[whole.codes])
        by_feature[feature] = Coding(feature, codes, whole.sentence, tuple(numbers), whole.item)
    return by_feature


def class_codings(annotations: Annotations, layer: str, convention: Convention) -> dict[str, Coding]:
    """Return the codings with the classes of a layer: itself, or one per feature."""
    if layer == "feats":
        return feature_codings(annotations)
    return {layer: column_coding(annotations, layer, convention)}


def _pairs(feats: str) -> Iterator[tuple[str, str]]:
    for pair in feats.split("|"):
        name, equals, value = pair.partition("=")
        if equals:
            yield name, value


def _sorted_features(feats: str) -> str:
    return "|".join(sorted(feats.split("|")))


def _whole(annotations: Annotations, layer: str, codes: Longs, values: tuple[str, ...]) -> Coding:
    items = np.arange(annotations.items)
    return Coding(layer, codes, annotations.item_sentence, values, items)


def _scored(coding: Coding, annotations: Annotations, convention: Convention) -> Coding:
    """Leave out the words that do not count: those that all annotators tag PUNCT."""
    if convention.punct:
        return coding
    tags = column_coding(annotations, "upos", convention)
    if "PUNCT" not in tags.values:
        return coding
    is_punctuation = tags.codes == tags.values.index("PUNCT")
    counted = ~(is_punctuation | (annotations.words < 0)).all(axis=1)
    return Coding(
        coding.layer, np.where(counted[:, None], coding.codes, -1), coding.sentence, coding.values, coding.item
    )


def _heads(annotations: Annotations, convention: Convention) -> Coding:
    """Code heads by their distance in items, so that codes are comparable across sentences."""
    numbers = ValueNumbers()
    codes = np.full((annotations.items, len(annotations.annotators)), -1, np.int64)
    for column, annotator in enumerate(annotations.annotators):
        used = np.flatnonzero(annotator.item >= 0)
        head, parent = annotator.treebank.head[used], annotator.treebank.parents[used]
        away = annotator.item[parent] - annotator.item[used]
        distinct, places = np.unique(away, return_inverse=True)
        table = np.array([numbers[f"{value:+d}"] for value in distinct.tolist()] or [-1])
        distances = np.where(head == 0, numbers["root"], table[places])
        codes[annotator.item[used], column] = np.where(head < 0, -1, distances)
    return _scored(_whole(annotations, "head", codes, tuple(numbers)), annotations, convention)


def _joined(first: Coding, second: Coding) -> Coding:
    """Cross two layers."""
    size = max(len(second.values), 1)
    missing = (first.codes < 0) | (second.codes < 0)
    crossed = np.where(missing, -1, first.codes * size + second.codes)
    distinct, places = np.unique(crossed, return_inverse=True)
    shift = int(len(distinct) > 0 and distinct[0] < 0)
    values = tuple(f"{first.values[code // size]} {second.values[code % size]}" for code in distinct[shift:].tolist())
    codes = (places - shift).reshape(crossed.shape)
    layer = f"{first.layer}+{second.layer}"
    return Coding(layer, codes, first.sentence, values, first.item)


def _boundaries(annotations: Annotations, what: str) -> Coding:
    """Code the ends of tokens (items are characters) or of sentences (items are tokens)."""
    text, bounds = annotations.text, annotations.sentence_bounds
    ends = [annotator.token_ends for annotator in annotations.annotators]
    if what == "tokens":
        begins = np.flatnonzero((text & 0xC0) != 0x80)
        positions = np.setdiff1d(begins, bounds if annotations.by_id else bounds[[0, -1]])
    else:
        positions = np.setdiff1d(np.concatenate(ends), bounds[[0, -1]])
        ends = [annotator.sentence_ends for annotator in annotations.annotators]
    sentence = annotations.sentence_at(positions - 1)
    codes = np.stack([np.isin(positions, annotator_ends) for annotator_ends in ends], axis=1).astype(np.int64)
    codes[~annotations.present[sentence]] = -1
    return Coding(what, codes, sentence, ("inside", "end"))


def _words_of_tokens(annotations: Annotations) -> Coding:
    """Code the number of words of tokens that at least two annotators have."""
    size = len(annotations.text) + 1
    spans = [annotator.token_starts * size + annotator.token_ends for annotator in annotations.annotators]
    distinct = np.unique(np.concatenate(spans))
    codes = np.full((len(distinct), len(spans)), -1, np.int64)
    for column, (own_spans, annotator) in enumerate(zip(spans, annotations.annotators, strict=True)):
        codes[np.searchsorted(distinct, own_spans), column] = annotator.token_words
    values = tuple(map(str, range(int(codes.max(initial=0)) + 1)))
    return Coding("words", codes, annotations.sentence_at(distinct // size), values)


def label_codings(annotations: Annotations, convention: Convention) -> Mapping[str, Coding]:
    """Return the codings used for lists of disagreements, with features one by one."""
    by_layer = {name: column_coding(annotations, name, convention) for name in COLUMNS if name != "feats"}
    by_layer["head"] = _heads(annotations, convention)
    return by_layer | feature_codings(annotations)


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
