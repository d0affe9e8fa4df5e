"""Splitting treebanks: at random, by length, or by displacement."""
