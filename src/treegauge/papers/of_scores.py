"""The Fragility and Content papers on one's own data: studies of scores and of output."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import note, progress
from treegauge.core.tables import make_table
from treegauge.measures.measure import measure
from treegauge.measures.structure import CLASSES, CONTENT, FUNCTION
from treegauge.papers.study import Draft, Rows, StudyChoices
from treegauge.ranking.certify import certify
from treegauge.ranking.leaderboard import Leaderboard, metric_name
from treegauge.ranking.reading import leaderboard_of
from treegauge.ranking.recommend import recommend
from treegauge.ranking.stability.named_subsets import average_subsets, own_subsets, subset_columns
from treegauge.ranking.stability.outliers import Outliers, explain_outliers
from treegauge.ranking.stability.sampler import usual_size
from treegauge.ranking.stability.win_rates import Stability, sample_count, stability
from treegauge.reporting.figures.analysis import scatter
from treegauge.reporting.figures.ranking import rank_boxes
from treegauge.reporting.figures.theme import SIDE, Spec, category, chart, mark, quantity, themed
from treegauge.scoring.score import score
from treegauge.scoring.suite import Suite
from treegauge.statistics.analyse import CorrelationMatrix, correlation_matrix
from treegauge.statistics.probabilities import cumulative_variance

EXPLAINED = 6
"""Systems whose best and worst ranks are explained: those whose ranks vary most."""
SMALLEST = 3
"""Treebanks with scores from which a named subset is averaged."""
SHOWN_SUBSETS = 10
"""Extreme subsets whose classes are averaged, as in the paper."""
STEADIER = ("BLEX", "MLAS", "CLAS", "UAS")
"""Metrics for the second ranking; the first one that the table has."""


def fragility_study(draft: Draft, inputs: Sequence[Any], choices: StudyChoices) -> None:
    """Make the tables and figures of the Fragility paper."""
    board = leaderboard_of(inputs, choices.reading)
    if len(board.systems) < 2:
        raise TreegaugeError(f"study fragility: found {', '.join(board.systems)} alone, expected two systems or more")
    size = usual_size(len(board.treebanks))
    draft.table("Table 1", f"{metric_name(board.metric)} on subsets that papers used, and error reductions",
                lambda: _on_subsets(board), key=["subset"])  # fmt: skip
    draft.skip("Table 2", "The same with gold tags", "run the study again on scores with gold tags (--where)")
    ranks: list[Stability] = []
    of = f"random subsets of {size} of {len(board.treebanks)} treebanks"

    def ranked(found: Leaderboard) -> Rows:
        with progress("subsets", sample_count(found, size, choices.subsets)) as task:
            made = stability(found, size=size, subsets=choices.subsets, seed=choices.seed, progress=task.advance)
        ranks.append(made)
        return _rank_rows(made)

    by = "Ranks of systems by {} over {}"
    draft.table("Table 3", by.format(metric_name(board.metric), of), lambda: ranked(board), key=["system"],
                notes=[f"{choices.subsets:,} subsets; the paper draws 1,000,000."])  # fmt: skip
    if not ranks:
        return
    draft.figure("Figure 1", "Ranks of Table 3", lambda: rank_boxes(ranks[0]))
    other = _second_board(inputs, choices)
    if other is None:
        for item in ("Table 4", "Figure 2"):
            draft.skip(item, "Ranks by a second metric", f"the table has none of {', '.join(STEADIER)} for all systems")
    else:
        draft.table("Table 4", f"Ranks by {metric_name(other.metric)} over {of}", lambda: ranked(other), key=["system"])
        draft.figure("Figure 2", "Ranks of Table 4", lambda: rank_boxes(ranks[1]))
    table = ranks[0].table.sort("sd", descending=True)
    explained = [explain_outliers(ranks[0], name, limit=SHOWN_SUBSETS) for name in table["system"][:EXPLAINED]]
    most = f"of the {len(explained)} systems whose ranks vary most"
    draft.table("Table 5", f"Subsets with the best and the worst rank {most}",
                lambda: [row for one in explained for row in _subsets(one)])  # fmt: skip
    draft.table("Table 6", f"Classes of treebanks in such subsets, {most}",
                lambda: [row for one in explained for row in _shares(one)], key=["system", "extreme"],
                notes=["Means over up to ten subsets; class: the one with the smallest p-value."])  # fmt: skip
    first, second = (board.systems[i] for i in board.by_mean()[:2])
    draft.table("Claim", "The evidence for the first rank", lambda: [{"evidence": str(certify(
        *inputs, claim=f"{first} > {second}", seed=choices.seed, **_reading(choices)))}])  # fmt: skip
    draft.table("Recommended subset", "Treebanks that rank the systems as all do", lambda: recommend(
        *inputs, size=min(size, 10), seed=choices.seed, repeats=2 if choices.quick else 10,
        **_reading(choices)))  # fmt: skip


def _reading(choices: StudyChoices) -> dict[str, Any]:
    """Return how scores are read, as keywords of verbs."""
    return dict(vars(choices.reading))


def _on_subsets(board: Leaderboard) -> Any:
    members = {
        name: codes for name, codes in own_subsets(()).items() if len(subset_columns(board, codes)[0]) >= SMALLEST
    }
    if not members:
        raise TreegaugeError(f"no named subset has scores for {SMALLEST} of its treebanks")
    best = [board.systems[i] for i in board.by_mean()]
    pairs = [*combinations(best[::-1], 2)] if len(best) <= 3 else [(name, best[0]) for name in best[1:4]]
    found = average_subsets(board, members, pairs=pairs)
    kept = {name for pair in pairs for name in pair} | set(best[:6])
    return [{key: value for key, value in row.items() if key not in board.systems or key in kept}
            for row in found.table.to_dicts()]  # fmt: skip


def _rank_rows(ranks: Stability) -> Rows:
    names = ["system", "score", "best", "worst", "mean", "median", "sd", "full"]
    names += [name for name in ("rank_low", "rank_high") if name in ranks.table.columns]
    return ranks.table.select(names).sort("median", "mean").to_dicts()


def _second_board(inputs: Sequence[Any], choices: StudyChoices) -> Leaderboard | None:
    for metric in STEADIER:
        if metric != choices.metric.upper():
            try:
                return leaderboard_of(inputs, replace(choices.reading, metric=metric))
            except TreegaugeError as error:
                note(f"no ranking by {metric}: {error}")
    return None


def _subsets(found: Outliers) -> Rows:
    rows = []
    for side in found.sides:
        described = found.describe(side.subsets[0])
        rows.append(
            {"system": found.system, "extreme": side.which, "rank": side.rank, "subsets": side.samples,
             "treebanks": " ".join(side.subsets[0]), "mean tokens": described["mean_tokens"],
             "over-represented": ", ".join(list(described["over"])[:3])}
        )  # fmt: skip
    return rows


def _shares(found: Outliers) -> Rows:
    board, rows = found.stability.board, []
    classes = {"low-resource": found.classes.get("resource not big"), "Slavic": found.classes.get("genus Slavic")}
    for side in found.sides:
        chosen = [[board.treebank(code) for code in subset] for subset in side.subsets]
        strongest = side.rows[0] if side.rows else None
        row: dict[str, Any] = {"system": found.system, "extreme": side.which}
        row["mean size (K)"] = None if side.mean_tokens is None else side.mean_tokens / 1000
        row |= {
            name: float(np.mean([mask[columns].mean() for columns in chosen]))
            for name, mask in classes.items() if mask is not None
        }  # fmt: skip
        row |= {"class": strongest["class"], "found": strongest["found"], "expected": strongest["expected"],
                "p_corrected": strongest["p_corrected"]} if strongest else {}  # fmt: skip
        rows.append(row)
    return rows


COLUMNS = {"F freq": "function", "C freq": "content", "WLAS": "WLAS", "LAS": "LAS", "C prec": "ContentLAS precision",
           "C rec": "ContentLAS recall", "F prec": "FunctionLAS precision", "F rec": "FunctionLAS recall"}  # fmt: skip
"""Columns of Table 3 by the paper's names."""
SCORED = ("LAS", "WLAS", "ContentLAS", "FunctionLAS")


