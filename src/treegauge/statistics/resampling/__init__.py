"""Random draws for intervals and tests; small samples."""
