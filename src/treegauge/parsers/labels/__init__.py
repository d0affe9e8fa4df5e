"""Trees written as one label a word, and labels read as trees."""
