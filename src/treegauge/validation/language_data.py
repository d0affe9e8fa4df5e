"""Language data: the features, relations, auxiliaries and words with spaces of each language.

The packaged file is made from the validation data of Universal Dependencies. Other data can be
given as a folder with the five official files, or as a packed file: one line of JSON about the
data, then one line of JSON per language.
"""

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from treegauge.core.errors import TreegaugeError
from treegauge.core.text_formats import parse_json
from treegauge.treebanks.archives import OFFICIAL
from treegauge.validation.values import RELATIONS

PACKAGED = Path(__file__).parents[1] / "data" / "language_data.jsonl.gz"
FORMAT = "treegauge language data 1"


class FeatureRule(NamedTuple):
    """The documented values of a feature, and those that each tag permits."""

    permitted: bool
    values: frozenset[str]
    by_upos: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class LanguageRules:
    """What a language permits.

    Attributes
    ----------
    features
        The rule of each documented feature.
    relations
        The permitted relations of the tree.
    markers
        Case markers and conjunctions by the relations that they may extend in the enhanced graph.
    auxiliaries, copulas
        Lemmas of auxiliaries and of copulas.
    spaces
        Patterns of words that may contain spaces.
    """

    features: Mapping[str, FeatureRule]
    relations: frozenset[str]
    markers: Mapping[str, tuple[str, ...]]
    auxiliaries: frozenset[str]
    copulas: frozenset[str]
    spaces: tuple[str, ...]

    @cached_property
    def enhanced_relations(self) -> frozenset[str]:
        """The relations that the enhanced graph may have."""
        subjects = {
            f"{relation}:xsubj" for relation in self.relations if relation.partition(":")[0] in {"nsubj", "csubj"}
        }
        marked = {
            f"{relation}:{marker}"
            for bases, markers in self.markers.items()
            for base in bases.split()
            for relation in self.relations
            if relation == base or relation.startswith(f"{base}:")
            for marker in markers
        }
        return self.relations | {"ref"} | subjects | marked

    @cached_property
    def _spaced(self) -> re.Pattern[str] | None:
        return re.compile("|".join(f"(?:{pattern})" for pattern in self.spaces)) if self.spaces else None

    def may_have_space(self, word: str) -> bool:
        """Whether the language permits a space in this word."""
        pattern = self._spaced
        return pattern is not None and pattern.fullmatch(word.replace("\xa0", " ")) is not None


