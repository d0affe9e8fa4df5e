"""Precision of candidates for annotation errors: errors among the most contradicted words.

``python -m studies candidates_noise`` makes the table. Words are judged by models trained on
the other of 5 folds: the log-linear parser, and the model that sees the rest of the tree;
``joined`` is the sum of both. K words are looked at where there are K errors, and the table has the
share of errors among them (precision at K).

2 percent of the words of a training set get an error, half of them another head, half another
relation. Plausible errors have a head near the old one and a relation that occurs between words
with these tags; random ones have any head and any relation. Scores were chosen on plausible errors
in the first group of treebanks. The second group, which is judged, was not in view when the model
of the tree was made and joined. The third group was not looked at before. Errors that were there
before count as misses.
"""

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.corrections.injected_errors import inject_errors
from studies.treebanks import release_folder
from treegauge.learning.dynamics.candidates import SCORES, suspicion, tree_context
from treegauge.learning.dynamics.jobs import cross_fit
from treegauge.learning.dynamics.recorder import make_engine
from treegauge.learning.dynamics.recording import Recording
from treegauge.statistics.student_intervals import wilson
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

CHOOSE = ("Telugu-MTG", "Greek-GDT", "Galician-TreeGal", "Latin-Perseus", "Uyghur-UDT",
          "Vietnamese-VTB", "Slovenian-SST", "Tamil-TTB")  # fmt: skip
REPORT = ("Hungarian-Szeged", "French-ParTUT", "Welsh-CCG", "Coptic-Scriptorium")
FRESH = ("North_Sami-Giella", "Faroese-FarPaHC")
#: Treebanks and the seeds of their plausible errors; random ones, never in view, have seed 1.
GROUPS = {"choice": (CHOOSE, (1,)), "report": (REPORT, (2,)), "fresh": (FRESH, (1,))}
SHARE, EPOCHS, FOLDS = 0.02, 5, 5


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


def word_scores(treebank: Treebank) -> dict[str, npt.NDArray[np.float64]]:
    """Return all scores of words; ``joined`` is the default of ``map --candidates``."""
    recording, context = held_out(treebank), tree_context(treebank, folds=FOLDS)
    return {
        "joined": suspicion(recording, treebank, context=context)[0],
        "tree": suspicion(context, treebank)[0],
        **{name: suspicion(recording, treebank, score=name)[0] for name in SCORES},
        "standardised": standardised(recording, treebank),
    }


def injected() -> pl.DataFrame:
    """Return one row per treebank and kind of errors; `low` and `high` are Wilson's of joined."""
    rows = []
    for group, (names, seeds) in GROUPS.items():
        for name in names:
            gold = training_set(name, "r2.9")
            for kind in ("plausible", "random") if group == "report" else ("plausible",):
                how = {"heads": "near", "relations": "tags"} if kind == "plausible" else {}
                hits: dict[str, int] = {}
                total = 0
                for seed in seeds if kind == "plausible" else (1,):
                    made = inject_errors(gold, SHARE, seed=seed, **how)  # type: ignore[arg-type]
                    count = int(made.changed.sum())
                    total += count
                    for score, values in word_scores(made.treebank).items():
                        first = np.argsort(-values, kind="stable")[:count]
                        hits[score] = hits.get(score, 0) + int(made.changed[first].sum())
                low, high = map(float, wilson(hits["joined"], total))
                rows.append(
                    {"group": group, "treebank": name, "errors": kind, "K": total}
                    | {"joined": hits.pop("joined") / total, "low": low, "high": high}
                    | {score: number / total for score, number in hits.items()}
                    | {"random": SHARE}
                )
                print(rows[-1], flush=True)
    return pl.DataFrame(rows)
