"""Outputs of systems: who answered what."""
