"""Recordings of training, which maps and information are computed from."""
