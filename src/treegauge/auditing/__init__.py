"""Audits of treebanks: duplicates, missing annotation, unusual splits, unseen labels."""
