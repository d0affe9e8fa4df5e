"""Taggers, and where the tags of a parser come from."""
