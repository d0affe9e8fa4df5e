"""The verb ``curve``: learning curves, complexity, data-size equivalents and advice."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.verbs import verb
from treegauge.learning.curves.settings import CurveBands, CurveTraining
from treegauge.scoring.metrics.convention import Convention

if TYPE_CHECKING:
    from treegauge.learning.curves.advising import Advice
    from treegauge.learning.curves.attachments import Attachments
    from treegauge.learning.curves.choosing import ChosenSentences
    from treegauge.learning.curves.complexity import Complexities
    from treegauge.learning.curves.equivalents import Equivalents
    from treegauge.learning.curves.fits import Fits
    from treegauge.learning.curves.learning import Curves


TRAINING, BANDS = CurveTraining(), CurveBands()


@verb
def counts(
    *sources: Any, training: CurveTraining = TRAINING, convention: str | Convention = "official"
) -> "Attachments":
    """Count correct words by class, after training on samples of every size.

    Trainings in the store are not repeated: after an interruption, the same call resumes. The other
    verbs accept the counts, which contain no text.

    Parameters
    ----------
    *sources
        Treebanks to train on (folders, patterns, names), stores of ``run``, or counts.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    """
    from treegauge.learning.curves.gathering import gathered_counts

    return gathered_counts(sources, training, convention)


@verb
def complexity(
    *sources: Any,
    per: Literal["pooled", "language", "treebank"] = "pooled",
    min_presence: float = 0.0,
    matched: bool = False,
    compare: bool = False,
    partitions: bool = False,
    training: CurveTraining = TRAINING,
    convention: str | Convention = "official",
    bands: CurveBands = BANDS,
) -> "Complexities":
    r"""Measure how much later each class is learned than words overall.

    COMPLEXITY is the area between the relative curve of all words and that of the class over
    ln(size), in percentage points: negative for simple classes, positive for complex ones.

    Parameters
    ----------
    *sources
        Counts, stores of ``run``, or treebanks to train on.
    per
        Complexity of the average curve of all treebanks (pooled), of each language, or of each
        treebank.
    min_presence
        Smallest share of treebanks with enough words of a class; other classes are left out.
    matched
        Compare with all words of the class's own treebanks, instead of all treebanks.
    compare
        Add a comparison of parsers, with rank correlations.
    partitions
        Add the list of simple classes of each treebank.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.

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
    from treegauge.learning.curves.complexity import complexities
    from treegauge.learning.curves.gathering import gathered_counts
    from treegauge.learning.curves.partition import compare_parsers, partition

    table = gathered_counts(sources, training, convention)
    result = complexities(table, bands, per=per, min_presence=min_presence, matched=matched)
    if compare:
        result = result.with_attached({"comparison": compare_parsers(result)}, featured="comparison")
    if partitions:
        own: Any = "treebank" if per == "pooled" else per
        made = [partition(table, parser, per=own) for parser in table.parsers]
        result = result.with_attached({"partitions": made}, featured="partitions")
    return result


@verb
def equivalent(
    *sources: Any,
    score: Sequence[str | float] | Mapping[str, float],
    treebank: str | None = None,
    parted_by: str | None = None,
    composite: bool = False,
    training: CurveTraining = TRAINING,
    convention: str | Convention = "official",
    bands: CurveBands = BANDS,
) -> "Equivalents":
    """Report how many annotated sentences a score is worth: where the learning curve reaches it.

    The curve is linear in ln(size) between sizes and made non-decreasing by isotonic regression.
    A score below the curve gives ``< 5``, a score above it ``> 500``: nothing is extrapolated.
    Intervals are those of the curve; scores are treated as exact.

    Parameters
    ----------
    *sources
        Counts, stores of ``run``, or treebanks to train on.
    score
        A score in percent, 66.1, or that of a class, simple=74; repeatable.
    treebank
        The treebank whose curve to use; by default the average over treebanks.
    parted_by
        Parser whose curves decide which classes are simple; by default each parser itself.
    composite
        Place scores on curves of simple and complex words; the default if their scores are given.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    """
    from treegauge.learning.curves.equivalents import equivalents
    from treegauge.learning.curves.gathering import gathered_counts
    from treegauge.learning.curves.learning import learning_curves, of_treebank

    table = gathered_counts(sources, training, convention)
    scores = _scores(score)
    if composite or parted_by or {"simple", "complex"} & scores.keys():
        table = _composite(table, parted_by)
    result = equivalents(table, scores, bands, treebank=treebank)
    own = of_treebank(table, treebank).select(parsers=[result.parser])
    return replace(result, curves=learning_curves(own, bands, each=treebank is not None))


