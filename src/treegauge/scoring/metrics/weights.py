"""Weights of relations for WLAS: packaged averages, or a file in the format of the 2017 script."""

from pathlib import Path

from treegauge import data
from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.sources.files import Source

OTHER = 0.5
"""Word dependency entropy assumed for relations that a treebank lacks."""


def relation_weights(text: str | None) -> tuple[dict[str, float], float]:
    """Return the weights of relations that a text names, and the weight of all other relations.

    The text is wde, a file of 'relation weight' lines, a .conllu file or folder, or the lines
    themselves, with semicolons between them.

    Examples
    --------
    >>> relation_weights("nsubj 2;obj 0.5")
    ({'nsubj': 2.0, 'obj': 0.5}, 1.0)
    """
    if text is None or text == "wde":
        return packaged_weights(), OTHER
    if " " in text and not Path(text).exists():
        return weights_in(text.replace(";", "\n"), "weights"), 1.0
    if Path(text).is_dir() or ".conllu" in Path(text).name:
        from treegauge.measures.structure import word_dependency_entropy
        from treegauge.treebanks.sources.resolver import read_treebank

        return word_dependency_entropy(read_treebank(text)), OTHER
    return read_weights(text), 1.0


def packaged_weights() -> dict[str, float]:
    """Return the averaged word dependency entropy of each universal relation over UD 2.9.

    Examples
    --------
    >>> weights = packaged_weights()
    >>> weights["case"] < weights["obl"]
    True
    """
    frame = data.wde()
    return dict(zip(frame["relation"].to_list(), frame["wde"].to_list(), strict=True))


def read_weights(path: Source) -> dict[str, float]:
    """Read lines of a relation and its weight (0 or more); ``#`` starts a comment."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TreegaugeError(f"{path}: cannot read weights: {error}") from error
    return weights_in(text, path)


def weights_in(text: str, path: Source) -> dict[str, float]:
    """Return the weights in lines of a relation and its weight; messages name the path."""
    weights: dict[str, float] = {}
    for number, line in enumerate(text.split("\n"), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            relation, value = words[0], float(words[1])
            if len(words) != 2 or not 0 <= value < float("inf"):
                raise ValueError
        except (IndexError, ValueError):
            raise TreegaugeError(
                f"{path}:{number}: found {line.strip()!r}, expected a relation and a weight such as 'case 0.1'"
            ) from None
        weights[relation] = value
    return weights
