"""Learning curves: scores by the size of the training set."""
