"""Heaps that a log describes only in part: every arrangement that fits its figures, and requests
tried on them."""
