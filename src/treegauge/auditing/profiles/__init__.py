"""Summary of a treebank: card, badge, and the checks behind them."""
