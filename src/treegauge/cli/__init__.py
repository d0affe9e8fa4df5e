"""The command line: commands generated from verbs, without computations of its own."""

from treegauge.cli.app import main

__all__ = ["main"]