def content_study(draft: Draft, inputs: Sequence[Any], choices: StudyChoices) -> None:
    """Make the tables and figures of the Content paper, from gold and the output of one system."""
    given = [choices.reading.gold, *inputs] if choices.reading.gold is not None else list(inputs)
    if len(given) != 2:
        raise TreegaugeError(f"study content: found {len(given)} inputs, expected GOLD and the output of one system")
    suite = score(*given, metric=SCORED, resamples=0, test="none", allow=("several-roots", "no-root", "cycle"))
    if not isinstance(suite, Suite) or len(suite.names) != 1:
        raise TreegaugeError("study content: expected a folder of gold treebanks and a folder of one system's output")
    gold = [_gold(given[0], name) for name in suite.treebanks]
    shares = measure(["words", *CLASSES, "sttr"], *gold, split="test").wide
    frame = _content_frame(suite, shares)
    draft.table("Table 1", "Treebanks and their size in words", lambda: frame.select("treebank", "words").to_dicts())
    draft.table("Table 2", "Function and content relations", lambda: [
        {"version": version, "function": " ".join(sorted(FUNCTION[version])),
         "content": " ".join(sorted(CONTENT[version]))} for version in FUNCTION])  # fmt: skip
    matrix: list[CorrelationMatrix] = []
    draft.table("Table 3", "Pearson's r over treebanks of shares and scores", lambda: _pairs(frame, matrix),
                key=["x", "y"], notes=["Treebanks count as independent, as in the paper."])  # fmt: skip
    if matrix:
        from treegauge.reporting.figures.analysis import matrix as draw_matrix

        draft.figure("Table 3, drawn", "Pearson's r", lambda: draw_matrix(matrix[0]))
    draft.table("Scores", "Scores of each treebank in percent", lambda: frame.sort("LAS", descending=True).to_dicts())
    draft.table("Figure 2", "Word dependency entropy, mean over treebanks", lambda: _average_wde(gold))
    draft.figure("Figure 3", "Type/token ratio and share of content relations",
                 lambda: scatter(frame, "sttr", ["content"]))  # fmt: skip
    draft.figure("Figure 4", "LAS, precision and recall of content relations", lambda: _lines(
        frame.sort("LAS", descending=True).to_dicts(), "treebank", "percent",
        ("LAS", "WLAS", "ContentLAS precision", "ContentLAS recall")))  # fmt: skip
    draft.figure("Figure 5", "Variance over the best treebanks", lambda: _variance(frame))


