"""The parsers there are, by name."""

from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from treegauge.parsers.storage import load_archive
from treegauge.parsers.templates import templates
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.treebanks.conllu import parse_conllu
from treegauge.treebanks.sources import Source

if TYPE_CHECKING:
    import polars as pl

    from treegauge.parsers.base import Model, Parser
    from treegauge.parsers.options import Options


_TINY = "1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tY\t_\t_\t0\troot\t_\t_\n\n"


@dataclass(frozen=True)
class Entry:
    """Where a parser lives; it is loaded when it is asked for.

    Attributes
    ----------
    name, paradigm, meaning
        What it is called and what it does.
    home
        Module with a dataclass ``Options``, a parser class that takes an instance of it, and a
        model class with ``from_archive(header, arrays)``.
    parser, model
        Names of these classes.
    needs
        An extra that must be installed, or None.
    compiled
        Whether it has kernels, which are compiled on first use.
    """

    name: str
    paradigm: str
    meaning: str
    home: str
    parser: str
    model: str
    needs: str | None = None
    compiled: bool = False

    @property
    def options(self) -> "type[Options]":
        """The dataclass of its options."""
        return cast("type[Options]", self._class("Options"))

    def make(self, options: Any) -> "Parser":
        """Make the parser with these options."""
        return cast("Parser", self._class(self.parser)(options))

    def prepare(self, options: Any = None) -> None:
        """Compile the kernels that options need, which takes a while on first use, or load them."""
        if self.compiled:
            tiny = parse_conllu(_TINY)
            quick = replace(options or self.options(), epochs=1)
            self.make(quick).fit(tiny, seed=0).parse(tiny)

    def load(self, header: dict[str, Any], arrays: dict[str, Any]) -> "Model":
        """Make a model of what its file held."""
        return cast("Model", self._class(self.model).from_archive(header, arrays))

    def _class(self, name: str) -> Any:
        return getattr(import_module(self.home), name)


_ENTRIES = (
    Entry(
        "beam", "transitions", "arc-eager beam search with an averaged perceptron",
        "treegauge.parsers.perceptron.parser", "BeamParser", "BeamModel", compiled=True,
    ),
    Entry(
        "mst", "graph", "first-order maximum spanning tree, learned by MIRA or log-linear",
        "treegauge.parsers.graph.mst", "GraphParser", "GraphModel", compiled=True,
    ),
    Entry(
        "udpipe", "transitions", "UDPipe 1.x, a small neural network, with a tagger",
        "treegauge.parsers.udpipe", "UDPipeParser", "UDPipeModel", "udpipe",
    ),
    Entry(
        "biaffine", "graph", "biaffine scores over a BiLSTM, best tree",
        "treegauge.parsers.neural.biaffine", "BiaffineParser", "BiaffineModel", "neural",
    ),
    Entry(
        "pointer", "transitions", "points at each word's head from left to right, over a BiLSTM",
        "treegauge.parsers.neural.pointer", "PointerParser", "PointerModel", "neural",
    ),
    Entry(
        "labelling", "labels", "trees written as labels, tagged by a BiLSTM",
        "treegauge.parsers.neural.labelling", "LabellingParser", "LabellingModel", "neural",
    ),
    Entry(
        "command", "any", "any other program, by a template of commands",
        "treegauge.parsers.command", "CommandParser", "CommandModel",
    ),
)  # fmt: skip
PARSERS = {entry.name: entry for entry in _ENTRIES}


def find_parser(name: str) -> Entry:
    """Return a parser by name; unknown names get the choices."""
    if name not in PARSERS:
        raise ChoiceError("parser", name, PARSERS)
    return PARSERS[name]


def make_parser(name: str, **options: Any) -> "Parser":
    """Return a parser with its options set.

    Examples
    --------
    >>> parser = make_parser("mst", epochs=3)
    >>> parser.options.epochs
    3
    """
    entry = find_parser(name)
    known = [one.name for one in fields(entry.options)]
    for option in options:
        if option not in known:
            raise ChoiceError(f"option of {name}", option, known)
    return entry.make(entry.options(**options))


def load_model(path: Source) -> "Model":
    """Load any model that treegauge wrote."""
    header, arrays = load_archive(path)
    entry = find_parser(header["parser"])
    try:
        return entry.load(header, arrays)
    except TreegaugeError:
        raise
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise TreegaugeError(f"{path} is a damaged model of {entry.name}: {error!r}") from error


@dataclass(frozen=True)
class Listing(Result):
    """All parsers with their options."""

    signature: str = sign(v="parsers")

    @property
    def table(self) -> "pl.DataFrame":
        """One row a parser and option."""
        import polars as pl

        rows = [
            {
                "parser": entry.name, "paradigm": entry.paradigm, "needs": entry.needs or "",
                "option": one.name, "default": str(one.default),
                "meaning": one.metadata.get("meaning", ""),
            }
            for entry in PARSERS.values()
            for one in fields(entry.options)
        ]  # fmt: skip
        rows += [
            {
                "parser": "command", "paradigm": "any", "needs": "",
                "option": f"template={one.name}", "default": "", "meaning": one.about,
            }
            for one in templates().values()
        ]  # fmt: skip
        return pl.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return signature and parsers."""
        return {"signature": self.signature, "parsers": self.table.to_dicts()}

    def __str__(self) -> str:
        lines = []
        for entry in PARSERS.values():
            extra = f" (needs pip install 'treegauge[{entry.needs}]')" if entry.needs else ""
            lines.append(f"{entry.name}: {entry.paradigm}; {entry.meaning}{extra}")
            lines += [
                f"  {one.name}={one.default}  {one.metadata.get('meaning', '')}"
                for one in fields(entry.options)
            ]
        lines.append("templates of command:")
        lines += [f"  {one.name}: {one.about}" for one in templates().values()]
        return "\n".join(lines)
