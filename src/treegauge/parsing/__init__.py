"""Parsers: the protocol, the registry, built-in parsers and external programs."""
