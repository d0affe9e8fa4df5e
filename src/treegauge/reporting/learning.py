"""The section on learning: curves by class, complexity, what scores are worth, transfer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.curves.attachments import ALL, Attachments
from treegauge.curves.complexity import complexities
from treegauge.curves.learning import AVERAGE, MIN_WORDS, learning_curves
from treegauge.reporting.maths import equation, fraction, power, sub
from treegauge.reporting.section import Method, Section
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result

if TYPE_CHECKING:
    import polars as pl

_TOLD = ("parser", "treebank", "class", "size", "score", "low", "high", "relative", "share")


@dataclass(frozen=True)
class Transfer:
    """What ``treegauge transfer vote --format json`` wrote."""

    name: str
    signature: str
    rows: Sequence[Mapping[str, Any]]

    def command(self, homes: Mapping[str, str]) -> str:
        """Return the command that makes the votes again, as far as they tell how they were made.

        Examples
        --------
        >>> rows = [{"left_out": "", "sources": "UD_B+UD_C"}, {"left_out": "UD_B"}]
        >>> Transfer("x", "treegauge:1|tb:UD_A/test#0|parser:mst|seed:1", rows).command({})
        'treegauge transfer vote UD_A UD_B UD_C --parser mst --seed 1 --leave-one-out --format json'
        """
        told = dict(part.partition(":")[::2] for part in self.signature.split("|"))
        target = told.get("tb", "TARGET").partition("#")[0].partition("/")[0]
        sources = str(self.rows[0].get("sources") or "SOURCE...").split("+") if self.rows else []
        words = [homes.get(name, name) for name in [target, *sources]]
        train = told.get("train", "all")
        wanted = {
            "parser": told.get("parser"),
            "limit": train.removeprefix("first") if train != "all" else None,
            "seed": told.get("seed"),
        }
        words += [f"--{name} {value}" for name, value in wanted.items() if value]
        words += [f"--option {one}" for one in filter(None, told.get("options", "").split("+"))]
        if any(row.get("left_out") for row in self.rows):
            words.append("--leave-one-out")
        if told.get("trees") == "pooled":
            words.append("--probabilities")
        return " ".join(["treegauge transfer vote", *words, "--format json"])

    @classmethod
    def read(cls, path: Path) -> "Transfer":
        """Read such a file."""
        try:
            found = _votes(path)
            return cls(path.stem, str(found["signature"]), found["rows"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            told = "is not what `transfer vote --format json` writes"
            raise TreegaugeError(f"{path} {told}") from error


def _votes(path: Path) -> Any:
    """Return the part with the votes; the command prints weights around it."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return found.get("scores", found)


def is_transfer(path: Path) -> bool:
    """Say whether a JSON file holds votes of transferred parsers."""
    try:
        return "left_out" in _votes(path)["rows"][0]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return False


def learning_section(
    counts: Attachments | None,
    given: str = "",
    transfers: Sequence[Transfer] = (),
    homes: Mapping[str, str] | None = None,
) -> Section:
    """Make the section.

    Parameters
    ----------
    counts
        Right words by treebank, parser, size, sampling and class.
    given
        What commands name.
    transfers
        Votes of parsers of other languages.
    homes
        What commands call treebanks' folders, by name.
    """
    short: list[str] = []
    data: dict[str, Any] = {"curves": [], "complexity": [], "average": AVERAGE}
    tables: list[tuple[str, Result]] = []
    methods: list[Method] = []
    if counts is not None:
        average = learning_curves(counts)
        each = learning_curves(counts, each=True, resamples=100)
        simple = complexities(counts) if _classed(counts) else None
        data["curves"] = [
            [row[name] for name in _TOLD]
            for frame in (average.table, each.table if len(counts.treebanks) > 1 else None)
            if frame is not None
            for row in frame.iter_rows(named=True)
        ]
        data["notes"] = list(average.notes)
        tables.append(("Learning curves", average))
        if simple is not None:
            data["complexity"] = simple.table.to_dicts()
            data["correlations"] = simple.correlations.to_dicts()
            data["notes"] = list(dict.fromkeys([*average.notes, *simple.notes]))
            tables.append(("Complexity", simple))
        data["score"] = _asked(average.table)
        methods += _methods(average, simple, given, data["score"])
        short.append(_short(average.table))
    data["transfers"] = [
        {"name": one.name, "signature": one.signature, "rows": list(one.rows)} for one in transfers
    ]
    methods += [
        Method(
            f"Transfer: {one.name}",
            "",
            "UAS of a vote of parsers trained on other languages' tags and trees; the gain of a "
            "source is what the vote loses without it.",
            "as in the signature",
            one.signature,
            one.command(homes or {}),
            ("challenges",),
        )
        for one in transfers
    ]
    text = (
        "How scores grow with the number of annotated sentences, class by class; which classes "
        "are learned late; and how many sentences a score is worth."
    )
    return Section("learning", "Learning", text, data, tables, methods, short)


