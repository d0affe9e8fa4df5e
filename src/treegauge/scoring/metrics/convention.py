"""Conventions of scoring, and metrics that carry one: which words count and what counts as correct."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import ClassVar

from treegauge.core.errors import ChoiceError, TreegaugeError


@dataclass(frozen=True)
class Convention:
    """Which words count in attachment scores, and how relations are compared.

    The same parse has the same UAS and LAS under the same convention, whichever verb prints it.
    Scores are in percent.

    Parameters
    ----------
    punct
        Whether words tagged PUNCT in gold count. If not, their partners do not count either, nor do
        unaligned system words that the system tags PUNCT.
    subtypes
        Whether relations are compared with their subtypes (``nsubj:pass`` against ``nsubj``).

    Examples
    --------
    >>> Convention().name, Convention(punct=False).label("LAS")
    ('official', 'LAS[challenges]')
    >>> Convention(punct=False, subtypes=True).name
    'no-punct+subtypes'
    """

    punct: bool = True
    subtypes: bool = False

    unit: ClassVar[str] = "percent"

    @property
    def name(self) -> str:
        """The name of the convention."""
        return next(name for name, convention in CONVENTIONS.items() if convention == self)

    @property
    def official(self) -> bool:
        """Whether this is the convention of the CoNLL 2018 shared task."""
        return self == OFFICIAL

    def label(self, metric: str) -> str:
        """Return a metric's name as a column header; it names a convention that is not official."""
        return metric if self.official else f"{metric}[{self.name}]"

    @property
    def signed(self) -> dict[str, object]:
        """The part of a signature that records what counted."""
        return {"punct": self.punct, "subtypes": self.subtypes}


OFFICIAL = Convention()
CONVENTIONS = {
    "official": OFFICIAL,
    "challenges": Convention(punct=False),
    "difficulty": Convention(subtypes=True),
    "no-punct": Convention(punct=False),
    "subtypes": Convention(subtypes=True),
    "no-punct+subtypes": Convention(punct=False, subtypes=True),
}
"""Conventions by name: the CoNLL 2018 shared task's, those of the papers, and what they change."""


def find_convention(convention: str | Convention = "official") -> Convention:
    """Return a convention by name; a convention is returned unchanged.

    Examples
    --------
    >>> find_convention("no-punct"), find_convention("challenges").name
    (Convention(punct=False, subtypes=False), 'challenges')
    """
    if isinstance(convention, Convention):
        return convention
    if convention not in CONVENTIONS:
        raise ChoiceError("convention", convention, CONVENTIONS)
    return CONVENTIONS[convention]


class ChosenMetric(str):
    """The name of a metric with its choices; it may stand wherever the metric's name can.

    Called with choices, a metric returns itself with these. As text: ``LAS(punct=no)``.

    Examples
    --------
    >>> LAS(punct=False), ELAS(collapse=True, without="15")
    ('LAS(punct=no)', 'ELAS(collapse=yes,without=15)')
    >>> LAS(punct=False) == "LAS(punct=no)", LAS(punct=False).choices
    (True, {'punct': 'no'})
    """

    def __call__(
        self,
        *,
        punct: bool | None = None,
        subtypes: bool | None = None,
        collapse: bool | None = None,
        without: str | None = None,
        weights: str | PathLike[str] | Mapping[str, float] | None = None,
    ) -> "ChosenMetric":
        """Return the metric with choices.

        Parameters
        ----------
        punct, subtypes
            The convention: whether punctuation counts, and whether relations are compared with
            their subtypes.
        collapse, without
            Of ELAS and EULAS: collapse empty nodes; types of enhanced edges to leave out, by the
            codes of the IWPT shared tasks.
        weights
            Of WLAS: wde, a file of 'relation weight' lines, a .conllu file, or a mapping.
        """
        if isinstance(weights, Mapping):
            weights = ";".join(f"{relation} {weight!r}" for relation, weight in weights.items())
        given = {"punct": punct, "subtypes": subtypes, "collapse": collapse, "without": without, "weights": weights}
        words = {True: "yes", False: "no"}
        texts = {k: words[v] if isinstance(v, bool) else fspath(v) for k, v in given.items() if v is not None}
        texts = self.choices | texts
        named = ChosenMetric(f"{self.base}({','.join(f'{k}={v}' for k, v in texts.items())})" if texts else self.base)
        named._check()
        return named

    @property
    def base(self) -> str:
        """The metric's name alone."""
        return self.partition("(")[0].strip()

    @property
    def choices(self) -> dict[str, str]:
        """The choices by name."""
        _, bracket, rest = self.strip().partition("(")
        if not bracket:
            return {}
        pairs = [pair.partition("=") for pair in rest.removesuffix(")").split(",")]
        if not rest.endswith(")") or not all(name.strip() and value.strip() for name, _, value in pairs):
            raise TreegaugeError(f"metric: found {str(self)!r}; expected NAME(CHOICE=VALUE), such as LAS(punct=no)")
        return {name.strip(): value.strip() for name, _, value in pairs}

    def convention(self, default: Convention) -> Convention:
        """Return the convention that the metric carries; where it makes no choice, the default's."""
        self._check()
        own = {name: value == "yes" for name, value in self.choices.items() if name in _YES_OR_NO[:2]}
        return replace(default, **own)

    def _check(self) -> None:
        known = _CHOICES.get(self.base.upper(), ("punct", "subtypes"))
        for name, value in self.choices.items():
            if name not in known:
                raise ChoiceError(f"choice of {self.base}", name, known)
            if name in _YES_OR_NO and value not in {"yes", "no"}:
                raise TreegaugeError(f"{self.base}: {name} is {value!r}; expected yes or no")


#: A comma between metrics, not between the choices of one.
_COMMA = re.compile(r",(?![^(]*\))")
_YES_OR_NO = ("punct", "subtypes", "collapse")
_CHOICES = dict.fromkeys(("ELAS", "EULAS"), ("collapse", "without")) | {"WLAS": ("weights", "punct", "subtypes")}
UAS, LAS, WLAS = ChosenMetric("UAS"), ChosenMetric("LAS"), ChosenMetric("WLAS")
ELAS, EULAS = ChosenMetric("ELAS"), ChosenMetric("EULAS")


def metric_and_convention(metric: str, convention: str | Convention = "official") -> tuple[str, Convention]:
    """Return the name of a metric, and the convention: its own choices, or else the one given.

    Examples
    --------
    >>> metric_and_convention("LAS(punct=no)")
    ('LAS', Convention(punct=False, subtypes=False))
    """
    chosen = ChosenMetric(metric)
    return chosen.base, chosen.convention(find_convention(convention))


def metrics_and_convention(
    metrics: str | Sequence[str], convention: str | Convention = "official"
) -> tuple[tuple[ChosenMetric, ...], Convention]:
    """Return metrics, also from a text with commas, and the one convention under which all are computed.

    Examples
    --------
    >>> metrics_and_convention("UAS,LAS", "no-punct")[0], metrics_and_convention("LAS(punct=no)")[1].name
    (('UAS', 'LAS'), 'challenges')
    """
    texts = [metrics] if isinstance(metrics, str) else metrics
    chosen = tuple(ChosenMetric(part.strip()) for text in texts for part in _COMMA.split(text))
    default = find_convention(convention)
    conventions = {metric: metric.convention(default) for metric in chosen} or {LAS: default}
    first, *others = conventions.values()
    if any(other != first for other in others):
        named = ", ".join(f"{metric} ({own.name})" for metric, own in conventions.items())
        raise TreegaugeError(f"one call has one convention; these metrics differ: {named}")
    return chosen, first
