"""What makes a treebank what it is: one file a family of measures."""
