"""Words that meet conditions on gold and on every system, in their sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from treegauge.core.conditions import Condition, frame_where
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.classes.classification import FORMS, REGISTRY, classify
from treegauge.scoring.classes.confusion import joint_signature
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.correct_words import find_word_metric, metric_words
from treegauge.scoring.metrics.registry import metric_label
from treegauge.treebanks.data.columns import Treebank, concat
from treegauge.treebanks.data.relations import universal_relation

Runs = Mapping[str, Sequence[Sequence[Alignment]]]
#: Sentences that are drawn at a time.
SHOWN = 10
_GOLD = ("treebank", "sentence", "sent_id", "word", "form", "lemma", "upos", "relation", "deprel", "head")


@dataclass(frozen=True, eq=False)
class FoundWords(Result, kind="found words"):
    """Words that meet all conditions; as text, their gold trees with what each system says."""

    words: "pl.DataFrame" = field(repr=False)
    golds: tuple[Treebank, ...] = field(repr=False)
    systems: tuple[str, ...]
    skip: int
    several: bool
    signature: str
    own_formats: ClassVar[tuple[str, ...]] = ("conllu",)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per word: its gold analysis and, for each system, right or wrong and its analysis."""
        return self.words.drop("home") if len(self.golds) > 1 else self.words.drop("home", "treebank")

    def sentences(self) -> list[tuple[int, int, list[dict[str, Any]]]]:
        """Return each sentence with a word that was found: number of the treebank, place, rows."""
        groups: dict[tuple[int, int], list[dict[str, Any]]] = {}
        for row in self.words.iter_rows(named=True):
            groups.setdefault((row["home"], row["sentence"] - 1), []).append(row)
        return [(*place, rows) for place, rows in groups.items()]

    def to_conllu(self) -> str:
        """Return the gold sentences as CoNLL-U; MISC has the head and relation of wrong systems.

        ``Wrong=A:3:obj,B:other:obl`` says that A attaches the word to word 3 as obj, and B to a
        word that gold does not have; ``C:none`` that C has no such word.
        """
        pieces = []
        for home, sentence, rows in self.sentences():
            one = self.golds[home].take([sentence])
            misc = ["" if cell == "_" else cell for cell in one["misc"].to_list()]
            for row in rows:
                marks = ",".join(self._mark(row, name) for name in self.systems if row[name] != "right")
                added = f"Wrong={marks}" if marks else "Found=Yes"
                misc[row["word"] - 1] = "|".join(filter(None, (misc[row["word"] - 1], added)))
            pieces.append(one.with_columns({"misc": [cell or "_" for cell in misc]}))
        return concat(pieces).to_bytes().decode() if pieces else ""

    @staticmethod
    def _mark(row: Mapping[str, Any], name: str) -> str:
        plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
        head, relation = row[f"{name} head"], row[f"{name} deprel"]
        return f"{plain}:none" if relation is None else f"{plain}:{'other' if head is None else head}:{relation}"

    def own_text(self) -> str:
        """Draw ten sentences, with each system's analysis of the words that were found."""
        found = self.sentences()
        shown = found[self.skip : self.skip + SHOWN]
        drawn = []
        for home, place, rows in shown:
            sentence = self.golds[home][place]
            where = f"{self.golds[home].name} " if len(self.golds) > 1 else ""
            lines = [f"# {where}{sentence.id or place + 1}: {sentence.text}", str(sentence)]
            for row in rows:
                lines.append(f"  {row['word']} {row['form']}: {row['deprel']} of {_form(sentence, row['head'])}")
                lines += [f"    {self._said(row, name, sentence)}" for name in self.systems]
            drawn.append("\n".join(lines))
        number = f"{self.words.height:,} words in {len(found):,} sentences"
        if not found:
            number = "no word meets all conditions"
        elif shown:
            last = self.skip + len(shown)
            more = f"; the next: --skip {last}" if last < len(found) else ""
            number += f"; sentences {self.skip + 1} to {last} are shown{more}"
        if self.several:
            number += "\nwrong: in at least half of the runs of a system; the answer is that of the first such run"
        return "\n\n".join([*drawn, f"{number}\n{self.signature}"])

    @staticmethod
    def _said(row: Mapping[str, Any], name: str, sentence: Any) -> str:
        if row[name] == "missing":
            return f"{name}: no such word"
        head = _form(sentence, row[f"{name} head"])
        return f"{name}: {row[name]}, {row[f'{name} deprel']} of {head}"


def _form(sentence: Any, head: int | None) -> str:
    if not head:
        return "ROOT" if head == 0 else "a word that gold does not have"
    return str(sentence.form[head - 1])


