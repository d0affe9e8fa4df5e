"""Fragility of rankings (the Fragility paper), redone."""
