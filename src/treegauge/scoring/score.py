"""The verb ``score``: scores of systems against gold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import CONLLU
from treegauge.core.messages import note
from treegauge.core.verbs import verb
from treegauge.scoring.metrics.convention import Convention, metrics_and_convention
from treegauge.scoring.score_request import ScoreRequest, score_files, score_folders
from treegauge.scoring.settings import Reading, RequestedDetails, Resampling

if TYPE_CHECKING:
    from treegauge.scoring.scores import Scores, View
    from treegauge.scoring.suite import Suite
    from treegauge.treebanks.data.columns import Treebank

    Output = Treebank | str | PathLike[str]


@verb(outputs={"voted": CONLLU})
def score(
    gold: "Output",
    *systems: "Output | Mapping[str, Any]",
    metric: Sequence[str] = (),
    by: Sequence[str] = (),
    examples: str | None = None,
    confusion: str | None = None,
    overlap: int = 0,
    combine: bool = False,
    votes: Sequence[str] = (),
    voted: str | PathLike[str] | None = None,
    calibration: bool = False,
    baselines: bool = False,
    split: Literal["train", "dev", "test"] | None = None,
    common: bool = False,
    convention: str | Convention = "official",
    enhanced: bool = False,
    enhancements: str = "0",
    collapse: bool = False,
    msp: bool = False,
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

    Counts equal those of the official CoNLL 2018 script. Given folders, outputs are matched with
    gold files by file name, treebank code, treebank name or text. Macro averages count a missing or
    failed output as 0, and paired tests give the number of treebanks on which a system is better.

    Parameters
    ----------
    gold
        The gold file, or a folder of gold files.
    *systems
        System files or folders, as PATH or NAME=PATH. Repeat a NAME for several runs (seeds) of one
        system. In Python also treebanks, and mappings from names to outputs.
    metric
        Metrics to show and to test, such as LAS,UAS.
    by
        Break scores down by relation, upos, direction, distance, depth, length, projectivity,
        head-upos, position, feats:NAME, doc, comment:KEY or sent_id:REGEX; upos,direction crosses
        two. Given two systems, tests their difference in each class.
    examples
        With `by`: draw sentences with incorrect words of this class.
    confusion
        Confusion matrix of relation, head-upos, upos or another class.
    overlap
        List the errors that the best N systems share, and those that only one of them makes.
    combine
        Add a system that combines the others by voting on arcs, and the scores of oracles.
    votes
        With `combine`: weight of a system's vote, as NAME=WEIGHT (1 where not given).
    voted
        Write the combined trees to this CoNLL-U file. Implies `combine`.
    calibration
        Show how well the systems' probabilities (HeadProb and DeprelProb in MISC, tree_prob) are
        calibrated, and the scores without the least certain sentences.
    baselines
        Add uninformed baselines, which know only the length of a sentence: left-branching,
        right-branching, random projective trees, random trees with the shortest arcs.
    split
        With folders: only gold files of this split.
    common
        With folders: score only treebanks for which every system has output.
    enhanced
        Also score enhanced dependencies (ELAS, EULAS).
    enhancements
        Types of enhanced edges to leave out, by the codes of the IWPT shared tasks: 1 gapping, 2
        shared parents, 3 shared dependents, 4 control, 5 relative clauses, 6 case information. 15
        leaves out types 1 and 5; 0 leaves out none. Implies `enhanced`.
    collapse
        Collapse empty nodes, as the IWPT shared tasks do: edges over them become paths such as
        conj>nsubj. Implies `enhanced`.
    msp
        Score trees of content nodes with features (MSLAS), in the format of the UniDive 2025 shared
        task on morphosyntactic parsing.
    weights
        Weights of relations for WLAS: wde, a file of 'relation weight' lines, or a .conllu file.
    test
        Significance test between systems. student, the primary one, is a t test of the difference,
        in which units and, with three or more runs per system, runs are random; permutation and
        bootstrap hold runs fixed.
    permutations
        Number of random draws of a permutation or bootstrap test.
    margin
        Largest difference in points that does not matter; shows which systems are equivalent, not
        worse, or better.
    plan
        Difference in points to be found; shows how many sentences, runs and treebanks this needs.
    correction
        Correction of p-values for the number of tests; with folders always bonferroni.
    all
        Show all metrics and all confused pairs.
    official
        Show only the official script's table.
    counts
        Show only the official script's counts.
    style
        Style of the LaTeX table: plain, or acl for the columns of ACL papers.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.

    Returns
    -------
    Scores or Suite
        Scores on one gold file, or on all gold files in a folder.

    Examples
    --------
    >>> import treegauge as tg
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(20, seed=1)
    >>> scores = tg.score(gold, {"perfect": gold}, metric=["UAS", "LAS"], resamples=0)
    >>> print(scores["perfect"]["LAS"].f1)
    100.0
    """
    from treegauge.scoring.metrics.sentence_counts import ScoreOptions
    from treegauge.scoring.systems.score_inputs import find_gold, named_outputs, relation_weights

    named = named_outputs(systems)
    source, folder = find_gold(gold, named, split)
    view: View = "counts" if counts else "official" if official else "all" if all else "short"
    codes = _enhancement_codes(enhancements)
    metrics, counting = metrics_and_convention(metric, convention)
    options = ScoreOptions(
        counting, enhanced or collapse or bool(codes), *relation_weights(weights), codes, collapse, msp
    )
    if official or counts:
        resampling = replace(resampling, resamples=0)
    combine = combine or voted is not None
    requested = RequestedDetails(_texts(by), examples, confusion, overlap, combine, calibration)
    how = ScoreRequest(
        options, reading, resampling, tuple(one.base for one in metrics), test if resampling.resamples else "none",
        permutations, correction, margin, plan, view, style, requested, _texts(votes), voted,
        baselines,
    )  # fmt: skip
    _check(how, named, gold, folder=folder, common=common)
    how = how._replace(metrics=_metrics(how))
    if folder:
        return score_folders(source, named, how, split=split, common=common)
    return score_files(source, named, how)


