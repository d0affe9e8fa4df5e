"""Calibrated probabilities of heads, relations and trees."""
