"""The verb ``score``: scores of systems against gold, with intervals and tests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, get_args

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import note, progress
from treegauge.core.verbs import verb
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.settings import ScoreOptions, Scoring, score_options

if TYPE_CHECKING:
    from treegauge.core.result import Result
    from treegauge.scoring.scores import Scores
    from treegauge.scoring.systems import SystemRuns
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.published import PublishedContext

    Output = Treebank | str | PathLike[str]

Test = Literal["student", "permutation", "bootstrap", "none"]
Correction = Literal["holm", "bonferroni", "benjamini-hochberg"]
Beside = Literal["baselines", "published"]


@verb(spelled={"--baselines": ("--context", "baselines")})
def score(
    gold: "Output",
    *systems: "Output | Mapping[str, Any]",
    metric: str | Sequence[str] = (),
    convention: str | Convention = "official",
    context: Sequence[Beside] | Beside = (),
    split: Literal["train", "dev", "test"] | None = None,
    common: bool = False,
    test: Test = "student",
    correction: Correction = "holm",
    margin: float | None = None,
    fresh: str | None = None,
    leave_out: Literal["leaked"] | None = None,
    scoring: Scoring = Scoring(),
) -> "Scores":
    """Score systems against gold, with confidence intervals and significance tests.

    Counts equal those of the official CoNLL 2018 script. Given folders, outputs are matched with
    gold files by file name, treebank code, treebank name or text. Macro averages count a missing or
    failed output as 0, and paired tests give the number of treebanks on which a system is better.

    One file; systems with several seeds on several treebanks (runs/careful has a folder per seed); the table for a
    paper, with significance marks::

        treegauge score gold.conllu careful.conllu hasty.conllu
        treegauge score gold careful=runs/careful hasty=runs/hasty
        treegauge score gold careful=runs/careful hasty=runs/hasty -o table.tex

    Parameters
    ----------
    gold
        The gold file, or a folder of gold files. In Python also a mapping from names to treebanks.
    *systems
        System files or folders, as PATH or NAME=PATH, or stores. Repeat a NAME for several runs
        (seeds) of one system, or give a folder with a folder per run. In Python also treebanks, and
        mappings from names to outputs.
    metric
        Metrics to show and to test, such as LAS,UAS; all for all of them. ELAS and EULAS score
        enhanced dependencies, ELAS(collapse=yes,without=15) as IWPT does; WLAS weighs relations,
        WLAS(weights=FILE); MSLAS scores trees of content nodes (UniDive 2025).
    context
        What to compare with. baselines: trees that know only the length of a sentence
        (left-branching, right-branching, random projective, random with the shortest arcs) and, if
        a training set is next to gold, the majority over pairs of gold tags. published: one line of
        what makers of parsers published, if gold is the test set of a UD release
        (r2.5/UD_Greek-GDT), for the kind of input that the output shows: raw text, gold tokens, or
        gold tokens and tags.
    split
        With folders: only gold files of this split. Default: the splits that systems parsed.
    common
        With folders: score only treebanks for which every system has output.
    test
        Significance test between systems. student, the primary one, is a t test of the difference,
        in which units and, with three or more runs per system, runs are random; permutation and
        bootstrap hold runs fixed.
    correction
        Correction of p-values for the number of tests; with folders always bonferroni.
    margin
        Largest difference in points that does not matter; shows which systems are equivalent, not
        worse, or better.
    fresh
        Score sentences that were added, or whose words changed, since an older release apart from the others, and test
        the difference: r2.15 under TREEGAUGE_UD, or the path of the release or of the treebank in it.
    leave_out
        leaked: leave out sentences that are also, exactly or nearly, in the training set next to gold.

    Returns
    -------
    Scores
        The scores of every system: ``scores["careful"]["LAS"]``. Given folders, these are macro
        averages, and ``scores.treebanks["Greek"]`` has those on one treebank.

    Examples
    --------
    >>> import treegauge as tg
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(20, seed=1)
    >>> scores = tg.score(gold, {"perfect": gold}, metric=["UAS", "LAS"], resamples=0)
    >>> print(scores["perfect"]["LAS"].f1)
    100.0
    """
    from treegauge.scoring.systems import answers

    beside = [context] if isinstance(context, str) else list(context)
    if unknown := set(beside) - {*get_args(Beside)}:
        raise ChoiceError("context", min(unknown), get_args(Beside))
    chosen, options = score_options(metric, convention, scoring)
    given = answers(gold, systems, split=split, common=common, loose=options.align == "loose")
    every = any(text.lower() == "all" for text in ([metric] if isinstance(metric, str) else metric))
    test = test if options.resamples else "none"
    names = list(given.systems)
    if given.several and correction == "benjamini-hochberg":
        raise TreegaugeError(
            f"--correction benjamini-hochberg is for one gold file; got a folder: {gold}, for which "
            "the correction is bonferroni"
        )
    if given.several and options.nodes:
        raise TreegaugeError(f"MSLAS is for one gold file; got a folder: {gold}")
    if common and not given.several:
        raise TreegaugeError(f"--common needs GOLD to be a folder of treebanks; got: {gold}")
    if margin is not None and (len(names) < 2 or test == "none"):
        raise TreegaugeError("--margin needs at least two systems, and a test between them")
    if "published" in beside:
        from treegauge.treebanks.published import published_test

        published_test(given.gold)  # an error now, not after minutes
    scores = _scores(with_baselines(given, options) if "baselines" in beside else given, options, chosen)
    golds = given.gold if given.several else dict.fromkeys(scores.treebanks, given.single[0])
    if leave_out is not None:
        scores = _left_out(scores, golds, leave_out, fresh, options)
    tested = scores.only(names)  # tests against baselines would cost power
    problems = [p for one in scores.treebanks.values() for system in one.systems for p in system.problems]
    for problem in dict.fromkeys(problems):
        if problem.action:
            note(str(problem))
    from treegauge.scoring.metrics.registry import refuse_left_out

    refuse_left_out(chosen)
    scores = replace(scores, chosen=() if every else chosen, all=every)
    scores = scores.with_attached(_further(scores, tested, golds, fresh, chosen, options))
    if "published" in beside:
        scores = scores.with_attached({"context": _published(tested, golds, chosen, leave_out)})
    if test == "none" or len(names) < 2:
        return scores
    tested = replace(tested, chosen=chosen)
    metrics = chosen or ("MSLAS" if options.nodes else "LAS",)
    return scores.with_attached(_tests(tested, metrics, test, correction, margin, options, given.several))


def _left_out(scores: Any, golds: Mapping[str, Any], leave_out: str, fresh: str | None, options: ScoreOptions) -> Any:
    """Return the scores without the sentences to leave out."""
    from treegauge.scoring.subsets import without_leaked

    if leave_out != "leaked":
        raise ChoiceError("sentences to leave out", leave_out, ["leaked"])
    if fresh is not None:
        raise TreegaugeError("--fresh and --leave-out choose sentences in two ways; give one of them")
    return without_leaked(scores, golds, options)


def _published(
    scores: Any, golds: Mapping[str, Any], chosen: Sequence[str], leave_out: str | None
) -> "PublishedContext":
    """Return what others published on gold; the kind of input is known from the output of each system."""
    from treegauge.treebanks.published import input_of, published_context

    name = chosen[0] if chosen else "LAS"
    if scores.convention.name != "official" or leave_out is not None or "Tokens" not in scores.systems[0].metrics:
        raise TreegaugeError("published scores are of whole test sets under the official convention; leave out others")
    inputs = {
        system: input_of(
            {key: metric.f1 for key, metric in part[system].metrics.items()}
            for code, part in scores.treebanks.items()
            if (code, system) not in getattr(scores, "failures", ())
        )
        for system in scores.names
    }
    return published_context(golds, inputs, name)


def _further(
    scores: Any, tested: Any, golds: Mapping[str, Any], fresh: str | None, chosen: Sequence[str], options: ScoreOptions
) -> "dict[str, Result]":
    """Return the scores of fresh sentences, and what went wrong in answers."""
    attached: dict[str, Result] = {}
    if fresh is not None:
        from treegauge.scoring.subsets import fresh_scores

        attached["fresh"] = fresh_scores(tested, golds, fresh, chosen or ("LAS",), options)
    if options.align == "loose":
        from treegauge.scoring.failures import failure_tables

        attached |= failure_tables(scores, options.convention)
    return attached


def _tests(
    scores: Any, metrics: Sequence[str], test: Any, correction: str, margin: float | None,
    options: ScoreOptions, several: bool,
) -> "dict[str, Result]":  # fmt: skip
    """Return the comparisons of systems and, over treebanks, the claims."""
    draws = {"resamples": options.resamples, "seed": options.seed}
    if not several:
        from treegauge.scoring.paired_tests import compare_systems

        return {
            "comparisons": compare_systems(
                scores, metric=metrics, test=test, correction=correction, margin=margin, **draws
            )
        }
    from treegauge.scoring.paired_tests import compare_suite

    alpha = round(1 - options.level, 10)
    return {
        "comparisons": compare_suite(scores, metric=metrics, correction=correction, margin=margin),
        "claims": scores.claims(metric=metrics, test=test, alpha=alpha, **draws),
    }


def _scores(given: "SystemRuns", options: ScoreOptions, chosen: Sequence[str]) -> "Scores":
    """Return the scores on one gold file, or on many treebanks with their averages."""
    if options.nodes:
        from treegauge.scoring.metrics.mslas import score_nodes

        return score_nodes(*given.single, options)
    with progress("sentences") as task:
        if given.several:
            from treegauge.scoring.suite import score_suite

            return score_suite(
                given.gold, given.systems, options, failures=given.failures, chosen=chosen, progress=task.advance
            )
        from treegauge.scoring.evaluation import evaluate

        return evaluate(*given.single, options, progress=task.advance)


def with_baselines(given: "SystemRuns", options: ScoreOptions) -> "SystemRuns":
    """Add the trees of the baselines for gold sentences; gold is read once."""
    from treegauge.treebanks.sources.resolver import read_treebank

    gold = {code: read_treebank(one, errors=options.errors, allow=options.allow) for code, one in given.gold.items()}
    parsed = {code: _baselines(one, given.gold[code], options) for code, one in gold.items()}
    shared = [name for name in next(iter(parsed.values())) if all(name in trees for trees in parsed.values())]
    added = {name: {code: [trees[name]] for code, trees in parsed.items()} for name in shared}
    return given._replace(gold=given.gold if given.several else gold, systems=given.systems | added)


def _baselines(gold: Any, path: Any, options: ScoreOptions) -> "dict[str, Treebank]":
    """Return the baselines' trees for gold sentences; tag pairs need a training set next to the gold file."""
    from treegauge.core.lazy import load_extension
    from treegauge.scoring.metrics.baselines import BASELINES, baseline_parse
    from treegauge.scoring.subsets import training_sets
    from treegauge.treebanks.data.columns import concat
    from treegauge.treebanks.sources.resolver import read_treebank

    read = read_treebank(gold, errors=options.errors, allow=options.allow)
    found = {name: baseline_parse(read, name) for name in BASELINES}
    if training := training_sets(path):
        found["tag-pairs"] = load_extension("parsers", "fit")("baseline", concat(training), seed=0).parse(read)
    return found
