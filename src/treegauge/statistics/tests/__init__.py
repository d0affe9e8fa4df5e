"""Significance tests, corrections for many tests, and what they can detect."""