def _ends(curves: "pl.DataFrame") -> "pl.DataFrame":
    """Return the last two points of the first parser's curve of all words."""
    whole = curves.filter(curves["class"] == ALL)
    return whole.filter(whole["parser"] == whole["parser"][0]).sort("size").tail(2)


def _asked(curves: "pl.DataFrame") -> float:
    """Return a score to ask the worth of first: half way between the last two points."""
    return round(float(_ends(curves)["score"].to_numpy().mean()), 1)


def _short(curves: "pl.DataFrame") -> str:
    """Say what the last sentences brought."""
    last = _ends(curves)
    parser, sizes, scores = (last[name].to_list() for name in ("parser", "size", "score"))
    if len(sizes) < 2:
        return f"{parser[0]} reaches a UAS of {scores[0]:.1f} with {sizes[0]} sentences."
    return (
        f"{parser[1]} reaches a UAS of {scores[1]:.1f} with {sizes[1]} sentences, "
        f"{scores[1] - scores[0]:+.1f} over {sizes[0]}."
    )


def _classed(counts: Attachments) -> bool:
    """Say whether any class has enough words to speak of its complexity."""
    classes = counts.frame.filter(counts.frame["class"] != ALL)
    return any(total >= MIN_WORDS for total in classes["total"])


def _methods(average: Result, simple: Result | None, given: str, asked: float) -> list[Method]:
    ratio = fraction(f"{sub('U', 's')}<mo>[C]</mo>", f"{sub('U', 'max')}<mo>[C]</mo>")
    methods = [
        Method(
            "Learning curves",
            equation("r = ", f"<mrow>{ratio}</mrow>"),
            "U is the share of words of class C with the right head after training on s "
            "sentences, in the mean over samplings and then over treebanks; r is the relative "
            "curve, 1 at the largest size.",
            "treebanks with few test words of a class are left out of its average; bands hold "
            "95 % of resampled means",
            average.signature,
            f"treegauge curve show {given}",
            ("challenges",),
        ),
        Method(
            "Equivalents",
            equation("n(x) = ", power("e", "t"), ", U(t) = x"),
            "The smallest number of sentences with which the curve reaches a score x: linear in "
            "t, the logarithm of the size, after the curve was made non-decreasing by least "
            "squares.",
            "never extrapolated",
            average.signature,
            f"treegauge curve equivalent {given} --score {asked:g}",
            ("challenges",),
        ),
    ]  # fmt: skip
    if simple is not None:
        methods.append(
            Method(
                "Complexity",
                equation("100 ∫ ( ", fraction(sub("U", "s"), sub("U", "max")), " − ",
                         f"<mrow>{ratio}</mrow>", " ) d ln s"),
                "The area between the relative curve of all words and that of class C: above 0, "
                "the class is learned later than words as a whole.",
                "from the smallest to the largest size",
                simple.signature,
                f"treegauge curve complexity {given}",
                ("challenges",),
            )
        )  # fmt: skip
    return methods
