"""The section on learning: curves by class, complexity, data-size equivalents, transfer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result
from treegauge.core.text_formats import parse_json
from treegauge.core.verbs import command
from treegauge.learning.curve import BANDS, advise, complexity, curve, equivalent
from treegauge.learning.curves.advising import Outlook, expected_gain
from treegauge.learning.curves.class_counts import ALL, Attachments, joined_counts, read_attachments
from treegauge.learning.curves.equivalents import REACH
from treegauge.learning.curves.gathering import stored_counts
from treegauge.learning.curves.score_grid import AVERAGE, grid_of
from treegauge.learning.transfer import transfer
from treegauge.reporting.figures.curves import curve_data
from treegauge.reporting.inputs import PageInputs
from treegauge.reporting.methods import Method, make_method, treebank_of
from treegauge.reporting.page import Section
from treegauge.scoring.metrics.convention import Convention

#: Budgets of further sentences for which the page has the gain: these times powers of ten.
STEPS = (1, 1.5, 2, 3, 4, 5, 7)
#: The smallest gain in points for which a doubling of the data is worth it.
WORTH = 1.0
_POINT = ("parser", "treebank", "class", "size", "score", "low", "high", "relative", "share")


@dataclass(frozen=True)
class Votes:
    """The result of ``treegauge transfer --format json``."""

    name: str
    signature: str
    rows: Sequence[Mapping[str, Any]]

    def command(self, homes: Mapping[str, str]) -> str:
        """Return the command that reproduces the votes, as far as the signature allows.

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
        limit = choices.get("train", "all").removeprefix("first").removeprefix("all")
        return command(
            transfer, *words, parser=choices.get("parser") or None, limit=limit or None,
            seed=choices.get("seed") or None,
            option=list(filter(None, choices.get("options", "").split("+"))),
            leave_one_out=any(row.get("left_out") for row in self.rows), format="json",
        )  # fmt: skip

    @classmethod
    def read(cls, path: Path) -> "Votes":
        """Read such a file."""
        try:
            content = parse_json(path.read_bytes())
            votes = content.get("scores", content)
            return cls(path.stem, str(votes["signature"]), votes["rows"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            expected = "expected what `treegauge transfer --format json` writes"
            raise TreegaugeError(f"{path}: {expected}") from error


def learning_section(inputs: PageInputs, stores: Sequence[Path], convention: Convention) -> Section:
    """Return the section made from counts, stores of curves and results of transfer."""
    data: dict[str, Any] = {"curves": [], "complexity": [], "advice": [], "average": AVERAGE, "treebanks": []}
    tables: list[tuple[str, Result]] = []
    methods: list[Method] = []
    short: list[str] = []
    folders = inputs.folders
    parts = [read_attachments(path) for path in inputs.counts]
    parts += [stored_counts(path, folders=folders.values(), convention=convention) for path in stores]
    if parts:
        counts = parts[0] if len(parts) == 1 else joined_counts(parts)
        average = curve(counts)
        each = curve(counts, treebank="each", resamples=100)
        names = _readable(counts.treebanks)
        several = len(names) > 1
        names |= {AVERAGE: AVERAGE if several else next(iter(names.values()))}
        data["curves"] = [
            [names[row[name]] if name == "treebank" else row[name] for name in _POINT]
            for curves in ([average, each] if several else [average])
            for row in curve_data(curves)
        ]
        data |= {"notes": list(average.notes), "metric": counts.metric}
        data["treebanks"] = [names[name] for name in counts.treebanks]
        tables.append(("Learning curves", average))
        whole = average.table.filter(average.table["class"] == ALL)
        ends = whole.filter(whole["parser"] == whole["parser"][0]).sort("size").tail(2)
        # The score shown first is halfway between the last two points.
        data["score"] = round(float(ends["score"].to_numpy().mean()), 1)
        given = list(map(inputs.command_path, [*inputs.counts, *stores]))
        placed = command(equivalent, *given, score=f"{data['score']:g}")
        methods += [
            make_method("learning_curves", average.signature, command(curve, *given)),
            make_method("equivalents", average.signature, placed),
        ]
        short.append(_short(ends, data["treebanks"]))
        data["advice"] = [one | {"treebank": names[one["treebank"]]} for one in outlooks(counts)]
        if data["advice"]:
            first = data["advice"][0]
            chosen = counts.select(parsers=[first["parser"]], treebanks=[counts.treebanks[0]])
            signature = expected_gain(chosen, BANDS, budget=first["have"]).signature
            placed = command(
                advise, *given, budget=first["have"], treebank=counts.treebanks[0] if several else None,
                parser=first["parser"] if len(counts.parsers) > 1 else None,
            )  # fmt: skip
            methods.append(make_method("advice", signature, placed))
        classes = counts.frame.filter(counts.frame["class"] != ALL)
        if any(total >= BANDS.min_words for total in classes["total"]):
            simple = complexity(counts)
            data["complexity"] = simple.table.to_dicts()
            data["correlations"] = simple.correlations.to_dicts()
            data["notes"] = list(dict.fromkeys([*average.notes, *simple.notes]))
            tables.append(("Complexity", simple))
            made = command(complexity, *given)
            methods.append(make_method("complexity", simple.signature, made))
    votes = [Votes.read(path) for path in inputs.transfers]
    data["transfers"] = [{"name": vote.name, "signature": vote.signature, "rows": list(vote.rows)} for vote in votes]
    homes = {name: inputs.command_path(folder) for name, folder in folders.items()}
    methods += [make_method("transfer", vote.signature, vote.command(homes), of=vote.name) for vote in votes]
    text = (
        "Learning curves by class of words, classes that are learned late, and data-size "
        "equivalents: the number of annotated sentences that a score corresponds to."
    )
    return Section("learning", "Learning", text, data, tables, methods, short, treebanks=data["treebanks"])


def budgets(have: int) -> list[int]:
    """Return the budgets of further sentences that the page offers, as far as gains were checked.

    Examples
    --------
    >>> budgets(40)
    [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300]
    """
    ladder = {int(step * 10**power) for power in range(7) for step in STEPS} | {have}
    return [number for number in sorted(ladder) if have / 50 <= number <= (REACH - 1) * have]


def outlooks(counts: Attachments) -> list[dict[str, Any]]:
    """Return what ``curve advise`` says of each parser and treebank, for a grid of budgets.

    Curves of fewer than three sizes are left out. A point is a budget, the score then, the gain and its interval.
    """
    found = []
    for parser in counts.parsers:
        for treebank in counts.treebanks:
            own = counts.select(parsers=[parser], treebanks=[treebank])
            if own.frame["size"].n_unique() < 3:
                continue
            grid = grid_of(own)
            outlook = Outlook(grid, BANDS, int(grid.sizes[-1]))
            now, score = outlook.now, float(outlook.before[0])
            points = []
            for budget in budgets(now):
                low, high = (float(end[0]) for end in outlook.limits(now + budget))
                gain = float(outlook.gains(now + budget)[0])
                points.append([budget, score + gain, gain, *(end if np.isfinite(end) else None for end in (low, high))])
            found.append({
                "parser": parser, "treebank": treebank, "have": now, "now": score,
                "words": int(grid.total[0, 0]), "doubling": float(outlook.raw(2 * now)[0]), "worth": WORTH,
                "flat": outlook.mixture.flattening(grid.means[0, :, 0], WORTH),
                "points": [[value if value is None else round(value, 4) for value in point] for point in points],
                "notes": outlook.notes(2 * now),
            })  # fmt: skip
    return found


def _readable(names: Sequence[str]) -> dict[str, str]:
    """Return the names by which readers filter treebanks, unless two sets would share one."""
    short = {name: treebank_of(name) for name in names}
    return short if len(set(short.values())) == len(names) else {name: name for name in names}


def _short(last: "pl.DataFrame", treebanks: Sequence[str]) -> str:
    """Return sentences on how much the last training sentences added."""
    where = f"on average over {len(treebanks)} treebanks"
    where = where if len(treebanks) > 1 else f"on {treebanks[0]}"
    parser, sizes, scores = (last[name].to_list() for name in ("parser", "size", "score"))
    metric = last["metric"][0]
    if len(sizes) < 2:
        return f"{parser[0]} reaches {metric} {scores[0]:.1f} {where} with {sizes[0]} sentences."
    return (
        f"{parser[1]} reaches {metric} {scores[1]:.1f} {where} with {sizes[1]} sentences "
        f"({scores[1] - scores[0]:+.1f} points compared with {sizes[0]} sentences)."
    )
