"""Calibration of the probabilities in system output."""
