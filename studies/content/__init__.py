"""Content words and function words (the Content paper), redone."""
