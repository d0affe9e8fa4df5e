"""Parsers: the protocol, the registry, parsers of our own and others as programs."""
