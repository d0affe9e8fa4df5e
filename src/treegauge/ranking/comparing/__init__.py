"""Tests between systems over many treebanks."""
