"""Linear models and correlation."""
