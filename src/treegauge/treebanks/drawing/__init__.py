"""Drawings of trees as text, SVG and TikZ."""
