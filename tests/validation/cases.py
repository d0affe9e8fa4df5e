"""One small invented treebank for each official test that can fail, and for odd corners.

A row is written ``ID FORM UPOS HEAD DEPREL`` and, where they are not ``_``, ``L:lemma X:xpos
F:feats D:deps M:misc``; ``·`` stands for a space inside a field. The lemma is the form unless
given. ``sentence`` adds ``sent_id`` and ``text``.
"""

# ruff: noqa: E501 -- a case or a list of values reads better on one line

from typing import NamedTuple

UNREACHABLE = {
    "extra-empty-line": "an empty line in a file ends the sentence",
    "invalid-word-interval": "an ID that is not an interval is an invalid-word-id",
    "invalid-feature-value": "a value of another form makes the whole item an invalid-feature",
}
"""Official tests that no file can fail, and why."""


class Case(NamedTuple):
    """The files of a treebank, and the level and language at which they are tested."""

    level: int
    texts: tuple[str, ...]
    lang: str = "en"


def row(text: str) -> str:
    """Write one line of ten columns."""
    node, form, upos, head, deprel, *more = text.split(" ")
    lemma = "_" if "-" in node else form
    fields = {"L": lemma, "X": "_", "F": "_", "D": "_", "M": "_"}
    for one in more:
        fields[one[0]] = one[2:]
    columns = [node, form, fields["L"], upos, fields["X"], fields["F"], head, deprel, fields["D"], fields["M"]]
    return "\t".join(columns).replace("·", " ")


def surface(rows: list[str]) -> str:
    """Return the text that the rows spell."""
    text, inside = "", 0
    for line in rows:
        fields = line.split("\t")
        node = fields[0]
        if "." in node or ("-" not in node and int(node) <= inside):
            continue
        if "-" in node:
            inside = int(node.partition("-")[2])
        text += fields[1] + ("" if "SpaceAfter=No" in fields[9].split("|") else " ")
    return text.rstrip()


def sentence(*texts: str, sent_id: str = "s1", text: str | None = None, more: str = "") -> str:
    """Write a sentence; `more` are further comments, each with its newline."""
    rows = [row(one) for one in texts]
    comments = f"# sent_id = {sent_id}\n{more}# text = {surface(rows) if text is None else text}\n"
    return comments + "".join(f"{one}\n" for one in rows) + "\n"


def bare(comments: str, *texts: str) -> str:
    """Write a sentence with these comments only."""
    return comments + "".join(f"{row(one)}\n" for one in texts) + "\n"


GO = "1 go VERB 0 root"
FINE = sentence(GO, sent_id="fine")
TWO = (GO, "2 on ADV 1 advmod")
E1, E2 = "1 go VERB 0 root D:0:root", "2 on ADV 1 advmod D:1:advmod"


def one(level: int, text: str, lang: str = "en") -> Case:
    """Return a case of one file."""
    return Case(level, (text,), lang)


