"""The section on treebanks: profiles, measures, displacements and audit findings."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from treegauge.auditing.audit import RESAMPLES, Audit, Severity, audit, audit_treebanks
from treegauge.auditing.changes.changed_words import changed_sentences
from treegauge.auditing.diff import Diff, diff
from treegauge.auditing.profile import LEVEL, Profile, profile
from treegauge.core.result import Result
from treegauge.core.verbs import command
from treegauge.measures.measure import measure
from treegauge.measures.measurements import Measures
from treegauge.measures.registry import measures
from treegauge.reporting.figures.treebanks import REACH, displacement_data
from treegauge.reporting.methods import Method, make_method
from treegauge.reporting.packing import heads, texts, trees
from treegauge.reporting.page import Section, asset
from treegauge.reporting.saved import SavedResults, signed_choices
from treegauge.treebanks.data.sentence_pairing import sentence_ids
from treegauge.treebanks.sources.files import Errors
from treegauge.treebanks.sources.inputs import Input
from treegauge.treebanks.sources.languages import release_key, take_apart
from treegauge.validation.report import ValidationReport

#: Findings that count, the most severe first.
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
    from treegauge.validation.check import check

    checks: dict[str, ValidationReport] = {}
    for one in treebanks:
        own = saved.get(one.name, SavedResults())
        found.append(own.measures or _measures(one, errors))
        folder, shown = one.kind == "treebank", one.given is None and bool(one.files)
        new = (folder and not own.audit) or (shown and not own.profile)
        splits = ({name: one.read(name) for name in one.splits} if folder else {"all": one.treebank}) if new else {}
        if folder:
            audits.append(own.audit or audit_treebanks([splits or one], name=one.name, errors=errors))
        if shown:
            # A saved profile has only the number of errors; the list of lines needs the check.
            checks[one.name] = own.check or check(*one.files, ud_level=LEVEL)
            profiles.append(own.profile or profile(one, splits, checked=checks[one.name]))
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
    ordered = health(list(rows), profiles, audits, checks)
    data = {
        "families": FAMILY_NAMES,
        "measures": [_measure(name) for name in single],
        "profiles": [_profile(one) for one in profiles],
        "treebanks": list(rows.values()),
        "health": ordered,
        "invalid": {name: _invalid(report) for name, report in checks.items() if report.errors},
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
        "their heads, lines that UD validation finds invalid, and findings of the audit."
    )
    tables: list[tuple[str, Result]] = [(f"All measures of {one.measured[0].treebank}", one) for one in found]
    tables += [(f"Audit of {one.treebank}", one) for one in audits]
    methods = _methods(found, audits, given, errors)
    short = _short(ordered)
    return Section("treebanks", "Treebanks", text, data, tables, methods, short, treebanks=list(rows))


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
    pairs = [f" between {' and '.join(row.split.split('/'))} is " for row in rows]
    texts = [row.message.replace(" is ", pair, 1) for row, pair in zip(rows, pairs, strict=True)]
    return [{"text": f"{text}.", "typical": "typical of" in row.message} for text, row in zip(texts, rows, strict=True)]


def _measures(one: Input, errors: Errors) -> Measures:
    """Measure one treebank at a time: two files would be read as training and test set."""
    folder = one.kind == "treebank" and one.given is None
    found = measure("all", one.path if folder else one.treebank, errors=errors)
    if all(row.treebank == one.name for row in found.measured):
        return found
    return replace(found, measured=tuple(replace(row, treebank=one.name) for row in found.measured))


#: The number of invalid lines of a treebank that the page lists.
LISTED = 200


def _invalid(report: ValidationReport) -> list[list[Any]]:
    """Return the first invalid lines: file, line, sentence, test, what was found, what was expected."""
    grave = (one for one in report.problems if one.severity == "error")
    return [
        [Path(one.file).name, one.line, one.sent_id, one.id, one.found, one.expected] for one in islice(grave, LISTED)
    ]


def health(
    names: Sequence[str], profiles: Sequence[Profile], audits: Sequence[Audit], checks: Mapping[str, ValidationReport]
) -> list[dict[str, Any]]:
    """Return one row per treebank, what to look at first on top: size, invalid lines, findings, the gravest finding.

    Treebanks with errors of the audit come first, then those with the largest share of invalid lines, then those
    with the most warnings. A number is None where it is not known.
    """
    sizes = {one.treebank: one.aspects["size"].values for one in profiles if "size" in one.aspects}
    invalid = {
        name: len({(one.file, one.line) for one in report.problems if one.severity == "error"})
        for name, report in checks.items()
    }
    by_name = {one.treebank: one for one in audits}
    rows = list[dict[str, Any]]()
    for name in names:
        found = by_name.get(name)
        grave = [one for one in found.findings if one.level in LEVELS] if found else []
        counts = {level: sum(one.level == level for one in grave) for level in LEVELS}
        first = min(grave, key=lambda one: LEVELS.index(one.level), default=None)
        size = sizes.get(name, {})
        rows.append(
            {
                "treebank": name, "sentences": size.get("sentences"), "words": size.get("words"),
                "invalid": invalid.get(name), "findings": len(grave) if found else None,
                "errors": counts["error"], "warnings": counts["warning"],
                "first": f"{first.split}: {first.message}" if first else "",
            }
        )  # fmt: skip
    share = {row["treebank"]: (row["invalid"] or 0) / max(1, row["words"] or 1) for row in rows}
    return sorted(rows, key=lambda row: (-row["errors"], -share[row["treebank"]], -row["warnings"], row["treebank"]))


def _short(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence on what to look at first: by treebank the invalid lines and the gravest finding."""
    if all(row["findings"] is None and row["invalid"] is None for row in rows):
        return []
    seen = [row for row in rows if row["findings"] or row["invalid"]]
    if not seen:
        return [f"{count_treebanks(len(rows))}: no invalid line, and no error or warning of the audit."]
    said = []
    for row in seen[:3]:
        parts = [f"{row['invalid']:,} line{'' if row['invalid'] == 1 else 's'} invalid"] if row["invalid"] else []
        if row["findings"]:
            number = f"{row['findings']} finding{'' if row['findings'] == 1 else 's'}"
            parts.append(f"{number}, first {row['first']}")
        said.append(f"{row['treebank']} ({'; '.join(parts)})")
    more = f"; {len(seen) - 3} more in the table" if len(seen) > 3 else ""
    return [f"Look first at {'; '.join(said)}{more}."]


