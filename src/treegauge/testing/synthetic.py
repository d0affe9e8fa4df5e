"""Treebanks drawn from an invented grammar with adjustable properties, and incorrect annotations of them."""

from collections.abc import Collection, Sequence
from math import log
from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.testing.clauses import Growth
from treegauge.testing.grammar import Grammar, Uniform, Word, check_parameter, lexicon, uniforms
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import parse_conllu

CONFUSABLE = {
    "nsubj": ("obj", "obl", "nmod"), "obj": ("nsubj", "obl", "iobj", "nmod"),
    "iobj": ("obj", "obl"), "obl": ("nmod", "obj", "advmod"),
    "nmod": ("obl", "conj", "appos", "amod"), "amod": ("nmod", "det", "advmod", "acl"),
    "advmod": ("obl", "amod", "discourse"), "nummod": ("amod", "nmod", "det"),
    "appos": ("nmod", "conj", "flat"), "flat": ("appos", "nmod", "compound"),
    "conj": ("appos", "nmod", "parataxis"), "ccomp": ("advcl", "xcomp", "parataxis"),
    "xcomp": ("ccomp", "advcl", "obj"), "advcl": ("ccomp", "acl", "conj"),
    "acl": ("advcl", "amod", "nmod"), "csubj": ("ccomp", "nsubj", "advcl"),
    "parataxis": ("conj", "ccomp", "appos"), "aux": ("cop", "mark"), "cop": ("aux", "mark"),
    "case": ("mark", "advmod"), "mark": ("case", "cc", "advmod"), "cc": ("mark", "advmod"),
    "det": ("nummod", "amod"), "discourse": ("advmod", "cc"),
}  # fmt: skip
"""The relations with which each relation is most easily confused."""

FALLBACK = ("nmod", "obl", "dep")


def other_relation(relation: str, uniform: Uniform) -> str:
    """Return a relation whose universal part differs from the given one's."""
    universal = relation.partition(":")[0]
    choices = CONFUSABLE.get(universal) or [name for name in FALLBACK if name != universal]
    return choices[int(uniform() * len(choices))]


def can_be_head(heads: Sequence[int], word: int, other: int) -> bool:
    """Whether a word can become the head of another without a cycle; heads[0] is unused."""
    top = other
    while top and top != word:
        top = heads[top]
    return not top and other != heads[word]


def other_head(heads: list[int], word: int, uniform: Uniform) -> int | None:
    """Return an incorrect head that keeps a tree, near words first; None if there is none."""
    for _ in range(8):
        reach = 1 + int(-3 * log(1 - uniform()))
        other = word + reach if uniform() < 0.5 else word - reach
        if 0 < other < len(heads) and can_be_head(heads, word, other):
            return other
    rest = [other for other in range(1, len(heads)) if can_be_head(heads, word, other)]
    return rest[int(uniform() * len(rest))] if rest else None


def swap_root(heads: list[int], relations: list[str], child: int) -> None:
    """Make a child of the root the new root, and attach the old root to it."""
    root = heads[child]
    heads[child], heads[root] = 0, child
    relations[child], relations[root] = relations[root], relations[child]


def perturb(
    heads: list[int], relations: list[str], chosen: Collection[int], uniform: Uniform, *, relabel: float
) -> None:
    """Change the annotation of the chosen words in place, keeping one root and no cycle.

    On average, the number of changed words equals the number of chosen ones. The root can only
    change together with one of its children; if that child was not chosen, the two change half of
    the time. `heads` and `relations` hold the tree from index 1 on; `relabel` is the share of
    changes that change the relation and not the head.

    Examples
    --------
    >>> heads, relations = [0, 2, 0, 2], ["", "nsubj", "root", "obj"]
    >>> perturb(heads, relations, [3], lambda: 0.0, relabel=0); heads
    [0, 2, 0, 1]
    """
    waiting = dict.fromkeys(chosen)
    root = heads.index(0, 1)
    if root in waiting:
        del waiting[root]
        children = [word for word in range(1, len(heads)) if heads[word] == root]
        if children:
            child = children[int(uniform() * len(children))]
            if child in waiting or uniform() < 0.5:
                waiting.pop(child, None)
                swap_root(heads, relations, child)
    for word in waiting:
        if uniform() < relabel and relations[word] != "punct":
            relations[word] = other_relation(relations[word], uniform)
            continue
        head = other_head(heads, word, uniform)
        if head is not None:
            heads[word] = head
        elif relabel > 0:
            relations[word] = other_relation(relations[word], uniform)
        elif uniform() < 0.5:
            swap_root(heads, relations, word)


