"""Dataset difficulty by training dynamics (the Difficulty paper), redone."""
