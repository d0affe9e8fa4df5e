"""Splitting a treebank, from one file to three or to the best split among many."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.bench.corpus import Corpus
from tools.bench.measuring import Contender, Makers, contest
from tools.bench.tables import VERSUS, Section, Target, versus

OURS = "treegauge"
TRIES = 100
LIMIT = 30


def written() -> Contender:
    """Split and write three files and a manifest."""
    from treegauge.splitting.assignment import make_split, pool
    from treegauge.splitting.split import write_split

    def run(path: str) -> int:
        found = make_split(pool(path), "random", seed=0, documents=False)
        with TemporaryDirectory() as folder:
            write_split(found, folder)
        return sum(map(len, found.parts.values()))

    return Contender(run, int)


def written_conllu() -> Contender:
    """Read and write with conllu, split with scikit-learn."""
    from conllu import parse_incr

    def read(path: str) -> list[Any]:
        with Path(path).open(encoding="utf-8") as file:
            return list(parse_incr(file))

    return _with_sklearn(read, lambda sentence: sentence.serialize())


def written_pyconll() -> Contender:
    """Read and write with pyconll, split with scikit-learn."""
    from pyconll.load import load_from_file

    return _with_sklearn(load_from_file, lambda sentence: sentence.conll() + "\n\n")


def _with_sklearn(read: Any, text: Any) -> Contender:
    from sklearn.model_selection import train_test_split

    def run(path: str) -> int:
        train, rest = train_test_split(list(read(path)), train_size=0.6, random_state=0)
        dev, test = train_test_split(rest, test_size=0.5, random_state=0)
        with TemporaryDirectory() as folder:
            for name, part in (("train", train), ("dev", dev), ("test", test)):
                Path(folder, name).write_text("".join(map(text, part)), encoding="utf-8")
        return len(train) + len(dev) + len(test)

    return Contender(run, int)


def steered(objective: Any) -> Any:
    """Return our search for the lowest or highest EDV."""

    def make() -> Contender:
        from treegauge.splitting.assignment import make_split, pool

        return Contender(
            lambda path: make_split(pool(path), objective, seed=0, sizes=(80, 0, 20)), lambda found: found.edv
        )

    return make


def best_of_many(largest: bool) -> Any:
    """Return the simple alternative: the best of many random splits, with conllu and scipy."""

    def make() -> Contender:
        import numpy as np
        from conllu import parse_incr
        from scipy.stats import wasserstein_distance

        def arcs(sentence: Any) -> Any:
            words = sentence.filter(id=lambda number: isinstance(number, int))
            return np.array([word["id"] - word["head"] for word in words if word["head"]])

        def run(path: str) -> float:
            with Path(path).open(encoding="utf-8") as file:
                each = [found for found in map(arcs, parse_incr(file)) if len(found) > 1]
            random, found = np.random.default_rng(0), []
            for _ in range(TRIES):
                order = random.permutation(len(each))
                sides = [np.concatenate([each[i] for i in part]) for part in np.split(order, [len(each) // 5])]
                near = [side[abs(side) <= LIMIT] for side in sides]
                found.append(wasserstein_distance(*near))
            return float(max(found) if largest else min(found))

        return Contender(run, float)

    return make


RANDOM, LOW, HIGH = "random, three files", "low EDV", "high EDV"
PLAIN = f"best of {TRIES} random splits, conllu and scipy"
JOBS: dict[str, Makers] = {
    RANDOM: {OURS: written, "conllu and scikit-learn": written_conllu, "pyconll and scikit-learn": written_pyconll},
    LOW: {OURS: steered("low"), PLAIN: best_of_many(False)},
    HIGH: {OURS: steered("high"), PLAIN: best_of_many(True)},
}


def run(corpus: Corpus, repeats: int) -> Section:
    """Let the contenders split a tenth of the corpus."""
    rows, targets = [], []
    path, small = corpus.tenth[0], corpus.small[:1]
    found = contest("splitting", RANDOM, JOBS[RANDOM], path, small=small, repeats=repeats)
    rows += versus(RANDOM, found)
    for job in (LOW, HIGH):
        # The answers are the EDV reached, which differs.
        found = contest("splitting", job, JOBS[job], path, small=small, repeats=repeats, tolerance=1e9)
        rows += versus(job, found)
        ours, plain = (one.answer or 0.0 for one in found.values())
        reached = ours < plain if job == LOW else ours > plain
        aim = f"{job}: further than the best of {TRIES} random splits"
        targets.append(Target(aim, f"{ours:.2g} against {plain:.2g}", reached))
    text = (
        f"From a file of {path.stat().st_size / 1e6:.1f} MB to splits. No other package splits by "
        f"EDV; the alternative is the best of {TRIES} random splits."
    )
    return Section("Splitting", text, VERSUS, rows, targets)
