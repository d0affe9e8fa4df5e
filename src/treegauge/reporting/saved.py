"""Saved results of audit, check, measure, score, breakdown and certify, which a page shows as they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from treegauge.auditing.audit import Audit, read_audit
from treegauge.auditing.profile import LEVEL, Cards, Profile, read_cards
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.reading import read_saved
from treegauge.core.result import Result, RowsResult
from treegauge.core.text_formats import parse_json
from treegauge.core.verbs import command
from treegauge.measures.measure import measure
from treegauge.measures.measurements import Measured, Measures
from treegauge.ranking.certificate import Certificate
from treegauge.ranking.certify import certify
from treegauge.scoring.breakdown import breakdown
from treegauge.scoring.classes.class_scores import Breakdown, Breakdowns
from treegauge.scoring.metrics.convention import find_convention
from treegauge.scoring.metrics.registry import Metric
from treegauge.scoring.paired_tests import Comparisons
from treegauge.scoring.score import score
from treegauge.scoring.scores import Scores, SystemScore
from treegauge.treebanks.sources.files import is_stream, open_bytes, short_name
from treegauge.treebanks.sources.inputs import Input
from treegauge.validation.check import check
from treegauge.validation.report import ValidationReport, read_check

Json = Mapping[str, Any]


@dataclass(frozen=True)
class SavedResults:
    """What was computed for a treebank before; None if the page has to compute it."""

    audit: Audit | None = None
    profile: Profile | None = None
    check: ValidationReport | None = None
    measures: Measures | None = None


def signed_choices(signature: str) -> dict[str, str]:
    """Return the choices in a signature by key.

    Examples
    --------
    >>> signed_choices("treegauge:1|m:all|tb:UD_A-B#123456")["tb"]
    'UD_A-B#123456'
    """
    return dict(part.partition(":")[::2] for part in signature.split("|"))


def saved_result(one: Input) -> Result | None:
    """Return the result that an input is, or that its JSON holds; None for other inputs."""
    if isinstance(one.given, Audit):
        return one.given.card if one.given.only == "card" else one.given
    if isinstance(one.given, Certificate):
        return _claim(one.given.to_dict())
    if isinstance(one.given, Breakdowns | Cards | Measures | Scores | ValidationReport):
        return one.given
    if one.given is not None or one.kind != "scores" or one.path.suffix.lower() != ".json":
        return None
    try:
        content = parse_json(one.path.read_bytes())
    except ValueError as error:
        raise TreegaugeError(f"{one.path}: malformed JSON: {error}") from error
    kind = content.get("kind") if isinstance(content, dict) else None
    return _READERS[kind](one.path) if kind in _READERS else None


def _measures(content: Json) -> Measures:
    measured = [
        Measured(
            row["measure"], row["treebank"], row.get("split"), row["value"],
            (row["low"], row["high"]) if "low" in row else None,
            row.get("missing"), row.get("note"), row.get("averaged", 0), row.get("units"), row.get("group"),
        )
        for row in content["measures"]
    ]  # fmt: skip
    return Measures(tuple(measured), content["signature"])


def _scores(content: Json) -> Scores:
    counts = ("correct", "gold", "system", "aligned")
    systems = []
    for row in content["systems"]:
        metrics = {}
        for label, values in row["metrics"].items():
            name, interval = label.partition("[")[0], values["interval"]
            correct, gold, system, aligned = (values[count] for count in counts)
            limits = interval and (interval[0], interval[1])
            metrics[name] = Metric(name, correct, gold, system, aligned, limits)
        systems.append(SystemScore(row["system"], metrics, ()))
    convention = find_convention(content["convention"])
    made = Scores(
        tuple(systems), content["sentences"], content["signature"], convention,
        units=content["units"], notes=tuple(content["notes"]),
    )  # fmt: skip
    if tests := content.get("comparisons"):
        rows = tuple(tests["rows"])
        pairs = Comparisons(rows, tests["signature"], tests["primary"]["test"], tuple(tests["notes"]), tests["best"])
        made = made.with_attached({"comparisons": pairs})
    return made


@dataclass(frozen=True, eq=False, repr=False)
class SavedClaim(RowsResult, kind="certificate"):
    """What `certify` said on a claim: its paragraph, and the win rates over subsets of treebanks as rows."""

    claim: str
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class SavedPart(RowsResult, kind="found words"):
    """What else `breakdown` said: words that were found, confusions, overlap, calibration."""

    title: str


#: What the parts of a breakdown are called on the page.
PARTS = {
    "found": "Words that were found", "confusions": "Confusions", "overlap": "Overlap of errors",
    "calibration": "Calibration",
}  # fmt: skip


def saved_parts(content: Json) -> list[SavedPart]:
    """Return the further parts of a breakdown from its JSON, each with its rows."""
    parts = []
    for name, title in PARTS.items():
        held = content.get(name) or ()
        for one in [held] if isinstance(held, Mapping) else held:
            rows = [{key: _in_words(value) for key, value in row.items()} for row in one.get("rows", ())]
            system = f" of {signed_choices(one['signature'])['system']}" if name == "confusions" else ""
            if rows:
                parts.append(SavedPart(rows, one["signature"], f"{title}{system}"))
    return parts


def _in_words(value: Any) -> Any:
    """Return what is in a cell as one text or number."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_in_words(one)}" for key, one in value.items() if one is not None)
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _claim(content: Json) -> SavedClaim:
    return SavedClaim(content["win_rates"], content["signature"], content["claim"], content["text"])


