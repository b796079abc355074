"""Questions about a trace, a folder each: why a request failed, what leaks, which memory fits."""
