"""Tables of scores: systems by treebanks."""
