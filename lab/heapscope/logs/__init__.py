"""Devices: what their logs tell of their heaps, and devices that are heard while they run."""
