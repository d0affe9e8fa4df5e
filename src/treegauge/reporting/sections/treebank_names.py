"""Names of treebanks as readers filter by them."""

import re


def treebank_of(name: str) -> str:
    """Return the treebank that a set belongs to; readers filter all views by it.

    Examples
    --------
    >>> treebank_of("UD_Greek-GDT/test"), treebank_of("UD_Greek-GDT@2.5/dev"), treebank_of("gold")
    ('UD_Greek-GDT', 'UD_Greek-GDT@2.5', 'gold')
    """
    return re.sub(r"/(?:train|dev|test)$", "", name)
