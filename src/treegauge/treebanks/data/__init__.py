"""Treebanks as tables: reading, exact writing, slicing, trees."""
