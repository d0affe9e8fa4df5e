"""Pretrained encoders of the neural parsers."""
