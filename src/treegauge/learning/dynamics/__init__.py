"""Data maps and candidates for annotation errors."""