def count_treebanks(number: int) -> str:
    """Return the number of treebanks in words: One treebank, 4 treebanks."""
    return "One treebank" if number == 1 else f"{number} treebanks"


def _methods(found: Sequence[Measures], audits: Sequence[Audit], given: Sequence[str], errors: Errors) -> list[Method]:
    signatures = "\n".join(one.signature for one in found)
    policy = None if errors == "strict" else errors
    chosen = [signed_choices(one.signature) for one in found]

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
        signed = [signed_choices(one.signature) for one in audits]
        drawn = {name: "+".join(dict.fromkeys(one[name] for one in signed)) for name in ("resamples", "seed")}
        text = "\n".join(_audit_command(one, source, policy) for one, source in zip(audits, audited, strict=True))
        methods.append(make_method("audit", signatures, text, **drawn))
    return methods


def _audit_command(one: Audit, source: str, policy: str | None) -> str:
    """Return the command of an audit, with the choices in its signature that are not the default."""
    signed = signed_choices(one.signature)
    usual = {"similarity": "0.7", "resamples": str(RESAMPLES), "seed": "0"}
    own = {name: signed[name] for name, value in usual.items() if signed[name] != value}
    against = ["TRAINING"] if "against" in signed else None
    return command(audit, source, against=against, all=True, **own, errors=policy)


class MeasureName(NamedTuple):
    """The name of a measure in a table header, and its unit."""

    label: str
    unit: str = ""


_NAMES = tomllib.loads(asset("measures.toml"))
FAMILY_NAMES: dict[str, str] = _NAMES["families"]
"""Families of measures as the page calls them."""
MEASURE_NAMES = {name: MeasureName(*words) for name, words in _NAMES["measures"].items()}
"""Names and units of the measures that have one value; those of plug-ins have their own name."""


def measure_name(name: str) -> MeasureName:
    """Return the page's name and unit of a measure; one that is not listed keeps its own name.

    Examples
    --------
    >>> measure_name("oov")
    MeasureName(label='Unknown words in test', unit='%')
    >>> measure_name("my_own").label
    'my own'
    """
    return MEASURE_NAMES.get(name) or MeasureName(name.replace("_", " "))


#: The number of rows of each table, and of changed sentences, that the page holds.
CHANGED_ROWS = 200
CHANGED_SENTENCES = 60


def release_pairs(treebanks: Sequence[Input]) -> list[tuple[Input, Input]]:
    """Return consecutive releases of the same treebank, by names such as UD_A-B@2.5."""
    releases: dict[str, list[Input]] = {}
    for treebank in treebanks:
        if treebank.kind == "treebank" and treebank.given is None and "@" in treebank.name:
            releases.setdefault(treebank.name.partition("@")[0], []).append(treebank)
    return [
        pair
        for members in releases.values()
        for pair in pairwise(sorted(members, key=lambda treebank: release_key(treebank.name.partition("@")[2])))
    ]


