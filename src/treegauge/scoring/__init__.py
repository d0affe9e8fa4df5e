"""System output against gold, from per-sentence statistics that add."""
