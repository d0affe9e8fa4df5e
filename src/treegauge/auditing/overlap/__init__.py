"""Duplicates and near-duplicates between sets of sentences."""
