"""What went wrong in an answer besides incorrect arcs, what it costs, and whether a model agrees with itself."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.core.result import RowsResult, countersign
from treegauge.scoring.alignment.align import Alignment, joint_codes, without_spaces
from treegauge.scoring.alignment.segmentation import Ints, Side, TextChanges, segmentation
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.metrics.correct_words import Mask, correct_words
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.relations import CONTENT, FUNCTIONAL, universal_relation

if TYPE_CHECKING:
    from treegauge.scoring.scores import Scores
    from treegauge.treebanks.answers.sentences import ModelAnswer

UNREADABLE, MISSING, CHANGED = "unreadable", "missing sentence", "changed words"
MISALIGNED, UNKNOWN, NO_TREE, ADDED = "misaligned", "unknown relation", "no tree", "added words"
KINDS = (UNREADABLE, MISSING, CHANGED, MISALIGNED, UNKNOWN, NO_TREE, ADDED)
"""Kinds of failure: nothing of a sentence could be read although something is there; nothing is there;
words with other characters, or left out; the same characters in other tokens or sentences; relations
that UD does not have; cycles, several roots or words without a head in the sentence; words that
gold does not have."""
_RELATIONS = CONTENT | FUNCTIONAL | {"punct"}
_MULTIWORD, _FORM = 1, 1


@dataclass(frozen=True, eq=False)
class AnswerFailures:
    """The failures of one answer, and its arcs between gold words.

    `sentences` has the gold sentences of each kind, `words` the gold words concerned, `extra` the
    number of system words that go with it and that gold does not have. `causes` counts what
    keeps sentences from being trees. `heads` are positions in the gold sentence; a word without one is
    its own.
    """

    sentences: dict[str, Mask]
    words: dict[str, Mask]
    extra: dict[str, int]
    counted: Mask
    aligned: Mask
    correct: Mask
    system: int
    causes: Counter[str]
    heads: Ints
    relations: list[str]
    gold: tuple[Ints, list[str], Ints]

    @property
    def read(self) -> float:
        """The share of gold words that could be read, in percent."""
        return 100 * int((self.aligned & self.counted).sum()) / max(int(self.counted.sum()), 1)


def find_failures(
    alignment: Alignment, convention: Convention, answer: "ModelAnswer | None" = None, numbers: Sequence[int] = ()
) -> AnswerFailures:
    """Name the failures of an answer by gold sentence and word.

    Parameters
    ----------
    alignment
        The loose alignment.
    convention
        Which words count, and how relations are compared.
    answer, numbers
        How the answer was read, and the number in it of each system sentence.
    """
    gold, system = alignment.gold.treebank, alignment.system.treebank
    correct = correct_words(alignment, convention)
    partner, size = alignment.to_system, len(gold)
    aligned = partner >= 0
    sentence_of = gold.sentence_of
    reached = np.bincount(sentence_of[aligned], minlength=size) > 0
    words = {kind: np.zeros(gold.n_words, bool) for kind in KINDS}
    sentences = {kind: np.zeros(size, bool) for kind in KINDS}
    extra = dict.fromkeys(KINDS, 0)
    theirs = np.unique(np.stack([sentence_of[aligned], system.sentence_of[partner[aligned]]], axis=1), axis=0)
    home: dict[int, int] = {}
    for ours, its in theirs.tolist():
        home.setdefault(its, ours)
    sentences[UNREADABLE] = _unreadable(gold, reached, home, answer, list(numbers) or list(range(len(system))))
    sentences[MISSING] = ~reached & ~sentences[UNREADABLE]
    for kind in (UNREADABLE, MISSING):
        words[kind] = sentences[kind][sentence_of] & ~aligned
    _name_gaps(alignment, reached[sentence_of], correct.system, words, extra)
    above = gold.parents
    for kind in (CHANGED, MISALIGNED):  # nothing can be right below a word that is not there
        words[kind] |= (above >= 0) & words[kind][above] & reached[sentence_of]
    words[CHANGED][_changed_forms(alignment)] = True
    crossing = np.zeros(size, bool)
    for side in (0, 1):
        values, counts = np.unique(theirs[:, side], return_counts=True)
        several = np.isin(theirs[:, side], values[counts > 1])
        crossing[theirs[several, 0]] = True
    words[MISALIGNED] |= crossing[sentence_of]
    codes, names = system.codes("deprel")
    unknown = np.array([universal_relation(name) not in _RELATIONS for name in names] or [False])[codes]
    words[UNKNOWN][aligned] = unknown[partner[aligned]]
    broken, causes = _broken(system)
    words[NO_TREE][aligned] = broken[partner[aligned]]
    for kind in (CHANGED, MISALIGNED, UNKNOWN, NO_TREE):
        sentences[kind] = np.bincount(sentence_of[words[kind]], minlength=size) > 0
    if extra[ADDED]:
        spare = alignment.system_sentence[alignment.to_gold < 0]
        sentences[ADDED][spare[spare < size]] = True
    heads, relations = _projected(alignment)
    truth = gold.head, gold["deprel"].to_list(), gold.offsets
    return AnswerFailures(
        sentences, {kind: mask & correct.gold for kind, mask in words.items()}, extra, correct.gold, aligned,
        correct.relations, int(correct.system.sum()), causes, heads, relations, truth,
    )  # fmt: skip


def _unreadable(
    gold: Treebank, reached: Mask, home: Mapping[int, int], answer: "ModelAnswer | None", numbers: Sequence[int]
) -> Mask:
    """Return gold sentences in whose place is something that could not be read."""
    found = np.zeros(len(gold), bool)
    if answer is None or not answer.unread:
        return found
    before = {number: home[place] for place, number in enumerate(numbers) if place in home}
    parts = []
    for part in answer.unread:
        if part.inside:
            if part.sentence in before:
                found[before[part.sentence]] = True
            continue
        last = max((number for number in before if number < part.sentence), default=-1)
        parts.append((before.get(last, -1), part.text.lower()))
    lost = np.flatnonzero(~reached).tolist()
    offsets, forms = gold.offsets.tolist(), gold["form"].to_list() if lost else []
    used: set[int] = set()
    for number in lost:
        own = {form.lower() for form in forms[offsets[number] : offsets[number + 1]] if len(form) > 1}
        shares = [sum(form in text for form in own) / max(len(own), 1) for _, text in parts]
        best = int(np.argmax(shares)) if shares else -1
        following = [
            i for i, (after, _) in enumerate(parts) if i not in used and reached[max(after, 0) + 1 : number].sum() == 0
        ]
        following = [i for i in following if parts[i][0] < number]
        if best >= 0 and shares[best] > 0.5:
            found[number] = True
            used.add(best)
        elif following:
            found[number] = True
            used.add(following[0])
    return found


def _token_spans(treebank: Treebank) -> tuple[bytes, Ints, Ints]:
    """Return a treebank's characters, and where the token of each word starts and ends in them."""
    own = segmentation(treebank)
    return own.text.tobytes(), own.starts, own.ends


