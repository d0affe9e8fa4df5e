"""Levels 4 and 5: labels and lemmas that the language permits.

Arrays of codes identify the few rows to examine: each distinct (UPOS, FEATS, Lang) and each
relation is checked once, and the result kept for the whole run.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from treegauge.validation.language_data import LanguageData
from treegauge.validation.messages import BLANK, COMMENT, EMPTY, MULTIWORD, WORD, Chunk, LanguageFinding

_SPACE = re.compile(r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
ID, FORM, LEMMA, UPOS, FEATS, HEAD, DEPREL, DEPS, MISC = 0, 1, 2, 3, 5, 6, 7, 8, 9


class LanguageChecks:
    """The tests of levels 4 and 5 for treebanks of one language.

    ``Lang`` in MISC may name another language for a word; level 5 also tests lemmas of auxiliaries and
    copulas.
    """

    def __init__(self, data: LanguageData, language: str, level: int) -> None:
        self.data, self.language, self.level = data, language, level
        self._combinations: dict[tuple[int, int, int], bool] = {}
        self._known: dict[str, list[bool]] = {}
        self._deps_seen = False
        self._features = lru_cache(maxsize=1 << 16)(self._feature_problems)

    def findings(self, chunk: Chunk) -> Iterator[LanguageFinding]:
        """Yield the violations in a chunk."""
        for row in self._suspects(chunk):
            yield from self._node_findings(chunk, int(row))
        self._deps_seen = self._deps_seen or len(chunk.edges) > 0

    def _suspects(self, chunk: Chunk) -> npt.NDArray[np.int32]:
        """Return the rows to examine, in order."""
        nodes = chunk.nodes
        suspect = np.zeros(len(chunk.kinds), bool)
        suspect[nodes] = self._odd_features(chunk)
        for row in nodes[chunk.spaced[nodes] != 0]:
            suspect[row] |= chunk.lang[row] != 0 or any(self._odd_spaces(chunk, row))
        words = nodes[chunk.kinds[nodes] == WORD]
        rules = self.data[self.language]
        permitted = self._lookup("deprel", chunk.values.deprel, rules.relations)
        suspect[words] |= ~permitted[chunk.deprel[words]]
        permitted = self._lookup("edeprel", chunk.values.edeprel, rules.enhanced_relations)
        suspect[chunk.edges[~permitted[chunk.edges[:, 1]], 0]] = True
        if self.level > 4:
            auxiliary = self._lookup("upos", chunk.values.upos, ("AUX",))
            copula = self._lookup(
                "cop", chunk.values.deprel, (relation for relation in chunk.values.deprel if _is_copula(relation))
            )
            for rows, lemmas in (
                (nodes[auxiliary[chunk.upos[nodes]]], rules.auxiliaries),
                (words[copula[chunk.deprel[words]]], rules.copulas),
            ):
                for row in rows:
                    if not suspect[row]:
                        suspect[row] = chunk.lang[row] or chunk.text(row, LEMMA) not in lemmas
        return np.flatnonzero(suspect).astype(np.int32)

    def _odd_features(self, chunk: Chunk) -> npt.NDArray[np.bool_]:
        """Return which nodes have a feature that their tag and language do not permit."""
        nodes, values = chunk.nodes, chunk.values
        tags, languages = len(values.upos), len(values.lang) + 1
        keys = chunk.feats[nodes].astype(np.int64)
        keys = (keys * tags + chunk.upos[nodes]) * languages + chunk.lang[nodes]
        distinct, inverse = np.unique(keys, return_inverse=True)
        odd = np.zeros(len(distinct), bool)
        for place, key in enumerate(distinct.tolist()):
            rest, lang = divmod(key, languages)
            feats, upos = divmod(rest, tags)
            codes = upos, feats, lang
            if codes not in self._combinations:
                word_language = (values.lang[lang] or None) if lang else None
                self._combinations[codes] = values.feats[feats] != "_" and bool(
                    self._features(values.upos[upos], values.feats[feats], word_language)
                )
            odd[place] = self._combinations[codes]
        answer: npt.NDArray[np.bool_] = odd[inverse.reshape(-1)]
        covered = chunk.cover[nodes] >= 0
        for covered_place in np.flatnonzero(covered & ~answer):
            answer[covered_place] = "Typo=" in values.feats[chunk.feats[nodes[covered_place]]]
        return answer

    def _lookup(self, kind: str, values: Sequence[str], permitted: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Return for each code whether its value is permitted."""
        known = self._known.setdefault(kind, [])
        if len(known) < len(values):
            names = frozenset(permitted)
            known += [value in names for value in values[len(known) :]]
        return np.array(known, bool)

    def _node_findings(self, chunk: Chunk, row: int) -> Iterator[LanguageFinding]:
        """Yield the violations in a row."""
        word_language = self._own_language(chunk, row)
        language = word_language or self.language
        rules = self.data[language]
        for column in self._odd_spaces(chunk, row, word_language):
            yield LanguageFinding("invalid-word-with-space", row, *chunk.span(row, column))
        yield from self._row_features(chunk, row, word_language)
        if chunk.kinds[row] == WORD:
            relation, parent = chunk.text(row, DEPREL), int(chunk.parent[row])
            there = self._own_language(chunk, parent) if parent >= 0 else None
            if not (
                self._permits("relations", relation, word_language, there)
                or (relation == "ref" and self._permits_ref(chunk, row, word_language, there))
            ):
                yield LanguageFinding("unknown-deprel", row, *chunk.span(row, DEPREL))
        yield from self._edge_findings(chunk, row, word_language)
        lemma = chunk.text(row, LEMMA)
        if self.level < 5 or lemma == "_" or (word_language is not None and word_language not in self.data):
            return
        if chunk.text(row, UPOS) == "AUX" and lemma not in rules.auxiliaries:
            yield LanguageFinding("aux-lemma", row, *chunk.span(row, LEMMA))
        copula = chunk.kinds[row] == WORD and _is_copula(chunk.text(row, DEPREL))
        if copula and lemma not in rules.copulas:
            yield LanguageFinding("cop-lemma", row, *chunk.span(row, LEMMA))

    def _odd_spaces(self, chunk: Chunk, row: int, language: str | None = None) -> Iterator[int]:
        """Yield the columns with white space that the language does not permit."""
        rules = self.data[language or self.language]
        for column in (FORM, LEMMA):
            word = chunk.text(row, column)
            if _SPACE.search(word) and not rules.may_have_space(word):
                yield column

    def _row_features(self, chunk: Chunk, row: int, language: str | None) -> Iterator[LanguageFinding]:
        feats = chunk.text(row, FEATS)
        if feats == "_":
            return
        problems = self._features(chunk.text(row, UPOS), feats, language)
        cover = int(chunk.cover[row])
        if (
            cover >= 0
            and chunk.kinds[row] == WORD
            and (typo := _features(feats).get("Typo"))
            and _features(chunk.text(cover, FEATS)).get("Typo") == "Yes"
            and (language is None or language in self.data)
        ):
            problems = (("mwt-typo-repeated-at-word", f"Typo={typo}"), *problems)
        start, stop = chunk.span(row, FEATS)
        for rule, description in problems:
            yield LanguageFinding(rule, row, start, stop, description)

    def _edge_findings(self, chunk: Chunk, row: int, language: str | None) -> Iterator[LanguageFinding]:
        deps = chunk.text(row, DEPS)
        if deps == "_":
            return
        for item in deps.split("|"):
            head, _, relation = item.partition(":")
            if relation in self.data[self.language].enhanced_relations:
                continue
            there = self._own_language(chunk, _row_of(chunk, row, head)) if language else None
            if not self._permits("enhanced_relations", relation, language, there):
                description = f"{relation!r} in DEPS {item!r}"
                yield LanguageFinding("unknown-edeprel", row, *chunk.span(row, DEPS), description)

    def _permits(self, kind: str, relation: str, language: str | None, parent: str | None) -> bool:
        """Whether the main language permits a relation, or that of both the word and its head."""
        if relation in getattr(self.data[self.language], kind):
            return True
        if language is None or language != parent or language == self.language:
            return False
        return language in self.data and relation in getattr(self.data[language], kind)

    def _permits_ref(self, chunk: Chunk, row: int, language: str | None, parent: str | None) -> bool:
        """Whether ref counts as a universal relation: from the first sentence with DEPS on.

        It is valid in DEPS only, but the official program then accepts it in DEPREL, too.
        """
        if self.language != "ud" and not language == parent == "ud":
            return False
        end = row
        while end + 1 < len(chunk.kinds) and chunk.kinds[end + 1] != BLANK:
            end += 1
        return self._deps_seen or bool((chunk.edges[:, 0] <= end).any())

    def _own_language(self, chunk: Chunk, row: int) -> str | None:
        """Return the language that MISC gives to a row, or None."""
        if row < 0 or chunk.kinds[row] not in {WORD, EMPTY}:
            return None
        code = int(chunk.lang[row])
        return (chunk.values.lang[code] or None) if code else None

    def _feature_problems(self, upos: str, feats: str, word_language: str | None) -> tuple[tuple[str, str], ...]:
        """Return the problems of a tag's features: the test and what was found."""
        if word_language is not None and word_language not in self.data:
            return (("unknown-lang", f"Lang={word_language}"),)
        problems = []
        for name, values in _features(feats).items():
            language = self.language if word_language is None or name == "Foreign" else word_language
            rule = self.data[language].features.get(name)
            for value in values.split(","):
                if rule is None:
                    test = "feature-unknown"
                elif not rule.permitted:
                    test = "feature-not-permitted"
                elif value not in rule.values:
                    test = "feature-value-unknown"
                elif upos not in rule.by_upos:
                    test = "feature-upos-not-permitted"
                elif value not in rule.by_upos[upos]:
                    test = "feature-value-upos-not-permitted"
                else:
                    continue
                with_tag = f" with {upos}" if "upos" in test else ""
                problems.append((test, f"{name}={value}{with_tag} in [{language}]"))
        return tuple(problems)


def _is_copula(relation: str) -> bool:
    return relation.partition(":")[0] == "cop"


def _row_of(chunk: Chunk, row: int, node: str) -> int:
    """Return the row of a node of the same sentence, or -1."""
    for step in (-1, 1):
        candidate = row
        while 0 <= candidate < len(chunk.kinds) and chunk.kinds[candidate] not in {COMMENT, BLANK}:
            if chunk.kinds[candidate] != MULTIWORD and chunk.text(candidate, ID) == node:
                return candidate
            candidate += step
    return -1


def _features(feats: str) -> dict[str, str]:
    """Return features by name; if a name occurs twice, the last one counts."""
    pairs = (item.partition("=") for item in feats.split("|") if item != "_")
    return {name: values for name, _, values in pairs}
