"""Scores by class of words or sentences."""
