"""Replications of published results."""
