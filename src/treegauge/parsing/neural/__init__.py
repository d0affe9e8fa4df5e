"""Neural parsers on arrays; they need only numpy and torch."""
