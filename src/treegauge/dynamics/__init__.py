"""Training dynamics: data maps, usable information, description length, difficulty."""
