"""Results, tables, signatures, files and errors."""
