"""Models fitted by likelihood."""