LEVEL_1 = {
    "invalid-utf": one(1, sentence("1 g\ufffdo VERB 0 root")),
    "unicode-normalization": one(1, sentence("1 cafe\u0301 NOUN 0 root")),
    "unicode-normalization:comment": one(1, bare("# sent_id = s\n# text = go\n# e\u0301\n", GO)),
    "misplaced-comment": one(1, sentence(*TWO).replace("2\t", "# late\n2\t")),
    "misplaced-comment:last": one(1, sentence(*TWO).replace("\n\n", "\n# late\n\n")),
    "pseudo-empty-line": one(1, FINE[:-1] + " \t\n"),
    "empty-sentence": one(1, FINE + "\n" + FINE),
    "empty-sentence:first": one(1, "\n\n" + FINE),
    "empty-sentence:comments": one(1, "# newdoc\n# x\n\n" + FINE + "# y\n\n"),
    "invalid-line": one(1, FINE + "go home\n" + FINE),
    "invalid-line:mark": one(1, "\ufeff" + FINE),
    "invalid-line:digit": one(1, FINE.replace("1\tgo", "\u0663\tgo")),
    "missing-empty-line": one(1, FINE[:-1]),
    "missing-empty-line:newline": one(1, FINE[:-2]),
    "missing-empty-line:comment": one(1, FINE + "# the end"),
    "missing-empty-line:odd": one(1, FINE[:-1] + "# late\nodd line"),
    "number-of-columns": one(1, FINE.replace("\t_\n", "\n")),
    "number-of-columns:more": one(1, FINE.replace("\t_\n", "\t_\t_\n") + FINE),
    "number-of-columns:empty": one(1, "# sent_id = x\n1\n\n1\t\t\n\n"),
    "invalid-whitespace-mwt": one(
        1, sentence("1-2 go·on _ _ _", *TWO, text="go on") + sentence("1-2 goon _ _ _ L:go·on", *TWO, text="goon")
    ),
    "invalid-whitespace": one(1, sentence("1 go VE·RB 0 root X:a·b F:A·=B D:0:·root")),
    "invalid-whitespace:no-break": one(1, sentence("1 go VE\xa0RB 0 root X:a\u2003b")),
    "invalid-whitespace:control": one(1, sentence("1 go VERB 0 root X:a\x1cb")),
    "empty-column": one(1, sentence("1 go VERB 0 root X: M:")),
    "empty-column:form": one(1, FINE.replace("1\tgo\tgo", "1\t\t")),
    "leading-whitespace": one(1, sentence("1 ·go VERB 0 root L:\xa0go M:\u3000X=y")),
    "leading-whitespace:control": one(1, sentence("1 \x1cgo VERB 0 root")),
    "trailing-whitespace": one(1, sentence("1 go· VERB 0 root L:go\u2003 M:X=y·")),
    "repeated-whitespace": one(1, sentence("1 a··b VERB 0 root L:a\xa0·b M:X=a·\u2009b")),
    "repeated-whitespace:all": one(1, sentence("1 ··go·· VERB 0 root")),
    "invalid-word-id": one(1, FINE.replace("1\tgo", "01\tgo") + FINE.replace("1\tgo", "1.0\tgo")),
    "invalid-word-id:more": one(1, FINE.replace("1\tgo", "1-2-3\tgo") + FINE.replace("1\tgo", "0\tgo")),
    "misplaced-word-interval": one(1, sentence(*TWO).replace("\n\n", "\n1-2\tx" + "\t_" * 8 + "\n\n")),
    "misplaced-word-interval:early": one(1, sentence("2-3 x _ _ _", *TWO, "3 x X 1 dep")),
    "misplaced-empty-node": one(1, sentence("1.1 e X _ _", *TWO)),
    "misplaced-empty-node:counter": one(1, sentence(GO, "1.2 e X _ _", "2 on ADV 1 advmod")),
    "misplaced-empty-node:inside": one(
        1, sentence(GO, "2-3 onon _ _ _", "1.1 e X _ _", "2 on ADV 1 advmod", "3 on ADV 1 advmod")
    ),
    "misplaced-empty-node:reset": one(
        1, sentence(GO, "1.1 e X _ _", "2-3 onon _ _ _", "1.2 e X _ _", "2 on ADV 1 advmod", "3 on ADV 1 advmod")
    ),
    "word-id-sequence": one(1, sentence(GO, "3 on ADV 1 advmod") + sentence("2 go VERB 0 root")),
    "word-id-sequence:twice": one(1, sentence(GO, "1 on ADV 1 advmod")),
    "reversed-word-interval": one(1, sentence("2-1 goon _ _ _", *TWO)),
    "reversed-word-interval:same": one(1, sentence("1-1 go _ _ _", *TWO)),
    "word-interval-out": one(1, sentence("1-3 goon _ _ _", *TWO)),
    "word-interval-out:order": one(
        1, sentence("3-5 x _ _ _", "2 a X 0 root") + sentence("3-4 x _ _ _", "1 a X 0 root", "3 b X 1 dep")
    ),
    "overlapping-word-intervals": one(
        1, sentence("1-2 goon _ _ _", GO, "2-3 onon _ _ _", "2 on ADV 1 advmod", "3 on ADV 1 advmod")
    ),
    "non-unix-newline": one(1, FINE + FINE.replace("\n", "\r\n") + FINE),
    "non-unix-newline:one": one(1, FINE.replace("\t_\n", "\t_\r\n") + FINE),
    "non-unix-newline:old": one(1, FINE.replace("\n", "\r")),
}

