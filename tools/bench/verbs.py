"""Growth of every verb: processor time of its command at one, two, four and eight times the data.

``python -m tools.bench.scaling verbs [--write]`` measures them.
"""

import math
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tools.bench.measuring import TREEGAUGE, process, tell
from tools.bench.tables import Section, Target, took
from treegauge.cli.verbs import VERBS

SIZES = (1, 2, 4, 8)
STEEPEST = 1.3
"""Exponents up to this count as linear: ``audit`` had 1.9 when it was quadratic."""
FLAT = 0.3
"""Seconds by which the largest may exceed the smallest without an exponent."""
GRAMMAR = 400
"""Sentences of a synthetic training set of size 1."""
QUICK = ("--parser", "mst", "--option", "epochs=1")
SVO, SOV = "UD_Imaginary-SVO", "UD_Imaginary-SOV"


class Growing(NamedTuple):
    """A command whose data grow.

    Attributes
    ----------
    data
        What is 1, 2, 4 and 8 times as large.
    prepare
        Writes the data of a size into a folder and returns the words after ``treegauge VERB``.
    steep
        Why the command grows faster than its data, if it does.
    """

    data: str
    prepare: Callable[[Path, int], Sequence[str]]
    steep: str = ""


UNMEASURED = {
    "fetch": "waits for a server",
    "demo": "has data of one size",
    "published": "reads one packaged table",
    "review": "joins what check, audit and agree find",
    "study": "calls other verbs",
    "triage": "compares as agree does",
}
"""Why a command has no measurement."""


@cache
def _text(sentences: int, seed: int) -> bytes:
    from treegauge.testing.synthetic import synthetic_conllu

    return synthetic_conllu(sentences, seed=seed).encode()


def treebank_files(folder: Path, size: int, sentences: int = 2_000) -> tuple[str, str]:
    """Write a treebank and a system's output for it."""
    from studies.corrections.injected_errors import inject_errors
    from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

    gold, system = folder / "gold.conllu", folder / "system.conllu"
    gold.write_bytes(_text(size * sentences, 1))
    treebank = parse_conllu(gold.read_bytes(), name="gold")
    write_conllu(inject_errors(treebank, 0.1, seed=1).treebank, system)
    return "gold.conllu", "system.conllu"


def _folder(folder: Path, size: int, name: str = SVO) -> str:
    """Write a treebank folder whose training set grows."""
    home, code = folder / name, f"x{len(name)}_{name.rpartition('-')[2].lower()}"
    home.mkdir()
    for seed, (split, sentences) in enumerate({"train": size * GRAMMAR, "dev": 50, "test": 50}.items()):
        (home / f"{code}-ud-{split}.conllu").write_bytes(_text(sentences, seed))
    return name


def _table(folder: Path, systems: int) -> str:
    """Write scores of systems on the treebanks of CoNLL 2018."""
    import numpy as np
    import polars as pl

    from treegauge.ranking.reading import read_leaderboard

    board = read_leaderboard("conll18")
    copies = -(-systems // len(board.systems))
    noise = np.random.default_rng(0).normal(0, 1, (copies, *board.values.shape))
    values = np.clip(board.values + noise, 0, 100).reshape(-1, len(board.treebanks)).round(2)
    names = [f"{system}-{i}" for i in range(copies) for system in board.systems]
    scores = dict(zip(board.treebanks, values[:systems].T, strict=True))
    pl.DataFrame({"system": names[:systems], **scores}).write_csv(folder / "scores.csv")
    return "scores.csv"


def _numbers(folder: Path, rows: int) -> str:
    """Write a table with one row per treebank, in bins from 3 to 12."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    x = random.normal(size=(3, rows))
    names = {"treebank": [f"x{i // 10}_y" for i in range(rows)], "bin": np.arange(rows) % 10 + 3}
    columns = {"las": 70 + x[0] + x[1], "edv": x[1], "size": np.exp(x[2])}
    pl.DataFrame({**names, **columns}).write_csv(folder / "numbers.csv")
    return "numbers.csv"


def _counts(folder: Path, treebanks: int) -> str:
    """Write counts of correct words of learning curves on this number of treebanks."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    rows = [
        (f"UD_X{treebank}-Y", "beam", size, sample, name, total * (0.9 - size**-0.4) + bonus, total)
        for treebank in range(treebanks)
        for size in (5, 10, 20, 40, 80, 160)
        for sample, bonus in enumerate(random.uniform(0, 20, 3))
        for name, total in (("all", 3_000), ("NOUN", 1_000), ("VERB", 500))
    ]
    names = ["treebank", "parser", "size", "sample", "class", "correct", "total"]
    table = pl.DataFrame(rows, schema=names, orient="row")
    table.with_columns(pl.col("correct").round(0).cast(int)).write_csv(folder / "counts.csv")
    return "counts.csv"


