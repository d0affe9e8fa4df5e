"""Invented treebanks for levels 3 to 5, one for each official test and for odd corners."""

# ruff: noqa: E501 -- a case or a list of values reads better on one line

from tests.validation.cases import E1, GO, TWO, Case, one, row, sentence


def under(relation: str, child: str, upos: str = "X", feats: str = "") -> Case:
    """Return a case in which a word of some relation has a child."""
    extra = f" F:{feats}" if feats else ""
    return one(3, sentence(GO, f"2 a {upos} 1 {relation}{extra}", f"3 b {child}"))


LEVEL_3 = {
    "0-is-not-root": one(3, sentence("1 go VERB 0 dep")),
    "root-is-not-0": one(3, sentence(GO, "2 a X 1 root", "3 b X 1 root:x")),
    "enhanced-0-is-not-root": one(3, sentence("1 go VERB 0 root D:0:dep", "1.1 e X _ _ D:0:dep")),
    "enhanced-root-is-not-0": one(3, sentence(E1, "2 a X 1 dep D:1:root", "2.1 e X _ _ D:1:root")),
    "empty-node-after-eorphan": one(
        3, sentence(E1, "2 a X 1 dep D:1:orphan") + sentence(E1, "1.1 e X _ _ D:1:dep", "1.2 e X _ _ D:1:dep", sent_id="b")
    ),
    "eorphan-after-empty-node": one(
        3, sentence(E1, "1.1 e X _ _ D:1:dep", "2 a X 1 dep D:1:orphan|1.1:orphan", "3 b X 1 dep D:1:orphan:x")
    ),
    "edeps-identical-to-basic-trees": Case(3, (sentence(E1), sentence(E1, sent_id="b"))),
    "edeps-identical-to-basic-trees:blocked": one(
        3, sentence(E1) + sentence("1 go VERB 0 root F:a=b D:0:dep", sent_id="b") + "1\t"
    ),
    "edeps-identical-to-basic-trees:last": one(3, sentence(E1) + "# sent_id = b\n" + row(E1) + "\n1\tx"),
    "pron-det-without-prontype": one(3, sentence("1 it PRON 0 root") + sentence("1 go VERB 0 root F:Mood=Imp", "2 the DET 1 det", sent_id="b")),
    "pron-det-without-prontype:none": one(3, sentence("1 it PRON 0 root")),
    "verbform-fin-without-mood": one(3, sentence("1 go X 0 root F:VerbForm=Fin", "2 go VERB 1 dep F:VerbForm=Fin,Inf")),
    "fixed-without-extpos": one(3, sentence(GO, "2 of ADP 1 dep", "3 a NOUN 2 fixed", "4 b X 2 fixed:x")),
    "flat-foreign-upos-feats": one(
        3, sentence("1 le DET 0 root", "2 la X 1 flat:foreign F:Foreign=Yes", "3 lo X 1 flat:foreign", "4 li DET 1 flat:foreign F:Foreign=Yes")
    ),
    "right-to-left-conj": one(3, sentence("1 a X 2 conj", "2 b X 0 root")),
    "right-to-left-fixed": one(3, sentence("1 a X 2 fixed", "2 b X 0 root F:ExtPos=ADV")),
    "right-to-left-flat": one(3, sentence("1 a X 2 flat", "2 b X 0 root", "3 c X 4 flat:name", "4 d X 2 dep")),
    "right-to-left-goeswith": one(3, sentence("1 a X 2 goeswith L:_", "2 b X 0 root F:Typo=Yes")),
    "right-to-left-appos": one(3, sentence("1 a X 2 appos", "2 b X 0 root")),
    "too-many-subjects": one(
        3, sentence("1 a X 3 nsubj", "2 b X 3 csubj:pass", "3 go VERB 0 root", "4 c X 3 nsubj:outer", "5 d X 3 nsubj M:Subject=Outer")
    ),
    "too-many-objects": one(3, sentence(GO, "2 a X 1 obj", "3 b X 1 obj:x", "4 c X 1 iobj", "5 d X 1 iobj")),
    "obl-should-be-nmod": one(3, sentence(GO, "2 a NOUN 1 nsubj", "3 b NOUN 2 obl", "4 c NOUN 1 root", "5 d NOUN 3 obl:x")),
    "obl-should-be-nmod:predicate": one(
        3, sentence(GO, "2 a NOUN 1 nsubj F:ExtPos=ADV", "3 b NOUN 2 obl", "4 is AUX 2 cop", "5 a NOUN 1 ccomp", "6 b NOUN 5 obl")
    ),
    "orphan-parent": one(3, sentence(GO, "2 a X 1 nmod", "3 b X 2 orphan", "4 c X 1 orphan")),
    "fixed-gap": one(3, sentence(GO, "2 a X 1 dep F:ExtPos=ADV", "3 b X 1 dep", "4 c X 2 fixed", "5 , PUNCT 1 punct", "6 d X 2 fixed")),
    "fixed-gap:punct": one(3, sentence(GO, "2 a X 1 dep F:ExtPos=ADV", "3 , PUNCT 2 punct", "4 c X 2 fixed")),
    "goeswith-gap": one(3, sentence("1 a X 0 root F:Typo=Yes", "2 , PUNCT 1 punct", "3 b X 1 goeswith L:_")),
    "goeswith-nospace": one(3, sentence("1 a X 0 root F:Typo=Yes M:SpaceAfter=No", "2 b X 1 goeswith L:_ M:SpaceAfter=No")),
    "goeswith-nospace:mwt": one(
        3, sentence("1-2 ab _ _ _", "1 a X 0 root F:Typo=Yes M:SpaceAfter=No", "2 b X 1 goeswith L:_", "3 c X 1 goeswith L:_")
    ),
    "goeswith-missing-typo": one(3, sentence("1 a X 0 root F:Foreign=Yes", "2 b X 1 goeswith L:_")),
    "goeswith-missing-typo:none": one(3, sentence("1 a X 0 root", "2 b X 1 goeswith L:_")),
    "goeswith-missing-typo:delayed": one(
        3, sentence("1 a X 0 root", "2 b X 1 goeswith L:_") + sentence("1 go VERB 0 root F:Mood=Imp", sent_id="b")
    ),
    "goeswith-lemma": one(3, sentence("1 a X 0 root F:Typo=Yes", "2 b X 1 goeswith")),
    "goeswith-upos": one(3, sentence("1 a X 0 root F:Typo=Yes", "2 b NOUN 1 goeswith L:_")),
    "goeswith-feats": one(3, sentence("1 a X 0 root F:Typo=Yes", "2 b X 1 goeswith L:_ F:Typo=Yes")),
    "goeswith-edeps": one(3, sentence("1 a X 0 root F:Typo=Yes D:0:root", "2 b X 1 goeswith L:_ D:1:dep", "3 c X 1 goeswith L:_ D:1:goeswith|2:dep")),
    "rel-upos-det": one(3, sentence(GO, "2 a ADJ 1 det", "3 b ADJ 1 det F:ExtPos=PRON", "4 c DET 1 det F:ExtPos=ADV|PronType=Art")),
    "rel-upos-nummod": one(3, sentence(GO, "2 a ADJ 1 nummod", "3 b X 1 nummod F:ExtPos=NUM,X")),
    "rel-upos-advmod": one(
        3, sentence(GO, "2 a NOUN 1 advmod", "3 b NOUN 1 advmod:x F:Typo=Yes", "4 c X 3 goeswith L:_", "5 d X 1 advmod F:ExtPos=ADV,X")
    ),
    "rel-upos-expl": one(3, sentence(GO, "2 a NOUN 1 expl", "3 b X 1 expl F:ExtPos=PART,X")),
    "rel-upos-aux": one(3, sentence(GO, "2 a VERB 1 aux")),
    "rel-upos-cop": one(3, sentence(GO, "2 a VERB 1 cop")),
    "rel-upos-case": one(3, sentence(GO, "2 a PROPN 1 case", "3 b NOUN 1 case", "4 c X 1 case F:ExtPos=ADJ,X")),
    "rel-upos-mark": one(3, sentence(GO, "2 a NOUN 1 mark", "3 b INTJ 1 mark", "4 c VERB 1 mark")),
    "rel-upos-cc": one(3, sentence(GO, "2 a VERB 1 cc", "3 b SCONJ 1 cc")),
    "rel-upos-punct": one(3, sentence(GO, "2 a SYM 1 punct", "3 b X 1 punct F:ExtPos=PUNCT")),
    "upos-rel-punct:prefix": one(3, sentence(GO, "2 , PUNCT 1 punctual", "3 ; PUNCT 1 rootx", "4 . PUNCT 1 xpunct", "5 : PUNCT 1 punct·")),
    "upos-rel-punct": one(3, sentence(GO, "2 , PUNCT 1 dep", "3 ; X 1 dep F:ExtPos=PUNCT") + sentence("1 ! PUNCT 0 root", sent_id="b")),
    "rel-upos-fixed": one(3, sentence(GO, "2 a PROPN 1 dep F:ExtPos=PROPN", "3 b PROPN 2 fixed")),
    "leaf-mark-case": under("case", "NOUN 2 nmod"),
    "leaf-mark-case:neg": under("mark", "PART 2 advmod F:Polarity=Neg"),
    "leaf-aux-cop": under("aux", "ADV 2 advmod", "AUX"),
    "leaf-aux-cop:neg": under("cop", "ADV 2 advmod F:Polarity=Neg", "AUX"),
    "leaf-det": under("det", "NOUN 2 nmod", "DET", "PronType=Art"),
    "leaf-det:poss": under("det", "NOUN 2 nmod", "DET", "Poss=Yes|PronType=Prs"),
    "leaf-clf": under("clf", "NOUN 2 nmod"),
    "leaf-cc": under("cc", "CCONJ 2 cc", "CCONJ"),
    "leaf-fixed": one(3, sentence(GO, "2 a X 1 dep F:ExtPos=X", "3 b X 2 fixed", "4 c X 3 fixed", "5 d X 3 dep")),
    "leaf-goeswith": one(3, sentence("1 a X 0 root F:Typo=Yes", "2 b X 1 goeswith L:_", "3 , PUNCT 2 punct")),
    "leaf-punct": under("punct", "PART 2 advmod F:Polarity=Neg", "PUNCT"),
    "leaf-punct:nonproj": one(
        3, sentence(GO, "2 a X 4 mark", "3 b X 1 dep", "4 c X 3 dep", "5 d X 6 case", "6 e X 2 dep", "7 , PUNCT 6 punct", "8 , PUNCT 2 punct")
    ),
    "punct-is-nonproj": one(3, sentence(GO, "2 , PUNCT 4 punct", "3 a X 1 dep", "4 b X 1 dep")),
    "punct-is-nonproj:root": one(3, sentence("1 , PUNCT 3 punct", "2 a X 4 dep", "3 b X 4 dep", "4 go VERB 0 root")),
    "punct-causes-nonproj": one(3, sentence("1 a X 3 dep", "2 , PUNCT 5 punct", "3 b X 4 dep", "4 go VERB 0 root", "5 c X 4 dep")),
    "punct-causes-nonproj:left": one(3, sentence("1 go VERB 0 root", "2 a X 1 dep", "3 b X 5 dep", "4 , PUNCT 2 punct", "5 c X 1 dep", "6 d X 3 dep")),
}  # fmt: skip

