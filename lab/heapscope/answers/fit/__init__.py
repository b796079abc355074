"""Finds the smallest pool in which a trace survives, allocator by allocator."""
