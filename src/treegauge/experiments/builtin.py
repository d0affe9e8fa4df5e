"""The built-in tasks."""

import numpy as np

from treegauge.experiments.cells import Cell, Outcome, Scalar, parse_table
from treegauge.experiments.sampling import sampled
from treegauge.parsers.registry import make_parser
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank


def score(cell: Cell) -> Outcome:
    """Train on the train part with dev beside it, parse the test part, score as CoNLL 2018 did.

    Scalars are F1 in per cent under the official names; words hold each test word's head and
    relation.
    """
    errors = cell.extra["errors"]
    train, gold = (cell.read(part, errors=errors) for part in ("train", "test"))
    dev = cell.read("dev", errors=errors) if cell.has("dev") else None
    parsed = _parsed(cell, train, dev, gold)
    return Outcome(_official(gold, parsed), parse_table(parsed))


def curve(cell: Cell) -> Outcome:
    """Train on `size` of the first `train_limit` train sentences; one point of a learning curve.

    Scalars: ``uas`` and ``las`` in per cent, without punctuation, relations whole; ``words`` is
    how many words they count. The words' table holds each test word's head and relation.
    """
    extra, errors = cell.extra, cell.extra["errors"]
    train, gold = (cell.read(part, errors=errors) for part in ("train", "test"))
    available = min(len(train), extra["train_limit"])
    if cell.size is None:
        raise TreegaugeError("task curve needs a size")
    chosen = sampled(available, cell.size, cell.sample, nested=extra["nested"])
    dev = None
    if extra["dev_limit"] > 0 and cell.has("dev"):
        dev = cell.read("dev", errors=errors)[: extra["dev_limit"]]
    parsed = _parsed(cell, train.take(chosen), dev, gold)
    return Outcome(attachment(gold, parsed), parse_table(parsed))


def split(cell: Cell) -> Outcome:
    """Split all sentences of the treebank, train on the new train part, score on the new test.

    The cell's `sample` is the seed of the split. Scalars are those of task score, and the
    displacement distance of the parts; words hold each sentence's number among all sentences.
    """
    import polars as pl

    from treegauge.splitting.pool import pool
    from treegauge.splitting.splitting import make_split as cut

    extra = cell.extra
    try:
        sizes = [float(part) for part in extra["sizes"].split("/")]
    except ValueError:
        raise TreegaugeError(f"sizes are {extra['sizes']!r}; expected such as 60/20/20") from None
    made = cut(
        pool(cell.treebank, errors=extra["errors"]), extra["objective"], seed=cell.sample,
        sizes=sizes, method=extra["method"], unit=extra["unit"],
        min_words=extra["min_words"] or None,
    )  # fmt: skip
    if "train" not in made.parts:
        raise TreegaugeError(f"objective {extra['objective']!r} has no train and test part")
    parts = {name: made.pool.treebank.take(index) for name, index in made.parts.items()}
    gold = parts["test"]
    parsed = _parsed(cell, parts["train"], parts.get("dev"), gold)
    numbers = made.parts["test"][gold.sentence_of].astype(np.int32)
    words = parse_table(parsed).insert_column(0, pl.Series("sentence", numbers))
    return Outcome(_official(gold, parsed) | {"edv": made.edv}, words)


def measure(cell: Cell) -> Outcome:
    """Take measures of a treebank; one that it does not have is missing."""
    from treegauge.measures.measure import measure as take

    extra = cell.extra
    found = take(
        extra["measures"], cell.treebank, split=extra["part"], errors=extra["errors"],
        seed=cell.seed, workers=1,
    )  # fmt: skip
    scalars: dict[str, Scalar] = {}
    for one in found.measured:
        for row in one.rows():
            scalars[row["measure"]] = row["value"]
    return Outcome(scalars)


def attachment(gold: Treebank, parsed: Treebank) -> dict[str, Scalar]:
    r"""Count right heads, and right heads with relations, among words that are no punctuation.

    .. math:: UAS = 100 c_h / n, \quad LAS = 100 c_{hr} / n
    """
    counted = (gold["upos"] != "PUNCT").to_numpy()
    heads = (gold.head == parsed.head) & counted
    both = heads & (gold["deprel"] == parsed["deprel"]).to_numpy()
    total = int(counted.sum())
    if total == 0:
        return {"uas": None, "las": None, "words": 0}
    return {
        "uas": 100 * int(heads.sum()) / total, "las": 100 * int(both.sum()) / total, "words": total
    }  # fmt: skip


def _parsed(cell: Cell, train: Treebank, dev: Treebank | None, gold: Treebank) -> Treebank:
    model = make_parser(cell.parser, **cell.options).fit(train, dev, seed=cell.seed)
    return model.parse(gold)


def _official(gold: Treebank, parsed: Treebank) -> dict[str, Scalar]:
    from treegauge.scoring.evaluation import evaluate
    from treegauge.scoring.metrics import METRICS
    from treegauge.scoring.settings import Resampling

    found = evaluate(gold, parsed, resampling=Resampling(resamples=0)).systems[0]
    return {name: found[name].f1 for name in METRICS}
