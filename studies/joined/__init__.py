"""What the papers say together, on the same treebanks."""
