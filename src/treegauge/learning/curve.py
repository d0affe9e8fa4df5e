"""The verb ``curve``: learning curves, complexity, data-size equivalents and advice."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import STORE
from treegauge.core.result import Result
from treegauge.core.verbs import verb
from treegauge.learning.training_settings import CurveBands, CurveTraining
from treegauge.scoring.metrics.convention import Convention

if TYPE_CHECKING:
    from treegauge.experiments.cell_store import Store
    from treegauge.learning.curves.class_counts import Attachments
    from treegauge.learning.curves.complexity import Complexities
    from treegauge.learning.curves.equivalents import Equivalents
    from treegauge.learning.curves.score_grid import Curves

BANDS = CurveBands()
OWN = "own"
"""Each parser's own curves decide which classes are simple."""
EACH = "each"
"""One curve per treebank instead of the average."""


@verb
def counts(
    *sources: Any, training: CurveTraining = CurveTraining(), convention: str | Convention = "official"
) -> "Attachments":
    """Count correct words by class, after training on samples of every size.

    With a store, trainings are not repeated: after an interruption, the same call resumes. The
    other verbs read the counts, which contain no text.

    Parameters
    ----------
    *sources
        Treebanks to train on (folders, patterns, names), stores of ``run``, or counts.
    """
    from treegauge.learning.curves.gathering import gathered_counts

    return gathered_counts(sources, training, convention)


@verb
def complexity(
    *sources: Any,
    per: Literal["pooled", "language", "treebank"] = "pooled",
    min_presence: float = 0.0,
    matched: bool = False,
    parser: Sequence[str] | str = (),
    sizes: Sequence[int | str] | str = (),
    bands: CurveBands = BANDS,
) -> "Complexities":
    r"""Measure how much later each class is learned than words overall.

    COMPLEXITY is the area between the relative curve of all words and that of the class over
    ln(size), in percentage points: negative for simple classes, positive for complex ones.

    Parameters
    ----------
    *sources
        Tables of counts or stores of ``run``.
    per
        Complexity of the average curve of all treebanks (pooled), of each language, or of each
        treebank.
    min_presence
        Smallest share of treebanks with enough words of a class; other classes are left out.
    matched
        Compare with all words of the class's own treebanks, instead of all treebanks.
    parser
        Only these parsers; repeatable. Several are also compared, with rank correlations.
    sizes
        Only these training set sizes, such as 5,10,20.

    Returns
    -------
    Complexities
        A class without a correct word at the largest size has no curve in that treebank. Notes
        name the treebanks that an average depends on: relative curves are unbounded, so one
        treebank can dominate.

    Notes
    -----
    :math:`100 \int (S_s / S_{max} - S_s[C] / S_{max}[C])\, d\ln s` from the smallest to the largest
    size, where S is the score in the mean over training samples, relative in each treebank, then
    averaged over treebanks (Challenges, section 3.2).
    """
    from treegauge.learning.curves.complexity import LEAST_CLASSES, compare_parsers, complexities, shared_classes
    from treegauge.learning.curves.gathering import read_counts

    table = read_counts(sources, parser=parser, sizes=sizes)
    result = complexities(table, bands, per=per, min_presence=min_presence, matched=matched)
    if per == "pooled" and len(table.parsers) > 1 and len(shared_classes(result)) >= LEAST_CLASSES:
        return result.with_attached({"comparison": compare_parsers(result)})
    return result