def _enhancement_codes(enhancements: str) -> str:
    if enhancements in {"", "0"}:
        return ""
    from treegauge.scoring.metrics.enhanced import check_codes

    codes = check_codes(enhancements)
    if "3" in codes:
        note("enhancement 3 changes nothing, as in the official script of IWPT")
    return codes


def _texts(values: Sequence[str]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)


def _check(how: ScoreRequest, named: Mapping[str, Sequence[Any]], gold: Any, *, folder: bool, common: bool) -> None:
    """Refuse options that would otherwise be ignored."""
    details, plain = how.requested.anything, how.view in {"official", "counts"}
    sources = [gold, *(output for outputs in named.values() for output in outputs)]
    refused = {
        f"--correction benjamini-hochberg is for one gold file; got a folder: {gold}, for which "
        "the correction is bonferroni": folder and how.correction == "benjamini-hochberg",
        "--official, --counts, --by, --confusion, --overlap and --combine are for one gold file; "
        f"got a folder: {gold}": folder and (plain or how.requested._replace(calibration=False).anything),
        f"--common needs GOLD to be a folder of treebanks; got: {gold}": common and not folder,
        "--official and --counts show one table: leave out --by, --confusion, --overlap, "
        "--combine, --calibration": plain and details,
        f"the official table shows one system; got {len(named)}: {', '.join(named)}": plain and len(named) > 1,
        "--examples shows words of a class: choose the classes with --by": how.requested.examples is not None
        and not how.requested.by,
        "--msp scores one gold file, without --by, --confusion, --overlap, --combine, "
        "--calibration, --enhanced, --weights, --official and --counts": how.options.nodes
        and (folder or plain or details or how.options.enhanced or how.options.weights is not None),
        "--votes sets weights for --combine: add --combine": bool(how.votes) and not how.requested.combine,
        "--margin needs at least two systems, and a test between them": how.margin is not None
        and (len(named) < 2 or how.test == "none"),
        "standard input (-) can be read only once: give the other input as a file": sum(
            isinstance(source, str) and source == "-" for source in sources
        )
        > 1,
    } | {
        f"breakdowns, votes and calibration need one run per system; {name!r} has {len(runs)}": details
        and len(runs) > 1
        for name, runs in named.items()
    }
    for message, combined in refused.items():
        if combined:
            raise TreegaugeError(message)


def _metrics(how: ScoreRequest) -> tuple[str, ...]:
    """Return the canonical names of the metrics; some are for breakdowns only."""
    from treegauge.scoring.metrics.registry import canonical
    from treegauge.scoring.metrics.word_metrics import WORD_METRICS, find_word_metric

    if how.requested.by:
        words = {name.lower() for name in WORD_METRICS}
        return tuple(find_word_metric(name) if name.lower() in words else canonical(name) for name in how.metrics)
    chosen = tuple(map(canonical, how.metrics))
    for name in chosen:
        if name not in how.options.metrics:
            needed = {"WLAS": "needs --weights", "ELAS": "needs --enhanced", "EULAS": "needs --enhanced"}
            refusal = "is not a metric of --msp" if how.options.nodes else "needs --msp"
            raise TreegaugeError(f"{name} {refusal if how.options.nodes else needed.get(name, refusal)}")
    return chosen