@verb
def fit(
    *sources: Any,
    treebank: str | None = None,
    at: Sequence[int | str] | str = (),
    law: Sequence[Literal["power", "log"]] = ("power", "log"),
    classes: Sequence[str] | str = (),
    training: CurveTraining = TRAINING,
    convention: str | Convention = "official",
    bands: CurveBands = BANDS,
) -> "Fits":
    """Fit laws to a learning curve and predict scores at other sizes.

    Intervals of parameters are valid if the law is. ``identified`` is false, and a note says why,
    if the data do not identify a power law. A mixture of laws predicts scores with intervals that
    were checked on held-out sizes; single laws predict without intervals.

    Parameters
    ----------
    *sources
        Counts, stores of ``run``, or treebanks to train on.
    treebank
        The treebank whose curve to use; by default the average over treebanks.
    at
        Sizes to predict scores for; by default 2 and 4 times the largest. Scores are cut at 100.
    law
        power (a - b n^-c, with the asymptote a) or log (a + b ln n, without one); repeatable.
    classes
        Classes to fit; by default all words together; repeatable.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.
    """
    from treegauge.learning.curves.fits import fit_curves
    from treegauge.learning.curves.gathering import gathered_counts, list_of_texts, whole_numbers

    return fit_curves(
        gathered_counts(sources, training, convention), bands, treebank=treebank, laws=law,
        classes=list_of_texts(classes), at=whole_numbers(at, "at"),
    )  # fmt: skip


@verb
def advise(
    *sources: Any,
    budget: int,
    sentences: Any = None,
    have: int | None = None,
    worth: float = 1.0,
    treebank: str | None = None,
    training: CurveTraining = TRAINING,
    convention: str | Convention = "official",
    bands: CurveBands = BANDS,
) -> "Advice | ChosenSentences":
    """Predict the gain from annotating more sentences, overall and by class.

    With `sentences`, rank these sentences for annotation instead.

    For a treebank to train on, the largest size is the whole training set. Between the measured
    sizes, a curve is linear in ln(size); beyond the largest, it follows a mixture of power laws and
    the logarithm. The width of intervals there comes from held-out sizes of other curves; their
    coverage is printed with them.

    Parameters
    ----------
    *sources
        Counts, stores of ``run``, or treebanks to train on.
    budget
        Number of further sentences that could be annotated.
    sentences
        Tagged sentences without trees (a CoNLL-U file): rank those to annotate next, by how much
        parsers trained on the treebank disagree, per word to annotate.
    have
        Number of annotated sentences; by default the largest size.
    worth
        Smallest gain in points for which a doubling of the data is worth it.
    treebank
        The treebank, if there are several.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.

    Returns
    -------
    Advice or ChosenSentences
        The gain, overall and by class. Classes follow the laws of the overall curve, so their
        contributions (share of words times gain in the class) add up to the overall gain, unless
        one is cut at 100. With `sentences`, the sentences in order, each with its reason.
    """
    from treegauge.learning.curves.advising import expected_gain as advice_of
    from treegauge.learning.curves.gathering import gathered_counts

    if sentences is not None:
        from treegauge.learning.curves.choosing import next_sentences, training_set
        from treegauge.treebanks.data.reading import read_treebank

        allow = ("no-root", "several-roots", "cycle")
        pool = read_treebank(sentences, need_heads=False, allow=allow)
        return next_sentences(training_set(sources), pool, number=budget, seed=bands.seed)
    table = gathered_counts(sources, training, convention, whole=True)
    return advice_of(table, bands, budget=budget, have=have, treebank=treebank, worth=worth)


@verb(subverbs={"counts": counts, "complexity": complexity, "equivalent": equivalent, "fit": fit, "advise": advise})
def curve(
    *sources: Any,
    classes: Sequence[str] | str = (),
    composite: bool = False,
    parted_by: str | None = None,
    each: bool = False,
    relative: bool = False,
    training: CurveTraining = TRAINING,
    convention: str | Convention = "official",
    bands: CurveBands = BANDS,
) -> "Curves":
    """Learning curves, complexity of classes, data-size equivalents and advice.

    The curve of a class is its score by training set size, averaged over training samples and then
    over the treebanks with enough words of the class.

    Parameters
    ----------
    *sources
        A table of counts (.csv, .parquet), a store of ``run``, or treebanks to train on (folders,
        patterns such as UD_*, names under TREEGAUGE_UD).
    classes
        Only these classes; repeatable.
    composite
        Sum over simple and complex classes.
    parted_by
        Parser whose curves decide which classes are simple; by default each parser itself.
    each
        One curve per treebank instead of the average.
    relative
        Show scores in percent of the score at the largest size, in text and figure.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.

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
    >>> found = curve(home / "UD_Syn-X", parser="baseline", sizes="10,20", samples=2, workers=1,
    ...               store=home / "curves")
    >>> found.table["size"].unique().to_list()
    [10, 20]
    """
    from treegauge.learning.curves.gathering import gathered_counts, list_of_texts
    from treegauge.learning.curves.learning import learning_curves

    table = gathered_counts(sources, training, convention)
    if composite:
        table = _composite(table, parted_by)
    return learning_curves(table, bands, classes=list_of_texts(classes), each=each, relative=relative)


def _composite(table: "Attachments", parted_by: str | None) -> "Attachments":
    from treegauge.learning.curves.partition import composite_counts, partition

    return composite_counts(table, partition(table, parted_by) if parted_by else None)


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
