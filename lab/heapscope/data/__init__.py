"""Facts with their sources, as files."""
