"""Packaged published figures, one function each; ``SOURCES.md`` lists the sources.

>>> from treegauge import data
>>> data.conll18("las").filter(treebank="en_ewt", system="HIT-SCIR")["score"].item()
84.57
"""

from functools import cache
from importlib.resources import files

from treegauge.core.errors import ChoiceError
from treegauge.core.lazy import pl

__all__ = [
    "conll18",
    "conll18_systems",
    "conll18_treebanks",
    "difficulty_table1",
    "fragility_exp1",
    "named_subsets",
    "published",
    "ud25",
    "ud26",
    "wde",
]


@cache
def _load(name: str) -> "pl.DataFrame":
    frame = pl.read_parquet(files(__name__).joinpath(f"{name}.parquet").read_bytes())
    if name in {"conll18", "published"}:
        # numpy's division gives the very floats that parsing the decimals gives; polars multiplies
        # by a rounded 1/100, which is off in the last bit of some.
        frame = frame.with_columns(pl.Series("score", frame["score"].to_numpy() / 100))
    return frame


def _frame(name: str) -> "pl.DataFrame":
    """Return a copy of a frame, so that changes do not affect the cached one."""
    return _load(name).clone()


def conll18(metric: str | None = None) -> "pl.DataFrame":
    """Load the official scores of the CoNLL 2018 shared task (F1 in percent).

    Parameters
    ----------
    metric
        One of the 13 metrics in lower case, or None for all of them.

    Returns
    -------
    polars.DataFrame
        ``metric, treebank, system, score``: 13 metrics x 82 treebanks x 26 systems, no gap.

    Examples
    --------
    >>> conll18().shape
    (27716, 4)
    >>> sorted(conll18()["metric"].unique())[:4]
    ['alltags', 'blex', 'clas', 'las']
    """
    frame = _frame("conll18")
    if metric is None:
        return frame
    metrics = frame["metric"].unique().sort().to_list()
    if metric not in metrics:
        raise ChoiceError("metric", metric, metrics)
    return frame.filter(metric=metric)


def conll18_systems() -> "pl.DataFrame":
    """Load the 26 systems: short name (as the Fragility paper prints it), full name, run.

    Examples
    --------
    >>> conll18_systems().filter(system="BASELINE UDPipe").row(0)
    ('BASELINE UDPipe', 'BASELINE UDPipe 1.2 (Praha)', 'software1-P')
    """
    return _frame("conll18_systems")


def conll18_treebanks() -> "pl.DataFrame":
    """Load the properties of the 82 treebanks.

    Returns
    -------
    polars.DataFrame
        ``treebank`` (code), ``name``, ``language``, ``tokens`` (rounded to thousands; missing for
        ``sme_giella``), ``family`` and its two halves ``stock`` and ``genus``, and ``resource``,
        the task's class: ``big``, ``PUD``, ``small`` or ``low-resource``.

    Examples
    --------
    >>> conll18_treebanks()["resource"].value_counts().sort("count").rows()
    [('PUD', 5), ('small', 7), ('low-resource', 9), ('big', 61)]
    """
    return _frame("conll18_treebanks")


def named_subsets() -> dict[str, tuple[str, ...]]:
    """Load the named subsets of Fragility, Table 10, as treebank codes (Easy lists nine of ten).

    Examples
    --------
    >>> {name: len(codes) for name, codes in named_subsets().items()}
    {'Ma18': 12, 'Lh16': 8, 'AG20': 9, 'D21': 7, 'SA17': 9, 'Sm18': 9, 'Ku19': 13, 'Easy': 9}
    """
    members: dict[str, tuple[str, ...]] = {}
    for name, code in _load("subsets").iter_rows():
        members[name] = (*members.get(name, ()), code)
    return members


def ud25() -> "pl.DataFrame":
    """Load sizes of the 94 UD 2.5 treebanks and UDPipe 1.2's scores on them.

    Examples
    --------
    >>> ud25().filter(treebank="Greek-GDT")["las"].item()
    83.7
    """
    return _frame("ud25")


def published() -> "pl.DataFrame":
    """Load the scores per treebank that makers of parsers published, from UD 1.2 to 2.17.

    Returns
    -------
    polars.DataFrame
        ``system, version, release, input, treebank, metric, score``, one row per score: UDPipe 1
        and 2, Stanza, Trankit, UDify and LIMA. `input` is ``raw text``, ``gold tokens`` or
        ``gold tokens and tags``; scores with different input are not comparable. `version` is
        empty if its maker gives none.

    Examples
    --------
    >>> published().height
    30396
    >>> greek = published().filter(treebank="Greek-GDT", metric="LAS", release="2.5", input="raw text")
    >>> greek.sort("score").select("system", "version", "score").row(-1)
    ('Trankit large', '1.0', 93.87)
    """
    return _frame("published")


def ud26() -> "pl.DataFrame":
    """Load sizes of 99 UD 2.6 treebanks and UDPipe 2's scores with gold tokens.

    Examples
    --------
    >>> ud26().filter(treebank="Greek-GDT")["las"].item()
    91.95
    """
    return _frame("ud26")


def fragility_exp1() -> "pl.DataFrame":
    """Load LAS and UAS of three parsers on 47 treebanks (``metric, treebank, system, score``).

    Examples
    --------
    >>> fragility_exp1()["system"].unique().sort().to_list()
    ['gb-DM17', 'sl-S+19', 'tb-FG19']
    """
    return _frame("fragility_exp1")


def difficulty_table1() -> "pl.DataFrame":
    """Load Difficulty, Table 1, for 16 treebanks of UD 2.9; missing where illegible.

    Examples
    --------
    >>> difficulty_table1().filter(treebank="UD_Turkish-IMST")["arc_conf"].item()
    0.58
    """
    return _frame("difficulty_table1")


def wde() -> "pl.DataFrame":
    """Load the averaged word dependency entropy of the universal relations over UD 2.9.

    Examples
    --------
    >>> wde()["relation"][0]
    'cc'
    """
    return _frame("wde")
