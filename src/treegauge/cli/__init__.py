"""The command line: one file a verb, no arithmetic."""

from treegauge.cli.app import main

__all__ = ["main"]
