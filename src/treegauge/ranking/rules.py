r"""Rules that combine many treebanks into one ranking, and the stability of each over subsets.

Rules that average scores:

- ``mean``: the mean score over treebanks.
- ``median``: the median score.
- ``error-reduction``: the mean over treebanks of the share of errors of the average system that a
  system avoids, :math:`100 (s_t - r_t) / (100 - r_t)` with :math:`r_t` the mean of the systems.

Rules that only use which system scores higher on which treebank:

- ``borda``: the share of comparisons with other systems that a system wins, ties half; without
  gaps this is the order of average ranks.
- ``bradley-terry``: strengths by which the comparisons are most probable; see
  :mod:`treegauge.ranking.strengths`.

Missing scores are filled for the first three (see
:func:`~treegauge.ranking.leaderboard.filled_scores`). The
others compare two systems over the treebanks on which both have a score.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.platforms import map_threads, worker_count
from treegauge.core.result import RowsResult, countersign
from treegauge.ranking.leaderboard import Leaderboard, Ranks, metric_name
from treegauge.ranking.stability.named_subsets import Constraint, constraints_of
from treegauge.ranking.stability.sampler import BLOCK, Sampler, sizes_of, sizes_text
from treegauge.ranking.strengths import RankSets, advantages, bradley_terry, families_of, rank_sets, strengths, votes_of
from treegauge.statistics.units import GENUS

if TYPE_CHECKING:
    import polars as pl


Rule = Literal["mean", "median", "error-reduction", "borda", "bradley-terry"]
RULES: tuple[Rule, ...] = get_args(Rule)
POINTS: dict[Rule, str] = {
    "mean": "{}", "median": "median {}", "error-reduction": "error reduction %",
    "borda": "comparisons won %", "bradley-terry": "strength",
}  # fmt: skip
"""The name in tables of the number by which a rule ranks; {} is the metric."""


def rules_of(given: Sequence[str] | str) -> tuple[Rule, ...]:
    """Return rules by name, without repeats; ``all`` means all rules."""
    names = [given] if isinstance(given, str) else given
    chosen: dict[Rule, None] = {}
    for name in names:
        if name != "all" and name not in RULES:
            raise ChoiceError("rule", name, [*RULES, "all"])
        chosen |= dict.fromkeys(rule for rule in RULES if name in {"all", rule})
    return tuple(chosen)


class Ballots(NamedTuple):
    """The data of a leaderboard that rules use: filled scores, error reductions, comparisons.

    `votes` are treebanks x systems x systems; the others systems x treebanks.
    """

    scores: NDArray[np.float64]
    reductions: NDArray[np.float64]
    votes: NDArray[np.float64]

    @classmethod
    def of(cls, board: Leaderboard, rules: Sequence[Rule] = RULES) -> "Ballots":
        """Return the data of a leaderboard for the given rules."""
        scores = board.filled
        average = scores.mean(axis=0)
        if "error-reduction" in rules and average.max() >= 100:
            worst = board.treebanks[int(average.argmax())]
            raise TreegaugeError(
                f"{worst}: the average system scores {average.max():g} and makes no errors that "
                "could be avoided; leave the treebank out or choose another rule"
            )
        left = np.where(average < 100, 100 - average, np.nan)
        return cls(scores, 100 * (scores - average) / left, votes_of(board))

    def points(self, rule: Rule, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return subsets x systems: more is better; `chosen` is subsets x treebanks.

        Sums are rounded to 1e-9, so that equal sums are equal in any order of addition.
        """
        if rule == "bradley-terry":
            return np.round(strengths(self._votes(chosen)), 9)
        if rule == "borda":
            return np.round(borda(self._votes(chosen)), 9)
        if rule == "median":
            medians = [np.median(self.scores[:, row], axis=1) for row in chosen]
            return np.asarray(np.round(medians, 9), dtype=np.float64)
        scores = self.scores if rule == "mean" else self.reductions
        return np.asarray(np.round(chosen @ scores.T / chosen.sum(axis=1, keepdims=True), 9))

    def _votes(self, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        flat = self.votes.reshape(len(self.votes), -1)
        return np.asarray((chosen.astype(np.float64) @ flat).reshape(-1, *self.votes.shape[1:]))


def borda(votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of comparisons that each system wins, in percent, from (..., row, column).

    Every other system counts the same, however many treebanks there are to compare with it; a
    system that cannot be compared with another counts as its equal.
    """
    games = votes + np.swapaxes(votes, -1, -2)
    share = np.divide(votes, games, out=np.full_like(votes, 0.5), where=games > 0)
    others = max(votes.shape[-1] - 1, 1)
    own = 0.5 * (votes.shape[-1] > 0)  # the diagonal has no games
    return np.asarray(100 * (share.sum(axis=-1) - own) / others)


SUBSETS = 1000
"""The default number of random subsets of treebanks."""
_SLICE = 256
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class RuleStability(RowsResult):
    """Agreement of rankings over subsets with the ranking over all treebanks, one row per rule.

    Kendall's tau-b (mean and standard deviation over subsets), the share of subsets with the same
    leader, and the mean number of ranks by which a system moves. `subsets_text` has these in words.
    """

    subsets_text: str = "subsets"
    kind: ClassVar[str] = "rule stability"
    digits: ClassVar[Any] = {"tau": 3, "tau_sd": 3, "top1": 3, "moved": 2}

    def shown(self) -> tables.Table:
        """Return the rows with readable column names."""
        names = {"tau": "tau", "tau_sd": "sd", "top1": "same leader %", "moved": "ranks moved"}
        several = len({row["size"] for row in self.rows}) > 1
        kept = {"rule": "rule", **({"size": "size"} if several else {}), **names}
        return [
            {shown: 100 * row[name] if name == "top1" else row[name] for name, shown in kept.items()}
            for row in self.rows
        ]

    def own_text(self) -> str:
        """Return the table and an explanation of its columns."""
        digits = {"tau": 3, "sd": 3, "same leader %": 1}
        return (
            f"{tables.to_text(self.shown(), digits=digits)}\n"
            f"Over {self.subsets_text}: agreement of a rule's ranking with its ranking over\n"
            "all treebanks (Kendall's tau), and by how many ranks a system moves.\n"
            f"{self.signature}"
        )


@dataclass(frozen=True, eq=False)
class RuleRanks(Ranks):
    """Ranks of systems by one or more rules, over all treebanks and over random subsets.

    Attributes
    ----------
    points, ranks
        Rules x systems: the points of a rule, and the ranks over all treebanks.
    sampled
        Rules x subsets x systems: ranks over the subsets.
    sets
        Confidence sets of the ranks, for the rules that have them: mean and Bradley-Terry.
    """

    board: Leaderboard
    rules: tuple[Rule, ...]
    points: Floats
    ranks: Floats
    sampled: Floats
    sets: dict[Rule, RankSets]
    signature: str
    kind: ClassVar[str] = "rules"
    unit: ClassVar[str | None] = "percent"
    digits: ClassVar[Any] = dict.fromkeys((*RULES, "rank", "best", "median", "worst"))

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row per rule and system, in the order of the rule's ranking."""
        import polars as pl

        parts = []
        for i, rule in enumerate(self.rules):
            sets, number = self.sets.get(rule), len(self.board.systems)
            low, high = (None, None) if sets is None else sets
            columns = {
                "rule": [rule] * number, "rank": self.ranks[i],
                "rank_low": [None] * number if low is None else low,
                "rank_high": [None] * number if high is None else high,
                "system": self.board.systems, "points": self.points[i],
                "best": self.sampled[i].min(axis=0), "median": np.median(self.sampled[i], axis=0),
                "worst": self.sampled[i].max(axis=0), "mean": self.sampled[i].mean(axis=0),
            }  # fmt: skip
            kinds = {"rank_low": pl.Int64, "rank_high": pl.Int64}
            part = pl.DataFrame(columns, schema_overrides=kinds)
            parts.append(part.sort("rank", "mean", "system"))
        return pl.concat(parts)

    def shown(self) -> "pl.DataFrame":
        """Return one rule's ranking with the ranks over subsets, or the ranks by each rule."""
        import polars as pl

        if len(self.rules) > 1:
            ranks = dict(zip(self.rules, self.ranks, strict=True))
            frame = pl.DataFrame({"system": self.board.systems, **ranks})
            return frame.sort(self.rules[0], "system")
        (rule,) = self.rules
        points = POINTS[rule].format(metric_name(self.board.metric))
        frame = self.table.drop("rule").rename({"points": points, "mean": "mean rank"})
        ends = pl.format("{}-{}", "rank_low", "rank_high").alias("95 % set")
        frame = frame.with_columns(ends).drop("rank_low", "rank_high")
        first = ["rank", *(["95 % set"] if rule in self.sets else []), "system"]
        rest = [name for name in frame.columns if name not in {*first, "95 % set"}]
        return frame.select(*first, *rest)

    def own_text(self) -> str:
        """Return the ranks, with a note on gaps."""
        lines = [tables.to_text(self.shown(), digits=self.digits), ""]
        if len(self.rules) > 1:
            lines.append("Rank of each system over all treebanks, by rule.")
        if self.sets and len(self.rules) == 1:
            lines.append("95 % set: confidence set of the rank by this rule over all treebanks of these families.")
        if self.board.gaps:
            share = 100 * self.board.gaps / self.board.values.size
            lines.append(
                f"{self.board.gaps} scores ({share:.1f} %) are missing: comparisons are over the "
                "treebanks that two systems share;\nfor means and medians they are predicted "
                "from the other scores of system and treebank."
            )
        return "\n".join([*lines, self.signature])


def ranks_by_row(points: Floats) -> Floats:
    """Return the ranks in each row, 1 for the most points."""
    better = (points[:, None, :] > points[:, :, None]).sum(axis=2)
    equal = (points[:, None, :] == points[:, :, None]).sum(axis=2) - 1
    return np.asarray(1 + better + equal / 2, dtype=np.float64)


def kendall(full: Floats, ranks: Floats) -> Floats:
    """Return tau-b of a ranking with each of many; 1 if all systems tie in both."""
    upper = np.triu_indices(len(full), 1)
    full_signs = np.sign(full[upper[0]] - full[upper[1]])
    signs = np.sign(ranks[:, upper[0]] - ranks[:, upper[1]])
    scale = np.sqrt((full_signs**2).sum() * (signs**2).sum(axis=1))
    tau = np.divide(signs @ full_signs, scale, out=np.ones(len(ranks)), where=scale > 0)
    return np.asarray(tau, dtype=np.float64)


def rule_ranks(
    board: Leaderboard,
    rules: Sequence[Rule],
    *,
    size: int | str | Iterable[int] = 10,
    subsets: int = SUBSETS,
    seed: int = 0,
    constraints: Iterable[str | Constraint] = (),
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> RuleRanks:
    """Rank systems by rules, over all treebanks and over random subsets of them.

    If there are no more subsets than `subsets`, all of them are counted instead. All rules use the
    same subsets; the parameters are those of :func:`treegauge.rank`.
    """
    if subsets < 1:
        raise TreegaugeError(f"subsets {subsets}: expected 1 or more")
    if len(board.systems) < 2:
        raise TreegaugeError("one system: expected two or more to rank")
    bound = constraints_of(constraints)
    sampler = Sampler(board, sizes_of(size, len(board.treebanks)), seed, bound, most=subsets)
    number = sampler.complete
    samples = subsets if number is None else number
    ballots = Ballots.of(board, rules)
    every = np.ones((1, len(board.treebanks)), dtype=bool)
    points = np.concatenate([ballots.points(rule, every) for rule in rules])
    _ = sampler.plan  # computed once, before threads need it

    def ranked(first: int) -> Floats:
        block, at = divmod(first, BLOCK)
        chosen = sampler.block(block)[:, at : at + min(_SLICE, samples - first)].T.astype(bool)
        found = np.stack([ranks_by_row(ballots.points(rule, chosen)) for rule in rules])
        if progress is not None:
            progress(len(chosen))
        return found

    starts = range(0, samples, _SLICE)
    sampled = np.concatenate([*map_threads(ranked, starts, worker_count(workers))], axis=1)
    full = ranks_by_row(points)
    sets = _sets(board, rules)
    signature = countersign(
        board.signature, rule="+".join(rules), size=sizes_text(sampler.sizes),
        subsets=samples if number is None else "all",
        constraints=",".join(map(str, bound)) or None,
        seed=seed if number is None else None, units=GENUS if sets else None,
    )  # fmt: skip
    rows = [
        {"rule": rule, "size": size, **_agreement(full[i], sampled[i][at :: len(sampler.sizes)])}
        for i, rule in enumerate(rules)
        for at, size in enumerate(sampler.sizes)
        if at < samples
    ]
    return RuleRanks(
        board, tuple(rules), points, full, sampled, sets, signature,
        attached={
            "stability": RuleStability(rows, signature, subsets_text=sampler.described(samples))
        },
    )  # fmt: skip


def _agreement(full: Floats, ranks: Floats) -> dict[str, float]:
    tau = kendall(full, ranks)
    leaders = full == full.min()
    same = (ranks[:, leaders].min(axis=1) == ranks.min(axis=1)).mean()
    moved = np.abs(ranks - full).mean()
    return {"samples": len(ranks), "tau": float(tau.mean()), "tau_sd": float(tau.std()),
            "top1": float(same), "moved": float(moved)}  # fmt: skip


def _sets(board: Leaderboard, rules: Sequence[Rule]) -> dict[Rule, RankSets]:
    """Return confidence sets of ranks, if there are enough treebanks."""
    codes, sets = families_of(board), dict[Rule, RankSets]()
    if codes is not None and "mean" in rules:
        sets["mean"] = rank_sets(advantages(board, codes))
    if codes is not None and "bradley-terry" in rules:
        sets["bradley-terry"] = bradley_terry(board).ranks
    return sets
