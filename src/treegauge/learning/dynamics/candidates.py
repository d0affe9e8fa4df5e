"""Candidates for annotation errors: words whose annotation models contradict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.files import atomic
from treegauge.core.lazy import load_extension, pl
from treegauge.core.messages import progress as shown
from treegauge.core.result import Result, countersign
from treegauge.core.tables import make_table
from treegauge.kernels import tree_context as _kernel
from treegauge.learning.dynamics.jobs import Progress, TrainingJob, cross_fit, relation_names
from treegauge.learning.dynamics.recording import LAYERS, Recording
from treegauge.parsing.base import hash_keys
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
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
    (:func:`~treegauge.learning.dynamics.jobs.cross_fit`). `context` is such a recording of the model that
    reads the rest of the tree (:class:`~treegauge.learning.dynamics.candidates.TreeContextEngine`); its
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
class ErrorCandidates(Result, kind="candidates"):
    """Words that may be annotated incorrectly, the most suspicious first."""

    treebank: str
    words: tuple[Candidate, ...]
    signature: str
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
    >>> from treegauge.learning.dynamics.jobs import cross_fit
    >>> from treegauge.learning.dynamics.recorder import make_engine
    >>> from treegauge.testing.synthetic import Grammar, synthetic
    >>> noisy = synthetic(150, Grammar(label_noise=0.01), seed=1)
    >>> held_out = cross_fit(noisy, engine=make_engine("mst", epochs=2), folds=3)
    >>> candidates = error_candidates(held_out, noisy, count=10)
    >>> bool(noisy["misc"].str.contains("TrueHead")[[one.number for one in candidates.words]].mean() >= 0.5)
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


Keys = npt.NDArray[np.uint64]
_FEATURES = 6  # features of a word that are used separately
_FIRST = ("Case", "VerbForm", "Number", "Gender", "Person", "Mood", "PronType", "Voice", "Tense")
_LETTERS: dict[int, tuple[str, Callable[[str], str]]] = {
    _kernel.FORM: ("form", str.lower),
    _kernel.LEMMA: ("lemma", str),
    _kernel.TAG: ("upos", str),
    _kernel.XPOS: ("xpos", str),
    _kernel.FEATS: ("feats", str),
    _kernel.END: ("form", lambda form: form.lower()[-3:]),
}


def _features(treebank: Treebank) -> tuple[Keys, Keys]:
    """Return hashes of the names and of the values of each word's first features."""
    codes, texts = treebank.codes("feats")
    names, values = np.zeros((2, len(texts), _FEATURES), np.uint64)
    for row, text in enumerate(texts):
        pairs = [one for one in text.split("|") if "=" in one]
        pairs.sort(key=lambda one: (*_FIRST, one.partition("=")[0]).index(one.partition("=")[0]))
        for column, pair in enumerate(pairs[:_FEATURES]):
            names[row, column], values[row, column] = hash_keys((pair.partition("=")[0], pair))
    return names[codes], values[codes]


def _encoded(treebank: Treebank, relations: Sequence[str], uses: dict[str, set[str]]) -> _kernel.TreeContext:
    """Return the kernel's input for a treebank; `uses` are the relations of each tag."""
    letters = np.zeros((_kernel.LETTERS, treebank.n_words), np.uint64)
    for row, (column, seen) in _LETTERS.items():
        codes, values = treebank.codes(column)
        keys = hash_keys(f"{row}={seen(value)}" for value in values)
        letters[row] = keys[codes] if len(codes) else keys
    tags, kinds = treebank.codes("upos")
    codes, values = treebank.codes("deprel")
    place = {name: number for number, name in enumerate(relations)}
    numbers = np.array([place[value] for value in values], np.int32)[codes]
    allowed = np.array([[name in uses.get(tag, ()) for name in relations] for tag in kinds])
    return _kernel.TreeContext(
        letters, *_features(treebank), np.ascontiguousarray(treebank.head, np.int32), numbers,
        np.ascontiguousarray(tags, np.int32), np.ascontiguousarray(treebank.offsets, np.int32),
        hash_keys(f"relation={name}" for name in relations),
        np.ascontiguousarray(allowed.reshape(len(kinds), len(relations)), np.uint8),
        place.get("root", -1),
    )  # fmt: skip


