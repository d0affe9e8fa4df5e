"""Trees as one label per word."""
