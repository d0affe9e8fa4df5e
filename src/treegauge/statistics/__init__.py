"""Intervals and tests on arrays; knows nothing of treebanks."""
