"""Certificates of claims that one system beats another."""
