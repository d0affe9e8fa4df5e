"""Morphological features: how many there are, and how evenly they are used."""

import numpy as np
import numpy.typing as npt

from treegauge.measures.checks import need_column, per_sentence
from treegauge.measures.entropy import entropy_of
from treegauge.measures.lexicon import SAMPLES, SENTENCES, word_samples
from treegauge.measures.registry import Additive, FloatArray, register
from treegauge.treebanks.columns import Ints, Treebank


def feature_counts(treebank: Treebank, codes: Ints | None = None) -> FloatArray:
    r"""Count each pair of a feature and its value, such as ``Case=Nom``.

    Parameters
    ----------
    treebank
        Where the features stand.
    codes
        Codes of FEATS of some of its words; those of all without it.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> rows = ["1\ta\t_\tX\t_\tCase=Nom|Number=Sing\t0\troot\t_\t_",
    ...         "2\tb\t_\tX\t_\tCase=Nom\t1\tdep\t_\t_"]
    >>> feature_counts(parse_conllu("\n".join(rows) + "\n\n")).tolist()
    [2.0, 1.0]
    """
    all_codes, values = treebank.codes("feats")
    uses = np.bincount(all_codes if codes is None else codes, minlength=len(values))
    place: dict[str, int] = {}
    pairs: list[tuple[int, int]] = []
    for bundle, text in enumerate(values):
        if text != "_":
            pairs += [(bundle, place.setdefault(one, len(place))) for one in text.split("|")]
    table: npt.NDArray[np.int64] = np.array(pairs, np.int64).reshape(-1, 2)
    return np.bincount(table[:, 1], uses[table[:, 0]], len(place)).astype(np.float64)


def _feature_table(treebank: Treebank) -> list[FloatArray]:
    codes, values = treebank.codes("feats")
    names = sorted({one for text in values if text != "_" for one in text.split("|")})
    bundles = [set(text.split("|")) for text in values]
    has = np.array([[name in bundle for name in names] for bundle in bundles], bool)
    return [np.column_stack([per_sentence(column[codes], treebank) for column in has.T])]


def _sampled(treebank: Treebank, samples: int, sentences: int, seed: int) -> list[FloatArray]:
    need_column(treebank, "feats")
    codes = treebank.codes("feats").codes
    drawn = word_samples(treebank, samples=samples, sentences=sentences, seed=seed)
    return [feature_counts(treebank, codes[words]) for words in drawn]


@register(
    "feature_types", "morphology", "number of pairs of a feature and its value", bounds=(1, np.inf)
)
def feature_types(treebank: Treebank) -> int:
    """Count the pairs of a feature and its value."""
    need_column(treebank, "feats")
    return len(feature_counts(treebank))


@register(
    "feature_entropy", "morphology", "entropy of pairs of a feature and its value, in bits",
    bounds=(0, np.inf), additive=Additive(_feature_table, entropy_of),
)  # fmt: skip
def feature_entropy(treebank: Treebank) -> float:
    """Return the entropy of the pairs of a feature and its value, over all their uses, in bits."""
    need_column(treebank, "feats")
    return float(entropy_of(feature_counts(treebank)))


@register(
    "sampled_feature_types", "morphology",
    "number of pairs of a feature and its value, mean over 10 samples of 1,000 sentences",
    bounds=(0, np.inf),
)  # fmt: skip
def sampled_feature_types(
    treebank: Treebank, *, samples: int = SAMPLES, sentences: int = SENTENCES, seed: int = 0
) -> float:
    """Average the number of feature types over random samples of sentences."""
    each = _sampled(treebank, samples, sentences, seed)
    return float(np.mean([np.count_nonzero(counts) for counts in each]))


@register(
    "sampled_feature_entropy", "morphology",
    "entropy of features, mean over 10 samples of 1,000 sentences, in bits", bounds=(0, np.inf),
)  # fmt: skip
def sampled_feature_entropy(
    treebank: Treebank, *, samples: int = SAMPLES, sentences: int = SENTENCES, seed: int = 0
) -> float:
    """Average the entropy of features over random samples of sentences."""
    each = _sampled(treebank, samples, sentences, seed)
    return float(np.mean([entropy_of(counts) for counts in each]))
