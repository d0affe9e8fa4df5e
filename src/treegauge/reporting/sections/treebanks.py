"""The section on treebanks: profiles, measures, displacements and audit findings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from treegauge.auditing.audit import RESAMPLES, Audit, Severity, audit, audit_treebanks
from treegauge.auditing.profiles.checks import distance_message
from treegauge.auditing.profiles.profile import Profile, profile
from treegauge.core.result import Result
from treegauge.core.verbs import command
from treegauge.measures.measure import measure
from treegauge.measures.measurements import Measures
from treegauge.measures.registry import measures
from treegauge.reporting.figures.treebanks import REACH, displacement_data
from treegauge.reporting.page.methods import Method, make_method
from treegauge.reporting.page.page import Section
from treegauge.reporting.saved import SavedResults, choices
from treegauge.reporting.sections.measure_names import FAMILY_NAMES, measure_name
from treegauge.treebanks.sources.files import Errors
from treegauge.treebanks.sources.inputs import Input

#: Findings that can make scores misleading.
LEVELS: tuple[Severity, ...] = ("error", "warning")
#: The fields of a measure and of a finding that the page shows.
MEASURE = ("name", "family", "meaning", "bounds")
FINDING = ("level", "check", "split", "message", "examples")


def treebanks_section(
    treebanks: Sequence[Input],
    saved: Mapping[str, SavedResults] = MappingProxyType({}),
    *,
    given: Sequence[str],
    errors: Errors = "strict",
) -> Section:
    """Return the section of treebanks, with the results that were saved; others are computed now.

    Only folders are audited; `given` are the treebanks as written in commands.
    """
    found, audits, profiles = list[Measures](), list[Audit](), list[Profile]()
    for one in treebanks:
        own = saved.get(one.name, SavedResults())
        found.append(own.measures or _measures(one, errors))
        if one.kind == "treebank":
            audits.append(own.audit or audit_treebanks([one], name=one.name, errors=errors))
        if one.given is None and one.files:
            profiles.append(own.profile or profile(one, checked=own.check))
    measured = [one for result in found for one in result.measured]
    columns = list(dict.fromkeys(one.measure for one in measured))
    rows: dict[str, dict[str, Any]] = {}
    for each in measured:
        row = rows.setdefault(each.treebank, {"treebank": each.treebank, "values": {}, "notes": {}})
        if not isinstance(each.value, dict):
            row["values"][each.measure] = each.value
        if each.missing or each.note:
            row["notes"][each.measure] = each.missing or each.note
    single = [name for name in columns if any(name in row["values"] for row in rows.values())]
    data = {
        "families": FAMILY_NAMES,
        "measures": [_measure(name) for name in single],
        "profiles": [_profile(one) for one in profiles],
        "treebanks": list(rows.values()),
        "reach": REACH,
        "displacements": {name: shares for one in found for name, shares in displacement_data(one).items()},
        "audits": [
            {
                "treebank": one.treebank,
                "findings": [_parts(row, FINDING) for row in one.findings],
                "fairness": fairness(one),
            }
            for one in audits
        ],
    }
    text = (
        f"{count_treebanks(len(rows))}: a profile of each, every measure, how far words are from "
        "their heads, and audit findings that could make scores misleading."
    )
    tables: list[tuple[str, Result]] = [(f"All measures of {one.measured[0].treebank}", one) for one in found]
    tables += [(f"Audit of {one.treebank}", one) for one in audits]
    methods = _methods(found, audits, given, errors)
    return Section("treebanks", "Treebanks", text, data, tables, methods, _short(audits), treebanks=list(rows))


def _parts(row: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _measure(name: str) -> dict[str, Any]:
    """Return a measure's code name, name, unit, family and meaning for the page."""
    return _parts(measures()[name], MEASURE) | measure_name(name)._asdict()


def _profile(one: Profile) -> dict[str, Any]:
    """Return the known aspects of a treebank."""
    aspects = [
        {"name": name, "text": aspect.text, "short": aspect.short, "state": aspect.state}
        for name, aspect in one.aspects.items()
        if aspect.values
    ]
    return {"treebank": one.treebank, "aspects": aspects}


