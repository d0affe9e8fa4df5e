"""Whole studies of papers on one's own data, made of the verbs below."""
