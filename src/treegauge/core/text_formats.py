"""JSON and TOML from files; too deep nesting counts as malformed."""

import re
from typing import Any

from treegauge.core.errors import CONTROLS


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


def json_text(content: Any, **layout: Any) -> str:
    r"""Return content as JSON in UTF-8; control characters are escaped as JSON does it.

    Undefined numbers are an error. `layout` is passed on to :func:`json.dumps`.

    Examples
    --------
    >>> print(json_text({"form": "中\x9b\u202e"}))
    {"form": "中\u009b\u202e"}
    """
    import json

    text = json.dumps(content, ensure_ascii=False, allow_nan=False, **layout)
    return CONTROLS.sub(_json_escape, text) if not text.isprintable() else text


def _json_escape(match: re.Match[str]) -> str:
    return match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}"


def parse_toml(text: str) -> dict[str, Any]:
    """Return the content of TOML; errors as in :func:`parse_json`."""
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
