"""Plans of many runs: spread over processes or machines, stored, and never repeated."""
