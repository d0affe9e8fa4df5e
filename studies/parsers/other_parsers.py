"""Other programs by their templates: spaCy and Stanza, trained from scratch on a small treebank.

Both are trained for a fixed number of steps, which keeps the run short and is chosen for that
alone; more steps would give better scores. spaCy sees forms only; Stanza and our parsers see gold
tags. The dev set chooses among epochs or steps, and the test set is scored.
"""

import polars as pl

import treegauge as tg
from studies.treebanks import release_folder
from treegauge.parsing.registry import make_parser

TREEBANK = "UD_Tamil-TTB"
ARGUMENTS = {
    "spacy": "--training.max_steps=1000 --training.eval_frequency=100",
    "stanza": ("--max_steps=200 --eval_interval=50 --batch_size=300 --num_layers=2 --hidden_dim=200 --cpu"),
}


PARSERS = ("beam", "mst", *ARGUMENTS)


def score(name: str) -> dict[str, object]:
    """Train one parser and score it on the test set."""
    folder = release_folder("r2.9") / TREEBANK
    train, dev, gold = (tg.read_treebank(folder, split) for split in ("train", "dev", "test"))
    options = {"template": name, "arguments": ARGUMENTS[name]} if name in ARGUMENTS else {}
    parser = make_parser("command" if name in ARGUMENTS else name, **options)
    parsed = parser.fit(train, dev, seed=0).parse(gold)
    scores = {row["metric"]: row["f1"] for row in tg.score(gold, parsed).table.to_dicts()}
    return {
        "treebank": TREEBANK, "parser": name, "arguments": ARGUMENTS.get(name, ""),
        "UAS": scores["UAS"], "LAS": scores["LAS"],
    }  # fmt: skip


def make() -> pl.DataFrame:
    """Train all and score them."""
    return pl.DataFrame([score(name) for name in PARSERS])
