"""The section on treebanks: every measure, displacements, and what an audit finds."""

from collections.abc import Mapping, Sequence
from typing import Any

from treegauge.auditing.auditing import audit
from treegauge.auditing.findings import Audit, Level
from treegauge.measures.measure import measure
from treegauge.measures.measurements import Measures
from treegauge.measures.registry import measures
from treegauge.reporting.maths import equation, fraction, sub, total
from treegauge.reporting.section import Method, Section
from treegauge.results.result import Result
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import Errors
from treegauge.treebanks.sources import Source

#: Displacements beyond are left out of the small pictures.
REACH = 12
#: Random splits that real ones are compared with.
DRAWS = 199


def treebanks_section(
    sources: Sequence[Source | Treebank],
    parts: Mapping[str, Mapping[str, Treebank]],
    *,
    given: Sequence[str],
    errors: Errors = "strict",
) -> Section:
    """Measure and audit treebanks and make the section.

    Parameters
    ----------
    sources
        What to measure: folders, files or treebanks.
    parts
        What to audit: by name the parts of a treebank.
    given
        What commands name.
    errors
        What to do about malformed sentences.
    """
    # Each alone: two files would be taken for a train and a test part.
    found = [measure("all", source, errors=errors) for source in sources]
    audits = [audit(splits, name=name, draws=DRAWS) for name, splits in parts.items()]
    measured = [one for result in found for one in result.measured]
    columns = list(dict.fromkeys(one.measure for one in measured))
    known = measures()
    rows: dict[str, dict[str, Any]] = {}
    moved: dict[str, list[float]] = {}
    for one in measured:
        row = rows.setdefault(one.treebank, {"treebank": one.treebank, "values": {}, "notes": {}})
        if one.measure == "displacements" and isinstance(one.value, dict):
            moved[one.treebank] = _around(one.value)
        if not isinstance(one.value, dict):
            row["values"][one.measure] = one.value
        if one.missing or one.note:
            row["notes"][one.measure] = one.missing or one.note
    single = [name for name in columns if any(name in row["values"] for row in rows.values())]
    data = {
        "measures": [
            {
                "name": name,
                "family": known[name].family,
                "meaning": known[name].meaning,
                "bounds": [b if abs(b) != float("inf") else None for b in known[name].bounds],
            }
            for name in single
        ],
        "treebanks": list(rows.values()),
        "reach": REACH,
        "displacements": moved,
        "audits": [_audited(one) for one in audits],
    }
    text = (
        f"{count_treebanks(len(rows))}, measure by measure. Sort by a column, or type to filter.\n"
        "Below, how far words stand from their heads, and what an audit found that could make "
        "scores on them mislead."
    )
    tables: list[tuple[str, Result]] = [
        (f"All measures of {one.measured[0].treebank}", one) for one in found
    ]
    tables += [(f"Audit of {one.treebank}", one) for one in audits]
    policy = "" if errors == "strict" else f" --errors {errors}"
    methods = _methods(found, audits, [f"{one}{policy}" for one in given])
    return Section("treebanks", "Treebanks", text, data, tables, methods, _short(audits))


def _short(audits: Sequence[Audit]) -> list[str]:
    """Say where an audit found what makes scores mislead."""
    if not audits:
        return []
    grave = [one for one in audits if one.count("error") or one.count("warning")]
    if not grave:
        return [
            f"The audit of {count_treebanks(len(audits)).lower()} found nothing worse than notes."
        ]
    told = [
        f"{one.treebank} ({', '.join(_levels(one, level) for level in ('error', 'warning'))})"
        for one in grave[:3]
    ]
    more = f" and {len(grave) - 3} more" if len(grave) > 3 else ""
    return [f"Scores could mislead on {', '.join(told)}{more}."]


def _levels(found: Audit, level: Level) -> str:
    number = found.count(level)
    return f"{number or 'no'} {level}{'' if number == 1 else 's'}"


def count_treebanks(number: int) -> str:
    """Return how many there are, in words.

    Examples
    --------
    >>> count_treebanks(1), count_treebanks(4)
    ('One treebank', '4 treebanks')
    """
    return "One treebank" if number == 1 else f"{number} treebanks"


def _around(shares: Mapping[str, float | None]) -> list[float]:
    """Return the shares of the displacements from -REACH to REACH."""
    return [shares.get(str(d)) or 0.0 for d in range(-REACH, REACH + 1)]


def _audited(found: Audit) -> dict[str, Any]:
    rows = [
        {
            "level": finding.level,
            "check": finding.check,
            "part": finding.part,
            "message": finding.message,
            "examples": list(finding.examples),
        }
        for finding in found.findings
    ]
    return {"treebank": found.treebank, "findings": rows}


def _methods(
    found: Sequence[Measures], audits: Sequence[Audit], given: Sequence[str]
) -> list[Method]:
    methods = [
        Method(
            "Measures",
            "",
            "Each is explained under its name in the documentation (measures/); "
            "`treegauge measure list` shows all of them with range and meaning. Measures "
            "of one treebank are of its training set; those of a pair compare it with the test set.",
            "malformed sentences as the signature tells; seed 0 where chance enters",
            "\n".join(one.signature for one in found),
            _each("measure all", given),
            ("edv",),
        ),
        Method(
            "Displacements",
            equation(sub("p", "d"), " = ", fraction(
                row_count("i : i − h(i) = d"), row_count("i : h(i) ≠ 0"))),
            "d is a word's position less that of its head h(i); roots have none.",
            f"shown from −{REACH} to {REACH}",
            found[0].signature,
            _each("measure displacements", given),
            ("edv",),
        ),
        Method(
            "EDV",
            equation("EDV = ", total("d", "|", sub("F", "train"), "(d) − ", sub("F", "test"),
                                     "(d)|")),
            "F is the cumulated distribution of displacements: the least work that turns one "
            "distribution into the other.",
            "displacements up to 30 on either side",
            found[0].signature,
            _each("measure edv", given[: len(audits)] or given),
            ("edv",),
        ),
    ]  # fmt: skip
    if audits:
        methods.append(
            Method(
                "Audit warnings",
                "",
                "Duplicates within and across parts, missing layers, labels that only test has, "
                "odd lengths, and splits that differ more than random ones do.",
                f"{DRAWS} random splits, seed 0",
                "\n".join(one.signature for one in audits),
                _each(f"audit --draws {DRAWS}", given[: len(audits)]),
            )
        )
    return methods


def _each(command: str, given: Sequence[str]) -> str:
    """Return a command for each source: two files would be taken for train and test."""
    return "\n".join(f"treegauge {command} {one}" for one in given)


def row_count(condition: str) -> str:
    """Return the number of words of which something holds, as MathML."""
    from treegauge.reporting.maths import m

    return m(f"| {{ {condition} }} |")
