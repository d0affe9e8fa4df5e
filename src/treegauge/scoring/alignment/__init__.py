"""Alignment of system words with gold words."""
