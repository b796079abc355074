"""The memory that a trace is replayed on: the options that choose it, and what they make."""
