"""Many runs at once: planned, spread over processes or machines, stored, and never done twice."""