def _gold(source: Any, name: str) -> Any:
    """Return the gold treebank of this name: in a folder of treebanks, or the only one."""
    from treegauge.treebanks.sources.inputs import recognise_treebanks

    found = {one.name: one.path for one in recognise_treebanks([source])}
    return found.get(name) or next(path for key, path in found.items() if key.endswith(name) or name.endswith(key))


def _content_frame(suite: Suite, shares: "pl.DataFrame") -> "pl.DataFrame":
    (system,) = suite.names
    rows = []
    for (name, scores), own in zip(suite.treebanks.items(), shares.to_dicts(), strict=True):
        if (name, system) in suite.failures:
            note(f"left out: {name}, {suite.failures[name, system]}")
            continue
        metrics = {key: scores[system][key] for key in SCORED}
        row = {"treebank": name, "words": own["words"], "sttr": own["sttr"]}
        row |= {key: 100 * own[key] for key in CLASSES} | {key: metrics[key].f1 for key in ("LAS", "WLAS")}
        for key in ("ContentLAS", "FunctionLAS"):
            row |= {f"{key} precision": metrics[key].precision, f"{key} recall": metrics[key].recall}
        rows.append(row)
    return make_table(rows)


def content_correlations(frame: "pl.DataFrame", columns: Mapping[str, str]) -> CorrelationMatrix:
    """Return Pearson's r over treebanks of shares and scores, columns by the paper's names (Table 3)."""
    renamed = frame.select(*columns.values()).rename({column: name for name, column in columns.items()})
    return correlation_matrix(renamed, list(columns), method="pearson", cluster="none")


def _pairs(frame: "pl.DataFrame", matrix: list[CorrelationMatrix]) -> Rows:
    matrix.append(content_correlations(frame, COLUMNS))
    return [
        {"x": pair["x"], "y": pair["y"], "n": pair["n"], "r": pair["r"], "low": pair["low"], "high": pair["high"]}
        for pair in matrix[0].pairs
    ]


def _average_wde(gold: Sequence[Any]) -> Rows:
    from treegauge.measures.structure import average_wde, relation_class

    found = measure("wde", *gold, split="test").measured
    each = [one.value for one in found if isinstance(one.value, dict) and not one.averaged]
    values = average_wde([{name: value for name, value in one.items() if value is not None} for one in each])
    rows = [{"relation": name, "WDE": value, "class": relation_class(name)} for name, value in values.items()]
    return sorted(rows, key=lambda row: row["WDE"])


def _lines(rows: Rows, x: str, unit: str, names: Sequence[str]) -> Spec:
    """Return one line per name over the rows, in their order."""
    long = [{"x": row[x], "value": row[name], "of": name} for row in rows for name in names]
    order = {"field": "x", "type": "ordinal", "sort": [row[x] for row in rows], "title": x}
    place = {"x": order, "y": quantity("value", unit), "color": category("of")}
    return themed(chart(long, 3 * SIDE, SIDE, **mark("line", place, point=True)), unit, "", False)


def _variance(frame: "pl.DataFrame") -> Spec:
    names = ("LAS", "WLAS", "ContentLAS precision", "ContentLAS recall")
    found = {name: cumulative_variance(frame[name], by=frame["LAS"]).tolist() for name in names}
    rows = [{"treebanks": i + 2} | {name: found[name][i] for name in names} for i in range(frame.height - 1)]
    return _lines(rows, "treebanks", "variance", names)
