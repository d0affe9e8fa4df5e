"""The engine against torch's LSTM, brute force, and itself in lockstep."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from treegauge.parsing.label_encodings import find_encoding  # noqa: E402
from treegauge.parsing.neural import batches, predicting  # noqa: E402
from treegauge.parsing.neural.batches import numerics  # noqa: E402
from treegauge.parsing.neural.data import Encoded  # noqa: E402
from treegauge.parsing.neural.encoder import orthogonal  # noqa: E402
from treegauge.parsing.neural.jobs import NeuralJob, run_jobs  # noqa: E402
from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions, PointerOptions  # noqa: E402
from treegauge.parsing.neural.parsers import BiaffineParser  # noqa: E402
from treegauge.parsing.neural.preparation import Vocabulary, encode_parts  # noqa: E402
from treegauge.parsing.neural.recurrence import bilstm, recur, turning  # noqa: E402
from treegauge.parsing.neural.training import Learner, Lockstep  # noqa: E402
from treegauge.testing.synthetic import synthetic  # noqa: E402

CPU = torch.device("cpu")
SMALL = {"hidden": 10, "layers": 2, "word_size": 8, "char_size": 6, "tag_size": 4, "batch": 8}
ARCS = {**SMALL, "arc_size": 9, "relation_size": 5}


@pytest.fixture(scope="module")
def data() -> tuple[Encoded, list[np.ndarray]]:
    return encode_parts(synthetic(40, seed=1), synthetic(12, seed=2))


def test_the_bilstm_is_torchs(rng=0):
    torch.manual_seed(rng)
    lengths = torch.tensor([[7, 3, 5, 1], [2, 7, 7, 4]])
    theirs = [torch.nn.LSTM(6, 4, bidirectional=True).double() for _ in range(2)]
    values = torch.randn(2, 7, 4, 6, dtype=torch.double, requires_grad=True)
    packed = [torch.nn.utils.rnn.pack_padded_sequence(values[m], lengths[m], enforce_sorted=False) for m in range(2)]
    expected = torch.stack(
        [torch.nn.utils.rnn.pad_packed_sequence(lstm(one)[0])[0] for lstm, one in zip(theirs, packed, strict=True)]
    )
    ways = ("", "_reverse")
    weights = tuple(
        torch.stack([torch.stack([make(lstm, way) for way in ways]) for lstm in theirs])
        for make in (
            lambda lstm, way: getattr(lstm, f"weight_ih_l0{way}").T,
            lambda lstm, way: getattr(lstm, f"weight_hh_l0{way}").T,
            lambda lstm, way: getattr(lstm, f"bias_ih_l0{way}") + getattr(lstm, f"bias_hh_l0{way}"),
        )
    )
    inside = torch.arange(7)[None, :, None] < lengths[:, None]
    found = bilstm(values, turning(lengths, 7), weights) * inside[..., None]
    torch.testing.assert_close(found, expected)
    probe = torch.randn_like(expected)
    wanted = [values, *(p for lstm in theirs for p in lstm.parameters())]
    for a, b in zip(
        torch.autograd.grad((found * probe).sum(), wanted, retain_graph=True),
        torch.autograd.grad((expected * probe).sum(), wanted),
        strict=True,
    ):
        torch.testing.assert_close(a, b)


def test_the_written_gradient_is_the_numerical_one():
    torch.manual_seed(1)
    given = torch.randn(2, 4, 3, 8, dtype=torch.double, requires_grad=True)
    weight = torch.randn(2, 2, 8, dtype=torch.double, requires_grad=True)
    mask = (torch.rand(2, 3, 2, dtype=torch.double) > 0.3).double() / 0.7
    assert torch.autograd.gradcheck(lambda g, w: recur(g, w, mask), (given, weight))


def test_probabilities_do_not_depend_on_padding(data):
    encoded, (train, _) = data
    with numerics(CPU, 1):
        model = Lockstep([Learner(encoded, train, 0)], BiaffineOptions(**ARCS), CPU)
        model.learn(1)
        together = model.evaluate([train]).copy()
        for sentence in train[:10]:
            model.evaluate([np.array([sentence])])
        words = encoded.words_of(train[:10])
    for name in ("heads", "relations"):
        alone = getattr(model.answers, name)[0, words]
        torch.testing.assert_close(getattr(together, name)[0, words], alone, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [BiaffineOptions, PointerOptions])
def test_side_by_side_is_the_same_as_alone(data, kind):
    """Without dropout, models in lockstep learn what they learn alone."""
    encoded, (train, dev) = data
    options = kind(**ARCS, dropout=0.0)
    learners = [
        Learner(encoded, train[:20], 3),
        Learner(encoded.hidden(), train[20:], 4),
        Learner(encoded, train[10:30], 5),
    ]
    with numerics(CPU, 1):
        group = Lockstep(learners, options, CPU)
        for epoch in (1, 2):
            group.learn(epoch)
        found = group.evaluate([dev] * 3).copy()
        for number, learner in enumerate(learners):
            alone = Lockstep([learner], options, CPU)
            for epoch in (1, 2):
                alone.learn(epoch)
            own = alone.evaluate([dev])
            torch.testing.assert_close(found.heads[number], own.heads[0], rtol=1e-3, atol=1e-4)


def test_shapes_known_beforehand_give_the_same(data):
    """What CUDA graphs need: every token spelled, all lengths rounded up."""
    from treegauge.parsing.neural.batches import gathered_batch
    from treegauge.parsing.neural.encoder import encoder_states

    encoded, (train, _) = data
    options = BiaffineOptions(**ARCS)
    with numerics(CPU, 1):
        model = Lockstep([Learner(encoded, train, 0)], options, CPU)
        sentences = torch.from_numpy(train[:6])[None]
        width = int(encoded.lengths[train[:6]].max()) + 1
        short = gathered_batch(model.tables, sentences, width)
        long = gathered_batch(model.tables, sentences, batches.rounded(width) + 8)
        free = encoder_states(model.weights, model.tables, short, options, training=False)
        fixed = encoder_states(model.weights, model.tables, long, options, training=False, fixed=True)
    inside = (torch.arange(width)[:, None] < short.lengths[0])[None, ..., None]
    torch.testing.assert_close(free * inside, fixed[:, :width] * inside)


def test_jobs_tell_what_words_were_said_to_be(data):
    encoded, (train, dev) = data
    sets = {"train": train, "dev": dev}
    jobs = [
        NeuralJob(train, sets, 8, epochs=12, during=True),
        NeuralJob(train, {"dev": dev}, 8, epochs=12, data=encoded.hidden(), every=False),
    ]
    seen, blind = run_jobs(encoded, jobs, BiaffineOptions(**ARCS, rate=0.03, dropout=0.1))
    course = seen.courses["train"]
    assert course.heads.shape == (12, len(encoded.words_of(train)))
    assert blind.courses["dev"].heads.shape[0] == 1
    assert course.heads[-1].mean() > course.heads[0].mean()
    assert course.uas >= course.las > 0.3
    assert (course.heads <= 0).all()
    assert (seen.courses["during"].sentences == train).all()
    # Words say something: information is positive.
    assert seen.courses["dev"].heads[-1].mean() > blind.courses["dev"].heads[-1].mean()
    # A rival is neither gold nor less likely than gold where gold is said to be wrong.
    gold = encoded.heads[course.words]
    assert (course.rival_heads != gold).all()
    assert (course.rival_relations != encoded.relations[course.words]).all()
    assert (np.logaddexp(course.heads, course.rival_head_logs) <= 1e-5).all()
    assert 0 < course.right_heads[-1].mean() < 1


def test_jobs_are_the_same_again(data):
    encoded, (train, dev) = data
    jobs = [NeuralJob(train, {"dev": dev}, 1, epochs=2), NeuralJob(train[:9], {"dev": dev}, 2, epochs=2)]
    once, twice = (run_jobs(encoded, jobs, BiaffineOptions(**ARCS)) for _ in range(2))
    for a, b in zip(once, twice, strict=True):
        assert (a.courses["dev"].heads == b.courses["dev"].heads).all()
    turned = run_jobs(encoded, jobs[::-1], BiaffineOptions(**ARCS))
    assert (turned[1].courses["dev"].heads == once[0].courses["dev"].heads).all()


def test_labels_can_be_followed_too(data):
    encoding = find_encoding("two-planar")
    encoded, (train, dev) = encode_parts(synthetic(40, seed=1), synthetic(9, seed=2), encoding=encoding)
    job = NeuralJob(train, {"dev": dev}, 1, epochs=8)
    course = run_jobs(encoded, [job], LabellingOptions(**SMALL, rate=0.02))[0].courses["dev"]
    assert course.heads[-1].mean() > course.heads[0].mean()
    assert (course.rival_heads == -1).all()
    assert 0 < course.right_heads[-1].mean() < 1
    sure = course.heads > np.log(0.5)
    assert course.right_heads[sure].all()


def test_words_of_a_block_not_trained_on_are_unknown(data):
    encoded, (train, _) = data
    with numerics(CPU, 1):
        model = Lockstep([Learner(encoded, train[:3], 0)], BiaffineOptions(**ARCS), CPU)
    words = encoded.type_words[encoded.types[encoded.words_of(train[:3])]]
    known = np.flatnonzero(np.bincount(words, minlength=encoded.sizes[0]) >= 2)
    kept = set(np.unique(model.tables.words.numpy())) - {0, 1}
    assert kept == set(known.tolist()) - {0, 1}


def test_batches_hold_every_sentence_once_and_are_alike():
    lengths = np.random.default_rng(0).integers(1, 60, 500)
    for seed in (0, 1):
        made = batches.epoch(range(500), lengths, size=32, seed=seed, number=3)
        assert sorted(np.concatenate(made).tolist()) == list(range(500))
        assert max(map(len, made)) <= 32
        longest = [lengths[one].max() for one in made]
        padded = sum(a * len(b) for a, b in zip(longest, made, strict=True))
        assert padded < 1.2 * lengths.sum()
    by_words = batches.epoch(range(500), lengths, size=32, words=200, seed=0, number=1)
    assert all(lengths[one].sum() <= 200 for one in by_words if len(one) > 1)
    assert sorted(np.concatenate(by_words).tolist()) == list(range(500))


def test_arrays_survive_a_file(data, tmp_path):
    encoded, (train, _) = data
    encoded.save(tmp_path / "a.npz", parts=[len(train), 3])
    loaded, more = Encoded.load(tmp_path / "a.npz")
    assert (loaded.type_chars == encoded.type_chars).all()
    assert more["parts"].tolist() == [len(train), 3]


def test_nothing_but_numpy_and_torch_is_needed():
    code = """
