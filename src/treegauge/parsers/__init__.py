"""Parsers that can be trained anywhere, and any other program as a parser."""
