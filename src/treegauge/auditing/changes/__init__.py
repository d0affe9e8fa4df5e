"""Changes between two versions of a treebank."""
