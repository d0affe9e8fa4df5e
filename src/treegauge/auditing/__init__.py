"""Auditing treebanks: duplicates, gaps, odd splits, unseen labels."""