def _breakdowns(content: Json) -> Breakdowns:
    frame = pl.DataFrame(content["rows"], infer_schema_length=None)
    gone: Any = None  # the words are not in the file
    systems = {
        str(name): Breakdown(
            own.drop("system").rename({"predicted": "system"}), gone, gone, gone, gone, content["signature"]
        )
        for (name,), own in frame.group_by(["system"], maintain_order=True)
    }
    made = Breakdowns(systems, content["signature"], tuple(content["differences"]), tuple(content["notes"]))
    others = [_breakdowns(one) for one in content.get("breakdowns", ())]
    parts: dict[str, Any] = {"breakdowns": others} if others else {}
    return made.with_attached(parts | {"parts": found} if (found := saved_parts(content)) else parts)


_READERS: Mapping[Any, Callable[[Path], Result]] = {
    "audit": read_audit,
    "breakdowns": lambda path: read_saved(
        path, "breakdowns", command(breakdown, "GOLD", "SYSTEM", out="FILE.json"), _breakdowns
    ),
    "cards": read_cards,
    "certificate": lambda path: read_saved(
        path, "certificate", command(certify, "SCORES", claim="A > B", out="FILE.json"), _claim
    ),
    "check": read_check,
    "measures": lambda path: read_saved(
        path, "measures", command(measure, "all", "TREEBANK", out="FILE.json"), _measures
    ),
    "score": lambda path: read_saved(path, "score", command(score, "GOLD", "SYSTEM", out="FILE.json"), _scores),
}
_VERBS = {"audit": "audit", "cards": "audit --only card", "check": "check", "measures": "measure"}


@dataclass(frozen=True)
class _Marks:
    """Digests of a treebank as signatures have them: of its sets, and of its files."""

    sets: Mapping[str, str]
    files: Sequence[str]

    @classmethod
    def of(cls, one: Input) -> "_Marks":
        if any(map(is_stream, one.files)):
            return cls({}, ())
        sets = {split: one.read(split).digest for split in one.splits} if one.kind == "treebank" else {}
        files = []
        for file in one.files:
            with open_bytes(file) as content:
                files.append(f"{short_name(file)}#{sha256(content.read()).hexdigest()[:6]}")
        return cls(sets or {"": one.read().digest}, files)

    def measured(self, *, pair: bool) -> str:
        """Return the digests behind measures of the training set, or also of pairs with the test set."""
        names = ("", "train", "test") if pair else ("", "train")
        return "".join(self.sets[name] for name in names if name in self.sets)