def _name_gaps(
    alignment: Alignment, reached: Mask, counted: Mask, words: dict[str, Mask], extra: dict[str, int]
) -> None:
    """Say of words without a partner whether their characters are there, in other tokens."""
    texts = [_token_spans(side.treebank) for side in (alignment.gold, alignment.system)]
    pairs = [(int(g), int(s)) for g, s in enumerate(alignment.to_system.tolist()) if s >= 0]
    rising = [(-1, -1)]
    for g, s in pairs:
        if s > rising[-1][1]:
            rising.append((g, s))
    rising.append((alignment.gold.treebank.n_words, alignment.system.treebank.n_words))
    for (g, s), (g_end, s_end) in pairwise(rising):
        ours = [i for i in range(g + 1, g_end) if alignment.to_system[i] < 0 and reached[i]]
        theirs = [j for j in range(s + 1, s_end) if alignment.to_gold[j] < 0]
        if not ours and not theirs:
            continue
        same = bool(ours and theirs) and _text_of(texts[0], ours) == _text_of(texts[1], theirs)
        kind = MISALIGNED if same else CHANGED if ours else ADDED
        words[kind][ours] = True
        extra[kind] += int(counted[theirs].sum())


def _text_of(side: tuple[bytes, Ints, Ints], words: Sequence[int]) -> bytes:
    text, starts, ends = side
    return text[int(starts[words[0]]) : int(ends[words[-1]])]


def _broken(system: Treebank) -> tuple[Mask, Counter[str]]:
    """Return the words that keep sentences from being trees, and why, by sentence."""
    size = system.n_words
    parents = np.append(np.where(system.head == 0, size, system.parents), size)
    alone = parents[:-1] == np.arange(size)
    roots = np.bincount(system.sentence_of[system.head == 0], minlength=len(system))
    several = (roots > 1)[system.sentence_of] & (system.head == 0)
    reach = parents.copy()
    for _ in range(max(int(system.lengths.max(initial=1)).bit_length(), 1)):
        reach = reach[reach]
    # What does not reach the root is on a cycle or below it; attached to itself means no head.
    lost = reach[:-1] != size
    circle = lost & ~alone[np.minimum(reach[:-1], size - 1)] if size else lost
    causes: Counter[str] = Counter()
    for name, mask in (("cycle", circle), ("several roots", several), ("no head in the sentence", alone)):
        if number := len(np.unique(system.sentence_of[mask])):
            causes[name] = number
    return circle | several | alone, causes