__all__ = ["Grammar", "synthesise", "synthetic", "synthetic_conllu"]

DEFAULT = Grammar()

DOCUMENT = 20
"""Sentences in a document."""

NO_SPACE_BEFORE = frozenset(",.?!)")

LINKED = {"conj": "cc", "nmod": "case", "obl": "case", "advcl": "mark", "ccomp": "mark"}
"""Relations whose lemma is part of an enhanced relation, as in ``obl:in``."""


def synthetic_conllu(
    sentences: int, grammar: Grammar = DEFAULT, *, seed: int, start: int = 0, prefix: str = "syn"
) -> str:
    """Draw a treebank as CoNLL-U text.

    It is valid UD v2 with all ten columns, documents, multiword tokens and enhanced relations.
    Every sentence depends only on the grammar, the seed and its number, so that separately drawn
    pieces equal those of the whole; `start` is the number of the first one, from 0, and `prefix`
    begins every ``sent_id``, as in ``syn-17``.

    Examples
    --------
    >>> text = synthetic_conllu(3, Grammar(length=6), seed=1)
    >>> text == synthetic_conllu(1, Grammar(length=6), seed=1) + synthetic_conllu(
    ...     2, Grammar(length=6), seed=1, start=1
    ... )
    True
    """
    for name, value in (("sentences", sentences), ("start", start), ("seed", seed)):
        check_parameter(name, value, low=0, high=2**63 - 1, whole=True)
    if not prefix or any(sign.isspace() or sign == "/" for sign in prefix):
        raise TreegaugeError(f"prefix is {prefix!r}; expected no spaces, no slash, not empty")
    return "".join(_sentence(grammar, seed, i, prefix) for i in range(start, start + sentences))


def _sentence(grammar: Grammar, seed: int, number: int, prefix: str) -> str:
    """Return one random sentence as text."""
    uniform = uniforms(seed, number)
    words = Growth(grammar, lexicon(grammar.language, grammar.vocabulary, grammar.zipf), uniform).grow()
    position = {word: i for i, word in enumerate(words, start=1)}
    heads = [0, *(position[word.head] if word.head else 0 for word in words)]
    relations = ["", *(word.rel for word in words)]
    misc = [""] * len(heads)
    if grammar.label_noise:
        before, noise = list(zip(heads, relations, strict=True)), uniforms(seed, number, 1)
        chosen = [i for i in range(1, len(heads)) if noise() < grammar.label_noise]
        perturb(heads, relations, chosen, noise, relabel=0.5)
        for i, (head, relation) in enumerate(before):
            if (head, relation) != (heads[i], relations[i]):
                misc[i] = f"TrueHead={head}|TrueDeprel={relation}"
    text, tokens = _tokens(words, grammar.contractions, uniform, misc)
    comments = [f"# newdoc id = {prefix}-d{number // DOCUMENT + 1}\n"] * (number % DOCUMENT == 0)
    lines = [*comments, f"# sent_id = {prefix}-{number + 1}\n", f"# text = {text}\n"]
    deps = _enhanced(words, heads, relations)
    for i, word in enumerate(words, start=1):
        lines.append(
            f"{tokens.get(i, '')}{i}\t{word.form}\t{word.lemma}\t{word.upos}\t{word.xpos}\t"
            f"{word.feats}\t{heads[i]}\t{relations[i]}\t{deps[i]}\t{misc[i] or '_'}\n"
        )
    return "".join([*lines, "\n"])


