"""Values that damage puts into columns."""

# ruff: noqa: E501 -- a case or a list of values reads better on one line

DEPREL_WORDS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse "
    "dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis "
    "punct reparandum root vocative xcomp "
    "ref Nsubj nsubj: nsubj:a:b nsubj:outer csubj:outer nsubj:pass flat:foreign flat:name root:x "
    "obl:arg obl:für obl:in:gen conj:and nmod:poss foo foo:bar x:y: é obl:in_on nsubj:xsubj "
    "nsubj:pass:xsubj acl:relcl expl:pv cop:x punct:x advmod:emph subj"
).split()
FEATURES = (
    "PronType=Prs PronType=Art Polarity=Neg Poss=Yes ExtPos=ADV ExtPos=PROPN ExtPos=ADP,ADV "
    "ExtPos=PUNCT ExtPos=DET ExtPos=NOUN,VERB Typo=Yes Typo=No VerbForm=Fin VerbForm=Fin,Inf Mood=Ind "
    "Foreign=Yes Abbr=Yes Case=Nom Case=Acc,Nom Case=Nom,Acc Case=Nom,Nom Number[psor]=Sing Number=Sing "
    "Foo=Bar Foo=Bar,Baz Person=3 Person[psor]=1 NumType=Card Degree=Cmp Xyz[abc]=1 Aspect=Foo "
    "Gender=Masc Gender=Fem,Masc Animacy=Anim Definite=Def Voice=Pass Tense=Past"
).split()
MISC_ITEMS = [
    "SpaceAfter=No", "SpaceAfter=No", "SpaceAfter=Yes", "SpaceAfter=", "SpaceAfter", "NoSpaceAfter=Yes",
    "spaceafter=No", "SpaceAfter =No", "SpaceAfter= No", " SpaceAfter=No", "SpaceAfter=No ", "XSpaceAfter=No",
    "SpaceAfter=No|SpaceAfter=No", "Gloss=x|Gloss=y", "gloss=x", "Gloss", "Ref=1", "REF=1", "LId=x", "lid=x",
    "Translit=a b", "Translit=a  b", "=x", "=", "", "|", "x", "X=", "X= y", "X =y", "X=y ", "X=\xa0y", "X=\x1cy",
    "Lang=en", "Lang=zz", "Lang=", "Lang", "lang=fr", "Lang=fr|Lang=en", "Subject=Outer", "Subject=outer",
    "SpacesAfter=\\n", "A=b=c", "LDeriv=x", "LTranslit=x", " Lang=fr", "Entity=(e1",
]  # fmt: skip
LANGUAGES = ["Lang=en", "Lang=fr", "Lang=cs", "Lang=de", "Lang=ru", "Lang=zz", "Lang=ud", "Lang=grc", "Lang", "Lang=",
             "Lang=en|Lang=cs", "Lang=ar", "Lang=en_US"]  # fmt: skip
SPACES = [" ", "  ", "\xa0", "\u2003", "\u3000", "\u202f", "\u1680", "\x1c", "\x85", "\u2028", "\u200b", "\ufeff", "\x0b", "\x0c",
          "\x1f", "\u180e", "\u205f"]  # fmt: skip
