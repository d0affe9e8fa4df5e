"""Presets: options of parsers as published, with their sources and remaining differences.

A preset is data. ``treegauge train biaffine ... --preset gb-DM17`` starts from its options; options
that the user gives override them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treegauge.core.errors import ChoiceError, TreegaugeError

_FRAGILITY = "Alonso-Alonso, Vilares and Gómez-Rodríguez (2022)"
_CHALLENGES = "Aufrant, Wisniewski and Yvon (2018), Section 2"
_VECTORS = "pretrained vectors are used only if option vectors names a file (fastText there)"


@dataclass(frozen=True)
class Preset:
    """Options of one parser under a name.

    Attributes
    ----------
    name
        The value of ``--preset``.
    parser
        The parser that the options are for.
    options
        Values that differ from the parser's defaults, or that the source names.
    source
        The publication and the place in it.
    differences
        Differences from the publication, one line each.
    aliases
        Other names.
    """

    name: str
    parser: str
    options: Mapping[str, Any]
    source: str
    differences: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


PRESETS = (
    Preset(
        "panparser", "beam",
        {"beam": 8, "epochs": 10, "margin": 0.0, "learners": 1, "labelled": False, "ending": 0},
        f"{_CHALLENGES}: BEAM (PanParser)",
        (
            "the paper gives neither the beam nor the number of epochs: 8 and 10 are ours",
            "the last epoch is kept; PanParser stopped early on a dev set",
        ),
        ("paper",),
    ),
    Preset(
        "maltparser", "beam",
        {"beam": 1, "epochs": 10, "margin": 0.0, "learners": 1, "labelled": True, "ending": 0},
        "MaltParser 1.9.2, default: arc-eager, greedy; Content, Section 4.5",
        (
            "an averaged perceptron with a dynamic oracle; MaltParser has LIBLINEAR and a static "
            "oracle",
            "features of Zhang & Nivre (2011), without lemmas and FEATS",
            "MaltParser itself: treegauge train command --option template=maltparser",
        ),
    ),
    Preset(
        "mstparser", "mst",
        {"training": "mira", "epochs": 10, "label_epochs": 10, "projective": True, "ending": 0},
        f"{_CHALLENGES}: MSTParser 0.5.1, default options",
        (
            "sentences are shuffled in each epoch; MSTParser keeps the order of the file",
            "no features of lemmas and FEATS; features are hashed",
        ),
        ("paper",),
    ),
    Preset(
        "ud2.0", "udpipe", {"preset": "ud2.0"},
        "Straka and Straková (2017), models for UD 2.0; Challenges, Section 2; EDV, Section 3.1",
        (
            "no word vectors, as in Challenges; the published models have skip-grams of their "
            "training set (option embedding_form_file)",
            "option treebank=CODE adds what was chosen for one treebank",
        ),
        ("paper",),
    ),
    Preset("fast", "udpipe", {"preset": "fast"}, "treegauge: half the units, a third of the time"),
    Preset("sized", "udpipe", {"preset": "sized"}, "treegauge: smaller for longer sentences"),
    Preset("library", "udpipe", {"preset": "library"}, "UDPipe 1.2, defaults of the library"),
    Preset(
        "gb-DM17", "biaffine",
        {
            "word_size": 300, "char_size": 100, "tag_size": 100, "layers": 3, "hidden": 400,
            "arc_size": 500, "relation_size": 100, "dropout": 0.33, "min_count": 2, "rate": 2e-3,
            "decay": 0.75, "decay_steps": 5000, "clip": 5.0, "upos": True, "batch_tokens": 5000,
            "epochs": 5000, "patience": 100,
        },
        f"{_FRAGILITY}, Table 7 (SuPar)",
        (
            _VECTORS,
            "epochs, patience and batches of 5000 words are SuPar's defaults: the table gives none",
        ),
        ("paper",),
    ),
    Preset(
        "difficulty", "biaffine",
        {
            "word_size": 100, "char_size": 100, "layers": 3, "hidden": 400, "upos": False,
            "batch": 32, "epochs": 30, "patience": 0, "rate": 2e-3,
        },
        "Kulmizev and Nivre (2023), Section 4 (SuPar)",
        ("sizes of dense layers, dropout and decay are SuPar's defaults: the paper gives none",),
    ),
    Preset(
        "tb-FG19", "pointer",
        {
            "word_size": 300, "char_size": 100, "tag_size": 100, "layers": 3, "hidden": 512,
            "arc_size": 512, "relation_size": 128, "activation": "elu", "characters": "cnn",
            "dropout": 0.33, "rate": 1e-3, "decay": 0.9999997, "decay_steps": 1, "warmup_steps": 40,
            "clip": 5.0, "unknown": 0.5, "min_count": 1, "loss": "word", "beam": 5, "batch": 32,
            "epochs": 600, "patience": 0,
        },
        f"{_FRAGILITY}, Table 8 (SyntacticPointer)",
        (
            _VECTORS,
            "training does not go back to the best epoch after 20 without a better one (reset)",
            "characters go through one convolution; SyntacticPointer has two",
        ),
        ("paper",),
    ),
    Preset(
        "sl-S+19", "labelling",
        {
            "word_size": 300, "char_size": 100, "tag_size": 25, "layers": 3, "hidden": 400,
            "characters": "cnn", "dropout": 0.5, "optimiser": "sgd", "rate": 0.02,
            "momentum": 0.9, "epoch_decay": 0.05, "decay": 1.0, "clip": 5.0, "batch": 8,
            "loss": "sentence",
            "encoding": "two-planar", "arc_weight": 0.0, "decoder": "labels", "relations": "label",
            "min_count": 1,
            "epochs": 100, "patience": 0,
        },
        f"{_FRAGILITY}, Table 9 (dep2label)",
        (
            _VECTORS,
            "hidden_dim 800 is both directions together, 400 in each; cnn_layer 4 is not used "
            "there, since words go through an LSTM",
            "a dense layer over the states of a word and the word before precedes each softmax",
            "dropout hides the same units all along a sentence",
            "batches of 8 sentences, 100 epochs, tags of size 25 and a loss summed over the words "
            "of a sentence are those of dep2label's published configuration: the table gives none",
            "characters go through a convolution, where that configuration has an LSTM; gradients "
            "are clipped, where it clips none",
        ),
        ("paper",),
    ),
)  # fmt: skip
"""All presets, those of one parser together."""


def presets_of(parser: str) -> list[Preset]:
    """Return the presets of a parser.

    Examples
    --------
    >>> [one.name for one in presets_of("biaffine")]
    ['gb-DM17', 'difficulty']
    """
    return [preset for preset in PRESETS if preset.parser == parser]


def find_preset(parser: str, name: str) -> Preset:
    """Return a parser's preset by name or alias; unknown names get the choices.

    Examples
    --------
    >>> find_preset("pointer", "paper").name
    'tb-FG19'
    """
    known = presets_of(parser)
    if not known:
        others = sorted({one.parser for one in PRESETS})
        raise TreegaugeError(f"parser {parser} has no presets; expected one of {', '.join(others)}, or no --preset")
    for one in known:
        if name in (one.name, *one.aliases):
            return one
    choices = [name for one in known for name in (one.name, *one.aliases)]
    raise ChoiceError(f"preset of {parser}", name, choices)


def with_preset(preset: Preset, given: Sequence[str] | Mapping[str, Any]) -> list[str] | dict[str, Any]:
    """Return the options of a preset, and the given ones, which override them.

    Examples
    --------
    >>> with_preset(find_preset("beam", "maltparser"), ["beam=2"])[-1]
    'beam=2'
    """
    if isinstance(given, Mapping):
        return {**preset.options, **given}
    changed = {word.partition("=")[0] for word in given}
    kept = {name: value for name, value in preset.options.items() if name not in changed}
    return [*(f"{name}={value}" for name, value in kept.items()), *given]
