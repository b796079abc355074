"""Results as terminal tables. Nothing here computes a figure."""
