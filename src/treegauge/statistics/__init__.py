"""Intervals and tests on arrays, independent of treebanks."""
