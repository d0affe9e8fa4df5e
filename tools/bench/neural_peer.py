"""The biaffine parser and a plain PyTorch one of the same sizes, on one GPU or core.

    python -m tools.bench.neural_peer FOLDER [OUT.json] [--epochs=12] [--seeds=3] [--lockstep=8]

Needs only numpy, torch and the package; FOLDER has what ``studies.difficulty.encode`` wrote. The
peer is written as papers describe the parser (Dozat & Manning 2017) and as libraries write it:
embeddings, a character LSTM, three layers of ``torch.nn.LSTM`` over packed sentences, dense layers
and bilinear forms, dropout by whole parts of the input and units of a sentence, Adam. Both read the
same arrays in the same batches with the same options, and use TF32 products on a GPU; accuracy is
of each word's best head on the dev set after the last epoch.

Each contender runs in a process of its own, so that peak memory is its own. Seconds per epoch are
the median after two epochs for warm-up; parsing is the second pass over all sentences, best trees
included, by the same decoder.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from treegauge.parsing.neural import batches
from treegauge.parsing.neural.batches import choose_device, numerics
from treegauge.parsing.neural.data import ROOT_TYPE, Encoded, known_chars, known_words
from treegauge.parsing.neural.options import BiaffineOptions
from treegauge.parsing.neural.parsers import DECODERS
from treegauge.parsing.neural.predicting import Predictor, parsed_together
from treegauge.parsing.neural.training import Learner, Lockstep

OPTIONS = BiaffineOptions()
BETAS, EPSILON = (0.9, 0.9), 1e-12
WARM = 2
Longs = npt.NDArray[np.int64]


def whole_units(values: Tensor, share: float) -> Tensor:
    """Drop units of a sentence, the same at all its words."""
    mask = torch.empty_like(values[:, :1]).bernoulli_(1 - share) / (1 - share)
    return values * mask


class Peer(nn.Module):
    """A biaffine parser in plain PyTorch."""

    def __init__(self, data: Encoded, train: Longs) -> None:
        super().__init__()
        how, (words, chars, tags, relations) = OPTIONS, data.sizes.tolist()
        half = how.char_size // 2
        self.known = known_words(data, train, how.min_count)
        self.letters = known_chars(data, train)
        self.word, self.tag = nn.Embedding(words, how.word_size), nn.Embedding(tags, how.tag_size)
        self.char = nn.Embedding(chars, half)
        self.spelling = nn.LSTM(half, half, batch_first=True, bidirectional=True)
        wide = how.word_size + how.char_size + how.tag_size
        self.layers = nn.ModuleList(
            nn.LSTM(wide if not layer else 2 * how.hidden, how.hidden, batch_first=True, bidirectional=True)
            for layer in range(how.layers)
        )
        self.dense = nn.ModuleDict(
            {
                f"{kind}_{side}": nn.Linear(2 * how.hidden, size)
                for kind, size in (("arc", how.arc_size), ("relation", how.relation_size))
                for side in ("dependent", "head")
            }
        )
        self.arc = nn.Parameter(torch.zeros(how.arc_size + 1, how.arc_size))
        self.relation = nn.Parameter(torch.zeros(relations, how.relation_size + 1, how.relation_size + 1))

    def states(self, types: Tensor, tags: Tensor, lengths: Tensor, forms: Tensor, spelled: Tensor) -> Tensor:
        """Return the states of the words, the root first."""
        share = OPTIONS.dropout
        different, back = torch.unique(types, return_inverse=True)
        letters = spelled[different]
        sizes = (letters > 0).sum(1).clamp(min=1)
        packed = pack_padded_sequence(self.char(letters), sizes.cpu(), batch_first=True, enforce_sorted=False)
        _, (last, _) = self.spelling(packed)
        parts = [self.word(forms[types]), torch.cat([last[0], last[1]], -1)[back], self.tag(tags)]
        if self.training:
            keep = [torch.empty_like(parts[0][..., :1]).bernoulli_(1 - share) for _ in parts]
            scale = len(parts) / sum(keep).clamp(min=1)  # type: ignore[union-attr]
            parts = [part * one * scale for part, one in zip(parts, keep, strict=True)]
        states = torch.cat(parts, -1)
        ends = lengths.cpu()
        for layer in self.layers:
            packed = pack_padded_sequence(states, ends, batch_first=True, enforce_sorted=False)
            states, _ = pad_packed_sequence(layer(packed)[0], batch_first=True)
            if self.training:
                states = whole_units(states, share)
        return states

    def scores(self, states: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return scores of heads (B, T, T), and the vectors that score relations."""
        sides = {name: nn.functional.leaky_relu(layer(states), 0.1) for name, layer in self.dense.items()}
        if self.training:
            sides = {name: whole_units(one, OPTIONS.dropout) for name, one in sides.items()}
        ones = torch.ones_like(states[..., :1])
        arcs = torch.cat([sides["arc_dependent"], ones], -1) @ self.arc @ sides["arc_head"].mT
        place = torch.arange(states.shape[1], device=states.device)
        illegal = (place >= lengths[:, None])[:, None] | torch.eye(len(place), dtype=torch.bool, device=states.device)
        pair = (torch.cat([sides[f"relation_{side}"], ones], -1) for side in ("dependent", "head"))
        first, second = pair
        return arcs.masked_fill(illegal, -1e30), first, second

    def relations(self, dependents: Tensor, heads: Tensor, chosen: Tensor) -> Tensor:
        """Return scores of relations at chosen heads, (B, T, relations)."""
        above = heads.gather(1, chosen[..., None].expand(-1, -1, heads.shape[-1]))
        return torch.einsum("btd,rde,bte->btr", dependents, self.relation, above)