import sys
class Barred:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"polars", "scipy", "pyarrow", "typer", "rich"}:
            raise ImportError(name)
sys.meta_path.insert(0, Barred())
import treegauge.parsing.neural.jobs
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_training_does_not_load_the_compiler_of_torch():
    """It takes longer to load than a small parser to train, in every cell of a run."""
    code = (
        "import sys\n"
        "from treegauge.parsing.registry import make_parser\n"
        "from treegauge.testing.synthetic import synthetic\n"
        "small = make_parser('biaffine', epochs=1, device='cpu', hidden=8, layers=1)\n"
        "small.fit(synthetic(3, seed=1), seed=0).parse(synthetic(2, seed=2))\n"
        "sys.exit('torch._dynamo' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_gpu_learns_the_same_within_rounding(data):
    encoded, (train, dev) = data
    options = {"dropout": 0.0, **ARCS}
    jobs = [NeuralJob(train, {"dev": dev}, seed, epochs=2) for seed in (1, 2)]
    there = run_jobs(encoded, jobs, BiaffineOptions(**options, device="cuda"))
    assert all(np.isfinite(one.courses["dev"].heads).all() for one in there)


def test_batches_by_hand():
    lengths = np.array([3, 1, 2, 9, 1])
    made = batches.epoch(range(5), lengths, size=2, seed=0, number=1)
    assert sorted(map(len, made)) == [1, 2, 2]
    assert sorted(np.concatenate(made).tolist()) == [0, 1, 2, 3, 4]
    some = batches.by_length([0, 1, 2], np.array([1, 9, 8]), 20, 64)
    assert [one.tolist() for one in some] == [[1, 2], [0]]
    assert [batches.rounded(n) for n in (3, 24, 49, 130)] == [4, 24, 56, 160]


def test_parts_of_the_network_by_hand():
    made = orthogonal(torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(1)))
    assert torch.allclose(made.mT @ made, torch.eye(3).expand(2, 3, 3), atol=1e-5)
    assert recur(torch.zeros(1, 5, 2, 12), torch.zeros(1, 3, 12)).shape == (1, 5, 2, 3)
    assert turning(torch.tensor([[3, 1]]), 3).tolist() == [4, 1, 2, 3, 0, 5]
    assert "root" in Vocabulary.of(synthetic(5, seed=1)).relations


