"""The official scorer as an oracle, and short ways to write CoNLL-U."""

import re
from typing import Any

from udtools import udeval

from tools.fuzz.analyses import conllu, row
from tools.fuzz.official import load, repeats_edges
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.metrics.registry import METRICS
from treegauge.scoring.scores import Scores
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.conllu import parse_conllu

TOTALS = ScoreOptions(resamples=0)
ALL_15 = [*METRICS, "ELAS", "EULAS"]


def chain(*forms: str, deprel: str = "dep") -> list[str]:
    """Write a sentence in which every word hangs from the one before it."""
    return [row(i, form, i - 1, deprel if i > 1 else "root") for i, form in enumerate(forms, 1)]


def tokens(*texts: str) -> str:
    """Write a sentence as the official alignment tests do: ``"bc b c"`` is a multiword token."""
    lines: list[str] = []
    n = 0
    for text in texts:
        form, *inner = text.split(" ")
        if inner:
            lines.append(row(f"{n + 1}-{n + len(inner)}", form))
        for word in inner or [form]:
            n += 1
            lines.append(row(n, word, int(n > 1)))
    return conllu(lines)


def official(gold: str | bytes, system: str | bytes, **kinds: Any) -> dict[str, Any]:
    """Score with the official script."""
    return udeval.evaluate(load(gold, **kinds), load(system, **kinds))


def ours(gold: str | bytes, system: str | bytes, *, allow: tuple[str, ...] = (), **options: Any):
    """Score with treegauge, totals only."""
    sides = [parse_conllu(data, allow=allow) for data in (gold, system)]
    chosen = {name: options.pop(name) for name in ("punct", "subtypes") if name in options}
    options["convention"] = Convention(**chosen)
    return evaluate(*sides, options=ScoreOptions(**options, resamples=0))


def counts(scores: Scores) -> dict[str, tuple[Any, ...]]:
    """Return correct, gold, system and aligned of each metric that the official script has."""
    found = scores.systems[0].metrics
    names = [name for name in ALL_15 if name in found]
    values = {name: found[name] for name in names}
    return {name: (m.correct, m.gold, m.system, m.aligned) for name, m in values.items()}


def official_counts(evaluation: dict[str, Any], names: list[str]) -> dict[str, tuple[Any, ...]]:
    """Return the same of an official evaluation."""
    chosen = {name: evaluation[name] for name in names}
    return {name: (m.correct, m.gold_total, m.system_total, m.aligned_total) for name, m in chosen.items()}


def assert_same(scores: Scores, evaluation: dict[str, Any], *, enhanced: bool = False) -> None:
    """Compare all counts and both printed tables with an official evaluation."""
    names = ALL_15 if enhanced else list(METRICS)
    found = counts(scores)
    assert {name: found[name] for name in names} == official_counts(evaluation, names)
    for how in ({"verbose": True}, {"counts": True}):
        table = udeval.build_evaluation_table(evaluation, enhanced=enhanced, **how)
        assert scores.official(counts="counts" in how, enhanced=enhanced) == table


def assert_parity(gold: str | bytes, system: str | bytes, *, allow: tuple[str, ...] = (), **kinds: Any) -> Scores:
    """Score with both and compare; enhanced edges too where no word has an edge twice."""
    evaluation = official(gold, system, **kinds)
    enhanced = not (repeats_edges(gold) or repeats_edges(system))
    scores = ours(gold, system, allow=allow, enhanced=enhanced)
    assert_same(scores, evaluation, enhanced=enhanced)
    return scores


def four(scores: Scores, metric: str) -> tuple[Any, ...]:
    """Return correct, gold, system and aligned of a metric."""
    return counts(scores)[metric]


def ok(result: tuple[int, str, str]) -> str:
    """Return what was printed by a command that went well and had nothing to say."""
    code, out, err = result
    assert (code, err) == (0, "")
    return out


def assert_balanced(latex: str) -> None:
    """Check that environments nest, braces close, and every row has all its columns."""
    open_ones: list[str] = []
    lines = [line for line in latex.split("\n") if not line.startswith("%")]
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", "\n".join(lines)):
        if kind == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert open_ones == []
    columns = 0
    for line in lines:
        assert line.count("{") == line.count("}")
        if layout := re.match(r"\\begin\{tabular\}\{([lr]+)\}", line):
            columns = len(layout[1])
        if line.endswith(r"\\"):
            spans = [int(size) - 1 for size in re.findall(r"\\multicolumn\{(\d+)\}", line)]
            assert len(re.findall(r"(?<!\\)&", line)) + sum(spans) == columns - 1
