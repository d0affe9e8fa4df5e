"""Modules that the fork server loads before the first cell, so that cells start faster.

Importing this module loads modules and kernels but nothing that starts threads (polars starts its
own with the first query): threads do not survive a fork. Tasks and parsers of other packages are
therefore loaded by each cell.
"""

import contextlib
import gc
import os
import warnings


def preload(names: list[str]) -> None:
    """Load those of the named parsers and tasks that are part of treegauge."""
    import polars  # noqa: F401
    import pyarrow  # noqa: F401

    from treegauge.experiments.inventory import environment
    from treegauge.experiments.tasks import BUILT_IN, HOMES, find_task
    from treegauge.parsing.registry import known_parsers

    environment("")
    for name in {*BUILT_IN, *(HOMES.keys() & names)}:
        find_task(name).function()
    for name, parser in known_parsers().items():
        if name in names and parser.home.startswith("treegauge."):
            environment(name)
            parser.options  # noqa: B018 -- loads the parser's module


with contextlib.suppress(Exception):  # each cell reports its own error
    preload(os.environ.get("TREEGAUGE_PRELOAD", "").split())
# Later versions of Python warn about forks with any threads, even harmless ones.
warnings.filterwarnings("ignore", message=".*multi-threaded", category=DeprecationWarning)
gc.collect()
gc.freeze()
