"""A device that is followed while it runs: its log, its recordings, and what its heap holds now."""
