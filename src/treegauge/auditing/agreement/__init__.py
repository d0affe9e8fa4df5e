"""Agreement between annotators."""
