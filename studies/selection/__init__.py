"""Which sentences to train on."""
