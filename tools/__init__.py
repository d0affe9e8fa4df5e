"""What makes, measures and checks the project; not installed."""
