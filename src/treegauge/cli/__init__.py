"""The command line: commands made from verbs, no arithmetic."""

from treegauge.cli.app import main

__all__ = ["main"]
