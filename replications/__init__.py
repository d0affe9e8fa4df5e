"""The papers' numbers, redone from data."""
