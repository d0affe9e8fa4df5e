"""Counts of correct words of the published configurations, from the bits of their trainings.

    python -m studies.challenges.runs BITS \
        panparser mstparser mstparser-xpos ud2.0 kl-beam tagger
    python -m studies.challenges.counts BITS

The last step writes four tables, which hold figures only: ``challenges_published`` counts words by
part of speech and direction of the head; ``challenges_criteria`` sums words that are simple and
complex by other criteria, for BEAM and for the vote; ``challenges_whole`` does so for whole
training sets and for the vote, by the paper's criterion and each parser's own curves (UDPipe's with
preset ``fast``, of which there are whole curves);
``challenges_tags`` counts words with the correct tag, by tag.

    python -m studies.challenges.counts --add BITS

adds further trainings of parsers to ``challenges_published`` and leaves the other tables alone.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from studies.challenges.runs import FINE, SIZES, TAGGER, VOTE, Bools, unpacked
from studies.parsers.preset_runs import CURVES, splits
from studies.parts import RESULTS, as_csv
from treegauge.core.files import atomic
from treegauge.learning.contribution import word_groups
from treegauge.learning.curves.class_counts import (
    ALL,
    COLUMNS,
    Attachments,
    attachments,
    joined_counts,
    read_attachments,
)
from treegauge.learning.curves.complexity import composite_counts, partition
from treegauge.scoring.classes.classification import classify
from treegauge.scoring.metrics.convention import CONVENTIONS, Convention
from treegauge.scoring.metrics.correct_words import PAPER_CLASSES, scored_words_mask
from treegauge.treebanks.data.columns import Treebank

PUBLISHED, CRITERIA, WHOLE = "challenges_published", "challenges_criteria", "challenges_whole"
TAGS = "challenges_tags"
ADD = "--add"
CHALLENGES = CONVENTIONS["challenges"]
BEAM = "panparser"
BY = {
    "part of speech": "upos",
    "relation": "deprel",
    "part of speech, relation, direction": "upos,deprel,binary-direction",
}
"""The paper's other criteria of classes."""

Bits = dict[tuple[str, str], dict[tuple[int, int], Bools]]


def read_bits(paths: Sequence[str]) -> Bits:
    """Return which test words are correct, by preset and treebank, then by size and sample."""
    found: Bits = defaultdict(dict)
    for path in paths:
        for line in Path(path).read_text("utf-8").splitlines():
            row = json.loads(line)
            for name, text in row.get("votes", {}).items():
                found[VOTE, name][0, row["sample"]] = unpacked(text, gold(name).n_words)
            for cell, text in row.get("bits", {}).items():
                size, sample = map(int, cell.split("/"))
                found[row["preset"], row["treebank"]][size, sample] = unpacked(text, gold(row["treebank"]).n_words)
    return found


def gold(name: str) -> Treebank:
    """Return a test set."""
    return splits("r2.9", name)["test"]


def count_bits(bits: Bits, presets: Sequence[str], by: str, convention: Convention = CHALLENGES) -> Attachments:
    """Count correct words of each class in all samples; whole training sets are left out."""
    parts = []
    for preset in presets:
        for name in CURVES:
            codes, names, _ = classify(gold(name), by)
            counted = scored_words_mask(gold(name), convention)
            total = np.bincount(codes[counted], minlength=len(names))
            seen = np.flatnonzero(total)
            for (size, sample), correct in sorted(bits.get((preset, name), {}).items()):
                if size not in SIZES:
                    continue
                right = np.bincount(codes[counted & correct], minlength=len(names))
                parts.append(
                    pl.DataFrame({
                        "treebank": f"UD_{name}", "parser": preset, "size": size, "sample": sample,
                        "class": [ALL, *(names[i] for i in seen.tolist())],
                        "correct": [int(right.sum()), *right[seen].tolist()],
                        "total": [int(total.sum()), *total[seen].tolist()],
                    })
                )  # fmt: skip
    return attachments(pl.concat(parts).select(COLUMNS), metric="score", by=by)


def sides(name: str, kinds: dict[str, str], by: str, correct: Bools) -> list[float]:
    """Return UAS of simple, all and complex words of a test set."""
    groups = word_groups(gold(name), kinds, by=by, convention=CHALLENGES)
    return [
        100 * float(correct[groups[side]].mean()) if side in groups else float("nan")
        for side in ("simple", "overall", "complex")
    ]


def whole(bits: Bits, counts: Attachments) -> Iterator[dict[str, object]]:
    """Yield UAS of parsers of whole training sets, and of the vote by each parser's partition."""
    own = read_attachments(RESULTS / "challenges_attachments.csv")
    parted = {preset: partition(counts, preset) for preset in (BEAM, "mstparser")}
    parted["udpipe"] = partition(own, "udpipe")
    for (preset, name), cells in sorted(bits.items()):
        for (size, sample), correct in sorted(cells.items()):
            if size:
                continue
            for by in parted if preset == VOTE else [BEAM]:
                if f"UD_{name}" not in parted[by].frame["treebank"]:
                    continue
                found = sides(name, parted[by].of(f"UD_{name}"), PAPER_CLASSES, correct)
                values = dict(zip(("simple", "all", "complex"), found, strict=True))
                yield {"parser": preset, "parted_by": by, "treebank": f"UD_{name}", "sample": sample, **values}


def criteria(bits: Bits) -> pl.DataFrame:
    """Return counts of simple and complex words of BEAM and of the vote, by other criteria."""
    frames = []
    for name, by in BY.items():
        counts = count_bits(bits, [BEAM], by)
        parted = partition(counts, BEAM)
        own = composite_counts(counts, parted).frame
        votes = []
        for (preset, treebank), cells in sorted(bits.items()):
            if preset != VOTE:
                continue
            groups = word_groups(gold(treebank), parted.of(f"UD_{treebank}"), by=by, convention=CHALLENGES)
            votes += [
                (f"UD_{treebank}", VOTE, 1, sample, ALL if side == "overall" else side,
                 int(correct[mask].sum()), int(mask.sum()))
                for (_, sample), correct in sorted(cells.items())
                for side, mask in groups.items()
            ]  # fmt: skip
        both = [own, pl.DataFrame(votes, own.schema, orient="row")] if votes else [own]
        saved = attachments(pl.concat(both)).saved
        frames.append(saved.select(pl.lit(name).alias("criterion"), pl.all()))
    return pl.concat(frames, how="diagonal")


def main() -> None:
    """Write the tables."""
    paths = [word for word in sys.argv[1:] if word != ADD]
    if not paths:
        sys.exit("expected the files of challenges_runs")
    bits = read_bits(paths)
    presets = [one for one in (BEAM, "mstparser", FINE, "ud2.0") if any(one == key[0] for key in bits)]
    counts = count_bits(bits, presets, PAPER_CLASSES)
    if ADD in sys.argv:
        counts = joined_counts([read_attachments(RESULTS / f"{PUBLISHED}.csv"), counts])
    counts.save(RESULTS / f"{PUBLISHED}.csv")
    if ADD in sys.argv:
        return
    count_bits(bits, [TAGGER], "upos", Convention()).save(RESULTS / f"{TAGS}.csv")
    tables = {WHOLE: pl.DataFrame(whole(bits, counts)), CRITERIA: criteria(bits)}
    for name, frame in tables.items():
        with atomic(RESULTS / f"{name}.csv") as file:
            file.write(as_csv(frame).encode())
        print(f"wrote {name}, {frame.height} rows; now: python -m studies")


if __name__ == "__main__":
    main()
