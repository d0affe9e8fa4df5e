"""Profiles of treebanks: facts aspect by aspect instead of a star rating, and cards that show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from treegauge.auditing.audit import number_with_noun
from treegauge.auditing.leaks import Overlap, overlaps, split_texts
from treegauge.auditing.near_duplicates import Texts, find_matches
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.reading import read_saved
from treegauge.core.result import Result, sign
from treegauge.core.tables import Table, make_table, markdown
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from treegauge.treebanks.sources.inputs import Input
    from treegauge.validation.report import ValidationReport

State = Literal["good", "fair", "poor", "plain"]
LAYERS = ("lemma", "upos", "xpos", "feats", "deprel", "deps")
LEVEL = 3
"""The level of UD validation in a profile, the highest without language data."""
_MEASURES = ("mean_length", "nonprojective_sentences", "mdd", "oov", "edv")
_SHARES = frozenset({"nonprojective_sentences", "oov"})


@dataclass(frozen=True)
class Aspect:
    """One aspect of a treebank: numbers by name, a sentence, and a short label.

    Unknown numbers are None, and shares in percent; `short` is a word or two for the page, and `state` says
    whether this is good, fair or poor for users of the treebank, ``plain`` for plain facts.
    """

    values: Mapping[str, Any]
    text: str
    short: str
    state: State = "plain"


@dataclass(frozen=True)
class Profile:
    """Facts about one treebank, aspect by aspect."""

    treebank: str
    aspects: Mapping[str, Aspect]
    digests: Sequence[str] = field(default=(), repr=False)


def profile(
    one: "Input",
    splits: Mapping[str, Treebank] = MappingProxyType({}),
    *,
    against: Sequence[Texts] = (),
    similarity: float = 0.7,
    checked: "ValidationReport | None" = None,
) -> Profile:
    """Return the profile of a treebank on disk.

    `splits` and `checked` are its sets and the result of ``treegauge check`` on its files, if known; `against` is
    training data in which to look for its sentences, `similarity` the least one of near-duplicates.
    """
    from treegauge.validation.check import check

    if one.given is not None or not one.files:
        raise TreegaugeError(f"{one.name}: a card needs a treebank folder or file, not an object")
    splits = splits or {name: one.read(name) for name in one.splits} or {"all": one.read()}
    aspects = {
        "size": size(splits),
        "layers": layers(splits),
        "validity": validity(checked or check(*one.files, ud_level=LEVEL), sum(map(len, splits.values()))),
        "consistency": consistency(splits),
        "leaks": leaks(splits, against, similarity),
        "difficulty": _difficulty(splits),
    }
    return Profile(one.name, aspects, [treebank.digest for treebank in splits.values()])


def size(splits: Mapping[str, Treebank]) -> Aspect:
    """Return the number of sentences and words, in all and by split."""
    sentences = {name: len(treebank) for name, treebank in splits.items()}
    words = {name: treebank.n_words for name, treebank in splits.items()}
    values = {"sentences": sum(sentences.values()), "words": sum(words.values())}
    parts = ", ".join(f"{name} {number:,}" for name, number in words.items())
    text = f"{values['sentences']:,} sentences, {values['words']:,} words ({parts})"
    by_split = {f"{name}_words": number for name, number in words.items()}
    return Aspect(values | by_split, text, f"{_thousands(values['words'])} words")


def _thousands(number: int) -> str:
    return f"{number / 1000:.0f}k" if number >= 10_000 else f"{number:,}"


def layers(splits: Mapping[str, Treebank]) -> Aspect:
    """Return the share of words that have each layer of annotation."""
    total = sum(treebank.n_words for treebank in splits.values())
    shares = {}
    for layer in LAYERS:
        filled = 0
        for treebank in splits.values():
            codes, values = treebank.codes(layer)
            gap = values.index("_") if "_" in values else -1
            filled += int(np.count_nonzero(codes != gap))
        shares[layer] = 100 * filled / total if total else 0.0
    names = [layer.upper() for layer in LAYERS if shares[layer] > 0]
    lacking = [layer.upper() for layer in LAYERS if shares[layer] == 0]
    text = ", ".join(names) or "none"
    text += f"; no {', '.join(lacking)}" if lacking else ""
    return Aspect(shares, text, f"{len(names)} of {len(LAYERS)} layers")


def validity(report: "ValidationReport", sentences: int) -> Aspect:
    """Return the result of ``treegauge check`` on the files of a treebank."""
    broken = {(p.file, p.sent_id or p.line) for p in report.problems if p.severity == "error"}
    valid = 100 * max(0.0, 1 - len(broken) / sentences) if sentences else None
    values = {"level": LEVEL, "errors": report.errors, "warnings": report.warnings, "valid_sentences": valid}
    errors = number_with_noun(report.errors, "error")
    numbers = f"{errors}, {number_with_noun(report.warnings, 'warning')}"
    valid_share = f"; {valid:.1f} % of sentences have no error" if report.errors and valid else ""
    state: State = "poor" if report.errors else "good"
    short = errors if report.errors else "valid"
    return Aspect(values, f"level {LEVEL}: {numbers}{valid_share}", short, state)


def consistency(splits: Mapping[str, Treebank]) -> Aspect:
    """Return the number of words attached differently from the same words elsewhere."""
    from treegauge.auditing.inconsistencies import count_inconsistencies

    inconsistent = count_inconsistencies(splits)
    words = sum(treebank.n_words for treebank in splits.values())
    share = 100 * inconsistent / words if words else 0.0
    text = f"{share:.2f} % of words attached unlike the same words elsewhere ({inconsistent:,})"
    return Aspect({"words": inconsistent, "share": share}, text, f"{share:.1f} % inconsistent")


def leaks(splits: Mapping[str, Treebank], against: Sequence[Texts], similarity: float) -> Aspect:
    """Return the overlap of dev and test sets with training data, and duplicates."""
    parts = split_texts(splits)
    training = range(len(parts), len(parts) + len(against))
    matches = find_matches([*parts, *against], similarity=similarity, training=training)
    all_overlaps = list(overlaps(matches, training))
    of_treebank = [overlap for overlap in all_overlaps if any(overlap.part is part for part in parts)]
    seen = [overlap for overlap in of_treebank if overlap.also_in is not overlap.part]
    into = [overlap for overlap in seen if _is_training(overlap, against)]
    repeats = sum(overlap.same + overlap.near for overlap in of_treebank if overlap.also_in is overlap.part)
    trained = "train" in splits or bool(against)
    tested = [name for name in splits if name != "train"]
    values: dict[str, Any] = {f"{name}_in_train": 0.0 for name in tested if "train" in splits}
    values |= {f"{overlap.part.part}_in_{overlap.also_in.part}": 100 * overlap.share for overlap in into}
    total = sum(map(len, splits.values()))
    values["duplicates"] = 100 * repeats / total if total else 0.0
    texts = [
        f"{100 * overlap.share:.1f} % of {overlap.part.part} also in {overlap.also_in.part} "
        f"({overlap.same} the same, {overlap.near} nearly)"
        for overlap in into
    ]
    if not texts:
        texts = ["no sentence of the dev or test set is in the training set"]
        if not trained or not tested:
            texts = ["no training and test set to compare"]
    texts.append(f"{values['duplicates']:.1f} % repeat an earlier sentence of their set")
    worst = max((100 * overlap.share for overlap in into), default=0.0)
    state: State = "fair" if into else "good" if trained and tested else "plain"
    if any(overlap.level == "error" for overlap in into):
        state = "poor"
    return Aspect(values, "; ".join(texts), f"{worst:.1f} % leaks", state)


def _is_training(overlap: Overlap, against: Sequence[Texts]) -> bool:
    """Whether an overlap is between test data and training data."""
    is_given = any(overlap.also_in is each for each in against)
    return overlap.part.split != "train" and (is_given or overlap.also_in.split == "train")


def _difficulty(splits: Mapping[str, Treebank]) -> Aspect:
    """Return simple measures of the parsing difficulty of a treebank."""
    from treegauge.measures.registry import MissingError, measures

    largest = max(splits.values(), key=lambda one: one.n_words)
    test = next((splits[name] for name in ("test", "dev") if name in splits), None)
    known = measures()
    values: dict[str, float | None] = {}
    for name in _MEASURES:
        measure = known[name]
        values[name] = None
        if measure.pair and ("train" not in splits or test is None or not len(test)):
            continue
        try:
            value = measure(splits["train"], test) if measure.pair and test else measure(largest)
        except MissingError:
            continue
        values[name] = float(value) * (100 if name in _SHARES else 1)  # type: ignore[arg-type]
    words = {
        "mean_length": "{:.1f} words per sentence", "mdd": "mean dependency distance {:.1f}",
        "nonprojective_sentences": "{:.1f} % of trees non-projective",
        "oov": "{:.1f} % of test words new", "edv": "EDV {:.2f}",
    }  # fmt: skip
    texts = [words[name].format(value) for name, value in values.items() if value is not None]
    short = "" if values["oov"] is None else f"{values['oov']:.0f} % new words"
    return Aspect(values, ", ".join(texts) or "not measured", short)


_SHOWN = {
    "sentences": ("size", "sentences"), "words": ("size", "words"),
    "errors": ("validity", "errors"), "valid": ("validity", "valid_sentences"),
    "inconsistent": ("consistency", "share"),
    "test in train": ("leaks", "test_in_train"), "duplicates": ("leaks", "duplicates"),
    "new words": ("difficulty", "oov"), "non-projective": ("difficulty", "nonprojective_sentences"),
    "EDV": ("difficulty", "edv"),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Cards(Result, kind="cards", unit="percent"):
    """The profiles of treebanks: a card for one, a table for several."""

    profiles: tuple[Profile, ...]
    signature: str
    digits: ClassVar[Any] = {"valid": 1, "test in train": 1, "duplicates": 1, "new words": 1, "non-projective": 1}

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank, one column per number; shares are in percent."""
        rows = [
            {"treebank": profile.treebank}
            | {
                f"{aspect}_{name}": value
                for aspect, what in profile.aspects.items()
                for name, value in what.values.items()
            }
            for profile in self.profiles
        ]
        columns = dict.fromkeys(name for row in rows for name in row)
        return make_table([{name: row.get(name) for name in columns} for row in rows])

    def shown(self) -> Table:
        """Return the main numbers for comparison."""
        return [
            {"treebank": profile.treebank}
            | {title: profile.aspects[aspect].values.get(name) for title, (aspect, name) in _SHOWN.items()}
            for profile in self.profiles
        ]

    def json_fields(self) -> dict[str, Any]:
        """Return the treebanks with their aspects: numbers and text."""
        return {
            "rows": [
                {"treebank": profile.treebank}
                | {
                    name: {"text": what.text, "short": what.short, "state": what.state, **what.values}
                    for name, what in profile.aspects.items()
                }
                for profile in self.profiles
            ]
        }

    def own_text(self) -> str:
        """Return the card of one treebank, or the table of several."""
        if len(self.profiles) != 1:
            return super().own_text()
        (profile,) = self.profiles
        width = max(map(len, profile.aspects))
        lines = [f"  {name:{width}}  {what.text}" for name, what in profile.aspects.items()]
        return "\n".join([profile.treebank, *lines, self.signature])

    def own_markdown(self) -> str:
        """Return the card of one treebank under its name, or the table of several."""
        if len(self.profiles) != 1:
            return super().own_markdown()
        (profile,) = self.profiles
        rows = [f"| {name} | {markdown(what.text)} |" for name, what in profile.aspects.items()]
        return "\n".join(
            [f"### {markdown(profile.treebank)}", "", "| | |", "|---|---|", *rows, "", f"`{self.signature}`"]
        )


