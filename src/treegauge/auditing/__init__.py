"""What is odd about a treebank: duplicates, gaps, odd splits, drifting labels."""
