"""Tests of scoring, with the official script as their oracle."""
