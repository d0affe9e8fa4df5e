"""Words whose annotation a parser contradicts with confidence: candidates for errors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.dynamics.recording import LAYERS, Recording
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, countersign
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SCORES", "Candidate", "Candidates", "error_candidates", "suspicion"]

Floats = npt.NDArray[np.float64]
_SOFTENING = 0.5  # added to a relation's deviation, so that a rare one does not explode


def _odds(recording: Recording, treebank: Treebank) -> Floats:
    """Log-odds of the rival against gold, (layers, words)."""
    found = []
    for layer in LAYERS:
        odds = recording.rival_logp(layer).astype(np.float64) - recording.logp(layer)
        alone = (recording.rival(layer) < 0).any(axis=0)
        found.append(np.where(alone, odds.min(initial=0.0), odds.mean(axis=0)))
    return np.array(found)


def _loss(recording: Recording, treebank: Treebank) -> Floats:
    last = recording.head_logp[-1] + recording.relation_logp[-1]
    return -np.array([last, last], np.float64)


def _confidence(recording: Recording, treebank: Treebank) -> Floats:
    p = [np.exp(recording.logp(layer).astype(np.float64)).mean(axis=0) for layer in LAYERS]
    return 1 - np.array(p)


def _standardised(recording: Recording, treebank: Treebank) -> Floats:
    codes, values = treebank.codes("deprel")
    counts = np.bincount(codes, minlength=len(values))
    rows = []
    for odds in _odds(recording, treebank):
        mean = np.bincount(codes, odds) / counts
        apart = odds - mean[codes]
        spread = np.sqrt(np.bincount(codes, apart**2) / counts)
        rows.append(apart / (spread[codes] + _SOFTENING))
    return np.array(rows)


SCORES: dict[str, tuple[str, Callable[[Recording, Treebank], Floats]]] = {
    "standardised": ("log-odds, against words of the same relation", _standardised),
    "odds": ("log-odds of the rival against gold, mean over epochs", _odds),
    "confidence": ("one minus the mean probability of gold over epochs", _confidence),
    "loss": ("negative log-likelihood of gold after the last epoch", _loss),
}
"""Ways to score words by name, the best first: what they are and how they are computed."""


def suspicion(
    recording: Recording, treebank: Treebank, *, score: str = "standardised"
) -> tuple[Floats, npt.NDArray[np.int64]]:
    r"""Score every word by how much a parser contradicts its annotation.

    The score of a word is the larger one of its head and of its relation. With ``odds`` that is
    the mean over epochs of :math:`\log p(\text{rival}) - \log p(\text{gold})`; ``standardised``
    takes from it the mean of all words with the same relation and divides by their deviation, so
    that a relation which is hard everywhere does not crowd out the others.

    Parameters
    ----------
    recording
        With rivals; best of a parser that did not learn from these words
        (:func:`~treegauge.dynamics.crossfit.cross_fit`).
    treebank
        The words.
    score
        One of :data:`SCORES`.

    Returns
    -------
    scores, layers
        For each word its score, and 0 where it is that of the head, 1 of the relation.
    """
    if score not in SCORES:
        raise ChoiceError("score of words", score, SCORES)
    if recording.n_words != treebank.n_words:
        raise TreegaugeError(f"{recording!r} is not of {treebank!r}")
    both = SCORES[score][1](recording, treebank)
    layers = both.argmax(axis=0)
    return np.asarray(both[layers, np.arange(treebank.n_words)]), layers


@dataclass(frozen=True)
class Candidate:
    """One word that may be annotated wrongly.

    Attributes
    ----------
    number
        Number of the word in the whole treebank, from 0.
    sentence, word
        Number of the sentence and position in it, both from 1.
    of
        ``head`` or ``relation``: what is contradicted more.
    head, deprel
        What the treebank says.
    instead
        What the parser prefers: a head's position or a relation.
    p_gold, p_instead
        Mean probabilities over epochs.
    score
        What the words are ranked by.
    """

    number: int
    sentence: int
    sent_id: str | None
    word: int
    form: str
    upos: str
    head: int
    deprel: str
    of: str
    instead: str
    p_gold: float
    p_instead: float
    score: float

    def __str__(self) -> str:
        now = str(self.head) if self.of == "head" else self.deprel
        return (
            f"{self.word} {self.form}: {self.of} {now} -> {self.instead} "
            f"(p {self.p_gold:.3f} -> {self.p_instead:.3f}, score {self.score:.2f})"
        )


@dataclass(frozen=True, eq=False)
class Candidates(Result):
    """Words that may be annotated wrongly, the most suspicious first."""

    treebank: str
    found: tuple[Candidate, ...]
    signature: str
    digits: ClassVar[int] = 3

    def __len__(self) -> int:
        return len(self.found)

    @property
    def table(self) -> "pl.DataFrame":
        """One row a word."""
        import polars as pl

        kinds: dict[str, Any] = {
            "sentence": pl.Int64, "sent_id": pl.String, "word": pl.Int64, "form": pl.String,
            "upos": pl.String, "head": pl.Int64, "deprel": pl.String, "of": pl.String,
            "instead": pl.String, "p_gold": pl.Float64, "p_instead": pl.Float64,
            "score": pl.Float64,
        }  # fmt: skip
        rows = [{name: getattr(one, name) for name in kinds} for one in self.found]
        return pl.DataFrame(rows, schema=kinds)


def error_candidates(
    recording: Recording, treebank: Treebank, *, count: int = 100, score: str = "standardised"
) -> Candidates:
    """Rank the words whose annotation is contradicted, with the parser's alternative.

    A word counts as contradicted if its rival was the more likely one, on average over epochs.

    Parameters
    ----------
    recording, treebank, score
        As in :func:`suspicion`.
    count
        How many at most.

    Examples
    --------
    >>> from treegauge.dynamics.crossfit import cross_fit
    >>> from treegauge.dynamics.injection import inject_errors
    >>> from treegauge.dynamics.recorder import probabilistic
    >>> from treegauge.testing.synthetic import synthetic
    >>> made = inject_errors(synthetic(150, seed=1), 0.01, seed=0)
    >>> held_out = cross_fit(made.treebank, engine=probabilistic("mst", epochs=2), folds=3)
    >>> found = error_candidates(held_out, made.treebank, count=10)
    >>> bool(made.wrong[[one.number for one in found.found]].mean() >= 0.5)
    True
    """
    if count < 1:
        raise TreegaugeError(f"count: found {count}, expected at least 1")
    scores, layers = suspicion(recording, treebank, score=score)
    odds = _odds(recording, treebank)[layers, np.arange(treebank.n_words)]
    order = [i for i in np.argsort(-scores, kind="stable").tolist() if odds[i] > 0][:count]
    return Candidates(
        treebank=treebank.mark,
        found=tuple(
            _candidate(recording, treebank, i, list(LAYERS)[layers[i]], float(scores[i]))
            for i in order
        ),
        signature=countersign(recording.signature, m="errors", score=score),
    )


def _candidate(
    recording: Recording, treebank: Treebank, i: int, layer: str, score: float
) -> Candidate:
    number = int(treebank.sentence_of[i])
    sentence, word = treebank[number], int(treebank.positions[i])
    logs = recording.rival_logp(layer)[:, i]
    rival = int(recording.rival(layer)[int(logs.argmax()), i])
    return Candidate(
        number=i,
        sentence=number + 1,
        sent_id=sentence.id,
        word=word,
        form=sentence.form[word - 1],
        upos=sentence.upos[word - 1],
        head=int(treebank.head[i]),
        deprel=sentence.deprel[word - 1],
        of=layer,
        instead=str(rival) if layer == "head" else recording.relations[rival],
        p_gold=float(np.exp(recording.logp(layer)[:, i].astype(np.float64)).mean()),
        p_instead=float(np.exp(logs.astype(np.float64)).mean()),
        score=score,
    )
