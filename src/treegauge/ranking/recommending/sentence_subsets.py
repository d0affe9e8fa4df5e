"""Smaller test sets: sentences whose score predicts the score on all sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.core.result import Result, sign
from treegauge.ranking.recommending.sentence_draws import Method, SentenceDraw, SentenceScores, draw_sentences
from treegauge.ranking.recommending.sentence_judging import JudgedMethod, judge_methods

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebanks.data.columns import Treebank

FEWEST = 6  # systems: some for choosing, others for evaluation
SMALLEST = 10  # sentences
_LISTED = 8  # sentences that the text names


@dataclass(frozen=True, eq=False)
class TreebankSubset:
    """The sentences chosen from one test set."""

    treebank: str
    gold: "Treebank"
    draw: SentenceDraw
    judged: tuple[JudgedMethod, ...]
    metric: str

    @property
    def expected(self) -> JudgedMethod:
        """The expected errors of the method that was used."""
        return next(method for method in self.judged if method.method == self.draw.method)

    @property
    def subset(self) -> "Treebank":
        """The chosen sentences, in their original order."""
        return self.gold.take(self.draw.sentences)

    @property
    def sent_ids(self) -> list[str | None]:
        """The sent_id of each chosen sentence."""
        return self.subset.metadata("sent_id")

    def predict(self, output: Any) -> float:
        """Return the expected score on all sentences, from a system's output on the subset."""
        counts = sentence_scores(self.subset, {"system": [output]}, self.metric)[0]
        return float(self.draw.estimate(counts.correct, counts.words)[0])


@dataclass(frozen=True, eq=False)
class SentenceSubsets(Result):
    """Sentences to evaluate on, per treebank, and the error to expect.

    The table has one row per chosen sentence; `judged` has one row per treebank and method.
    """

    treebanks: tuple[TreebankSubset, ...]
    metric: str
    signature: str
    kind: ClassVar[str] = "sentence subsets"
    unit: ClassVar[str | None] = "percent"
    own_formats: ClassVar[tuple[str, ...]] = ("conllu",)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per chosen sentence: its place in the test set, sent_id, words, weight."""
        import polars as pl

        rows = [
            {"treebank": treebank.treebank, "sentence": int(place) + 1, "sent_id": name,
             "words": float(treebank.draw.gold[place]), "weight": float(weight),
             "difficulty": float(treebank.draw.difficulty[place])}
            for treebank in self.treebanks
            for place, name, weight in zip(
                treebank.draw.sentences, treebank.sent_ids, treebank.draw.weights, strict=True
            )
        ]  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)

    def judged(self) -> list[dict[str, Any]]:
        """Return the errors of each method on held-out systems, by treebank."""
        return [
            {"treebank": treebank.treebank, **vars(judged)} for treebank in self.treebanks for judged in treebank.judged
        ]

    def shown(self) -> tables.Table:
        """Return the prediction errors of each method."""
        hidden = ("gain", "gain_low", "gain_high")  # in the text above the table
        return [{name: value for name, value in row.items() if name not in hidden} for row in self.judged()]

    def json_fields(self) -> dict[str, Any]:
        """Return the expected errors of each method, and the sentences."""
        return {"metric": self.metric, "judged": self.judged(), "rows": self.json_rows()}

    def own_text(self) -> str:
        """Return the choice, with its expected error and that of random sentences."""
        said = [_said(one, self.metric) for one in self.treebanks]
        table = tables.to_text(self.shown(), digits=self.digits)
        return "\n\n".join([*said, f"{table}\n{self.signature}"])

    def to_conllu(self) -> str:
        """Return the chosen sentences of the treebank, byte for byte as they were read."""
        return self._one_treebank().to_bytes().decode()

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write to a file, atomically; .conllu holds the sentences themselves."""
        if Path(path).suffix.lower() != ".conllu":
            super().save(path, force=force)
            return
        from treegauge.core.outputs import guarding
        from treegauge.treebanks.data.conllu import write_conllu

        with guarding(force=force):
            write_conllu(self._one_treebank(), path)

    def _one_treebank(self) -> "Treebank":
        if len(self.treebanks) > 1:
            raise TreegaugeError(
                f"a .conllu file holds the sentences of one treebank; got {len(self.treebanks)}: "
                "give one gold file, or write a table (.csv, .json)"
            )
        return self.treebanks[0].subset


