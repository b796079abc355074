"""Questions about a trace, a folder each."""
