"""The tests of UD validation: one :class:`Rule` per official test id, levels 1 to 5.

The kernels test the rules of levels 1 to 3; they identify a rule by its index in :data:`RULES`.
"""

from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]
Class = Literal["UNICODE", "FORMAT", "MORPHO", "SYNTAX", "ENHANCED", "METADATA"]


class Rule(NamedTuple):
    """One test of UD validation.

    Attributes
    ----------
    id
        The official name of the test.
    level
        1 CoNLL-U, 2 UD format, 3 universal contents, 4 labels of a language, 5 its contents.
    test_class
        The class of the test, by which official reports count problems.
    expected
        What should be there: it completes the sentence "expected ...".
    hint
        What to do about it, in one sentence.
    severity
        Errors make a treebank invalid, warnings do not.
    """

    id: str
    level: int
    test_class: Class
    expected: str
    hint: str
    severity: Severity = "error"


BACKBONE = (
    Rule("invalid-utf", 1, "UNICODE", "text in UTF-8 without U+FFFD",
         "Save the file as UTF-8 and restore the lost characters."),
    Rule("unicode-normalization", 1, "UNICODE", "text in Unicode normal form NFC", "Normalise the file to NFC."),
    Rule("misplaced-comment", 1, "FORMAT", "comments only before the first word of a sentence",
         "Move the comment above the first word."),
    Rule("pseudo-empty-line", 1, "FORMAT", "an empty line after the sentence", "Delete the white space on this line."),
    Rule("empty-sentence", 1, "FORMAT", "at least one word before the empty line",
         "Delete the superfluous empty line, or the comments without words."),
    Rule("invalid-line", 1, "FORMAT", "a comment, an empty line, or a line that starts with an ID",
         "Start the line with an ID or with #; remove a byte order mark."),
    Rule("missing-empty-line", 1, "FORMAT", "an empty line after the last sentence",
         "Add an empty line at the end of the file."),
    Rule("number-of-columns", 1, "FORMAT", "10 columns separated by tabs",
         "Look for spaces instead of tabs, and for missing columns."),
    Rule("invalid-whitespace-mwt", 1, "FORMAT", "no white space in FORM or LEMMA of a multiword token",
         "Split the token at the white space."),
    Rule("invalid-whitespace", 1, "FORMAT", "no white space in this column", "Delete the white space."),
    Rule("empty-column", 1, "FORMAT", "a value, or _ where there is none", "Write _."),
    Rule("leading-whitespace", 1, "FORMAT", "no white space at the start of a column", "Delete the white space."),
    Rule("trailing-whitespace", 1, "FORMAT", "no white space at the end of a column", "Delete the white space."),
    Rule("repeated-whitespace", 1, "FORMAT", "single spaces only", "Replace the white space by one space."),
    Rule("invalid-word-id", 1, "FORMAT", "an ID such as 3, 3-4 or 3.1", "Correct the ID."),
    Rule("misplaced-word-interval", 1, "FORMAT", "the line of a multiword token before its first word",
         "Move the line of the multiword token before its first word."),
    Rule("misplaced-empty-node", 1, "FORMAT", "empty nodes after the word in their ID, counted from 1",
         "Renumber the empty node or move its line."),
    Rule("word-id-sequence", 1, "FORMAT", "the IDs 1, 2, 3, ... without gaps or repetitions",
         "Renumber the words of the sentence."),
    Rule("reversed-word-interval", 1, "FORMAT", "an interval whose end is not before its start",
         "Exchange the two numbers."),
    Rule("word-interval-out", 1, "FORMAT", "an interval of words of the sentence",
         "Correct the interval, or add the missing words."),
    Rule("overlapping-word-intervals", 1, "FORMAT", "no word in two multiword tokens", "Correct one of the intervals."),
    Rule("non-unix-newline", 1, "FORMAT", "lines that end in LF", "Convert the line ends of the file to LF (Unix)."),
)  # fmt: skip

