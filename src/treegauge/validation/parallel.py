"""IDs of sentences in parallel treebanks: format and numbering."""

import re

from treegauge.validation.characters import SPACES

_SPACE = f"[{re.escape(''.join(sorted(SPACES)))}]"
_ID = re.compile(
    rf"#{_SPACE}*parallel_id{_SPACE}*={_SPACE}*"
    r"((?P<key>[a-z]+/[-0-9a-z]+)"
    r"(?:/(?=alt|part)(?:alt(?P<alt>[1-9][0-9]*))?(?:part(?P<part>[1-9][0-9]*))?)?)"
)
Numbers = tuple[int | None, int | None]
"""Numbers of the alternative and of the part of a sentence."""


def broken_rules(comments: list[str], seen: set[str], last: dict[str, Numbers]) -> list[str]:
    """Return the rules that the parallel IDs of one sentence break.

    Parameters
    ----------
    comments
        The comments of the sentence that are, or look like, parallel IDs.
    seen, last
        The IDs so far, and the numbers of the last sentence with the same key; both are updated.

    Examples
    --------
    >>> seen, last = set(), {}
    >>> broken_rules(["# parallel_id = pud/n1"], seen, last)
    []
    >>> broken_rules(["# parallel_id = pud/n1/alt2"], seen, last)
    ['parallel-id-alt']
    """
    matches = []
    broken = []
    for comment in comments:
        match = _ID.fullmatch(comment)
        if match:
            matches.append(match)
        elif comment.startswith(("# parallel_id", "#parallel_id")):
            broken.append("invalid-parallel-id")
    if len(matches) > 1:
        return [*broken, "multiple-parallel-id"]
    if not matches:
        return broken
    match = matches[0]
    if match[1] in seen:
        return [*broken, "non-unique-parallel-id"]
    seen.add(match[1])
    numbers: Numbers = (int(match["alt"]) if match["alt"] else None, int(match["part"]) if match["part"] else None)
    before = last.get(match["key"])
    last[match["key"]] = numbers
    for rule, place in (("parallel-id-alt", 0), ("parallel-id-part", 1)):
        number = numbers[place]
        previous = before[place] if before else None
        changed = before is not None and (previous is None) != (number is None)
        if changed or (number is not None and number != (previous or 0) + 1):
            broken.append(rule)
    return broken