class Plain:
    """Training and parsing with the peer."""

    def __init__(self, data: Encoded, train: Longs, seed: int, device: torch.device) -> None:
        torch.manual_seed(seed)
        self.data, self.train, self.seed, self.device = data, train, seed, device
        self.model = Peer(data, train).to(device)
        self.forms = torch.from_numpy(self.model.known[data.type_words].astype(np.int64)).to(device)
        self.spelled = torch.from_numpy(self.model.letters[data.type_chars].astype(np.int64)).to(device)
        self.optimiser = torch.optim.Adam(self.model.parameters(), OPTIONS.rate, BETAS, EPSILON)
        self.decay = torch.optim.lr_scheduler.ExponentialLR(self.optimiser, OPTIONS.decay ** (1 / OPTIONS.decay_steps))

    def batch(self, sentences: Longs) -> list[Tensor]:
        """Return types, tags, heads, relations (B, T), and lengths with the root."""
        data, sizes = self.data, self.data.lengths[sentences]
        tables = []
        for values, first in ((data.types, ROOT_TYPE), (data.tags, 0), (data.heads, 0), (data.relations, 0)):
            table = np.full((len(sentences), int(sizes.max()) + 1), first, np.int64)
            for row, sentence in zip(table, sentences.tolist(), strict=True):
                row[1 : data.lengths[sentence] + 1] = values[data.offsets[sentence] : data.offsets[sentence + 1]]
            tables.append(torch.from_numpy(table).to(self.device))
        return [*tables, torch.from_numpy(sizes + 1).to(self.device)]

    def learn(self, number: int) -> None:
        """Train one epoch."""
        self.model.train()
        plan = batches.epoch(self.train, self.data.lengths, size=OPTIONS.batch, seed=self.seed, number=number)
        for sentences in plan:
            types, tags, heads, names, lengths = self.batch(sentences)
            arcs, *vectors = self.model.scores(
                self.model.states(types, tags, lengths, self.forms, self.spelled), lengths
            )
            words = torch.arange(types.shape[1], device=self.device) < lengths[:, None]
            words[:, 0] = False
            loss = nn.functional.cross_entropy(arcs[words], heads[words])
            loss = loss + nn.functional.cross_entropy(
                self.model.relations(vectors[0], vectors[1], heads)[words], names[words]
            )
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.model.parameters(), OPTIONS.clip)
            self.optimiser.step()
            self.decay.step()

    @torch.inference_mode()
    def parse(self, sentences: Longs, *, trees: bool = True) -> tuple[Longs, Longs]:
        """Return heads and relations of all words of the data, 0 where none was asked for."""
        self.model.eval()
        decode = DECODERS["spanning"]
        found, named = (np.zeros(len(self.data.types), np.int64) for _ in range(2))
        for some in batches.by_length(sentences, self.data.lengths, *parsed_together(self.device)):
            types, tags, _, _, lengths = self.batch(some)
            arcs, *vectors = self.model.scores(
                self.model.states(types, tags, lengths, self.forms, self.spelled), lengths
            )
            chosen = arcs.argmax(-1)
            if trees:
                logs = arcs.log_softmax(-1).double().cpu().numpy()
                table = np.zeros(types.shape, np.int64)
                for row, sentence in enumerate(some.tolist()):
                    n = int(self.data.lengths[sentence]) + 1
                    matrix = np.zeros((n, n))
                    matrix[:, 1:] = logs[row, 1:n, :n].T
                    table[row, 1:n] = decode(matrix)
                chosen = torch.from_numpy(table).to(self.device)
            names = self.model.relations(vectors[0], vectors[1], chosen).argmax(-1).cpu().numpy()
            heads = chosen.cpu().numpy()
            for row, sentence in enumerate(some.tolist()):
                start, n = self.data.offsets[sentence], self.data.lengths[sentence]
                found[start : start + n], named[start : start + n] = heads[row, 1 : n + 1], names[row, 1 : n + 1]
        return found, named


