"""JSON and TOML from files; too deep nesting counts as malformed."""

from typing import Any


def parse_json(text: str | bytes) -> Any:
    r"""Return the content of JSON.

    Raises
    ------
    ValueError
        If it is not JSON, not UTF-8, has half a character (``\ud800``), or has more levels than
        Python can read.

    Examples
    --------
    >>> parse_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: nested too deeply
    """
    import json

    try:
        content = json.loads(text)
        if (rb"\ud" if isinstance(text, bytes) else r"\ud") in text.lower():  # type: ignore[operator]
            json.dumps(content, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeEncodeError as error:
        raise ValueError(f"half a character, {error.object[error.start]!r}") from None
    return content


def parse_toml(text: str) -> dict[str, Any]:
    """Return the content of TOML; errors as in :func:`parse_json`."""
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
