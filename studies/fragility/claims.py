"""Claims of Fragility about ranks and subsets, checked on all subsets.

Every row has the figures that decide it; probabilities over all subsets are exact unless the row
says that they were sampled.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from studies.fragility.exp1 import ahead, all_subsets, difficulty, named
from studies.fragility.metrics import LEMMAS, by_metric, by_system, by_systems, inverted, lead
from studies.fragility.outliers import by_class, chances, tested
from studies.fragility.ranks import counted, million, rank_sets, searched, task

Row = tuple[str, str, str, str]
"""Section, claim, figures, whether it holds."""


def claims() -> pl.DataFrame:
    """Return all claims."""
    rows = [*_first(), *_ranks(), *_orders(), *_classes(), *_metrics()]
    return pl.DataFrame(rows, schema=["section", "claim", "figures", "holds"], orient="row")


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _first() -> Iterator[Row]:
    table = named("las")
    gain = dict(table.select("subset", "E(tb-FG19, gb-DM17)").iter_rows())
    ends = ["gb-DM17", "tb-FG19", "sl-S+19", "E(sl-S+19, gb-DM17)", "E(sl-S+19, tb-FG19)"]
    order = [table.sort(name)["subset"].to_list() for name in ends]
    yield (
        "4.3",
        "Scores, and errors saved against the control parser, are highest on Easy, lowest on D21",
        f"first and last of 8 in {sum(o[-1] == 'Easy' and o[0] == 'D21' for o in order)} of 5 columns (LAS)",
        _yes(all(o[-1] == "Easy" and o[0] == "D21" for o in order)),
    )
    tb = ("Ma18", "SA17", "Ku19", "Easy")
    wrong = [name for name, value in gain.items() if (value < 0) != (name in tb)]
    listed = ", ".join(f"{name} {gain[name]:+.2f}" for name in wrong)
    yield (
        "4.3",
        "tb-FG19 makes fewer errors than gb-DM17 on Ma18, SA17, Ku19 and Easy, more on the others",
        f"other sign from the scores at hand: {listed or 'none'}",
        f"for {len(gain) - len(wrong)} of {len(gain)}",
    )
    row = table.filter(subset="Ku19").row(0, named=True)
    yield (
        "4.3",
        "On Ku19 gb-DM17 has the higher average LAS and yet the worse error reduction",
        f"average {row['gb-DM17']:.2f} against {row['tb-FG19']:.2f}, reduction {gain['Ku19']:+.2f}",
        _yes(row["gb-DM17"] > row["tb-FG19"] and gain["Ku19"] < 0),
    )
    close = all_subsets().filter(size=10, pair="gb-DM17 > tb-FG19", metric="las")
    average, reduced = close["ahead"].to_list()
    gained = ahead("las")
    low, high = gained.interval()
    yield (
        "4.3",
        "Neither of gb-DM17 and tb-FG19 is clearly ahead",
        f"gb-DM17 is ahead in {average:.2%} of all {close['subsets'][0]:,} subsets of 10 of the 47 "
        f"treebanks by average LAS, in {reduced:.2%} by mean error reduction; by "
        f"{gained.value:.2f} LAS ({low:.2f} to {high:.2f}, p = {gained.p_value():.3f}, genera as "
        "clusters)",
        _yes(float(gained.p_value()) >= 0.05),
    )
    found = difficulty().filter(metric="las")
    rho = {(row["easy by"], row["error reduction"]): row for row in found.iter_rows(named=True)}
    one = rho["the three parsers", "E(tb-FG19, gb-DM17)"]
    yield (
        "4.3",
        "gb-DM17 gains on tb-FG19 where parsing is harder",
        f"Spearman of mean LAS and its error reduction over 47 treebanks {one['spearman']:.2f} "
        f"({one['low']:.2f} to {one['high']:.2f}), p = {one['p']:.3f}, genera as clusters",
        "yes" if one["p"] < 0.05 else "not shown",
    )
    two = [rho["the three parsers", f"E(sl-S+19, {parser})"] for parser in ("gb-DM17", "tb-FG19")]
    apart = [rho["CoNLL 2018", f"E(sl-S+19, {parser})"] for parser in ("gb-DM17", "tb-FG19")]
    yield (
        "4.3",
        "Both save more of the control parser's errors where parsing is easier",
        " and ".join(f"{row['spearman']:.2f} (p = {row['p']:.3f})" for row in two)
        + f" over 47 treebanks, genera as clusters; {apart[0]['spearman']:.2f} and "
        f"{apart[1]['spearman']:.2f} where CoNLL 2018 says what is easy",
        "yes" if all(row["p"] < 0.05 and row["spearman"] > 0 for row in two) else "not shown",
    )


def _ranks() -> Iterator[Row]:
    exactly, sampled = counted("las"), million("las")
    total = exactly.subsets(10)
    means = dict(exactly.table.select("system", "mean").iter_rows())
    table = {row["system"]: row for row in sampled.table.iter_rows(named=True)}
    rivals = [system for system in task("las").systems if system != "HIT-SCIR"]
    losses = [exactly.count("HIT-SCIR", rival)[2] for rival in rivals]
    yield (
        "5.2",
        "HIT-SCIR is first on most subsets",
        f"on {2 - means['HIT-SCIR']:.2%} to {1 - max(losses) / total:.2%} of all; "
        f"sampled {sampled.agreement['top1'].item():.2%}",
        _yes(2 - means["HIT-SCIR"] > 0.5),
    )
    worst = searched("las", "HIT-SCIR", "worst")
    yield (
        "5.2",
        "HIT-SCIR may fall to rank 6",
        f"to rank {worst.rank:g}, on {' '.join(worst.subset)}; surely not below {worst.limit:g}",
        "yes, and further" if worst.rank > 6 else "yes",
    )
    won, _, lost = exactly.count("TurkuNLP", "UDPipe Future")
    yield (
        "5.2",
        "UDPipe Future is second",
        f"mean rank {means['UDPipe Future']:.4f}, TurkuNLP {means['TurkuNLP']:.4f}; TurkuNLP is "
        f"ahead of it on {won / total:.2%} of all subsets, behind on {lost / total:.2%}",
        _yes(means["UDPipe Future"] < means["TurkuNLP"]) + ": only the medians are equal",
    )
    near = ("TurkuNLP", "LATTICE", "ICS PAS", "CEA LIST")
    listed = ", ".join(f"{name} {table[name]['q1']:g} to {table[name]['q3']:g}" for name in near)
    yield (
        "5.2",
        "The next four have boxes much like UDPipe Future's, 3 to 6",
        f"sampled quartiles: {listed}",
        "roughly",
    )
    order = exactly.table["system"].to_list()
    yield (
        "5.2",
        "Stanford is seventh, with half of its ranks between 3 and 9",
        f"place {order.index('Stanford') + 1} by exact mean rank, {means['Stanford']:.4f}; sampled "
        f"quartiles {table['Stanford']['q1']:g} and {table['Stanford']['q3']:g}",
        _yes(order.index("Stanford") == 6),
    )
    spread = float(np.mean([row["sd"] for row in table.values()]))
    ends = {name: [searched("las", name, end).rank for end in ("best", "worst")] for name in ("KParse", "Phoenix")}
    yield (
        "5.2",
        "KParse and Phoenix are stable too",
        f"sampled sd {table['KParse']['sd']:.2f} and {table['Phoenix']['sd']:.2f}, mean of all "
        f"systems {spread:.2f}; but some subsets place them from {ends['KParse'][0]:g} to "
        f"{ends['KParse'][1]:g} and from {ends['Phoenix'][0]:g} to {ends['Phoenix'][1]:g}",
        _yes(max(table[name]["sd"] for name in ends) < spread),
    )
    both = [(searched("las", name, end), table[name][end]) for name in table for end in ("best", "worst")]
    further = sum(found.rank != rank for found, rank in both)
    yield (
        "Table 3",
        "Its best and worst ranks are the extremes",
        f"a search finds a more extreme rank in {further} of {len(both)} cases; "
        f"{sum(found.exact for found, _ in both)} are proved to be the extreme over all subsets",
        _yes(further == 0),
    )
    wins = [exactly.count("SParse", other)[0] for other in task("las").systems if other != "SParse"]
    yield (
        "Table 3",
        "SParse is last on every subset",
        f"it is ahead of a system on {max(wins):,} to {sum(wins):,} of {total:,} subsets",
        _yes(sum(wins) == 0),
    )


def _orders() -> Iterator[Row]:
    exactly = counted("las")
    shares = inverted(exactly, exactly.board.systems)
    yield (
        "6 (iii)",
        "Subsets with another ranking are easy to find",
        f"{int((shares > 0).sum())} of {len(shares)} pairs change their order on some subset, "
        f"{int((shares > 0.1).sum())} on more than a tenth of all; a pair is out of order on "
        f"{shares.mean():.2%} on average",
        _yes(bool((shares > 0.1).sum() > 25)),
    )
    ranks = exactly.board.ranking()
    order = [exactly.board.systems[i] for i in np.argsort(ranks, kind="stable")]
    next_ = np.array([inverted(exactly, pair)[0] for pair in pairwise(order)])
    yield (
        "6 (a)",
        "That one parser is more accurate than another is a weak claim on one subset",
        f"{int((next_ > 0.25).sum())} of 25 adjacent pairs in the full ranking swap ranks on more "
        f"than a quarter of all subsets, {int((next_ < 0.05).sum())} on less than a twentieth",
        _yes(bool((next_ > 0.25).mean() > 0.5)),
    )
    sets = rank_sets()
    wide = sets.filter(pl.col("highest") - pl.col("lowest") >= 5).height
    second = sets.row(1, named=True)
    yield (
        "6 (a)",
        "Nor do all 82 treebanks settle the ranks (ours)",
        f"95 % confidence sets of ranks, genera as clusters: {wide} of {sets.height} systems may "
        f"have six ranks or more; {second['system']}, second, ranks {second['lowest']} to "
        f"{second['highest']}",
        "yes",
    )


def _classes() -> Iterator[Row]:
    for row in chances().iter_rows(named=True):
        yield (
            "5.2",
            f"The chance of {row['at least']} or more {row['class']} treebanks of ten is {row['printed']}",
            f"{row['ours']:.5f}; {row['more than']:.6f} is the chance of more than {row['at least']}",
            "no",
        )
    ranks = {row["system"]: row for row in by_class().iter_rows(named=True)}

    def mean_ranks(system: str, one: str, other: str) -> tuple[str, float]:
        a, b = ranks[system][one], ranks[system][other]
        return f"mean rank {a:.2f} over all subsets of {one}, {b:.2f} of {other} treebanks", b - a

    big, low, slavic, rest = "big (61)", "low-resource (21)", "Slavic (17)", "not Slavic (65)"
    text, gap = mean_ranks("Stanford", big, low)
    row = tested("Stanford", "worst", "resource not big")
    holds = gap > 1 and row["p_corrected"] <= 0.05
    text += f"; {_permuted(row, 'worst')}"
    yield "5.2", "Stanford suffers where data are scarce", text, _yes(holds)
    text, gap = mean_ranks("UDPipe Future", big, low)
    others = [abs(row[low] - row[big]) for row in ranks.values()]
    row = tested("UDPipe Future", "worst", "resource not big")
    text += f"; the median change of a system is {np.median(others):.2f}; {_permuted(row, 'worst')}"
    holds = row["p_corrected"] > 0.05 and gap <= np.median(others)
    yield "5.2", "UDPipe Future's weakness on scarce data is not clear", text, _yes(holds)
    text, _ = mean_ranks("SLT-Interactions", slavic, rest)
    row = tested("SLT-Interactions", "best", "genus Slavic")
    text += f"; {_permuted(row, 'best')}"
    shown = "yes" if row["p_corrected"] <= 0.05 else "not shown"
    yield "5.2", "SLT-Interactions is better on Slavic languages", text, shown
    text, _ = mean_ranks("SLT-Interactions", big, low)
    row = tested("SLT-Interactions", "worst", "resource not big")
    text += f"; {_permuted(row, 'worst')}"
    shown = "no" if row["p_corrected"] <= 0.05 else "not shown otherwise"
    yield "5.2", "SLT-Interactions does not depend on how much data there is", text, shown


def _permuted(row: dict[str, Any], end: str) -> str:
    return (
        f"{end} ranks: {row['found']:.0%} of members instead of {row['expected']:.0%}, "
        f"p = {row['p_value']:.4f}, corrected for all classes {row['p_corrected']:.2f}, "
        "labels of treebanks permuted"
    )


def _metrics() -> Iterator[Row]:
    table = by_metric()
    first = table.row(0, named=True)
    las = table.filter(metric="las").row(0, named=True)
    yield (
        "5.2",
        "BLEX gives the most stable rankings",
        f"least stable order of pairs by {table['metric'][-1]}, most by {first['metric']}: a pair "
        f"is out of order on {first['inverted']:.2%} of all subsets, by LAS on "
        f"{las['inverted']:.2%}; the difference is {100 * lead().value:.2f} points "
        f"({100 * lead().interval()[0]:.2f} to {100 * lead().interval()[1]:.2f}, jackknife over "
        "genera)",
        _yes(first["metric"] == "blex" and float(lead().p_value()) < 0.05),
    )
    some = by_systems().filter(systems="22 with lemmas").sort("inverted")
    pairs = ", ".join(f"{m} {v:.2%}" for m, v in some.select("metric", "inverted").iter_rows())
    yield (
        "(ours)",
        "BLEX is the most stable also among the 22 systems that gave lemmas",
        f"out of order: {pairs}",
        "yes" if some["metric"][0] == "blex" else f"no: {some['metric'][0]}",
    )
    top = by_systems().filter(systems="first ten by LAS with lemmas").sort("inverted")
    pairs = ", ".join(f"{m} {v:.2%}" for m, v in top.select("metric", "inverted").iter_rows())
    yield (
        "5.2",
        "BLEX is more stable above all for the best systems",
        f"first ten by LAS with lemmas, out of order: {pairs}",
        _yes(top["metric"][0] == "blex"),
    )
    each = by_system()
    less = each.filter(pl.col("blex") < pl.col("las"))
    lemmas = [frame.filter(pl.col("lemmas") > LEMMAS).height for frame in (less, each)]
    yield (
        "5.2",
        "Standard deviations of ranks are smaller by BLEX than by LAS",
        f"for {less.height} of {each.height} systems, {lemmas[0]} of {lemmas[1]} with lemmas (sampled)",
        "for most",
    )
    blex = table.filter(metric="blex").row(0, named=True)
    yield (
        "(ours)",
        "The winner, too, is more certain by BLEX",
        f"the leader over all treebanks leads on {blex['same leader']:.1%} of subsets by BLEX, on "
        f"{las['same leader']:.1%} by LAS (sampled)",
        _yes(blex["same leader"] > las["same leader"]),
    )
