"""KL-BEAM with the published configuration of BEAM: the votes of delexicalised parsers, bit by bit.

    python -m replications.challenges_votes OUT

Sources, weights and targets are those of ``challenges_transfer``; OUT gets one JSON line per target
and training, with one bit per test word, as ``challenges_runs`` writes them. What
``challenges_counts`` makes of them is committed.
"""

import json
import sys
from pathlib import Path

from replications.challenges_runs import options, packed
from replications.challenges_transfer import LIMIT, SEEDS, languages, voted
from replications.preset_runs import CURVES, splits
from treegauge.crosslingual.vote import delexicalised, train_sources


def main() -> None:
    """Write one line per training and target."""
    parser, chosen = options("panparser")
    parts = {f"UD_{name}": splits("r2.9", name) for name in CURVES}
    sources = {name: split["train"][:LIMIT] for name, split in parts.items()}
    with Path(sys.argv[1]).open("w", encoding="utf-8") as file:
        for seed in SEEDS:
            models = train_sources(sources, delexicalised(parser, **chosen), seed=seed)
            for target, split in parts.items():
                others = {
                    name: train for name, train in sources.items()
                    if not languages(name) & languages(target)
                }  # fmt: skip
                heads, _ = voted(split["train"], split["test"], others, models)
                row = {
                    "preset": "kl-beam", "treebank": target.removeprefix("UD_"),
                    "bits": {f"0/{seed}": packed(heads == split["test"].head)},
                }  # fmt: skip
                file.write(json.dumps(row) + "\n")
                file.flush()
                print(seed, target, flush=True)


if __name__ == "__main__":
    main()