FORMAT = (
    Rule("invalid-head", 2, "FORMAT", "0 or the ID of a word", "Write the ID of the head, or 0 for the root."),
    Rule("unknown-head", 2, "SYNTAX", "0 or the ID of a word in this sentence",
         "Correct HEAD; it does not point to a word of the sentence."),
    Rule("invalid-deps", 2, "FORMAT", "head:relation pairs joined by |", "Write every item as head:relation."),
    Rule("invalid-ehead", 2, "FORMAT", "a head such as 3 or 3.1 in every item of DEPS",
         "Write the ID of the head before the colon."),
    Rule("unknown-ehead", 2, "ENHANCED", "the ID of a word or empty node of this sentence",
         "Correct the head in DEPS; it does not point to a node of the sentence."),
    Rule("head-self-loop", 2, "SYNTAX", "a HEAD other than the word itself", "Attach the word to another word."),
    Rule("multiple-roots", 2, "SYNTAX", "exactly one word with HEAD 0", "Attach all roots but one to another word."),
    Rule("non-tree", 2, "SYNTAX", "a tree: every word can be reached from the root",
         "Break the cycle, or give the sentence a root."),
    Rule("mwt-nonempty-field", 2, "FORMAT",
         "_ in the columns LEMMA to DEPS of a multiword token (Typo=Yes is allowed in FEATS)",
         "Move the annotation to the words of the multiword token."),
    Rule("empty-node-nonempty-field", 2, "FORMAT", "_ in HEAD and DEPREL of an empty node",
         "Attach empty nodes in DEPS only."),
    Rule("unknown-upos", 2, "MORPHO", "one of the 17 universal part-of-speech tags",
         "Choose a universal tag; language-specific tags belong in XPOS."),
    Rule("empty-string-in-xpos", 2, "MORPHO", "a tag, or _", "Write _."),
    Rule("unsorted-features", 2, "MORPHO", "features in alphabetical order, ignoring case", "Sort the features."),
    Rule("invalid-feature", 2, "MORPHO", "features such as Case=Nom or Person[psor]=1, several values joined by commas",
         "Correct the feature: names and values start with a capital or a digit."),
    Rule("repeated-feature-value", 2, "MORPHO", "each value of a feature once", "Delete the repeated value."),
    Rule("unsorted-feature-values", 2, "MORPHO", "values in alphabetical order, ignoring case",
         "Sort the values of the feature."),
    Rule("repeated-feature", 2, "MORPHO", "each feature once",
         "Delete the repeated feature, or join its values by a comma."),
    Rule("invalid-deprel", 2, "SYNTAX", "a relation such as nsubj or nsubj:pass",
         "Write lower-case letters, with at most one subtype after a colon."),
    Rule("unknown-udeprel", 2, "SYNTAX", "one of the 37 universal relations before the colon",
         "Choose a universal relation; own distinctions are subtypes of it."),
    Rule("unsorted-deps", 2, "FORMAT", "items of DEPS in the order of their heads", "Sort the items of DEPS by head."),
    Rule("unsorted-deps-2", 2, "FORMAT", "relations to the same head in alphabetical order",
         "Sort the relations to the same head."),
    Rule("repeated-deps", 2, "FORMAT", "each item of DEPS once", "Delete the repeated item."),
    Rule("deps-self-loop", 2, "ENHANCED", "heads other than the node itself", "Attach the node to another node."),
    Rule("invalid-edeprel", 2, "ENHANCED", "a relation such as nsubj, nsubj:pass or obl:in:acc",
         "Write lower-case letters; join words of a case marker by _."),
    Rule("unknown-eudeprel", 2, "ENHANCED", "one of the 37 universal relations, or ref, before the colon",
         "Choose a universal relation; own distinctions are subtypes of it."),
    Rule("empty-misc", 2, "FORMAT", "an attribute between two |", "Delete the superfluous |.", "warning"),
    Rule("empty-misc-key", 2, "FORMAT", "a name before =", "Name the attribute.", "warning"),
    Rule("misc-extra-space", 2, "FORMAT", "no white space around names and values of MISC", "Delete the white space.",
         "warning"),
    Rule("misc-attr-typo", 2, "FORMAT", "the usual spelling of the attribute, such as SpaceAfter",
         "Write the name of the attribute as UD does.", "warning"),
    Rule("repeated-misc", 2, "FORMAT", "the attribute once in MISC", "Delete the repeated attribute."),
    Rule("edeps-only-sometimes", 2, "ENHANCED", "DEPS in all sentences of the treebank or in none",
         "Add the missing enhanced graphs, or delete all of them."),
    Rule("unconnected-egraph", 2, "ENHANCED", "every node to be reachable from 0 through DEPS",
         "Add the missing items to DEPS."),
    Rule("invalid-sent-id", 2, "METADATA", "# sent_id = ID, without white space in the ID", "Correct the comment."),
    Rule("missing-sent-id", 2, "METADATA", "a comment such as # sent_id = s1", "Add a sent_id."),
    Rule("multiple-sent-id", 2, "METADATA", "one sent_id", "Delete all sent_ids but one."),
    Rule("non-unique-sent-id", 2, "METADATA", "a sent_id that no other sentence has", "Rename one of the sentences."),
    Rule("slash-in-sent-id", 2, "METADATA", "no / in the sent_id",
         "Replace the slash, which is reserved for parallel treebanks."),
    Rule("invalid-parallel-id", 2, "METADATA",
         "# parallel_id = corpus/sentence, with /altN, /partN or /altNpartN after it if needed",
         "Correct the comment."),
    Rule("multiple-parallel-id", 2, "METADATA", "one parallel_id", "Delete all parallel_ids but one."),
    Rule("non-unique-parallel-id", 2, "METADATA", "a parallel_id that no other sentence has",
         "Number the sentences by altN or partN."),
    Rule("parallel-id-alt", 2, "METADATA", "alternatives of a parallel sentence numbered alt1, alt2 and so on",
         "Number the alternatives from 1 in the order of the file."),
    Rule("parallel-id-part", 2, "METADATA", "parts of a parallel sentence numbered part1, part2 and so on",
         "Number the parts from 1 in the order of the file."),
    Rule("multiple-newdoc", 2, "METADATA", "one newdoc per sentence", "Delete the superfluous comment."),
    Rule("multiple-newpar", 2, "METADATA", "one newpar per sentence", "Delete the superfluous comment."),
    Rule("spaceafter-newdocpar", 2, "METADATA", "no SpaceAfter=No on the last token before a new document or paragraph",
         "Delete SpaceAfter=No from the last token of the sentence before."),
    Rule("missing-text", 2, "METADATA", "a comment # text = with the text of the sentence",
         "Add the text of the sentence."),
    Rule("multiple-text", 2, "METADATA", "one text", "Delete all texts but one."),
    Rule("empty-text", 2, "METADATA", "the text of the sentence", "Add the text of the sentence."),
    Rule("text-trailing-whitespace", 2, "METADATA", "no white space after the text",
         "Delete the white space at the end of the line."),
    Rule("nospaceafter-yes", 2, "METADATA", "SpaceAfter=No", "Write SpaceAfter=No."),
    Rule("spaceafter-value", 2, "METADATA", "SpaceAfter=No or no SpaceAfter",
         "Write SpaceAfter=No, or delete the attribute."),
    Rule("spaceafter-empty-node", 2, "METADATA", "no SpaceAfter on an empty node", "Delete SpaceAfter=No."),
    Rule("spaceafter-mwt-node", 2, "METADATA", "SpaceAfter on the line of the multiword token",
         "Move SpaceAfter=No to the line of the multiword token."),
    Rule("text-form-mismatch", 2, "METADATA", "the text to continue with this FORM",
         "Correct FORM, or the comment # text = above."),
    Rule("missing-spaceafter", 2, "METADATA", "SpaceAfter=No, or a space in the text",
         "Add SpaceAfter=No to MISC, or a space to the text."),
    Rule("text-extra-chars", 2, "METADATA", "the text to end with the last word",
         "Add the missing words, or correct the text."),
)  # fmt: skip


