"""Splitting treebanks: at random, by length, kindly or adversarially by displacement."""
