"""Pretrained encoders: tiny random ones, written here, of two families with two tokenizers."""

import json
import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors  # noqa: E402

from treegauge.core.errors import TreegaugeError  # noqa: E402
from treegauge.parsing.base import load_archive, save_model  # noqa: E402
from treegauge.parsing.neural.options import BiaffineOptions  # noqa: E402
from treegauge.parsing.neural.pretrained.encoders import load_encoder  # noqa: E402
from treegauge.parsing.neural.pretrained.subwords import Subwords, plan_windows, window_starts  # noqa: E402
from treegauge.parsing.neural.pretrained.vectors import ContextVectors, read_windows  # noqa: E402
from treegauge.parsing.neural.vocabulary import Vocabulary  # noqa: E402
from treegauge.parsing.registry import load_model, make_parser  # noqa: E402
from treegauge.testing.synthetic import synthetic  # noqa: E402
from treegauge.treebanks.data import trees  # noqa: E402
from treegauge.treebanks.data.conllu import parse_conllu  # noqa: E402

CPU = torch.device("cpu")
SIZES = {
    "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 24,
    "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
}  # fmt: skip
SMALL = {
    "hidden": 10, "layers": 1, "word_size": 6, "char_size": 4, "tag_size": 4, "batch": 8,
    "rate": 0.02, "dropout": 0.1, "device": "cpu", "arc_size": 8, "relation_size": 6, "epochs": 1,
}  # fmt: skip
TRAIN, TEST = synthetic(24, seed=1), synthetic(8, seed=2)


