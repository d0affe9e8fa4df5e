"""What every result looks like: tables, signatures, files and errors."""
