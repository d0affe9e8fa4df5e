"""Scoring a large system file against gold."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from tools.bench.corpus import Corpus
from tools.bench.measuring import Contender, Makers, Measured, command, contest
from tools.bench.tables import Section, Target, faster, smaller, took

OURS, INTERVALS, BOOTSTRAP = "treegauge", "treegauge, intervals", "treegauge, 1,000 resamples"


def treegauge(resamples: int = 0, interval: Literal["student", "percentile"] = "student") -> Contender:
    """Compute all metrics of the official script and four more."""
    from treegauge.scoring.evaluation import evaluate
    from treegauge.scoring.settings import ScoreOptions

    settings = ScoreOptions(resamples=resamples, interval=interval, units="sentences")

    def run(gold: str, system: str) -> Any:
        return evaluate(gold, system, options=settings)

    return Contender(run, lambda scores: scores.systems[0]["LAS"].correct)


def udtools() -> Contender:
    """Run the official script."""
    from udtools.udeval import evaluate, load_conllu_file

    def run(gold: str, system: str) -> Any:
        return evaluate(load_conllu_file(gold), load_conllu_file(system))

    return Contender(run, lambda found: found["LAS"].correct)


def udapi() -> Contender:
    """Run udapi's version of it, for files with the same sentences."""
    from udapi.block.eval.conll18 import Conll18
    from udapi.block.read.conllu import Conllu
    from udapi.core.document import Document

    def run(gold: str, system: str) -> Any:
        document = Document()
        Conllu(files=gold, zone="gold").apply_on_document(document)
        Conllu(files=system, zone="pred", ignore_sent_id=1).apply_on_document(document)
        block = Conll18(print_results=False)
        block.apply_on_document(document)
        return block.total_count

    return Contender(run, lambda counts: counts["LAS"])


def published() -> Contender:
    """Run the script of 2018 as published, from trankit's wheel."""
    wheels = sorted(Path(sys.prefix).glob("peers/trankit-*.whl"))
    if not wheels:
        raise ModuleNotFoundError("no peers/trankit-*.whl", name="conll18_ud_eval")
    sys.path.append(f"{wheels[-1]}/trankit/utils/scorers")
    script = import_module("conll18_ud_eval")

    def run(gold: str, system: str) -> Any:
        return script.evaluate(script.load_conllu_file(gold), script.load_conllu_file(system))

    return Contender(run, lambda found: found["LAS"].correct)


SCORERS: Makers = {
    OURS: treegauge,
    INTERVALS: lambda: treegauge(1000),
    BOOTSTRAP: lambda: treegauge(1000, "percentile"),
    "udapi eval.Conll18": udapi,
    "conll18_ud_eval": published,
    "udtools": udtools,
}
JOBS = {"scoring": SCORERS}


def run(corpus: Corpus, repeats: int) -> Section:
    """Let the contenders score the system file, and time our whole command."""
    pair = [corpus.gold, corpus.system]
    found = contest("scoring", "scoring", SCORERS, *pair, small=corpus.small, repeats=repeats)
    found |= _commands(corpus, repeats)
    rows = [
        [
            name,
            took(one.seconds),
            f"{one.peak:.0f}",
            f"{one.seconds / found[OURS].seconds:.1f}",
            f"{one.peak / found[OURS].peak:.1f}",
        ]
        for name, one in found.items()
    ]
    targets = []
    for peer, times in (("udtools", 40), ("conll18_ud_eval", 15), ("udapi eval.Conll18", 8)):
        targets += faster(peer, OURS, found, times)
        targets += smaller(peer, OURS, found, 0.13)
        targets += smaller(peer, BOOTSTRAP, found, 0.13)
    extra = found[BOOTSTRAP].seconds - found[OURS].seconds
    aim = f"1,000 resamples of {corpus.sentences:,} sentences: under 1 s on top"
    targets.append(Target(aim, f"{extra:.2f} s", extra < 1))
    text = (
        f"The call, from two files to scores: {corpus}; a tenth of the system's words have other "
        "heads or relations. The first row has no intervals, the second those that `score` prints, "
        "the third bootstrap intervals. Sentences are the units. The last rows are whole commands. "
        "`conll18_ud_eval` is the script of "
        f"2018, udtools its successor. All scorers found {found[OURS].answer:,.0f} words correct."
    )
    head = ("scoring", "s", "peak MB", "times treegauge", "times its memory")
    return Section("Scoring", text, head, rows, targets)


def _commands(corpus: Corpus, repeats: int) -> dict[str, Measured]:
    pair = (corpus.gold, corpus.system)
    return {
        "`treegauge score --resamples 0`": command("score", "--resamples", "0", *pair, repeats=repeats),
        "`treegauge score`": command("score", *pair, repeats=repeats),
    }
