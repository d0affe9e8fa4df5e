"""Parsers that are external programs or libraries."""
