"""Speed and memory of a base-size encoder, frozen and fine-tuned; needs numpy, torch, transformers.

    PYTHONPATH=src python -m studies.parsers.encoder_speed OUT.csv [--tiny]

The encoder is a BERT of base size with random weights and the sentences are random numbers, since
neither changes the time: no accuracy is claimed. Sentences have 19 words on average (as the
treebanks of UD) and words 1.6 subwords. The biaffine parser is trained for a few epochs over 2,000
sentences, of which the last is timed, then looks at 500 sentences that it has not seen, which is
parsing without the search for the tree. Memory is the peak of what torch allocated. ``--tiny``
runs the same on a CPU in seconds.
"""

import csv
import gc
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.device import choose_device, numerics
from treegauge.parsing.neural.options import BiaffineOptions
from treegauge.parsing.neural.pretrained.encoders import EncoderInput, PretrainedEncoder, prepared
from treegauge.parsing.neural.pretrained.subwords import Subwords
from treegauge.parsing.neural.training import Learner, Lockstep

WARM_EPOCHS = 6
"""Epochs in which CUDA graphs are recorded, which only a frozen encoder allows."""
TYPES, TAGS, RELATIONS = 8000, 17, 40
SUBWORD_SHARES = (0.64, 0.2, 0.1, 0.04, 0.02)
"""Shares of word tokens with one to five subwords."""


def sentences(count: int, seed: int = 0) -> Encoded:
    """Return random trees with lengths and frequencies of words as in a treebank."""
    random = np.random.default_rng(seed)
    lengths = np.clip(np.rint(random.lognormal(2.75, 0.63, count)), 1, 120).astype(np.int64)
    offsets = np.append(0, np.cumsum(lengths))
    words = int(offsets[-1])
    types = np.minimum(random.zipf(1.3, words), TYPES).astype(np.int32) + 1
    place = np.arange(words) - np.repeat(offsets[:-1], lengths)
    heads = np.where(place == 0, 0, (random.random(words) * place).astype(np.int64) + 1)
    chars = random.integers(4, 80, (TYPES + 2, 12)).astype(np.int32)
    chars[np.arange(12) >= random.integers(1, 13, (TYPES + 2, 1))] = 0
    return Encoded(
        offsets, types, random.integers(1, TAGS, words).astype(np.int32), heads.astype(np.int32),
        random.integers(1, RELATIONS, words).astype(np.int32),
        np.arange(TYPES + 2, dtype=np.int32), chars,
        np.array([TYPES + 3, 80, TAGS, RELATIONS], np.int32), np.zeros((words, 0), np.int32),
        np.zeros(0, np.int32),
    )  # fmt: skip


def random_encoder(tiny: bool) -> EncoderInput:
    """Return a BERT of base size (or a tiny one) and subwords of all types."""
    from transformers import BertConfig, BertModel

    small: dict[str, Any] = {
        "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2,
        "intermediate_size": 64,
    }  # fmt: skip
    torch.manual_seed(0)
    module = prepared(BertModel(BertConfig(**(small if tiny else {}))))
    random = np.random.default_rng(1)
    sizes = random.choice(np.arange(1, 6), TYPES + 2, p=SUBWORD_SHARES)
    starts = np.append(0, np.cumsum(sizes))
    ids = random.integers(1000, 30000, starts[-1])
    special = np.array([101]), np.array([102])
    return EncoderInput(PretrainedEncoder("random", module, None), Subwords(ids, starts, *special, 0, 512, 64))


def settings() -> Iterator[dict[str, Any]]:
    """Yield the options of each row."""
    for layers in (3, 0):
        yield {"frozen": True, "layers": layers}
    for tokens in (0, 5000):
        for precision in ("float32", "bfloat16"):
            for checkpointing in (False, True):
                yield {
                    "frozen": False, "layers": 0, "batch_tokens": tokens, "precision": precision,
                    "gradient_checkpointing": checkpointing,
                }  # fmt: skip
    yield {"frozen": False, "layers": 3}


def measured(options: BiaffineOptions, data: Encoded, train: int, given: EncoderInput) -> dict[str, Any]:
    """Return words per second and peak memory under some options."""
    device = choose_device(options.device)

    def now() -> float:
        if device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    gc.collect()  # models before this one, which their graphs keep
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    given.encoder.cache.clear()
    own, held = np.arange(train), np.arange(train, len(data))
    with numerics(device, options.threads):
        begun = now()
        model = Lockstep([Learner(data, own, 0)], options, device, None, given)
        ready = now() - begun
        epochs = WARM_EPOCHS if options.frozen and device.type == "cuda" else 1
        for epoch in range(1, epochs + 1):
            model.learn(epoch)
        begun = now()
        model.learn(epochs + 1)
        learning = now() - begun
        model.evaluate([held])
        begun = now()
        model.evaluate([held])
        looking = now() - begun
    peak = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else 0.0
    words = data.lengths
    return {
        "encoder": "frozen" if options.frozen else "fine-tuned",
        "BiLSTM layers": options.layers,
        "batch": f"{options.batch_tokens} words" if options.batch_tokens else "32 sentences",
        "precision": options.precision.replace("auto", "bfloat16"),
        "checkpointing": "yes" if options.gradient_checkpointing else "no",
        "seconds to encode once": round(ready, 2) if options.frozen else "",
        "training, words/s": round(words[own].sum() / learning),
        "parsing, words/s": round(words[held].sum() / looking),
        "peak memory, GiB": round(peak, 2),
    }


def main(target: str, *words: str) -> None:
    """Measure all rows and write them."""
    tiny = "--tiny" in words
    train, held = (40, 10) if tiny else (2000, 500)
    data, given = sentences(train + held), random_encoder(tiny)
    size = sum(one.numel() for one in given.encoder.module.parameters())
    print(f"{size / 1e6:.1f} million parameters, torch {torch.__version__}", flush=True)
    plain = BiaffineOptions(encoder="random", word_size=0, char_size=0, upos=False)
    if tiny:
        plain = replace(plain, hidden=8, arc_size=8, relation_size=8, device="cpu")
    measured(replace(plain, layers=0), sentences(40), 20, given)  # wakes up the device
    rows = []
    for chosen in settings():
        rows.append(measured(replace(plain, **chosen), data, train, given))
        print(rows[-1], flush=True)
        with Path(target).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
