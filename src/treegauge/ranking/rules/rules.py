r"""Rules that combine many treebanks into one ranking.

Rules that average scores:

- ``mean``: the mean score over treebanks.
- ``median``: the median score.
- ``error-reduction``: the mean over treebanks of the share of errors of the average system that a
  system avoids, :math:`100 (s_t - r_t) / (100 - r_t)` with :math:`r_t` the mean of the systems.

Rules that only use which system scores higher on which treebank:

- ``borda``: the share of comparisons with other systems that a system wins, ties half; without
  gaps this is the order of average ranks.
- ``bradley-terry``: strengths by which the comparisons are most probable; see
  :mod:`treegauge.ranking.comparing.strengths`.

Missing scores are filled for the first three (see
:func:`~treegauge.ranking.tables.leaderboard.filled_scores`). The
others compare two systems over the treebanks on which both have a score.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.comparing.strengths import strengths, votes_of
from treegauge.ranking.tables.leaderboard import Leaderboard

Rule = Literal["mean", "median", "error-reduction", "borda", "bradley-terry"]
RULES: tuple[Rule, ...] = get_args(Rule)
POINTS: dict[Rule, str] = {
    "mean": "{}", "median": "median {}", "error-reduction": "error reduction %",
    "borda": "comparisons won %", "bradley-terry": "strength",
}  # fmt: skip
"""The name in tables of the number by which a rule ranks; {} is the metric."""
Floats = NDArray[np.float64]


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

    scores: Floats
    reductions: Floats
    votes: Floats

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

    def points(self, rule: Rule, chosen: NDArray[np.bool_]) -> Floats:
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

    def _votes(self, chosen: NDArray[np.bool_]) -> Floats:
        flat = self.votes.reshape(len(self.votes), -1)
        return np.asarray((chosen.astype(np.float64) @ flat).reshape(-1, *self.votes.shape[1:]))


def borda(votes: Floats) -> Floats:
    """Return the share of comparisons that each system wins, in percent, from (..., row, column).

    Every other system counts the same, however many treebanks there are to compare with it; a
    system that cannot be compared with another counts as its equal.
    """
    games = votes + np.swapaxes(votes, -1, -2)
    share = np.divide(votes, games, out=np.full_like(votes, 0.5), where=games > 0)
    others = max(votes.shape[-1] - 1, 1)
    own = 0.5 * (votes.shape[-1] > 0)  # the diagonal has no games
    return np.asarray(100 * (share.sum(axis=-1) - own) / others)
