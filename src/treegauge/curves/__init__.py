"""Learning curves: what a parser has learned, and from how much."""
