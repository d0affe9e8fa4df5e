"""An invented grammar: its dials, its words, and how its sentences grow."""
