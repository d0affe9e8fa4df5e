"""The same words annotated in different ways."""