def _store(folder: Path, size: int, name: str = "one") -> str:
    """Write a store of recorded cells."""
    from tools.bench.ledger import TOGETHER, recorded

    recorded(folder / name, size * 5 * TOGETHER)
    return str(Path(name) / "s")


def _plan(folder: Path, cells: int) -> str:
    """Write a plan of cells that measure treebanks."""
    for number in range(cells):
        _folder(folder, 1, f"UD_Imaginary-X{number}")
    plan = '[plan]\ntask = "measure"\ntreebanks = ["UD_*"]\nroot = "."\n'
    (folder / "plan.toml").write_text(plan + 'parameters = { measures = "mdd" }\n')
    return "plan.toml"


def _teams(folder: Path, teams: int) -> tuple[str, str]:
    """Write gold and the output of teams."""
    from studies.corrections.injected_errors import inject_errors
    from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

    (folder / "gold").mkdir()
    for number in range(3):
        text = _text(200, number)
        (folder / "gold" / f"x{number}_y-ud-test.conllu").write_bytes(text)
        for team in range(teams):
            home = folder / "teams" / f"team{team}"
            home.mkdir(parents=True, exist_ok=True)
            wrong = inject_errors(parse_conllu(text), 0.05 + 0.002 * team, seed=team).treebank
            write_conllu(wrong, home / f"x{number}_y.conllu")
    return "gold", "teams"


def _model(folder: Path, size: int) -> tuple[str, ...]:
    """Train a parser on a few sentences; the file to parse grows."""
    process(*TREEGAUGE, "train", "beam", _folder(folder, 1), "--option", "epochs=1", "--out", "model", folder=folder)
    return "model", treebank_files(folder, size)[0], "--out", "parsed.conllu"


def _measured(*words: str) -> Growing:
    return Growing("sentences", lambda folder, size: [treebank_files(folder, size)[0], *words])


def _compared(*words: str) -> Growing:
    return Growing("sentences", lambda folder, size: [*treebank_files(folder, size), *words])


def _trained(*words: str) -> Growing:
    return Growing("training sentences", lambda folder, size: [_folder(folder, size), *words])


def _ranked(*words: str, steep: str = "") -> Growing:
    return Growing("systems", lambda folder, size: [_table(folder, 26 * size), *words], steep=steep)


def _explained(*words: str) -> Growing:
    return Growing("rows", lambda folder, size: [_numbers(folder, 100 * size), *words])


def _learned(*words: str) -> Growing:
    return Growing("treebanks", lambda folder, size: [_counts(folder, 10 * size), *words])


def _kept(*words: str) -> Growing:
    return Growing("cells", lambda folder, size: [_store(folder, size), *words])


def _transferred(*words: str) -> Growing:
    return Growing("training sentences", lambda folder, size: [_folder(folder, 1), _folder(folder, size, SOV), *words])


def _three(folder: Path, size: int) -> tuple[str, ...]:
    """Write a treebank and the output of two systems."""
    from studies.corrections.injected_errors import inject_errors
    from treegauge.treebanks.data.conllu import read_conllu, write_conllu

    gold, system = treebank_files(folder, size)
    write_conllu(inject_errors(read_conllu(folder / gold), 0.2, seed=2).treebank, folder / "other.conllu")
    return gold, system, "other.conllu"


def _gold_last(words: tuple[str, ...]) -> tuple[str, ...]:
    return *words[1:], "--gold", words[0]


