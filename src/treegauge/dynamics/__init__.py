"""What training shows of a treebank: data maps, usable information, description length."""
