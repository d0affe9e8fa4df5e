"""Trust: files that run code do so only where the user says that they may.

Plans and models are data, except for a plan that names code or programs and a model of an external
program. Both are refused here, before anything of them is run or unpacked.
"""

import os
from collections.abc import Iterable

from treegauge.core.errors import TreegaugeError

TRUST = "TREEGAUGE_TRUST"
"""Environment variable that trusts all plans and models; unset, empty and 0 do not."""


def check_trust(code: Iterable[str], *, trust: bool, advice: str = "read it") -> None:
    """Refuse a file that would run code, unless it is trusted.

    Parameters
    ----------
    code
        What the file would run, in words; nothing of this is no reason to refuse it.
    trust
        Whether the caller trusts the file.
    advice
        What to do before trusting it.

    Examples
    --------
    >>> check_trust([], trust=False)
    >>> check_trust(["program spacy"], trust=True)
    """
    found = list(dict.fromkeys(code))
    if found and not trust and os.environ.get(TRUST, "") in {"", "0"}:
        raise TreegaugeError(
            f"it would run code ({', '.join(found)}); {advice}, and add --trust (in Python "
            "trust=True) if you trust it"
        )
