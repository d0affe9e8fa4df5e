"""Whether torch is there; nothing of it is loaded by looking."""

from importlib.util import find_spec

from treegauge.results.errors import TreegaugeError


def need_torch() -> None:
    """Say how to get torch if it is not there."""
    if find_spec("torch") is None:
        raise TreegaugeError(
            "neural parsers need a package that is not installed: pip install 'treegauge[neural]'"
        )