def read_cards(path: Source) -> Cards:
    """Read the cards that ``audit --only card -o FILE.json`` saved."""

    def made(content: dict[str, Any]) -> Cards:
        profiles = []
        for row in content["rows"]:
            aspects = {name: dict(what) for name, what in row.items() if name != "treebank"}
            words = {name: [what.pop(word) for word in ("text", "short", "state")] for name, what in aspects.items()}
            profiles.append(Profile(row["treebank"], {name: Aspect(aspects[name], *words[name]) for name in aspects}))
        return Cards(tuple(profiles), content["signature"])

    return read_saved(path, Cards.kind, "treegauge audit TREEBANK --only card --out FILE.json", made)


def make_cards(
    subjects: "Sequence[Input | Mapping[str, Treebank]]", *, against: "Sequence[Texts]", similarity: float
) -> Cards:
    """Return the cards of treebank folders and files; see :func:`treegauge.auditing.profile.profile`."""
    inputs = [subject for subject in subjects if not isinstance(subject, Mapping)]
    if len(inputs) < len(subjects):
        raise TreegaugeError("a card needs treebanks on disk; got splits by name")
    profiles = tuple(profile(treebank, against=against, similarity=similarity) for treebank in inputs)
    marks = "+".join(f"{profile.treebank}#{''.join(d[:3] for d in profile.digests)}" for profile in profiles)
    return Cards(profiles, sign(audit="card", treebanks=marks, similarity=similarity))
