"""Intervals and tests of scores."""
