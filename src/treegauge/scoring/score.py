"""The verb ``score``: systems against gold."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note, progress
from treegauge.core.verbs import verb
from treegauge.scoring.convention import Counting
from treegauge.scoring.settings import Reading, Resampling

if TYPE_CHECKING:
    from treegauge.core.result import Result
    from treegauge.scoring.align import Alignment
    from treegauge.scoring.scores import Scores, View
    from treegauge.scoring.sentence_counts import ScoreOptions
    from treegauge.scoring.suite import Suite
    from treegauge.treebanks.columns import Treebank

    Output = Treebank | str | PathLike[str]


@verb
def score(
    gold: "Output",
    *systems: "Output | Mapping[str, Any]",
    metric: Sequence[str] = (),
    by: Sequence[str] = (),
    examples: str | None = None,
    confusion: str | None = None,
    split: Literal["train", "dev", "test"] | None = None,
    common: bool = False,
    counting: Counting = Counting(),
    enhanced: bool = False,
    weights: str | PathLike[str] | Mapping[str, float] | None = None,
    test: Literal["student", "permutation", "bootstrap", "none"] = "student",
    permutations: int = 10_000,
    correction: Literal["holm", "bonferroni", "benjamini-hochberg"] = "holm",
    margin: float | None = None,
    plan: float | None = None,
    resampling: Resampling = Resampling(),
    reading: Reading = Reading(),
    all: bool = False,
    official: bool = False,
    counts: bool = False,
    style: Literal["plain", "acl"] = "plain",
) -> "Scores | Suite":
    """Score systems against gold, with confidence intervals and significance tests.

    All counts are those of the CoNLL 2018 shared task's script. Given folders, outputs are matched
    with gold files by file name, treebank code, treebank name or text; macro averages count a
    missing or failed output as 0, and paired tests say on how many treebanks a system is better.

    Parameters
    ----------
    gold
        The gold file, or a folder of gold files.
    *systems
        System files or folders, as PATH or NAME=PATH; the same NAME several times: runs (seeds) of
        one system. In Python also treebanks, and mappings from names to outputs.
    metric
        Metrics to show and to test (LAS); LAS,UAS for several.
    by
        Break scores down by relation, upos, direction, distance, depth, length, projectivity,
        head-upos, position or feats:NAME; upos,direction crosses two.
    examples
        With by: draw sentences with incorrect words of this class.
    confusion
        Confusion matrix of relation, head-upos, upos or another class.
    split
        With folders: only gold files of this split.
    common
        With folders: score only treebanks for which every system has output.
    enhanced
        Score enhanced dependencies, too (ELAS, EULAS).
    weights
        Weights of relations for WLAS: wde, a file of 'relation weight' lines, or a .conllu file.
    test
        Test between systems. student, the primary one: t test of the difference, in which units
        and, from three runs a system, runs are random; permutation and bootstrap hold runs fixed.
    permutations
        Random draws of a permutation or bootstrap test.
    margin
        Difference in points that does not matter: say which systems are equivalent, not worse or
        better.
    plan
        Difference in points to be found: say how many sentences, runs and treebanks that takes.
    correction
        Correction of p-values for the number of tests; with folders always Bonferroni's.
    all
        Show all metrics and all confused pairs.
    official
        Show the official script's table only.
    counts
        Show the official script's counts only.
    style
        LaTeX table: plain, or acl, which fits the columns of ACL papers.

    Returns
    -------
    Scores or Suite
        Scores on one gold file, or on all gold files of a folder.

    Examples
    --------
    >>> import treegauge as tg
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(20, seed=1)
    >>> scores = tg.score(gold, {"perfect": gold}, metric=["UAS", "LAS"], resamples=0)
    >>> print(scores["perfect"]["LAS"].f1)
    100.0
    """
    from treegauge.scoring.score_inputs import find_gold, named_outputs, relation_weights
    from treegauge.scoring.sentence_counts import ScoreOptions

    named = named_outputs(systems)
    source, folder = find_gold(gold, named, split)
    view: View = "counts" if counts else "official" if official else "all" if all else "short"
    options = ScoreOptions(counting.chosen, enhanced, *relation_weights(weights))
    if official or counts:
        resampling = replace(resampling, resamples=0)
    how = _How(
        options, reading, resampling, _listed(metric), test if resampling.resamples else "none",
        permutations, correction, margin, plan, view, style, _texts(by), examples, confusion,
    )  # fmt: skip
    _check(how, named, gold, folder=folder, common=common)
    how = how._replace(metrics=_metrics(how))
    if folder:
        return _score_folders(source, named, split, common, how)
    return _score_files(source, named, how)


class _How(NamedTuple):
    """How systems are scored and compared, and what is asked for beside the scores."""

    options: "ScoreOptions"
    reading: Reading
    resampling: Resampling
    metrics: tuple[str, ...]
    test: Literal["student", "permutation", "bootstrap", "none"]
    permutations: int
    correction: str
    margin: float | None
    plan: float | None
    view: "View"
    style: Literal["plain", "acl"]
    by: tuple[str, ...]
    examples: str | None
    confusion: str | None


def _texts(values: Sequence[str]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)


def _listed(values: Sequence[str]) -> tuple[str, ...]:
    """Take lists with commas apart."""
    return tuple(part.strip() for value in _texts(values) for part in value.split(","))


def _check(
    how: _How, named: Mapping[str, Sequence[Any]], gold: Any, *, folder: bool, common: bool
) -> None:
    """Refuse combinations that would otherwise be ignored."""
    details, plain = bool(how.by or how.confusion), how.view in {"official", "counts"}
    sources = [gold, *(output for outputs in named.values() for output in outputs)]
    refused = {
        f"--correction benjamini-hochberg is for one gold file; got a folder: {gold}, for which "
        "the correction is bonferroni": folder and how.correction == "benjamini-hochberg",
        "--official, --counts, --by and --confusion are for one gold file; got a folder: "
        f"{gold}": folder and (plain or details),
        f"--common needs GOLD to be a folder of treebanks; got: {gold}": common and not folder,
        "--official and --counts show one table: leave out --by, --confusion": plain and details,
        f"the official table shows one system; got {len(named)}: {', '.join(named)}": plain
        and len(named) > 1,
        "--examples draws words of a class: say which classes with --by": how.examples is not None
        and not how.by,
        "standard input (-) can be read once: give the other as a file": sum(
            isinstance(source, str) and source == "-" for source in sources
        )
        > 1,
    } | {
        f"breakdowns are of one run; {name!r} has {len(runs)}": details and len(runs) > 1
        for name, runs in named.items()
    }
    for message, found in refused.items():
        if found:
            raise TreegaugeError(message)


def _metrics(how: _How) -> tuple[str, ...]:
    """Return the metrics as they are written here; breakdowns have some of their own."""
    from treegauge.scoring.metrics import canonical
    from treegauge.scoring.word_metrics import WORD_METRICS, find_word_metric

    if how.by:
        words = {name.lower() for name in WORD_METRICS}
        return tuple(
            find_word_metric(name) if name.lower() in words else canonical(name)
            for name in how.metrics
        )
    chosen = tuple(map(canonical, how.metrics))
    for name in chosen:
        if name not in how.options.metrics:
            needed = "--weights" if name == "WLAS" else "--enhanced"
            raise TreegaugeError(f"{name} needs {needed}")
    return chosen


def _report_problems(results: "Iterable[Scores]") -> None:
    """Note what was skipped or repaired."""
    problems = [p for scores in results for one in scores.systems for p in one.problems]
    for problem in dict.fromkeys(problems):
        if problem.action:
            note(str(problem))


def _score_folders(
    gold: str, named: Mapping[str, Sequence[Any]], split: str | None, common: bool, how: _How
) -> "Suite":
    from treegauge.scoring.hierarchies import compare_suite, plan_suite
    from treegauge.scoring.score_inputs import match_folders
    from treegauge.scoring.suite import score_suite

    files = match_folders(gold, named, split=split, common=common)
    with progress("sentences") as task:
        suite = score_suite(files.gold, files.systems, *how[:3], progress=task.advance)
    _report_problems(suite.treebanks.values())
    suite = replace(suite, chosen=how.metrics, all=how.view == "all", style=how.style)
    if how.test == "none" or len(named) < 2:
        return suite
    tested = how.metrics or ("LAS",)
    attached: dict[str, Result] = {
        "comparisons": compare_suite(
            suite, metric=tested, correction=how.correction, margin=how.margin
        ),
        "claims": suite.claims(
            metric=tested, test=how.test, permutations=how.permutations,
            alpha=round(1 - how.resampling.level, 10), seed=how.resampling.seed,
        ),
    }  # fmt: skip
    if how.plan is not None:
        attached["plan"] = plan_suite(suite, how.plan, metric=tested[0])
    return suite.with_attached(attached)


def _score_files(gold: Any, named: Mapping[str, Sequence[Any]], how: _How) -> "Scores":
    from treegauge.scoring.evaluation import evaluate

    alignments = _alignments(gold, named, how.reading) if how.by or how.confusion else {}
    if alignments:  # they have been read, perhaps from a stream that cannot be read again
        gold = next(iter(alignments.values())).gold.treebank
        named = {name: [one.system.treebank] for name, one in alignments.items()}
    with progress("sentences") as task:
        scores = evaluate(gold, named, *how[:3], progress=task.advance)
    _report_problems([scores])
    chosen = tuple(name for name in how.metrics if name in scores.systems[0].metrics)
    scores = replace(scores, chosen=chosen, view=how.view, style=how.style)
    attached: dict[str, Any] = {}
    if how.test != "none" and len(named) > 1:
        from treegauge.scoring.comparisons import compare

        attached["comparisons"] = compare(
            scores, metric=chosen or ("LAS",), test=how.test, permutations=how.permutations,
            correction=how.correction, seed=how.resampling.seed, margin=how.margin,
        )  # fmt: skip
    if how.plan is not None:
        from treegauge.scoring.plan import plan_scores

        attached["plan"] = plan_scores(scores, how.plan, (chosen or ("LAS",))[0])
    if alignments:
        attached |= _details(alignments, how)
    featured = next((name for name in ("confusions", "breakdowns") if name in attached), "")
    return scores.with_attached(attached, featured=featured)


def _alignments(
    gold: Any, named: Mapping[str, Sequence[Any]], reading: Reading
) -> "dict[str, Alignment]":
    from treegauge.scoring.align import align
    from treegauge.treebanks.inputs import read_treebank

    how: dict[str, Any] = {"errors": reading.errors, "allow": reading.allow}
    ours = read_treebank(gold, **how)
    return {
        name: align(ours, read_treebank(output, name=name, **how))
        for name, (output,) in named.items()
    }


def _details(alignments: "Mapping[str, Alignment]", how: _How) -> "dict[str, list[Result]]":
    from treegauge.core.result import countersign
    from treegauge.scoring.breakdown import Breakdowns, breakdown
    from treegauge.scoring.breakdown import examples as find_examples
    from treegauge.scoring.confusion import confusion

    parts: dict[str, list[Result]] = {"breakdowns": [], "examples": [], "confusions": []}
    metric, convention = (how.metrics or ("LAS",))[0], how.options.convention
    tables = [
        {
            name: breakdown(alignment, by=by, metric=metric, convention=convention)
            for name, alignment in alignments.items()
        }
        for by in how.by
    ]
    for cells in tables:
        first = next(iter(cells.values()))
        if len(cells) == 1:
            parts["breakdowns"].append(first)
        else:
            shared = re.sub(r"\|system:[^|]*", "", first.signature)
            signature = countersign(shared, systems="+".join(cells))
            parts["breakdowns"].append(Breakdowns(cells, signature))
    for name, alignment in alignments.items():
        if how.examples is not None:
            own = [cells[name] for cells in tables]
            having = [one for one in own if how.examples in one.gold.names] or own
            parts["examples"].append(find_examples(having[0], how.examples))
        if how.confusion is not None:
            matrix = confusion(alignment, of=how.confusion)
            parts["confusions"].append(replace(matrix, all=how.view == "all"))
    return {kind: results for kind, results in parts.items() if results}
