"""The own parsers beside published ones."""