def _projected(alignment: Alignment) -> tuple[Ints, list[str]]:
    """Return the system's arcs between gold words; a word without one is its own head."""
    gold, system = alignment.gold.treebank, alignment.system.treebank
    own = (np.arange(gold.n_words) - gold.offsets[:-1][gold.sentence_of] + 1).astype(np.int32)
    heads, partner = own.copy(), alignment.to_system
    has = np.flatnonzero(partner >= 0)
    above = system.parents[partner[has]]
    rooted = system.head[partner[has]] == 0
    target = np.where(above >= 0, alignment.to_gold[above], -1) if len(has) else above
    inside = (target >= 0) & (gold.sentence_of[np.maximum(target, 0)] == gold.sentence_of[has]) & ~rooted
    heads[has[rooted]] = 0
    heads[has[inside]] = target[inside] - gold.offsets[:-1][gold.sentence_of[has[inside]]] + 1
    names = system["deprel"].to_list()
    relations = [names[s] if s >= 0 else "_" for s in partner.tolist()]
    return heads, relations


def _changed_forms(alignment: Alignment) -> Ints:
    """Return gold words whose partner has other characters, as exact alignment compares them."""
    gold, system = alignment.gold.treebank, alignment.system.treebank
    ours = np.flatnonzero(alignment.to_system >= 0)
    theirs = alignment.to_system[ours]
    columns = gold.codes("form"), system.codes("form")
    (a, b), _ = joint_codes(*columns, without_spaces)
    (a_lower, b_lower), _ = joint_codes(*columns, lambda form: without_spaces(form).lower())
    inside = (gold.multiword[ours] >= 0) | (system.multiword[theirs] >= 0)
    differ = np.where(inside, a_lower[ours] != b_lower[theirs], a[ours] != b[theirs])
    return np.asarray(ours[differ], np.int32)


def text_changes(alignment: Alignment) -> TextChanges:
    """Return how the system's text differs from gold.

    As in exact alignment, spaces are ignored, and inside multiword tokens case is ignored. A
    multiword token is a form, too.
    """
    gold, system = alignment.gold.treebank, alignment.system.treebank
    ours = _changed_forms(alignment)
    forms = Counter(
        (gold.field(gold.rows[g], _FORM), system.field(system.rows[s], _FORM))
        for g, s in zip(ours.tolist(), alignment.to_system[ours].tolist(), strict=True)
    )
    tokens, others = (_multiword_forms(side) for side in (alignment.gold, alignment.system))
    forms.update(
        (tokens[span], others[span])
        for span in tokens.keys() & others.keys()
        if without_spaces(tokens[span]) != without_spaces(others[span])
    )
    lost, added = (int((to < 0).sum()) for to in (alignment.to_system, alignment.to_gold))
    return TextChanges(forms, lost, added, gold.n_words, system.n_words)