def _said(one: TreebankSubset, metric: str) -> str:
    """Return sentences on the choice, and whether it predicts better than random sentences."""
    expected, names = one.expected, [name or "?" for name in one.sent_ids]
    chance = next(judged for judged in one.judged if judged.method == "random")
    words = f"{one.draw.gold[one.draw.sentences].sum():.0f} of {one.draw.gold.sum():.0f} words"
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    lines = [
        f"{one.treebank}: {len(names)} of {len(one.gold)} sentences, {words}: {' '.join(names[:_LISTED])}{more}",
        f"Expected error of {metric} of a new system: {expected.error:.2f} points; its full "
        f"{metric} is within {expected.within:.2f} of the estimate (95 %).",
    ]
    if expected.method != "random":
        lines += [
            f"Random sentences: {chance.error:.2f} points. {_verdict(expected)}",
            f"Kendall's tau of the ranking of new systems: {expected.tau:.2f}, random sentences: {chance.tau:.2f}.",
        ]
    return "\n".join(lines)


def _verdict(judged: JudgedMethod) -> str:
    """Return whether the error is lower than that of random sentences, from its interval."""
    if judged.gain is None or judged.gain_low is None or judged.gain_high is None:
        return "Two or more repeats are needed to compare the two."
    lower, ends = judged.gain, (judged.gain_low, judged.gain_high)
    word = "higher" if lower < 0 else "lower"
    if lower < 0:
        lower, ends = -lower, (-ends[1], -ends[0])
    text = f"{lower:.0f} % {word}"
    interval = f"(95 % interval {ends[0]:.0f} to {ends[1]:.0f} %)"
    if judged.better or judged.worse:
        return f"The error is {text} {interval}."
    return f"The error is not significantly different: {text} {interval}."


def recommend_sentences(
    gold: Any,
    systems: Sequence[Any],
    size: int,
    *,
    method: Method,
    metric: str,
    folds: int,
    repeats: int,
    samples: int,
    seed: int,
) -> SentenceSubsets:
    """Choose sentences of each treebank, and evaluate the choice on held-out systems."""
    from treegauge.scoring.metrics.registry import canonical

    if size < SMALLEST:
        raise TreegaugeError(f"{size} sentences: a subset needs at least {SMALLEST}")
    metric = canonical(metric)
    chosen: list[TreebankSubset] = []
    marks, counted = [], 0
    for name, read, outputs in _test_sets(gold, systems):
        if len(outputs) < FEWEST:
            raise TreegaugeError(
                f"{name} has the output of {len(outputs)} systems; choosing sentences needs at "
                f"least {FEWEST}: some for choosing, others for evaluation"
            )
        counted += 1
        if len(read) <= size:
            note(f"{name} has {len(read)} sentences, not more than {size}: left out")
            continue
        scores, mark = sentence_scores(read, outputs, metric)
        rng = np.random.default_rng((seed, len(chosen)))
        judged = judge_methods(scores, size, folds, repeats, samples, rng)
        draw = draw_sentences(scores, size, method, rng)
        chosen.append(TreebankSubset(name, read, draw, judged, metric))
        marks.append(mark)
    if not chosen:
        raise TreegaugeError(f"no test set has more than {size} sentences ({counted} given): choose fewer sentences")
    signature = sign(
        v="recommend", tb="+".join(marks), systems=len(outputs), m=metric.lower(), sentences=size,
        method=method, cv=f"{repeats}x{folds}", samples=samples, seed=seed,
    )  # fmt: skip
    return SentenceSubsets(tuple(chosen), metric, signature)


def _test_sets(gold: Any, systems: Sequence[Any]) -> "Iterator[tuple[str, Treebank, Mapping[str, Sequence[Any]]]]":
    """Yield name, gold and outputs by system of each test set."""
    from treegauge.scoring.systems.outputs import match_folders, resolve_systems
    from treegauge.treebanks.data.reading import read_treebank

    source, named, is_folder = resolve_systems(gold, systems)
    if not is_folder:
        read = read_treebank(source)
        yield read.name, read, named
        return
    files = match_folders(source, named)
    for name, path in files.gold.items():
        outputs = {
            system: outputs_by_name[name]
            for system, outputs_by_name in files.systems.items()
            if name in outputs_by_name
        }
        yield name, read_treebank(path), outputs


def sentence_scores(gold: "Treebank", outputs: Mapping[str, Sequence[Any]], metric: str) -> tuple[SentenceScores, str]:
    """Return counts by system and sentence, and the mark of gold in signatures."""
    from treegauge.scoring.evaluation import evaluate
    from treegauge.scoring.metrics.registry import ALL, NUMBER

    scored = evaluate(gold, outputs)
    if metric not in scored.systems[0].metrics:
        raise TreegaugeError(
            f"{metric} is not computed from output alone; choose one of {', '.join(scored.systems[0].metrics)}"
        )
    names = ALL[metric][:3]
    counts = np.array(
        [
            np.sum([run.rows[:, [NUMBER[one] for one in names]] for run in system.runs], axis=0) / len(system.runs)
            for system in scored.systems
        ]
    )
    correct, in_gold, in_system = np.moveaxis(counts.astype(np.float64), 2, 0)
    return SentenceScores(correct, (in_gold + in_system) / 2, in_gold[0]), gold.mark
