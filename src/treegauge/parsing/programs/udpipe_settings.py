"""Options of UDPipe's trainer: defaults, those of published models, and fast presets."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.parsing.options import ParserOptions, option

Value = int | float | str

TAGS = ("upos", "xpos", "feats", "lemma")
"""Columns that a tagger can predict."""

ORACLES = {"projective": ("dynamic", "static"), "swap": ("static_lazy", "static_eager"), "link2": ("static",)}
"""Transition systems and the oracles each has, the usual one first."""

_UD20: dict[str, Value] = {
    "iterations": 30, "hidden_layer": 200, "batch_size": 10, "structured_interval": 8,
    "learning_rate": 0.02, "learning_rate_final": 0.001, "l2": 0.3,
    "embedding_upostag": 20, "embedding_feats": 20, "embedding_xpostag": 0,
    "embedding_form": 50, "embedding_lemma": 0, "embedding_deprel": 20,
    "transition_system": "projective", "transition_oracle": "dynamic",
}  # fmt: skip
_LIBRARY = {**_UD20, "iterations": 10, "l2": 0.5}
_SMALL = {"embedding_upostag": 12, "embedding_feats": 12, "embedding_form": 32, "embedding_deprel": 12}
# (words per sentence at most, settings): a few thousand words in about 20 seconds.
_FAST: tuple[tuple[float, dict[str, Value]], ...] = (
    (7, {**_UD20, "iterations": 10, "hidden_layer": 100, "structured_interval": 0}),
    (15, {**_UD20, **_SMALL, "iterations": 10, "hidden_layer": 64, "structured_interval": 0}),
    (1e9, {**_UD20, **_SMALL, "iterations": 5, "hidden_layer": 32, "structured_interval": 0}),
)
_CURVE = 10  # epochs at every size of a learning curve with a fast preset
_ENOUGH = 1000  # training sentences below which a small network has learned almost nothing

# Treebank, transition system, learning rate, l2 and structured interval of each UDPipe 1.2 model
# for UD 2.0; p* is projective with the static oracle.
_TABLE = """
ar s .02 .5 10|be p .02 .3 10|bg p .02 .5 10|ca s .01 .5 10|cop p .02 .5 10|cs l .01 .5 8
cs_cac l .01 .5 10|cs_cltt p .02 .3 10|cu l .02 .3 10|da s .01 .5 8|de p .01 .5 10
el l .02 .3 8|en p .01 .5 8|en_lines p .01 .3 0|en_partut s .01 .5 10|es l .01 .5 10
es_ancora s .01 .5 10|et p .02 .3 10|eu l .01 .5 8|fa p .01 .5 8|fi p .01 .3 8
fi_ftb p .02 .3 8|fr l .01 .5 8|fr_partut s .01 .5 8|fr_sequoia s .02 .3 10|ga p .02 .5 8
gl p .02 .3 8|gl_treegal l .02 .5 8|got p .01 .5 8|grc s .01 .5 8|grc_proiel s .01 .5 10
he p .01 .3 10|hi p .01 .5 8|hr p .02 .5 10|hu p .02 .3 10|id l .01 .5 8|it p .01 .3 0
ja p* .02 .3 8|kk l .02 .3 8|ko p .01 .5 10|la p .01 .5 10|la_ittb p .01 .5 8
la_proiel l .02 .5 10|lt l .02 .5 10|lv p .02 .5 10|nl p .01 .5 10|nl_lassysmall s .01 .3 8
no_bokmaal p .01 .5 10|no_nynorsk p .01 .3 10|pl p .02 .5 8|pt l .01 .5 10|pt_br p .01 .3 10
ro p .01 .5 8|ru p .01 .3 8|ru_syntagrus s .01 .5 8|sa p .01 .5 8|sk p .02 .3 8
sl p .02 .5 8|sl_sst p .02 .3 8|sv p .01 .3 8|sv_lines p .02 .5 0|ta p* .02 .3 8
tr p .01 .3 8|ug s .02 .3 8|uk l .02 .3 10|ur p* .01 .5 8|vi p .02 .3 8|zh p .02 .3 8
"""
_SYSTEMS = {
    "p": ("projective", "dynamic"), "p*": ("projective", "static"),
    "s": ("swap", "static_lazy"), "l": ("link2", "static"),
}  # fmt: skip


PUBLISHED: dict[str, dict[str, Value]] = {
    code: {
        "transition_system": _SYSTEMS[system][0], "transition_oracle": _SYSTEMS[system][1],
        "learning_rate": float(rate), "l2": float(l2), "structured_interval": int(interval),
    }
    for row in _TABLE.replace("\n", "|").strip("|").split("|")
    for code, system, rate, l2, interval in [row.split()]
}  # fmt: skip
"""The settings of the UD 2.0 models that differ between treebanks."""

PRESETS = ("ud2.0", "fast", "sized", "library")
_FAST_PRESETS = ("fast", "sized")
_UNSET = (-1, "")


@dataclass(frozen=True)
class UDPipeOptions(ParserOptions):
    """Options of UDPipe; -1 or nothing leaves a value to the preset."""

    preset: str = option("ud2.0", "source of values that are not set", choices=PRESETS)
    treebank: str = option("", "own values of this UD 2.0 model, such as el or en_lines", choices=("", *PUBLISHED))
    tags: str = option(
        "gold",
        "the file's (gold), a tagger's (predicted), or learn on a tagger's only (mixed)",
        choices=("gold", "predicted", "mixed"),
    )
    beam: int = option(5, "width of the beam in parsing", low=1, high=1000)
    early_stopping: bool = option(True, "with a dev set, keep the best iteration on it")
    iterations: int = option(-1, "epochs over the training set", low=-1, high=10000)
    hidden_layer: int = option(-1, "units of the hidden layer", low=-1, high=10000)
    batch_size: int = option(-1, "transitions of a step", low=-1, high=100000)
    structured_interval: int = option(-1, "search-based training on every n-th sentence", low=-1)
    learning_rate: float = option(-1.0, "initial step size", low=-1, high=10)
    learning_rate_final: float = option(-1.0, "final step size", low=-1, high=10)
    l2: float = option(-1.0, "weight decay", low=-1, high=1000)
    embedding_upostag: int = option(-1, "size of the embedding of a UPOS tag", low=-1, high=1000)
    embedding_feats: int = option(-1, "size of the embedding of a set of features", low=-1, high=1000)
    embedding_xpostag: int = option(-1, "size of the embedding of an XPOS tag", low=-1, high=1000)
    embedding_form: int = option(-1, "size of the embedding of a word form", low=-1, high=1000)
    embedding_lemma: int = option(-1, "size of the embedding of a lemma", low=-1, high=1000)
    embedding_deprel: int = option(-1, "size of the embedding of a relation", low=-1, high=1000)
    embedding_form_file: str = option("", "vectors of forms in word2vec's text format")
    transition_system: str = option("", "transition system", choices=("", *ORACLES))
    transition_oracle: str = option(
        "",
        "oracle of the transition system",
        choices=("", *dict.fromkeys(oracle for oracles in ORACLES.values() for oracle in oracles)),
    )
    tagger_iterations: int = option(20, "training iterations of the tagger", low=1, high=1000)

    @property
    def of_curves(self) -> Mapping[str, Any]:
        """The fast presets' number of epochs, which is otherwise larger for fewer than 100 sentences."""
        return {"iterations": _CURVE} if self.preset in _FAST_PRESETS else {}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.treebank and self.preset != "ud2.0":
            raise TreegaugeError(f"option treebank={self.treebank} goes with preset=ud2.0, not {self.preset}")
        if ";" in self.embedding_form_file:
            raise TreegaugeError("option embedding_form_file: UDPipe takes no ';' in a file name")