def wordpiece(folder: Path) -> None:
    """A BERT whose subwords are single letters; it has no letters but a to z."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{c}" for c in letters)]
    vocabulary = {name: number for number, name in enumerate(names)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    save(folder, made, pad="[PAD]", unk="[UNK]", cls="[CLS]", sep="[SEP]", mask="[MASK]")
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=len(names), max_position_embeddings=40, type_vocab_size=2, **SIZES)
    transformers.BertModel(config).save_pretrained(folder)


def bytelevel(folder: Path) -> None:
    """A RoBERTa whose subwords are bytes."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *letters]
    made = Tokenizer(models.BPE({n: i for i, n in enumerate(names)}, [], unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    save(folder, made, pad="<pad>", unk="<unk>", cls="<s>", sep="</s>", mask="<mask>")
    torch.manual_seed(1)
    config = transformers.RobertaConfig(
        vocab_size=len(names), max_position_embeddings=42, pad_token_id=1, type_vocab_size=1, **SIZES
    )
    transformers.RobertaModel(config).save_pretrained(folder)


def save(folder: Path, made: Tokenizer, **special: str) -> None:
    tokens = {f"{name}_token": value for name, value in special.items()}
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, **tokens).save_pretrained(folder)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    found = {}
    for make in (wordpiece, bytelevel):
        found[make.__name__] = tmp_path_factory.mktemp(make.__name__)
        make(found[make.__name__])
    return found


@pytest.fixture(scope="module")
def bert(folders) -> str:
    return str(folders["wordpiece"])


def make(kind: str, encoder: str, **more):
    options = {**SMALL, "encoder": encoder, **more}
    return make_parser(kind, **({**options, "label_size": 8} if kind == "labelling" else options))


# windows


def test_windows_leave_out_nothing_and_take_each_subword_where_it_is_inmost():
    random = np.random.default_rng(0)
    sizes = random.integers(1, 6, 30)
    starts = np.cumsum([0, *sizes])
    ids = np.arange(100, 100 + starts[-1])
    for window, overlap in product((3, 5, 12, 200), (0, 1, 6)):
        some = Subwords(ids, starts, np.array([1]), np.array([2]), 0, window, overlap)
        sentences = [random.integers(0, 30, n) for n in (1, 7, 40)]
        planned = plan_windows(some, sentences, "mean")
        assert (planned.mask.sum(1) <= max(window, 3)).all()
        expected = [(w, i) for w, t in enumerate(np.concatenate(sentences)) for i in ids[starts[t] : starts[t + 1]]]
        found = zip(planned.words.tolist(), planned.ids.ravel()[planned.cells].tolist(), strict=True)
        assert list(found) == expected
        for pooling, which in (("first", 0), ("last", -1)):
            one = plan_windows(some, sentences, pooling)
            wanted = [ids[starts[t] : starts[t + 1]][which] for t in np.concatenate(sentences)]
            assert one.ids.ravel()[one.cells].tolist() == wanted
    # A subword in the middle of two windows is farther from the edge in the second.
    assert window_starts(9, 6, 3).tolist() == [0, 3]
    line = Subwords(np.arange(9), np.arange(10), np.zeros(0, int), np.zeros(0, int), 0, 6, 3)
    assert (plan_windows(line, [np.arange(9)], "mean").cells // 6).tolist() == [0] * 5 + [1] * 4


# vectors


def vectors(folder: str, forms: list[str], **more) -> torch.Tensor:
    """What an encoder gives for one sentence of these forms, (words, layers, size)."""
    options = BiaffineOptions(encoder=folder, device="cpu", **more)
    encoder = load_encoder(folder)
    windows = plan_windows(encoder.subwords(forms, options), [np.arange(len(forms)) + 2], options.pooling)
    with torch.inference_mode():
        return read_windows(encoder.module, windows, options, CPU)


@pytest.mark.parametrize("kind", ["wordpiece", "bytelevel"])
def test_vectors_are_those_of_the_library(kind, folders):
    """Beside a tokenizer that splits the whole sentence and a model that is called as it is."""
    folder = folders[kind]
    forms = ["Die", "Katze", "10 000", "schläft"]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, add_prefix_space=True)
    given = tokenizer(forms, is_split_into_words=True, return_tensors="pt")
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        states = model(**given, output_hidden_states=True).hidden_states
    own = np.array([-1 if w is None else w for w in given.word_ids()])
    for pooling, layers in (("first", 1), ("mean", 0), ("last", 2)):
        found = vectors(str(folder), forms, pooling=pooling, encoder_layers=layers)
        assert found.shape == (4, layers or 4, 16)
        for word in range(4):
            at = np.flatnonzero(own == word)
            at = {"first": at[:1], "last": at[-1:], "mean": at}[pooling]
            for number, layer in enumerate(states[-layers:]):
                torch.testing.assert_close(found[word, number], layer[0, at].mean(0))


def test_odd_words_have_vectors(bert):
    """Without subwords, with spaces, longer than the encoder reads, in sentences that are, too."""
    pairs = [f"{a}{b}" for a, b in product("abcdefghij", "uvwxyz")]
    found = vectors(bert, ["\u200b", "10 000", "x" * 90, "日本", *pairs])
    assert found.shape == (64, 4, 16)
    assert torch.isfinite(found).all()
    assert len(torch.unique(found[4:, -1, 0])) == 60  # none is cut off
    encoder = load_encoder(bert)
    some = encoder.subwords(["\u200b"], BiaffineOptions(encoder=bert))
    assert some.ids[some.starts[2] : some.starts[3]].tolist() == [1]


def test_positions_of_a_roberta_start_after_the_padding(folders):
    assert load_encoder(str(folders["bytelevel"])).limit == 40
    assert load_encoder(str(folders["wordpiece"])).limit == 40
    assert torch.isfinite(vectors(str(folders["bytelevel"]), ["a" * 300])).all()


def test_frozen_vectors_are_computed_once_and_shared(bert, monkeypatch):
    from dataclasses import replace

    from treegauge.parsing.neural.batches import gathered_batch, tables
    from treegauge.parsing.neural.pretrained.encoders import EncoderInput
    from treegauge.parsing.neural.pretrained.encoders import vectors as pretrained_vectors

    options = BiaffineOptions(encoder=bert, device="cpu", pooling="last", encoder_layers=2)
    both = parse_conllu(TEST.to_bytes() + TEST.to_bytes().replace(b"sent_id = ", b"sent_id = x"))
    data = Vocabulary.of(TRAIN).encode(both)
    encoder = load_encoder(bert)
    encoder.cache.clear()
    given = EncoderInput(encoder, encoder.subwords(both.codes("form").values, options))
    reads = []
    true = pretrained_vectors.read_windows

    def counted(module, windows, *more):
        reads.append(windows.n_words)
        return true(module, windows, *more)

    monkeypatch.setattr(pretrained_vectors, "read_windows", counted)
    read = [data, data.hidden(), data]
    context = ContextVectors(given, read, options, CPU)
    assert sum(reads) <= 2 * TEST.n_words  # copies and models beside each other cost nothing
    ContextVectors(given, read, options, CPU)
    assert sum(reads) <= 2 * TEST.n_words
    identity = np.arange(data.sizes[0])[None], np.arange(data.sizes[1])[None]
    held = tables(read, *identity, CPU)
    numbers = torch.arange(3).repeat(3, 1)
    batch = gathered_batch(held, numbers, int(data.lengths[:3].max()) + 1)
    found = context.of(batch, numbers, training=True)
    assert (found[0] == found[2]).all()
    assert (found[0] != found[1]).any()
    tuned = replace(options, frozen=False)
    for model in range(2):
        computed = ContextVectors(given, read[model : model + 1], tuned, CPU)
        one = gathered_batch(tables(read[model : model + 1], *identity, CPU), numbers[:1], found.shape[2])
        values = computed.of(one, numbers[:1], training=False)[0]
        torch.testing.assert_close(found[model].float(), values, atol=5e-3, rtol=1e-2)
        assert (values[:, 0] == 0).all()


# parsers


@pytest.mark.parametrize(
    ("kind", "family", "frozen"),
    [
        ("biaffine", "wordpiece", True), ("biaffine", "bytelevel", False),
        ("pointer", "bytelevel", True), ("labelling", "wordpiece", False),
    ],
)  # fmt: skip
def test_it_trains_saves_loads_and_parses(kind, family, frozen, folders, tmp_path, monkeypatch):
    folder = tmp_path / "encoder"
    shutil.copytree(folders[family], folder)
    options = {"frozen": frozen, "pooling": "first", "encoder_rate": 1e-3}
    model = make(kind, str(folder), **options).fit(TRAIN, TEST, seed=0)
    parsed = model.parse(TEST)
    assert trees.is_tree(parsed.head, parsed.offsets).all()
    model.save(tmp_path / "a")
    make(kind, str(folder), **options).fit(TRAIN, TEST, seed=0).save(tmp_path / "same")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "same").read_bytes()
    # A frozen encoder may move to where all encoders are; one that learned is in the file.
    home = tmp_path / "elsewhere"
    home.mkdir()
    if frozen:
        folder.rename(home / "encoder")
        monkeypatch.setenv("TREEGAUGE_ENCODERS", str(home))
    else:
        shutil.rmtree(folder)
    loaded = load_model(tmp_path / "a")
    assert loaded.parse(TEST) == parsed
    for a, b in zip(loaded.head_probabilities(TEST), model.head_probabilities(TEST), strict=True):
        np.testing.assert_array_equal(a, b)
    loaded.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_encoder_that_is_not_frozen_learns_and_a_frozen_one_does_not(bert):
    before = load_encoder(bert).module.state_dict()
    name = "encoder.layer.0.attention.self.query.weight"
    start = before[name].clone()
    for frozen in (True, False):
        model = make("biaffine", bert, frozen=frozen, encoder_rate=1e-3).fit(TRAIN, seed=0)
        assert (before[name] == start).all()  # the shared one stays as it is
        names = [one for one in model.learned.arrays if one.startswith("encoder:")]
        assert bool(names) is not frozen
        assert not any("pooler" in one for one in names)
        mix = model.learned.arrays["context.mix.bias"]
        assert mix.shape == (4,) and (mix != 0).any()
    moved = model.learned.arrays[f"encoder:{name}"] - start.numpy()
    assert 0 < abs(moved).max() < 0.1
    still = make("biaffine", bert, frozen=False, encoder_rate=0.0).fit(TRAIN, seed=0)
    assert (still.learned.arrays[f"encoder:{name}"] == start.numpy()).all()


