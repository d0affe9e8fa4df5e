"""What a name, path, pattern, folder, stream or object means."""
