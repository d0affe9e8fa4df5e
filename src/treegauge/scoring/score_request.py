"""Scores of files or folders as requested from ``score``, with comparisons and details."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from treegauge.core.messages import note, progress
from treegauge.scoring.settings import Reading, RequestedDetails, Resampling
from treegauge.treebanks.sources.resolver import read_treebank

if TYPE_CHECKING:
    from treegauge.core.result import Result
    from treegauge.scoring.metrics.sentence_counts import ScoreOptions
    from treegauge.scoring.scores import Scores, View
    from treegauge.scoring.suite import Suite
    from treegauge.treebanks.data.columns import Treebank


class ScoreRequest(NamedTuple):
    """How systems are scored and compared, and which details are requested."""

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
    requested: RequestedDetails
    votes: tuple[str, ...]
    voted: str | PathLike[str] | None
    baselines: bool


def _report_problems(results: "Iterable[Scores]") -> None:
    """Send a note on what was skipped or repaired."""
    problems = [p for scores in results for system in scores.systems for p in system.problems]
    for problem in dict.fromkeys(problems):
        if problem.action:
            note(str(problem))


def score_folders(
    gold: str, named: Mapping[str, Sequence[Any]], how: ScoreRequest, *, split: str | None, common: bool
) -> "Suite":
    """Score folders of output against a folder of gold files, and compare the systems."""
    from treegauge.scoring.inference.hierarchies import compare_suite, plan_suite
    from treegauge.scoring.metrics.registry import refuse_left_out
    from treegauge.scoring.suite import score_suite
    from treegauge.scoring.systems.score_inputs import match_folders

    files = match_folders(gold, named, split=split, common=common)
    systems: dict[str, Mapping[str, Any]] = {**files.systems}
    if how.baselines:
        baselines = {code: _baselines(path, how) for code, path in files.gold.items()}
        names = next(iter(baselines.values()))
        systems |= {name: {code: trees[name] for code, trees in baselines.items()} for name in names}
    with progress("sentences") as task:
        suite = score_suite(files.gold, systems, *how[:3], progress=task.advance)
    _report_problems(suite.treebanks.values())
    refuse_left_out(how.metrics)
    suite = replace(suite, chosen=how.metrics, all=how.view == "all", style=how.style)
    if how.requested.calibration:
        from treegauge.scoring.probabilities.calibration_suite import calibrate_suite

        seed = how.resampling.seed if how.resampling.resamples else None
        calibrated = calibrate_suite(suite, files.gold, files.systems, how.reading, seed=seed)
        suite = suite.with_attached({"calibration": calibrated}, featured="calibration")
    if how.test == "none" or len(named) < 2:
        return suite
    tested = how.metrics or ("LAS",)
    named_only = replace(suite, systems=tuple(name for name in suite.systems if name in named))
    attached: dict[str, Result] = {
        "comparisons": compare_suite(named_only, metric=tested, correction=how.correction, margin=how.margin),
        "claims": named_only.claims(
            metric=tested,
            test=how.test,
            permutations=how.permutations,
            alpha=round(1 - how.resampling.level, 10),
            seed=how.resampling.seed,
        ),
    }
    if how.plan is not None:
        attached["plan"] = plan_suite(named_only, how.plan, metric=tested[0])
    return suite.with_attached(attached)


def score_files(gold: Any, named: Mapping[str, Sequence[Any]], how: ScoreRequest) -> "Scores":
    """Score files; baselines get scores only.

    Tests against baselines would cost power, and their votes would change the combined system.
    """
    from treegauge.scoring.evaluation import evaluate

    if how.requested.anything:
        from treegauge.scoring.alignment.paired_reading import align_by
        from treegauge.scoring.classes.details import align_outputs, details
        from treegauge.scoring.systems.combining import VOTED, voted_system
    baselines: Mapping[str, Treebank] = {}
    if how.baselines:
        gold = read_treebank(gold, errors=how.reading.errors, allow=how.reading.allow)
        baselines = _baselines(gold, how)
    outputs_to_align = {name: outputs[0] for name, outputs in named.items()}
    alignments = align_outputs(gold, named, how.reading) if how.requested.anything else {}
    if alignments:  # outputs were read already, perhaps from a stream that cannot be read again
        gold = next(iter(alignments.values())).gold.treebank
        outputs = {name: alignment.system.treebank for name, alignment in alignments.items()}
        if how.requested.combine:
            outputs[VOTED] = voted_system(outputs, how.votes, how.voted)
            alignments[VOTED] = align_by(how.reading, gold, outputs[VOTED])
        named = {name: [output] for name, output in outputs.items()}
    named = {**named, **{name: [output] for name, output in baselines.items()}}
    if how.options.nodes:
        from treegauge.scoring.metrics.morphosyntactic import score_nodes

        scores = score_nodes(gold, named, how.reading, how.resampling)
    else:
        with progress("sentences") as task:
            scores = evaluate(gold, named, *how[:3], progress=task.advance)
    _report_problems([scores])
    from treegauge.scoring.metrics.registry import refuse_left_out

    refuse_left_out(how.metrics)
    chosen = tuple(name for name in how.metrics if name in scores.systems[0].metrics)
    scores = replace(scores, chosen=chosen, view=how.view, style=how.style)
    attached: dict[str, Any] = {}
    tested = chosen or ("MSLAS" if how.options.nodes else "LAS",)
    systems = tuple(one for one in scores.systems if one.system not in baselines)
    if how.test != "none" and len(systems) > 1:
        from treegauge.scoring.inference.comparisons import compare_systems

        attached["comparisons"] = compare_systems(
            replace(scores, systems=systems), metric=tested, test=how.test,
            permutations=how.permutations, correction=how.correction,
            seed=how.resampling.seed, margin=how.margin,
        )  # fmt: skip
    if how.plan is not None:
        from treegauge.scoring.inference.plan import plan_scores

        attached["plan"] = plan_scores(replace(scores, systems=systems), how.plan, tested[0])
    if alignments:
        attached |= details(
            alignments, scores, how.requested, metric=(how.metrics or ("LAS",))[0],
            correction=None if how.test == "none" else how.correction, all_pairs=how.view == "all",
        )  # fmt: skip
    if how.requested.calibration:
        from treegauge.scoring.probabilities.calibration import calibrate

        files = {name: str(output) for name, output in outputs_to_align.items() if _is_path(output)}
        attached["calibration"] = calibrate(
            {name: alignments[name] for name in outputs_to_align}, scores, files=files,
            seed=how.resampling.seed if how.resampling.resamples else None,
            all_parts=how.view == "all",
        )  # fmt: skip
    parts = ("overlap", "confusions", "breakdowns", "calibration")
    featured = next((name for name in parts if name in attached), "")
    return scores.with_attached(attached, featured=featured)


def _is_path(output: Any) -> bool:
    return isinstance(output, str | PathLike)


def _baselines(gold: Any, how: ScoreRequest) -> "dict[str, Treebank]":
    """Return the baselines' trees for gold sentences."""
    from treegauge.scoring.metrics.baselines import BASELINES, baseline_parse

    read = read_treebank(gold, errors=how.reading.errors, allow=how.reading.allow)
    return {name: baseline_parse(read, name) for name in BASELINES}
