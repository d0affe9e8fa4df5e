"""Cross-lingual transfer: parsing a language with parsers of other languages."""
