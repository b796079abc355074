"""The blocks that a program did not give back between two moments, and whether they grow."""
