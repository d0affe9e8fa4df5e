"""Neural parsers: arrays in, arrays out, on nothing but numpy and torch."""
