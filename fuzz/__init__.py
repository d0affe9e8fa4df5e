"""Fuzzers: many small hostile inputs, and the property that must hold for each.

``python -m fuzz`` runs ranges of seeds, ``python -m fuzz --guided`` is guided by coverage.
"""
