"""Several treebanks, or several parsers, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.dynamics.cartography import mean_map
from treegauge.dynamics.item_response import fit_item_response, responses
from treegauge.dynamics.jobs import Engine, Keeping
from treegauge.dynamics.recorder import probabilistic
from treegauge.dynamics.recording import Recording
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import read_conllu, read_splits
from treegauge.treebanks.sources import Errors

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Parts", "SideBySide", "engines", "read_parts", "side_by_side", "word_table"]


@dataclass(frozen=True, eq=False)
class SideBySide(Result):
    """Results of one kind in one table."""

    results: tuple[Result, ...]
    signature: str
    digits: ClassVar[int] = 3

    @property
    def table(self) -> "pl.DataFrame":
        """The rows of all results."""
        import polars as pl

        return pl.concat([one.table for one in self.results], how="diagonal")

    def to_dict(self) -> dict[str, Any]:
        """Return all rows, and the signature of each result."""
        return super().to_dict() | {"signatures": [one.signature for one in self.results]}


def side_by_side(results: Sequence[Result], what: str) -> Result:
    """Put results of one kind below each other; one alone stays as it is."""
    if not results:
        raise TreegaugeError("expected at least one result, found none")
    if len(results) == 1:
        return results[0]
    return SideBySide(tuple(results), sign(v=what, results=len(results)))


def word_table(recordings: Sequence[Recording], treebank: Treebank) -> "pl.DataFrame":
    """Return one row a word: its mean numbers, and its difficulty to several parsers or seeds.

    Parameters
    ----------
    recordings
        Of the treebank's words. Of two or more, columns of an item response model (2PL, a word is
        right if its head and its relation are) are added.
    treebank
        The words.
    """
    found = mean_map(recordings).words(treebank)
    if len(recordings) < 2 or not all(one.knows_right for one in recordings):
        return found
    fitted = fit_item_response(*responses(recordings, layer="both"))
    return found.hstack(fitted.words())


@dataclass(frozen=True, eq=False)
class Parts:
    """A treebank's parts that training needs."""

    name: str
    train: Treebank
    dev: Treebank | None

    @property
    def held(self) -> Treebank:
        """The dev part, or an error that says how to give one."""
        if self.dev is None:
            raise TreegaugeError(
                f"{self.name} has no dev part; expected a folder with one, or a dev file beside "
                "the train file"
            )
        return self.dev


def read_parts(source: str, dev: str | None = None, *, errors: Errors = "strict") -> Parts:
    """Read train and dev of a folder such as ``UD_Greek-GDT``, or of files.

    Parameters
    ----------
    source
        A folder, or a file to train on.
    dev
        A file to use in place of the folder's dev part.
    errors
        What to do about malformed sentences.
    """
    name = Path(source).resolve().name
    if Path(source).is_dir():
        parts = read_splits(source, errors=errors)
        if "train" not in parts:
            found = ", ".join(parts) or "no parts"
            raise TreegaugeError(f"{source}: found {found}, expected a train part")
        train, held = parts["train"], parts.get("dev")
    else:
        train, held = read_conllu(source, errors=errors), None
        name = train.name
    return Parts(name, train, held if dev is None else read_conllu(dev, errors=errors))


def engines(
    parsers: Sequence[str],
    *,
    epochs: int | None = None,
    options: Sequence[str] = (),
    keep: Path | None = None,
) -> list[Engine]:
    """Make the engines of parsers, each named with options of its own if need be.

    Parameters
    ----------
    parsers
        Such as ``mst`` or ``mst rate=0.01 ending=2``.
    epochs, options
        For all of them.
    keep
        A folder to keep recordings in.

    Examples
    --------
    >>> [one.label for one in engines(["mst", "mst rate=0.01"], epochs=3)]
    ['mst training=loglinear epochs=3 label_epochs=3',
     'mst training=loglinear epochs=3 label_epochs=3 rate=0.01']
    """
    made: list[Engine] = []
    for text in parsers:
        name, *own = text.split()
        engine = probabilistic(name, epochs=epochs, options=[*options, *own])
        made.append(engine if keep is None else Keeping(engine, keep))
    if not made:
        raise TreegaugeError("expected at least one parser, found none")
    return made
