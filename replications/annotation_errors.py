"""How many annotation errors are among the words that parsers contradict most.

``python -m replications candidates_noise candidates_corrections`` makes the tables. Words are
judged by the log-linear parser, trained on the other of 5 folds; K words are looked at where there
are K errors, and the tables have the share of errors among them (precision at K).

Injected: 2 percent of the words of a training set get an error, half of them another head, half
another relation. Plausible errors have a head near the old one and a relation that occurs between
words with these tags; random ones have any head and any relation. The score was chosen on plausible
errors in the first group of treebanks, with the second group in view; so the second group has other
errors here, drawn after the score was fixed, and the third group was not looked at before. Errors
that were there before count as misses.

Corrected: words of UD 2.5 whose head or universal relation is another one in UD 2.9, in sentences
that have the same words in both; all treebanks with at least 50 such words and at most 40,000 words
in all, unless one change of relation is behind most of them.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import polars as pl

from replications.parts import release_folder
from treegauge.dynamics.candidates import SCORES, suspicion
from treegauge.dynamics.jobs import cross_fit
from treegauge.dynamics.recorder import make_engine
from treegauge.dynamics.recording import Recording
from treegauge.testing.perturb import inject_errors
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import read_splits

CHOOSE = ("Telugu-MTG", "Greek-GDT", "Galician-TreeGal", "Latin-Perseus", "Uyghur-UDT",
          "Vietnamese-VTB")  # fmt: skip
REPORT = ("Hungarian-Szeged", "French-ParTUT", "Welsh-CCG", "Coptic-Scriptorium")
FRESH = ("Slovenian-SST", "Tamil-TTB")
#: Treebanks and the seed of their plausible errors; random ones, never in view, have seed 1.
GROUPS = {"choice": (CHOOSE, 1), "report": (REPORT, 2), "fresh": (FRESH, 2)}
#: Left out by the rule: Czech-CLTT, Hungarian-Szeged, Uyghur-UDT; by its size English-LinES.
CORRECTED = ("Afrikaans-AfriBooms", "Coptic-Scriptorium", "French-ParTUT", "Marathi-UFAL",
             "North_Sami-Giella", "Turkish-IMST")  # fmt: skip
SHARE, EPOCHS, FOLDS = 0.02, 5, 5
Mask = npt.NDArray[np.bool_]


def training_set(name: str, release: str) -> Treebank:
    """Read the training set of a treebank."""
    return read_splits(release_folder(release) / f"UD_{name}")["train"]


def held_out(treebank: Treebank) -> Recording:
    """Record each word by a parser that did not see its sentence."""
    return cross_fit(treebank, engine=make_engine("mst", epochs=EPOCHS), folds=FOLDS)


def standardised(recording: Recording, treebank: Treebank) -> npt.NDArray[np.float64]:
    """Return the default score of version 0.1: log-odds in deviations of words of the relation."""
    codes, _ = treebank.codes("deprel")
    counts, rows = np.bincount(codes), []
    for layer in ("head", "relation"):
        odds = (recording.rival_logp(layer).astype(np.float64) - recording.logp(layer)).mean(axis=0)
        apart = odds - (np.bincount(codes, odds) / counts)[codes]
        rows.append(apart / (np.sqrt(np.bincount(codes, apart**2) / counts)[codes] + 0.5))
    return np.asarray(np.max(rows, axis=0))


def precision(
    recording: Recording, treebank: Treebank, wrong: Mask, among: Mask
) -> dict[str, float]:
    """Return the share of errors among the first K words, by score; `among` are the words."""
    scores: Mapping[str, npt.NDArray[np.float64]] = {
        **{name: suspicion(recording, treebank, score=name)[0] for name in SCORES},
        "standardised": standardised(recording, treebank),
    }
    count = int(wrong[among].sum())
    found = {
        name: float(wrong[among][np.argsort(-values[among], kind="stable")[:count]].mean())
        for name, values in scores.items()
    }
    return found | {"random": count / int(among.sum())}


def injected() -> pl.DataFrame:
    """Return one row per treebank and kind of errors."""
    rows = []
    for group, (names, seed) in GROUPS.items():
        for name in names:
            gold = training_set(name, "r2.9")
            for kind in ("plausible", "random") if group == "report" else ("plausible",):
                how = {"heads": "near", "relations": "tags"} if kind == "plausible" else {}
                own = seed if kind == "plausible" else 1
                made = inject_errors(gold, SHARE, seed=own, **how)  # type: ignore[arg-type]
                values = precision(
                    held_out(made.treebank), made.treebank, made.changed, made.changed | True
                )
                facts = {"group": group, "treebank": name, "errors": kind}
                rows.append({**facts, "K": int(made.changed.sum()), **values})
                print(rows[-1], flush=True)
    return pl.DataFrame(rows)


def corrected_words(old: Treebank, new: Treebank) -> tuple[Mask, Mask]:
    """Return which words were corrected, and which are in sentences that both releases have."""
    later = {" ".join(sentence.form): sentence for sentence in new}
    wrong, among = np.zeros((2, old.n_words), bool)
    for number, sentence in enumerate(old):
        other = later.get(" ".join(sentence.form))
        if other is not None:
            here = slice(int(old.offsets[number]), int(old.offsets[number + 1]))
            names = [
                before.partition(":")[0] != after.partition(":")[0]
                for before, after in zip(sentence.deprel, other.deprel, strict=True)
            ]
            wrong[here] = (sentence.head != other.head) | np.array(names)
            among[here] = True
    return wrong, among


def corrections() -> pl.DataFrame:
    """Return one row per treebank that has corrections between the releases."""
    rows = []
    for name in CORRECTED:
        old = training_set(name, "r2.5")
        wrong, among = corrected_words(old, training_set(name, "r2.9"))
        values = precision(held_out(old), old, wrong, among)
        rows.append({"treebank": name, "words": int(among.sum()), "K": int(wrong.sum()), **values})
        print(rows[-1], flush=True)
    return pl.DataFrame(rows)
