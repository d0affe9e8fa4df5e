"""Promised and true error of words that two parsers agree on, in repeated samples of real treebanks.

``python -m studies.triage GOLD A B [--units sentences] [--draws 1000]``: GOLD is the annotation of the whole text,
A and B are the outputs of two parsers. A share of the units is drawn as the sample, the error is promised
for the rest, and compared with the true one. ``--error`` also tries the choice of a threshold.
"""

import argparse
import json

import numpy as np

from treegauge.auditing.triage import THRESHOLDS, counts_by_unit, expected_error, same_analysis
from treegauge.statistics.units import units_of_text
from treegauge.treebanks.data.indexing import document_starts
from treegauge.treebanks.sources.resolver import read_treebank


def main() -> None:
    """Print one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m studies.triage", description=__doc__)
    for name in ("gold", "a", "b"):
        parser.add_argument(name)
    parser.add_argument("--units", default="sentences")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--share", type=float, default=0.2, help="share of the units that are sampled (0.2)")
    parser.add_argument("--error", type=float, help="largest error in percent, which chooses a threshold")
    given = parser.parse_args()
    gold, a, b = (read_treebank(path) for path in (given.gold, given.a, given.b))
    agree, wrong = same_analysis(a, b), ~same_analysis(a, gold)
    first = units_of_text(document_starts(gold), given.units).first
    unit_of = np.searchsorted(first, np.arange(len(gold)), side="right") - 1
    share = np.add.reduceat(agree.astype(np.int64), gold.offsets[:-1]) / np.diff(gold.offsets)
    masks = [agree & (share >= threshold - 1e-12)[gold.sentence_of] for threshold in THRESHOLDS]
    units, random = len(first), np.random.default_rng(0)
    hits, promised, true, exceeded, accepted = [], [], [], [], []
    for _ in range(given.draws):
        picked = np.zeros(units, bool)
        picked[random.choice(units, max(10, round(given.share * units)), replace=False)] = True
        inside = picked[unit_of]
        estimate = expected_error(counts_by_unit(masks[-1], wrong, inside, gold, unit_of))
        low, high = (float(limit) for limit in estimate.interval(share=True))
        error = wrong[masks[-1] & ~inside[gold.sentence_of]].mean()
        if np.isfinite(low):
            hits.append(low <= error <= high)
            promised.append(100 * float(estimate.value))
            true.append(100 * error)
        if given.error:
            best = None
            for mask in masks:
                tried = expected_error(counts_by_unit(mask, wrong, inside, gold, unit_of)).interval(share=True)[1]
                if np.isfinite(tried):
                    if 100 * tried > given.error:
                        break
                    best = mask
            rest = ~inside[gold.sentence_of]
            accepted.append(0.0 if best is None else 100 * best[rest].mean())
            exceeded.append(best is not None and 100 * wrong[best & rest].mean() > given.error)
    row = {
        "units": units, "draws": len(hits), "accepted": round(100 * float(agree.mean()), 1),
        "promised": round(float(np.mean(promised)), 2), "true": round(float(np.mean(true)), 2),
        "coverage": round(float(np.mean(hits)), 3),
    }  # fmt: skip
    if given.error:
        row |= {"accepted_at_error": round(float(np.mean(accepted)), 1), "exceeded": round(float(np.mean(exceeded)), 3)}
    print(json.dumps(row))


if __name__ == "__main__":
    main()