def udpipe_values(options: UDPipeOptions, *, sentences: int, words: int) -> dict[str, Value]:
    """Return the value of every option of the trainer.

    The fast presets use more epochs for very few sentences; the preset ``sized`` uses smaller
    networks for longer sentences.
    """
    if options.preset in _FAST_PRESETS:
        mean = words / max(sentences, 1) if options.preset == "sized" else 0
        chosen = dict(next(made for most, made in _FAST if mean <= most))
        wanted = -(-_ENOUGH // max(sentences, 1))
        chosen["iterations"] = max(int(chosen["iterations"]), min(wanted, 30))
    elif options.preset == "library":
        chosen = dict(_LIBRARY)
    else:
        chosen = {**_UD20, **PUBLISHED.get(options.treebank, {})}
    own: dict[str, Any] = {
        one.name: getattr(options, one.name)
        for one in fields(options)
        if one.name in chosen and getattr(options, one.name) not in _UNSET
    }
    if options.transition_system:
        own.setdefault("transition_oracle", ORACLES[options.transition_system][0])
    chosen |= own
    system, oracle = str(chosen["transition_system"]), chosen["transition_oracle"]
    if oracle not in ORACLES[system]:
        raise ChoiceError(f"transition_oracle of {system}", oracle, ORACLES[system])
    if options.embedding_form_file:
        chosen["embedding_form_file"] = options.embedding_form_file
    return chosen


def options_text(values: dict[str, Value]) -> str:
    """Return options in the library's format."""
    return ";".join(f"{name}={value}" for name, value in values.items())


def tagger_options(columns: frozenset[str], iterations: int) -> str:
    """Return a tagger's options: one model for tags, a second one for lemmas if they are wanted."""
    xpos, feats, lemma = (int(name in columns) for name in ("xpos", "feats", "lemma"))
    values: dict[str, Value] = {
        "models": 1 + lemma, "iterations": iterations,
        "templates_1": "tagger", "guesser_suffix_rules_1": 8, "guesser_enrich_dictionary_1": 6,
        "guesser_prefixes_max_1": 0, "use_lemma_1": lemma, "provide_lemma_1": 0,
        "use_xpostag_1": xpos, "provide_xpostag_1": xpos,
        "use_feats_1": feats, "provide_feats_1": feats,
    }  # fmt: skip
    if lemma:
        values |= {
            "templates_2": "lemmatizer", "guesser_suffix_rules_2": 6,
            "guesser_enrich_dictionary_2": 6, "guesser_prefixes_max_2": 4,
            "use_lemma_2": 1, "provide_lemma_2": 1, "use_xpostag_2": 0, "provide_xpostag_2": 0,
            "use_feats_2": 0, "provide_feats_2": 0,
        }  # fmt: skip
    return options_text(values)
