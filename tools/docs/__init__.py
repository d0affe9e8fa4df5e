"""Scripts that write and check the documentation."""
