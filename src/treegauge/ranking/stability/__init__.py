"""How rankings change with the choice of treebanks."""
