"""The verb ``published``: what makers of parsers published for a treebank."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treegauge import data
from treegauge.core.conditions import frame_where
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import RowsResult, sign
from treegauge.core.verbs import verb
from treegauge.treebanks.sources.languages import language_of, near, release_key, take_apart, treebank_key

_APART = ("release", "input", "system", "version")


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
