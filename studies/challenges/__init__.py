"""Parsing Universal Dependencies: what is hard for parsers (the Challenges paper), redone."""
