"""Edge displacement variability (the EDV paper), redone."""