PAIRS = "compares all pairs of systems"
GROWING: dict[str, Growing] = {
    "check": _measured(),
    "agree": _compared("--disagreements"),
    "audit": _measured("--only", "consistency"),
    "diff": _compared(),
    "measure": Growing("sentences", lambda folder, n: ["all", treebank_files(folder, n)[0]]),
    "split": _measured("--objective", "low", "--out", "sets"),
    "show": _measured("--limit", "5"),
    "convert": _measured("--out", "table.csv"),
    "catalogue": Growing("treebanks", lambda folder, n: [str(Path(_plan(folder, 10 * n)).parent)]),
    "score": _compared(),
    "breakdown": _compared("--confusion", "upos"),
    "vote": Growing("sentences", _three),
    "design": Growing("sentences", lambda folder, n: _gold_last(_three(folder, n))),
    "rank show": _ranked("--subsets", "100000", steep=PAIRS),
    "rank compare": _ranked(steep=PAIRS),
    "rank outliers": _ranked("--system", "HIT-SCIR-0", "--subsets", "100000"),
    "leaderboard": Growing("teams", lambda folder, n: [*_teams(folder, 6 * n), "--out", "out"]),
    "certify": _ranked("--claim", "HIT-SCIR-0 > Stanford-0"),
    "recommend": _ranked("--repeats", "2", "--subsets", "200", steep=PAIRS),
    "analyse": _explained("--target", "las", "--of", "edv", "--resamples", "500"),
    "train": Growing(
        "training sentences", lambda folder, n: ["beam", _folder(folder, n), "--option", "epochs=1", "--out", "model"]
    ),
    "parse": Growing("sentences", _model),
    "tag": _trained("--tagger", "perceptron", "--folds", "2", "--out", "tagged"),
    "map": _trained(*QUICK, "--candidates", "20", "--folds", "2"),
    "difficulty": _trained(*QUICK, "--blocks", "auto", "--orders", "1"),
    "curve show": _learned(),
    "curve counts": _learned(),
    "curve complexity": _learned(),
    "curve equivalent": _learned("--score", "60"),
    "curve advise": _learned("--budget", "100", "--treebank", "UD_X0-Y"),
    "transfer show": _transferred(*QUICK),
    "transfer recommend": _transferred(),
    "run": Growing("cells", lambda folder, n: [_plan(folder, 10 * n), "--pool", "inline"]),
    "results": _kept("--out", "results.csv"),
    "store show": _kept(),
    "store merge": Growing("cells", lambda folder, n: [_store(folder, n), _store(folder, n, "two")]),
    "store gc": _kept("--dry-run"),
    "report": _measured("--out", "page.html"),
}


def commands() -> list[str]:
    """Return the words of every command of the package."""
    found = []
    for verbs in VERBS.values():
        for verb, command in verbs.items():
            found += [f"{verb} {sub}" for sub in ("show", *command.subverbs)] if command.subverbs else [verb]
    return found


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the exponent b of seconds = start + c size^b, by weighted least squares."""
    best, found = math.inf, 1.0
    weights = [1 / one**2 for one in seconds]
    total = sum(weights)
    for b in (step / 100 for step in range(20, 301)):
        x = [size**b for size in sizes]
        middle = sum(w * one for w, one in zip(weights, x, strict=True)) / total
        level = sum(w * one for w, one in zip(weights, seconds, strict=True)) / total
        spread = sum(w * (one - middle) ** 2 for w, one in zip(weights, x, strict=True))
        both = zip(weights, x, seconds, strict=True)
        slope = sum(w * (one - middle) * (y - level) for w, one, y in both) / spread
        both = zip(weights, x, seconds, strict=True)
        error = sum(w * (y - level - slope * (one - middle)) ** 2 for w, one, y in both)
        if error < best:
            best, found = error, b
    return found


def measured(words: str, rounds: int) -> tuple[list[str], Target | None]:
    """Measure one command at all sizes; return its row, and its target if it grows."""
    growing = GROWING[words]
    seconds, peaks = [], []
    for size in SIZES:
        runs = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as made:
                given = growing.prepare(Path(made), size)
                run = process(*TREEGAUGE, *words.split(), *given, folder=Path(made), codes=(0, 1))
                runs.append(run)
        seconds.append(min(run.processor for run in runs))
        peaks.append(min(run.peak for run in runs))
    grows = seconds[-1] - seconds[0] > FLAT
    power = exponent(SIZES, seconds)
    row = [
        f"{words} ({growing.data})", *map(took, seconds), f"{power:.2f}" if grows else "",
        f"{peaks[0]:,.0f}", f"{peaks[-1]:,.0f}", growing.steep,
    ]  # fmt: skip
    if not grows or growing.steep:
        return row, None
    aim = f"{words}: exponent at most {STEEPEST}"
    return row, Target(aim, f"{power:.2f}", power <= STEEPEST)


def run(rounds: int = 2, chosen: Sequence[str] = ()) -> Section:
    """Measure all commands, or those chosen."""
    rows, targets = [], []
    for words in chosen or GROWING:
        tell(f"growth of {words}")
        row, target = measured(words, rounds)
        rows.append(row)
        targets += [target] if target else []
    text = (
        "Processor seconds of the whole command, the best of "
        f"{rounds} runs, with data of size {', '.join(map(str, SIZES))}. The exponent b is "
        "fitted to time = start + c size^b; it is left out where the largest data take at most "
        f"{FLAT:g} s more than the smallest. Not measured: "
        + "; ".join(f"{words} {reason}" for words, reason in UNMEASURED.items())
        + "."
    )
    head = ("", *(f"{size}x s" for size in SIZES), "exponent", "peak MB 1x", "8x", "reason")
    return Section("How each command grows", text, head, rows, targets)