def test_private_operators_of_torch_may_be_missing(monkeypatch):
    """Torch may drop or change them; the plain twin then computes on a GPU, too."""
    from treegauge.parsing.neural import recurrence

    on_gpu = SimpleNamespace(is_cuda=True)
    assert recurrence._is_fused(on_gpu)  # this version of torch has them
    assert recurrence._operator("_no_such_operator", 5) is None
    assert recurrence._operator("_thnn_fused_lstm_cell", 4) is None
    monkeypatch.setattr(recurrence, "_fused_backward", None)
    assert not recurrence._is_fused(on_gpu)


def test_no_other_private_function_of_torch_is_called():
    folder = Path(__file__).parents[3] / "src" / "treegauge"
    private = re.compile(r"\btorch(?:\.\w+)*\._\w+")
    called = {name for path in folder.rglob("*.py") for name in private.findall(path.read_text())}
    assert called == set()


def test_single_elements_are_dropped_at_two_places_only(data):
    """The published labelling parser: no mask between layers, in the recurrence or after the encoder."""
    from treegauge.parsing.neural.batches import gathered_batch
    from treegauge.parsing.neural.encoder import encoder_states, shared_dropout

    values = torch.ones(2, 50, 3, 40)
    single, shared = (shared_dropout(values, 0.5, axis) for axis in (None, 1))
    assert set(single.unique().tolist()) == set(shared.unique().tolist()) == {0.0, 2.0}
    assert (shared == shared[:, :1]).all()
    assert abs(float((single == 0).float().mean()) - 0.5) < 0.03
    assert not (single == single[:, :1]).all(dim=1).any(), "each word has a mask of its own"

    encoded, (train, _) = data
    options = BiaffineOptions(**ARCS, masks="single", dropout=0.5)
    assert (options.inner_dropout, BiaffineOptions(dropout=0.4).inner_dropout) == (0.0, 0.4)
    with numerics(CPU, 1):
        model = Lockstep([Learner(encoded, train, 0)], options, CPU)
        batch = gathered_batch(
            model.tables, torch.from_numpy(train[:4])[None], int(encoded.lengths[train[:4]].max()) + 1
        )
        seen = encoder_states(model.weights, model.tables, batch, options, training=True)
        inside = torch.arange(seen.shape[1])[None, :, None] < batch.lengths[:, None]
        hidden = (seen == 0).float()[inside]
        assert abs(float(hidden.mean()) - 0.5) < 0.1, "of the BiLSTM's output one half is hidden"


