"""A device that is heard while it runs: its log, its recordings, and what its heap holds now."""
