"""What the published scores show: writes docs/published_study.md and its figures.

    python -m studies.published.study

All numbers are computed from the packaged table (`tg.data.published()`), without treebanks.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

import treegauge as tg
from tools.docs import tables
from treegauge.ranking.certificate import Certificate
from treegauge.reporting.figures.drawing import save
from treegauge.reporting.figures.theme import SIDE, Spec, category, chart, faceted, mark, quantity, themed
from treegauge.treebanks.sources.languages import kin_of

ROOT = Path(__file__).parents[2]
PAGE, IMAGES = ROOT / "docs" / "published_study.md", ROOT / "docs" / "images" / "published"
RAW, GOLD, TAGGED = "raw text", "gold tokens", "gold tokens and tags"
UD25 = ("Trankit large", "Trankit base", "Stanza 1.1.1", "UDPipe 1")
OF_25 = ["release=2.5", f"input={RAW}"]
RELEASES = ("2.6", "2.10", "2.12", "2.15", "2.17")


@cache
def scores(metric: str = "LAS") -> pl.DataFrame:
    """Return the scores of a metric, a parser's version in its name where it has several."""
    frame = tg.data.published().filter(metric=metric)
    name = pl.when(pl.col("system") == "Stanza").then(pl.col("system") + " " + pl.col("version"))
    return frame.with_columns(parser=name.otherwise("system"))


def wide(where: pl.Expr, on: str, names: Sequence[str]) -> pl.DataFrame:
    """Return one row per treebank that all of them have, one column each."""
    frame = scores().filter(where, pl.col(on).is_in(list(names)))
    return frame.pivot(on, index="treebank", values="score").drop_nulls().select("treebank", *names).sort("treebank")


def certified(frame: pl.DataFrame, better: str, worse: str) -> Certificate:
    """Return the evidence that one column is above another."""
    return tg.certify(frame.select("treebank", better, worse), claim=f"{better} > {worse}")


