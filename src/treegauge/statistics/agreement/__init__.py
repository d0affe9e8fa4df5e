"""Coefficients of agreement between annotators."""
