"""Small sets of treebanks or sentences that rank as all do."""
