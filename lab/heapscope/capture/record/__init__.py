"""Programs of this machine, recorded as they run (Linux)."""
