"""The memory that a trace is replayed on: its options, its regions, static RAM."""
