"""First-order graph parsers over hashed features: MIRA, and a log-linear model of heads."""
