"""Annotation errors that parsers find."""