@dataclass(frozen=True)
class TreeContextEngine:
    """The engine of a log-linear model that reads the rest of the gold tree.

    It estimates p(head | relation, all other annotation) and p(relation | head, all other
    annotation) from forms, lemmas, tags, features, and the relations of the head, of its other
    dependents and of the word's dependents. It is not a parser: it measures how well the annotation
    of a word agrees with the rest. Recordings have one row, after the last epoch.

    Examples
    --------
    >>> from treegauge.learning.dynamics.jobs import cross_fit
    >>> from treegauge.testing.synthetic import synthetic
    >>> cross_fit(synthetic(30, seed=1), engine=TreeContextEngine(), folds=2)
    <Recording of syn-1#4d03d2 (held out): 1 epochs, 461 words>
    """

    epochs: int = 5
    rate: float = 0.1
    bits: int = 20

    @property
    def label(self) -> str:
        """The model with its options."""
        return f"tree-context epochs={self.epochs} rate={self.rate:g} bits={self.bits}"

    def __call__(self, jobs: Sequence[TrainingJob], progress: Progress | None = None) -> list[dict[str, Recording]]:
        """Train each job's model and return its recordings by split."""
        recordings = []
        for number, job in enumerate(jobs):
            recordings.append(self._recorded(job))
            if progress:
                progress(number + 1, len(jobs))
        return recordings

    def _recorded(self, job: TrainingJob) -> dict[str, Recording]:
        relations = job.relations or relation_names(job.train, *job.read.values())
        uses: dict[str, set[str]] = {}
        codes, kinds = job.train.codes("upos")
        names, values = job.train.codes("deprel")
        for pair in np.unique(codes.astype(np.int64) * len(values) + names).tolist():
            uses.setdefault(kinds[pair // len(values)], set()).add(values[pair % len(values)])
        weights = self._weights(_encoded(job.train, relations, uses), len(job.train), job.seed)
        return {
            split: Recording(
                treebank=read.mark, split=split, signature=job.signature(split, self.label),
                epochs=(self.epochs,), relations=relations,
                **_judged(_encoded(read, relations, uses), weights, self.bits, read.n_words),
            )
            for split, read in job.read.items()
        }  # fmt: skip

    def _weights(self, context: _kernel.TreeContext, sentences: int, seed: int) -> npt.NDArray[np.float32]:
        weights, squares = np.zeros((2, 1 << self.bits), np.float32)
        sums, random = np.zeros(1 << self.bits), np.random.default_rng(seed)
        for epoch in range(self.epochs):
            order = random.permutation(sentences).astype(np.int32)
            steps = epoch * sentences
            _kernel.learn(context, order, weights, sums, squares, self.bits, self.rate, steps)
        return (weights - sums / (self.epochs * sentences + 1)).astype(np.float32)


def _judged(context: _kernel.TreeContext, weights: npt.NDArray[np.float32], bits: int, words: int) -> dict[str, Any]:
    """Return the arrays of a recording with one row."""
    logp, rival_logp = np.zeros((2, 2, words))
    rivals = np.zeros((2, words), np.int32)
    _kernel.judge(context, weights, bits, logp, rivals, rival_logp)
    arrays: dict[str, Any] = {}
    for row, layer in enumerate(("head", "relation")):
        arrays[f"{layer}_logp"] = logp[row : row + 1].astype(np.float32)
        arrays[f"{layer}_rival"] = rivals[row : row + 1].astype(np.int16)
        arrays[f"{layer}_rival_logp"] = rival_logp[row : row + 1].astype(np.float32)
    return arrays


def tree_context(treebank: Treebank, *, folds: int = 5, seed: int = 0) -> Recording:
    """Record each word by the model of the rest of the tree, trained on the other folds."""
    with shown("models of the tree", folds) as task:
        return cross_fit(treebank, engine=TreeContextEngine(), folds=folds, seed=seed, progress=task.update)
