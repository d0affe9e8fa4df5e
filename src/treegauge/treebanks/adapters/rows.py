"""Conversion of rows of lists, as in Hugging Face datasets, to CoNLL-U."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from treegauge.core.errors import TreegaugeError

_NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "ids"),
    "form": ("form", "tokens", "words", "forms"),
    "lemma": ("lemma", "lemmas"),
    "upos": ("upos", "pos"),
    "xpos": ("xpos",),
    "feats": ("feats",),
    "head": ("head", "heads"),
    "deprel": ("deprel", "deprels"),
    "deps": ("deps",),
    "misc": ("misc",),
}
"""Columns of CoNLL-U, with their names in datasets."""


def is_row(given: Any) -> bool:
    """Whether this is one sentence as a mapping from columns to lists."""
    if not isinstance(given, Mapping):
        return False
    forms = next((given[name] for name in _NAMES["form"] if name in given), None)
    return (
        isinstance(forms, Sequence)
        and not isinstance(forms, str)
        and not any(isinstance(form, Mapping) for form in forms[:1])
    )


def conllu_field(value: Any) -> str:
    """Return a field as CoNLL-U writes it: ``_`` for what is missing, no tabs or line ends."""
    if value is None or value in ("", "None"):
        return "_"
    return " ".join(str(value).split()) or "_"


def conllu_of_rows(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the CoNLL-U text of rows with one sentence each.

    Whole numbers in a column of labels (``ClassLabel``) become their names. Features and MISC may
    be texts as in CoNLL-U, dictionaries, or the texts of dictionaries. A row without IDs that has a
    multiword token (a form without a head) is refused: its words cannot be identified.
    """
    labels = _labels(getattr(rows, "features", None))
    return "".join(_sentence(row, labels, number) for number, row in enumerate(rows, 1))


def _labels(features: Any) -> dict[str, Any]:
    """Return, by column, the function that converts numbers of labels to names."""
    by_column = {}
    for name, feature in (features or {}).items():
        inner = feature[0] if isinstance(feature, list) else getattr(feature, "feature", feature)
        names = getattr(inner, "int2str", None)
        if names is not None:
            by_column[name] = names
    return by_column


def _sentence(row: Mapping[str, Any], labels: Mapping[str, Any], number: int) -> str:
    if not is_row(row):
        raise TreegaugeError(
            f"row {number} has no list of words; expected a column named one of: "
            f"{', '.join(_NAMES['form'])}, with a list in each row"
        )
    columns = {
        column: _values(row[name], labels.get(name))
        for column, names in _NAMES.items()
        for name in names
        if name in row and isinstance(row[name], Sequence) and not isinstance(row[name], str)
    }
    size = len(columns["form"])
    for column, values in columns.items():
        if len(values) != size:
            raise TreegaugeError(f"row {number}: {len(values)} values of {column} for {size} words; expected as many")
    if "id" not in columns:
        heads = columns.get("head", ["0"] * size)
        if "_" in heads and set(heads) != {"_"}:
            form = columns["form"][heads.index("_")]
            raise TreegaugeError(
                f"row {number}: {form!r} has no head, as multiword tokens have none; expected a "
                "column 'id' that shows which words belong to it"
            )
        columns["id"] = [str(i) for i in range(1, size + 1)]
    empty = ["_"] * size
    words = zip(*(columns.get(column, empty) for column in _NAMES), strict=True)
    return "\n".join([*_comments(row), *("\t".join(word) for word in words)]) + "\n\n"


def _values(values: Sequence[Any], names: Any) -> list[str]:
    if names is not None:
        values = [names(value) if isinstance(value, int) else value for value in values]
    return [conllu_field(_pairs(value)) for value in values]


def _pairs(value: Any) -> Any:
    """Write a dictionary, or the text of one, as ``Name=Value|Name=Value``."""
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return value
    if isinstance(value, Mapping):
        pairs = sorted(value.items(), key=lambda item: str(item[0]).lower())
        return "|".join(f"{key}={text}" for key, text in pairs if text is not None)
    return value


def _comments(row: Mapping[str, Any]) -> Iterator[str]:
    for names, key in ((("sent_id", "idx"), "sent_id"), (("text",), "text")):
        value = next((row[name] for name in names if row.get(name) is not None), None)
        if value is not None:
            yield f"# {key} = {conllu_field(value)}"
