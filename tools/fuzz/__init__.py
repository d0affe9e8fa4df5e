"""Fuzzers: many small hostile inputs, and the property that must hold for each.

``python -m tools.fuzz`` runs ranges of seeds, ``python -m tools.fuzz --guided`` is guided by coverage.
"""
