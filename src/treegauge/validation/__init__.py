"""Validation of CoNLL-U files by the rules of Universal Dependencies."""
