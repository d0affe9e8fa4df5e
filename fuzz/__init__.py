"""Fuzzers: many small hostile inputs, and what must hold for each of them.

``python -m fuzz`` runs them in seeded ranges, ``python -m fuzz --guided`` by coverage.
"""