@pytest.mark.parametrize("kind", [BiaffineOptions, LabellingOptions])
def test_uniform_weights_are_those_of_the_published_code(kind):
    """Embeddings within sqrt(3 / size), all else within 1 / sqrt of what it reads, as torch's layers are."""
    from treegauge.parsing.neural.encoder import initial, layout

    treebank = synthetic(40, seed=1)
    encoding = find_encoding("two-planar")
    encoded = Vocabulary.of(treebank, encoding=encoding).encode(treebank, encoding)
    shapes = layout(encoded, kind(**SMALL, characters="cnn"))
    weights = initial(shapes, [0, 1], CPU, uniform=True)
    ends = {
        "word.table": (3 / 8) ** 0.5, "char.table": (3 / 3) ** 0.5, "tag.table": (3 / 4) ** 0.5,
        "char.matrix": 9**-0.5, "char.bias": 9**-0.5, "layer0.input.matrix": 10**-0.5,
        "layer1.states.matrix": 10**-0.5, "layer1.bias": 10**-0.5, "arc.head.matrix": 20**-0.5,
    }  # fmt: skip
    for name, end in ends.items():
        assert 0.5 * end < float(weights[name].abs().max()) <= end, name
    assert not (weights["word.table"][0] == weights["word.table"][1]).all()
    assert all((value == 0).all() == name.endswith(".bilinear") for name, value in weights.items())