def test_words_are_told_apart_by_the_encoder_alone(bert):
    """Without embeddings, tags and BiLSTM."""
    bare = {"word_size": 0, "char_size": 0, "upos": False, "layers": 0}
    model = make("biaffine", bert, epochs=60, arc_size=24, dropout=0.0, **bare).fit(TRAIN, seed=0)
    assert (model.parse(TRAIN).head == TRAIN.head).mean() > 0.7
    with pytest.raises(TreegaugeError, match="expected words, characters, tags or an encoder"):
        make_parser("biaffine", **{**SMALL, **bare}).fit(TRAIN, seed=0)


def test_a_file_of_any_size_is_parsed_without_keeping_its_vectors(bert, monkeypatch):
    model = make("biaffine", bert).fit(TRAIN, seed=0)
    kept = model.head_probabilities(TEST)
    monkeypatch.setattr("treegauge.parsing.neural.pretrained.vectors._KEPT", 0)
    for a, b in zip(kept, model.head_probabilities(TEST), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-3)


def test_checkpointing_keeps_gradients_and_precision_changes_them(tmp_path):
    folder = tmp_path / "encoder"
    wordpiece(folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(config))
    common = {"frozen": False, "dropout": 0.0, "encoder_rate": 1e-3}
    ways = ({}, {"gradient_checkpointing": True}, {"precision": "bfloat16"})
    plain, again, short = (
        make("biaffine", str(folder), **common, **way).fit(TRAIN[:8], seed=0).learned.arrays for way in ways
    )
    for name, value in plain.items():
        np.testing.assert_allclose(again[name], value, atol=1e-6, err_msg=name)
    moved = [abs(short[name] - value).max() for name, value in plain.items()]
    assert 0 < max(moved) < 0.2


