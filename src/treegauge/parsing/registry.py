"""The registry of parsers by name, those of treegauge and those of plug-ins, and their list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from textwrap import wrap
from typing import TYPE_CHECKING, Any, cast

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.plugins import load_plugins, naming_errors, origin_of, warn_of_plugin
from treegauge.core.result import RowsResult, sign
from treegauge.core.safe_reading import check_trust
from treegauge.core.tables import to_text
from treegauge.parsing.options import Preset, presets_of, read_options

if TYPE_CHECKING:
    from treegauge.parsing.base import Model, OnEpoch, Parser
    from treegauge.parsing.options import ParserOptions
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.sources.files import Source


GROUP = "treegauge.parsers"
WIDTH = 90
"""The width of a line that lists the options of a preset."""


@dataclass(frozen=True)
class ParserEntry:
    """The entry of a parser, which is loaded when it is needed.

    A package adds a parser by an entry point of the group ``treegauge.parsers`` that names one of
    these; its module should import quickly, since every list of parsers imports it.

    Attributes
    ----------
    name, paradigm, meaning
        Its name, its approach and what it does.
    home
        The module of its classes.
    parser
        Name of the class that takes the options and has
        :meth:`~treegauge.parsing.base.Parser.fit`.
    model
        Name of the class of its models, with ``from_archive(header, arrays)``.
    options_class
        Name of the dataclass of its options, a :class:`~treegauge.parsing.options.ParserOptions`.
    needs
        An extra of treegauge that must be installed, or None.
    trains_in
        How long training takes on some 40,000 words on one core: seconds, minutes or hours.
    keeps_best_epoch
        Whether it needs a dev set to choose an epoch by; ``train`` holds one out if there is none.
    runs_programs
        Whether its models run code of others, such as an external program or a pickle: plans and
        models of it need trust.
    """

    name: str
    paradigm: str
    meaning: str
    home: str
    parser: str
    model: str
    options_class: str
    needs: str | None = None
    trains_in: str = ""
    keeps_best_epoch: bool = False
    runs_programs: bool = False

    @property
    def options(self) -> "type[ParserOptions]":
        """The dataclass of its options."""
        return cast("type[ParserOptions]", self.load_class(self.options_class))

    @property
    def gives_probabilities(self) -> bool:
        """Whether its models give probabilities of heads and relations."""
        model = self.load_class(self.model)
        return hasattr(model, "head_probabilities") or hasattr(model, "analyses")

    def load(self, header: dict[str, Any], arrays: dict[str, Any], *, trust: bool = False) -> "Model":
        """Return the model stored in a file; one that runs programs must be trusted."""
        if self.runs_programs:
            code = f"a model of parser {self.name}, made for the template {header.get('template')}"
            check_trust([code], trust=trust, advice="make sure that you know who made it")
        return cast("Model", self.load_class(self.model).from_archive(header, arrays))

    def load_class(self, name: str) -> Any:
        """Return a class of its module."""
        if self in OWN_PARSERS:
            return getattr(import_module(self.home), name)
        what = f"the plug-in parser {self.name!r}"
        with naming_errors(f"{what}: loading {self.home}", GROUP, self):
            try:
                return getattr(import_module(self.home), name)
            except (ImportError, AttributeError) as error:
                raise TreegaugeError(
                    f"{what}{origin_of(GROUP, self)} cannot be loaded: expected {name} in {self.home}, found: {error}"
                ) from error


def _own(name: str, paradigm: str, meaning: str, home: str, stem: str, **more: Any) -> ParserEntry:
    return ParserEntry(
        name, paradigm, meaning, f"treegauge.parsing.{home}", f"{stem}Parser", f"{stem}Model", f"{stem}Options", **more
    )


OWN_PARSERS = (
    _own("beam", "transitions", "arc-eager beam search with an averaged perceptron", "beam",
         "Beam", trains_in="seconds"),
    _own("mst", "graph", "first-order maximum spanning tree, learned by MIRA or log-linear", "mst",
         "Graph", trains_in="seconds"),
    _own("udpipe", "transitions", "UDPipe 1.x, a small neural network, with a tagger", "programs.udpipe",
         "UDPipe", needs="udpipe", trains_in="minutes to an hour"),
    _own("biaffine", "graph", "biaffine scores over a BiLSTM, best tree", "neural.parsers",
         "Biaffine", needs="neural", trains_in="minutes to an hour",
         keeps_best_epoch=True),
    _own("pointer", "transitions", "pointer network from left to right over a BiLSTM",
         "neural.parsers", "Pointer", needs="neural", trains_in="minutes to an hour",
         keeps_best_epoch=True),
    _own("labelling", "labels", "trees encoded as labels, tagged by a BiLSTM", "neural.parsers",
         "Labelling", needs="neural", trains_in="minutes to an hour",
         keeps_best_epoch=True),
    _own("baseline", "none", "baselines: pairs of tags, or trees that ignore words", "baseline",
         "Baseline", trains_in="seconds"),
    _own("command", "any", "any other program, by a template of commands", "programs.command", "Command",
         runs_programs=True),
)  # fmt: skip
"""The built-in parsers."""


@cache
def known_parsers() -> Mapping[str, ParserEntry]:
    """Return all parsers by name, those of plug-ins last.

    Examples
    --------
    >>> list(known_parsers())[:2]
    ['beam', 'mst']
    """
    known = {entry.name: entry for entry in OWN_PARSERS}
    for plugin in load_plugins(GROUP).values():
        entry = plugin.object
        if not isinstance(entry, ParserEntry):
            warn_of_plugin(plugin, f"it is {entry!r}; expected a ParserEntry")
        elif entry.name in known:
            warn_of_plugin(plugin, f"there is already a parser called {entry.name!r}")
        else:
            known[entry.name] = entry
    return known


def find_parser(name: str) -> ParserEntry:
    """Return a parser by name; unknown names get the choices."""
    if name not in known_parsers():
        raise ChoiceError("parser", name, known_parsers())
    return known_parsers()[name]


def make_parser(name: str, **options: Any) -> "Parser":
    """Return a parser with its options set.

    Examples
    --------
    >>> parser = make_parser("mst", epochs=3)
    >>> parser.options.epochs
    3
    """
    return parser_with(name, options)


def parser_with(name: str, given: "ParserOptions | Sequence[str] | Mapping[str, Any]") -> "Parser":
    """Return a parser with these options."""
    entry = find_parser(name)
    if isinstance(given, Sequence | Mapping):
        given = read_options(entry.options, given, f"option of {name}")
    return cast("Parser", entry.load_class(entry.parser)(given))


def fit_parser(
    parser: "str | Parser", train: "Treebank", dev: "Treebank | None" = None, *,
    options: "ParserOptions | Sequence[str] | Mapping[str, Any]" = (), seed: int,
    on_epoch: "OnEpoch | None" = None,
) -> "Model":  # fmt: skip
    """Return what a parser learns from a training set: verbs and cells train in no other way.

    `parser` is a name, whose `options` are words or a mapping, or a parser with its options set.
    """
    ready = parser_with(parser, options) if isinstance(parser, str) else parser
    return ready.fit(train, dev, seed=seed, on_epoch=on_epoch)


def load_model(path: "Source", *, trust: bool = False) -> "Model":
    """Load a model that treegauge wrote.

    A model of an external program (parser ``command``) is refused unless `trust` or the environment
    variable TREEGAUGE_TRUST allows it: the program may run code that is in the model's files.
    """
    from treegauge.parsing.base import load_archive

    header, arrays = load_archive(path)
    name = header["parser"]
    try:
        return find_parser(name).load(header, arrays, trust=trust)
    except TreegaugeError as error:
        raise TreegaugeError(f"{path}: {error}") from error
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise TreegaugeError(f"{path} is a damaged model of {name}: {error!r}") from error


@dataclass(frozen=True)
class ParserList(RowsResult, kind="parsers"):
    """Parsers, one row each, or the options of some of them, one row per parser and option."""

    def own_text(self) -> str:
        """Return the table without its signature."""
        return to_text(self.rows)


def parsers(parser: str | None = None) -> ParserList:
    """Return the list of parsers, or the options and presets of one parser.

    Examples
    --------
    >>> parsers().table["parser"].to_list()[:3]
    ['beam', 'mst', 'udpipe']
    >>> parsers("beam").table["option"].to_list()[:2]
    ['beam', 'epochs']
    """
    if parser is not None:
        return ParserList(_option_rows(find_parser(parser)), sign(v="parsers", parser=parser))
    rows = [
        {
            "parser": entry.name, "paradigm": entry.paradigm, "method": entry.meaning,
            "presets": ", ".join(preset.name for preset in presets_of(entry.name)),
            "trains_in": entry.trains_in, "needs": f"treegauge[{entry.needs}]" if entry.needs else "",
        }
        for entry in known_parsers().values()
    ]  # fmt: skip
    return ParserList(rows, sign(v="parsers"))


def _option_rows(entry: ParserEntry) -> list[dict[str, Any]]:
    """Return one row per option, template of an external program, and preset."""
    rows = [
        {
            "parser": entry.name, "option": field.name, "default": _shown(field.default),
            "meaning": field.metadata.get("meaning", ""),
        }
        for field in fields(entry.options)
    ]  # fmt: skip
    if entry.name == "command":
        rows += _template_rows(entry.name)
    return rows + [row for preset in presets_of(entry.name) for row in _preset_rows(preset)]


def _template_rows(parser: str) -> list[dict[str, Any]]:
    """Return one row per template of an external program; an invalid one says why."""
    from treegauge.parsing.programs.command_templates import find_template, template_names

    meanings = {}
    for name in template_names():
        try:
            meanings[name] = find_template(name).about
        except TreegaugeError as error:
            meanings[name] = f"cannot be used: {error}"
    return [
        {"parser": parser, "option": f"template={name}", "default": "", "meaning": meaning}
        for name, meaning in meanings.items()
    ]


def _preset_rows(preset: Preset) -> list[dict[str, Any]]:
    """Return the rows of a preset: source, options, and differences from the publication."""
    words = " ".join(f"{key}={_shown(value)}" for key, value in preset.options.items())
    lines = [
        preset.source,
        *(f"sets {line}" for line in wrap(words, WIDTH)),
        *(f"differs: {line}" for line in preset.differences),
    ]
    names = " or ".join((preset.name, *preset.aliases))
    return [
        {"parser": preset.parser, "option": f"--preset {names}" if not number else "", "default": "", "meaning": line}
        for number, line in enumerate(lines)
    ]


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
