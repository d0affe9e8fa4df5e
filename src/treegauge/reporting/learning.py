"""The section on learning: curves by class, complexity, data-size equivalents, transfer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result
from treegauge.curves.attachments import ALL, Attachments
from treegauge.curves.curve import BANDS, complexity, curve
from treegauge.curves.learning import AVERAGE
from treegauge.figures.curves import curve_data
from treegauge.reporting.methods import Method, make_method
from treegauge.reporting.page import Section

if TYPE_CHECKING:
    import polars as pl

_POINT = ("parser", "treebank", "class", "size", "score", "low", "high", "relative", "share")


@dataclass(frozen=True)
class Votes:
    """The result of ``treegauge transfer --format json``."""

    name: str
    signature: str
    rows: Sequence[Mapping[str, Any]]

    def command(self, homes: Mapping[str, str]) -> str:
        """Return the command that reproduces the votes, as far as the signature says.

        Examples
        --------
        >>> rows = [{"left_out": "", "sources": "UD_B+UD_C"}, {"left_out": "UD_B"}]
        >>> Votes("x", "treegauge:1|tb:UD_A/test#0|parser:mst|seed:1", rows).command({})
        'treegauge transfer UD_A UD_B UD_C --parser mst --seed 1 --leave-one-out --format json'
        """
        choices = dict(part.partition(":")[::2] for part in self.signature.split("|"))
        target = choices.get("tb", "TARGET").partition("#")[0].partition("/")[0]
        sources = str(self.rows[0].get("sources") or "SOURCE...").split("+") if self.rows else []
        words = [homes.get(name, name) for name in [target, *sources]]
        train = choices.get("train", "all")
        wanted = {
            "parser": choices.get("parser"),
            "limit": train.removeprefix("first") if train != "all" else None,
            "seed": choices.get("seed"),
        }
        words += [f"--{name} {value}" for name, value in wanted.items() if value]
        words += [f"--option {one}" for one in filter(None, choices.get("options", "").split("+"))]
        if any(row.get("left_out") for row in self.rows):
            words.append("--leave-one-out")
        if choices.get("trees") == "pooled":
            words.append("--probabilities")
        return " ".join(["treegauge transfer", *words, "--format json"])

    @classmethod
    def read(cls, path: Path) -> "Votes":
        """Read such a file."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            votes = content.get("scores", content)
            return cls(path.stem, str(votes["signature"]), votes["rows"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            expected = "expected what `treegauge transfer --format json` writes"
            raise TreegaugeError(f"{path}: {expected}") from error


def learning_section(
    counts: Attachments | None,
    given: str = "",
    votes: Sequence[Votes] = (),
    homes: Mapping[str, str] | None = None,
) -> Section:
    """Make the section.

    Parameters
    ----------
    counts
        Correct words by treebank, parser, size, sample and class.
    given
        The files that commands name.
    votes
        Votes of parsers of other languages.
    homes
        Folders of treebanks as commands name them, by treebank.
    """
    short: list[str] = []
    data: dict[str, Any] = {"curves": [], "complexity": [], "average": AVERAGE}
    tables: list[tuple[str, Result]] = []
    methods: list[Method] = []
    if counts is not None:
        average = curve(counts)
        each = curve(counts, each=True, resamples=100)
        simple = complexity(counts) if _classed(counts) else None
        data["curves"] = [
            [row[name] for name in _POINT]
            for curves in ([average, each] if len(counts.treebanks) > 1 else [average])
            for row in curve_data(curves)
        ]
        data["notes"] = list(average.notes)
        tables.append(("Learning curves", average))
        if simple is not None:
            data["complexity"] = simple.table.to_dicts()
            data["correlations"] = simple.correlations.to_dicts()
            data["notes"] = list(dict.fromkeys([*average.notes, *simple.notes]))
            tables.append(("Complexity", simple))
        data["metric"] = counts.metric
        data["score"] = _asked(average.table)
        methods += _methods(average, simple, given, data["score"])
        short.append(_short(average.table))
    data["transfers"] = [
        {"name": one.name, "signature": one.signature, "rows": list(one.rows)} for one in votes
    ]
    methods += [
        make_method("transfer", one.signature, one.command(homes or {}), name=one.name)
        for one in votes
    ]
    text = (
        "Learning curves by class of words, classes that are learned late, and data-size "
        "equivalents: the number of annotated sentences that a score corresponds to."
    )
    return Section("learning", "Learning", text, data, tables, methods, short)


def _ends(curves: "pl.DataFrame") -> "pl.DataFrame":
    """Return the last two points of the first parser's curve of all words."""
    whole = curves.filter(curves["class"] == ALL)
    return whole.filter(whole["parser"] == whole["parser"][0]).sort("size").tail(2)


def _asked(curves: "pl.DataFrame") -> float:
    """Return the score whose equivalent is shown first: half way between the last two points."""
    return round(float(_ends(curves)["score"].to_numpy().mean()), 1)


def _short(curves: "pl.DataFrame") -> str:
    """Say how much the last sentences added."""
    last = _ends(curves)
    parser, sizes, scores = (last[name].to_list() for name in ("parser", "size", "score"))
    metric = last["metric"][0]
    if len(sizes) < 2:
        return f"{parser[0]} reaches {metric} {scores[0]:.1f} with {sizes[0]} sentences."
    return (
        f"{parser[1]} reaches {metric} {scores[1]:.1f} with {sizes[1]} sentences, "
        f"{scores[1] - scores[0]:+.1f} over {sizes[0]}."
    )


def _classed(counts: Attachments) -> bool:
    """Say whether any class has enough words for its complexity to be defined."""
    classes = counts.frame.filter(counts.frame["class"] != ALL)
    return any(total >= BANDS.min_words for total in classes["total"])


def _methods(average: Result, simple: Result | None, given: str, asked: float) -> list[Method]:
    placed = f"treegauge curve equivalent {given} --score {asked:g}"
    methods = [
        make_method("learning_curves", average.signature, f"treegauge curve {given}"),
        make_method("equivalents", average.signature, placed),
    ]
    if simple is not None:
        command = f"treegauge curve complexity {given}"
        methods.append(make_method("complexity", simple.signature, command))
    return methods
