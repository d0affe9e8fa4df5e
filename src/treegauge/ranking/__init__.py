"""Systems over many treebanks: how far a ranking would survive other ones."""
