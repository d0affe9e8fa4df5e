"""The own parsers next to published ones."""