def test_a_word_may_compete_as_its_own_head(data):
    """As in SuPar: probabilities of the other heads are smaller by the word's own share."""
    from treegauge.parsing.neural import heads

    encoded, (train, _) = data
    options = BiaffineOptions(**ARCS, dropout=0.0)
    with numerics(CPU, 1):
        model = Lockstep([Learner(encoded, train, 0)], options, CPU)
        model.learn(1)
    with numerics(CPU, 1), torch.no_grad():
        (_, batch, both) = next(model._sides([train[:6]]))
        without, among = (
            heads.head_log_probabilities(model.weights, both, batch, self_arcs=own) for own in (False, True)
        )
    own = torch.diagonal(among.exp(), dim1=-2, dim2=-1)[..., None]
    words = batch.words[..., None].expand_as(among) & (among > -1e20) & (without > -1e20)
    assert (torch.diagonal(without.exp(), dim1=-2, dim2=-1)[batch.words] == 0).all()
    torch.testing.assert_close((without.exp() * (1 - own))[words], among.exp()[words])


def test_labels_without_a_dense_layer_and_gradients_without_clipping():
    treebank = synthetic(30, seed=1)
    encoding = find_encoding("two-planar")
    encoded = Vocabulary.of(treebank, encoding=encoding).encode(treebank, encoding)
    options = LabellingOptions(**SMALL, label_size=0, clip=0.0, arc_weight=0.0, relations="label")
    with numerics(CPU, 1):
        model = Lockstep([Learner(encoded, np.arange(30), 0)], options, CPU)
        assert model.weights["label0.matrix"].shape[1] == 20, "over both directions of 10 states"
        assert not [name for name in model.weights if ".layer" in name]
        before = model.evaluate([np.arange(30)]).copy().heads[0, :-1].mean()
        for epoch in range(1, 9):
            model.learn(epoch)
        assert model.evaluate([np.arange(30)]).heads[0, :-1].mean() > before + 0.5
        grads = [torch.full((1, 2), 1e6)]
        model._clip(grads)
    assert (grads[0] == 1e6).all()


def test_best_heads_that_are_a_tree_are_the_best_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoding every sentence gives the trees that decoding only the others gives."""
    train, test = synthetic(60, seed=1), synthetic(40, seed=2)
    options = BiaffineOptions(epochs=10, hidden=48, layers=1, arc_size=8, relation_size=4)
    model = BiaffineParser(options).fit(train, seed=0)
    found, asked = model.parse(test), []

    def none(best: torch.Tensor, batch: object) -> torch.Tensor:
        asked.append(are_trees(best, batch).float().mean().item())
        return torch.zeros(best.shape[:2], dtype=torch.bool)

    are_trees = predicting._are_trees
    monkeypatch.setattr(predicting, "_are_trees", none)
    decoded = model.parse(test)
    assert 0 < asked[0] < 1  # both ways occur
    assert decoded.head.tolist() == found.head.tolist()
    assert decoded.codes("deprel").values == found.codes("deprel").values
