"""Annotated text in the objects of other libraries, as CoNLL-U."""
