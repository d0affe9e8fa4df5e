"""The word classes behind the scores: content and function relations, universal features."""

# CoNLL 2018: punctuation and unknown labels are in neither set.
CONTENT = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
    "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
    "root dep".split()
)
FUNCTIONAL = frozenset("aux cop mark det clf case cc".split())

# The function/content study of UD 1.2: expl and multiword expressions are function relations, and
# labels that say nothing of their words are in neither class. By version of UD.
_BOTH = (
    "acl advcl advmod amod appos ccomp compound conj csubj dislocated iobj nmod nsubj nummod "
    "parataxis root vocative xcomp"
)
LEXICAL = {
    "v1": frozenset(f"{_BOTH} csubjpass dobj name nsubjpass remnant".split()),
    "v2": frozenset(f"{_BOTH} flat obj obl orphan".split()),
}
GRAMMATICAL = {
    "v1": frozenset("aux auxpass case cc cop det expl mark mwe neg".split()),
    "v2": frozenset("aux case cc clf cop det expl fixed mark".split()),
}

UNIVERSAL_FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm "
    "Mood Tense Aspect Voice Evident Polarity Person Polite".split()
)


def universal_relation(deprel: str) -> str:
    """Cut a relation at its first colon.

    Examples
    --------
    >>> universal_relation("nsubj:pass"), universal_relation(":")
    ('nsubj', '')
    """
    return deprel.partition(":")[0]


def universal_features(feats: str) -> str:
    """Keep the universal features of FEATS, sorted by text.

    Examples
    --------
    >>> universal_features("Typo=Yes|Number=Sing|Case=Nom"), universal_features("_")
    ('Case=Nom|Number=Sing', '')
    """
    kept = (f for f in feats.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES)
    return "|".join(sorted(kept))