def test_killed_and_resumed_is_the_same(bert, tmp_path):
    options = {"epochs": 3, "patience": 0, "frozen": False, "warmup": 2.0}
    whole = make("biaffine", bert, **options).fit(TRAIN, seed=5)
    cut = make("biaffine", bert, **options, checkpoint=str(tmp_path / "state"))

    def killed(epoch, model):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cut.fit(TRAIN, seed=5, on_epoch=killed)
    resumed = cut.fit(TRAIN, seed=5)
    for name, value in whole.learned.arrays.items():
        assert (resumed.learned.arrays[name] == value).all(), name


# what is refused


def test_another_encoder_is_refused(folders, tmp_path):
    folder = tmp_path / "encoder"
    shutil.copytree(folders["wordpiece"], folder)
    make("biaffine", str(folder)).fit(TRAIN, seed=0).save(tmp_path / "m")
    torch.manual_seed(9)
    config = transformers.AutoConfig.from_pretrained(folder)
    transformers.BertModel(config).save_pretrained(folder)
    with pytest.raises(TreegaugeError, match="trained on another encoder"):
        load_model(tmp_path / "m")
    shutil.rmtree(folder)
    with pytest.raises(TreegaugeError, match="there is no folder"):
        load_model(tmp_path / "m")


def test_pickles_code_and_missing_weights_are_refused(folders, tmp_path):
    folder = tmp_path / "encoder"
    shutil.copytree(folders["wordpiece"], folder)
    module = transformers.AutoModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    torch.save(module.state_dict(), folder / "pytorch_model.bin")
    with pytest.raises(TreegaugeError, match="no pickles"):
        load_encoder(str(folder))
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "code.C", "AutoModel": "code.M"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "code.py").write_text("raise SystemExit('run')\n")
    with pytest.raises(TreegaugeError, match="cannot load"):
        load_encoder(str(folder))
    shutil.rmtree(folder)
    shutil.copytree(folders["wordpiece"], folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"attn_implementation": "evil/code"}))
    with pytest.raises(TreegaugeError, match=r"names code of its own \(evil/code\)"):
        load_encoder(str(folder))
    shutil.rmtree(folder)
    shutil.copytree(folders["wordpiece"], folder)
    config = json.loads((folder / "config.json").read_text()) | {"num_hidden_layers": 4}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(TreegaugeError, match=r"lacks .* weights"):
        load_encoder(str(folder))


