"""What a program did not give back between two moments, and whether that grows."""
