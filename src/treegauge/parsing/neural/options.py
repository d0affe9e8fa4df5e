"""Options of the neural parsers, which can be listed without torch."""

from dataclasses import dataclass
from importlib.util import find_spec

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.parsing.options import ParserOptions, option, tags_option


def need_torch() -> None:
    """Raise an error that says how to install torch if it is missing."""
    if find_spec("torch") is None:
        raise TreegaugeError("neural parsers need a package that is not installed: pip install 'treegauge[neural]'")


ENCODINGS = ("two-planar", "two-planar-directed", "hierarchical")


@dataclass(frozen=True)
class NeuralOptions(ParserOptions):
    """Options that all neural parsers share: input, encoder and training."""

    epochs: int = option(30, "largest number of epochs over the training set", low=1, high=10000)
    patience: int = option(10, "stop after this number of epochs without a better dev LAS; 0: never", low=0, high=10000)
    batch: int = option(32, "sentences in a batch", low=1, high=4096)
    batch_tokens: int = option(0, "words in a batch, instead of sentences; 0: off", low=0)
    optimiser: str = option("adam", "Adam, or gradient descent", choices=("adam", "sgd"))
    momentum: float = option(0.9, "momentum of gradient descent", low=0, high=0.999)
    rate: float = option(2e-3, "step size", low=1e-8, high=1)
    warmup_steps: int = option(0, "warm-up: updates over which the step size rises", low=0)
    decay: float = option(0.75, "factor of the exponential decay of the step size", low=0.01, high=1)
    decay_steps: int = option(5000, "updates per decay by that factor", low=1)
    epoch_decay: float = option(
        0.0, "c of 1 / (1 + c * epochs before), by which the step size shrinks", low=0, high=100
    )
    loss: str = option("word", "units over which the loss is averaged", choices=("word", "sentence"))
    clip: float = option(5.0, "largest norm of a gradient (clipping); 0: none", low=0)
    dropout: float = option(0.33, "dropout: share of inputs and states hidden in training", low=0, high=0.9)
    masks: str = option(
        "shared",
        "what dropout hides: units all along a sentence in every layer, and whole parts of the input; "
        "or single elements of the input and of the BiLSTM's output only",
        choices=("shared", "single"),
    )
    initialisation: str = option(
        "orthogonal", "first weights: orthogonal, or uniform as in NCRF++", choices=("orthogonal", "uniform")
    )
    activation: str = option(
        "leaky-relu", "activation of the dense layers that score arcs", choices=("leaky-relu", "elu")
    )
    upos: bool = option(True, "whether the parser reads UPOS tags")
    tags: str = tags_option()
    word_size: int = option(100, "size of word embeddings; 0: none", low=0, high=4096)
    char_size: int = option(100, "size of character-based word vectors; 0: none", low=0, high=4096)
    characters: str = option(
        "lstm", "network over the characters of a word: an LSTM, or a convolution of width 3", choices=("lstm", "cnn")
    )
    tag_size: int = option(100, "size of tag embeddings", low=1, high=4096)
    layers: int = option(3, "layers of the BiLSTM; 0: none", low=0, high=16)
    hidden: int = option(400, "states of the BiLSTM in each direction", low=1, high=8192)
    min_count: int = option(2, "smallest number of occurrences of a known word in the training set", low=1)
    unknown: float = option(0.0, "share of words occurring once that are hidden in training", low=0, high=1)
    vectors: str = option("", "file of word vectors, text format of word2vec and fastText")
    vectors_limit: int = option(100000, "vectors to keep from the top of the file, besides those of known words", low=0)
    vectors_for: str = option("", "treebank to be parsed; vectors of its words are kept, too")
    device: str = option("auto", "auto, cpu, cuda or cuda:1; auto takes a GPU if there is one")
    threads: int = option(1, "threads on a CPU; another number may change the last digits", low=1)
    checkpoint: str = option("", "file to write after each epoch, and to resume from if it exists")

    @property
    def inner_dropout(self) -> float:
        """Dropout between the encoder's input and its output, and after it."""
        return self.dropout if self.masks == "shared" else 0.0


@dataclass(frozen=True)
class BiaffineOptions(NeuralOptions):
    """Options of the biaffine graph parser."""

    arc_size: int = option(500, "size of the vectors that arcs are scored by", low=1, high=8192)
    relation_size: int = option(100, "size of the vectors that relations are scored by", low=1, high=4096)
    decoder: str = option(
        "spanning",
        "best tree, best projective tree, or each word's best head, repaired to a tree",
        choices=("spanning", "projective", "greedy"),
    )
    self_arcs: bool = option(False, "whether each word competes as its own head in training, as in SuPar")


@dataclass(frozen=True)
class PointerOptions(BiaffineOptions):
    """Options of the left-to-right pointer parser."""

    beam: int = option(10, "1: only heads; more: a head's best relation counts, too", low=1)


@dataclass(frozen=True)
class LabellingOptions(NeuralOptions):
    """Options of the sequence-labelling parser."""

    layers: int = option(2, "layers of the BiLSTM; 0: none", low=0, high=16)
    encoding: str = option(
        "two-planar-directed+hierarchical",
        f"how trees are written as labels, or several ways joined by +: {', '.join(ENCODINGS)}",
    )
    label_size: int = option(
        400,
        "size of the dense layers before labels; 0: none, labels are predicted from the word's state",
        low=0,
        high=8192,
    )
    arc_weight: float = option(
        1.0, "weight of arc scoring as a second task in training; 0: only labels", low=0, high=100
    )
    arc_size: int = option(500, "size of the second task's vectors of arcs", low=1, high=8192)
    relation_size: int = option(100, "size of the second task's vectors of relations", low=1, high=4096)
    decoder: str = option(
        "spanning",
        "best tree under the probabilities of heads that labels amount to, or the best labels, repaired to a tree",
        choices=("spanning", "labels"),
    )
    relations: str = option(
        "head", "whether a word's relation is chosen by its head's state, too, or as a label", choices=("head", "label")
    )

    def __post_init__(self) -> None:
        """Also check each of the encodings."""
        super().__post_init__()
        for name in self.encoding.split("+"):
            if name not in ENCODINGS:
                raise ChoiceError("value of option encoding", name, ENCODINGS)
