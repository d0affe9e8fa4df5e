"""Arc-eager beam parser with an averaged perceptron."""
