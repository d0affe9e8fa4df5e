"""Tables of scores and measures for analyses."""
