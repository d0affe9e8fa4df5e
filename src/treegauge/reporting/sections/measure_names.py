"""Readable names and units of measures on the page.

The page multiplies measures in % by 100; an empty unit is a plain number.
"""

from typing import NamedTuple


class MeasureName(NamedTuple):
    """The name of a measure in a table header, and its unit."""

    label: str
    unit: str = ""


FAMILY_NAMES = {
    "lengths": "Size and sentence length",
    "displacement": "Head displacement and splits",
    "structure": "Tree structure",
    "vocabulary": "Vocabulary",
    "morphology": "Morphology",
    "relations": "Relations",
    "similarity": "Training and test set",
}
"""Families of measures as the page calls them."""

MEASURE_NAMES = {
    "sentences": MeasureName("Sentences"),
    "words": MeasureName("Words"),
    "mean_length": MeasureName("Mean sentence length", "words"),
    "sd_length": MeasureName("Standard deviation of sentence length", "words"),
    "median_length": MeasureName("Median sentence length", "words"),
    "max_length": MeasureName("Longest sentence", "words"),
    "one_word_sentences": MeasureName("One-word sentences", "%"),
    "edv": MeasureName("EDV, train against test", "words"),
    "edv_masses": MeasureName("EDV as printed in the paper"),
    "edv_by_length": MeasureName("EDV at equal sentence length", "words"),
    "slv": MeasureName("SLV, train against test", "words"),
    "slv_masses": MeasureName("SLV, masses compared"),
    "edv_excess": MeasureName("EDV above random splits", "words"),
    "slv_excess": MeasureName("SLV above random splits", "words"),
    "med": MeasureName("Mean displacement per sentence", "words"),
    "mean_displacement": MeasureName("Mean displacement", "words"),
    "mdd": MeasureName("Mean dependency distance", "words"),
    "beyond_30": MeasureName("Arcs longer than 30 words", "%"),
    "crossings": MeasureName("Crossing arcs, pooled", "%"),
    "mean_crossings": MeasureName("Crossing arcs per tree", "%"),
    "nonprojective_arcs": MeasureName("Non-projective arcs", "%"),
    "nonprojective_sentences": MeasureName("Non-projective sentences", "%"),
    "gap_degree": MeasureName("Mean gap degree", "gaps"),
    "max_gap_degree": MeasureName("Largest gap degree", "gaps"),
    "depth": MeasureName("Mean tree depth", "arcs"),
    "max_depth": MeasureName("Deepest tree", "arcs"),
    "arity": MeasureName("Mean dependents per head", "words"),
    "max_arity": MeasureName("Most dependents of a head", "words"),
    "head_left": MeasureName("Heads on the left", "%"),
    "direction_entropy": MeasureName("Entropy of head direction", "bits"),
    "direction_entropy_by_relation": MeasureName("Entropy of head direction, by relation", "bits"),
    "word_order_freedom": MeasureName("Word order freedom", "bits"),
    "form_entropy": MeasureName("Entropy of forms", "bits"),
    "lemma_entropy": MeasureName("Entropy of lemmas", "bits"),
    "ttr": MeasureName("Type/token ratio", "%"),
    "sttr": MeasureName("Type/token ratio per 1,000 words", "%"),
    "sampled_ttr": MeasureName("Type/token ratio per 1,000 sentences", "%"),
    "word_entropy": MeasureName("Relative entropy of forms"),
    "forms_per_lemma": MeasureName("Forms per lemma, scaled"),
    "forms_per_inflected_lemma": MeasureName("Forms per inflected lemma, scaled"),
    "hpe": MeasureName("Head-POS entropy"),
    "hpe_published": MeasureName("Head-POS entropy as published"),
    "mc": MeasureName("Morphological complexity"),
    "mc_published": MeasureName("Morphological complexity as published"),
    "feature_types": MeasureName("Feature-value pairs"),
    "feature_entropy": MeasureName("Entropy of features", "bits"),
    "sampled_feature_types": MeasureName("Feature-value pairs per 1,000 sentences"),
    "sampled_feature_entropy": MeasureName("Entropy of features per 1,000 sentences", "bits"),
    "content": MeasureName("Content relations", "%"),
    "function": MeasureName("Function relations", "%"),
    "other": MeasureName("Other relations", "%"),
    "oov": MeasureName("Unknown words in test", "%"),
    "oov_types": MeasureName("Unknown forms in test", "%"),
    "klcpos3": MeasureName("KL divergence of UPOS trigrams", "nats"),
    "upos_divergence": MeasureName("Divergence of UPOS", "bits"),
    "upos2_divergence": MeasureName("Divergence of UPOS bigrams", "bits"),
    "upos3_divergence": MeasureName("Divergence of UPOS trigrams", "bits"),
    "unseen_upos_trigrams": MeasureName("Unseen UPOS trigrams", "%"),
    "tree_overlap": MeasureName("Test trees seen in training", "%"),
    "tree_overlap_undirected": MeasureName("Test trees seen, undirected", "%"),
    "tree_overlap_ordered": MeasureName("Test trees seen, with word order", "%"),
    "tree_overlap_tagged": MeasureName("Test trees seen, with tags and relations", "%"),
}
"""Names and units of the measures that have one value; those of plug-ins have their own name."""


def measure_name(name: str) -> MeasureName:
    """Return the page's name and unit of a measure; one that is not listed keeps its own name.

    Examples
    --------
    >>> measure_name("oov")
    MeasureName(label='Unknown words in test', unit='%')
    >>> measure_name("my_own").label
    'my own'
    """
    return MEASURE_NAMES.get(name) or MeasureName(name.replace("_", " "))