class LanguageData:
    """The rules of all languages, each read on first use.

    The lines are rules as JSON; `date` is when the data was last changed, such as ``2026-10-22``.
    """

    def __init__(self, lines: Mapping[str, str], date: str) -> None:
        self.date = date
        self._lines = lines
        self._made: dict[str, LanguageRules] = {}

    def __contains__(self, language: str) -> bool:
        return language in self._lines or language == "ud"

    def __getitem__(self, language: str) -> LanguageRules:
        """Return the rules of a language; an unlisted language permits nothing."""
        if language not in self._made:
            self._made[language] = _rules(self._lines.get(language, "{}"), language)
        return self._made[language]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def age(self, today: date | None = None) -> int:
        """Return the number of days since the data was last changed; 0 if the date is unknown.

        Examples
        --------
        >>> LanguageData({}, "2026-10-22").age(date(2026, 12, 22))
        61
        """
        try:
            changed = date.fromisoformat(self.date)
        except ValueError:
            return 0
        return max(((today or date.today()) - changed).days, 0)

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages."""
        return tuple(self._lines)


def language_data(path: str | os.PathLike[str] | None = None) -> LanguageData:
    """Read language data.

    Parameters
    ----------
    path
        A packed file, or a folder with the official files ``feats.json``, ``deprels.json``,
        ``edeprels.json``, ``data.json`` and ``tospace.json``. By default the environment variable
        ``TREEGAUGE_RULES``, else the packaged file.

    Examples
    --------
    >>> rules = language_data(PACKAGED)["en"]
    >>> "nmod:poss" in rules.relations, "nmod:of" in rules.enhanced_relations
    (True, True)
    >>> "be" in rules.copulas, "go" in rules.auxiliaries
    (True, False)
    """
    place = Path(path or os.environ.get("TREEGAUGE_RULES") or PACKAGED)
    if place.is_dir():
        tables, date = official_tables(place)
        lines = {code: json.dumps(rules) for code, rules in packed_rules(tables)}
        return LanguageData(lines, date)
    try:
        data = place.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    except OSError as error:
        raise TreegaugeError(f"{place}: {error.strerror or error}; {_EXPECTED}") from error
    except (UnicodeDecodeError, zlib.error, EOFError) as error:
        raise TreegaugeError(f"{place}: cannot be read: {error}; {_EXPECTED}") from error
    head, *rest = text.removesuffix("\n").split("\n")
    try:
        about = parse_json(head)
        if about["format"] != FORMAT:
            raise KeyError
        return LanguageData(dict(line.split("\t", 1) for line in rest), about["date"])
    except (ValueError, KeyError, TypeError) as error:
        raise TreegaugeError(f"{place}: found no language data; {_EXPECTED}") from error


_EXPECTED = "expected a packed file of language data or a folder with " + ", ".join(OFFICIAL)


def official_tables(folder: Path) -> tuple[dict[str, Mapping[str, Any]], str]:
    """Return the tables of the official files by key, and the date of the last change."""
    tables = {}
    for name, key in OFFICIAL.items():
        try:
            tables[key] = parse_json((folder / name).read_bytes())[key]
        except OSError as error:
            raise TreegaugeError(f"{folder / name}: {error.strerror}; {_EXPECTED}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise TreegaugeError(
                f"{folder / name}: found no table {key!r}; expected the official file of that name"
            ) from error
    changes = (
        str(entry.get("lastchanged", ""))
        for table in tables.values()
        for entries in table.values()
        for entry in entries.values()
    )
    return tables, max(changes, default="")[:10] or "unknown"


def packed_rules(tables: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each language and the parts of the official tables that its rules need."""
    for code in sorted({code for table in tables.values() for code in table}):
        features = {}
        for name, entry in tables["features"].get(code, {}).items():
            kinds = ("uvalues", "lvalues", "unused_uvalues", "unused_lvalues")
            features[name] = {
                "permitted": int(entry["permitted"]),
                "values": sorted({value for kind in kinds for value in entry.get(kind, ())}),
                "upos": {
                    upos: sorted(value for value, number in values.items() if number)
                    for upos, values in entry.get("byupos", {}).items()
                },
            }
        relations = tables["deprels"].get(code, {})
        markers: dict[str, list[str]] = {}
        for marker, entry in sorted(tables["edeprels"].get(code, {}).items()):
            markers.setdefault(" ".join(sorted(entry["extends"])), []).append(marker)
        functions = {
            lemma: {function["function"] for function in entry["functions"]}
            for lemma, entry in tables["auxiliaries"].get(code, {}).items()
        }
        yield (
            code,
            {
                "features": features,
                "relations": sorted(name for name, relation in relations.items() if relation["permitted"] > 0),
                "markers": markers,
                "auxiliaries": sorted(lemma for lemma, uses in functions.items() if uses - {"cop.PRON"}),
                "copulas": sorted(lemma for lemma, uses in functions.items() if _has_copula(uses)),
                "spaces": sorted(tables["expressions"].get(code, {})),
            },
        )


def _has_copula(functions: Iterable[str]) -> bool:
    return any(function.startswith("cop.") for function in functions)


def _rules(line: str, language: str) -> LanguageRules:
    entry = parse_json(line)
    features = {
        name: FeatureRule(
            bool(feature["permitted"]),
            frozenset(feature["values"]),
            {upos: frozenset(values) for upos, values in feature["upos"].items()},
        )
        for name, feature in entry.get("features", {}).items()
    }
    return LanguageRules(
        features,
        frozenset(entry.get("relations", RELATIONS if language == "ud" else ())),
        {bases: tuple(markers) for bases, markers in entry.get("markers", {}).items()},
        frozenset(entry.get("auxiliaries", ())),
        frozenset(entry.get("copulas", ())),
        tuple(entry.get("spaces", ())),
    )