@verb
def equivalent(
    *sources: Any,
    score: str | float | Sequence[str | float] | Mapping[str, float],
    treebank: str | None = None,
    composite: str | None = None,
    parser: str | None = None,
    bands: CurveBands = BANDS,
) -> "Equivalents":
    """Report how many annotated sentences a score is worth: where the learning curve reaches it.

    The curve is linear in ln(size) between sizes and made non-decreasing by isotonic regression.
    A score below the curve gives ``< 5``, a score above it ``> 500``: nothing is extrapolated.
    Intervals are those of the curve; scores are treated as exact.

    Parameters
    ----------
    *sources
        Tables of counts or stores of ``run``.
    score
        A score in percent, 66.1, or that of a class, simple=74; repeatable.
    treebank
        The treebank whose curve to use; by default the average over treebanks.
    composite
        Place scores on curves of simple and complex words, by the curves of this parser; own: each
        parser's, the default if their scores are given.
    parser
        The parser, if there are several.
    """
    from treegauge.learning.curves.equivalents import equivalents
    from treegauge.learning.curves.gathering import read_counts
    from treegauge.learning.curves.score_grid import learning_curves, of_treebank

    table = read_counts(sources)
    scores = _scores(score)
    if composite or {"simple", "complex"} & scores.keys():
        table = _composite(table, composite or OWN)
    if parser:
        table = table.select(parsers=[parser])
    result = equivalents(table, scores, bands, treebank=treebank)
    own = of_treebank(table, treebank).select(parsers=[result.parser])
    return replace(result, curves=learning_curves(own, bands, each=treebank is not None))


