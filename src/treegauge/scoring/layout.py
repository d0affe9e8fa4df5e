"""How scores are laid out: the official tables to the letter, and an overview."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treegauge.scoring.metrics import ENHANCED, METRICS, Metric

if TYPE_CHECKING:
    import polars as pl

_RULE = "-----------+-----------+-----------+-----------+-----------"


def official_table(
    metrics: Mapping[str, Metric], *, counts: bool = False, enhanced: bool = False
) -> str:
    """Return what the official script prints with ``-v`` or, with `counts`, with ``-c``.

    Examples
    --------
    >>> print(official_table({name: Metric(name, 1, 2, 2, None) for name in METRICS})[:59])
    Metric     | Precision |    Recall |  F1 Score | AligndAcc
    """
    names = [*METRICS, *(ENHANCED if enhanced else ())]
    if counts:
        lines = ["Metric     | Correct   |      Gold | Predicted | Aligned", _RULE]
    else:
        lines = ["Metric     | Precision |    Recall |  F1 Score | AligndAcc", _RULE]
    for name in names:
        m = metrics[name]
        if counts:
            aligned = m.aligned or (m.correct if name == "Words" else "")
            lines.append(f"{name:11}|{m.correct:10} |{m.gold:10} |{m.system:10} |{aligned:10}")
        else:
            accuracy = m.aligned_accuracy
            shown = "" if accuracy is None else f"{100 * accuracy:10.2f}"
            values = f"{100 * m.precision:10.2f} |{100 * m.recall:10.2f} |{100 * m.f1:10.2f}"
            lines.append(f"{name:11}|{values} |{shown}")
    return "\n".join(lines)


def official_lines(metrics: Mapping[str, Metric], *, enhanced: bool = False) -> str:
    """Return what the official script prints without an option.

    Examples
    --------
    >>> print(official_lines({name: Metric(name, 1, 2, 2, None) for name in METRICS}))
    LAS F1 Score: 50.00
    MLAS Score: 50.00
    BLEX Score: 50.00
    """
    titles = {"LAS": "LAS F1 Score", "MLAS": "MLAS Score", "BLEX": "BLEX Score"}
    if enhanced:
        titles |= {"ELAS": "ELAS F1 Score", "EULAS": "EULAS F1 Score"}
    return "\n".join(f"{title}: {100 * metrics[name].f1:.2f}" for name, title in titles.items())


def overview(systems: Sequence[tuple[str, Mapping[str, Metric]]]) -> "pl.DataFrame":
    """Return percentages: all of one system, or F1 with intervals of several side by side."""
    import polars as pl

    names = list(systems[0][1])
    columns: dict[str, list[Any]] = {"metric": names}
    for title, metrics in systems:
        chosen = [metrics[name] for name in names]
        f1 = [100 * m.f1 for m in chosen]
        interval = [_interval(m) for m in chosen]
        if len(systems) == 1:
            columns["precision"] = [100 * m.precision for m in chosen]
            columns["recall"] = [100 * m.recall for m in chosen]
            columns["F1"] = f1
            columns["aligned"] = [
                None if m.aligned_accuracy is None else 100 * m.aligned_accuracy for m in chosen
            ]
            if any(interval):
                columns["interval"] = interval
        else:
            columns[title] = f1
            if any(interval):
                columns[f"{title} interval"] = interval
    return pl.DataFrame(columns)


def _interval(metric: Metric) -> str | None:
    if metric.interval is None:
        return None
    low, high = metric.interval
    return f"{100 * low:.2f}–{100 * high:.2f}"
