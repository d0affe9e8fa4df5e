"""Parsing a language with parsers of other languages, and what that is worth."""