def match_saved(saved: Iterable[tuple[str, Result]], treebanks: Sequence[Input]) -> dict[str, SavedResults]:
    """Return the saved results of each treebank, by its name.

    Treebanks are recognised by the digests in signatures, so that results of another version of a
    treebank are refused.
    """
    saved = list(saved)
    marks = {one.name: _Marks.of(one) for one in treebanks} if saved else {}
    results = {one.name: SavedResults() for one in treebanks}
    for where, result in saved:
        parts = dict(_matched(where, result, marks))
        if not parts:
            verb = _VERBS[result.kind]
            raise TreegaugeError(
                f"{where} is a result of `treegauge {verb}` for other treebanks, or for these before they changed; "
                f"give the treebanks that it was made of, or run `treegauge {verb}` again"
            )
        for name, part in parts.items():
            field = {Audit: "audit", Profile: "profile", ValidationReport: "check", Measures: "measures"}[type(part)]
            if getattr(results[name], field) is not None:
                raise TreegaugeError(
                    f"{where}: {name} has another result of `treegauge {_VERBS[result.kind]}`; give one"
                )
            results[name] = replace(results[name], **{field: part})
    return results


def _matched(where: str, result: Any, marks: Mapping[str, _Marks]) -> Iterable[tuple[str, Any]]:
    """Yield the names of treebanks with their part of a result."""
    signed = signed_choices(result.signature)
    if isinstance(result, Measures):
        yield from _measured(where, result, signed, marks)
        return
    for name, own in marks.items():
        if isinstance(result, Audit):
            if signed["splits"] == "+".join(f"{split}#{digest[:6]}" for split, digest in own.sets.items()):
                yield name, replace(result, treebank=name)
        elif isinstance(result, Cards):
            digests = "".join(digest[:3] for digest in own.sets.values())
            for mark, profile in zip(signed["treebanks"].split("+"), result.profiles, strict=True):
                if mark.rpartition("#")[2] == digests:
                    yield name, replace(profile, treebank=name)
        elif own.files and signed["check"] == "+".join(own.files):
            _refuse_partial(where, result, signed)
            yield name, result


def _refuse_partial(where: str, report: ValidationReport, signed: Json) -> None:
    """Refuse a check that does not have all problems of the level that profiles show."""
    limits = [f"--{name}" for name in ("include", "exclude", "changed") if name in signed]
    limits += ["--baseline"] if report.known or report.gone else []
    if limits:
        raise TreegaugeError(f"{where} has only some of the problems; run `treegauge check` without {limits[0]}")
    if report.ud_level != LEVEL:
        raise TreegaugeError(
            f"{where} is a check at level {report.ud_level}, and a page shows level {LEVEL}; "
            f"run `{command(check, 'FILE', ud_level=LEVEL)}`"
        )


def _measured(
    where: str, result: Measures, signed: Json, marks: Mapping[str, _Marks]
) -> Iterable[tuple[str, Measures]]:
    """Yield the measures of each treebank; those of several have one digest."""
    split = signed.get("split", "train")
    if split != "train":
        raise TreegaugeError(f"{where} has measures of the {split} set; a page shows those of the training set")
    given = list(dict.fromkeys(row.treebank for row in result.measured if not row.averaged))
    groups = [given] if len(given) > 1 else [[name] for name in marks]
    for names in groups:
        digests = [
            sha256("".join(marks[name].measured(pair=pair) for name in names if name in marks).encode()).hexdigest()
            for pair in (True, False)
        ]
        if signed["tb"].rpartition("#")[2] in {digest[:6] for digest in digests}:
            for name, title in zip(names, given, strict=True):
                rows = [replace(row, treebank=name) for row in result.measured if row.treebank == title]
                yield name, replace(result, measured=tuple(rows))
