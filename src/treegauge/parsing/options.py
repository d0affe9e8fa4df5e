"""Options of parsers, and presets: options as published, with sources and remaining differences.

Options are frozen dataclasses whose values are checked and named in errors; the option ``tags``,
which several parsers share, is declared here. A preset is data: ``train biaffine ... --preset
gb-DM17`` starts from its options; options that the user gives override them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from treegauge.core.arguments import MOST
from treegauge.core.errors import ChoiceError, TreegaugeError

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


T = TypeVar("T")

_MOST = {"threads": 1024, "beam": 10**4, "epochs": 10**5, "iterations": 10**5}
"""Largest values of options that parsers share, where an option names none."""


def option(
    default: Any, meaning: str, *, low: float | None = None, high: float | None = None,
    choices: Sequence[str] | None = None,
) -> Any:  # fmt: skip
    """Declare an option with its help text in ``treegauge train --list``; bounds are inclusive."""
    legal = {"meaning": meaning, "low": low, "high": high, "choices": choices}
    return field(default=default, metadata=legal)


@dataclass(frozen=True)
class ParserOptions:
    """Base of a parser's options; checks every value.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Mine(ParserOptions):
    ...     epochs: int = option(10, "passes over the data", low=1)
    >>> Mine(epochs=0)
    Traceback (most recent call last):
    ...
    treegauge.core.errors.TreegaugeError: option epochs is 0; expected a whole number ...
    """

    @property
    def of_curves(self) -> Mapping[str, Any]:
        """Options whose default depends on the number of sentences, with their value in learning curves."""
        return {}

    def __post_init__(self) -> None:
        for one in fields(self):
            _check(one.name, getattr(self, one.name), one.default, one.metadata)


def _check(name: str, value: Any, default: Any, legal: Mapping[str, Any]) -> None:
    if legal.get("choices") is not None:
        if value not in legal["choices"]:
            raise ChoiceError(f"value of option {name}", value, legal["choices"])
        return
    low, high = legal.get("low"), legal.get("high")
    kind = type(default)
    right = isinstance(value, bool) if kind is bool else not isinstance(value, bool)
    number = (int, float) if kind is float else kind
    inside = right and isinstance(value, number)
    if inside and kind in {int, float}:
        most = _MOST.get(name, MOST) if high is None and kind is int else high
        if low is None or value >= low:
            high = most  # if the value is too small, naming the lower limit is enough
        inside = (low is None or value >= low) and (most is None or value <= most)
        inside = inside and math.isfinite(value)
    if not inside:
        nouns = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
        bounds = " from " + f"{low:g} to {high:g}" if None not in {low, high} else ""
        if low is not None and high is None:
            bounds = f" of at least {low:g}"
        raise TreegaugeError(f"option {name} is {value!r}; expected {nouns[kind]}{bounds}")


def read_options(kind: type[T], given: Sequence[str] | Mapping[str, Any], what: str = "option") -> T:
    """Return options from words such as ``epochs=5`` (booleans: true, yes, 1), or a mapping."""
    return kind(**given_options(kind, given, what))


def given_options(kind: type[Any], given: Sequence[str] | Mapping[str, Any], what: str = "option") -> dict[str, Any]:
    """Return only the options that are set by words such as ``epochs=5`` or a mapping, checked."""
    known = {one.name: one.default for one in fields(kind)}
    choices = [f"{name}={value}" for name, value in known.items()]
    values: dict[str, Any] = {}
    if isinstance(given, Mapping):
        for name in given:
            if name not in known:
                raise ChoiceError(what, name, choices)
        values = dict(given)
    else:
        for word in given:
            name, equals, text = word.partition("=")
            if name not in known or not equals:
                raise ChoiceError("option", word, choices)
            value = _read(name, text, known[name])
            if name in values and values[name] != value:
                raise TreegaugeError(f"option {name} was given twice: {values[name]!r} and {value!r}; give one")
            values[name] = value
    kind(**values)
    return values


def _read(name: str, text: str, default: Any) -> Any:
    if default is MISSING or isinstance(default, str):
        return text
    if isinstance(default, bool):
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() not in words:
            raise ChoiceError(f"value of option {name}", text, words)
        return words[text.lower()]
    try:
        return type(default)(text)
    except ValueError:
        raise TreegaugeError(f"option {name} is {text!r}; expected a value such as {default!r}") from None


TAGS = ("gold", "predicted", "mixed", "none")
"""The tags that a parser is trained on: the file's, a tagger's, either, or none."""


def tags_option() -> Any:
    """Declare the option ``tags`` of a parser."""
    return option("gold", "UPOS to learn from: the file's (gold), a tagger's (predicted, mixed), or none", choices=TAGS)


def lacks_tags(treebank: "Treebank") -> bool:
    """Return whether no word of a treebank has a UPOS tag."""
    return set(treebank.codes("upos").values) <= {"_"}


def no_tags_error(treebank: "Treebank") -> TreegaugeError:
    """Return the error for sentences without tags if a model needs them."""
    return TreegaugeError(
        f"{treebank.name} has no UPOS tags, but the parser learned from gold tags and the model "
        "has no tagger: train it with the option tags=predicted or tags=mixed, or tag the file "
        "with 'treegauge tag'"
    )


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
            "batch": 32, "epochs": 30, "patience": 0, "rate": 2e-3, "self_arcs": True,
        },
        "Kulmizev and Nivre (2023), Section 4 (SuPar)",
        (
            "sizes of dense layers, dropout, decay and self_arcs are SuPar's defaults: the paper gives none",
            "with as many sentences as have about 480 words in a batch (option batch), most values come closer",
        ),
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
            "characters": "cnn", "dropout": 0.5, "masks": "single", "optimiser": "sgd", "rate": 0.02,
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
            "a dense layer over the states of a word and the word before precedes each softmax, first weights "
            "are orthogonal and gradients are clipped; label_size=0, initialisation=uniform and clip=0 are as "
            "published, and diverge on Old East Slavic-RNC",
            "batches of 8 sentences, 100 epochs, tags of size 25 and a loss summed over the words "
            "of a sentence are those of dep2label's published configuration: the table gives none",
            "characters go through a convolution, where that configuration has an LSTM",
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


def preset_options(parser: str, name: str | None, given: Sequence[str] | Mapping[str, Any]) -> Any:
    """Return the given options of a parser, over those of its preset of this name, if any.

    Examples
    --------
    >>> preset_options("beam", "maltparser", {"beam": 2})["beam"], preset_options("beam", None, ["beam=3"])
    (2, ['beam=3'])
    """
    return with_preset(None if name is None else find_preset(parser, name), given)


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


def with_preset(
    preset: Preset | None, given: Sequence[str] | Mapping[str, Any]
) -> Sequence[str] | Mapping[str, Any]:  # fmt: skip
    """Return the options of a preset, if any, and the given ones, which override them.

    Examples
    --------
    >>> with_preset(find_preset("beam", "maltparser"), ["beam=2"])[-1]
    'beam=2'
    """
    if preset is None:
        return given
    if isinstance(given, Mapping):
        return {**preset.options, **given}
    changed = {word.partition("=")[0] for word in given}
    kept = {name: value for name, value in preset.options.items() if name not in changed}
    return [*(f"{name}={value}" for name, value in kept.items()), *given]
