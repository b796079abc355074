"""Results as text and as pages. Nothing here computes a figure."""
