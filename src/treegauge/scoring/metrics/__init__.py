"""Metrics and the convention that says which words count."""