def claim_rows(frame: pl.DataFrame, pairs: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return mean differences with intervals for other treebanks and for one of a new family."""
    rows = []
    for better, worse in pairs:
        found = certified(frame, better, worse).to_dict()
        spread, new = found["difference"], found["new_treebank"]
        rows.append(
            {"difference": f"{better} - {worse}", "treebanks": found["treebanks"], "mean": spread["value"],
             "other treebanks": ends(spread), "one new family": ends(new),
             "ahead": f"{found['ahead']} of {found['treebanks']}", "p": found["tests"].get(found["primary_test"])}
        )  # fmt: skip
    return rows


def ends(found: dict[str, Any]) -> str:
    """Return an interval as text."""
    return f"{found['low']:+.2f} to {found['high']:+.2f}"


def table(rows: Sequence[dict[str, Any]], digits: int = 2) -> str:
    """Return rows as a Markdown table."""

    def cell(name: str, value: Any) -> str:
        if name == "p" and isinstance(value, float):
            return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
        return f"{value:.{digits}f}" if isinstance(value, float) else str(value)

    head = list(rows[0])
    lines = [head, ["---"] * len(head), *([cell(name, row[name]) for name in head] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def ranks() -> list[dict[str, Any]]:
    """Return ranks on UD 2.5, their sets, and the score to expect of one treebank of a new genus."""
    how: dict[str, Any] = {"where": OF_25, "missing": "drop-treebank"}
    found = tg.rank("published", subsets=100_000, **how).table
    new = {row["system"]: row for row in tg.rank.compare("published", test="mixed", **how).table.to_dicts()}
    return [
        {"parser": row["system"], "LAS": row["score"], "95 % set of ranks": f"{row['rank_low']} to {row['rank_high']}",
         "ranks on subsets of ten": f"{row['best']:g} to {row['worst']:g}",
         "LAS on one treebank of a new genus": f"{new[row['system']]['low']:.0f} to {new[row['system']]['high']:.0f}"}
        for row in found.to_dicts()
    ]  # fmt: skip


def over_releases() -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """Return changes of UDPipe 2 from release to release, on the treebanks that both have."""
    rows, points = [], []
    for before, after in pairwise(RELEASES):
        own = (pl.col("system") == "UDPipe 2") & (pl.col("input") == RAW)
        both = wide(own, "release", (before, after))
        each = [scores().filter(own, release=one) for one in (before, after)]
        added = each[1].filter(~pl.col("treebank").is_in(each[0]["treebank"].implode()))
        change = both[after] - both[before]
        found = certified(both.rename({before: f"UD {before}", after: f"UD {after}"}), f"UD {after}", f"UD {before}")
        rows.append(
            {"releases": f"{before} to {after}", "treebanks": f"{each[0].height} to {each[1].height}",
             "mean of all": f"{mean(each[0]['score']):.2f} to {mean(each[1]['score']):.2f}",
             "in both": both.height, "their change": mean(change),
             "other treebanks": ends(found.to_dict()["difference"]),
             "moved by a point or more": int((change.abs() >= 1).sum()),
             "mean of added": mean(added["score"])}
        )  # fmt: skip
        points += [{"releases": f"{before} to {after}", "change": value} for value in change.to_list()]
    return rows, pl.DataFrame(points)


def mean(values: pl.Series) -> float:
    """Return the mean of numbers."""
    return float(values.to_numpy().mean())


def treebank_or_parser() -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """Set changes of one parser's scores next to those of another over about the same releases.

    A change of the treebank moves all parsers, a change of the parser only its own scores.
    """
    raw = pl.col("input") == RAW
    stanza = wide(raw, "parser", ("Stanza 1.1.1", "Stanza 1.5.1"))
    udpipe = wide(raw & (pl.col("system") == "UDPipe 2"), "release", ("2.6", "2.12"))
    old = wide(raw & (pl.col("system") == "UDPipe 1"), "release", ("2.0", "2.5"))
    frame = stanza.select("treebank", stanza=pl.col("Stanza 1.5.1") - pl.col("Stanza 1.1.1")).join(
        udpipe.select("treebank", udpipe=pl.col("2.12") - pl.col("2.6")), on="treebank"
    )
    found = tg.analyse(frame, "udpipe", "stanza", resamples=0).table.row(0, named=True)
    rows = [
        {"change": name, "treebanks": len(values), "mean": mean(values), "sd": float(values.to_numpy().std(ddof=1)),
         "moved by a point or more": int((values.abs() >= 1).sum())}
        for name, values in (
            ("UDPipe 1, UD 2.0 to 2.5", old["2.5"] - old["2.0"]), ("Stanza, UD 2.5 to 2.12", frame["stanza"]),
            ("UDPipe 2, UD 2.6 to 2.12", frame["udpipe"]))
    ]  # fmt: skip
    rho = {"rho": found["r"], "low": found["low"], "high": found["high"], "p": found["p_value"], "n": found["n"]}
    return [*rows, rho], frame


def by_size() -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """Return LAS by training words of UD 2.5: means of thirds, and the slope per doubling."""
    frame = wide((pl.col("release") == "2.5") & (pl.col("input") == RAW), "parser", UD25)
    sizes = tg.data.ud25().select("treebank", words="train_words")
    frame = frame.join(sizes, on="treebank").sort("words").with_row_index("place")
    third = (3 * pl.col("place") // frame.height).alias("third")
    frame = frame.with_columns(third)
    rows = []
    for number, some in frame.partition_by("third", as_dict=True).items():
        words = some["words"].to_list()
        row: dict[str, Any] = {"training words": f"{words[0]:,} to {words[-1]:,}", "treebanks": some.height}
        rows.append((number, row | {name: mean(some[name]) for name in UD25}))
    slopes: dict[str, Any] = {"training words": "per doubling", "treebanks": frame.height}
    for name in UD25:
        model = tg.analyse(frame.select("treebank", "words", las=name), "las", on="log(words)")
        fitted = model.table.row(0, named=True)
        slopes[name] = 0.6931471805599453 * fitted["coefficient"]
    return [*(row for _, row in sorted(rows, key=lambda one: one[0])), slopes], frame


def by_genus() -> list[dict[str, Any]]:
    """Return the mean scores of genera with three treebanks or more, the widest gap first."""
    frame = wide((pl.col("release") == "2.5") & (pl.col("input") == RAW), "parser", UD25)
    frame = frame.with_columns(genus=pl.Series([kin_of(name, "genus") or name for name in frame["treebank"]]))
    found = frame.group_by("genus").agg(pl.len().alias("treebanks"), *(pl.col(name).mean() for name in UD25))
    gap = (pl.col("Trankit large") - pl.col("UDPipe 1")).alias("Trankit large - UDPipe 1")
    rows = found.filter(pl.col("treebanks") > 2).with_columns(gap).sort(gap, descending=True).to_dicts()
    return list(rows)


def by_input() -> list[dict[str, Any]]:
    """Return what raw text costs, and what gold tags give, in mean LAS over the same treebanks."""
    rows = []
    kept = scores().group_by("parser", "release").agg(pl.col("input").n_unique()).filter(pl.col("input") > 1)
    for parser, release in sorted(kept.select("parser", "release").rows(), key=lambda row: (row[0], float_key(row[1]))):
        own = (pl.col("parser") == parser) & (pl.col("release") == release)
        names = [one for one in (RAW, GOLD, TAGGED) if scores().filter(own, input=one).height]
        frame = wide(own, "input", names)
        row: dict[str, Any] = {"parser": parser, "UD": release, "treebanks": frame.height}
        row |= {one: mean(frame[one]) if one in names else "" for one in (RAW, GOLD, TAGGED)}
        rows.append(row | {"raw text costs": mean(frame[GOLD] - frame[RAW]) if {RAW, GOLD} <= set(names) else ""})
    return rows


def float_key(release: str) -> tuple[int, ...]:
    """Return the parts of a release as numbers."""
    return tuple(map(int, release.split(".")))


def size_figure(frame: pl.DataFrame) -> Spec:
    """Draw LAS by training words, a panel per parser."""
    rows = frame.unpivot(list(UD25), index=["treebank", "words"], variable_name="parser", value_name="LAS").to_dicts()
    scale = {"type": "log", "nice": False}
    place = {"x": quantity("words", "training words", scale=scale, axis={"format": "~s"}), "y": quantity("LAS", "LAS")}
    inner = {"width": SIDE, "height": SIDE, **mark("point", place, filled=True, opacity=0.7)}
    return themed(faceted(rows, "parser", 4, inner, sort=list(UD25)), "LAS on UD 2.5, raw text", "", False)


def change_figure(points: pl.DataFrame) -> Spec:
    """Draw the changes of UDPipe 2 from release to release, one tick per treebank."""
    place = {"x": quantity("change", "change in LAS"), "y": category("releases", sort=None)}
    spec = chart(points.to_dicts(), 3 * SIDE, {"step": 34}, **mark("tick", place, opacity=0.6))
    return themed(spec, "UDPipe 2: change in LAS of treebanks that both releases have", "", False)


def both_figure(frame: pl.DataFrame) -> Spec:
    """Draw the changes of two parsers on the same treebanks."""
    x, y = quantity("stanza", "Stanza, UD 2.5 to 2.12"), quantity("udpipe", "UDPipe 2, UD 2.6 to 2.12")
    spec = chart(frame.to_dicts(), 2 * SIDE, 1.5 * SIDE, **mark("point", {"x": x, "y": y}, filled=True))
    return themed(spec, "Change in LAS of two parsers on the same treebanks", "", False)


def text() -> tuple[str, dict[str, Spec]]:
    """Return the page and its figures."""
    releases, points = over_releases()
    (*changes, rho), pairs = treebank_or_parser()
    sizes, sized = by_size()
    of_25 = wide((pl.col("release") == "2.5") & (pl.col("input") == RAW), "parser", UD25)
    of_212 = wide((pl.col("release") == "2.12") & (pl.col("input") == RAW), "parser", ("UDPipe 2", "Stanza 1.5.1"))
    claims = claim_rows(of_25, pairwise(UD25))
    two = claim_rows(of_212, [("UDPipe 2", "Stanza 1.5.1")])
    linked = (
        f"rho {rho['rho']:.2f} over {rho['n']} treebanks (95 % interval {rho['low']:.2f} to {rho['high']:.2f}, genera "
    )
    linked += f"as units; p = {rho['p']:.4f})"
    page = HEAD.format(scores=tg.data.published().height)
    page += f"## UD 2.5 from raw text\n\n{table(ranks())}\n{table(claims)}\n{NEW}\n"
    page += f"## UD 2.12 from raw text\n\n{table(two)}\n"
    page += f"## UDPipe 2 over five releases: parser or treebank?\n\n{table(releases)}\n{CHANGES}\n"
    page += f"![Changes of UDPipe 2](images/published/changes.svg)\n\n{table(changes)}\n{BOTH.format(rho=linked)}\n"
    page += "![Changes of two parsers](images/published/two_parsers.svg)\n\n"
    page += f"## By size\n\n{table(sizes)}\n{SIZES}\n![LAS by training words](images/published/size.svg)\n\n"
    page += f"## By genus\n\nUD 2.5, raw text, genera with three treebanks or more.\n\n{table(by_genus())}\n"
    page += f"## By input\n\n{table(by_input())}\n{INPUT}"
    return page, {"changes": change_figure(points), "two_parsers": both_figure(pairs), "size": size_figure(sized)}


HEAD = """# What the published scores show

{scores:,} scores per treebank that makers of parsers published ([`published`](howto/published.md)), compared only on
the treebanks that all compared parsers have, within one release and one kind of input. Made by
`python -m studies.published.study` from the packaged table alone. Intervals of means and p-values take genera as
units, as `certify` does.

"""
NEW = """*Other treebanks*: 95 % interval of the mean difference over other treebanks of these families. *One new
family*: for a single treebank of a family that is not here; where it includes 0, the order of the two is open there.
Stanza 1.0 and 1.1.1 have the same scores on the treebanks that both have.
"""
CHANGES = """The mean over all treebanks says little about the parser: it changes with the treebanks that are added, too
(last column). *Their change* is on the treebanks that both releases have.
"""
BOTH = """UDPipe 1 is one program trained again, so its changes come from the treebanks and from chance. If changes come
from the treebank, two parsers change alike: on the same treebanks, the changes of UDPipe 2 and of Stanza correlate with
{rho}.
"""
SIZES = """The last row is the slope of a linear model of LAS on the logarithm of training words.
"""
INPUT = """Gold tokens and tags are other conditions, not other parsers: a score from raw text cannot be compared with
one from gold tokens.
"""


def main() -> None:
    """Write the page and the figures."""
    page, figures = text()
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, spec in figures.items():
        save(spec, IMAGES / f"{name}.svg")
    tables.write(PAGE.resolve(), page)
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
