"""Transfer between languages."""