def find_words(
    runs: Runs, where: Sequence[str], *, metric: str = "LAS", convention: Convention = OFFICIAL, skip: int = 0
) -> FoundWords:
    """Return the words that meet all conditions.

    Parameters
    ----------
    runs
        The systems, each with its runs on every treebank, aligned with the same gold. A word is
        wrong if it is in at least half of the runs; the answer of the first run that agrees with
        that is shown.
    where
        Conditions on columns: the name of a system (``right``, ``wrong`` or ``missing``) and its
        ``NAME relation``, ``NAME deprel`` and ``NAME head``; ``wrong`` and ``right``, the numbers of systems;
        ``form``, ``lemma``, ``words`` (of the sentence), ``arc`` (distance to the head in words);
        any class of :func:`treegauge.scoring.classes.classification.classify`.
    metric, convention
        What counts as correct.
    skip
        Sentences that are not drawn, from the first.

    Examples
    --------
    >>> import treegauge as tg
    >>> gold = tg.synthetic(30, seed=1)
    >>> flat = gold.with_columns({"deprel": ["dep"] * gold.n_words})
    >>> cells = tg.breakdown(gold, {"A": flat, "B": gold}, where=["A=wrong", "B=right", "upos=NOUN"])
    >>> found = cells.attached["found"].table
    >>> found["A deprel"].unique().to_list(), found["upos"].unique().to_list(), found.height > 10
    (['dep'], ['NOUN'], True)
    """
    first = next(iter(runs.values()))
    golds = tuple(on[0].gold.treebank for on in first)
    if len({len(gold) and gold.mark for gold in golds}) < len(golds):
        raise TreegaugeError("where: a treebank was given twice")
    frames = [_words({name: own[home] for name, own in runs.items()}, home, where, metric, convention)
              for home in range(len(golds))]  # fmt: skip
    frame = frame_where(pl.concat(frames, how="diagonal_relaxed"), "the words", where, empty=True)
    label = metric_label(find_word_metric(metric), convention)
    signed = joint_signature([on[0] for on in first]) | {"system": "+".join(runs)}
    signature = sign(m=label, where=" and ".join(where), **signed, **convention.signed)
    columns = [
        "home",
        *_GOLD,
        *(f"{name}{column}" for name in runs for column in ("", " relation", " deprel", " head")),
    ]
    several = any(len(on) > 1 for own in runs.values() for on in own)
    return FoundWords(frame.select(columns), golds, tuple(runs), skip, several, signature)


def _words(
    runs: Mapping[str, Sequence[Alignment]], home: int, where: Sequence[str], metric: str, convention: Convention
) -> "pl.DataFrame":
    """Return one row per gold word that counts, with the columns that are shown or asked for."""
    gold = next(iter(runs.values()))[0].gold.treebank
    positions = gold.positions
    data: dict[str, Any] = {
        "home": np.full(gold.n_words, home), "treebank": [gold.name] * gold.n_words,
        "sentence": gold.sentence_of + 1, "word": positions,
        "sent_id": np.array(gold.metadata("sent_id"), object)[gold.sentence_of].tolist(),
        **{name: gold[name].to_list() for name in ("form", "lemma", "upos")},
        "relation": list(map(universal_relation, gold["deprel"].to_list())), "deprel": gold["deprel"].to_list(),
        "head": gold.head,
        "words": gold.lengths[gold.sentence_of],
        "arc": np.where(gold.head > 0, np.abs(gold.head - positions), 0),
    }  # fmt: skip
    counting, wrong = np.ones(gold.n_words, bool), np.zeros(gold.n_words, np.int64)
    for name in {*data, "wrong", "right"} & {*runs}:
        raise TreegaugeError(f"where: a system is called {name!r}, as a column is; give it another NAME=PATH")
    for name, own in runs.items():
        counted = [metric_words(metric, one, convention) for one in own]
        counting = counted[0].gold
        errors = np.stack([~one.correct for one in counted])
        missed = errors.mean(axis=0) >= 0.5
        wrong += missed
        # The answer that is shown is that of the first run that agrees with the verdict.
        data |= _system(name, own, missed, np.argmax(errors == missed, axis=0))
    data |= {"wrong": wrong, "right": len(runs) - wrong}
    for name in _classes(where, data):
        classes = classify(gold, name.split(","))
        data[name] = np.array(classes.names, object)[classes.codes].tolist()
    return pl.DataFrame(data).filter(counting)


def _system(name: str, runs: Sequence[Alignment], missed: Any, shown: Any) -> dict[str, Any]:
    """Return the columns of a system: for each word, the answer of the run whose number is in `shown`."""
    answers = [_answers(alignment) for alignment in runs]
    said = [answers[run][word] for word, run in enumerate(shown.tolist())]
    status = [
        "missing" if not there else "wrong" if no else "right" for (there, _, _), no in zip(said, missed, strict=True)
    ]
    return {
        name: status,
        f"{name} relation": [universal_relation(relation) if relation else None for _, relation, _ in said],
        f"{name} deprel": [relation for _, relation, _ in said],
        f"{name} head": [head for _, _, head in said],
    }


def _answers(alignment: Alignment) -> list[tuple[bool, str | None, int | None]]:
    """Return for each gold word whether a run has it, its relation, and its head as a gold word if it is one."""
    theirs, partner, gold = alignment.system.treebank, alignment.to_system, alignment.gold.treebank
    there, place = partner >= 0, np.maximum(partner, 0)
    parents = theirs.parents[place] if theirs.n_words else place
    backward = np.full(theirs.n_words + 1, -1)
    backward[partner[there]] = np.flatnonzero(there)
    heads = np.where(parents < 0, 0, np.where(backward[parents] >= 0, gold.positions[backward[parents]], -1))
    relations = theirs["deprel"].to_list()
    return [
        (True, relations[one], head if head >= 0 else None) if one >= 0 else (False, None, None)
        for one, head in zip(partner.tolist(), heads.tolist(), strict=True)
    ]


def _classes(where: Sequence[str], known: Mapping[str, Any]) -> list[str]:
    """Return the classes of words that conditions name; a condition on anything else is refused."""
    choices = [*known, *(name for name in REGISTRY if name not in known), "feats:NAME", *FORMS]
    kinds = tuple(choice.partition(":")[0] + ":" for choice in ("feats:NAME", "misc:NAME", *FORMS[1:]))
    named = []
    for text in where:
        plain = text.split("=")[0].rstrip("!<> ").strip()
        is_class = plain.startswith(kinds) or all(part in REGISTRY or part == "doc" for part in plain.split(","))
        if is_class and plain not in known:
            named.append(plain)
        else:
            Condition.parse(text, choices)
    return named
