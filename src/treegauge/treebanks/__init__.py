"""A treebank is a table: read it, write it back byte for byte, slice it, draw its trees."""
