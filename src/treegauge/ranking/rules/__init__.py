"""Rules that make one ranking of many scores."""
