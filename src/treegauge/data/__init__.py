"""Published figures, packaged: one call each."""