LEVEL_2 = {
    "invalid-head": one(2, sentence("1 go VERB 00 root") + sentence("1 go VERB _ root")),
    "unknown-head": one(2, sentence("1 go VERB 7 root") + sentence(GO, "2 a X x dep")),
    "unknown-head:empty": one(2, sentence(GO, "1.1 e X _ _ D:1:dep", "2 a X 1.1 dep D:1.1:dep")),
    "invalid-deps": one(2, sentence("1 go VERB 0 root D:0") + sentence("1 go VERB 0 root D:0:root|")),
    "invalid-ehead": one(2, sentence("1 go VERB 0 root D:x:root|01:dep|1.0:dep")),
    "unknown-ehead": one(2, sentence("1 go VERB 0 root D:0:root|2:dep|1.1:dep|0.1:dep")),
    "head-self-loop": one(2, sentence(GO, "2 on ADV 2 advmod", "3 a X 0 dep")),
    "multiple-roots": one(2, sentence(GO, "2 on VERB 0 root", "3 a X 4 dep", "4 a X 3 dep")),
    "non-tree": one(2, sentence(GO, "2 a X 3 dep", "3 a X 2 dep")),
    "non-tree:no-root": one(2, sentence("1 a X 2 dep", "2 a X 3 dep", "3 a X 1 dep")),
    "mwt-nonempty-field": one(
        2, sentence("1-2 goon X 1 dep L:go F:A=B D:1:dep X:x M:Y=z", *TWO)
        + sentence("1-2 goon _ _ _ F:Typo=Yes", *TWO, sent_id="s2")
    ),
    "empty-node-nonempty-field": one(2, sentence(E1, "1.1 e X 1 dep D:1:dep")),
    "unknown-upos": one(2, sentence("1 go Verb 0 root") + sentence("1 go _ 0 root")),
    "unknown-upos:empty": one(2, sentence(E1, "1.1 e _ _ _ D:1:dep", "1.2 e FOO _ _ D:1:dep")),
    "empty-string-in-xpos": one(2, sentence("1 go VERB 0 root X:")),
    "unsorted-features": one(2, sentence("1 go VERB 0 root F:Mood=Imp|Aspect=Imp")),
    "unsorted-features:layers": one(2, sentence("1 a DET 0 root F:Number[psor]=Sing|Number=Sing")),
    "unsorted-features:case": one(2, sentence("1 a DET 0 root F:AbC=Yes|Abb=Yes|ABa=Yes")),
    "invalid-feature": one(2, sentence("1 go VERB 0 root F:mood=Imp", "2 on ADV 1 Advmod")),
    "invalid-feature:forms": one(
        2, sentence("1 go VERB 0 root F:Mood=imp|X|A[B]=C|D=E,|F[g]=H,I|=J|K==L|_|M=é")
    ),
    "repeated-feature-value": one(2, sentence("1 go VERB 0 root F:Mood=Imp,Imp")),
    "unsorted-feature-values": one(2, sentence("1 go VERB 0 root F:Mood=Ind,Imp")),
    "repeated-feature": one(2, sentence("1 go VERB 0 root F:Mood=Imp|Mood=Ind")),
    "repeated-feature:same": one(2, sentence("1 go VERB 0 root F:Mood=Imp|Mood=Imp")),
    "repeated-feature:malformed": one(2, sentence("1 go VERB 0 root F:A|A=B", "2 on ADV 1 advmod F:|") + sentence("1 go VERB 0 root F:A=b|A=C|a=B|a=C", sent_id="b")),
    "invalid-deprel": one(2, sentence(GO, "2 on ADV 1 advmod:", "3 on ADV 1 advmod:a:b", "4 a X 1 é")),
    "unknown-udeprel": one(2, sentence(GO, "2 on ADV 1 adverb", "3 on ADV 1 adverb:x", "4 a X 1 ref")),
    "unknown-udeprel:ref": one(2, sentence(E1, "2 a X 1 ref D:1:ref") + sentence(E1, "2 a X 1 ref D:1:ref")),
    "unsorted-deps": one(2, sentence(E1, "2 on ADV 1 advmod D:3:dep|1:advmod", "3 a X 1 dep D:1:dep")),
    "unsorted-deps:empty": one(
        2, sentence(E1, "1.1 e X _ _ D:1:dep", "2 on ADV 1 advmod D:1.1:dep|1:advmod")
    ),
    "unsorted-deps-2": one(2, sentence(E1, "2 on ADV 1 advmod D:1:obl|1:advmod")),
    "repeated-deps": one(2, sentence(E1, "2 on ADV 1 advmod D:1:advmod|1:advmod|1:dep|1:dep")),
    "deps-self-loop": one(2, sentence(E1, "2 on ADV 1 advmod D:1:advmod|2:dep")),
    "invalid-edeprel": one(
        2, sentence(E1, "2 on ADV 1 advmod D:1:Advmod|1:obl:in:Gen|1:obl:in_:gen|1:obl:a:b:c:d")
    ),
    "invalid-edeprel:letters": one(
        2, sentence(E1, "2 on ADV 1 dep D:1:obl:für:acc|1:obl:ς_τον|1:obl:की|1:obl:Ä|1:obl:a1")
    ),
    "unknown-eudeprel": one(2, sentence(E1, "2 on ADV 1 advmod D:1:adverb|1:ref")),
    "empty-misc": one(2, sentence("1 go VERB 0 root M:|A=b||", "2 a X 1 dep M:|")),
    "empty-misc-key": one(2, sentence("1 go VERB 0 root M:=b|=|A=")),
    "misc-extra-space": one(2, sentence("1 go VERB 0 root M:A·=b|·A=b|A=·b|A=b·|c·|·A·=·b·|d")),
    "misc-attr-typo": one(2, sentence("1 go VERB 0 root M:spaceafter=No|lang=en|GLOSS=x|gloss|·Ref=1")),
    "repeated-misc": one(2, sentence("1 go VERB 0 root M:Gloss=a|Gloss=b|X=1|X=2|Ref|Ref=1|Gloss=c")),
    "edeps-only-sometimes": one(2, sentence(*TWO) + sentence(E1, E2, sent_id="b") + sentence(*TWO, sent_id="c")),
    "edeps-only-sometimes:after": one(2, sentence(E1, E2) + sentence(*TWO, sent_id="b")),
    "unconnected-egraph": one(2, sentence(E1, "2 on ADV 1 advmod")),
    "unconnected-egraph:cycle": one(
        2, sentence(E1, "2 on ADV 1 advmod D:3:dep", "3 a X 1 dep D:2:dep", "3.1 e X _ _ D:3.1:dep")
    ),
    "unconnected-egraph:empty": one(2, sentence(GO, "1.1 e X _ _")),
    "invalid-sent-id": one(2, bare("# sent_id = a b\n# text = go\n", GO) + bare("#sent_id\n# text = go\n", GO)),
    "invalid-sent-id:forms": one(
        2, bare("# sent_id=a\n# text=go\n", GO) + bare("#sent_id =b\n#text =go\n", GO)
        + bare("# sent_ids = c\n# text = go\n", GO) + bare("#  sent_id = d\n# text = go\n", GO)
    ),
    "missing-sent-id": one(2, bare("# text = go\n", GO)),
    "multiple-sent-id": one(2, bare("# sent_id = a\n# sent_id = b\n# text = go\n", GO)),
    "non-unique-sent-id": one(2, FINE + FINE),
    "non-unique-sent-id:files": Case(2, (FINE, FINE)),
    "slash-in-sent-id": one(2, sentence(GO, sent_id="a/b/c") + sentence(GO, sent_id="a/b")),
    "slash-in-sent-id:lang": one(4, sentence(GO, sent_id="a/b/c") + sentence(GO, sent_id="a/b")),
    "invalid-parallel-id": one(2, sentence(GO, more="# parallel_id = A/1\n") + sentence(GO, sent_id="b", more="#parallel_id=a/1/alt0\n")),
    "multiple-parallel-id": one(2, sentence(GO, more="# parallel_id = a/1\n# parallel_id = a/2\n")),
    "non-unique-parallel-id": one(
        2, sentence(GO, more="# parallel_id = a/1\n") + sentence(GO, sent_id="b", more="# parallel_id = a/1\n")
    ),
    "parallel-id-alt": one(
        2, sentence(GO, more="# parallel_id = a/1/alt2\n") + sentence(GO, sent_id="b", more="# parallel_id = a/1/alt4\n")
        + sentence(GO, sent_id="c", more="# parallel_id = a/1\n")
    ),
    "parallel-id-part": one(
        2, sentence(GO, more="# parallel_id = a/1/part1\n") + sentence(GO, sent_id="b", more="# parallel_id = a/1/part3\n")
        + sentence(GO, sent_id="c", more="# parallel_id = a/1/alt1part2\n") + sentence(GO, sent_id="d", more="# parallel_id = b/1/part2\n")
    ),
    "multiple-newdoc": one(2, sentence(GO, more="# newdoc\n# newdoc x\n") + sentence(GO, sent_id="b", more="# newdoc id = x\n# newdoc\n")),
    "multiple-newpar": one(2, sentence(GO, more="#newpar\n# newpar\n#newpar\n")),
    "spaceafter-newdocpar": one(
        2, sentence("1 go VERB 0 root M:SpaceAfter=No") + sentence(GO, sent_id="b", more="# newpar\n")
    ),
    "spaceafter-newdocpar:both": one(
        2, sentence("1 go VERB 0 root M:SpaceAfter=No") + sentence(GO, sent_id="b", more="# newdoc\n# newpar\n")
        + sentence("1 go VERB 0 root M:SpaceAfter=No", sent_id="c") + sentence(GO, sent_id="d", more="# newdoc id = x\n")
    ),
    "missing-text": one(2, bare("# sent_id = a\n", GO)),
    "multiple-text": one(2, bare("# sent_id = a\n# text = go\n# text = go\n", GO)),
    "empty-text": one(2, sentence(GO, text="") + bare("# sent_id = b\n# text =\n", GO)),
    "text-trailing-whitespace": one(2, sentence(GO, text="go ") + sentence(GO, sent_id="b", text="go\xa0")),
    "nospaceafter-yes": one(2, sentence("1 go VERB 0 root M:NoSpaceAfter=Yes")),
    "spaceafter-value": one(2, sentence("1 go VERB 0 root M:SpaceAfter=Yes", "2 on ADV 1 advmod M:SpaceAfter=")),
    "spaceafter-empty-node": one(2, sentence(E1, "1.1 e X _ _ D:1:dep M:SpaceAfter=No")),
    "spaceafter-mwt-node": one(2, sentence("1-2 goon _ _ _", "1 go VERB 0 root M:SpaceAfter=No", "2 on ADV 1 advmod")),
    "text-form-mismatch": one(2, sentence("1 go VERB 0 root", "2 on ADV 1 advmod", "3 a X 1 dep", text="no on b")),
    "text-form-mismatch:resumes": one(2, sentence("1 x X 0 root", "2 go X 1 dep", text="go")),
    "missing-spaceafter": one(2, sentence(*TWO, text="goon")),
    "missing-spaceafter:many": one(2, sentence(*TWO, "3 a X 1 dep", text="goon   a")),
    "text-extra-chars": one(2, sentence(GO, text="go home") + sentence("1 go VERB 0 root M:SpaceAfter=No", sent_id="b", text="go !")),
}  # fmt: skip
