"""Scores of system output against gold, from additive statistics per sentence."""
