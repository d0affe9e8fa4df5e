"""Rules of levels 4 and 5: labels and lemmas that a language allows."""

from treegauge.validation.rule_types import Rule

LANGUAGE = (
    Rule("invalid-word-with-space", 4, "FORMAT",
         "white space only in words that the language lists",
         "Split the word at the space, or have the pattern documented for the language."),
    Rule("unknown-lang", 4, "MORPHO", "a language code that has language data in MISC Lang",
         "Correct the code.", "warning"),
    Rule("mwt-typo-repeated-at-word", 4, "MORPHO",
         "Typo on the multiword token or on its words, not on both", "Delete one of the two."),
    Rule("feature-unknown", 4, "MORPHO", "a feature that the language documents",
         "Correct the name, or have the feature documented."),
    Rule("feature-not-permitted", 4, "MORPHO", "a feature that the language permits",
         "Delete the feature, or have it permitted."),
    Rule("feature-value-unknown", 4, "MORPHO", "a value that the language documents",
         "Correct the value, or have it documented."),
    Rule("feature-upos-not-permitted", 4, "MORPHO",
         "a feature that the language permits with this tag",
         "Correct the tag or delete the feature."),
    Rule("feature-value-upos-not-permitted", 4, "MORPHO",
         "a value that the language permits with this tag",
         "Correct the tag or the value."),
    Rule("unknown-deprel", 4, "SYNTAX", "a relation that the language permits",
         "Choose another subtype, or have this one documented."),
    Rule("unknown-edeprel", 4, "ENHANCED", "an enhanced relation that the language permits",
         "Choose another relation, or have the case marker documented."),
    Rule("aux-lemma", 5, "MORPHO", "the lemma of an auxiliary of the language",
         "Tag the word VERB, or have the auxiliary documented."),
    Rule("cop-lemma", 5, "SYNTAX", "the lemma of a copula of the language",
         "Change the relation, or have the copula documented."),
)  # fmt: skip