def test_a_name_that_cannot_be_found_offline(monkeypatch, tmp_path):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(TreegaugeError, match="cannot load no-such-encoder"):
        make("biaffine", "no-such-encoder").fit(TRAIN, seed=0)
    with pytest.raises(TreegaugeError, match="there is no folder"):
        make("biaffine", str(tmp_path / "none")).fit(TRAIN, seed=0)


def test_windows_that_the_encoder_cannot_read_are_refused(bert):
    make("biaffine", bert, window=8, overlap=100).fit(TRAIN, seed=0)
    for window in (3, 41):
        with pytest.raises(TreegaugeError, match="option window"):
            make("biaffine", bert, window=window).fit(TRAIN, seed=0)


def test_a_forged_file_cannot_reach_outside(bert, tmp_path):
    make("biaffine", bert, frozen=False).fit(TRAIN[:8], seed=0).save(tmp_path / "m")
    header, arrays = load_archive(tmp_path / "m")
    own = json.dumps({"model_type": "own", "auto_map": {"AutoModel": "code.M"}})
    for change, message in (
        ({"../x.json": "{}"}, "holds a file"), ({"evil.py": ""}, "holds a file"),
        ({"config.json": own}, "cannot build"), ({"config.json": "[]"}, "settings of an encoder"),
        ({"config.json": 3}, "files of text"),
    ):  # fmt: skip
        encoder = {**header["encoder"], "files": {**header["encoder"]["files"], **change}}
        forged = {k: v for k, v in header.items() if k not in {"format", "parser"}}
        save_model(tmp_path / "f", "biaffine", {**forged, "encoder": encoder}, arrays)
        with pytest.raises(TreegaugeError, match=message):
            load_model(tmp_path / "f")
    arrays.pop(next(name for name in arrays if "encoder:" in name))
    save_model(tmp_path / "f", "biaffine", forged, arrays)
    with pytest.raises(TreegaugeError, match="not those of its configuration"):
        load_model(tmp_path / "f")


def test_time_is_not_promised_for_an_encoder_of_unknown_size(bert):
    from treegauge.parsing.expected_time import expected_seconds

    assert expected_seconds("biaffine", BiaffineOptions(device="cpu"), TRAIN) is not None
    assert expected_seconds("biaffine", BiaffineOptions(device="cpu", encoder=bert), TRAIN) is None


def test_without_the_library_the_extra_is_named(monkeypatch, bert):
    monkeypatch.setattr("treegauge.parsing.neural.options.find_spec", lambda name: None)
    with pytest.raises(TreegaugeError, match=r"treegauge\[transformers\]"):
        load_encoder(bert)


# what is measured with it


@pytest.mark.parametrize("frozen", [True, False])
def test_data_maps_information_and_description_length(frozen, bert):
    import treegauge as tg

    options = [f"{key}={value}" for key, value in SMALL.items() if key != "epochs"]
    options += [f"encoder={bert}", f"frozen={frozen}"]
    common = {"parser": "biaffine", "option": options, "epochs": 1}
    mapped = tg.map(TRAIN, **common).results[0]
    assert all(len(one) == TRAIN.n_words for one in mapped.confidence.values())
    known = tg.vinfo(TRAIN, dev=TEST, **common).results[0]
    assert all(np.isfinite(one).all() for one in known.conditional.values())
    length = tg.mdl(TRAIN, blocks="5,10", orders=1, **common).results[0]
    assert length.table.height
