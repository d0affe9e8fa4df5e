"""The verb ``published``: what makers of parsers published for a treebank."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from treegauge import data
from treegauge.core.conditions import frame_where
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import RowsResult, sign
from treegauge.core.verbs import verb
from treegauge.treebanks.sources.files import split_of
from treegauge.treebanks.sources.languages import (
    language_of,
    near,
    own_name,
    release_key,
    release_of,
    take_apart,
    treebank_key,
)

_APART = ("release", "input", "system", "version")
_SEGMENTED = ("Tokens", "Sentences", "Words")
_TAGGED = ("UPOS", "XPOS", "UFeats")


@dataclass(frozen=True, eq=False, repr=False)
class PublishedScores(RowsResult, kind="published scores"):
    """Published scores, newest release first, then by kind of input; one column per metric."""

    def own_text(self) -> str:
        """Return the table, and what it is not."""
        return (
            f"{super().own_text()}\nFigures of the parsers' makers; only rows of one release and input are comparable."
        )


@verb
def published(
    treebanks: str | Sequence[str] = (), *, metric: Sequence[str] = ("LAS",), where: Sequence[str] = ()
) -> PublishedScores:
    """Show what others have on a treebank: the scores that makers of parsers published.

    UDPipe 1 and 2, Stanza, Trankit, UDify and LIMA on UD 1.2 to 2.17. The newest release comes
    first; within one, raw text, gold tokens, and gold tokens with gold tags are kept apart, because
    their scores are not comparable. Without a treebank, each line is the mean over all treebanks.

    Parameters
    ----------
    treebanks
        Names, codes or languages, such as UD_Greek-GDT, el_gdt, Greek, or Greek-GDT@2.5 for one
        release.
    metric
        The metrics to show, such as LAS, UAS, CLAS, MLAS, BLEX, UPOS, Words.
    where
        A condition on a column, such as release=2.5, 'input=raw text' or 'system=UDPipe*'.

    Examples
    --------
    >>> import treegauge as tg
    >>> rows = tg.published("UD_Greek-GDT", where=["release=2.5", "input=raw text"]).rows
    >>> rows[0]["system"], rows[0]["LAS"]
    ('Trankit large', 93.87)
    """
    frame = data.published()
    known = {name.casefold(): name for name in frame["metric"].unique().sort()}
    for name in metric:
        if name.casefold() not in known:
            raise ChoiceError("metric", name, known.values())
    metrics = [known[name.casefold()] for name in metric]
    frame = frame_where(frame, "published", where).filter(pl.col("metric").is_in(metrics))
    named = [treebanks] if isinstance(treebanks, str) else list(treebanks)
    if named:
        frame = pl.concat([_of_treebank(frame, name) for name in named]).unique()
    if frame.is_empty():
        raise TreegaugeError(f"published: no score of {', '.join(metrics)} meets all conditions")
    apart = [*(["treebank"] if named else []), *_APART]
    wide = frame.group_by(*apart, "metric").agg(pl.col("score").mean(), pl.len().alias("treebanks"))
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in wide.iter_rows(named=True):
        key = tuple(row[name] for name in apart)
        rows.setdefault(key, {name: row[name] or "" for name in apart} | dict.fromkeys(metrics))[row["metric"]] = row[
            "score"
        ]
        if not named:
            rows[key]["treebanks"] = row["treebanks"]
    ordered = sorted(rows.values(), key=lambda row: _place(row, metrics[0]))
    signature = sign(
        v="published", m="+".join(metrics), treebanks="+".join(named) or "all", where=",".join(where) or None
    )
    return PublishedScores(rows=ordered, signature=signature)


def _place(row: dict[str, Any], metric: str) -> tuple[Any, ...]:
    """Return the sort key of a row: treebank, newest release, raw text first, best score."""
    newest = tuple(-part for part in release_key(row["release"]))
    inputs = ("raw text", "gold tokens", "gold tokens and tags")
    return (
        row.get("treebank", ""),
        newest,
        inputs.index(row["input"]),
        -(row[metric] or 0.0),
        row["system"],
        row["version"],
    )


def _of_treebank(frame: "pl.DataFrame", wanted: str) -> "pl.DataFrame":
    """Return the scores on the treebank of this name or code, or on all of a language."""
    name, release = take_apart(wanted)
    names = data.published()["treebank"].unique().to_list()
    key = treebank_key(name)
    found = [one for one in names if treebank_key(one) == key] or [
        one for one in names if language_of(one).name.casefold() == name.replace("_", " ").casefold()
    ]
    if not found:
        raise ChoiceError("treebank in the published scores:", name, near(name, names) or sorted(names))
    frame = frame.filter(pl.col("treebank").is_in(found))
    return frame if release is None else frame_where(frame, f"published scores on {name}", [f"release={release}"])


class PublishedTest(NamedTuple):
    """The treebanks of one release that are scored, by the names of gold, and the scores published for them."""

    release: str
    names: Mapping[str, str]
    frame: "pl.DataFrame"

    def systems(self, given: str, metric: str) -> "tuple[dict[str, list[float]], list[str]]":
        """Return the scores of systems with this input on all treebanks, in order, and the systems without all."""
        found: dict[str, dict[str, float]] = {}
        rows = self.frame.filter(pl.col("metric").str.to_lowercase() == metric.casefold(), input=given)
        for row in rows.iter_rows(named=True):
            label = f"{row['system']} {row['version'] or ''}".strip()
            found.setdefault(label, {})[row["treebank"]] = row["score"]
        wanted = list(self.names.values())
        whole = {label: [by[name] for name in wanted] for label, by in found.items() if by.keys() >= {*wanted}}
        return whole, [label for label in found if label not in whole]


def published_test(golds: Mapping[str, Any]) -> PublishedTest:
    """Return what is published on gold files, which must be test sets in folders of one UD release.

    A file is known by the names of its folders only, such as ``r2.5/UD_Greek-GDT``.
    """
    frame = data.published()
    known = {(treebank_key(name), number): name for name, number in frame.select("treebank", "release").unique().rows()}
    names, releases = {}, set()
    for code, gold in golds.items():
        path = Path(gold).resolve() if isinstance(gold, str | PathLike) else Path()
        folder, release = own_name(path.parent.name)
        release = release or release_of(path.parent.parent.name)
        name = known.get((treebank_key(folder), release or ""))
        if split_of(path) != "test" or release is None or name is None:
            raise TreegaugeError(
                f"published scores: found gold {gold if isinstance(gold, str | PathLike) else code}, expected the test "
                "set of a treebank in a UD release that has some, such as r2.5/UD_Greek-GDT/el_gdt-ud-test.conllu"
            )
        names[code] = name
        releases.add(release)
    if len(releases) > 1:
        found = ", ".join(sorted(releases, key=release_key))
        raise TreegaugeError(f"published scores: found gold of releases {found}, expected one")
    (release,) = releases
    return PublishedTest(release, names, frame.filter(pl.col("treebank").is_in([*names.values()]), release=release))


def input_of(metrics: Iterable[Mapping[str, float]]) -> str:
    """Return what a parser read, from F1 of its outputs: gold tags and tokens are those that have no error.

    Examples
    --------
    >>> segmented = {"Tokens": 100.0, "Sentences": 100.0, "Words": 100.0, "XPOS": 100.0, "UFeats": 100.0}
    >>> input_of([segmented | {"UPOS": 95.0}]), input_of([segmented | {"UPOS": 100.0}])
    ('gold tokens', 'gold tokens and tags')
    >>> input_of([segmented | {"Sentences": 99.0, "UPOS": 95.0}])
    'raw text'
    """
    parts = list(metrics)

    def perfect(names: Sequence[str]) -> bool:
        return all(part[name] == 100 for part in parts for name in names)

    if not perfect(_SEGMENTED):
        return "raw text"
    return "gold tokens and tags" if perfect(_TAGGED) else "gold tokens"


@dataclass(frozen=True, eq=False, repr=False)
class PublishedContext(RowsResult, kind="published context", unit="percent"):
    """What others published on the treebanks that were scored, for the kinds of input that systems had."""

    said: tuple[str, ...] = ()

    def own_text(self) -> str:
        """Return one line per kind of input."""
        return "\n".join(self.said)


def published_context(golds: Mapping[str, Any], inputs: Mapping[str, str], metric: str) -> PublishedContext:
    """Return the scores of others on gold; `inputs` has what each system read."""
    test = published_test(golds)
    place = next(iter(test.names.values())) if len(golds) == 1 else f"the mean of these {len(golds)} treebanks"
    rows: list[dict[str, Any]] = []
    said = []
    for given in dict.fromkeys(inputs.values()):
        systems, partial = test.systems(given, metric)
        means = {label: sum(scores) / len(scores) for label, scores in systems.items()}
        best = sorted(means, key=lambda label: -means[label])
        rows += [{"release": test.release, "input": given, "system": label, metric: means[label]} for label in best]
        ours = [system for system, own in inputs.items() if own == given]
        like = f" (as {', '.join(ours)})" if len(ours) < len(inputs) else ""
        line = f"{metric} of others on {place}, UD {test.release}, {given}{like}: "
        line += ", ".join(f"{label} {means[label]:.2f}" for label in best) or "none published"
        if partial:
            line += f" (not on all treebanks: {', '.join(partial)})"
        said.append(f"{line}; figures of their makers")
    signature = sign(v="published", m=metric, release=test.release, treebanks="+".join(test.names.values()))
    return PublishedContext(rows, signature, said=tuple(said))
