"""Sentences that occur more than once: within a part, and worse, across parts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

from treegauge.auditing.findings import Finding, count
from treegauge.measures.counting import blank
from treegauge.treebanks.columns import Treebank

_LEAK = 0.01  # of a part: beyond that, scores on it are too high
_SHORT = 5  # words; greetings and headings repeat in any corpus


def _texts(treebank: Treebank) -> list[tuple[str, ...]]:
    forms = treebank["form"].str.to_lowercase().to_list()
    bounds = treebank.offsets.tolist()
    return [tuple(forms[a:b]) for a, b in pairwise(bounds)]


def check_duplicates(parts: Mapping[str, Treebank]) -> Iterator[Finding]:
    """Find sentences whose words (in lower case) are the same.

    Sentences of fewer than five words repeat in any corpus and are not counted. If more than one
    per cent of dev or test is also in train, that is an error: the parser has seen the answers.
    Where the trees differ, the annotation is inconsistent, which is told apart. Parts whose forms
    are mostly ``_`` have no sentences to compare.
    """
    parts = {name: one for name, one in parts.items() if not blank(one, "form").any()}
    places: dict[str, dict[tuple[str, ...], list[int]]] = {}
    for name, treebank in parts.items():
        found: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, text in enumerate(_texts(treebank)):
            if len(text) >= _SHORT:
                found[text].append(number)
        places[name] = found
        again = [numbers for numbers in found.values() if len(numbers) > 1]
        extra = sum(len(numbers) - 1 for numbers in again)
        if extra:
            share = extra / len(treebank)
            yield Finding(
                "duplicates", "warning" if share > 0.01 else "note", name, extra,
                f"{count(extra, 'sentence')} repeat an earlier one ({100 * share:.1f} %)",
                _names(treebank, [numbers[1] for numbers in again]),
            )  # fmt: skip
    for one, two in combinations(parts, 2):
        shared = places[one].keys() & places[two].keys()
        if not shared:
            continue
        numbers = sorted(n for text in shared for n in places[two][text])
        differ = sum(
            not _same_tree(parts[one], places[one][text][0], parts[two], places[two][text][0])
            for text in shared
        )
        share = len(numbers) / len(parts[two])
        yield Finding(
            "leak", "error" if one == "train" and share > _LEAK else "warning",
            f"{one}/{two}", len(numbers),
            f"{count(len(numbers), 'sentence')} of {two} ({100 * share:.1f} %) also in {one}; "
            f"of {len(shared)} different ones {differ} with another tree there",
            _names(parts[two], numbers),
        )  # fmt: skip


def _same_tree(one: Treebank, a: int, two: Treebank, b: int) -> bool:
    left, right = one[a], two[b]
    return left.head.tolist() == right.head.tolist() and left.deprel == right.deprel


def _names(treebank: Treebank, numbers: list[int], limit: int = 3) -> tuple[str, ...]:
    return tuple(treebank[n].id or f"#{n + 1}" for n in numbers[:limit])
