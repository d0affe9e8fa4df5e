"""Conversion of other libraries' objects to CoNLL-U."""
