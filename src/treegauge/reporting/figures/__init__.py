"""Figures as Vega-Lite dictionaries."""
