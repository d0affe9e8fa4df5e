"""Data of every available treebank: measures, an audit, and words that parsers have correct."""

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.content.data import RELEASE, folders, parsed
from studies.parts import read_result
from studies.treebanks import treebank_folders
from treegauge.auditing.audit import Audit, Finding, audit_treebanks
from treegauge.measures.measure import measure
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

Mask = npt.NDArray[np.bool_]
#: Random splits that the real ones are compared with.
DRAWS = 199
#: First lengths of classes of sentences.
LENGTHS = (1, 5, 10, 20, 30)
LABELS = ("1 to 4", "5 to 9", "10 to 19", "20 to 29", "30 and more")


def measures() -> pl.DataFrame:
    """Return every measure that is one number, by name, a row per treebank."""
    found = measure("all", *treebank_folders(RELEASE)).wide
    return found.select("treebank", *sorted(set(found.columns) - {"treebank"}))


def audits() -> pl.DataFrame:
    """Return what an audit finds, in numbers; shares are percent of the set's sentences."""
    return pl.DataFrame([_audited(folder.name, read_splits(folder)) for folder in folders()])


def _audited(name: str, parts: dict[str, Treebank]) -> dict[str, Any]:
    found = audit_treebanks([parts], name=name, resamples=DRAWS)
    leak = _finding(found, "leak", "train/test")
    splits = {kind: _finding(found, f"split-{kind}", "train/test") for kind in ("edv", "slv")}
    return {
        "treebank": name,
        "errors": found.count("error"),
        "warnings": found.count("warning"),
        "leaked": 100 * leak.value / len(parts["test"]) if leak else 0.0,
        **{f"repeated_{part}": _share(found, "duplicates", part, parts) for part in ("train", "test")},
        "one_word_test": 100 * float((parts["test"].lengths == 1).mean()),
        "unseen_labels": sum(one.check == "unseen-labels" and one.split == "train/test" for one in found.findings),
        **{f"{kind}_p": one.p_value if one else None for kind, one in splits.items()},
    }


def _finding(found: Audit, check: str, part: str) -> Finding | None:
    return next((f for f in found.findings if (f.check, f.split) == (check, part)), None)


def _share(found: Audit, check: str, part: str, parts: dict[str, Treebank]) -> float:
    one = _finding(found, check, part)
    return 100 * one.value / len(parts[part]) if one else 0.0


def classes() -> pl.DataFrame:
    """Count correct words (head and whole relation) among classes of test words.

    ``length``: of their sentence; ``words``: whether train has the form; ``tree``: whether train
    has a tree of the same shape (rooted, order aside); ``text``: whether train has the same
    sentence, upper and lower case aside.
    """
    rows: list[dict[str, Any]] = []
    known: dict[str, dict[str, tuple[tuple[str, ...], npt.NDArray[np.int64]]]] = {}
    for one in parsed():
        if one.treebank not in known:
            known = {one.treebank: _classed(one.parts["train"], one.gold)}
        same = (one.gold["deprel"] == one.output["deprel"]).to_numpy()
        right = (one.gold.head == one.output.head) & same
        for feature, (names, codes) in known[one.treebank].items():
            words = np.bincount(codes, minlength=len(names)).tolist()
            correct = np.bincount(codes[right], minlength=len(names)).tolist()
            rows += [
                {"treebank": one.treebank, "parser": one.parser, "feature": feature, "class": name,
                 "words": words[i], "correct": correct[i]}
                for i, name in enumerate(names)
                if words[i]
            ]  # fmt: skip
    return pl.DataFrame(rows)


def _classed(train: Treebank, test: Treebank) -> dict[str, tuple[tuple[str, ...], npt.NDArray[np.int64]]]:
    """Return classes of the words of test, as names and codes."""
    # Measures are listed in the order in which their modules are loaded: not this one first.
    from treegauge.measures.similarity import tree_shapes

    lengths = np.searchsorted(LENGTHS, test.lengths, side="right") - 1
    form = test["form"].is_in(train["form"].unique().to_list()).to_numpy()
    tree = np.isin(tree_shapes(test), tree_shapes(train))
    text = np.isin(_texts(test), _texts(train))
    seen = ("new", "seen")
    return {
        "length": (LABELS, lengths[test.sentence_of].astype(np.int64)),
        "words": (seen, form.astype(np.int64)),
        "tree": (seen, tree[test.sentence_of].astype(np.int64)),
        "text": (seen, text[test.sentence_of].astype(np.int64)),
    }


def _texts(treebank: Treebank) -> npt.NDArray[Any]:
    forms = treebank["form"].cast(pl.String).str.to_lowercase()
    frame = pl.DataFrame({"sentence": treebank.sentence_of, "form": forms})
    return frame.group_by("sentence", maintain_order=True).agg(pl.col("form").str.join("\t"))["form"].to_numpy()


def table() -> pl.DataFrame:
    """Join everything, a row per treebank: sizes, measures, audit, and LAS of every parser.

    ``biaffine`` is of the dev set and without tags, from the runs of the Difficulty study.
    """
    las = read_result("content_scores").pivot("parser", index="treebank", values="las")
    neural = read_result("difficulty_gpu").filter(measure="las")
    frame = read_result("content_treebanks").select(
        "treebank", "language", "family", "train_sentences", "train_words", "test_sentences", "mean_test_length"
    )
    for other in (
        las,
        neural.select("treebank", pl.col("ours").alias("biaffine")),
        read_result("joined_measures").drop("sentences", "words"),
        read_result("joined_audit"),
    ):
        frame = frame.join(other, on="treebank", how="left", maintain_order="left")
    return frame


def overview() -> pl.DataFrame:
    """Return the table that readers look at first: scores next to what may explain them."""
    return table().select(
        "treebank", "train_sentences", "mean_test_length", "beam", "mst", "udpipe", "biaffine",
        "oov", "edv", "tree_overlap", "nonprojective_sentences", "content", "leaked",
        "repeated_test", "one_word_test", "errors", "warnings",
    )  # fmt: skip
