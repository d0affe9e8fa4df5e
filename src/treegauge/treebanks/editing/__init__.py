"""Pairs of versions of sentences, and edits between them."""
