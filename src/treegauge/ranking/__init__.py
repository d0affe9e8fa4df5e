"""Rankings of systems over many treebanks, and their stability."""