def _multiword_forms(side: Side) -> dict[tuple[int, int], str]:
    """Return the forms of multiword tokens by the span of characters that they cover."""
    treebank = side.treebank
    places = np.flatnonzero(treebank.kinds[side.token_rows] == _MULTIWORD)
    starts, ends = side.token_starts[places].tolist(), side.token_ends[places].tolist()
    forms = [treebank.field(row, _FORM) for row in side.token_rows[places].tolist()]
    return dict(zip(zip(starts, ends, strict=True), forms, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Failures(RowsResult, kind="failures", unit="percent"):
    r"""What went wrong by kind, over the runs of each system, in percent.

    The part ``read`` is what could be read: its share of all words, and LAS on it. For each kind of
    failure there are the sentences and words concerned, LAS of these words, and LAS if only
    this were repaired: words that are correct stay so, and the others become correct as often as
    words without any failure are:

    .. math:: 100 \cdot 2 (c + r (w_k - c_k)) / (g + s - x_k + u_k)

    with :math:`w_k` words concerned (:math:`c_k` of them correct, :math:`u_k` not read), :math:`x_k`
    words in their place, and r the share of correct words without failures.
    """

    def shown(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of what happened."""
        return [row for row in self.rows if row["sentences"]]


def failure_rows(runs: Sequence[AnswerFailures]) -> Iterator[dict[str, Any]]:
    """Yield the rows of one system: all, what was read, and each kind of failure."""
    gold, correct, system = (sum(map(int, one)) for one in zip(
        *((run.counted.sum(), run.correct.sum(), run.system) for run in runs), strict=True))  # fmt: skip
    aligned = sum(int((run.aligned & run.counted).sum()) for run in runs)
    sentences = sum(len(run.sentences[MISSING]) for run in runs)
    clean = [run.counted & ~np.logical_or.reduce([*run.words.values()]) for run in runs]
    rate = _ratio(sum(int((run.correct & mask).sum()) for run, mask in zip(runs, clean, strict=True)),
                  sum(int(mask.sum()) for mask in clean))  # fmt: skip
    whole = {"sentences": sentences, "words": gold, "share": 100.0, "LAS": _percent(2 * correct, gold + system)}
    yield {"part": "all", **whole, "LAS_repaired": None}
    reached = sum(int((~run.sentences[MISSING] & ~run.sentences[UNREADABLE]).sum()) for run in runs)
    share = _percent(aligned, gold)
    yield {"part": "read", "sentences": reached, "words": aligned, "share": share,
           "LAS": _percent(correct, aligned), "LAS_repaired": None}  # fmt: skip
    for kind in KINDS:
        size, right, unread = (sum(map(int, one)) for one in zip(
            *((run.words[kind].sum(), (run.words[kind] & run.correct).sum(), (run.words[kind] & ~run.aligned).sum())
              for run in runs), strict=True))  # fmt: skip
        extra = sum(run.extra[kind] for run in runs)
        number = sum(int(run.sentences[kind].sum()) for run in runs)
        repaired = None
        if number and (rate is not None or not size):
            repaired = _percent(2 * (correct + (rate or 0) * (size - right)), gold + system - extra + unread)
        yield {"part": kind, "sentences": number, "words": size, "share": _percent(size, gold),
               "LAS": _percent(right, size), "LAS_repaired": repaired}  # fmt: skip


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _percent(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None


@dataclass(frozen=True, eq=False, repr=False)
class RunAgreement(RowsResult, kind="run agreement", unit="percent"):
    """How far the runs of a system agree: other samples of a model, temperatures or prompts.

    `agreement` is the mean share of gold words to which two runs give the same head and relation;
    `voted` is LAS of the trees with the most votes over runs. The best run was chosen by gold: it
    says what choosing could bring, not what the model reaches.
    """


def agreement_row(runs: Sequence[AnswerFailures], convention: Convention) -> dict[str, Any]:
    """Return the scores of several runs, of their vote, and their agreement."""
    from treegauge.treebanks.data.decoding import vote_heads, vote_relations

    normal = str if convention.subtypes else universal_relation
    heads = np.stack([run.heads for run in runs])
    labels = [[normal(one) for one in run.relations] for run in runs]
    truth, relations, offsets = runs[0].gold
    counted = runs[0].counted
    names = np.array(labels, dtype=object)
    same = [
        (heads[a] == heads[b]) & (names[a] == names[b]) & runs[a].aligned & runs[b].aligned
        for a, b in combinations(range(len(runs)), 2)
    ]
    weights = [1 - 1e-9 * i for i in range(len(runs))]
    chosen = vote_heads(heads, weights, offsets)
    voted = vote_relations(chosen, heads, labels, weights)
    right = (chosen == truth) & np.array([a == normal(b) for a, b in zip(voted, relations, strict=True)], bool)
    las = [_percent(2 * int(run.correct.sum()), int(run.counted.sum()) + run.system) or 0.0 for run in runs]
    words = int(counted.sum())
    return {
        "runs": len(runs), "read": float(np.mean([run.read for run in runs])), "mean": float(np.mean(las)),
        "worst": min(las), "best": max(las), "voted": _percent(int((right & counted).sum()), words),
        "agreement": _percent(float(np.mean([int((one & counted).sum()) for one in same])), words),
    }  # fmt: skip


def failure_tables(scores: "Scores", convention: Convention) -> "dict[str, Failures | RunAgreement]":
    """Return the table of failures of loosely aligned systems, and that of repeated runs."""
    rows: list[dict[str, Any]] = []
    repeated: list[dict[str, Any]] = []
    several = len(scores.treebanks) > 1
    for treebank, part in scores.treebanks.items():
        for one in part.systems:
            if not one.failures:
                continue
            about = ({"treebank": treebank} if several else {}) | {"system": one.system}
            rows += [about | row for row in failure_rows(one.failures)]
            if len(one.failures) > 1:
                repeated.append(about | agreement_row(one.failures, convention))
    tables: dict[str, Failures | RunAgreement] = {}
    if rows:
        tables["failures"] = Failures(rows, countersign(scores.signature, failures="LAS"))
    if repeated:
        tables["runs"] = RunAgreement(repeated, countersign(scores.signature, agreement="LAS"))
    return tables
