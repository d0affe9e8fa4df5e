"""Parsing a language with parsers of other languages."""