class Versions(NamedTuple):
    """Two versions of one text and what changed: releases of a treebank, or outputs that were scored against gold.

    `facts` of outputs are the words that became correct and incorrect, and the difference with its interval;
    `signature` is that of the command, where it compares more columns than the page.
    """

    name: str
    versions: tuple[str, str]
    treebanks: Sequence[str]
    result: Diff
    command: str
    facts: Mapping[str, Any] = MappingProxyType({})
    signature: str = ""


def compared_releases(
    pairs: Sequence[tuple[Input, Input]], *, given: Sequence[tuple[str, str]], errors: Errors = "strict"
) -> list[Versions]:
    """Compare releases of treebanks; `given` are the folders as written in commands."""
    policy = None if errors == "strict" else errors
    return [
        Versions(
            old.name.partition("@")[0], (_release(old), _release(new)), [old.name, new.name],
            diff(old.path, new.path, errors=errors), command(diff, *paths, errors=policy),
        )
        for (old, new), paths in zip(pairs, given, strict=True)
    ]  # fmt: skip


def _release(one: Input) -> str:
    return take_apart(one.name)[1] or one.name


def changes_section(found: Sequence[Versions]) -> Section:
    """Return the section on changes between releases and between outputs."""
    names = [_title(one) for one in found]
    tables: list[tuple[str, Result]] = [
        (f"Changes from {name}", one.result) for name, one in zip(names, found, strict=True)
    ]
    methods = [
        make_method("diff", one.signature or one.result.signature, one.command, of=name)
        for name, one in zip(names, found, strict=True)
    ]
    text = (
        "Changes from one version to the next: sentences, words by layer, systematic changes, "
        "single corrections, and the first trees that changed."
    )
    short = [_changes_short(name, one.result) for name, one in zip(names, found, strict=True)]
    return Section("changes", "Changes", text, {"pairs": list(map(_diff_data, found))}, tables, methods, short)


def _title(one: Versions) -> str:
    old, new = one.versions
    return f"{one.treebanks[0]}: {old} to {new}" if one.facts else f"{one.treebanks[0]} to {new}"


def _diff_data(one: Versions) -> dict[str, Any]:
    """Return the tables of a diff, and both trees of the first sentences that changed.

    Only sentences with the same words in both versions: their trees are drawn together.
    """
    pairs, result = one.result.pairs, one.result
    changed = changed_sentences(pairs, ["upos", "deprel"])
    same = [number for number in changed if pairs.same_words[number]]
    before = pairs.old.take(np.array(same[:CHANGED_SENTENCES], np.int64))
    after = pairs.new.take(pairs.sentences.to_new[same[:CHANGED_SENTENCES]])
    was = {name: texts(before[name].to_list()) for name in ("upos", "deprel")}
    tables = {name: list(table.rows[:CHANGED_ROWS]) for name, table in result.attached.items()}
    tables["rules"] = [
        row | {"example": example} for row, example in zip(tables["rules"], _rule_examples(result), strict=False)
    ]
    return {
        "treebank": one.name,
        "treebanks": list(one.treebanks),
        "releases": list(one.versions),
        "tables": tables,
        "rules": len(result.changes.rules),
        "changed": len(changed),
        "facts": dict(one.facts),
        "trees": trees(after),
        "was": was | {"head": heads(before.head)},
    }


def _rule_examples(result: Diff) -> list[str]:
    """Return the sentence and the form of the first word of each systematic change, in their order."""
    old, words = result.pairs.old, result.pairs.old_words
    ids, forms = sentence_ids(old), old["form"].to_list()
    found = []
    for _, systematic in result.changes.parts:
        for number, rule in enumerate(systematic.rules):
            word = int(words[np.flatnonzero(systematic.rule_of == number)[0]])
            sentence = int(old.sentence_of[word])
            found.append((rule.changed, f"{ids[sentence] or sentence + 1}: {forms[word]}"))
    return [example for _, example in sorted(found, key=lambda one: -one[0])]


def _changes_short(name: str, result: Diff) -> str:
    """Return a sentence on the number of changes."""
    layers = {row["layer"]: row for row in result.attached["layers"].rows}
    counts = [f"{layers[layer]['changed']:,} {layer}" for layer in ("head", "deprel", "upos")]
    rules = len(result.changes.rules)
    return (
        f"{name}: of {layers['head']['words']:,} words, {counts[0]}, {counts[1]} and {counts[2]} "
        f"values changed; {rules:,} systematic {'change' if rules == 1 else 'changes'}."
    )