def _tokens(words: list[Word], contractions: float, uniform: Uniform, misc: list[str]) -> tuple[str, dict[int, str]]:
    """Write out the text and the lines of multiword tokens; mark missing spaces in MISC."""
    first = words[0]
    first.form = first.form[0].upper() + first.form[1:]
    text: list[str] = []
    tokens: dict[int, str] = {}
    i, last = 0, len(words)
    while i < last:
        here, i = words[i], i + 1
        start, form = i, here.form
        if i < last and uniform() < contractions and (fused := _contraction(here, words[i])):
            form, i = fused, i + 1
        closed = i < last and (words[i].form in NO_SPACE_BEFORE or form == "(")
        if i > start:
            space = "SpaceAfter=No" if closed else "_"
            tokens[start] = f"{start}-{i}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{space}\n"
        elif closed:
            misc[start] += "|SpaceAfter=No" if misc[start] else "SpaceAfter=No"
        text.append(form if closed or i == last else form + " ")
    return "".join(text), tokens


def _contraction(left: Word, right: Word) -> str | None:
    """Fuse an adposition with the article after it or the noun before it."""
    if left.upos == "ADP" and right.upos == "DET" and left.head is right.head:
        return left.form[:-1] + right.form[1:]
    if right.upos == "ADP" and right.head is left:
        return left.form + right.form[1:]
    return None


def _enhanced(words: list[Word], heads: list[int], relations: list[str]) -> list[str]:
    """Write DEPS: the tree, with linkers and case in relations, and shared subjects."""
    linkers: dict[tuple[int, str], str] = {}
    subjects: dict[int, int] = {}
    joined: list[tuple[int, int]] = []
    for i in range(len(words), 0, -1):
        relation = relations[i]
        if relation in ("cc", "case", "mark"):
            linkers[heads[i], relation] = words[i - 1].lemma
        elif relation.startswith("nsubj"):
            subjects[heads[i]] = i
        elif relation == "conj":
            joined.append((heads[i], i))
    deps = [""]
    for i, word in enumerate(words, start=1):
        edge, universal = f"{heads[i]}:{relations[i]}", relations[i].partition(":")[0]
        if universal in LINKED:
            linker = linkers.get((i, LINKED[universal]))
            edge += f":{linker}" if linker else ""
            if word.case and LINKED[universal] == "case":
                edge += f":{word.case.lower()}"
        deps.append(edge)
    for first, second in joined:
        subject = subjects.get(first)
        if subject is not None and second not in subjects and words[second - 1].upos == "VERB":
            extra = f"{second}:{relations[subject]}"
            edges = [*deps[subject].split("|"), extra]
            deps[subject] = "|".join(sorted(edges, key=lambda edge: int(edge.partition(":")[0])))
    return deps


def synthetic(sentences: int, grammar: Grammar = DEFAULT, *, seed: int, prefix: str = "syn") -> Treebank:
    """Draw a treebank; see :func:`synthetic_conllu`.

    Examples
    --------
    >>> len(synthetic(10, seed=1))
    10
    """
    text = synthetic_conllu(sentences, grammar, seed=seed, prefix=prefix)
    return parse_conllu(text, name=f"{prefix}-{seed}")


def synthesise(sentences: int, *, seed: int = 0, prefix: str = "syn", **grammar: Any) -> Treebank:
    """Draw a treebank of known properties from an invented grammar.

    The sentences are valid UD with all layers and no real text. Every sentence depends only on
    the grammar, the seed and its own number.

    Parameters
    ----------
    sentences
        The number of sentences.
    seed
        Random seed; the same seed gives the same bytes.
    prefix
        Start of every sent_id.
    **grammar
        Parameters of :class:`Grammar`.

    Examples
    --------
    >>> synthesise(5, seed=1, length=8)
    <Treebank syn-1: 5 sentences, 36 words>
    """
    return synthetic(sentences, Grammar(**grammar), seed=seed, prefix=prefix)
