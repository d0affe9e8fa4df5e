"""Whether files are sound."""
