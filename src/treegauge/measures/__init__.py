"""Measures of treebanks, one module per family."""
