"""Cards: the profiles of treebanks as text, data and Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.auditing.profile import Aspect, Profile, profile
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.reading import read_saved
from treegauge.core.result import Result, sign
from treegauge.core.tables import Table, make_table, markdown
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from treegauge.auditing.near_duplicates import Texts
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.sources.inputs import Input


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