def waited(device: torch.device) -> float:
    """Return the time once the device has done all it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def timed(work: Callable[[], object], device: torch.device) -> float:
    """Return the seconds of some work."""
    start = waited(device)
    work()
    return waited(device) - start


def contend(name: str, path: str, seed: int, epochs: int, models: int) -> dict[str, Any]:
    """Train and parse with one contender."""
    data, more = Encoded.load(path)
    n, device = int(more["parts"][0]), choose_device("auto")
    train, dev, every = np.arange(n), np.arange(n, len(data)), np.arange(len(data))
    words = data.words_of(dev)
    result: dict[str, Any] = {"contender": name, "treebank": Path(path).stem, "seed": seed, "models": models}
    with numerics(device, 1):
        if name == "plain":
            plain = Plain(data, train, seed, device)
            seconds = [timed(lambda number=number: plain.learn(number), device) for number in range(1, epochs + 1)]  # type: ignore[misc]
            heads, names = plain.parse(dev, trees=False)
            right = heads[words] == data.heads[words]
            both = right & (names[words] == data.relations[words])
            result["parse"] = min(timed(lambda: plain.parse(every), device) for _ in range(3))
        else:
            ours = Lockstep([Learner(data, train, seed + k) for k in range(models)], OPTIONS, device)
            seconds = [timed(lambda number=number: ours.learn(number), device) for number in range(1, epochs + 1)]  # type: ignore[misc]
            answers = ours.evaluate([dev] * models).right
            heads_right, names_right = (one[0].cpu().numpy()[words] for one in answers)
            right, both = heads_right, heads_right & names_right
            rooted = np.zeros(int(data.sizes[3]), bool)
            rooted[np.unique(data.relations[data.heads == 0])] = True
            predictor = Predictor(ours.arrays(), data, OPTIONS)
            result["parse"] = min(
                timed(lambda: predictor.parse(DECODERS["spanning"], rooted), device) for _ in range(3)
            )
        result |= {
            "first": seconds[0],
            "epoch": statistics.median(seconds[WARM:]),
            "sentences": len(data),
            "train": n,
            "uas": 100 * float(right.mean()),
            "las": 100 * float(both.mean()),
            "gb": torch.cuda.max_memory_reserved() / 1e9 if device.type == "cuda" else None,
            "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        }
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in result.items()}


def main() -> None:
    """Run all contenders in turns, or one in this process, and print a row for each."""
    named = dict(word[2:].split("=") for word in sys.argv[1:] if word.startswith("--"))
    epochs, seeds, lockstep = (
        int(named.get(key, value)) for key, value in {"epochs": 12, "seeds": 3, "lockstep": 8}.items()
    )
    folder, *rest = (word for word in sys.argv[1:] if not word.startswith("--"))
    if "only" in named:
        print(json.dumps(contend(named["only"], folder, int(named["seed"]), epochs, int(named["models"]))))
        return
    rows = []
    for path in sorted(Path(folder).glob("*.npz")):
        turns = [(name, seed, 1) for seed in range(seeds) for name in ("plain", "treegauge")]
        for name, seed, models in [*turns, ("treegauge", 0, lockstep)]:
            words = [f"--only={name}", f"--seed={seed}", f"--models={models}", f"--epochs={epochs}"]
            call = [sys.executable, "-m", "tools.bench.neural_peer", str(path), *words]
            done = subprocess.run(call, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"failed: {words}: {done.stderr[-2000:]}", flush=True)
                continue
            rows.append(json.loads(done.stdout))
            print(rows[-1], flush=True)
            for out in rest:
                Path(out).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
