"""The binding to the native library: converts, maps errors, and nothing else."""
