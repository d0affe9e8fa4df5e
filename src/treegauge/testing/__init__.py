"""Invented treebanks and simulated parsers, for tests and examples."""
