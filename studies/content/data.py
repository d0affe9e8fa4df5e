"""Data of the Content study: the available treebanks of UD 2.9, and our parsers' scores."""

import os
from collections.abc import Iterator
from functools import cache
from math import atanh, erfc, sqrt, tanh
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from studies.parts import read_result, tolerance
from studies.treebanks import release_folder, treebank_folders
from studies.verdicts import Why
from treegauge.experiments.cell_store import Store
from treegauge.measures.measure import measure
from treegauge.measures.structure import word_dependency_entropy
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.metrics.registry import packaged_weights
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_conllu, read_splits
from treegauge.treebanks.sources.languages import language_of

RELEASE = "r2.9"
STORED = ("beam", "mst", "udpipe")
PARSERS = ("malt", *STORED)
# Fewer training sentences are not a sample of a language, whatever is measured of them.
ENOUGH = 100
CHOICES = ("all", "enough", "language", "paper")
# Languages behind every correlation that the paper prints.
LANGUAGES = 22
MARGIN = 0.2
"""Correlations over about 20 languages that differ by less say the same."""


class Parsed(NamedTuple):
    """What a parser made of a test set."""

    treebank: str
    parser: str
    parts: dict[str, Treebank]
    output: Treebank

    @property
    def gold(self) -> Treebank:
        """The test set."""
        return self.parts["test"]


@cache
def folders() -> tuple[Path, ...]:
    """Return the treebanks at hand."""
    return tuple(treebank_folders(RELEASE))


def parsed() -> Iterator[Parsed]:
    """Give back, treebank by treebank, what the runs of ``studies/content/all_treebanks_*.toml`` kept."""
    root = Path(os.environ.get("TREEGAUGE_RUNS", "../runs")) / "all_treebanks"
    stores = {name: Store(root / name) for name in STORED}
    done = {name: store.results(task="score") for name, store in stores.items()}
    for folder in folders():
        parts: dict[str, Treebank] = {}
        for name, results in done.items():
            for key in results.filter(treebank=folder.name)["key"]:
                words = stores[name].words(key)
                if words is None:
                    raise ValueError(f"{root / name} has no words of {folder.name}")
                parts = parts or read_splits(folder)
                columns = {column: words[column].to_list() for column in ("head", "deprel")}
                yield Parsed(folder.name, name, parts, parts["test"].with_columns(columns))


def scores() -> pl.DataFrame:
    """Score the parsers of the runs on all test sets: whole relations, all words, in percent."""
    rows = []
    for one in parsed():
        row: dict[str, Any] = {"treebank": one.treebank, "parser": one.parser}
        rows.append(row | scored(one.treebank, one.gold, one.output))
    return pl.DataFrame(rows)


@cache
def own_weights(treebank: str) -> dict[str, float]:
    """Return a treebank's own word dependency entropy of every relation."""
    return word_dependency_entropy(read_conllu(release_folder(RELEASE) / treebank))


def scored(treebank: str, gold: Treebank, output: Treebank) -> dict[str, float]:
    """Return the scores of one output, and shares of content and function relations in gold."""
    found, personal = (
        evaluate(gold, output, ScoreOptions(
            convention=Convention(subtypes=True), weights=weights, resamples=0)).systems[0]
        for weights in (packaged_weights(), own_weights(treebank))
    )  # fmt: skip
    row = {name.lower(): found[name].f1 for name in ("UAS", "LAS", "CLAS", "MLAS")}
    row |= {"wlas": found["WLAS"].f1, "wlas_own": personal["WLAS"].f1}
    for kind, name in (("content", "ContentLAS"), ("function", "FunctionLAS")):
        metric = found[name]
        row |= {f"{kind}_precision": metric.precision}
        row |= {f"{kind}_recall": metric.recall, f"{kind}_f1": metric.f1}
        row |= {f"{kind}_share": metric.gold / gold.n_words}
    return row


def treebanks() -> pl.DataFrame:
    """Return sizes, shares of relations and STTR of every treebank, all parts together."""
    names = "sttr,content,function,feature_types"
    whole = measure(names, *folders(), split="all").wide
    rows = []
    for folder in folders():
        parts = read_splits(folder)
        train, test = parts["train"], parts["test"]
        language = language_of(folder.name)
        rows.append(
            {
                "treebank": folder.name, "language": language.name, "family": language.family,
                "train_sentences": len(train), "train_words": train.n_words,
                "test_sentences": len(test), "test_words": test.n_words,
                "mean_test_length": test.n_words / len(test),
                "words": sum(part.n_words for part in parts.values()),
            }
        )  # fmt: skip
    return pl.DataFrame(rows).join(whole, on="treebank", how="left", maintain_order="left")


def chosen(name: str) -> list[str]:
    """Return the treebanks of a named choice.

    ``all``; ``enough``: 100 training sentences or more; ``language``: of these, the one with the
    most training words of each language; ``paper``: 30,000 words or more, with features, and of
    each language the one with the most words, as the Content paper chose.
    """
    frame = read_result("content_treebanks")
    if name == "all":
        return frame["treebank"].to_list()
    if name == "paper":
        kept = frame.filter(pl.col("words") >= 30_000, pl.col("feature_types").is_not_null())
        by = "words"
    else:
        kept, by = frame.filter(pl.col("train_sentences") >= ENOUGH), "train_words"
        if name == "enough":
            return kept["treebank"].to_list()
    largest = kept.filter(pl.col(by) == pl.col(by).max().over("language"))
    return largest["treebank"].to_list()


def chance(printed: str, ours: float, n: int) -> float:
    r"""Return how often samples of 22 and n languages differ as much by chance (Fisher's z).

    .. math:: z = (\operatorname{atanh} r_1 - \operatorname{atanh} r_2)
              / \sqrt{1/(n_1 - 3) + 1/(n_2 - 3)}

    The printed value is the one nearest to ours of those that round to its digits.

    Examples
    --------
    >>> round(chance("0.27", 0.5, 37), 2), round(chance("0.99", 0.9951, 30), 2)
    (0.35, 0.97)
    """
    half = tolerance(printed)
    nearest = min(max(ours, float(printed) - half), float(printed) + half)
    error = sqrt(1 / (LANGUAGES - 3) + 1 / (n - 3))
    return erfc(abs(atanh(nearest) - atanh(ours)) / error / sqrt(2))


def by_chance(row: dict[str, object]) -> Why:
    """Return how often samples of languages differ as much as printed and our r do, by chance.

    Examples
    --------
    >>> why = by_chance({"printed": "0.27", "ours": 0.5, "n": 37})
    >>> str(why), why.state_of("0.27")
    ('samples of 22 and of 37 differ as much by chance with p = 0.35', 'inconclusive')
    """
    n, ours = int(str(row["n"])), float(str(row["ours"]))
    p = chance(str(row["printed"]), ours, n)
    reach = 1.96 * sqrt(1 / (LANGUAGES - 3) + 1 / (n - 3))
    text = f"samples of {LANGUAGES} and of {n} differ as much by chance with p = {p:.2g}"
    return Why(text, least=tanh(atanh(ours) - reach), most=tanh(atanh(ours) + reach), margin=MARGIN)
