"""Transition-based parser with beam search."""