_UPOS = "Correct the relation or the tag; ExtPos in FEATS says what a fixed expression acts as."
_LEAF = "Attach the dependent to the content word instead."

CONTENT = (
    Rule("0-is-not-root", 3, "SYNTAX", "the relation root where HEAD is 0",
         "Write root, or attach the word to another word."),
    Rule("root-is-not-0", 3, "SYNTAX", "HEAD 0 where the relation is root",
         "Choose another relation, or write HEAD 0."),
    Rule("enhanced-0-is-not-root", 3, "ENHANCED", "0:root in DEPS",
         "Write 0:root, or attach the node to another node."),
    Rule("enhanced-root-is-not-0", 3, "ENHANCED", "root in DEPS under 0 only",
         "Choose another relation, or write 0:root."),
    Rule("empty-node-after-eorphan", 3, "ENHANCED",
         "either empty nodes or orphan in the enhanced graphs of a treebank, not both",
         "Represent gapping by empty nodes, without orphan in DEPS."),
    Rule("eorphan-after-empty-node", 3, "ENHANCED", "no orphan in DEPS of a treebank that has empty nodes",
         "Attach the node to the empty node of the missing predicate."),
    Rule("edeps-identical-to-basic-trees", 3, "ENHANCED", "enhanced graphs that differ from the basic trees somewhere",
         "Leave DEPS empty if the treebank has no enhanced annotation."),
    Rule("pron-det-without-prontype", 3, "MORPHO", "the feature PronType", "Add PronType, or choose another tag.",
         "warning"),
    Rule("verbform-fin-without-mood", 3, "MORPHO", "the feature Mood with VerbForm=Fin", "Add Mood.", "warning"),
    Rule("fixed-without-extpos", 3, "SYNTAX", "the feature ExtPos on a fixed expression",
         "Add ExtPos: what the whole expression acts as.", "warning"),
    Rule("flat-foreign-upos-feats", 3, "MORPHO", "UPOS X and FEATS Foreign=Yes with flat:foreign",
         "Change tag and features, or use flat without subtype.", "warning"),
    Rule("right-to-left-conj", 3, "SYNTAX", "conj from left to right", "Attach later conjuncts to the first one."),
    Rule("right-to-left-fixed", 3, "SYNTAX", "fixed from left to right",
         "Attach later words of the expression to its first word."),
    Rule("right-to-left-flat", 3, "SYNTAX", "flat from left to right",
         "Attach later words of the name to its first word."),
    Rule("right-to-left-goeswith", 3, "SYNTAX", "goeswith from left to right",
         "Attach later parts of the word to its first part."),
    Rule("right-to-left-appos", 3, "SYNTAX", "appos from left to right", "Attach the later nominal to the first one."),
    Rule("too-many-subjects", 3, "SYNTAX", "at most one subject",
         "Attach one subject elsewhere, or mark the outer one by nsubj:outer."),
    Rule("too-many-objects", 3, "SYNTAX", "at most one obj", "Consider iobj or obl for one."),
    Rule("obl-should-be-nmod", 3, "SYNTAX", "nmod under a nominal", "Change obl to nmod."),
    Rule("orphan-parent", 3, "SYNTAX", "a parent that is conj, parataxis, root, csubj, ccomp, advcl, acl or reparandum",
         "Use orphan only where a predicate is missing.", "warning"),
    Rule("fixed-gap", 3, "SYNTAX", "a fixed expression without other words inside",
         "Check whether the expression is fixed.", "warning"),
    Rule("goeswith-gap", 3, "SYNTAX", "the parts of one word side by side",
         "Attach all parts to the first one, without words between."),
    Rule("goeswith-nospace", 3, "SYNTAX", "a space between the parts of one word",
         "Delete SpaceAfter=No, or join the parts into one word."),
    Rule("goeswith-missing-typo", 3, "MORPHO", "Typo=Yes on the first part of a split word", "Add Typo=Yes."),
    Rule("goeswith-lemma", 3, "MORPHO", "the lemma _ with goeswith", "Put the lemma on the first part of the word."),
    Rule("goeswith-upos", 3, "MORPHO", "UPOS X with goeswith", "Put the tag on the first part of the word."),
    Rule("goeswith-feats", 3, "MORPHO", "the features _ with goeswith",
         "Put the features on the first part of the word."),
    Rule("goeswith-edeps", 3, "ENHANCED", "_ or the basic relation in DEPS with goeswith",
         "Copy HEAD and DEPREL to DEPS."),
    Rule("rel-upos-det", 3, "SYNTAX", "DET or PRON with det", _UPOS),
    Rule("rel-upos-nummod", 3, "SYNTAX", "NUM, NOUN or SYM with nummod", _UPOS),
    Rule("rel-upos-advmod", 3, "SYNTAX", "ADV, ADJ, CCONJ, DET, PART or SYM with advmod", _UPOS),
    Rule("rel-upos-expl", 3, "SYNTAX", "PRON, DET or PART with expl", _UPOS),
    Rule("rel-upos-aux", 3, "SYNTAX", "AUX with aux", _UPOS),
    Rule("rel-upos-cop", 3, "SYNTAX", "AUX, PRON, DET or SYM with cop", _UPOS),
    Rule("rel-upos-case", 3, "SYNTAX", "none of PROPN ADJ PRON DET NUM AUX with case", _UPOS),
    Rule("rel-upos-mark", 3, "SYNTAX", "none of NOUN PROPN ADJ PRON DET NUM AUX INTJ with mark", _UPOS),
    Rule("rel-upos-cc", 3, "SYNTAX", "none of NOUN PROPN ADJ PRON DET NUM VERB AUX INTJ with cc", _UPOS),
    Rule("rel-upos-punct", 3, "SYNTAX", "PUNCT with punct", _UPOS),
    Rule("upos-rel-punct", 3, "SYNTAX", "punct or root with PUNCT", _UPOS),
    Rule("rel-upos-fixed", 3, "SYNTAX", "no PROPN in a fixed expression", "Use flat or compound for names."),
    Rule("leaf-mark-case", 3, "SYNTAX",
         "only advmod, obl, goeswith, fixed, reparandum, conj, cc or punct under mark and case", _LEAF),
    Rule("leaf-aux-cop", 3, "SYNTAX", "only goeswith, fixed, reparandum, conj, cc or punct under aux and cop", _LEAF),
    Rule("leaf-det", 3, "SYNTAX",
         "only det, case, advmod, obl, clf, goeswith, fixed, flat, compound, reparandum, "
         "discourse, parataxis, conj, cc or punct under det", _LEAF),
    Rule("leaf-clf", 3, "SYNTAX", "only advmod, obl, goeswith, fixed, reparandum, conj, cc or punct under clf", _LEAF),
    Rule("leaf-cc", 3, "SYNTAX", "only goeswith, fixed, reparandum, conj or punct under cc", _LEAF),
    Rule("leaf-fixed", 3, "SYNTAX", "only goeswith, reparandum, conj or punct under fixed", _LEAF),
    Rule("leaf-goeswith", 3, "SYNTAX", "no dependents under goeswith", _LEAF),
    Rule("leaf-punct", 3, "SYNTAX", "only punct under punct", _LEAF),
    Rule("punct-is-nonproj", 3, "SYNTAX", "punctuation attached projectively",
         "Attach the mark to a word whose span it touches."),
    Rule("punct-causes-nonproj", 3, "SYNTAX", "punctuation that makes no other arc cross",
         "Attach the mark to the highest word that keeps the tree projective."),
)  # fmt: skip


