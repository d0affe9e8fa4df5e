"""Encoders in models' files: a frozen one by name and digest, one that learned with its weights.

Files are read as data: no code, no pickles, no names outside their folder.
"""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from treegauge.core.errors import TreegaugeError
from treegauge.core.text_formats import parse_json
from treegauge.parsing.neural.options import need_transformers
from treegauge.parsing.neural.pretrained.encoders import (
    TUNED,
    PretrainedEncoder,
    load_encoder,
    prepared,
    silent_library,
)

_ENDINGS = (".json", ".txt", ".model", ".jinja")
_UNSAFE = ("auto_map", "attn_implementation", "quantization", "name_or_path", "dtype")
"""Settings that could name code or other models, or change numbers."""


def encoder_header(encoder: PretrainedEncoder, *, frozen: bool) -> dict[str, Any]:
    """Return the description of an encoder for a model's header.

    For a frozen encoder it is the name and a digest; for a fine-tuned one, everything to rebuild it
    except weights: configuration and files of the tokenizer.
    """
    if frozen:
        return {"source": encoder.source, "digest": encoder.digest}
    return {"source": encoder.source, "files": files_of(encoder)}


def files_of(encoder: PretrainedEncoder) -> dict[str, str]:
    """Return configuration and tokenizer as files of text, by name."""
    if encoder.files is None:
        with tempfile.TemporaryDirectory(prefix="treegauge-") as folder, silent_library():
            encoder.tokenizer.save_pretrained(folder)
            encoder.config.save_pretrained(folder)
            paths = sorted(Path(folder).iterdir())
            encoder.files = {one.name: _text(one) for one in paths if one.suffix in _ENDINGS}
    return encoder.files


def _text(path: Path) -> str:
    if path.suffix == ".model":  # of SentencePiece, bytes
        return path.read_bytes().hex()
    text = path.read_text(encoding="utf-8")
    if path.name not in {"config.json", "tokenizer_config.json"}:
        return text
    return json.dumps(_safe(parse_json(text)), ensure_ascii=False, sort_keys=True)


def _safe(settings: Any) -> dict[str, Any]:
    if not isinstance(settings, dict):
        raise TreegaugeError(f"expected settings of an encoder by name, found {settings!r:.60}")
    return {name: value for name, value in settings.items() if not any(part in name for part in _UNSAFE)}


def read_encoder(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> PretrainedEncoder:
    """Return the encoder that a model's header names; a frozen one must be the same."""
    need_transformers()
    if "files" in header:
        return _build(header["source"], header["files"], arrays)
    encoder = load_encoder(header["source"])
    if encoder.digest != header["digest"]:
        raise TreegaugeError(
            f"the model was trained on another encoder than {encoder.source} holds now (digest "
            f"{header['digest'][:12]}, found {encoder.digest[:12]}); put the old one back, or "
            "train again"
        )
    return encoder


def _build(source: str, files: Mapping[str, str], arrays: Mapping[str, npt.NDArray[Any]]) -> PretrainedEncoder:
    import transformers

    if not isinstance(files, dict) or not all(isinstance(one, str) for one in files.values()):
        raise TreegaugeError(f"the model's encoder, {source}, is damaged: expected files of text")
    with tempfile.TemporaryDirectory(prefix="treegauge-") as folder:
        for name, text in files.items():
            if Path(name).name != name or Path(name).suffix not in _ENDINGS:
                raise TreegaugeError(f"the model holds a file {name!r}, which no tokenizer needs")
            path = Path(folder) / name
            if path.suffix == ".model":
                path.write_bytes(bytes.fromhex(text))
            elif name in {"config.json", "tokenizer_config.json"}:
                path.write_text(json.dumps(_safe(parse_json(text))), encoding="utf-8")
            else:
                path.write_text(text, encoding="utf-8")
        common: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}
        try:
            with silent_library(), torch.random.fork_rng(devices=[]):
                tokenizer = transformers.AutoTokenizer.from_pretrained(folder, add_prefix_space=True, **common)
                config = transformers.AutoConfig.from_pretrained(folder, **common)
                module = prepared(transformers.AutoModel.from_config(config, trust_remote_code=False))
        except Exception as error:  # libraries below raise errors of many kinds
            raise TreegaugeError(
                f"cannot build the encoder that the model holds, {source}, with transformers "
                f"{transformers.__version__}: {error}"
            ) from error
    wanted = {f"{TUNED}{name}": value.shape for name, value in module.named_parameters()}
    held = {name: value.shape for name, value in arrays.items() if name.startswith(TUNED)}
    if {name: tuple(shape) for name, shape in wanted.items()} != held:
        raise TreegaugeError(
            f"the weights of the model's encoder, {source}, are not those of its configuration "
            f"with transformers {transformers.__version__}; train it again"
        )
    with torch.no_grad():
        for name, value in module.named_parameters():
            value.copy_(torch.from_numpy(np.asarray(arrays[f"{TUNED}{name}"])))
    encoder = PretrainedEncoder(source, module, tokenizer)
    encoder.files = dict(files)
    encoder.adopt(arrays)
    return encoder
