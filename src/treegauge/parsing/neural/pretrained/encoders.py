"""Pretrained encoders of Hugging Face: found by name or folder, with their tokenizers.

Weights are read from safetensors and code only from the installed library: a model that brings its
own code, or weights in pickles, is refused.
"""

import copy
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.neural.options import NeuralOptions, need_transformers
from treegauge.parsing.neural.pretrained.subwords import Subwords, join_subwords

Arrays = Mapping[str, npt.NDArray[Any]]

TUNED = "encoder:"
"""How the names of an encoder's weights begin among those of a model."""
_MOST = 512
_HIDDEN = "_"
_PROBES = ("Treegauge", "ÄÖÜ", "10 000", "re-read", "\u200b", "日本語", _HIDDEN)


class PretrainedEncoder:
    """An encoder and its tokenizer; `source` is the name or folder that users gave.

    Without a tokenizer (None) it reads subwords that the caller numbers.
    """

    def __init__(self, source: str, module: torch.nn.Module, tokenizer: Any) -> None:
        self.source, self.module, self.tokenizer = source, module, tokenizer
        module.eval()
        self.cache: dict[tuple[object, ...], npt.NDArray[np.float16]] = {}
        self._tuned: tuple[Arrays, torch.nn.Module] | None = None
        self._digest = ""
        self.files: dict[str, str] | None = None

    @property
    def config(self) -> Any:
        """The library's configuration of the encoder."""
        return self.module.config

    @property
    def size(self) -> int:
        """Size of a subword's vector."""
        return int(self.config.hidden_size)

    def layers(self, top: int) -> int:
        """Return the number of layers for `top`, with the embeddings; 0 means all."""
        most = int(self.config.num_hidden_layers) + 1
        return most if top == 0 else min(top, most)

    @property
    def limit(self) -> int:
        """The number of subwords that can be read at once, at most 512."""
        most = getattr(self.config, "max_position_embeddings", None) or _MOST
        for name, part in self.module.named_modules():
            # Models after RoBERTa count positions from the number of the padding.
            padding = getattr(part, "padding_idx", None)
            if name.endswith("position_embeddings") and padding is not None:
                most = part.num_embeddings - padding - 1
        return int(min(most, getattr(self.tokenizer, "model_max_length", _MOST), _MOST))

    @property
    def digest(self) -> str:
        """Digest of weights and subwords: encoders with the same digest give the same vectors."""
        if not self._digest:
            parts = [
                hashlib.sha256(str(tuple(value.shape)).encode() + _bytes(value)).hexdigest()
                for value in self.module.state_dict().values()
            ]
            probes = self.tokenizer([[one] for one in _PROBES], is_split_into_words=True)
            vocabulary = sorted(self.tokenizer.get_vocab().items())
            seen = [sorted(parts), probes["input_ids"], vocabulary]
            self._digest = hashlib.sha256(json.dumps(seen).encode()).hexdigest()
        return self._digest

    def subwords(self, forms: Sequence[str], options: NeuralOptions) -> Subwords:
        """Split forms into subwords, those of the root (none are read) and a hidden word first."""
        read = self.tokenizer
        words = [[form] for form in (_HIDDEN, _HIDDEN, *forms)]
        each = read(words, is_split_into_words=True, add_special_tokens=False)["input_ids"]
        unknown = next(
            (one for one in (read.unk_token_id, read.mask_token_id, read.pad_token_id) if one is not None), 0
        )
        before, after = _special(read)
        least = len(before) + len(after) + 1
        limit = self.limit
        if options.window and not least < options.window <= limit:
            raise TreegaugeError(
                f"option window is {options.window}; expected 0 or {least + 1} to {limit}, the "
                f"subwords that {self.source} reads at once"
            )
        return Subwords(
            *join_subwords(each, unknown), before, after, read.pad_token_id or 0,
            options.window or limit, options.overlap,
        )  # fmt: skip

    def adopt(self, arrays: Arrays) -> None:
        """Mark these weights of a model as already loaded in the encoder."""
        self._tuned = arrays, self.module

    def own_module(self) -> torch.nn.Module:
        """Return a copy of the encoder for fine-tuning."""
        return copy.deepcopy(self.module)

    def tuned(self, arrays: Arrays) -> torch.nn.Module:
        """Return the encoder with the fine-tuned weights of a model, or unchanged without any."""
        if not any(name.startswith(TUNED) for name in arrays):
            return self.module
        if self._tuned is None or self._tuned[0] is not arrays:
            module = self.own_module()
            _put(module, arrays)
            self._tuned = arrays, module
        return self._tuned[1]


@dataclass(frozen=True, eq=False)
class EncoderInput:
    """An encoder and the subwords of the types that it reads."""

    encoder: PretrainedEncoder
    subwords: Subwords


