"""Candidates for annotation errors: words whose annotation models contradict."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.extensions import load_extension
from treegauge.core.files import atomic
from treegauge.core.result import Result, countersign
from treegauge.core.tables import make_table
from treegauge.learning.recordings.recording import LAYERS, Recording
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebanks.data.columns import Treebank

Floats = npt.NDArray[np.float64]
_PRIOR = 5.0  # words with the treebank's mean share, added to each relation for smoothing


def _odds(recording: Recording, treebank: "Treebank") -> Floats:
    """Log-odds of the rival against gold, (layers, words)."""
    rows = []
    for layer in LAYERS:
        odds = recording.rival_logp(layer).astype(np.float64) - recording.logp(layer)
        alone = (recording.rival(layer) < 0).any(axis=0)
        rows.append(np.where(alone, odds.min(initial=0.0), odds.mean(axis=0)))
    return np.array(rows)


def _loss(recording: Recording, treebank: "Treebank") -> Floats:
    last = recording.head_logp[-1] + recording.relation_logp[-1]
    return -np.array([last, last], np.float64)


def _confidence(recording: Recording, treebank: "Treebank") -> Floats:
    return 1 - np.array([recording.probability(layer).mean(axis=0) for layer in LAYERS])


def _relative(recording: Recording, treebank: "Treebank") -> Floats:
    codes, values = treebank.codes("deprel")
    counts = np.bincount(codes, minlength=len(values))
    odds = _odds(recording, treebank)
    against = odds > 0
    hits = np.array([np.bincount(codes, one, minlength=len(values)) for one in against])
    prior = np.maximum(against.mean(axis=1, keepdims=True), 1 / max(len(codes), 1))
    shares = (hits + _PRIOR * prior) / (counts + _PRIOR)
    return np.asarray(odds - np.log(shares[:, codes]))


SCORES: dict[str, tuple[str, Callable[[Recording, Any], Floats]]] = {
    "relative": ("log-odds, less the log share of contradicted words of the relation", _relative),
    "odds": ("log-odds of the rival against gold, mean over epochs", _odds),
    "confidence": ("one minus the mean probability of gold over epochs", _confidence),
    "loss": ("negative log-likelihood of gold after the last epoch", _loss),
}
"""Scores of words by name, the best first: their meanings and functions."""


def suspicion(
    recording: Recording, treebank: "Treebank", *, score: str = "relative", context: Recording | None = None
) -> tuple[Floats, npt.NDArray[np.int64]]:
    r"""Return a score for every word: how strongly models contradict its annotation.

    The score of a word is the larger one of its head and of its relation. With ``odds`` that is
    the mean over epochs of :math:`\log p(\text{rival}) - \log p(\text{gold})`; ``relative``
    subtracts the logarithm of the share of words with the same relation that the parser contradicts
    (odds above 0), so that a relation which is hard everywhere does not crowd out the others.

    The recording needs rivals, and should be of a parser that was not trained on these words
    (:func:`~treegauge.learning.recordings.jobs.cross_fit`). `context` is such a recording of the model that
    reads the rest of the tree (:class:`~treegauge.learning.maps.tree_context.TreeContextEngine`); its
    scores are added. Returns for each word its score, and 0 if it is that of the head, 1 if of the
    relation.
    """
    if score not in SCORES:
        raise ChoiceError("score of words", score, SCORES)
    both = sum(SCORES[score][1](one, treebank) for one in _judges(recording, treebank, context))
    layers = np.asarray(both).argmax(axis=0)
    return np.asarray(both)[layers, np.arange(treebank.n_words)], layers


def _judges(recording: Recording, treebank: "Treebank", context: Recording | None) -> list[Recording]:
    """Return the recordings to score words with; all must be of this treebank."""
    judges = [recording] if context is None else [recording, context]
    for judge in judges:
        if judge.n_words != treebank.n_words:
            raise TreegaugeError(f"{judge!r} is not of {treebank!r}")
    return judges


@dataclass(frozen=True)
class Candidate:
    """A word that may be annotated incorrectly, and the more probable annotation `instead`.

    `number` is the word's in the treebank, from 0; `sentence` and `word` count from 1. Its head or
    its relation (`of`) is contradicted; probabilities are means over epochs, of the parser or of
    the model of the rest of the tree, whichever contradicts the word more.
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
class ErrorCandidates(Result):
    """Words that may be annotated incorrectly, the most suspicious first."""

    treebank: str
    words: tuple[Candidate, ...]
    signature: str
    kind: ClassVar[str] = "candidates"
    digits: ClassVar[int] = 3

    def __len__(self) -> int:
        return len(self.words)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per word."""
        kinds: Any = {one.name: one.type for one in fields(Candidate)}
        return make_table([asdict(one) for one in self.words], kinds).drop("number")

    def to_archive(self) -> dict[str, Any]:
        """Return the candidates as data for JSON, for the archive of a data map."""
        words = [asdict(candidate) for candidate in self.words]
        return {"treebank": self.treebank, "words": words, "signature": self.signature}

    @classmethod
    def from_archive(cls, content: Mapping[str, Any]) -> "ErrorCandidates":
        """Return the candidates that :meth:`to_archive` stored."""
        words = tuple(Candidate(**one) for one in content["words"])
        return cls(content["treebank"], words, content["signature"])


def error_candidates(
    recording: Recording,
    treebank: "Treebank",
    *,
    count: int = 100,
    score: str = "relative",
    context: Recording | None = None,
) -> ErrorCandidates:
    """Return the words whose annotation is contradicted most strongly, with the alternative.

    A word counts as contradicted if its rival was more probable, averaged over epochs and, with
    `context`, summed over both models. `count` is the largest number of candidates, `score`
    one of :data:`SCORES`; see :func:`suspicion`.

    Examples
    --------
    >>> from treegauge.learning.recordings.jobs import cross_fit
    >>> from treegauge.learning.recordings.recorder import make_engine
    >>> from treegauge.testing.perturb import inject_errors
    >>> from treegauge.testing.synthetic import synthetic
    >>> made = inject_errors(synthetic(150, seed=1), 0.01, seed=0)
    >>> held_out = cross_fit(made.treebank, engine=make_engine("mst", epochs=2), folds=3)
    >>> candidates = error_candidates(held_out, made.treebank, count=10)
    >>> bool(made.changed[[one.number for one in candidates.words]].mean() >= 0.5)
    True
    """
    if count < 1:
        raise TreegaugeError(f"number of candidates is {count}; expected at least 1")
    scores, layers = suspicion(recording, treebank, score=score, context=context)
    judges = _judges(recording, treebank, context)
    odds = np.array([_odds(one, treebank) for one in judges])
    odds = odds[:, layers, np.arange(treebank.n_words)]
    against = odds.sum(axis=0) > 0
    order = [i for i in np.argsort(-scores, kind="stable").tolist() if against[i]][:count]
    words = tuple(
        _candidate(judges[int(odds[:, i].argmax())], treebank, i, list(LAYERS)[layers[i]], float(scores[i]))
        for i in order
    )
    joined = None if context is None else "tree"
    signature = countersign(recording.signature, m="errors", score=score, context=joined)
    return ErrorCandidates(treebank.mark, words, signature)


def _candidate(recording: Recording, treebank: "Treebank", i: int, layer: str, score: float) -> Candidate:
    number = int(treebank.sentence_of[i])
    sentence, word = treebank[number], int(treebank.positions[i])
    logs = recording.rival_logp(layer)[:, i]
    rival = int(recording.rival(layer)[int(logs.argmax()), i])
    return Candidate(
        i, number + 1, sentence.id, word, sentence.form[word - 1], sentence.upos[word - 1],
        int(treebank.head[i]), sentence.deprel[word - 1], layer,
        instead=str(rival) if layer == "head" else recording.relations[rival],
        p_gold=float(recording.probability(layer)[:, i].mean()),
        p_instead=float(np.exp(logs.astype(np.float64)).mean()),
        score=score,
    )  # fmt: skip


def _by_sentence(candidates: ErrorCandidates) -> dict[int, list[Candidate]]:
    """Group candidates by sentence, the sentence of the most suspicious word first."""
    groups: dict[int, list[Candidate]] = {}
    for candidate in candidates.words:
        groups.setdefault(candidate.sentence - 1, []).append(candidate)
    return groups


def marked(treebank: "Treebank", candidates: ErrorCandidates) -> "Treebank":
    """Return the sentences with candidates, each marked in a comment and in MISC.

    A comment ``# suspect = 5 word: head 3 -> 7 (...)`` follows the others, and MISC of the word
    has ``SuspectHead=7`` or ``SuspectRel=obl``. Heads and relations are unchanged.
    """
    from treegauge.treebanks.data.columns import closed
    from treegauge.treebanks.data.conllu import parse_conllu

    misc = treebank["misc"].to_list()
    for one in candidates.words:
        mark = f"Suspect{'Head' if one.of == 'head' else 'Rel'}={one.instead}"
        misc[one.number] = mark if misc[one.number] == "_" else f"{misc[one.number]}|{mark}"
    fresh = treebank.with_columns({"misc": misc})
    texts = []
    for number, group in sorted(_by_sentence(candidates).items()):
        text = fresh[number].conllu
        end = "\r\n" if "\r\n" in text else "\n"
        lines = text.split(end)
        first = next(i for i, line in enumerate(lines) if line and not line.startswith("#"))
        notes = [f"# suspect = {one}" for one in group]
        texts.append(closed(end.join([*lines[:first], *notes, *lines[first:]]).encode()))
    allowed = [problem.kind for problem in treebank.problems if not problem.action]
    return parse_conllu(b"".join(texts), name=treebank.name, allow=allowed)


WRITERS: dict[str, Callable[[Any, ErrorCandidates], bytes]] = {
    ".csv": lambda treebank, candidates: candidates.to_csv().encode(),
    ".conllu": lambda treebank, candidates: marked(treebank, candidates).to_bytes(),
    ".html": lambda treebank, candidates: load_extension("pages", "candidates")(treebank, candidates).encode(),
}
"""The functions that write candidates, by the ending of the file."""


def save_candidates(treebank: "Treebank", candidates: ErrorCandidates, path: Source) -> None:
    """Write candidates to a ``.csv``, ``.conllu`` or ``.html`` file."""
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise ChoiceError("kind of file for candidates", ending, WRITERS)
    data = WRITERS[ending](treebank, candidates)
    with atomic(path) as file:
        file.write(data)