LEVELS_4_AND_5 = {
    "invalid-word-with-space": one(4, sentence("1 go·on VERB 0 root", "2 10·000 NUM 1 nummod M:Lang=cs", "3 a X 1 dep L:a\xa0b")),
    "invalid-word-with-space:cs": one(4, sentence("1 10·000 NUM 0 root L:10\xa0000", "2 10·000 NUM 1 dep M:Lang=zz", "3 10\u2003000 NUM 1 dep"), "cs"),
    "unknown-lang": one(4, sentence("1 go VERB 0 root F:Foo=Bar M:Lang=zz", "2 a X 1 dep M:Lang=zz", "3 b X 1 dep F:Foreign=Yes M:Lang")),
    "mwt-typo-repeated-at-word": one(
        4, sentence("1-2 goon _ _ _ F:Typo=Yes", "1 go VERB 0 root F:Typo=Yes", "2 on ADV 1 advmod F:Foo=Bar|Typo=No", "3 a X 1 dep F:Typo=Yes")
    ),
    "feature-unknown": one(4, sentence("1 go VERB 0 root F:Foo=Bar,Baz|Mood=Imp|VerbForm=Fin")),
    "feature-not-permitted": one(4, sentence("1 aller VERB 0 root F:PossNumber=Sing"), "fr"),
    "feature-value-unknown": one(4, sentence("1 go VERB 0 root F:Mood=Foo|Mood=Bar", "2 a X 1 dep F:Mood=Imp,Xyz")),
    "feature-upos-not-permitted": one(4, sentence("1 go PUNCT 0 root F:Mood=Imp")),
    "feature-value-upos-not-permitted": one(4, sentence("1 a NOUN 0 root F:Case=Nom|Degree=Cmp")),
    "feature-unknown:lang": one(4, sentence("1 ici X 0 root F:Foreign=Yes|Foo=Bar M:Lang=fr", "2 a X 1 dep F:Foreign=Yes M:Lang=")),
    "unknown-deprel": one(4, sentence(GO, "2 a X 1 obl:foo")),
    "unknown-deprel:lang": one(
        4, sentence("1 go VERB 0 root M:Lang=cs", "2 a X 1 obl:arg M:Lang=cs", "3 b X 1 obl:arg", "4 c X 3 obl:arg M:Lang=cs")
    ),
    "unknown-deprel:none": one(4, sentence(GO, "2 a X 1 dep F:Foreign=Yes"), "zz"),
    "unknown-deprel:universal": one(4, sentence(GO, "2 a X 1 dep F:Foreign=Yes", "3 b X 1 nsubj:pass D:1:nsubj:xsubj"), "ud"),
    "unknown-deprel:ref": one(
        4, sentence(GO, "2 a X 1 ref") + sentence(E1, "2 a X 1 ref D:1:dep", sent_id="b") + sentence(GO, "2 a X 1 ref", sent_id="c"), "ud"
    ),
    "unknown-deprel:ref-lang": one(
        4, sentence(E1, "2 a X 1 dep D:1:obj M:Lang=ud", "3 a X 2 ref D:2:dep M:Lang=ud", "4 a X 1 ref D:1:dep M:Lang=ud")
    ),
    "unknown-edeprel": one(4, sentence(E1, "2 a X 1 nmod D:1:nmod:foo|1:nmod:of|1:nsubj:pass:xsubj|1:ref")),
    "unknown-edeprel:lang": one(
        4, sentence("1 go VERB 0 root D:0:root M:Lang=cs", "2 a X 3 dep D:1:obl:arg|3:obl:arg M:Lang=cs", "3 b X 1 dep D:1:dep",
                    "3.1 e X _ _ D:1:obl:arg M:Lang=cs", "3.2 e X _ _ D:2:obl:arg")
    ),
    "aux-lemma": one(5, sentence(GO, "2 go AUX 1 aux", "3 be AUX 1 aux", "4 _ AUX 1 aux", "5 go AUX 1 aux M:Lang=zz", "6 avoir AUX 1 aux M:Lang=fr")),
    "aux-lemma:empty": one(5, sentence(E1, "1.1 go AUX _ _ D:1:dep")),
    "cop-lemma": one(5, sentence(GO, "2 go AUX 1 cop", "3 have AUX 1 cop:x", "4 it PRON 1 cop F:PronType=Prs M:Lang=zz")),
}  # fmt: skip


def corner(*rows: str) -> Case:
    """Return a case of levels 1 to 3."""
    return one(3, sentence(*rows))


CORNERS = {
    "punct under punct": corner(*TWO, "3 , PUNCT 1 punct", "4 , PUNCT 3 punct"),
    "root is punct": corner("1 , PUNCT 0 root", "2 a X 1 dep", "3 . PUNCT 1 punct"),
    "subject of subject": corner("1 a X 2 nsubj:outer", "2 b X 3 nsubj", "3 go VERB 0 root", "4 c X 3 nsubj:pass"),
}