def encoder_input(
    options: NeuralOptions, forms: Sequence[str], encoder: PretrainedEncoder | None = None
) -> EncoderInput | None:
    """Return the encoder that the options name, for these forms; None if they name none."""
    if not options.encoder:
        return None
    loaded = encoder or load_encoder(options.encoder)
    return EncoderInput(loaded, loaded.subwords(forms, options))


_LOADED: dict[str, tuple[object, PretrainedEncoder]] = {}


def load_encoder(source: str) -> PretrainedEncoder:
    """Load an encoder from a folder, or by its name from the hub or its local copy.

    The last one is cached, so that many models share the same encoder.
    """
    need_transformers()
    folder = find_folder(source)
    stamp = folder and sorted(
        (str(one), one.stat().st_size, one.stat().st_mtime_ns) for one in folder.iterdir() if one.is_file()
    )
    if source in _LOADED and _LOADED[source][0] == stamp:
        return _LOADED[source][1]
    encoder = PretrainedEncoder(source, *_load(str(folder or source), folder is not None))
    _LOADED.clear()
    _LOADED[source] = stamp, encoder
    return encoder


def find_folder(source: str) -> Path | None:
    """Return the folder of an encoder, or None for a name on the hub.

    A folder that was moved is searched by its name under ``$TREEGAUGE_ENCODERS``.
    """
    folder = Path(source).expanduser()
    if folder.is_dir():
        return folder
    home = os.environ.get("TREEGAUGE_ENCODERS")
    if home and (Path(home) / folder.name).is_dir():
        return Path(home) / folder.name
    if folder.is_absolute() or source.startswith((".", "~")) or source.count("/") > 1:
        raise TreegaugeError(
            f"option encoder: there is no folder {source}; expected a folder with config.json, "
            "model.safetensors and a tokenizer, or a name on the hub such as xlm-roberta-base "
            "($TREEGAUGE_ENCODERS may name the folder that holds encoders)"
        )
    return None


def _load(place: str, local: bool) -> tuple[torch.nn.Module, Any]:
    import transformers

    common: dict[str, Any] = {"trust_remote_code": False, "local_files_only": local}
    try:
        with silent_library(), torch.random.fork_rng(devices=[]):
            tokenizer = transformers.AutoTokenizer.from_pretrained(place, add_prefix_space=True, **common)
            config = transformers.AutoConfig.from_pretrained(place, **common)
            kernel = str(getattr(config, "_attn_implementation", ""))
            if "/" in kernel:  # a repository: the library would run what it downloads from there
                raise ValueError(f"its configuration names code of its own ({kernel})")
            module, info = transformers.AutoModel.from_pretrained(
                place, config=config, use_safetensors=True, output_loading_info=True, **common
            )
    except Exception as error:  # libraries below raise errors of many kinds
        reason = str(error).strip().partition("\n")[0].rstrip(".: ") or type(error).__name__
        raise TreegaugeError(
            f"option encoder: cannot load {place}: {reason}. Expected a folder with config.json, "
            "model.safetensors (no pickles) and a tokenizer, or a name on the hub, which must be "
            "reachable or hold a copy here; models with code of their own are not run"
        ) from error
    lacking = sorted(name for name in info["missing_keys"] if "pooler" not in name)
    if lacking:
        raise TreegaugeError(
            f"option encoder: {place} lacks {len(lacking)} weights of its own configuration, such "
            f"as {lacking[0]}; they would be random"
        )
    return prepared(module), tokenizer


def prepared(module: Any) -> torch.nn.Module:
    """Return the encoder of a model, in full precision and without a pooler."""
    if getattr(module.config, "is_encoder_decoder", False):
        module = module.get_encoder()
    if getattr(module, "pooler", None) is not None:
        module.pooler = None
    found: torch.nn.Module = module.float()
    return found


@contextmanager
def silent_library() -> Iterator[None]:
    """Silence the library's progress bars and its messages about unused weights."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _special(tokenizer: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the subwords that the tokenizer puts before and after a text."""
    plain = tokenizer([["a"]], is_split_into_words=True, add_special_tokens=False)["input_ids"][0]
    whole = tokenizer([["a"]], is_split_into_words=True)["input_ids"][0]
    size = len(plain)
    at = next((n for n in range(len(whole) - size + 1) if whole[n : n + size] == plain), 0)
    return np.array(whole[:at], np.int64), np.array(whole[at + size :], np.int64)


def _bytes(value: torch.Tensor) -> bytes:
    return value.detach().cpu().contiguous().numpy().tobytes()


def _put(module: torch.nn.Module, arrays: Arrays) -> None:
    own = module.state_dict()
    for name, value in own.items():
        if f"{TUNED}{name}" in arrays:
            value.copy_(torch.from_numpy(np.array(arrays[f"{TUNED}{name}"])))
