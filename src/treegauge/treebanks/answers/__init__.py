"""Answers of language models: trees in whatever format they are written, and what was assumed."""
