"""Treebanks as tables: reading, exact writing, slicing, drawing of trees."""