LANGUAGE = (
    Rule("invalid-word-with-space", 4, "FORMAT", "white space only in words that the language lists",
         "Split the word at the space, or have the pattern documented for the language."),
    Rule("unknown-lang", 4, "MORPHO", "a language code that has language data in MISC Lang", "Correct the code.",
         "warning"),
    Rule("mwt-typo-repeated-at-word", 4, "MORPHO", "Typo on the multiword token or on its words, not on both",
         "Delete one of the two."),
    Rule("feature-unknown", 4, "MORPHO", "a feature that the language documents",
         "Correct the name, or have the feature documented."),
    Rule("feature-not-permitted", 4, "MORPHO", "a feature that the language permits",
         "Delete the feature, or have it permitted."),
    Rule("feature-value-unknown", 4, "MORPHO", "a value that the language documents",
         "Correct the value, or have it documented."),
    Rule("feature-upos-not-permitted", 4, "MORPHO", "a feature that the language permits with this tag",
         "Correct the tag or delete the feature."),
    Rule("feature-value-upos-not-permitted", 4, "MORPHO", "a value that the language permits with this tag",
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


RULES: tuple[Rule, ...] = (*BACKBONE, *FORMAT, *CONTENT, *LANGUAGE)
BY_ID = {rule.id: rule for rule in RULES}