def fairness(one: Audit) -> list[dict[str, Any]]:
    """Return sentences that compare the distances between the sets with those of random splits."""
    rows = [row for row in one.findings if row.check.startswith("split-") and row.p_value is not None]
    rows.sort(key=lambda row: (row.split, row.check))
    texts = [
        distance_message(row.check.removeprefix("split-"), row.value, row.p_value or 0, row.split.split("/"))
        for row in rows
    ]
    return [{"text": f"{text}.", "typical": row.level == "note"} for text, row in zip(texts, rows, strict=True)]


def _measures(one: Input, errors: Errors) -> Measures:
    """Measure one treebank at a time: two files would be read as training and test set."""
    folder = one.kind == "treebank" and one.given is None
    found = measure("all", one.path if folder else one.treebank, errors=errors)
    return replace(found, measured=tuple(replace(row, treebank=one.name) for row in found.measured))


def _short(audits: Sequence[Audit]) -> list[str]:
    """Return a sentence on the treebanks in which the audit found errors or warnings."""
    if not audits:
        return []
    grave = [one for one in audits if any(map(one.count, LEVELS))]
    if not grave:
        return [f"The audit of {count_treebanks(len(audits)).lower()} found no errors or warnings."]
    names = []
    for one in grave[:3]:
        counts = {level: one.count(level) for level in LEVELS}
        said = [f"{n or 'no'} {level}{'' if n == 1 else 's'}" for level, n in counts.items()]
        names.append(f"{one.treebank} ({', '.join(said)})")
    more = f" and {len(grave) - 3} more" if len(grave) > 3 else ""
    return [f"Scores could be misleading on {', '.join(names)}{more}."]


def count_treebanks(number: int) -> str:
    """Return the number of treebanks in words: One treebank, 4 treebanks."""
    return "One treebank" if number == 1 else f"{number} treebanks"


def _methods(found: Sequence[Measures], audits: Sequence[Audit], given: Sequence[str], errors: Errors) -> list[Method]:
    signatures = "\n".join(one.signature for one in found)
    policy = None if errors == "strict" else errors
    chosen = [choices(one.signature) for one in found]

    def measured(name: str, sources: Sequence[str] = given) -> str:
        """Return one command per source: two files would be read as training and test set."""
        return "\n".join(command(measure, name, one, errors=policy) for one in sources)

    def every(signed: Mapping[str, str], source: str) -> str:
        resamples, mark, level = signed.get("ci", "").partition("@")
        own: dict[str, object] = {"interval": True, "resamples": resamples, "level": level} if mark else {}
        own |= {"seed": signed["seed"]} if signed.get("seed", "0") != "0" else {}
        return command(measure, signed["m"], source, **own, errors=policy)

    cards = "\n".join(command(audit, one, only="card", errors=policy) for one in given)
    methods = [
        make_method("profiles", signatures, cards),
        make_method("measures", signatures, "\n".join(map(every, chosen, given))),
    ]
    shown = {row.measure for one in found for row in one.measured}
    audited = given[: len(audits)]
    if "displacements" in shown:
        methods.append(make_method("displacements", found[0].signature, measured("displacements"), reach=REACH))
    if "edv" in shown:
        methods.append(make_method("edv", found[0].signature, measured("edv", audited or given)))
    if audits:
        signatures = "\n".join(one.signature for one in audits)
        signed = [choices(one.signature) for one in audits]
        drawn = {name: "+".join(dict.fromkeys(one[name] for one in signed)) for name in ("resamples", "seed")}
        text = "\n".join(_audit_command(one, source, policy) for one, source in zip(audits, audited, strict=True))
        methods.append(make_method("audit", signatures, text, **drawn))
    return methods


def _audit_command(one: Audit, source: str, policy: str | None) -> str:
    """Return the command of an audit, with the choices in its signature that are not the default."""
    signed = choices(one.signature)
    usual = {"similarity": "0.7", "resamples": str(RESAMPLES), "seed": "0"}
    own = {name: signed[name] for name, value in usual.items() if signed[name] != value}
    against = ["TRAINING"] if "against" in signed else None
    return command(audit, source, against=against, all=True, **own, errors=policy)