@verb(outputs={"store": STORE})
def advise(
    *sources: Any,
    budget: int | None = None,
    gain: float | None = None,
    sentences: Any = None,
    have: int | None = None,
    worth: float = 1.0,
    treebank: str | None = None,
    parser: str | None = None,
    tags: Literal["gold", "predicted"] | None = None,
    store: "Store | str | PathLike[str] | None" = None,
    workers: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Result:
    """Predict the gain from annotating more sentences, overall and by class.

    With `sentences`, rank these sentences for annotation instead.

    On a treebank, parsers are trained first; the largest size is the whole training set. Between
    the measured sizes, a curve is linear in ln(size); beyond the largest, it follows a mixture of
    power laws and the logarithm. The width of intervals there comes from held-out sizes of other
    curves; their coverage is printed with them.

    Parameters
    ----------
    *sources
        Counts, stores of ``run``, or treebanks to train on.
    budget
        Number of further sentences that could be annotated. By default the data are doubled; with
        `sentences` it is 100.
    gain
        Report the number of further sentences that gain this many points, its interval, and the
        chance that the budget is enough.
    sentences
        Tagged sentences without trees (a CoNLL-U file): rank those to annotate next, by how much
        parsers trained on the treebank disagree, per word to annotate.
    have
        Number of annotated sentences; by default the largest size.
    worth
        Smallest gain in points for which a doubling of the data is worth it.
    treebank
        The treebank, if there are several.
    parser
        Parser to train (beam by default), or to choose from counts. 'mst epochs=5' sets options.
    tags
        UPOS that the parser reads: the file's (gold), or a tagger's that learns from the same
        sentences (predicted). By default the parser's, mostly gold; a note says which.
    store
        Folder that stores the trainings; trainings in it are not repeated, and other budgets, gains
        and verbs of `curve` can read it. By default none.
    workers
        Number of trainings at a time; by default one per processor.
    seed
        Seed of the draws for intervals, or of the parsers that disagree.

    Returns
    -------
    Result
        Advice: the gain, overall and by class. Classes follow the laws of the overall curve, so
        their contributions (share of words times gain in the class) add up to the overall gain,
        unless one is cut at 100. With `sentences`, ChosenSentences: the sentences in order, each
        with its reason.
    """
    from treegauge.learning.curves.advising import expected_gain
    from treegauge.learning.curves.gathering import gathered_counts

    if sentences is not None:
        from treegauge.learning.curves.advising import next_sentences, training_set
        from treegauge.treebanks.sources.resolver import read_treebank

        allow = ("no-root", "several-roots", "cycle")
        pool = read_treebank(sentences, need_heads=False, allow=allow)
        return next_sentences(training_set(sources), pool, number=100 if budget is None else budget, seed=seed)
    own = (f"tags={tags}",) if tags else ()
    table = gathered_counts(sources, CurveTraining(parser=parser or (), option=own, store=store, workers=workers))
    if tags and f"tags={tags}" not in table.options:
        raise TreegaugeError(f"the counts are of parsers with {table.options or 'unknown options'}, not tags={tags}")
    bands = CurveBands(level=level, seed=seed)
    return expected_gain(table, bands, budget=budget, gain=gain, have=have, treebank=treebank, worth=worth)


@verb(subverbs={"counts": counts, "complexity": complexity, "equivalent": equivalent, "advise": advise})
def curve(
    *sources: Any,
    classes: Sequence[str] | str = (),
    composite: str | None = None,
    treebank: str | None = None,
    relative: bool = False,
    law: Sequence[Literal["power", "log"]] = (),
    at: Sequence[int | str] | str = (),
    parser: Sequence[str] | str = (),
    sizes: Sequence[int | str] | str = (),
    bands: CurveBands = BANDS,
) -> "Curves":
    """Learning curves, complexity of classes, data-size equivalents and advice.

    The curve of a class is its score by training set size, averaged over training samples and then
    over the treebanks with enough words of the class.

    Parameters
    ----------
    *sources
        Tables of counts (.csv, .parquet), as ``curve counts`` makes them, or stores of ``run``.
    classes
        Only these classes; repeatable. By default all; laws are fitted to all words together.
    composite
        Sum over simple and complex classes, by the curves of this parser; own: each parser's.
    treebank
        The treebank whose curve to use; each: one curve per treebank. By default the average.
    relative
        Show scores in percent of the score at the largest size, in text and figure.
    law
        Fit a law and predict scores: power (a - b n^-c, with the asymptote a) or log (a + b ln n,
        without one); repeatable. A mixture of laws predicts scores with intervals that were checked
        on held-out sizes. Notes say when the data do not identify a law.
    at
        Sizes to predict scores for; by default 2 and 4 times the largest. Scores are cut at 100.
    parser
        Only these parsers; repeatable.
    sizes
        Only these training set sizes, such as 5,10,20.

    Returns
    -------
    Curves
        One row per parser, treebank, class and size. The attached ``fits``, one per parser and
        treebank, have the parameters of laws with intervals, which are valid if the law is.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> (home / "UD_Syn-X").mkdir()
    >>> for seed, part in enumerate(("train", "test")):
    ...     file = home / "UD_Syn-X" / f"sy_x-ud-{part}.conllu"
    ...     tg.write_conllu(tg.synthetic(40, seed=seed), file)
    >>> counted = counts(home / "UD_Syn-X", parser="baseline", sizes="10,20", samples=2, workers=1)
    >>> curve(counted).table["size"].unique().to_list()
    [10, 20]
    """
    from treegauge.learning.curves.fits import LAWS, fit_curves
    from treegauge.learning.curves.gathering import list_of_texts, read_counts, whole_numbers
    from treegauge.learning.curves.score_grid import learning_curves, of_treebank

    table = read_counts(sources, parser=parser, sizes=sizes)
    if composite:
        table = _composite(table, composite)
    if treebank not in {None, EACH}:
        table = of_treebank(table, treebank)
    chosen = list_of_texts(classes)
    result = learning_curves(table, bands, classes=chosen, each=treebank is not None, relative=relative)
    if not (law or at):
        return result
    fits = [
        fit_curves(table.select(parsers=[one]), bands, treebank=name, laws=law or LAWS, classes=chosen,
                   at=whole_numbers(at, "at"))
        for one in table.parsers
        for name in ([None] if treebank is None else table.treebanks)
    ]  # fmt: skip
    return result.with_attached({"fits": fits}, featured="fits")


def _composite(table: "Attachments", composite: str) -> "Attachments":
    """Return sums over simple and complex classes, by the curves of a parser or of each."""
    from treegauge.learning.curves.complexity import composite_counts, partition

    return composite_counts(table, None if composite == OWN else partition(table, composite))


def _scores(given: Sequence[str | float] | Mapping[str, float] | str | float) -> dict[str, Any]:
    """Return scores by class, from values such as 66.1 or simple=74.

    Examples
    --------
    >>> _scores(["66.1", "simple=74"]), _scores(66.1)
    ({'all': 66.1, 'simple': 74.0}, {'all': 66.1})
    """
    if isinstance(given, Mapping):
        return dict(given)
    scores: dict[str, Any] = {}
    for word in [given] if isinstance(given, str | float | int) else given:
        name, _, number = str(word).rpartition("=")
        name = name or "all"
        if name in scores:
            raise TreegaugeError(f"two scores of {name}; give one score per class")
        try:
            scores[name] = float(number)
        except ValueError:
            raise TreegaugeError(f"score {word!r}; expected 66.1 or CLASS=66.1") from None
    return scores
